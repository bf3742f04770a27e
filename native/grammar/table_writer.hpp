#pragma once
// Writes a `RuleTable`: sources arrive in breadth-first order with their rules, everything of a rule's size goes to
// disk at once, and the file is put together at the end. Memory: about 16 bytes per trie node and 13 per target phrase.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/vocabulary.hpp"
#include "grammar/phrase_set.hpp"
#include "grammar/spool.hpp"
#include "grammar/symbols.hpp"
#include "grammar/table.hpp"

namespace dragoman::grammar {

struct TableSchema {
  std::vector<std::string> columns;
  std::string metadata;
  VocabularyView source_words, target_words, labels, features;
  bool evidence = false;
  bool compact = false;  // values rounded to 256 per column
  int threads = 0;
  WordId left_hand_side = 0;  // of all rules that are assembled
};

struct NewRule {
  std::uint32_t target = 0;  // in the dictionary of targets; ascending within a source, and then the left-hand sides
  std::span<const Link> links;
  float joint = 0;
  std::span<const float> values;
  WordId left_hand_side = 0;
  std::span<const SparseValue> sparse;
  std::span<const std::uint32_t> evidence;
};

class TableWriter {
 public:
  // `targets` and `target_counts` (by id, as floats when asked) must live until `finish`.
  TableWriter(const std::filesystem::path& path, TableSchema schema, const PhraseList& targets);

  void set_target_count(std::uint32_t target, float count) { target_counts_[target] = count; }
  void begin_source(Phrase source, float count);
  void add(const NewRule& rule);
  void finish();
  [[nodiscard]] std::uint64_t rules() const noexcept { return rule_target_.size(); }

 private:
  struct Trie {
    std::vector<WordId> symbols;
    std::vector<std::uint32_t> first_child, first_rule;
    std::vector<float> counts;
  };
  [[nodiscard]] Trie build_trie();
  void write_targets(BinaryWriter& writer);
  void write_rules(BinaryWriter& writer);
  void write_links(BinaryWriter& writer);

  std::filesystem::path path_;
  TableSchema schema_;
  const PhraseList& targets_;
  std::vector<bool> used_;
  std::vector<float> target_counts_;
  std::vector<std::uint32_t> target_places_;
  PhraseSet patterns_;
  std::vector<WordId> last_source_, pattern_buffer_;
  std::uint32_t last_target_ = 0;

  Spool<WordId> source_symbols_;
  Spool<std::uint64_t> source_ends_;
  Spool<std::uint32_t> source_rules_;
  Spool<float> source_counts_;
  Spool<std::uint32_t> rule_target_, rule_pattern_;
  Spool<float> values_;  // columns, then joint count
  Spool<WordId> lhs_;
  bool several_lhs_ = false;
  WordId first_lhs_ = 0, last_lhs_ = 0;
  Spool<std::uint64_t> sparse_ends_;
  Spool<SparseValue> sparse_;
  Spool<std::uint64_t> evidence_blocks_;
  Spool<std::uint8_t> evidence_;
  std::uint32_t rules_of_source_ = 0;
};

}  // namespace dragoman::grammar
