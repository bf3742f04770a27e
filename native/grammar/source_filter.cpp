#include "grammar/source_filter.hpp"

#include <algorithm>

#include "grammar/run.hpp"
#include "grammar/symbols.hpp"

namespace dragoman::grammar {
namespace {

// All n-grams (and, for gappy rules, subsequences with gaps) of a text that a rule's source could be.
PhraseSet source_ngrams(std::span<const WordId> words, std::span<const std::int64_t> ends,
                        const ExtractionSettings& settings) {
  PhraseSet found;
  std::size_t begin = 0;
  std::vector<WordId> sequence;
  const auto& gappy = settings.gappy_limits;
  for (const std::int64_t end : ends) {
    const auto sentence = words.subspan(begin, static_cast<std::size_t>(end) - begin);
    begin = static_cast<std::size_t>(end);
    for (std::size_t i = 0; i < sentence.size(); ++i) {
      const std::size_t longest = std::min(sentence.size() - i, static_cast<std::size_t>(settings.limits.max_source));
      for (std::size_t length = 1; length <= longest; ++length) found.intern(sentence.subspan(i, length));
      if (!settings.gappy) continue;
      // Every choice of words within reach, gaps marked between them.
      const std::size_t reach = std::min(sentence.size(), i + static_cast<std::size_t>(gappy.max_source_span));
      const auto choose = [&](const auto& self, std::size_t last, int chosen, std::uint32_t gaps) -> void {
        found.intern(sequence);
        if (chosen == gappy.max_words) return;
        for (std::size_t next = last + 1; next < reach; ++next) {
          const bool gap = next != last + 1;
          if (gap) sequence.push_back(nonterminal(kGapLabel, gaps));
          sequence.push_back(sentence[next]);
          self(self, next, chosen + 1, gaps + (gap ? 1 : 0));
          sequence.resize(sequence.size() - (gap ? 2 : 1));
        }
      };
      sequence.assign(1, sentence[i]);
      choose(choose, i, 1, 0);
    }
  }
  return found;
}

}  // namespace

// Each run of words is taken where it first can be: what comes after a nonterminal may then begin anywhere later.
bool occurs(Phrase source, std::span<const WordId> sentence) noexcept {
  std::size_t from = 0;  // words before are used up
  for (std::size_t i = 0; i < source.size();) {
    if (is_nonterminal(source[i])) {
      ++from;
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < source.size() && !is_nonterminal(source[end])) ++end;
    const Phrase run = source.subspan(i, end - i);
    if (from > sentence.size()) return false;
    const auto found =
        std::search(sentence.begin() + static_cast<std::ptrdiff_t>(from), sentence.end(), run.begin(), run.end());
    if (found == sentence.end()) return false;
    from = static_cast<std::size_t>(found - sentence.begin()) + run.size();
    i = end;
  }
  return from <= sentence.size();
}

OccurringSources::OccurringSources(std::span<const WordId> words, std::span<const std::int64_t> ends)
    : words_(words.begin(), words.end()), ends_(ends.begin(), ends.end()) {
  std::uint64_t begin = 0;
  for (std::uint32_t sentence = 0; sentence < ends_.size(); ++sentence) {
    for (; begin < ends_[sentence]; ++begin) {
      const WordId word = words_[begin];
      if (word >= sentences_with_.size()) sentences_with_.resize(std::size_t{word} + 1);
      auto& with = sentences_with_[word];
      if (with.empty() || with.back() != sentence) with.push_back(sentence);
    }
  }
}

bool OccurringSources::contains(Phrase source) const {
  const std::vector<std::uint32_t>* fewest = nullptr;
  for (const WordId symbol : source) {
    if (is_nonterminal(symbol)) continue;
    if (symbol >= sentences_with_.size()) return false;
    const auto& with = sentences_with_[symbol];
    if (fewest == nullptr || with.size() < fewest->size()) fewest = &with;
  }
  const auto usable = [&](std::uint32_t sentence) {
    const std::uint64_t begin = sentence == 0 ? 0 : ends_[sentence - 1];
    return occurs(source, std::span(words_).subspan(begin, ends_[sentence] - begin));
  };
  if (fewest != nullptr) return std::any_of(fewest->begin(), fewest->end(), usable);
  for (std::uint32_t sentence = 0; sentence < ends_.size(); ++sentence)
    if (usable(sentence)) return true;
  return false;
}

std::unique_ptr<const SourceFilter> filter_for(std::span<const WordId> words, std::span<const std::int64_t> ends,
                                               const ExtractionSettings& settings) {
  if (settings.hierarchical) return std::make_unique<const OccurringSources>(words, ends);
  auto listed = std::make_unique<ListedSources>();
  listed->sources = source_ngrams(words, ends, settings);
  return listed;
}

}  // namespace dragoman::grammar
