#include "search/exact_phrase.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "search/state_bounds.hpp"

namespace dragoman::search {
namespace {

// A proposal with the true scores of its derivations: what the drivers ask for.
class ScoredProposal {
 public:
  ScoredProposal(PhraseProposal& proposal, const PhraseSpace& space, Replay& replay,
                 std::span<const std::uint32_t> phrase_of, bool exact)
      : proposal_(proposal), space_(space), replay_(replay), phrase_of_(phrase_of), exact_(exact) {}

  [[nodiscard]] bool is_exact() const noexcept { return exact_; }

  bool maximum(double& bound, double& score) {
    if (!proposal_.maximum(bound)) return false;
    read_path();
    text_.clear();
    for (const std::uint32_t option : options_) text_.push_back(phrase_of_[option]);
    texts_.insert(hash_bytes(text_.data(), text_.size() * sizeof(std::uint32_t)));
    score = replay_.score(options_);
    return true;
  }
  void prune(double below) { proposal_.prune(below); }
  std::uint64_t refine() { return proposal_.refine(); }

  double inside(double scale) { return proposal_.inside(scale); }
  void draw(RandomStream& random, double& bound, double& score) {
    bound = proposal_.draw(random);
    read_path();
    score = replay_.score(options_);
  }
  void reject(double loss) { rejected_.emplace_back(loss, options_); }
  std::uint64_t refine(std::uint32_t most) {
    std::stable_sort(rejected_.begin(), rejected_.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::uint64_t made = 0;
    std::set<std::vector<std::uint32_t>> seen;
    for (const auto& [loss, options] : rejected_) {
      if (seen.size() == most) break;
      if (!seen.insert(options).second) continue;
      proposal_.follow(options);
      made += proposal_.refine();
    }
    rejected_.clear();
    return made;
  }

  void keep() { kept.push_back(options_); }
  [[nodiscard]] std::uint64_t nodes() const noexcept { return proposal_.nodes(); }
  [[nodiscard]] std::uint64_t edges() const noexcept { return proposal_.edges(); }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return proposal_.bytes(); }
  [[nodiscard]] std::uint64_t distinct() const noexcept { return texts_.size(); }

  std::vector<std::vector<std::uint32_t>> kept;  // derivations, by their options

 private:
  void read_path() {
    options_.clear();
    for (const std::uint32_t edge : proposal_.path())
      if (const std::uint32_t option = space_.steps()[proposal_.step(edge)].option; option != PhraseSpace::kGoal)
        options_.push_back(option);
  }

  PhraseProposal& proposal_;
  const PhraseSpace& space_;
  Replay& replay_;
  std::span<const std::uint32_t> phrase_of_;
  bool exact_;
  std::vector<std::uint32_t> options_, text_;
  std::set<std::uint64_t> texts_;
  std::vector<std::pair<double, std::vector<std::uint32_t>>> rejected_;
};

// Options as a space without states sees them: each has what other features can give it at most.
struct Optimist {
  std::span<const double> most, most_at_last;
  double end;
  std::uint32_t length;

  [[nodiscard]] static std::size_t exact_states() noexcept { return 0; }
  static void start_exact(StateId*) noexcept {}
  [[nodiscard]] double extend_exact(const StateId*, const Option& option, const Coverage& before, StateId*) const {
    const bool last = before.count() + option.span.end - option.span.start == length;
    return (last ? most_at_last : most)[option.id];
  }
  [[nodiscard]] double finish_exact(const StateId*) const noexcept { return end; }
};

// Writes down a feature, state by state, unless that takes too much.
class AutomatonWriter {
 public:
  explicit AutomatonWriter(std::size_t options) : after_(options) {}

  void add_step(std::uint32_t option, std::uint32_t after, double score) {
    after_[option] = after;
    if (score != 0) scores_.emplace_back(option, score);
  }
  void end_state(double score) {
    if (!too_large()) {
      const std::uint32_t after = row_of(after_, afters_, feature_.after);
      feature_.states.push_back({after, row_of(scores_, rows_, feature_.scores), score});
    }
    scores_.clear();
  }
  [[nodiscard]] bool too_large() const noexcept { return numbers_ > kMostNumbers; }
  PhraseCertificate::Feature take(std::string name) {
    feature_.name = std::move(name);
    return std::move(feature_);
  }

 private:
  static constexpr std::size_t kMostNumbers = 4'000'000;

