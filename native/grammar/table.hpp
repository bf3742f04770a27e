#pragma once
// The table of rules that decoders read: memory-mapped, immutable, shared by all threads without a lock.
//
// Sources form a trie in breadth-first order, so that a node is its source's number, its children are neighbours, and
// its rules are too. All rules of all spans of a sentence come from one walk (`match`). Rules of one source go by
// target phrase, in order of their words. Target phrases are stored once and overlap where one begins another. Opening
// checks the frame, the vocabularies and all ids of words, labels and features, which others use to look into arrays of
// their own; every other access is bounded instead, so that a damaged file gives wrong rules but never a wild read.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/binary_file.hpp"
#include "common/vocabulary.hpp"
#include "grammar/phrase_set.hpp"
#include "grammar/symbols.hpp"

namespace dragoman::grammar {

using RuleId = std::uint32_t;
using NodeId = std::uint32_t;
inline constexpr NodeId kRoot = 0;
inline constexpr NodeId kNoNode = std::numeric_limits<NodeId>::max();

struct RuleRange {
  RuleId first, last;  // half-open
  [[nodiscard]] bool empty() const noexcept { return first == last; }
  [[nodiscard]] std::size_t size() const noexcept { return last - first; }
};

struct RuleCounts {
  float target, source, joint;
};

struct SparseValue {
  std::uint32_t feature;  // id in `features()`
  float value;
};

class RuleTable {
 public:
  static RuleTable open(const std::filesystem::path& path);  // throws FormatError

  [[nodiscard]] VocabularyView source_words() const noexcept { return source_words_; }
  [[nodiscard]] VocabularyView target_words() const noexcept { return target_words_; }
  [[nodiscard]] VocabularyView labels() const noexcept { return labels_; }      // of nonterminals; 0 is none
  [[nodiscard]] VocabularyView features() const noexcept { return features_; }  // names of sparse features
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept { return columns_; }
  [[nodiscard]] const std::string& metadata() const noexcept { return metadata_; }  // `key TAB value` lines
  [[nodiscard]] std::size_t rules() const noexcept { return rule_target_.size(); }
  [[nodiscard]] std::size_t sources() const noexcept;  // nodes that have rules; counted, not stored
  [[nodiscard]] std::size_t nodes() const noexcept { return node_symbol_.size(); }
  [[nodiscard]] std::size_t targets() const noexcept { return target_begin_.size(); }
  [[nodiscard]] int depth() const noexcept { return depth_; }  // symbols of the longest source
  [[nodiscard]] std::uint64_t bytes() const noexcept { return file_->bytes(); }
  [[nodiscard]] std::size_t row_bytes() const noexcept { return row_bytes_; }

  // The trie.
  [[nodiscard]] NodeId child(NodeId node, WordId symbol) const noexcept;
  [[nodiscard]] NodeId first_child(NodeId node) const noexcept { return clamped(first_child_, node, nodes()); }
  [[nodiscard]] WordId symbol(NodeId node) const noexcept { return node_symbol_[node]; }
  [[nodiscard]] RuleRange rules_of(NodeId node) const noexcept {
    const auto first = clamped(first_rule_, node, rules()), last = clamped(first_rule_, node + 1, rules());
    return {first, std::max(first, last)};
  }
  [[nodiscard]] float source_count(NodeId node) const noexcept { return node_count_[node]; }
  [[nodiscard]] NodeId find(Phrase source) const noexcept;  // kNoNode if no rule begins like this
  void source(NodeId node, std::vector<WordId>& symbols) const;
  [[nodiscard]] NodeId node_of(RuleId rule) const noexcept;

  // Calls use(start, end, RuleRange) for every contiguous span of up to `max_length` words that has rules.
  template <typename Use>
  void match(std::span<const WordId> sentence, int max_length, Use&& use) const;
  // As `match` for rules with gaps: use(positions, RuleRange), the positions ascending. A gap skips at least one word.
  template <typename Use>
  void match_gappy(std::span<const WordId> sentence, int max_span, Use&& use) const;

  // A rule.
  [[nodiscard]] std::uint32_t target_id(RuleId rule) const noexcept { return rule_target_[rule]; }
  [[nodiscard]] Phrase target(RuleId rule) const noexcept { return target_phrase(rule_target_[rule]); }
  [[nodiscard]] Phrase target_phrase(std::uint32_t target) const noexcept;
  [[nodiscard]] float target_count(std::uint32_t target) const noexcept {
    return target < target_count_.size() ? target_count_[target] : 0;
  }
  // The first rule of a pair, of those with several left-hand sides; rules() if there is none.
  [[nodiscard]] RuleId find(NodeId source, std::uint32_t target) const noexcept;
  [[nodiscard]] std::uint32_t find_target(Phrase target) const noexcept;  // targets() if there is none
  void values(RuleId rule, std::span<float> out) const noexcept;          // one per column, natural logs
  [[nodiscard]] float value(RuleId rule, std::size_t column) const noexcept;
  [[nodiscard]] std::span<const Link> links(RuleId rule) const noexcept;  // inside the target and the longest source
  [[nodiscard]] float joint_count(RuleId rule) const noexcept { return value(rule, columns_.size()); }
  [[nodiscard]] RuleCounts counts(RuleId rule, NodeId source) const noexcept {
    return {target_count(rule_target_[rule]), source_count(source), joint_count(rule)};
  }
  [[nodiscard]] WordId left_hand_side(RuleId rule) const noexcept {
    return rule_lhs_.empty() ? 0 : rule_lhs_[rule_lhs_.size() == 1 ? 0 : rule];
  }
  [[nodiscard]] std::span<const SparseValue> sparse(RuleId rule) const noexcept;
  [[nodiscard]] bool has_sparse() const noexcept { return !sparse_ends_.empty(); }
  [[nodiscard]] bool has_evidence() const noexcept { return !evidence_blocks_.empty(); }
  void evidence(RuleId rule, std::vector<std::uint32_t>& sentences) const;  // numbers from 0, ascending

