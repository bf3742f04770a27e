#pragma once
// Soft syntactic constraints: a rule is rewarded or punished for the place of its source span in a tree of the sentence
// (Chiang 2005; Marton and Resnik 2008). All rules of a span get the same values, so they are worked out once per span.
// Without a tree nothing fires.
#include <memory>
#include <string>
#include <vector>

#include "features/feature.hpp"
#include "features/names.hpp"
#include "features/span_grid.hpp"

namespace dragoman::features {

// One feature: the value is 1 for a span that matches a node of one of the labels if matches count, less or more 1 for
// one that crosses such a node.
struct SyntaxTerm {
  std::string feature;
  std::vector<std::string> labels;  // empty: any
  double match, cross;
};

class SoftSyntax {
 public:
  // Glue, which only joins other rules, fires nothing unless it is to.
  SoftSyntax(std::vector<SyntaxTerm> terms, bool with_glue, FeatureNames& names);

  struct Term {
    FeatureId feature;
    SpanGrid::Labels labels;
    double match, cross;

    [[nodiscard]] double value(SpanGrid::Labels matching, SpanGrid::Labels crossing) const noexcept {
      return ((matching & labels) != 0 ? match : 0) + ((crossing & labels) != 0 ? cross : 0);
    }
  };
  [[nodiscard]] std::span<const Term> terms() const noexcept { return terms_; }
  [[nodiscard]] std::span<const std::string> labels() const noexcept { return labels_; }
  [[nodiscard]] bool with_glue() const noexcept { return with_glue_; }

 private:
  std::vector<Term> terms_;
  std::vector<std::string> labels_;
  bool with_glue_;
};

class SoftSyntaxFeature final : public RuleFeature {
 public:
  explicit SoftSyntaxFeature(std::shared_ptr<const SoftSyntax> settings) : settings_(std::move(settings)) {}
  void fire(const SentenceView& sentence, std::span<const OptionView> options, std::span<Fire> fires) override;
  [[nodiscard]] bool defers_values() const override { return true; }
  void fire_values(const SentenceView& sentence, const OptionView& option, Fire& fire) override;
  [[nodiscard]] bool judges_places() const override { return true; }

 private:
  [[nodiscard]] bool counts(const OptionView& option) const noexcept;

  std::shared_ptr<const SoftSyntax> settings_;
  bool has_tree_ = false;
  SpanGrid grid_;
  std::vector<double> sums_;  // per span
};

}  // namespace dragoman::features
