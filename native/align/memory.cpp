#include "align/memory.hpp"

#include <algorithm>

#include "common/hash.hpp"

namespace dragoman::align {

namespace {

constexpr std::uint16_t kLeast = 650;  // rarer links, below one in a hundred in both directions, are forgotten

std::uint64_t key_of(std::span<const WordId> source, std::span<const WordId> target) noexcept {
  return hash_bytes(target.data(), target.size_bytes(), hash_bytes(source.data(), source.size_bytes()));
}

}  // namespace

LinkMemory LinkMemory::build(const Bitext& bitext, std::span<const std::uint16_t> forward,
                             std::span<const std::uint16_t> reverse, const LinkMemory& earlier) {
  struct Item {
    std::uint64_t key, order;  // order: where the pair comes from, new before old
    std::uint64_t offset, cells;
  };
  std::vector<Item> items;
  std::uint64_t offset = 0;
  for (std::size_t k = 0; k < bitext.size(); ++k) {
    if (!bitext.usable(k)) continue;
    const std::uint64_t cells = bitext.cells(k);
    items.push_back({key_of(bitext.source(k), bitext.target(k)), items.size(), offset, cells});
    offset += cells;
  }
  const std::size_t fresh = items.size();
  for (std::size_t at = 0; at < earlier.keys_.size(); ++at) items.push_back({earlier.keys_[at], items.size(), at, 0});
  std::sort(items.begin(), items.end(),
            [](const Item& a, const Item& b) { return a.key != b.key ? a.key < b.key : a.order < b.order; });
  LinkMemory memory;
  for (const Item& item : items) {
    if (!memory.keys_.empty() && memory.keys_.back() == item.key) continue;
    if (item.order >= fresh) {
      const std::uint64_t start = item.offset == 0 ? 0 : earlier.ends_[item.offset - 1];
      memory.entries_.insert(memory.entries_.end(), earlier.entries_.begin() + static_cast<std::ptrdiff_t>(start),
                             earlier.entries_.begin() + static_cast<std::ptrdiff_t>(earlier.ends_[item.offset]));
    } else {
      for (std::uint64_t cell = 0; cell < item.cells; ++cell) {
        const std::uint16_t one = forward[item.offset + cell], other = reverse[item.offset + cell];
        if (one >= kLeast || other >= kLeast) memory.entries_.push_back({static_cast<std::uint32_t>(cell), one, other});
      }
    }
    memory.keys_.push_back(item.key);
    memory.ends_.push_back(memory.entries_.size());
  }
  return memory;
}

std::optional<std::span<const LinkMemory::Entry>> LinkMemory::find(std::span<const WordId> source,
                                                                   std::span<const WordId> target) const noexcept {
  const std::uint64_t key = key_of(source, target);
  const auto found = std::lower_bound(keys_.begin(), keys_.end(), key);
  if (found == keys_.end() || *found != key) return std::nullopt;
  const auto at = static_cast<std::size_t>(found - keys_.begin());
  const std::size_t start = at == 0 ? 0 : ends_[at - 1];
  const std::span<const Entry> entries{entries_.data() + start, static_cast<std::size_t>(ends_[at]) - start};
  const std::size_t cells = source.size() * target.size();
  for (const Entry& entry : entries)  // two pairs with one hash: the other one is not known
    if (entry.cell >= cells) return std::nullopt;
  return entries;
}

}  // namespace dragoman::align
