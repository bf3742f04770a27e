#pragma once
// The native feature contract. A feature is `name -> value`; names are interned once, so that search sees only ids. A
// rule feature looks at one option (a rule matched to a span of this sentence). A state feature also looks at a state
// of its own, which stands for all that it needs to know of the translation so far: start, extend, finish. States are
// interned to small ids by the feature, so equal states recombine and an extension can be remembered by (state,
// option). (Green, Cer and Manning 2014.)
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/ids.hpp"
#include "features/coverage.hpp"
#include "features/span_grid.hpp"
#include "grammar/symbols.hpp"

namespace dragoman::features {

using FeatureId = std::uint32_t;
using StateId = std::uint32_t;

// A sparse vector in the making; entries may repeat an id, their values add up.
using FeatureVector = std::vector<std::pair<FeatureId, double>>;

// Receives what features fire: always their weighted sum, and on request the values themselves.
class Fire {
 public:
  explicit Fire(std::span<const double> weights, FeatureVector* values = nullptr) noexcept
      : weights_(weights), values_(values) {}

  void operator()(FeatureId id, double value) {
    if (id < weights_.size()) score_ += weights_[id] * value;
    if (values_ != nullptr && value != 0) values_->emplace_back(id, value);
  }
  [[nodiscard]] double score() const noexcept { return score_; }
  // A feature that knows the weighted sum of many values need not fire them one by one, unless they are asked for.
  [[nodiscard]] bool wants_values() const noexcept { return values_ != nullptr; }
  void add_sum(double score) noexcept { score_ += score; }

