#include "search/phrase_decoder.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "search/extender.hpp"
#include "search/feature_check.hpp"
#include "search/phrase_kbest.hpp"
#include "search/phrase_view.hpp"
#include "search/pieces.hpp"
#include "search/search_forest.hpp"
#include "search/sentence.hpp"
#include "search/unreached.hpp"
#include "search/workspace.hpp"
#include "search/workspace_pool.hpp"

namespace dragoman::search {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for_each_token(line, [&](std::string_view token) { words.push_back(token); });
  return words;
}

std::string place_of(std::size_t number) { return "sentence " + std::to_string(number + 1); }

}  // namespace

struct PhraseDecoder::PhraseWorkspace : Workspace {
  PhraseWorkspace(const PhraseModel& model, std::span<const double> weights)
      : Workspace(model, weights), sentence(model, weights, extender) {}

  Sentence sentence;
  Search search;
  PhraseKBest kbest;
};

// What decoders of one model under the same weights share, however they search.
struct PhraseDecoder::Shared {
  Shared(std::shared_ptr<const PhraseModel> of, std::vector<double> by)
      : model(std::move(of)), weights(std::move(by)) {}

  std::shared_ptr<const PhraseModel> model;
  std::vector<double> weights;
  WorkspacePool<PhraseWorkspace> workspaces;
};

PhraseDecoder::PhraseDecoder(std::shared_ptr<const PhraseModel> model, std::vector<double> weights,
                             SearchSettings settings)
    : PhraseDecoder(std::make_shared<Shared>(std::move(model), std::move(weights)), settings) {
  require_finite(*model_, shared_->weights);
}

PhraseDecoder::PhraseDecoder(std::shared_ptr<Shared> shared, SearchSettings settings)
    : shared_(std::move(shared)), model_(shared_->model.get()), settings_(settings) {
  const auto& weights = shared_->weights;
  distortion_weight_ = model_->distortion < weights.size() ? weights[model_->distortion] : 0;
}

std::vector<Decoded> PhraseDecoder::decode(std::span<const Request> requests, int threads, bool keep_forests,
                                           const StopCallback& stop) const {
  std::vector<Decoded> results(requests.size());
  const auto table = model_->table->view();  // rules that are added meanwhile count from the next call on
  shared_->workspaces.run(
      requests.size(), threads, stop, [&] { return std::make_unique<PhraseWorkspace>(*model_, shared_->weights); },
      [&](PhraseWorkspace& workspace, std::size_t number) {
        results[number] = decode_one(workspace, number, requests[number], table, keep_forests);
      },
      [&](std::size_t number) { results[number].error = std::current_exception(); });
  return results;
}

forest::KBestLists PhraseDecoder::kbest_lists(std::span<const Request> requests, const forest::KBestOptions& options,
                                              int threads, const StopCallback& stop) const {
  std::vector<forest::KBestLists> parts(requests.size());
  const auto table = model_->table->view();
  shared_->workspaces.run(
      requests.size(), threads, stop, [&] { return std::make_unique<PhraseWorkspace>(*model_, shared_->weights); },
      [&](PhraseWorkspace& workspace, std::size_t number) {
        parts[number] = list_one(workspace, number, requests[number], table, options);
      },
      [](std::size_t) { throw; });
  forest::KBestLists all;
  for (forest::KBestLists& part : parts) all.append(std::move(part));
  return all;
}

LengthLimit PhraseDecoder::length_limit(const Request& request) const {
  const bool unlimited = settings_.distortion.limit < 0 && !request.constraints.monotone;
  const std::uint32_t most = settings_.max_sentence_length;
  const bool split = settings_.split && request.constraints.references.empty() && request.lattice.empty();
  return {unlimited ? std::min<std::uint32_t>(most, Coverage::kWindow) : most, split,
          unlimited ? " without a distortion limit" : ""};
}

template <typename Use>
void PhraseDecoder::search(PhraseWorkspace& workspace, std::size_t number, const Request& request, Words words,
                           std::span<const std::uint32_t> ends, const Table& table, const Use& use) const {
  SearchSettings settings = settings_;
  if (request.constraints.monotone) settings.distortion.limit = 0;
  for_each_piece(request, words.size(), ends, [&](std::uint32_t begin, std::uint32_t end, const Request& part) {
    const std::uint64_t before = workspace.queries();
    const auto run = [&](bool make_up) {
      workspace.sentence.prepare(settings, number, words.subspan(begin, end - begin), part, table,
                                 workspace.rule_features, make_up);
      workspace.search.run(settings, distortion_weight_, workspace.sentence.chart(), workspace.extender,
                           workspace.sentence.limits(),
                           [&](const Option& option) { return workspace.sentence.target(option); });
      return !workspace.search.goal_nodes().empty();
    };
    const bool reached = run(false) || (!part.constraints.prefix.empty() && run(true));
    const SearchView view(*model_, settings.distortion, workspace.sentence, workspace.extender, workspace.search);
    if (!reached && request.constraints.references.empty())
      throw InputError(
          "no sequence of options covers all words", place_of(number),
          request.extra.empty() ? "raise the distortion limit" : "see whether options that allow no others overlap");
    if (settings.check_features && reached)
      FeatureCheck(*model_).check(view, settings.recombine == SearchSettings::Recombine::kExact);
    use(view, begin, workspace.queries() - before);
  });
}

