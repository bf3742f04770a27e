#include "grammar/table_writer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "common/parallel.hpp"
#include "grammar/codebook.hpp"
#include "grammar/run.hpp"

namespace dragoman::grammar {
namespace {

std::filesystem::path beside(std::filesystem::path path, const char* name) {
  path += std::string(".spool.") + name;
  return path;
}

std::vector<char> letters(std::string_view text) { return {text.begin(), text.end()}; }

}  // namespace

TableWriter::TableWriter(const std::filesystem::path& path, TableSchema schema, const PhraseList& targets)
    : path_(path),
      schema_(std::move(schema)),
      targets_(targets),
      used_(targets.size(), false),
      target_counts_(targets.size(), 0.0f),
      source_symbols_(beside(path, "sources")),
      source_ends_(beside(path, "source_ends")),
      source_rules_(beside(path, "source_rules")),
      source_counts_(beside(path, "source_counts")),
      rule_target_(beside(path, "targets")),
      rule_pattern_(beside(path, "patterns")),
      values_(beside(path, "values")),
      lhs_(beside(path, "labels")),
      sparse_ends_(beside(path, "sparse_ends")),
      sparse_(beside(path, "sparse")),
      evidence_blocks_(beside(path, "evidence_blocks")),
      evidence_(beside(path, "evidence")) {}

void TableWriter::begin_source(Phrase source, float count) {
  if (source.empty() || source.size() > kLongestRule)
    throw InputError("a source side of " + std::to_string(source.size()) + " symbols", path_.string(),
                     "a rule has between 1 and " + std::to_string(kLongestRule));
  const bool first = source_ends_.size() == 0;
  if (!first) {
    if (compare(last_source_, source, PhraseOrder::kBreadthFirst) >= 0) throw std::logic_error("sources out of order");
    source_rules_.push(rules_of_source_);
  }
  rules_of_source_ = 0;
  last_source_.assign(source.begin(), source.end());
  source_symbols_.append(source);
  source_ends_.push(source_symbols_.size());
  source_counts_.push(count);
}

void TableWriter::add(const NewRule& rule) {
  if (rule_target_.size() >= std::numeric_limits<RuleId>::max() - 1)
    throw InputError("more than 4 billion rules in one table", path_.string(), "prune, or split by source");
  if (rules_of_source_ != 0 && std::pair(rule.target, rule.left_hand_side) <= std::pair(last_target_, last_lhs_))
    throw std::logic_error("targets out of order");
  if (targets_[rule.target].size() > kLongestRule)
    throw InputError("a target side of " + std::to_string(targets_[rule.target].size()) + " symbols", path_.string(),
                     "a rule has at most " + std::to_string(kLongestRule));
  last_target_ = rule.target;
  used_[rule.target] = true;
  rule_target_.push(rule.target);
  pattern_buffer_.clear();
  for (const Link link : rule.links) pattern_buffer_.push_back(coded(link));
  rule_pattern_.push(patterns_.intern(pattern_buffer_));
  for (const float value : rule.values) {
    if (!std::isfinite(value)) throw InputError("a value that is not a finite number", path_.string());
    values_.push(value);
  }
  values_.push(rule.joint);
  if (lhs_.size() == 0) first_lhs_ = rule.left_hand_side;
  lhs_.push(rule.left_hand_side);
  last_lhs_ = rule.left_hand_side;
  several_lhs_ = several_lhs_ || rule.left_hand_side != first_lhs_;
  sparse_.append(rule.sparse);
  sparse_ends_.push(sparse_.size());
  if (schema_.evidence) {
    if ((rule_target_.size() - 1) % RuleTable::kEvidenceBlock == 0) evidence_blocks_.push(evidence_.size());
    const auto put = [&](std::uint64_t value) {
      for (; value >= 0x80; value >>= 7) evidence_.push(static_cast<std::uint8_t>(value | 0x80));
      evidence_.push(static_cast<std::uint8_t>(value));
    };
    put(rule.evidence.size());
    std::uint32_t previous = 0;
    for (const std::uint32_t sentence : rule.evidence) {
      put(sentence - previous);
      previous = sentence;
    }
  }
  ++rules_of_source_;
}

// Level by level from the longest sources up: the nodes of a level are its sources and the prefixes of the level below.
TableWriter::Trie TableWriter::build_trie() {
  const auto ends = source_ends_.values();
  const auto symbols = source_symbols_.values();
  const auto rules = source_rules_.values();
  const auto counts = source_counts_.values();
  constexpr std::uint32_t kNoSource = std::numeric_limits<std::uint32_t>::max();
  struct Draft {
    std::uint64_t begin;  // where its symbols begin
    std::uint32_t source, children;
  };
  std::vector<std::vector<Draft>> levels(1);
  for (std::size_t s = 0; s < ends.size(); ++s) {
    const std::uint64_t begin = s == 0 ? 0 : ends[s - 1];
    const std::size_t length = ends[s] - begin;
    if (levels.size() <= length) levels.resize(length + 1);
    levels[length].push_back({begin, static_cast<std::uint32_t>(s), 0});
  }
  for (std::size_t level = levels.size() - 1; level > 1; --level) {
    const std::size_t length = level - 1;
    const auto order = [&](std::uint64_t a, std::uint64_t b) {
      return compare(symbols.subspan(a, length), symbols.subspan(b, length), PhraseOrder::kLexicographic);
    };
    std::vector<Draft> merged;
    std::vector<Draft>& above = levels[length];
    std::size_t next = 0;
    for (const Draft& child : levels[level]) {
      while (next < above.size() && order(above[next].begin, child.begin) < 0) merged.push_back(above[next++]);
      if (next < above.size() && order(above[next].begin, child.begin) == 0) merged.push_back(above[next++]);
      if (merged.empty() || order(merged.back().begin, child.begin) != 0) merged.push_back({child.begin, kNoSource, 0});
      ++merged.back().children;
    }
    merged.insert(merged.end(), above.begin() + static_cast<std::ptrdiff_t>(next), above.end());
    above = std::move(merged);
  }
  levels[0].push_back({0, kNoSource, static_cast<std::uint32_t>(levels.size() > 1 ? levels[1].size() : 0)});
  Trie trie;
  std::size_t nodes = 0;
  for (const auto& level : levels) nodes += level.size();
  if (nodes >= kNoNode) throw InputError("more than 4 billion source prefixes", path_.string(), "prune the table");
  trie.symbols.reserve(nodes);
  std::uint32_t child = 1, rule = 0;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    for (const Draft& draft : levels[level]) {
      trie.symbols.push_back(level == 0 ? 0 : symbols[draft.begin + level - 1]);
      trie.first_child.push_back(child);
      trie.first_rule.push_back(rule);
      trie.counts.push_back(draft.source == kNoSource ? 0.0f : counts[draft.source]);
      child += draft.children;
      if (draft.source != kNoSource) rule += rules[draft.source];
    }
    levels[level] = {};
  }
  trie.first_child.push_back(child);
  trie.first_rule.push_back(rule);
  return trie;
}

