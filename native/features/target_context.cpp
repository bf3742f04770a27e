#include "features/target_context.hpp"

#include <cmath>
#include <limits>

#include "common/hash.hpp"
#include "features/feature_name.hpp"

namespace dragoman::features {
namespace {

constexpr std::uint32_t kMostChains = 1u << 18;  // beginnings of n-grams remembered per thread

}  // namespace

TargetContextTemplates::TargetContextTemplates(std::vector<TargetNgrams> templates,
                                               std::shared_ptr<FeatureNames> feature_names, VocabularyView target_words)
    : ngrams(std::move(templates)), names(std::move(feature_names)), known_words(target_words.size()) {
  for (const TargetNgrams& made : ngrams) {
    auto& classes = units.emplace_back();
    if (!made.classes) continue;
    classes.reserve(known_words);
    for (std::size_t word = 0; word < known_words; ++word)
      classes.push_back(made.classes->of(target_words.word(static_cast<WordId>(word))));
  }
}

void TargetContextFeature::begin(const SentenceView& sentence, std::span<const OptionView> options) {
  if (next_chain_ == 0 || next_chain_ > kMostChains || weights_.data() != sentence.weights().data()) {
    scores_.clear();
    next_chain_ = static_cast<std::uint32_t>(shared_->ngrams.size());
    weights_ = sentence.weights();
  }
  sentence_ = &sentence;
  states_.clear();
  inner_.assign(options.size(), std::numeric_limits<double>::quiet_NaN());
}

TargetContextFeature::Unit TargetContextFeature::unit(std::size_t index, WordId word) const {
  const bool known = word < shared_->known_words;
  if (const Classes& classes = shared_->ngrams[index].classes)
    return known ? shared_->units[index][word] : classes->of(sentence_->spell_target(word));
  return known ? word : kUnknown;
}

// Marks are written as they are: a word that looks like one is not, since its `>` is coded.
void TargetContextFeature::append_unit(std::string& name, std::size_t index, Unit unit) const {
  const Classes& classes = shared_->ngrams[index].classes;
  if (unit == kStart)
    name += "<s>";
  else if (unit == kEnd)
    name += "</s>";
  else if (classes)
    append_token(name, classes->name(unit));
  else if (unit == kUnknown)
    name += "<unk>";
  else
    append_token(name, sentence_->spell_target(unit));
}

FeatureId TargetContextFeature::ngram_id(std::size_t index, std::span<const Unit> ngram) {
  std::uint32_t chain = static_cast<std::uint32_t>(index);  // templates, then their beginnings, one unit at a time
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < ngram.size(); ++i) {
    key = std::uint64_t{chain} << 32 | ngram[i];
    if (i + 1 < ngram.size())
      chain = shared_->chains.get(
          key, [&] { return shared_->next_chain.fetch_add(1) + static_cast<std::uint32_t>(shared_->ngrams.size()); });
  }
  return shared_->ids.get(key, [&] {
    std::string name = shared_->ngrams[index].prefix + ":";
    for (std::size_t i = 0; i < ngram.size(); ++i) {
      if (i != 0) name += '_';
      append_unit(name, index, ngram[i]);
    }
    return shared_->names->intern(name);
  });
}

StateId TargetContextFeature::intern(const std::vector<Unit>& state) {
  return states_.intern(state, hash_bytes(state.data(), state.size() * sizeof(Unit)));
}

StateId TargetContextFeature::start() {
  state_.clear();
  for (const TargetNgrams& made : shared_->ngrams) state_.insert(state_.end(), made.order - 1, kStart);
  return intern(state_);
}

double TargetContextFeature::ngram_score(std::size_t index, std::span<const Unit> ngram) {
  auto chain = static_cast<StateId>(index);
  for (const Unit unit : ngram.first(ngram.size() - 1))
    chain = scores_.get(chain, unit, [&](double&, StateId& next) { next = next_chain_++; }).next;
  return scores_
      .get(chain, ngram.back(),
           [&](double& score, StateId&) {
             const FeatureId id = ngram_id(index, ngram);
             score = id < weights_.size() ? weights_[id] : 0;
           })
      .score;
}

StateId TargetContextFeature::extend(StateId from, const OptionView& option, Fire& fire) {
  if (option.target.empty()) return from;
  const std::vector<Unit> before = states_[from];
  const bool fresh = !fire.wants_values() && std::isnan(inner_[option.id]);
  double outer = 0, inner = 0;
  state_.clear();
  std::size_t at = 0;
  for (std::size_t index = 0; index < shared_->ngrams.size(); ++index) {
    const TargetNgrams& made = shared_->ngrams[index];
    const std::size_t context = made.order - 1;
    window_.assign(before.begin() + static_cast<std::ptrdiff_t>(at),
                   before.begin() + static_cast<std::ptrdiff_t>(at + context));
    at += context;
    for (const WordId word : option.target) window_.push_back(unit(index, word));
    const std::size_t ends = made.boundary_only ? 1 : option.target.size();
    for (std::size_t end = 0; end < ends; ++end) {
      const auto ngram = std::span<const Unit>(window_).subspan(end, made.order);
      if (fire.wants_values())
        fire(ngram_id(index, ngram), 1);
      else if (end < context)
        outer += ngram_score(index, ngram);
      else if (fresh)
        inner += ngram_score(index, ngram);
      else
        break;
    }
    state_.insert(state_.end(), window_.end() - static_cast<std::ptrdiff_t>(context), window_.end());
  }
  if (fresh) inner_[option.id] = inner;
  if (!fire.wants_values()) fire.add_sum(outer + inner_[option.id]);
  return intern(state_);
}

void TargetContextFeature::finish(StateId from, Fire& fire) {
  const std::vector<Unit> before = states_[from];
  std::size_t at = 0;
  for (std::size_t index = 0; index < shared_->ngrams.size(); ++index) {
    const std::size_t context = shared_->ngrams[index].order - 1;
    window_.assign(before.begin() + static_cast<std::ptrdiff_t>(at),
                   before.begin() + static_cast<std::ptrdiff_t>(at + context));
    at += context;
    if (context == 0) continue;
    window_.push_back(kEnd);
    fire(ngram_id(index, window_), 1);
  }
}

}  // namespace dragoman::features
