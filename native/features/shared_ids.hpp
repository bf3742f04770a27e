#pragma once
// Keys to ids, shared by threads and by all decoders of a model: what a name was made from (a rule, a pair of classes)
// leads to the feature without spelling the name again. Bounded: a full shard is forgotten, and its names are spelt
// anew, which gives the same ids.
#include <array>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "common/hash.hpp"

namespace dragoman::features {

template <typename Value, std::size_t kMostPerShard = 1u << 16>
class SharedMap {
 public:
  // Calls use(value), made by make() if it is new. `use` runs under a lock and must not come back here.
  template <typename Make, typename Use>
  void get(std::uint64_t key, const Make& make, const Use& use) {
    Shard& shard = shards_[mix(key) % shards_.size()];
    {
      const std::shared_lock reading(shard.lock);
      if (const auto found = shard.values.find(key); found != shard.values.end()) {
        use(found->second);
        return;
      }
    }
    Value made = make();
    use(made);
    const std::unique_lock writing(shard.lock);
    if (shard.values.size() >= kMostPerShard) shard.values.clear();
    shard.values.try_emplace(key, std::move(made));
  }

 private:
  struct Hash {
    std::size_t operator()(std::uint64_t key) const noexcept { return mix(key + 1); }
  };
  struct Shard {
    std::shared_mutex lock;
    std::unordered_map<std::uint64_t, Value, Hash> values;
  };
  std::array<Shard, 64> shards_;
};

class SharedIds {
 public:
  template <typename Make>
  std::uint32_t get(std::uint64_t key, const Make& make) {
    std::uint32_t id = 0;
    ids_.get(key, make, [&](std::uint32_t found) { id = found; });
    return id;
  }

 private:
  SharedMap<std::uint32_t, std::size_t{1} << 17> ids_;
};

}  // namespace dragoman::features
