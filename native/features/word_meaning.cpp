#include "features/word_meaning.hpp"

namespace dragoman::features {

std::array<double, 3> PhraseVectorsFeature::values(const SentenceView& sentence, const OptionView& option) {
  spelt_.clear();
  source_.clear();
  target_.clear();
  sentence.spell_source(option, spelt_);
  for (std::size_t at = 0; at < spelt_.size(); ++at)
    if (at >= option.source.size() || !grammar::is_nonterminal(option.source[at]))
      source_.push_back(use_->vectors->find(spelt_[at], false));
  for (const WordId word : option.target)
    if (!grammar::is_nonterminal(word)) target_.push_back(use_->vectors->find(sentence.spell_target(word), true));
  const semantics::PhraseSimilarity found = use_->vectors->compare(source_, target_);
  return {found.cosine, found.best, found.unknown};
}

double PhraseVectorsFeature::rank(const SentenceView& sentence, const OptionView& option) {
  const std::span<const double> weights = sentence.weights();
  const std::array<double, 3> found = values(sentence, option);
  double sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (use_->features[i] < weights.size()) sum += weights[use_->features[i]] * found[i];
  return sum;
}

void PhraseVectorsFeature::fire(const SentenceView& sentence, std::span<const OptionView> options,
                                std::span<Fire> fires) {
  known_.begin(sentence);
  for (std::size_t at = 0; at < options.size(); ++at) {
    const std::span<double> row = known_.row(options[at]);
    if (row[0] == kFresh) {
      const std::array<double, 3> found = values(sentence, options[at]);
      std::ranges::copy(found, row.begin());
    }
    for (std::size_t i = 0; i < row.size(); ++i)
      if (use_->features[i] != kNotWanted) fires[at](use_->features[i], row[i]);
  }
}

WordContextUse::WordContextUse(std::shared_ptr<const semantics::MutualInformation> given, std::size_t wide,
                               std::array<FeatureId, 3> wanted, VocabularyView target_words)
    : information(std::move(given)), window(wide), features(wanted) {
  for (std::size_t id = 0; id < target_words.size(); ++id) {
    const std::string_view word = target_words.word(static_cast<WordId>(id));
    ids.push_back(information->parts().target_words.id(word));
    content.push_back(information->is_content(word, true) ? 1 : 0);
  }
}

void WordContextFeature::begin(const SentenceView& sentence) {
  words_.clear();
  content_.clear();
  known_.clear();
  for (const std::string_view word : sentence.words()) {
    words_.push_back(use_->information->parts().source_words.id(word));
    content_.push_back(use_->information->is_content(word, false) ? 1 : 0);
  }
}

const semantics::ContextScores& WordContextFeature::scores(std::size_t position, WordId target) {
  const auto [found, fresh] = known_.try_emplace(std::uint64_t{position} << 32 | target);
  if (fresh) found->second = use_->information->context(words_, content_, position, use_->window, target);
  return found->second;
}

void WordContextFeature::fire(const SentenceView& sentence, std::span<const OptionView> options,
                              std::span<Fire> fires) {
  const std::span<const double> scales = use_->information->parts().scales;
  for (std::size_t at = 0; at < options.size(); ++at) {
    const OptionView& option = options[at];
    semantics::ContextScores sum;
    for (const grammar::Link& link : sentence.links(option)) {
      const std::size_t position = option.span.start + link.source;
      if (position >= words_.size() || link.target >= option.target.size() || content_[position] == 0) continue;
      const WordId word = option.target[link.target];
      if (word >= use_->ids.size() || use_->content[word] == 0) continue;
      const semantics::ContextScores& said = scores(position, use_->ids[word]);
      sum.own += said.own;
      sum.all += said.all;
      sum.others += said.others;
    }
    const std::array<double, 3> values{sum.own / scales[0], sum.all / scales[1], sum.others / scales[2]};
    for (std::size_t i = 0; i < values.size(); ++i)
      if (use_->features[i] != kNotWanted && values[i] != 0) fires[at](use_->features[i], values[i]);
  }
}

}  // namespace dragoman::features
