#include "search/exact_phrase.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace dragoman::search {
namespace {

// A proposal with the true scores of its derivations: what the drivers ask for.
class ScoredProposal {
 public:
  ScoredProposal(PhraseProposal& proposal, const PhraseSpace& space, Replay& replay,
                 std::span<const std::uint32_t> phrase_of)
      : proposal_(proposal), space_(space), replay_(replay), phrase_of_(phrase_of) {}

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
    std::stable_sort(rejected_.begin(), rejected_.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
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
  std::vector<std::uint32_t> options_, text_;
  std::set<std::uint64_t> texts_;
  std::vector<std::pair<double, std::vector<std::uint32_t>>> rejected_;
};

}  // namespace

ExactPhrase::ExactPhrase(const features::DistortionSettings& distortion, double distortion_weight,
                         const Sentence& sentence, Extender& extender, Replay& replay,
                         std::span<const BoundedModel> models, std::uint64_t memory)
    : sentence_(sentence), replay_(replay), states_(extender.exact_states()) {
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
  const std::size_t most = memory / (sizeof(PhraseSpace::Step) + PhraseProposal::kEdgeBytes);
  if (!space_.build(distortion, distortion_weight, chart, extender, most))
    throw InputError("more steps than fit into the memory that exact search may use",
                     "sentence " + std::to_string(sentence.number() + 1),
                     "give it more, or lower the distortion limit or the number of options");
}

std::vector<std::uint32_t> ExactPhrase::optimize(const ExactSettings& settings, std::span<const std::uint32_t> seed,
                                                 Clock::time_point begin, Proof& proof) {
  PhraseProposal proposal(space_, contexts_, phrase_of_, settings.start_known, settings.words);
  ScoredProposal scored(proposal, space_, replay_, phrase_of_);
  const bool seeded = settings.seed && (!seed.empty() || sentence_.chart().length() == 0);
  if (seeded) {
    scored.kept.emplace_back(seed.begin(), seed.end());
    proof.seeded = replay_.score(seed);
  }
  proof.nodes_at_first = proposal.nodes();
  proof.edges_at_first = proposal.edges();
  proof.run = search::optimize(scored, settings, proof.seeded, begin);
  proof.levels = proposal.levels();
  proof.distinct = scored.distinct();
  proof.states = states_;
  if (scored.kept.empty()) return {};
  write_certificate(proposal, scored.kept.back(), proof.certificate);
  return scored.kept.back();
}

std::vector<std::vector<std::uint32_t>> ExactPhrase::sample(const SampleSettings& settings, std::uint64_t item,
                                                            Clock::time_point begin, Sampled& found) {
  PhraseProposal proposal(space_, contexts_, phrase_of_, true, 1);
  ScoredProposal scored(proposal, space_, replay_, phrase_of_);
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

void ExactPhrase::write_certificate(const PhraseProposal& proposal, std::span<const std::uint32_t> best,
                                    PhraseCertificate& certificate) const {
  const OptionChart& chart = sentence_.chart();
  for (const Option& option : chart.all()) {
    PhraseCertificate::Choice choice{option.span.start, option.span.end, {}, option.score};
    for (const WordId word : sentence_.target(option)) choice.target.emplace_back(sentence_.spell_target(word));
    certificate.options.push_back(std::move(choice));
  }
  certificate.derivation.assign(best.begin(), best.end());
  proposal.for_each_context([&](std::uint32_t place, BoundedContexts::Context context) {
    const Place& at = space_.signature(place).place;
    PhraseCertificate::Context entry{{}, at.end, {}};
    for (std::uint32_t position = 0; position < chart.length(); ++position)
      if (at.coverage.covers(position)) entry.covered.push_back(position);
    for (const auto word : contexts_.words(context))
      entry.words.emplace_back(word == BoundedContexts::kBegin ? "<s>" : sentence_.spell_target(contexts_.target(word)));
    certificate.contexts.push_back(std::move(entry));
  });
}

}  // namespace dragoman::search
