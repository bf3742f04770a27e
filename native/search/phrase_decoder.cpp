#include "search/phrase_decoder.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "search/extender.hpp"
#include "search/feature_check.hpp"
#include "search/phrase_kbest.hpp"
#include "search/phrase_proposal.hpp"
#include "search/phrase_view.hpp"
#include "search/pieces.hpp"
#include "search/search_forest.hpp"
#include "search/sentence.hpp"
#include "search/workspace.hpp"
#include "search/workspace_pool.hpp"

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

LengthLimit PhraseDecoder::length_limit() const {
  const bool unlimited = settings_.distortion.limit < 0;
  const std::uint32_t most = settings_.max_sentence_length;
  return {unlimited ? std::min<std::uint32_t>(most, Coverage::kWindow) : most, settings_.split,
          unlimited ? " without a distortion limit" : ""};
}

template <typename Use>
void PhraseDecoder::search(PhraseWorkspace& workspace, std::size_t number, const Request& request, Words words,
                           std::span<const std::uint32_t> ends, const Table& table, const Use& use) const {
  for_each_piece(
      request, words.size(), ends,
      [&](std::uint32_t begin, std::uint32_t end, std::span<const ExtraOption> extra,
          const features::SentenceMarks& marks) {
        workspace.sentence.prepare(settings_, number, words.subspan(begin, end - begin), extra, marks, table,
                                   workspace.rule_features);
        const std::uint64_t before = workspace.queries();
        workspace.search.run(settings_, distortion_weight_, workspace.sentence.chart(), workspace.extender);
        const std::uint64_t queries = workspace.queries() - before;
        if (workspace.search.goal_nodes().empty())
          throw InputError("no sequence of options covers all words", place_of(number), "raise the distortion limit");
        const SearchView view(*model_, settings_.distortion, workspace.sentence, workspace.extender, workspace.search);
        if (settings_.check_features)
          FeatureCheck(*model_).check(view, settings_.recombine == SearchSettings::Recombine::kExact);
        use(view, begin, queries);
      });
}

Decoded PhraseDecoder::decode_one(PhraseWorkspace& workspace, std::size_t number, const Request& request,
                                  const Table& table, bool keep_forest) const {
  const auto start = std::chrono::steady_clock::now();
  const auto words = words_of(request.line);
  const auto ends = limited_pieces(number, words, request.extra, length_limit(), keep_forest);
  Decoded decoded;
  for (const std::string_view word : words) decoded.source.emplace_back(word);
  std::optional<ForestWriter<SearchView>> writer;
  if (keep_forest) writer.emplace(workspace.builder, words.size());
  search(workspace, number, request, words, ends, table,
         [&](const SearchView& view, std::uint32_t begin, std::uint64_t queries) {
           append_path(workspace.sentence, workspace.extender, best_path(view.search()), begin, decoded);
           decoded.statistics += view.search().statistics();
           decoded.statistics.rules_matched += view.options();
           decoded.language_model_queries += queries;
           if (writer) writer->add_piece(view, begin);
         });
  decoded.pieces = ends.size();
  if (writer) {
    decoded.forest = std::make_shared<forest::Forest>(writer->finish());
    decoded.words = writer->words();
  }
  decoded.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return decoded;
}

