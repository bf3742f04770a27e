#include "grammar/lexicon.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/hash.hpp"

namespace dragoman::grammar {
namespace {

constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

std::uint64_t key_of(WordId source, WordId target) { return std::uint64_t{source} << 32 | target; }

}  // namespace

Lexicon::Lexicon(std::span<const Run::LexicalCount> counts)
    : slots_(std::bit_ceil(counts.size() * 2 + 2), Slot{kEmpty, 0}) {
  const auto bump = [](std::vector<double>& totals, double& null_total, WordId word, double by) {
    if (word == kNullWord) {
      null_total += by;
      return;
    }
    if (word >= totals.size()) totals.resize(std::max<std::size_t>(word + 1, totals.size() * 2), 0);
    totals[word] += by;
  };
  const std::size_t mask = slots_.size() - 1;
  for (const auto& entry : counts) {
    const auto count = static_cast<double>(entry.count);
    bump(source_totals_, source_null_, entry.source, count);
    bump(target_totals_, target_null_, entry.target, count);
    const std::uint64_t key = key_of(entry.source, entry.target);
    std::size_t at = mix(key) & mask;
    while (slots_[at].key != kEmpty) at = (at + 1) & mask;
    slots_[at] = {key, count};
  }
}

double Lexicon::count(WordId source, WordId target) const noexcept {
  const std::uint64_t key = key_of(source, target);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = mix(key) & mask;; at = (at + 1) & mask) {
    if (slots_[at].key == key) return slots_[at].count;
    if (slots_[at].key == kEmpty) return 0;
  }
}

double Lexicon::source_given_target(WordId source, WordId target) const noexcept {
  const double all = total(target_totals_, target_null_, target);
  return all == 0 ? 0 : count(source, target) / all;
}

double Lexicon::target_given_source(WordId source, WordId target) const noexcept {
  const double all = total(source_totals_, source_null_, source);
  return all == 0 ? 0 : count(source, target) / all;
}

Lexicon::Weights Lexicon::weigh(Phrase source, Phrase target, Phrase links, LexicalWeight kind) const {
  // One side's words are explained by the other's; `of(i, j)` is the probability of word i there given word j here.
  const auto side = [&](Phrase words, Phrase others, bool explaining_source) {
    const auto of = [&](std::size_t i, WordId other) {
      return explaining_source ? source_given_target(words[i], other) : target_given_source(other, words[i]);
    };
    double sum = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (is_nonterminal(words[i])) continue;
      double factor = 0;
      if (kind == LexicalWeight::kBest) {
        factor = of(i, kNullWord);
        for (const WordId other : others)
          if (!is_nonterminal(other)) factor = std::max(factor, of(i, other));
      } else {
        int linked = 0;
        for (const WordId code : links) {
          const Link link = link_of(code);
          if ((explaining_source ? link.source : link.target) != i) continue;
          factor += of(i, others[explaining_source ? link.target : link.source]);
          ++linked;
        }
        factor = linked == 0 ? of(i, kNullWord) : factor / linked;
      }
      sum += std::log(std::max(factor, kLexicalFloor));
    }
    return sum;
  };
  return {side(source, target, true), side(target, source, false)};
}

}  // namespace dragoman::grammar
