#include "grammar/phrase_set.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "common/hash.hpp"

namespace dragoman::grammar {

int compare(Phrase a, Phrase b, PhraseOrder order) noexcept {
  if (order == PhraseOrder::kBreadthFirst && a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  const std::size_t shared = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < shared; ++i)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  if (a.size() == b.size()) return 0;
  return a.size() < b.size() ? -1 : 1;
}

std::uint64_t hash_phrase(Phrase phrase) noexcept { return hash_bytes(phrase.data(), phrase.size_bytes()); }

FlatPhrases FlatPhrases::read(const BinaryFile& file, std::size_t first_section) {
  const auto ends = file.section<std::uint64_t>(first_section);
  const auto symbols = file.section<WordId>(first_section + 1);
  std::uint64_t previous = 0;
  for (const std::uint64_t end : ends) {
    file.require(end >= previous && end <= symbols.size(), "phrase offsets");
    previous = end;
  }
  return {ends, symbols};
}

std::uint32_t PhraseSet::find(Phrase phrase) const noexcept {
  const std::uint64_t hash = hash_phrase(phrase);
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.entry == 0) return static_cast<std::uint32_t>(size());
    if (slot.tag == tag && std::ranges::equal((*this)[slot.entry - 1], phrase)) return slot.entry - 1;
  }
}

void PhraseSet::clear() noexcept {
  ends_.clear();
  symbols_.clear();
  std::fill(slots_.begin(), slots_.end(), Slot{});
}

std::uint32_t PhraseSet::intern(Phrase phrase) {
  if ((ends_.size() + 1) * 2 > slots_.size()) grow();
  const std::uint64_t hash = hash_phrase(phrase);
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].entry != 0; at = (at + 1) & mask)
    if (slots_[at].tag == tag && std::ranges::equal((*this)[slots_[at].entry - 1], phrase)) return slots_[at].entry - 1;
  if (ends_.size() >= std::numeric_limits<std::uint32_t>::max() - 1)
    throw InputError("more than 4 billion different phrases in one piece of work", "", "give it less memory");
  symbols_.insert(symbols_.end(), phrase.begin(), phrase.end());
  ends_.push_back(symbols_.size());
  slots_[at] = {static_cast<std::uint32_t>(ends_.size()), tag};
  return static_cast<std::uint32_t>(ends_.size() - 1);
}

void PhraseSet::grow() {
  slots_.assign(slots_.size() * 2, Slot{});
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t id = 0; id < ends_.size(); ++id) {
    const std::uint64_t hash = hash_phrase((*this)[static_cast<std::uint32_t>(id)]);
    std::size_t at = hash & mask;
    while (slots_[at].entry != 0) at = (at + 1) & mask;
    slots_[at] = {static_cast<std::uint32_t>(id + 1), static_cast<std::uint32_t>(hash >> 32)};
  }
}

std::vector<std::uint32_t> PhraseSet::sorted(PhraseOrder order) const {
  std::vector<std::uint32_t> ids(size());
  std::iota(ids.begin(), ids.end(), 0u);
  std::sort(ids.begin(), ids.end(),
            [&](std::uint32_t a, std::uint32_t b) { return compare((*this)[a], (*this)[b], order) < 0; });
  return ids;
}

}  // namespace dragoman::grammar
