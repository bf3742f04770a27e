#include "search/phrase_decoder.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <optional>

#include "search/extender.hpp"
#include "search/feature_check.hpp"
#include "search/phrase_forest.hpp"
#include "search/phrase_kbest.hpp"
#include "search/pieces.hpp"
#include "search/sentence.hpp"

namespace dragoman::search {
namespace {

constexpr std::size_t kLongestForest = 2'000;  // every node of a forest says which words it covers

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for_each_token(line, [&](std::string_view token) { words.push_back(token); });
  return words;
}

std::string place_of(std::size_t number) { return "sentence " + std::to_string(number + 1); }

// What is known of the words from `begin` to `end`.
features::SentenceMarks part_of(const features::SentenceMarks& marks, std::uint32_t begin, std::uint32_t end) {
  features::SentenceMarks part;
  part.domain = marks.domain;
  if (marks.tags.size() >= end) part.tags.assign(marks.tags.begin() + begin, marks.tags.begin() + end);
  if (marks.heads.size() >= end)
    for (std::uint32_t i = begin; i < end; ++i) part.heads.push_back(marks.heads[i] - static_cast<std::int32_t>(begin));
  return part;
}

}  // namespace

// What one thread needs; features keep per-sentence tables, so every thread has its own.
struct PhraseDecoder::Workspace {
  Workspace(const PhraseModel& model, std::span<const double> weights) : sentence(model, weights, extender) {
    for (const auto& use : model.language_models) extender.language_models.emplace_back(use);
    if (model.orientation)
      extender.orientation = std::make_unique<features::OrientationFeature>(*model.orientation, weights);
    for (const auto& make : model.state_features) extender.others.push_back(make());
    for (const auto& make : model.rule_features) rule_features.push_back(make());
  }
  [[nodiscard]] std::uint64_t queries() const {
    std::uint64_t sum = 0;
    for (const auto& model : extender.language_models) sum += model.queries();
    return sum;
  }

  Extender extender;
  std::vector<std::unique_ptr<features::RuleFeature>> rule_features;
  Sentence sentence;
  Search search;
  forest::ForestBuilder builder;
  PhraseKBest kbest;
};

// What decoders of one model under the same weights share, however they search.
struct PhraseDecoder::Shared {
  Shared(std::shared_ptr<const PhraseModel> of, std::vector<double> by)
      : model(std::move(of)), weights(std::move(by)) {}

  std::unique_ptr<Workspace> borrow() {
    {
      const std::lock_guard guard(lock);
      if (!idle.empty()) {
        auto workspace = std::move(idle.back());
        idle.pop_back();
        return workspace;
      }
    }
    return std::make_unique<Workspace>(*model, weights);
  }
  void give_back(std::unique_ptr<Workspace> workspace) {
    const std::lock_guard guard(lock);
    idle.push_back(std::move(workspace));
  }

  std::shared_ptr<const PhraseModel> model;
  std::vector<double> weights;
  std::mutex lock;
  std::vector<std::unique_ptr<Workspace>> idle;  // one per thread that has decoded; they keep their memory
};

PhraseDecoder::PhraseDecoder(std::shared_ptr<const PhraseModel> model, std::vector<double> weights,
                             SearchSettings settings)
    : PhraseDecoder(std::make_shared<Shared>(std::move(model), std::move(weights)), settings) {
  for (std::size_t id = 0; id < shared_->weights.size(); ++id)
    if (!std::isfinite(shared_->weights[id]))
      throw SettingError("the weight of '" + model_->names->name(static_cast<FeatureId>(id)) + "' is not finite");
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
  parallel_shards(
      requests.size(), threads,
      [&](std::size_t number) {
        auto workspace = shared_->borrow();
        try {
          results[number] = decode_one(*workspace, number, requests[number], table, keep_forests);
        } catch (const Error&) {
          results[number].error = std::current_exception();
        }
        shared_->give_back(std::move(workspace));
      },
      stop);
  return results;
}

forest::KBestLists PhraseDecoder::kbest_lists(std::span<const Request> requests, const forest::KBestOptions& options,
                                              int threads, const StopCallback& stop) const {
  std::vector<forest::KBestLists> parts(requests.size());
  const auto table = model_->table->view();
  parallel_shards(
      requests.size(), threads,
      [&](std::size_t number) {
        auto workspace = shared_->borrow();
        parts[number] = list_one(*workspace, number, requests[number], table, options);
        shared_->give_back(std::move(workspace));
      },
      stop);
  forest::KBestLists all;
  for (forest::KBestLists& part : parts) all.append(std::move(part));
  return all;
}

std::vector<std::uint32_t> PhraseDecoder::unknown_words(std::string_view line) const {
  const auto table = model_->table->view();
  std::vector<WordId> source;
  for_each_token(line, [&](std::string_view token) { source.push_back(table->source_id(token)); });
  std::vector<bool> known(source.size());
  table->match(source, 1, [&](int start, int, grammar::RuleRange) { known[static_cast<std::size_t>(start)] = true; });
  std::vector<std::uint32_t> positions;
  for (std::uint32_t i = 0; i < known.size(); ++i)
    if (!known[i]) positions.push_back(i);
  return positions;
}

