#include "features/soft_syntax.hpp"

#include <algorithm>

#include "common/error.hpp"

namespace dragoman::features {

SoftSyntax::SoftSyntax(std::vector<SyntaxTerm> terms, bool with_glue, FeatureNames& names) : with_glue_(with_glue) {
  for (const SyntaxTerm& term : terms) {
    SpanGrid::Labels bits = term.labels.empty() ? SpanGrid::kAny : 0;
    for (const std::string& label : term.labels) {
      auto found = std::find(labels_.begin(), labels_.end(), label);
      if (found == labels_.end()) found = labels_.insert(labels_.end(), label);
      if (labels_.size() > SpanGrid::kMostLabels)
        throw SettingError("soft constraints on more than " + std::to_string(SpanGrid::kMostLabels) + " labels",
                           "name fewer of them, or all-labels");
      bits |= SpanGrid::Labels{1} << (found - labels_.begin());
    }
    terms_.push_back({names.intern(term.feature), bits, term.match, term.cross});
  }
}

bool SoftSyntaxFeature::counts(const OptionView& option) const noexcept {
  return settings_->with_glue() || !is_glue(option);
}

void SoftSyntaxFeature::fire(const SentenceView& sentence, std::span<const OptionView> options, std::span<Fire> fires) {
  const std::vector<LabelledSpan>& nodes = sentence.marks().constituents;
  has_tree_ = !nodes.empty();
  if (!has_tree_) return;
  std::uint32_t longest = 0;
  for (const OptionView& option : options)
    longest = std::max<std::uint32_t>(longest, option.span.end - option.span.start);
  grid_.fill(nodes, settings_->labels(), static_cast<std::uint32_t>(sentence.words().size()), longest);
  const std::span<const double> weights = sentence.weights();
  sums_.assign(grid_.size(), 0);
  for (std::uint32_t start = 0; start < sentence.words().size(); ++start)
    for (std::uint32_t end = start + 1; end <= std::min<std::size_t>(sentence.words().size(), start + longest); ++end) {
      const SpanGrid::Labels matching = grid_.matching(start, end), crossing = grid_.crossing(start, end);
      if ((matching | crossing) == 0) continue;
      double& sum = sums_[grid_.slot(start, end)];
      for (const SoftSyntax::Term& term : settings_->terms())
        if (term.feature < weights.size()) sum += weights[term.feature] * term.value(matching, crossing);
    }
  for (std::size_t i = 0; i < options.size(); ++i)
    if (counts(options[i])) fires[i].add_sum(sums_[grid_.slot(options[i].span.start, options[i].span.end)]);
}

void SoftSyntaxFeature::fire_values(const SentenceView&, const OptionView& option, Fire& fire) {
  if (!has_tree_ || !counts(option)) return;
  const SpanGrid::Labels matching = grid_.matching(option.span.start, option.span.end);
  const SpanGrid::Labels crossing = grid_.crossing(option.span.start, option.span.end);
  for (const SoftSyntax::Term& term : settings_->terms())
    if (const double value = term.value(matching, crossing); value != 0) fire(term.feature, value);
}

}  // namespace dragoman::features
