#pragma once
// Values interned to small consecutive ids: equal values get equal ids. For states and coverages of one sentence, and
// for tables that are filled once and then only looked into.
#include <cstdint>
#include <optional>
#include <vector>

namespace dragoman {

template <typename Value>
class Interned {
 public:
  Interned() : slots_(256) {}

  void clear() {
    if (values_.empty()) return;
    values_.clear();
    hashes_.clear();
    slots_.assign(slots_.size(), 0);
  }

  // `hash` is the value's own; `make` is called with the id of a value that is new.
  template <typename Make>
  std::uint32_t intern(const Value& value, std::uint64_t hash, const Make& make) {
    std::size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
      const std::uint32_t id = slots_[slot] - 1;
      if (hashes_[id] == hash && values_[id] == value) return id;
    }
    const auto id = static_cast<std::uint32_t>(values_.size());
    values_.push_back(value);
    hashes_.push_back(hash);
    slots_[slot] = id + 1;
    if (values_.size() * 2 > slots_.size()) grow();
    make(id);
    return id;
  }
  std::uint32_t intern(const Value& value, std::uint64_t hash) {
    return intern(value, hash, [](std::uint32_t) {});
  }

  [[nodiscard]] std::optional<std::uint32_t> find(const Value& value, std::uint64_t hash) const noexcept {
    std::size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
      const std::uint32_t id = slots_[slot] - 1;
      if (hashes_[id] == hash && values_[id] == value) return id;
    }
    return std::nullopt;
  }

  [[nodiscard]] const Value& operator[](std::uint32_t id) const noexcept { return values_[id]; }
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }

 private:
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::uint32_t id = 0; id < values_.size(); ++id) {
      std::size_t slot = hashes_[id] & (slots_.size() - 1);
      while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = id + 1;
    }
  }

  std::vector<Value> values_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;  // id + 1; 0: empty
};

}  // namespace dragoman
