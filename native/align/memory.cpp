#include "align/memory.hpp"

#include <algorithm>

#include "common/error.hpp"
#include "common/hash.hpp"

namespace dragoman::align {

namespace {

constexpr std::uint16_t kLeast = 650;  // rarer links, below one in a hundred in both directions, are forgotten

}  // namespace

std::uint64_t LinkMemory::key_of(std::span<const WordId> source, std::span<const WordId> target) noexcept {
  return hash_bytes(target.data(), target.size_bytes(), hash_bytes(source.data(), source.size_bytes()));
}

std::span<const WordId> LinkMemory::side(std::size_t index) const noexcept {
  const std::size_t start = index == 0 ? 0 : parts_.sides[index - 1];
  return {parts_.words.data() + start, static_cast<std::size_t>(parts_.sides[index]) - start};
}

std::span<const LinkMemory::Entry> LinkMemory::entries(std::size_t pair) const noexcept {
  const std::size_t start = pair == 0 ? 0 : parts_.ends[pair - 1];
  return {parts_.entries.data() + start, static_cast<std::size_t>(parts_.ends[pair]) - start};
}

LinkMemory::LinkMemory(Parts parts) : parts_(std::move(parts)) {
  const auto require = [](bool fact) {
    if (!fact) throw InputError("remembered links that do not fit together");
  };
  const auto fits = [&](const std::vector<std::uint64_t>& ends, std::size_t count, std::size_t size) {
    require(ends.size() == count && (ends.empty() ? size == 0 : ends.back() == size));
    require(std::is_sorted(ends.begin(), ends.end()));
  };
  fits(parts_.ends, size(), parts_.entries.size());
  fits(parts_.sides, 2 * size(), parts_.words.size());
  require(std::is_sorted(parts_.keys.begin(), parts_.keys.end()));
  for (std::size_t pair = 0; pair < size(); ++pair) {
    const std::size_t cells = side(2 * pair).size() * side(2 * pair + 1).size();
    for (const Entry& entry : entries(pair))
      require(entry.cell < cells && entry.forward <= kUnits && entry.reverse <= kUnits);
  }
}

LinkMemory LinkMemory::build(const Bitext& bitext, std::span<const std::uint16_t> forward,
                             std::span<const std::uint16_t> reverse, const LinkMemory& earlier) {
  struct Item {
    std::uint64_t key;
    std::span<const WordId> source, target;
    std::span<const Entry> entries;  // of an earlier pair
    std::uint64_t offset;            // of a new pair's cells
    bool fresh;
  };
  std::vector<Item> items;
  std::uint64_t offset = 0;
  for (std::size_t k = 0; k < bitext.size(); ++k) {
    if (!bitext.usable(k)) continue;
    items.push_back({key_of(bitext.source(k), bitext.target(k)), bitext.source(k), bitext.target(k), {}, offset, true});
    offset += bitext.cells(k);
  }
  for (std::size_t at = 0; at < earlier.size(); ++at)
    items.push_back(
        {earlier.parts_.keys[at], earlier.side(2 * at), earlier.side(2 * at + 1), earlier.entries(at), 0, false});
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.key < b.key; });
  LinkMemory memory;
  Parts& parts = memory.parts_;
  for (const Item& item : items) {
    if (memory.find(item.source, item.target)) continue;
    if (item.fresh) {
      const std::size_t cells = item.source.size() * item.target.size();
      for (std::size_t cell = 0; cell < cells; ++cell) {
        const std::uint16_t one = forward[item.offset + cell], other = reverse[item.offset + cell];
        if (one >= kLeast || other >= kLeast) parts.entries.push_back({static_cast<std::uint32_t>(cell), one, other});
      }
    } else {
      parts.entries.insert(parts.entries.end(), item.entries.begin(), item.entries.end());
    }
    for (const auto words : {item.source, item.target}) {
      parts.words.insert(parts.words.end(), words.begin(), words.end());
      parts.sides.push_back(parts.words.size());
    }
    parts.keys.push_back(item.key);
    parts.ends.push_back(parts.entries.size());
  }
  return memory;
}

std::optional<std::span<const LinkMemory::Entry>> LinkMemory::find(std::span<const WordId> source,
                                                                   std::span<const WordId> target) const noexcept {
  const std::uint64_t key = key_of(source, target);
  const auto first = std::lower_bound(parts_.keys.begin(), parts_.keys.end(), key);
  for (auto at = static_cast<std::size_t>(first - parts_.keys.begin()); at < size() && parts_.keys[at] == key; ++at)
    if (std::ranges::equal(source, side(2 * at)) && std::ranges::equal(target, side(2 * at + 1))) return entries(at);
  return std::nullopt;
}

}  // namespace dragoman::align
