#include "grammar/table.hpp"

#include <algorithm>
#include <utility>

#include "common/utf8.hpp"

namespace dragoman::grammar {

RuleTable::RuleTable(const std::filesystem::path& path)
    : file_(std::make_shared<const BinaryFile>(path, kTableFormat, kSections)) {}

RuleTable RuleTable::open(const std::filesystem::path& path) {
  RuleTable table(path);
  const BinaryFile& file = *table.file_;
  const auto info = file.section<std::uint64_t>(0);
  file.require(info.size() == 2 && info[0] <= 4096 && info[1] <= kLongestRule, "table sizes");
  const std::size_t columns = info[0];
  table.depth_ = static_cast<int>(info[1]);
  const auto names = file.section<char>(1);
  std::string name;
  for (const char c : names) {
    if (c == '\n')
      table.columns_.push_back(std::exchange(name, {}));
    else
      name += c;
  }
  file.require(table.columns_.size() == columns, "column names");
  const auto metadata = file.section<char>(2);
  table.metadata_.assign(metadata.begin(), metadata.end());
  file.require(is_utf8({names.data(), names.size()}) && is_utf8(table.metadata_), "names that are not UTF-8");
  table.source_words_ = VocabularyView::read(file, 3);
  table.target_words_ = VocabularyView::read(file, 6);
  table.labels_ = VocabularyView::read(file, 9);
  table.features_ = VocabularyView::read(file, 12);

  table.node_symbol_ = file.section<WordId>(15);
  table.first_child_ = file.section<std::uint32_t>(16);
  table.first_rule_ = file.section<std::uint32_t>(17);
  table.node_count_ = file.section<float>(18);
  const std::size_t nodes = table.node_symbol_.size();
  file.require(nodes != 0 && nodes < kNoNode && table.first_child_.size() == nodes + 1 &&
                   table.first_rule_.size() == nodes + 1 && table.node_count_.size() == nodes,
               "trie sizes");
  table.target_begin_ = file.section<std::uint32_t>(19);
  table.target_length_ = file.section<std::uint8_t>(20);
  table.target_count_ = file.section<float>(21);
  table.target_symbols_ = file.section<WordId>(22);
  file.require(table.target_length_.size() == table.target_begin_.size() &&
                   table.target_count_.size() == table.target_begin_.size(),
               "target sizes");
  table.rule_target_ = file.section<std::uint32_t>(23);
  const std::size_t rules = table.rule_target_.size();
  file.require(rules < std::numeric_limits<RuleId>::max(), "rule count");

  table.rows_ = file.section<std::uint8_t>(24);
  const auto widths = file.section<std::uint8_t>(25);
  const auto books = file.section<float>(26);
  file.require(widths.size() == columns + 2, "codings");
  std::size_t book = 0;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    const int width = widths[c];
    file.require(width == 1 || width == 2 || width == 4, "codings");
    const bool coded = width != 4 && c <= columns;
    const std::size_t size = !coded ? 0 : width == 1 ? 256 : 65536;
    file.require(size <= books.size() - book, "codebooks");
    table.codings_.push_back({static_cast<std::uint32_t>(table.row_bytes_), width, books.subspan(book, size)});
    book += size;
    table.row_bytes_ += static_cast<std::size_t>(width);
  }
  file.require(table.rows_.size() == rules * table.row_bytes_, "rows");
  table.pattern_begin_ = file.section<std::uint32_t>(27);
  table.links_ = file.section<Link>(28);
  file.require(!table.pattern_begin_.empty(), "link patterns");
  table.rule_lhs_ = file.section<WordId>(29);
  table.sparse_ends_ = file.section<std::uint64_t>(30);
  table.sparse_ = file.section<SparseValue>(31);
  table.evidence_blocks_ = file.section<std::uint64_t>(32);
  table.evidence_ = file.section<std::uint8_t>(33);
  file.require((table.rule_lhs_.size() <= 1 || table.rule_lhs_.size() == rules) &&
                   (table.sparse_ends_.empty() || table.sparse_ends_.size() == rules) &&
                   (table.evidence_blocks_.empty() ||
                    table.evidence_blocks_.size() == (rules + kEvidenceBlock - 1) / kEvidenceBlock),
               "optional columns");
  table.check_ids();
  return table;
}

void RuleTable::check_ids() const {
  const auto known = [&](VocabularyView words) {
    return [words = words.size(), labels = labels_.size()](WordId symbol) {
      return is_nonterminal(symbol) ? label_of(symbol) < labels : symbol < words;
    };
  };
  file_->require(std::ranges::all_of(node_symbol_.subspan(1), known(source_words_)), "a source word is out of range");
  file_->require(std::ranges::all_of(target_symbols_, known(target_words_)), "a target word is out of range");
  file_->require(std::ranges::all_of(rule_lhs_, [&](WordId label) { return label < labels_.size(); }),
                 "a label is out of range");
  file_->require(
      std::ranges::all_of(sparse_, [&](const SparseValue& value) { return value.feature < features_.size(); }),
      "a feature is out of range");
}

std::size_t RuleTable::sources() const noexcept {
  std::size_t count = 0;
  for (NodeId node = 0; node < nodes(); ++node) count += !rules_of(node).empty();
  return count;
}

NodeId RuleTable::child(NodeId node, WordId symbol) const noexcept {
  auto low = clamped(first_child_, node, nodes()), high = clamped(first_child_, node + 1, nodes());
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (node_symbol_[middle] < symbol)
      low = middle + 1;
    else
      high = middle;
  }
  const auto end = clamped(first_child_, node + 1, nodes());
  return low < end && node_symbol_[low] == symbol ? low : kNoNode;
}

