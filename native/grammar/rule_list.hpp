#pragma once
// Rules gathered in memory, in any order, to be written as a table: what readers of foreign formats and makers of small
// tables fill.
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/vocabulary.hpp"
#include "grammar/phrase_set.hpp"
#include "grammar/symbols.hpp"
#include "grammar/table.hpp"

namespace dragoman::grammar {

class RuleList {
 public:
  explicit RuleList(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  Vocabulary source_words, target_words, labels, features;

  struct Draft {
    std::vector<WordId> source, target;
    std::vector<Link> links;
    std::vector<float> values;  // one per column
    float target_count = 0, source_count = 0, joint_count = 0;
    WordId left_hand_side = 0;
    std::vector<SparseValue> sparse;
  };
  void add(const Draft& rule);
  [[nodiscard]] std::size_t size() const noexcept { return rules_.size(); }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept { return columns_; }
  // Where a rule was read; used to name the second of two equal rules.
  void set_line(std::uint64_t line) { line_ = line; }

  // Throws InputError when a pair occurs twice. Columns that `fill` covers are overwritten later, so a list is written
  // once, at the end.
  void write(const std::filesystem::path& path, const std::string& metadata, bool compact, int threads,
             const std::string& name) const;

  // Adds a column block to rules already there: values by pair, or by source alone when `target` is null.
  void add_columns(const std::vector<std::string>& names);
  void set_columns(Phrase source, const Phrase* target, std::size_t first_column, std::span<const float> values,
                   std::vector<std::uint8_t>& filled);

 private:
  struct Entry {
    std::uint32_t source, target;  // phrase ids
    std::uint32_t pattern;
    float joint;
    WordId left_hand_side;
    std::uint32_t sparse_begin, sparse_count;
    std::uint64_t line;
  };
  void index();

  std::vector<std::string> columns_;
  PhraseSet sources_, targets_, patterns_;
  std::vector<float> source_counts_, target_counts_;
  std::vector<Entry> rules_;
  std::vector<float> values_;
  std::vector<SparseValue> sparse_;
  std::vector<std::uint32_t> by_pair_;  // rules sorted by source, then target id, for set_columns
  std::uint64_t line_ = 0;
};

}  // namespace dragoman::grammar
