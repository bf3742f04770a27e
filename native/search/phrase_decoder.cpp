#include "search/phrase_decoder.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <optional>

#include "search/exact_phrase.hpp"
#include "search/extender.hpp"
#include "search/feature_check.hpp"
#include "search/phrase_kbest.hpp"
#include "search/phrase_view.hpp"
#include "search/pieces.hpp"
#include "search/replay.hpp"
#include "search/search_forest.hpp"
#include "search/sentence.hpp"
#include "search/shared_decoding.hpp"
#include "search/unreached.hpp"
#include "search/workspace.hpp"

namespace dragoman::search {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for_each_token(line, [&](std::string_view token) { words.push_back(token); });
  return words;
}

// Options of the best derivation that a search found, in target order.
std::vector<std::uint32_t> best_path(const Search& search) {
  std::vector<std::uint32_t> path;
  for (NodeId id = search.goal_nodes()[0]; search.node(id).option != kNone; id = search.node(id).previous)
    path.push_back(search.node(id).option);
  std::reverse(path.begin(), path.end());
  return path;
}

InputError no_way(std::size_t number, const Request& request) {
  return {"no sequence of options covers all words", "sentence " + std::to_string(number + 1),
          request.extra.empty() ? "raise the distortion limit" : "see whether options that allow no others overlap"};
}

}  // namespace

struct PhraseDecoder::PhraseWorkspace : Workspace {
  PhraseWorkspace(const PhraseModel& model, std::span<const double> weights)
      : Workspace(model, weights), sentence(model, weights, extender) {}

  Sentence sentence;
  Search search;
  PhraseKBest kbest;
};

struct PhraseDecoder::Shared : SharedDecoding<PhraseModel, PhraseWorkspace> {
  using SharedDecoding::SharedDecoding;
};

PhraseDecoder::PhraseDecoder(std::shared_ptr<const PhraseModel> model, std::vector<double> weights,
                             SearchSettings settings)
    : PhraseDecoder(std::make_shared<Shared>(std::move(model), std::move(weights)), settings) {}

PhraseDecoder::PhraseDecoder(std::shared_ptr<Shared> shared, SearchSettings settings)
    : shared_(std::move(shared)), model_(shared_->model.get()), settings_(settings) {
  const auto& weights = shared_->weights;
  distortion_weight_ = model_->distortion < weights.size() ? weights[model_->distortion] : 0;
}

std::vector<Decoded> PhraseDecoder::decode(std::span<const Request> requests, int threads, bool keep_forests,
                                           const StopCallback& stop) const {
  return shared_->decode(requests.size(), threads, stop,
                         [&](PhraseWorkspace& workspace, std::size_t number, const auto& table) {
                           return decode_one(workspace, number, requests[number], table, keep_forests);
                         });
}

forest::KBestLists PhraseDecoder::kbest_lists(std::span<const Request> requests, const forest::KBestOptions& options,
                                              int threads, const StopCallback& stop) const {
  std::vector<forest::KBestLists> parts(requests.size());
  const auto table = model_->table->view();
  shared_->run(
      requests.size(), threads, stop,
      [&](PhraseWorkspace& workspace, std::size_t number) {
        parts[number] = list_one(workspace, number, requests[number], table, options);
      },
      [](std::size_t) { throw; });
  forest::KBestLists all;
  for (forest::KBestLists& part : parts) all.append(std::move(part));
  return all;
}

Replay PhraseDecoder::replay_of(PhraseWorkspace& workspace) const {
  return {settings_.distortion, model_->distortion, distortion_weight_, workspace.sentence, workspace.extender};
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
    const features::LanguageModelCost before = workspace.cost();
    const auto run = [&](bool make_up) {
      workspace.extender.let_wait(settings.late_steps > 0);
      workspace.sentence.prepare(settings, number, words.subspan(begin, end - begin), part, table,
                                 workspace.rule_features, make_up);
      workspace.search.run(settings, distortion_weight_, workspace.sentence.chart(), workspace.extender,
                           workspace.sentence.limits(),
                           [&](const Option& option) { return workspace.sentence.target(option); });
      return !workspace.search.goal_nodes().empty();
    };
    const bool reached = run(false) || (!part.constraints.prefix.empty() && run(true));
    if (reached && settings.late_steps > 0) workspace.search.ask_late(settings.late_steps);
    workspace.extender.end_wait();
    const SearchView view(*model_, settings.distortion, workspace.sentence, workspace.extender, workspace.search);
    if (!reached && request.constraints.references.empty()) throw no_way(number, request);
    if (settings.check_features && reached)
      FeatureCheck(*model_).check(view, settings.recombine == SearchSettings::Recombine::kExact);
    use(view, begin, workspace.cost() - before);
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
         [&](const SearchView& view, std::uint32_t begin, const features::LanguageModelCost& cost) {
           decoded.language_models += cost;
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
           replay_of(workspace).append(best_path(view.search()), begin, decoded);
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
           [&](const SearchView& view, std::uint32_t, const auto&) { list = workspace.kbest.list(view, options); });
    return list;
  }
  // The alternatives of pieces combine, and only a forest outlives the search of each.
  ForestWriter<SearchView> writer(workspace.builder, words.size());
  search(workspace, number, request, words, ends, table,
         [&](const SearchView& view, std::uint32_t begin, const auto&) { writer.add_piece(view, begin); });
  const forest::Forest forest = writer.finish();
  return kbest_list({&forest, writer.words()->view()}, options);
}

