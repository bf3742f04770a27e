#pragma once
// Which source sides a text can use: what extraction for a text keeps.
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/phrase_set.hpp"

namespace dragoman::grammar {

class SourceFilter {
 public:
  virtual ~SourceFilter() = default;
  [[nodiscard]] virtual bool contains(Phrase source) const = 0;
};

// Source sides that were listed beforehand.
class ListedSources final : public SourceFilter {
 public:
  PhraseSet sources;
  [[nodiscard]] bool contains(Phrase source) const override { return sources.contains(source); }
};

// Source sides with nonterminals, looked for when they are asked for: there are far too many to list. A nonterminal
// stands for one word or more, without a bound, as decoders may be told another one than extraction.
class OccurringSources final : public SourceFilter {
 public:
  OccurringSources(std::span<const WordId> words, std::span<const std::int64_t> ends);
  [[nodiscard]] bool contains(Phrase source) const override;

 private:
  std::vector<WordId> words_;
  std::vector<std::uint64_t> ends_;
  std::vector<std::vector<std::uint32_t>> sentences_with_;  // by word
};

// Whether a source side covers some words of a sentence.
[[nodiscard]] bool occurs(Phrase source, std::span<const WordId> sentence) noexcept;

}  // namespace dragoman::grammar
