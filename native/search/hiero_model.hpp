#pragma once
// What a chart decoder knows.
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "features/chart_feature.hpp"
#include "grammar/stretch_labels.hpp"
#include "search/rule_model.hpp"

namespace dragoman::search {

// Features of how rules reorder, on request.
struct ReorderingFeatures {
  FeatureId distortion = kNoFeature, reordered = kNoFeature, width = kNoFeature, height = kNoFeature;
};

// What the labels of nonterminals mean: a nonterminal is filled from a cell, and may have to cover what the syntax of
// the sentence gives a name. Where labels are those of the source, all cells have the usual label; where they are those
// of the target, or of rules that somebody wrote, they are those of cells; of both, `NP~NN`, the second is.
class NonterminalLabels {
 public:
  void read(VocabularyView labels, grammar::LabelSide side, WordId usual);

  // The cell that fills a nonterminal, or that a rule with this left-hand side derives.
  [[nodiscard]] WordId cell(WordId label) const noexcept { return label < cells_.size() ? cells_[label] : label; }
  // Nonterminals that a cell may fill whatever it covers.
  [[nodiscard]] std::span<const WordId> free(WordId cell) const noexcept {
    return cell < free_.size() ? std::span<const WordId>(free_[cell]) : std::span<const WordId>{};
  }
  // Nonterminals that cover what has this name.
  [[nodiscard]] std::span<const WordId> named(std::string_view name) const {
    const auto found = named_.find(name);
    return found == named_.end() ? std::span<const WordId>{} : std::span<const WordId>(found->second);
  }
  // Cells are called as labels are; some have a number behind those of the table.
  [[nodiscard]] std::size_t cells() const noexcept { return free_.size(); }
  [[nodiscard]] bool is_free(WordId label) const noexcept { return label >= is_free_.size() || is_free_[label]; }
  [[nodiscard]] bool has_names() const noexcept { return !named_.empty(); }
  // Whether all rules derive the same, so that their left-hand sides need not be told apart.
  [[nodiscard]] bool one_cell() const noexcept { return side_ == grammar::LabelSide::kSource; }

 private:
  grammar::LabelSide side_ = grammar::LabelSide::kNone;
  std::vector<WordId> cells_;
  std::vector<bool> is_free_;
  std::vector<std::vector<WordId>> free_;
  std::unordered_map<std::string_view, std::vector<WordId>> named_;
};

struct HieroModel : RuleModel {
  FeatureId glue = kNoFeature;
  std::vector<std::function<std::unique_ptr<features::ChartFeature>()>> chart_features;
  bool with_reordering = false;
  ReorderingFeatures reordering;
  WordId default_label = 0;  // of rules that say no left-hand side
  NonterminalLabels labels;
  std::vector<std::uint32_t> label_ranks;  // a cell that rules make of another comes after it
  std::uint32_t max_span = 0;              // of the rules in the table, as far as it says so

  [[nodiscard]] std::vector<FeatureId> own_features() const override {
    return {word_penalty,          rule_penalty,         unknown,          glue,
            reordering.distortion, reordering.reordered, reordering.width, reordering.height};
  }
  // Fills what follows from the table; throws InputError for rules that make a label of itself.
  void read_labels(grammar::LabelSide side);
};

}  // namespace dragoman::search