  template <typename Row>
  std::uint32_t row_of(const Row& row, std::map<Row, std::uint32_t>& known, std::vector<Row>& rows) {
    const auto [place, fresh] = known.try_emplace(row, static_cast<std::uint32_t>(rows.size()));
    if (fresh) {
      rows.push_back(row);
      numbers_ += row.size();
    }
    return place->second;
  }

  PhraseCertificate::Feature feature_;
  std::vector<std::uint32_t> after_;
  std::vector<std::pair<std::uint32_t, double>> scores_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> afters_;
  std::map<std::vector<std::pair<std::uint32_t, double>>, std::uint32_t> rows_;
  std::size_t numbers_ = 0;
};

}  // namespace

ExactPhrase::ExactPhrase(const features::DistortionSettings& distortion, double distortion_weight,
                         const Sentence& sentence, Extender& extender, Replay& replay,
                         std::span<const BoundedModel> models)
    : distortion_(distortion),
      distortion_weight_(distortion_weight),
      sentence_(sentence),
      extender_(extender),
      replay_(replay) {
  const OptionChart& chart = sentence.chart();
  contexts_.begin(models);
  std::map<std::vector<WordId>, std::uint32_t> phrases;
  const auto spelling = [&](WordId word) { return sentence.spell_target(word); };
  for (const Option& option : chart.all()) {
    const auto target = sentence.target(option);
    const auto [place, fresh] = phrases.try_emplace({target.begin(), target.end()}, 0);
    if (fresh) place->second = contexts_.add_phrase(target, spelling);
    phrase_of_.push_back(place->second);
  }
}

bool ExactPhrase::Limits::allow(const PhraseSpace& space) {
  if (held + space.bytes() + space.size() * PhraseProposal::kEdgeBytes > memory)
    stop = ExactStop::kMemory;
  else if (seconds > 0 && ++calls % 64 == 0 && std::chrono::duration<double>(Clock::now() - begin).count() > seconds)
    stop = ExactStop::kTime;
  return stop == ExactStop::kProved;
}

template <typename Exact>
bool ExactPhrase::build(PhraseSpace& space, Exact& exact, Limits& limits) const {
  const PhraseLimits* restricted = sentence_.limits();
  const SourceOrder* order = restricted != nullptr && restricted->order.any() ? &restricted->order : nullptr;
  return space.build(distortion_, order, distortion_weight_, sentence_.chart(), exact,
                     [&] { return limits.allow(space); });
}

double ExactPhrase::loosest_bound() {
  if (most_.empty()) find_most();
  const OptionChart& chart = sentence_.chart();
  const double jump = std::max(0.0, -distortion_weight_) * chart.length();
  std::vector<double> best(chart.length() + 1, PhraseProposal::kNever);  // by the words before a position
  best[0] = 0;
  std::vector<std::uint32_t> order(chart.all().size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t at) { return chart[at].span.start; });
  for (const std::uint32_t at : order) {
    const Option& option = chart[at];
    const auto start = static_cast<std::size_t>(option.span.start), end = static_cast<std::size_t>(option.span.end);
    const double most = option.score + std::max(most_[option.id], most_at_last_[option.id]) + jump +
                        contexts_.bound(BoundedContexts::kEmpty, phrase_of_[at]);
    best[end] = std::max(best[end], best[start] + most);
  }
  return best.back() + most_at_end_ + jump + contexts_.bound(BoundedContexts::kEmpty, BoundedContexts::kEndPhrase);
}

void ExactPhrase::find_most() {
  const auto options = sentence_.chart().all();
  std::size_t ids = 0;
  for (const Option& option : options) ids = std::max<std::size_t>(ids, option.id + 1);
  most_.assign(ids, 0);
  most_at_last_.assign(ids, 0);
  most_at_end_ = 0;
  if (extender_.orientation) {
    for (const Option& option : options) {
      most_[option.id] += extender_.orientation->most(option.orientation, false);
      most_at_last_[option.id] += extender_.orientation->most(option.orientation, true);
    }
  }
  automata_.clear();
  std::vector<double> most;
  for (std::size_t i = 0; i < extender_.others.size(); ++i) {
    most.assign(options.size(), PhraseProposal::kNever);
    double at_end = PhraseProposal::kNever;
    AutomatonWriter writer(options.size());
    const bool bounded = extender_.for_each_step(
        i, options, kMostStates,
        [&](std::uint32_t, std::uint32_t option, std::uint32_t after, double score) {
          most[option] = std::max(most[option], score);
          writer.add_step(option, after, score);
        },
        [&](std::uint32_t, double score) {
          at_end = std::max(at_end, score);
          writer.end_state(score);
        });
    if (!bounded) throw no_bound(extender_.others[i]->label(), extender_.others[i]->remedy());
    for (std::size_t at = 0; at < options.size(); ++at) {
      most_[options[at].id] += most[at];
      most_at_last_[options[at].id] += most[at];
    }
    most_at_end_ += at_end;
    if (writer.too_large())
      too_large_ = extender_.others[i]->label();
    else
      automata_.push_back(writer.take("the feature " + extender_.others[i]->label()));
  }
}