NodeId RuleTable::find(Phrase source) const noexcept {
  NodeId node = kRoot;
  for (const WordId symbol : source) {
    node = child(node, symbol);
    if (node == kNoNode) return kNoNode;
  }
  return node;
}

void RuleTable::source(NodeId node, std::vector<WordId>& symbols) const {
  symbols.clear();
  for (int step = 0; node != kRoot && step < depth_; ++step) {
    symbols.push_back(node_symbol_[node]);
    // Children of successive nodes follow each other: the parent is the last node whose children begin at or before.
    const auto above = std::upper_bound(first_child_.begin(), first_child_.end(), node);
    const auto parent = static_cast<std::size_t>(above - first_child_.begin());
    if (parent == 0 || parent - 1 >= node) break;
    node = static_cast<NodeId>(parent - 1);
  }
  std::reverse(symbols.begin(), symbols.end());
}

NodeId RuleTable::node_of(RuleId rule) const noexcept {
  const auto above = std::upper_bound(first_rule_.begin(), first_rule_.end(), rule);
  const auto node = static_cast<std::size_t>(above - first_rule_.begin());
  return static_cast<NodeId>(std::min(node == 0 ? 0 : node - 1, nodes() - 1));
}

Phrase RuleTable::target_phrase(std::uint32_t target) const noexcept {
  if (target >= target_begin_.size()) return {};
  const std::size_t begin = std::min<std::size_t>(target_begin_[target], target_symbols_.size());
  return target_symbols_.subspan(begin, std::min<std::size_t>(target_length_[target], target_symbols_.size() - begin));
}

RuleId RuleTable::find(NodeId source, std::uint32_t target) const noexcept {
  const RuleRange range = rules_of(source);
  const auto begin = rule_target_.begin() + range.first, end = rule_target_.begin() + range.last;
  const auto at = std::lower_bound(begin, end, target);
  return static_cast<RuleId>(at != end && *at == target ? static_cast<std::size_t>(at - rule_target_.begin())
                                                        : rules());
}

std::uint32_t RuleTable::find_target(Phrase target) const noexcept {
  std::size_t low = 0, high = targets();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (compare(target_phrase(static_cast<std::uint32_t>(middle)), target, PhraseOrder::kLexicographic) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  const bool found = low < targets() && std::ranges::equal(target_phrase(static_cast<std::uint32_t>(low)), target);
  return static_cast<std::uint32_t>(found ? low : targets());
}

float RuleTable::value(RuleId rule, std::size_t column) const noexcept {
  const Column& coding = codings_[column];
  const std::uint8_t* at = rows_.data() + std::size_t{rule} * row_bytes_ + coding.offset;
  if (coding.width == 4) {
    float value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  return coding.book[coding.width == 1 ? at[0] : static_cast<std::size_t>(at[0] | at[1] << 8)];
}

void RuleTable::values(RuleId rule, std::span<float> out) const noexcept {
  for (std::size_t column = 0; column < out.size(); ++column) out[column] = value(rule, column);
}

std::uint32_t RuleTable::pattern(RuleId rule) const noexcept {
  const Column& coding = codings_.back();
  const std::uint8_t* at = rows_.data() + std::size_t{rule} * row_bytes_ + coding.offset;
  std::uint32_t pattern = 0;
  std::memcpy(&pattern, at, static_cast<std::size_t>(coding.width));
  return pattern;
}

std::span<const Link> RuleTable::links(RuleId rule) const noexcept {
  const std::size_t at = pattern(rule);
  if (at + 1 >= pattern_begin_.size()) return {};
  const std::size_t begin = std::min<std::size_t>(pattern_begin_[at], links_.size());
  const std::size_t end = std::min<std::size_t>(pattern_begin_[at + 1], links_.size());
  const auto links = links_.subspan(begin, std::max(begin, end) - begin);
  return inside(links, static_cast<std::size_t>(depth_), target(rule).size()) ? links : std::span<const Link>();
}

std::span<const SparseValue> RuleTable::sparse(RuleId rule) const noexcept {
  if (sparse_ends_.empty()) return {};
  const std::uint64_t begin = std::min<std::uint64_t>(rule == 0 ? 0 : sparse_ends_[rule - 1], sparse_.size());
  const std::uint64_t end = std::min<std::uint64_t>(sparse_ends_[rule], sparse_.size());
  return sparse_.subspan(begin, std::max(begin, end) - begin);
}

void RuleTable::evidence(RuleId rule, std::vector<std::uint32_t>& sentences) const {
  sentences.clear();
  if (evidence_blocks_.empty()) return;
  std::size_t at = std::min<std::size_t>(evidence_blocks_[rule / kEvidenceBlock], evidence_.size());
  const auto number = [&]() -> std::uint64_t {  // seven bits a byte, low first
    std::uint64_t value = 0;
    for (int shift = 0; shift < 35 && at < evidence_.size(); shift += 7) {
      const std::uint8_t byte = evidence_[at++];
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80u) == 0) break;
    }
    return value;
  };
  for (std::size_t before = rule % kEvidenceBlock; before > 0; --before)
    for (std::uint64_t left = number(); left > 0 && at < evidence_.size(); --left) (void)number();
  std::uint64_t sentence = 0;
  for (std::uint64_t left = number(); left > 0 && at < evidence_.size(); --left) {
    sentence += number();
    sentences.push_back(static_cast<std::uint32_t>(sentence));
  }
}

}  // namespace dragoman::grammar