void TableWriter::write_targets(BinaryWriter& writer) {
  const auto used = static_cast<std::size_t>(std::count(used_.begin(), used_.end(), true));
  target_places_.assign(targets_.size(), 0);
  std::vector<std::uint32_t> begins(used);
  std::vector<std::uint8_t> lengths(used);
  std::vector<float> counts(used);
  Spool<WordId> symbols(beside(path_, "target_symbols"));
  std::size_t place = used;
  Phrase stored;
  std::uint64_t stored_at = 0;
  // From the last to the first: a phrase that begins the one stored before it needs no symbols of its own.
  for (std::size_t id = targets_.size(); id-- > 0;) {
    if (!used_[id]) continue;
    const Phrase phrase = targets_[static_cast<std::uint32_t>(id)];
    const bool begins_it = phrase.size() <= stored.size() && std::equal(phrase.begin(), phrase.end(), stored.begin());
    if (!begins_it) {
      stored = phrase;
      stored_at = symbols.size();
      symbols.append(phrase);
    }
    --place;
    target_places_[id] = static_cast<std::uint32_t>(place);
    begins[place] = static_cast<std::uint32_t>(stored_at);
    lengths[place] = static_cast<std::uint8_t>(phrase.size());
    counts[place] = target_counts_[id];
  }
  if (symbols.size() > std::numeric_limits<std::uint32_t>::max())
    throw InputError("more than 4 billion target symbols", path_.string(), "prune the table");
  writer.section(begins);
  writer.section(lengths);
  writer.section(counts);
  writer.section(symbols.values());
}