bool ExactPhrase::build_relaxed(PhraseSpace& space, Limits& limits) {
  find_most();
  Optimist optimist{most_, most_at_last_, most_at_end_, sentence_.chart().length()};
  return build(space, optimist, limits);
}

bool ExactPhrase::with_states(const PhraseSpace& relaxed, const PhraseProposal& proposal, double below, Limits& limits,
                              PhraseSpace& space) {
  const OptionChart& chart = sentence_.chart();
  space.begin(chart.length());
  PhraseSpace::Signature start;
  start.states.resize(extender_.exact_states());
  extender_.start_exact(start.states.data());
  // Per node of the proposal: the places of the new space that it stands for, and the best promise of reaching each.
  std::vector<std::map<std::uint32_t, double>> reached(proposal.size());
  reached[PhraseProposal::kStartNode][space.add_place(start)] = 0;
  for (const auto& bucket : proposal.buckets())
    for (const std::uint32_t node : bucket)
      for (const auto& [place, forward] : reached[node]) {
        if (!limits.allow(space)) return false;
        const PhraseSpace::Signature from = space.signature(place);
        PhraseSpace::Signature to = from;
        proposal.for_each_step(node, [&](std::uint32_t number, std::uint32_t head, double promised) {
          const PhraseSpace::Step& step = relaxed.steps()[number];
          const bool last = step.option == PhraseSpace::kGoal;
          double change;
          if (last) {
            change = extender_.finish_exact(from.states.data()) - most_at_end_;
          } else {
            const Option& option = chart[step.option];
            to.place = relaxed.signature(step.head).place;
            const bool completes = to.place.coverage.count() == chart.length();
            change = extender_.extend_exact(from.states.data(), option, from.place.coverage, to.states.data()) -
                     (completes ? most_at_last_ : most_)[option.id];
          }
          const double score = forward + promised + change;
          if (score + (last ? 0 : proposal.backward(head)) < below) return;
          if (last) {
            space.add_step(place, {PhraseSpace::kGoal, PhraseSpace::kGoal, step.score + change});
            return;
          }
          const std::uint32_t next = space.add_place(to);
          space.add_step(place, {step.option, next, step.score + change});
          const auto [known, fresh] = reached[head].try_emplace(next, score);
          if (!fresh) known->second = std::max(known->second, score);
        });
      }
  space.finish();
  return true;
}

std::vector<std::uint32_t> ExactPhrase::optimize(const ExactSettings& settings, const Search& search,
                                                 Clock::time_point begin, Proof& proof) {
  std::vector<std::uint32_t> best;
  const auto begin_with_search = [&] {
    best = search();
    if (!best.empty() || sentence_.chart().length() == 0) proof.seeded = proof.run.best = replay_.score(best);
  };
  if (settings.seed) begin_with_search();
  Limits limits{settings.memory, settings.time_limit, begin};
  const auto run = [&](const PhraseSpace& space, PhraseProposal& proposal, bool exact) {
    ScoredProposal scored(proposal, space, replay_, phrase_of_, exact);
    ExactSettings left = settings;
    left.memory -= limits.held;
    search::optimize(scored, left, begin, proof.run);
    if (!scored.kept.empty()) best = scored.kept.back();
    proof.distinct += scored.distinct();
    proof.levels = proposal.levels();
  };
  const bool plain = extender_.exact_states() == 0;
  PhraseSpace space;
  if (!(plain ? build(space, extender_, limits) : build_relaxed(space, limits))) {
    if (!settings.seed) begin_with_search();
    proof.run.stop = limits.stop;
    proof.run.bound = loosest_bound();
    proof.certificate.missing = "a limit came before a first bound";
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    proof.run.trace.push_back({proof.run.bound, proof.run.best, proof.run.best, 0, 0, 0, seconds});
    return best;
  }
  PhraseProposal proposal(space, contexts_, phrase_of_, settings.start_known, settings.words);
  proof.nodes_at_first = proposal.nodes();
  proof.edges_at_first = proposal.edges();
  run(space, proposal, plain);
  if (proof.run.stop == ExactStop::kExhausted) {
    const double below = settings.prune_every > 0 ? safely_below(proof.run.best) : PhraseProposal::kNever;
    proposal.prune(below);
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Context>> known;
    const auto key = [](const PhraseSpace& of, std::uint32_t place) {
      const Place& at = of.signature(place).place;
      return std::pair(at.coverage.mask, std::uint64_t{at.coverage.first_gap} << 32 | at.end);
    };
    proposal.for_each_context(
        [&](std::uint32_t place, Context context) { known[key(space, place)].push_back(context); });
    PhraseSpace fine;
    limits.held = proposal.bytes();
    if (!with_states(space, proposal, below, limits, fine)) {
      proof.run.stop = limits.stop;
      write_contexts(space, proposal, proof.certificate);
      write_certificate(best, proof.certificate);
      return best;
    }
    PhraseProposal finer(fine, contexts_, phrase_of_, settings.start_known, settings.words,
                         [&](std::uint32_t place) -> std::span<const Context> {
                           const auto found = known.find(key(fine, place));
                           return found == known.end() ? std::span<const Context>() : found->second;
                         });
    proof.run.stop = ExactStop::kProved;
    run(fine, finer, true);
    write_contexts(fine, finer, proof.certificate);
  }
  write_contexts(space, proposal, proof.certificate);
  write_certificate(best, proof.certificate);
  return best;
}

