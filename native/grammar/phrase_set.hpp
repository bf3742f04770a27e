#pragma once
// Sequences of symbols, interned to ids (`PhraseSet`) or stored in a fixed order (`PhraseList`). Two orders are used:
// sources go by length and then lexicographically, which is the breadth-first order of their trie; targets go
// lexicographically, so that a phrase stands before those that it begins.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/binary_file.hpp"
#include "common/ids.hpp"
#include "grammar/symbols.hpp"

namespace dragoman::grammar {

using Phrase = std::span<const WordId>;

[[nodiscard]] inline bool has_nonterminals(Phrase phrase) noexcept {
  return std::any_of(phrase.begin(), phrase.end(), is_nonterminal);
}

enum class PhraseOrder { kBreadthFirst, kLexicographic };

[[nodiscard]] int compare(Phrase a, Phrase b, PhraseOrder order) noexcept;
[[nodiscard]] std::uint64_t hash_phrase(Phrase phrase) noexcept;

// A read-only list of phrases, by id.
class PhraseList {
 public:
  virtual ~PhraseList() = default;
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  [[nodiscard]] virtual Phrase operator[](std::uint32_t id) const noexcept = 0;
};

// Phrases laid end to end in two flat arrays, owned elsewhere: `ends[i]` is where phrase i stops.
class FlatPhrases final : public PhraseList {
 public:
  FlatPhrases() = default;
  FlatPhrases(std::span<const std::uint64_t> ends, std::span<const WordId> symbols) noexcept
      : ends_(ends), symbols_(symbols) {}
  // Two consecutive sections of a binary file, bounds checked.
  static FlatPhrases read(const BinaryFile& file, std::size_t first_section);

  [[nodiscard]] std::size_t size() const noexcept override { return ends_.size(); }
  [[nodiscard]] Phrase operator[](std::uint32_t id) const noexcept override {
    const std::uint64_t begin = id == 0 ? 0 : ends_[id - 1];
    return symbols_.subspan(begin, ends_[id] - begin);
  }

 private:
  std::span<const std::uint64_t> ends_;
  std::span<const WordId> symbols_;
};

class PhraseSet final : public PhraseList {
 public:
  PhraseSet() : slots_(64) {}

  std::uint32_t intern(Phrase phrase);
  // Its id; `size()` if it is not there.
  [[nodiscard]] std::uint32_t find(Phrase phrase) const noexcept;
  [[nodiscard]] bool contains(Phrase phrase) const noexcept { return find(phrase) != size(); }
  // Forgets all phrases and keeps the memory.
  void clear() noexcept;
  [[nodiscard]] std::size_t size() const noexcept override { return ends_.size(); }
  [[nodiscard]] Phrase operator[](std::uint32_t id) const noexcept override {
    const std::uint64_t begin = id == 0 ? 0 : ends_[id - 1];
    return {symbols_.data() + begin, static_cast<std::size_t>(ends_[id] - begin)};
  }
  // Ids in the given order.
  [[nodiscard]] std::vector<std::uint32_t> sorted(PhraseOrder order) const;

 private:
  struct Slot {
    std::uint32_t entry = 0;  // id + 1; 0 is empty
    std::uint32_t tag = 0;    // high half of the hash, so that most mismatches need no comparison
  };
  void grow();

  std::vector<std::uint64_t> ends_;
  std::vector<WordId> symbols_;
  std::vector<Slot> slots_;
};

// Collects phrases in order, to be written as the two sections that `FlatPhrases::read` takes.
struct PhraseColumns {
  std::vector<std::uint64_t> ends;
  std::vector<WordId> symbols;
  void add(Phrase phrase) {
    symbols.insert(symbols.end(), phrase.begin(), phrase.end());
    ends.push_back(symbols.size());
  }
  void write(BinaryWriter& writer) const {
    writer.section(ends);
    writer.section(symbols);
  }
};

}  // namespace dragoman::grammar