forest::KBestLists PhraseDecoder::list_one(PhraseWorkspace& workspace, std::size_t number, const Request& request,
                                           const Table& table, const forest::KBestOptions& options) const {
  const auto words = words_of(request.line);
  const auto ends = limited_pieces(number, words, request.extra, length_limit(), true);
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

namespace {

// What a derivation scores under the model itself: its options, in target order, through the features from the start.
class Replay {
 public:
  Replay(const SearchSettings& settings, double distortion_weight, const OptionChart& chart, Extender& extender)
      : settings_(settings), distortion_weight_(distortion_weight), chart_(chart), extender_(extender) {}

  // Calls use(option, place before, states before, score of the step) one by one, then finish(states, end, score);
  // gives the total.
  template <typename Use, typename Finish>
  double run(std::span<const std::uint32_t> options, const Use& use, const Finish& finish) {
    const auto length = static_cast<int>(chart_.length());
    states_.assign(2 * extender_.states(), 0);
    StateId* from = states_.data();
    StateId* to = from + extender_.states();
    extender_.start(from);
    Place place;
    double total = 0;
    for (const std::uint32_t id : options) {
      const Option& option = chart_[id];
      const double score = option.score + extender_.extend(from, option, place.coverage, to) -
                           distortion_weight_ * features::jump_cost(settings_.distortion, place.coverage,
                                                                    static_cast<int>(place.end), option.span, length);
      use(option, place, from, score);
      total += score;
      place = {place.coverage.with(option.span), option.span.end};
      std::swap(from, to);
    }
    double score = extender_.finish(from);
    if (settings_.distortion.final_jump) score -= distortion_weight_ * std::abs(length - static_cast<int>(place.end));
    finish(from, static_cast<int>(place.end), score);
    return total + score;
  }
  double score(std::span<const std::uint32_t> options) {
    return run(
        options, [](const Option&, const Place&, const StateId*, double) {}, [](const StateId*, int, double) {});
  }

 private:
  const SearchSettings& settings_;
  double distortion_weight_;
  const OptionChart& chart_;
  Extender& extender_;
  std::vector<StateId> states_;
};

// A proposal with the true scores of its derivations: what the driver asks for.
class ScoredProposal {
 public:
  ScoredProposal(PhraseProposal& proposal, const PhraseSpace& space, Replay& replay,
                 std::span<const std::uint32_t> phrase_of)
      : proposal_(proposal), space_(space), replay_(replay), phrase_of_(phrase_of) {}

  bool maximum(double& bound, double& score) {
    if (!proposal_.maximum(bound)) return false;
    options_.clear();
    std::vector<std::uint32_t> text;
    for (const std::uint32_t edge : proposal_.path()) {
      const std::uint32_t option = space_.steps()[proposal_.step(edge)].option;
      if (option == PhraseSpace::kGoal) continue;
      options_.push_back(option);
      text.push_back(phrase_of_[option]);
    }
    texts_.insert(hash_bytes(text.data(), text.size() * sizeof(std::uint32_t)));
    score = replay_.score(options_);
    return true;
  }
  void keep() { best = options_; }
  std::uint64_t refine() { return proposal_.refine(); }
  void prune(double below) { proposal_.prune(below); }
  [[nodiscard]] std::uint64_t nodes() const noexcept { return proposal_.nodes(); }
  [[nodiscard]] std::uint64_t edges() const noexcept { return proposal_.edges(); }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return proposal_.bytes(); }
  [[nodiscard]] std::uint64_t distinct() const noexcept { return texts_.size(); }

  std::vector<std::uint32_t> best;  // options of the best derivation so far

 private:
  PhraseProposal& proposal_;
  const PhraseSpace& space_;
  Replay& replay_;
  std::span<const std::uint32_t> phrase_of_;
  std::vector<std::uint32_t> options_;
  std::set<std::uint64_t> texts_;
};

}  // namespace

std::vector<Decoded> PhraseDecoder::optimize(std::span<const Request> requests,
                                                  std::span<const std::shared_ptr<const lm::Bounds>> bounds,
                                                  const ExactSettings& exact, int threads,
                                                  const StopCallback& stop) const {
  if (bounds.size() != model_->language_models.size())
    throw SettingError("bounds of " + std::to_string(bounds.size()) + " language models of " +
                       std::to_string(model_->language_models.size()));
  const auto& weights = shared_->weights;
  std::vector<BoundedModel> models;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const auto& use = model_->language_models[i];
    models.push_back({use, bounds[i], use->feature < weights.size() ? weights[use->feature] : 0});
  }
  std::vector<Decoded> results(requests.size());
  const auto table = model_->table->view();
  shared_->workspaces.run(
      requests.size(), threads, stop, [&] { return std::make_unique<PhraseWorkspace>(*model_, weights); },
      [&](PhraseWorkspace& workspace, std::size_t number) {
        optimize_one(workspace, number, requests[number], table, models, exact, results[number]);
      },
      [&](std::size_t number) { results[number].error = std::current_exception(); });
  return results;
}

