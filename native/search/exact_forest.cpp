#include "search/exact_forest.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include "search/forest_proposal.hpp"

namespace dragoman::search {
namespace {

// The words of a forest as contexts see them.
struct ForestWords {
  ForestWords(const forest::Forest& space, const VocabularyView& words, std::span<const BoundedModel> models)
      : spelling([&words](WordId word) { return words.word(word); }) {
    contexts.begin(models);
    word_of.assign(words.size(), BoundedContexts::kBegin);
    for (forest::EdgeId edge = 0; edge < space.edges(); ++edge)
      for (const WordId symbol : space.target(edge))
        if (!forest::is_tail(symbol)) word_of[symbol] = contexts.add_word(symbol, spelling);
  }
  [[nodiscard]] std::vector<std::vector<std::string>> spelt(
      std::span<const BoundedContexts::Context> registered) const {
    std::vector<std::vector<std::string>> found;
    for (const auto context : registered) {
      auto& row = found.emplace_back();
      for (const auto word : contexts.words(context))
        row.emplace_back(word == BoundedContexts::kBegin ? "<s>" : spelling(contexts.target(word)));
    }
    return found;
  }

  BoundedContexts::Spelling spelling;
  BoundedContexts contexts;
  std::vector<BoundedContexts::Word> word_of;  // per id of the vocabulary
};

std::function<bool()> time_is_up(double seconds, std::chrono::steady_clock::time_point begin) {
  if (seconds <= 0) return {};
  return [=] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > seconds; };
}

}  // namespace

ForestOptimum optimize_forest(const forest::Forest& space, const VocabularyView& words,
                              std::span<const BoundedModel> models, const ExactSettings& settings, double known) {
  const auto begin = std::chrono::steady_clock::now();
  ForestWords read(space, words, models);
  ForestProposal proposal(space, read.contexts, read.word_of, settings.in_rule, settings.contexts, settings.memory,
                          time_is_up(settings.time_limit, begin));
  ForestOptimum found;
  found.proof.seeded = known;
  found.proof.nodes_at_first = proposal.nodes();
  found.proof.edges_at_first = proposal.edges();
  found.proof.run.best = known;
  ExactSettings often = settings;  // an intersection costs more than pruning, and the more the larger the forest is
  often.prune_every = std::min<std::uint32_t>(1, settings.prune_every);
  optimize(proposal, often, begin, found.proof.run);
  found.proof.distinct = proposal.distinct();
  found.proof.levels.assign(static_cast<std::size_t>(read.contexts.longest()) + 1, 0);
  for (const auto context : proposal.registered()) ++found.proof.levels[read.contexts.length(context)];
  if (!proposal.kept.empty()) found.derivation = proposal.kept.back();
  found.last = proposal.last;
  found.contexts = read.spelt(proposal.registered());
  return found;
}

ForestSamples sample_forest(const forest::Forest& space, const VocabularyView& words,
                            std::span<const BoundedModel> models, const SampleSettings& settings, std::uint64_t item) {
  const auto begin = std::chrono::steady_clock::now();
  ForestWords read(space, words, models);
  ForestProposal proposal(space, read.contexts, read.word_of, settings.in_rule, 0, settings.memory,
                          time_is_up(settings.time_limit, begin));
  ForestSamples found;
  if (proposal.edges() == 0) return found;
  RandomStream random(settings.seed, item);
  found.run = sample(proposal, settings, random, begin);
  std::map<std::vector<forest::EdgeId>, std::uint32_t> numbers;
  for (const auto& derivation : proposal.kept) {
    const auto [place, fresh] = numbers.try_emplace(derivation, static_cast<std::uint32_t>(found.derivations.size()));
    if (fresh) found.derivations.push_back(derivation);
    found.draws.push_back(place->second);
  }
  found.contexts = read.spelt(proposal.registered());
  return found;
}

}  // namespace dragoman::search
