#pragma once
// What the state features of a search are told about rules and options, whichever search it is. None of this is asked
// per partial translation.
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "features/feature.hpp"
#include "grammar/layered.hpp"

namespace dragoman::search {

using features::FeatureVector;
using features::Fire;
using features::OptionView;
using features::StateId;

class OptionKeeper {
 public:
  using Spelling = std::function<std::string_view(WordId)>;

  virtual ~OptionKeeper() = default;

  // A new sentence: states of the last one are forgotten.
  virtual void begin_sentence() = 0;
  // The part of a rule's target that search appends or combines; the phrase of the rule.
  [[nodiscard]] virtual std::span<const WordId> phrase_of(std::span<const WordId> target) const { return target; }
  // Phrases are numbered in the order in which they are added; `keep_phrases` forgets all but the first ones.
  virtual void add_phrase(std::span<const WordId> phrase, const Spelling& spelling) = 0;
  virtual void keep_phrases(std::size_t count) = 0;
  // What is to be known of a rule of the table besides its phrase, by number; options refer to it.
  virtual std::uint32_t add_row(const grammar::LayeredView& table, grammar::RuleId rule) = 0;
  virtual void clear_rows() = 0;
  // An option that has no row; gives what stands in the option.
  virtual std::uint32_t add_option(features::Span span) = 0;
  // All options of the sentence are known.
  virtual void begin(std::span<const double> weights, const features::SentenceView& sentence,
                     std::span<const features::OptionView> views) = 0;
  // Features beyond those that search knows itself, and what they expect of an option in isolation.
  [[nodiscard]] virtual bool has_others() const = 0;
  virtual double isolated(const features::OptionView& option) = 0;
};

}  // namespace dragoman::search