std::vector<BoundedModel> PhraseDecoder::bounded_models(
    std::span<const std::shared_ptr<const lm::Bounds>> bounds) const {
  if (bounds.size() != model_->language_models.size())
    throw SettingError("bounds of " + std::to_string(bounds.size()) + " language models of " +
                       std::to_string(model_->language_models.size()));
  const auto& weights = shared_->weights;
  std::vector<BoundedModel> models;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const auto& use = model_->language_models[i];
    models.push_back({use, bounds[i], use->feature < weights.size() ? weights[use->feature] : 0});
  }
  return models;
}

template <typename Result, typename Use>
std::vector<Result> PhraseDecoder::run_exactly(std::span<const Request> requests, int threads, const StopCallback& stop,
                                               const Use& use) const {
  std::vector<Result> results(requests.size());
  const auto table = model_->table->view();
  shared_->run(
      requests.size(), threads, stop,
      [&](PhraseWorkspace& workspace, std::size_t number) {
        const auto words = words_of(requests[number].line);
        const Request& request = requests[number];
        if (!request.constraints.prefix.empty() || !request.constraints.references.empty())
          throw SettingError("exact search cannot be told how a translation begins or what it says",
                             "use --search cube or stack for prefixes and forced decoding");
        LengthLimit limit = length_limit(request);
        limit.split = false;  // a proof for pieces would prove nothing of the sentence
        (void)limited_pieces(number, words, request, limit, false);
        SearchSettings settings = settings_;
        if (request.constraints.monotone) settings.distortion.limit = 0;
        workspace.extender.let_wait(false);
        workspace.sentence.prepare(settings, number, words, request, table, workspace.rule_features, false);
        Replay replay = replay_of(workspace);
        use(workspace, replay, settings, words, results[number]);
      },
      [&](std::size_t number) { results[number].error = std::current_exception(); });
  return results;
}

std::vector<Decoded> PhraseDecoder::optimize(std::span<const Request> requests,
                                             std::span<const std::shared_ptr<const lm::Bounds>> bounds,
                                             const ExactSettings& exact, int threads, const StopCallback& stop) const {
  const auto models = bounded_models(bounds);
  return run_exactly<Decoded>(
      requests, threads, stop,
      [&](PhraseWorkspace& workspace, Replay& replay, const SearchSettings& settings, Words words, Decoded& decoded) {
        const auto start = Clock::now();
        const OptionChart& chart = workspace.sentence.chart();
        const features::LanguageModelCost before = workspace.cost();
        const auto search = [&]() -> std::vector<std::uint32_t> {
          workspace.search.run(settings, distortion_weight_, chart, workspace.extender, workspace.sentence.limits(),
                               [&](const Option& option) { return workspace.sentence.target(option); });
          if (workspace.search.goal_nodes().empty()) return {};
          return best_path(workspace.search);
        };
        const auto proof = std::make_shared<Proof>();
        ExactPhrase problem(settings.distortion, distortion_weight_, workspace.sentence, workspace.extender, replay,
                            models);
        const auto best = problem.optimize(exact, search, start, *proof);
        if (std::isinf(proof->run.best))
          throw no_way(workspace.sentence.number(), requests[workspace.sentence.number()]);
        for (const std::string_view word : words) decoded.source.emplace_back(word);
        replay.append(best, 0, decoded);
        decoded.pieces = 1;
        decoded.language_models = workspace.cost() - before;
        decoded.statistics.built = proof->run.trace.size();
        decoded.statistics.kept = proof->run.trace.back().nodes;
        decoded.statistics.rules_matched = chart.all().size();
        if (workspace.sentence.limits() != nullptr || settings.distortion.limit != settings_.distortion.limit) {
          proof->certificate = {};
          proof->certificate.missing = "constraints, which it cannot state";
        }
        decoded.proof = proof;
        decoded.seconds = std::chrono::duration<double>(Clock::now() - start).count();
      });
}

std::vector<Sampled> PhraseDecoder::sample(std::span<const Request> requests,
                                           std::span<const std::shared_ptr<const lm::Bounds>> bounds,
                                           const SampleSettings& wanted, int threads, const StopCallback& stop) const {
  const auto models = bounded_models(bounds);
  return run_exactly<Sampled>(
      requests, threads, stop,
      [&](PhraseWorkspace& workspace, Replay& replay, const SearchSettings& settings, Words words, Sampled& found) {
        const auto start = Clock::now();
        const std::size_t number = workspace.sentence.number();
        ExactPhrase problem(settings.distortion, distortion_weight_, workspace.sentence, workspace.extender, replay,
                            models);
        for (const auto& path : problem.sample(wanted, number, start, found)) {
          Decoded& decoded = found.derivations.emplace_back();
          for (const std::string_view word : words) decoded.source.emplace_back(word);
          decoded.pieces = 1;
          replay.append(path, 0, decoded);
        }
        if (found.run.rounds.empty()) throw no_way(number, requests[number]);
      });
}

}  // namespace dragoman::search