std::vector<std::vector<std::uint32_t>> ExactPhrase::sample(const SampleSettings& settings, std::uint64_t item,
                                                            Clock::time_point begin, Sampled& found) {
  PhraseSpace space;
  Limits limits{settings.memory, settings.time_limit, begin};
  if (!build(space, extender_, limits))
    throw LimitReached("sentence " + std::to_string(sentence_.number() + 1) + " has more steps than the limit of " +
                       (limits.stop == ExactStop::kTime ? "time" : "memory") + " allows");
  PhraseProposal proposal(space, contexts_, phrase_of_, true, 1);
  ScoredProposal scored(proposal, space, replay_, phrase_of_, true);
  if (proposal.edges() == 0) return {};
  RandomStream random(settings.seed, item);
  found.run = search::sample(scored, settings, random, begin);
  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;
  std::vector<std::vector<std::uint32_t>> derivations;
  for (const auto& options : scored.kept) {
    const auto [place, fresh] = numbers.try_emplace(options, static_cast<std::uint32_t>(derivations.size()));
    if (fresh) derivations.push_back(options);
    found.draws.push_back(place->second);
  }
  return derivations;
}

void ExactPhrase::write_contexts(const PhraseSpace& space, const PhraseProposal& proposal,
                                 PhraseCertificate& certificate) const {
  const std::uint32_t length = sentence_.chart().length();
  proposal.for_each_context([&](std::uint32_t place, BoundedContexts::Context context) {
    const Place& at = space.signature(place).place;
    PhraseCertificate::Context entry{{}, at.end, {}};
    for (std::uint32_t position = 0; position < length; ++position)
      if (at.coverage.covers(position)) entry.covered.push_back(position);
    for (const auto word : contexts_.words(context))
      entry.words.emplace_back(word == BoundedContexts::kBegin ? "<s>"
                                                               : sentence_.spell_target(contexts_.target(word)));
    certificate.contexts.push_back(std::move(entry));
  });
}

void ExactPhrase::write_certificate(std::span<const std::uint32_t> best, PhraseCertificate& certificate) {
  if (!too_large_.empty()) {
    certificate.missing = "too many states to be written down, of the feature " + too_large_;
    return;
  }
  for (const Option& option : sentence_.chart().all()) {
    PhraseCertificate::Choice choice{option.span.start, option.span.end, {}, option.score, {}, {}};
    for (const WordId word : sentence_.target(option)) choice.target.emplace_back(sentence_.spell_target(word));
    if (extender_.orientation) {
      choice.previous = extender_.orientation->by_order(option.orientation, false);
      choice.next = extender_.orientation->by_order(option.orientation, true);
    }
    certificate.options.push_back(std::move(choice));
  }
  certificate.derivation.assign(best.begin(), best.end());
  certificate.orders = extender_.orientation != nullptr;
  certificate.hierarchical = certificate.orders && extender_.orientation->settings().hierarchical;
  certificate.features = std::move(automata_);
}

}  // namespace dragoman::search