 private:
  std::span<const double> weights_;
  FeatureVector* values_;
  double score_ = 0;
};

inline constexpr std::uint32_t kNoRule = ~std::uint32_t{0};

// What is known of a sentence besides its words; each part may be missing.
struct SentenceMarks {
  std::string domain;
  std::vector<std::string> tags;       // part of speech per word
  std::vector<std::int32_t> heads;     // governor per word, negative for the root
  std::vector<std::string> relations;  // to the governor, per word
  std::vector<LabelledSpan> constituents;
  std::vector<LabelledSpan> nodes;  // what nonterminals of labelled rules may cover; not for features
};

// What features may look at: a rule matched to a span of the sentence at hand.
struct OptionView {
  std::uint32_t id;                        // of the option in this sentence
  std::uint32_t rule;                      // of the table, or kNoRule: an unknown word, a user's term
  std::uint32_t entry;                     // of the rule among those that are remembered, see RememberedRules
  Span span;                               // with all that nonterminals cover
  std::span<const WordId> source, target;  // nonterminals are numbered in source order, from 0
};

// Whether it only joins what other rules made.
[[nodiscard]] inline bool is_glue(const OptionView& option) noexcept {
  if (option.rule != kNoRule || option.source.empty()) return false;
  return std::ranges::all_of(option.source, [](WordId symbol) { return grammar::is_nonterminal(symbol); });
}

// The rules that one thread has met, numbered without gaps. The first `kept` numbers mean the same rules in the next
// sentence, as long as the generation is the same; the others are this sentence's own.
struct RememberedRules {
  std::uint32_t generation, kept, all;
};

// The sentence at hand. Target ids beyond the end of the vocabulary belong to this sentence; all can be spelt.
class SentenceView {
 public:
  virtual ~SentenceView() = default;
  [[nodiscard]] virtual std::span<const WordId> source() const = 0;
  [[nodiscard]] virtual std::span<const std::string_view> words() const = 0;  // as they stand in the sentence
  [[nodiscard]] virtual std::string_view spell_target(WordId word) const = 0;
  // The source of an option in letters; nonterminals, in source and target, are spelt `[X1]`, by label and number.
  virtual void spell_source(const OptionView& option, std::vector<std::string_view>& words) const = 0;
  [[nodiscard]] virtual std::size_t number() const = 0;  // in the batch, for messages
  [[nodiscard]] virtual const SentenceMarks& marks() const = 0;
  [[nodiscard]] virtual std::span<const double> weights() const = 0;  // by feature id, the same in every sentence
  [[nodiscard]] virtual RememberedRules remembered() const = 0;
  // Positions within source and target of an option, or of a rule of the table.
  [[nodiscard]] virtual std::span<const grammar::Link> links(const OptionView& option) const = 0;
  // The spans that nonterminals, or the gaps of a phrase, cover in source order; all else of an option's span are its
  // own words.
  [[nodiscard]] virtual bool has_gaps() const { return false; }
  [[nodiscard]] virtual std::span<const Span> gaps(const OptionView&) const { return {}; }
};

// Values of a rule in its place, computed once per option and sentence.
class RuleFeature {
 public:
  virtual ~RuleFeature() = default;
  // A new sentence, whose options are not known yet.
  virtual void begin(const SentenceView&) {}
  // Of the rules of a source phrase only the best become options. A feature may say beforehand what it will add to a
  // rule of the table wherever the rule stands (`id` and `entry` of the option mean nothing yet). What it says must
  // follow from the rule and from `ranking_domain`, since it is remembered.
  [[nodiscard]] virtual double rank(const SentenceView&, const OptionView&) { return 0; }
  [[nodiscard]] virtual std::uint32_t ranking_domain() const { return 0; }
  // Called once per sentence with all of its options.
  virtual void fire(const SentenceView& sentence, std::span<const OptionView> options, std::span<Fire> fires) = 0;
  // Most options end up in no translation. A feature that defers values need only know weighted sums at first, and is
  // asked for the values of the few that do, one by one, while the sentence is still at hand.
  [[nodiscard]] virtual bool defers_values() const { return false; }
  virtual void fire_values(const SentenceView&, const OptionView&, Fire&) {}
  // Whether it looks at the span alone of a rule that is not glue. Such a feature defers values, and may be shown spans
  // without a rule: one for all rules that share it.
  [[nodiscard]] virtual bool judges_places() const { return false; }
};

// How to train without a feature that somebody wrote, and without templates.
inline constexpr const char* kLeaveFeatureOut = "train without it: leave it out of --features";
inline constexpr const char* kLeaveTemplatesOut = "train without them: leave them out of --templates";

// Values that depend on the translation so far, through a state. One object serves one thread.
class StateFeature {
 public:
  virtual ~StateFeature() = default;
  // A new sentence; `options` stay valid until the next call.
  virtual void begin(const SentenceView& sentence, std::span<const OptionView> options) = 0;
  virtual StateId start() = 0;
  virtual StateId extend(StateId from, const OptionView& option, Fire& fire) = 0;
  virtual void finish(StateId from, Fire& fire) = 0;
  // Whether search should remember its extensions, because asking again costs more than looking them up.
  [[nodiscard]] virtual bool is_slow() const { return true; }
  // Whether search may ask it only about what it has kept, where asking during search takes too long; see LatePass.
  [[nodiscard]] virtual bool can_wait() const { return false; }
  // What it expects of an option by itself: orders options and enters the future cost, but not the score.
  virtual double isolated(const OptionView&) { return 0; }
  // For messages: what it is, and how to train without it.
  [[nodiscard]] virtual std::string label() const { return "in C++"; }
  [[nodiscard]] virtual std::string remedy() const { return kLeaveFeatureOut; }
  // What it says of one whole translation, from scratch, whatever states were equal before: `fired` has one vector per
  // step of `path` (numbers of options) and one for the end. Called after `begin`, to check declared states.
  virtual void replay(const SentenceView& sentence, std::span<const OptionView> options,
                      std::span<const std::uint32_t> path, std::span<FeatureVector> fired) {
    begin(sentence, options);
    StateId state = start();
    for (std::size_t i = 0; i < path.size(); ++i) {
      Fire fire({}, &fired[i]);
      state = extend(state, options[path[i]], fire);
    }
    Fire fire({}, &fired[path.size()]);
    finish(state, fire);
  }
};

}  // namespace dragoman::features
