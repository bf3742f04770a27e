#include "lm/arc_table.hpp"

#include <algorithm>
#include <utility>

#include "common/error.hpp"

namespace dragoman::lm {

ArcRegion append_arcs(std::span<const Arc> arcs, int key_bits, std::uint64_t buckets, std::vector<ArcBucket>& all,
                      std::vector<std::uint32_t>& numbers) {
  const int unused = 64 - key_bits;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order(arcs.size());
  for (std::size_t i = 0; i < arcs.size(); ++i) order[i] = {arcs[i].key, static_cast<std::uint32_t>(i)};
  std::sort(order.begin(), order.end());
  std::vector<std::uint64_t> slots(arcs.size());
  std::uint64_t end, share;
  for (;; buckets *= 2) {
    std::uint64_t next = 0, furthest = 0;
    for (const auto& [key, index] : order) {
      const std::uint64_t home = first_slot(key, buckets);
      next = std::max(next, home * kBucketArcs);
      furthest = std::max(furthest, next / kBucketArcs - home);
      slots[index] = next++;
    }
    end = (next + kBucketArcs - 1) / kBucketArcs;
    share = BucketLimits(buckets, key_bits).share();
    if ((furthest + 2) * (share + 1) < std::uint64_t{1} << 31) break;
  }
  const std::uint64_t first = all.size();
  // Single words lead to their buckets directly; more of those are never looked for. The last bucket ends all searches.
  const std::uint64_t size = (share <= kBucketArcs ? end : std::max(end, buckets)) + 1;
  if (first + size >= std::uint64_t{1} << 28) throw InputError("more n-grams than a model can have: a billion");
  all.resize(first + size);
  BucketLimits limits(buckets, key_bits);
  for (std::uint64_t bucket = first; bucket < all.size(); ++bucket)
    std::fill_n(all[bucket].numbers + kTag, kBucketArcs, static_cast<std::uint32_t>(limits.next()));
  numbers.resize(arcs.size());
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const std::uint64_t bucket = first + slots[i] / kBucketArcs, place = slots[i] % kBucketArcs;
    std::uint32_t* const arc = all[bucket].numbers + place;
    arc[kTag] = static_cast<std::uint32_t>(arcs[i].key >> unused);
    arc[kLogprob] = arcs[i].logprob;
    arc[kBackoff] = arcs[i].backoff;
    arc[kShorter] = arcs[i].shorter;
    numbers[i] = static_cast<std::uint32_t>(bucket * 16 + place);
  }
  return {first, buckets};
}

}  // namespace dragoman::lm