void TableWriter::write_rules(BinaryWriter& writer) {
  const auto targets = rule_target_.values();
  writer.begin(sizeof(std::uint32_t));
  constexpr std::size_t kChunk = 1 << 16;
  std::vector<std::uint32_t> places;
  for (std::size_t begin = 0; begin < targets.size(); begin += kChunk) {
    places.clear();
    for (const std::uint32_t target : targets.subspan(begin, std::min(kChunk, targets.size() - begin)))
      places.push_back(target_places_[target]);
    writer.append(std::span<const std::uint32_t>(places));
  }
  const std::size_t columns = schema_.columns.size() + 1;
  const auto values = values_.values();
  const auto patterns = rule_pattern_.values();
  std::vector<Codebook> books(columns);
  parallel_shards(columns, schema_.threads, [&](std::size_t column) {
    books[column] = fit_codebook(values, column, columns, schema_.compact && column + 1 < columns);
  });
  std::vector<CodebookEncoder> encoders(books.begin(), books.end());
  std::vector<std::uint8_t> widths;
  std::size_t row = 0;
  for (const Codebook& book : books) {
    widths.push_back(static_cast<std::uint8_t>(book.width));
    row += static_cast<std::size_t>(book.width);
  }
  widths.push_back(patterns_.size() <= 256 ? 1 : patterns_.size() <= 65536 ? 2 : 4);
  row += widths.back();

  writer.begin(1);
  constexpr std::size_t kRound = 16;  // chunks encoded together
  std::vector<std::vector<std::uint8_t>> encoded(kRound);
  for (std::size_t first = 0; first < targets.size(); first += kRound * kChunk) {
    const std::size_t chunks = std::min(kRound, shard_count(targets.size() - first, kChunk));
    parallel_shards(chunks, schema_.threads, [&](std::size_t chunk) {
      const std::size_t begin = first + chunk * kChunk, end = std::min(targets.size(), begin + kChunk);
      std::vector<std::uint8_t>& out = encoded[chunk];
      out.resize((end - begin) * row);
      std::uint8_t* at = out.data();
      for (std::size_t rule = begin; rule < end; ++rule) {
        for (std::size_t column = 0; column < columns; ++column) {
          encoders[column].write(values[rule * columns + column], at);
          at += widths[column];
        }
        std::memcpy(at, &patterns[rule], widths.back());
        at += widths.back();
      }
    });
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) writer.append(std::span<const std::uint8_t>(encoded[chunk]));
  }
  writer.section(widths);
  writer.begin(sizeof(float));
  for (const Codebook& book : books) writer.append(std::span<const float>(book.values));
}

void TableWriter::write_links(BinaryWriter& writer) {
  std::vector<std::uint32_t> begins{0};
  std::vector<Link> links;
  for (std::uint32_t id = 0; id < patterns_.size(); ++id) {
    for (const WordId code : patterns_[id]) links.push_back(link_of(code));
    begins.push_back(static_cast<std::uint32_t>(links.size()));
  }
  writer.section(begins);
  writer.section(links);
}

void TableWriter::finish() {
  if (source_ends_.size() != 0) source_rules_.push(rules_of_source_);
  const Trie trie = build_trie();
  std::size_t depth = 0;
  {
    const auto ends = source_ends_.values();
    if (!ends.empty()) depth = ends.back() - (ends.size() == 1 ? 0 : ends[ends.size() - 2]);
  }
  BinaryWriter writer(path_, kTableFormat, RuleTable::kSections);
  writer.section(std::vector<std::uint64_t>{schema_.columns.size(), depth});
  std::string names;
  for (const std::string& column : schema_.columns) names += column + '\n';
  writer.section(letters(names));
  writer.section(letters(schema_.metadata));
  schema_.source_words.write(writer);
  schema_.target_words.write(writer);
  schema_.labels.write(writer);
  schema_.features.write(writer);
  writer.section(trie.symbols);
  writer.section(trie.first_child);
  writer.section(trie.first_rule);
  writer.section(trie.counts);
  write_targets(writer);
  write_rules(writer);
  write_links(writer);
  if (several_lhs_)
    writer.section(lhs_.values());
  else
    writer.section(first_lhs_ != 0 ? std::vector<WordId>{first_lhs_} : std::vector<WordId>{});
  writer.section(sparse_.size() != 0 ? sparse_ends_.values() : std::span<const std::uint64_t>{});
  writer.section(sparse_.size() != 0 ? sparse_.values() : std::span<const SparseValue>{});
  writer.section(schema_.evidence ? evidence_blocks_.values() : std::span<const std::uint64_t>{});
  writer.section(schema_.evidence ? evidence_.values() : std::span<const std::uint8_t>{});
  writer.finish();
}

}  // namespace dragoman::grammar