  static constexpr std::size_t kSections = 34;
  static constexpr std::size_t kEvidenceBlock = 32;  // rules per entry of the evidence index

 private:
  explicit RuleTable(const std::filesystem::path& path);
  void check_ids() const;
  [[nodiscard]] static std::uint32_t clamped(std::span<const std::uint32_t> values, std::size_t at,
                                             std::size_t limit) noexcept {
    return static_cast<std::uint32_t>(std::min<std::size_t>(values[at], limit));
  }
  [[nodiscard]] std::uint32_t pattern(RuleId rule) const noexcept;

  std::shared_ptr<const BinaryFile> file_;
  VocabularyView source_words_, target_words_, labels_, features_;
  std::vector<std::string> columns_;
  std::string metadata_;
  int depth_ = 0;
  std::span<const WordId> node_symbol_;
  std::span<const std::uint32_t> first_child_, first_rule_;
  std::span<const float> node_count_;
  std::span<const std::uint32_t> target_begin_;
  std::span<const std::uint8_t> target_length_;
  std::span<const float> target_count_;
  std::span<const WordId> target_symbols_;
  std::span<const std::uint32_t> rule_target_;
  std::span<const std::uint8_t> rows_;
  std::size_t row_bytes_ = 0;
  struct Column {
    std::uint32_t offset;
    int width;
    std::span<const float> book;
  };
  std::vector<Column> codings_;  // one per column, then joint count and link pattern
  std::span<const std::uint32_t> pattern_begin_;
  std::span<const Link> links_;
  std::span<const WordId> rule_lhs_;  // one for all rules where they have the same
  std::span<const std::uint64_t> sparse_ends_;
  std::span<const SparseValue> sparse_;
  std::span<const std::uint64_t> evidence_blocks_;
  std::span<const std::uint8_t> evidence_;
};

// The target phrases of a table as a list.
class TableTargets final : public PhraseList {
 public:
  explicit TableTargets(const RuleTable& table) : table_(table) {}
  [[nodiscard]] std::size_t size() const noexcept override { return table_.targets(); }
  [[nodiscard]] Phrase operator[](std::uint32_t id) const noexcept override { return table_.target_phrase(id); }

 private:
  const RuleTable& table_;
};

template <typename Use>
void RuleTable::match(std::span<const WordId> sentence, int max_length, Use&& use) const {
  const auto size = static_cast<int>(sentence.size());
  const int longest = max_length > 0 ? std::min(max_length, depth_) : depth_;
  for (int start = 0; start < size; ++start) {
    NodeId node = kRoot;
    for (int end = start; end < std::min(size, start + longest); ++end) {
      const WordId word = sentence[static_cast<std::size_t>(end)];
      if (word == kUnknown || is_nonterminal(word)) break;
      node = child(node, word);
      if (node == kNoNode) break;
      const RuleRange found = rules_of(node);
      if (!found.empty()) use(start, end + 1, found);
    }
  }
}

template <typename Use>
void RuleTable::match_gappy(std::span<const WordId> sentence, int max_span, Use&& use) const {
  const auto size = static_cast<int>(sentence.size());
  std::vector<int> positions;
  const auto walk = [&](const auto& self, NodeId node, int start, int next, std::uint32_t gaps) -> void {
    if (!positions.empty()) {
      const RuleRange found = rules_of(node);
      const bool gapped = positions.back() - positions.front() + 1 != static_cast<int>(positions.size());
      if (!found.empty() && gapped) use(std::span<const int>(positions), found);
    }
    const int limit = std::min(size, start + max_span);
    const auto step = [&](NodeId from, int at, std::uint32_t seen_gaps) {
      const WordId word = sentence[static_cast<std::size_t>(at)];
      if (word == kUnknown || is_nonterminal(word)) return;
      const NodeId to = child(from, word);
      if (to == kNoNode) return;
      positions.push_back(at);
      self(self, to, start, at + 1, seen_gaps);
      positions.pop_back();
    };
    if (next < limit) step(node, next, gaps);
    if (positions.empty()) return;
    const NodeId gap = child(node, nonterminal(kGapLabel, gaps));
    if (gap == kNoNode) return;
    for (int at = next + 1; at < limit; ++at) step(gap, at, gaps + 1);
  };
  for (int start = 0; start < size; ++start) walk(walk, kRoot, start, start, 0);
}

}  // namespace dragoman::grammar