Decoded PhraseDecoder::decode_one(PhraseWorkspace& workspace, std::size_t number, const Request& request,
                                  const Table& table, bool keep_forest) const {
  const auto start = std::chrono::steady_clock::now();
  const auto words = words_of(request.line);
  const auto ends = limited_pieces(number, words, request, length_limit(request), keep_forest);
  Decoded decoded;
  if (request.lattice.empty())
    for (const std::string_view word : words) decoded.source.emplace_back(word);
  std::optional<ForestWriter<SearchView>> writer;
  if (keep_forest) writer.emplace(workspace.builder, words.size());
  search(workspace, number, request, words, ends, table,
         [&](const SearchView& view, std::uint32_t begin, std::uint64_t queries) {
           decoded.language_model_queries += queries;
           decoded.statistics += view.search().statistics();
           decoded.statistics.rules_matched += view.options();
           decoded.reached = !view.goal_nodes().empty();
           if (!decoded.reached) {
             const Sentence& sentence = view.sentence();
             return diagnose(
                 sentence.limits()->references.references(), sentence.chart().all(), view.length(),
                 [&](const Option& option) { return sentence.target(option); },
                 [](const Option& option, const auto& use) {
                   for (std::uint32_t position = option.span.start; position < option.span.end; ++position)
                     use(position);
                 },
                 decoded);
           }
           append_best(view, begin, decoded);
           if (writer) writer->add_piece(view, begin);
           if (keep_forest)
             for (const LatticePath& path : view.sentence().paths())
               decoded.paths.emplace_back(path.spelt.begin(), path.spelt.end());
         });
  decoded.pieces = ends.size();
  if (writer && decoded.reached) {
    decoded.forest = std::make_shared<forest::Forest>(writer->finish());
    decoded.words = writer->words();
  }
  decoded.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return decoded;
}

forest::KBestLists PhraseDecoder::list_one(PhraseWorkspace& workspace, std::size_t number, const Request& request,
                                           const Table& table, const forest::KBestOptions& options) const {
  const auto words = words_of(request.line);
  const auto ends = limited_pieces(number, words, request, length_limit(request), true);
  forest::KBestLists list;
  if (ends.size() == 1) {
    search(workspace, number, request, words, ends, table,
           [&](const SearchView& view, std::uint32_t, std::uint64_t) { list = workspace.kbest.list(view, options); });
    return list;
  }
  // The alternatives of pieces combine, and only a forest outlives the search of each.
  ForestWriter<SearchView> writer(workspace.builder, words.size());
  search(workspace, number, request, words, ends, table,
         [&](const SearchView& view, std::uint32_t begin, std::uint64_t) { writer.add_piece(view, begin); });
  const forest::Forest forest = writer.finish();
  return kbest_list({&forest, writer.words()->view()}, options);
}

// The words along the path of a lattice that steps translate, and where those of each begin.
void PhraseDecoder::append_path(const SearchView& view, std::span<const NodeId> steps,
                                std::vector<std::uint32_t>& firsts, Decoded& decoded) const {
  std::vector<const Option*> options;
  for (const NodeId id : steps) options.push_back(&view.step(id));
  std::ranges::sort(options, {}, [](const Option* option) { return option->span.start; });
  for (const Option* option : options) {
    firsts[option->span.start] = static_cast<std::uint32_t>(decoded.source.size());
    for (const std::string_view word : view.sentence().paths()[option->path - 1].spelt)
      decoded.source.emplace_back(word);
  }
}

// The best translation of the piece that was searched last, which begins at word `offset`.
void PhraseDecoder::append_best(const SearchView& view, std::uint32_t offset, Decoded& decoded) const {
  const Search& search = view.search();
  const Sentence& sentence = view.sentence();
  const NodeId best = search.goal_nodes()[0];
  decoded.score += search.node(best).priority;
  std::vector<NodeId> path;
  for (NodeId id = best; search.node(id).option != kNone; id = search.node(id).previous) path.push_back(id);
  std::vector<std::uint32_t> firsts(view.length() + 1);  // by where a step begins: its first word
  for (std::uint32_t position = 0; position < view.length(); ++position) firsts[position] = offset + position;
  if (!sentence.paths().empty()) append_path(view, path, firsts, decoded);
  for (auto id = path.rbegin(); id != path.rend(); ++id) {
    const Node& node = search.node(*id);
    const Option& option = sentence.chart()[node.option];
    Step step;
    const std::size_t words = option.path == 0 ? static_cast<std::size_t>(option.span.end - option.span.start)
                                               : sentence.paths()[option.path - 1].words.size();
    step.source_start = step.span_start = firsts[option.span.start];
    step.source_end = step.span_end = step.source_start + static_cast<std::uint32_t>(words);
    step.target_start = static_cast<std::uint32_t>(decoded.target.size());
    for (const WordId word : sentence.target(option)) decoded.target.emplace_back(sentence.spell_target(word));
    step.target_end = static_cast<std::uint32_t>(decoded.target.size());
    step.unknown = sentence.is_unknown(option);
    step.score = node.score - search.node(node.previous).score;
    for (const grammar::Link link : sentence.links(option))
      step.links.emplace_back(step.source_start + link.source, step.target_start + link.target);
    view.option_values(*id, step.values);
    view.place_values(*id, step.values);
    decoded.steps.push_back(std::move(step));
  }
  view.final_values(best, decoded.final_values);
}

}  // namespace dragoman::search