std::vector<std::uint32_t> PhraseDecoder::pieces(std::size_t number, Words words, std::span<const ExtraOption> extra,
                                                 bool keep_forest) const {
  const bool unlimited = settings_.distortion.limit < 0;
  const std::uint32_t most = settings_.max_sentence_length;
  const std::uint32_t longest = unlimited ? std::min<std::uint32_t>(most, Coverage::kWindow) : most;
  if (words.size() > longest && !settings_.split)
    throw InputError("a sentence of " + std::to_string(words.size()) + " tokens where at most " +
                         std::to_string(longest) + " are translated" + (unlimited ? " without a distortion limit" : ""),
                     place_of(number), "split it, or let it be split");
  if (words.size() > kLongestForest && keep_forest)
    throw InputError("alternatives for a sentence of " + std::to_string(words.size()) + " tokens; at most " +
                         std::to_string(kLongestForest) + " can have them",
                     place_of(number), "split it, or ask for the best translation only");
  return piece_ends(words, extra, longest);
}

template <typename Use>
void PhraseDecoder::search(Workspace& workspace, std::size_t number, const Request& request, Words words,
                           std::span<const std::uint32_t> ends, const Table& table, const Use& use) const {
  std::vector<ExtraOption> extra;
  features::SentenceMarks part;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : ends) {
    extra.clear();
    for (const ExtraOption& option : request.extra) {
      if (option.start < begin || (option.end > end && end < words.size())) continue;
      extra.push_back(option);
      extra.back().start -= begin;
      extra.back().end -= begin;
    }
    const bool whole = end - begin == words.size();
    if (!whole) part = part_of(request.marks, begin, end);
    workspace.sentence.prepare(settings_, number, words.subspan(begin, end - begin), extra,
                               whole ? request.marks : part, table, workspace.rule_features);
    workspace.search.run(settings_, distortion_weight_, workspace.sentence.chart(), workspace.extender);
    if (workspace.search.goal_nodes().empty())
      throw InputError("no sequence of options covers all words", place_of(number), "raise the distortion limit");
    const SearchView view(*model_, settings_.distortion, workspace.sentence, workspace.extender, workspace.search);
    if (settings_.check_features)
      FeatureCheck(*model_).check(view, settings_.recombine == SearchSettings::Recombine::kExact);
    use(view, begin);
    begin = end;
  }
}

Decoded PhraseDecoder::decode_one(Workspace& workspace, std::size_t number, const Request& request, const Table& table,
                                  bool keep_forest) const {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t queries = workspace.queries();
  const auto words = words_of(request.line);
  const auto ends = pieces(number, words, request.extra, keep_forest);
  Decoded decoded;
  for (const std::string_view word : words) decoded.source.emplace_back(word);
  std::optional<PhraseForestWriter> writer;
  if (keep_forest) writer.emplace(workspace.builder, words.size());
  search(workspace, number, request, words, ends, table, [&](const SearchView& view, std::uint32_t begin) {
    append_best(view, begin, decoded);
    if (writer) writer->add_piece(view, begin);
  });
  decoded.pieces = ends.size();
  decoded.language_model_queries = workspace.queries() - queries;
  if (writer) {
    decoded.forest = std::make_shared<forest::Forest>(writer->finish());
    decoded.words = writer->words();
  }
  decoded.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return decoded;
}

forest::KBestLists PhraseDecoder::list_one(Workspace& workspace, std::size_t number, const Request& request,
                                           const Table& table, const forest::KBestOptions& options) const {
  const auto words = words_of(request.line);
  const auto ends = pieces(number, words, request.extra, true);
  forest::KBestLists list;
  if (ends.size() == 1) {
    search(workspace, number, request, words, ends, table,
           [&](const SearchView& view, std::uint32_t) { list = workspace.kbest.list(view, options); });
    return list;
  }
  // The alternatives of pieces combine, and only a forest outlives the search of each.
  PhraseForestWriter writer(workspace.builder, words.size());
  search(workspace, number, request, words, ends, table,
         [&](const SearchView& view, std::uint32_t begin) { writer.add_piece(view, begin); });
  const forest::Forest forest = writer.finish();
  return kbest_list({&forest, writer.words()->view()}, options);
}

// The best translation of the piece that was searched last, which begins at word `offset`.
void PhraseDecoder::append_best(const SearchView& view, std::uint32_t offset, Decoded& decoded) const {
  const Search& search = view.search();
  const Sentence& sentence = view.sentence();
  const NodeId best = search.goal_nodes()[0];
  decoded.score += search.node(best).priority;
  std::vector<NodeId> path;
  for (NodeId id = best; search.node(id).option != kNone; id = search.node(id).previous) path.push_back(id);
  for (auto id = path.rbegin(); id != path.rend(); ++id) {
    const Node& node = search.node(*id);
    const Option& option = sentence.chart()[node.option];
    Step step;
    step.source_start = offset + option.span.start;
    step.source_end = offset + option.span.end;
    step.target_start = static_cast<std::uint32_t>(decoded.target.size());
    for (const WordId word : sentence.target(option)) decoded.target.emplace_back(sentence.spell_target(word));
    step.target_end = static_cast<std::uint32_t>(decoded.target.size());
    step.unknown = sentence.is_unknown(option);
    step.score = node.score - search.node(node.previous).score;
    for (const grammar::Link link : sentence.links(option))
      step.links.emplace_back(step.source_start + link.source, step.target_start + link.target);
    view.step_values(node.previous, option, step.values);
    decoded.steps.push_back(std::move(step));
  }
  view.final_values(best, decoded.final_values);
  decoded.statistics += search.statistics();
}

}  // namespace dragoman::search