void PhraseDecoder::optimize_one(PhraseWorkspace& workspace, std::size_t number, const Request& request,
                                 const Table& table, std::span<const BoundedModel> models, const ExactSettings& exact,
                                 Decoded& decoded) const {
  const auto start = std::chrono::steady_clock::now();
  const auto words = words_of(request.line);
  LengthLimit limit = length_limit();
  limit.split = false;
  (void)limited_pieces(number, words, request.extra, limit, false);
  const auto proof = std::make_shared<Proof>();
  Proof& found = *proof;
  decoded.proof = proof;
  for (const std::string_view word : words) decoded.source.emplace_back(word);
  decoded.pieces = 1;
  Sentence& sentence = workspace.sentence;
  Extender& extender = workspace.extender;
  sentence.prepare(settings_, number, words, request.extra, request.marks, table, workspace.rule_features);
  const OptionChart& chart = sentence.chart();
  Replay replay(settings_, distortion_weight_, chart, extender);
  const std::uint64_t before = workspace.queries();

  std::vector<std::uint32_t> seed;
  double score = PhraseProposal::kNever;
  if (exact.seed) {
    workspace.search.run(settings_, distortion_weight_, chart, extender);
    if (const auto goals = workspace.search.goal_nodes(); !goals.empty()) {
      seed = best_path(workspace.search);
      found.seeded = score = replay.score(seed);
    }
  }

  BoundedContexts contexts;
  contexts.begin(models);
  std::vector<std::uint32_t> phrase_of(chart.all().size());
  std::map<std::vector<WordId>, std::uint32_t> phrases;
  const auto spelling = [&](WordId word) { return sentence.spell_target(word); };
  for (std::uint32_t id = 0; id < phrase_of.size(); ++id) {
    const auto target = sentence.target(chart[id]);
    const auto [place, fresh] = phrases.try_emplace({target.begin(), target.end()}, 0);
    if (fresh) place->second = contexts.add_phrase(target, spelling);
    phrase_of[id] = place->second;
  }
  PhraseSpace space;
  const std::size_t most = exact.memory / (sizeof(PhraseSpace::Step) + 32);
  if (!space.build(settings_.distortion, distortion_weight_, chart, extender, most))
    throw InputError("more steps than fit into the memory that exact search may use", place_of(number),
                     "give it more, or lower the distortion limit or the number of options");
  PhraseProposal proposal(space, contexts, phrase_of, exact.start_known, exact.words);
  ScoredProposal scored(proposal, space, replay, phrase_of);
  scored.best = seed;
  found.states = extender.exact_states();
  found.nodes_at_first = proposal.nodes();
  found.edges_at_first = proposal.edges();
  found.run = search::optimize(scored, exact, score, start);
  if (found.run.best == PhraseProposal::kNever)
    throw InputError("no sequence of options covers all words", place_of(number), "raise the distortion limit");
  found.levels = proposal.levels();
  found.distinct = scored.distinct();

  append_path(sentence, extender, scored.best, 0, decoded);
  decoded.language_model_queries = workspace.queries() - before;
  decoded.statistics.built = found.run.trace.size();
  decoded.statistics.kept = proposal.nodes();
  decoded.statistics.rules_matched = chart.all().size();

  PhraseCertificate& certificate = found.certificate;
  for (const Option& option : chart.all()) {
    PhraseCertificate::Choice choice{option.span.start, option.span.end, {}, option.score};
    for (const WordId word : sentence.target(option)) choice.target.emplace_back(sentence.spell_target(word));
    certificate.options.push_back(std::move(choice));
  }
  certificate.derivation = scored.best;
  proposal.for_each_context([&](std::uint32_t place, BoundedContexts::Context context) {
    const Place& at = space.signature(place).place;
    PhraseCertificate::Context entry{{}, at.end, {}};
    for (std::uint32_t position = 0; position < chart.length(); ++position)
      if (at.coverage.covers(position)) entry.covered.push_back(position);
    for (const auto word : contexts.words(context))
      entry.words.emplace_back(word == BoundedContexts::kBegin ? "<s>" : sentence.spell_target(contexts.target(word)));
    certificate.contexts.push_back(std::move(entry));
  });
  decoded.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A derivation of the piece that begins at word `offset`, step by step, with the values of all features.
void PhraseDecoder::append_path(const Sentence& sentence, Extender& extender, std::span<const std::uint32_t> path,
                                std::uint32_t offset, Decoded& decoded) const {
  const OptionChart& chart = sentence.chart();
  const auto length = static_cast<int>(chart.length());
  Replay replay(settings_, distortion_weight_, chart, extender);
  decoded.score += replay.run(
      path,
      [&](const Option& option, const Place& place, const StateId* states, double score) {
        Step step;
        step.source_start = step.span_start = offset + option.span.start;
        step.source_end = step.span_end = offset + option.span.end;
        step.target_start = static_cast<std::uint32_t>(decoded.target.size());
        for (const WordId word : sentence.target(option)) decoded.target.emplace_back(sentence.spell_target(word));
        step.target_end = static_cast<std::uint32_t>(decoded.target.size());
        step.unknown = sentence.is_unknown(option);
        step.score = score;
        for (const grammar::Link link : sentence.links(option))
          step.links.emplace_back(step.source_start + link.source, step.target_start + link.target);
        sentence.option_values(option, step.values);
        extender.extend_values(states, option, place.coverage, step.values);
        const int jump = features::jump_cost(settings_.distortion, place.coverage, static_cast<int>(place.end),
                                             option.span, length);
        if (jump != 0) step.values.emplace_back(model_->distortion, -jump);
        decoded.steps.push_back(std::move(step));
      },
      [&](const StateId* states, int end, double) {
        extender.finish_values(states, decoded.final_values);
        if (settings_.distortion.final_jump && end != length)
          decoded.final_values.emplace_back(model_->distortion, -std::abs(length - end));
      });
}

}  // namespace dragoman::search
