#pragma once
// An array of zeros that takes memory only where it is written, since the system hands out pages as they are touched:
// for what has been found out about a few of very many things. Several threads may read and write; who finds a 0 finds
// out himself, and all find the same.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace dragoman {

template <typename T>
class LazyArray {
 public:
  LazyArray() = default;
  explicit LazyArray(std::size_t size)
      : size_(size), values_(static_cast<T*>(std::calloc(size == 0 ? 1 : size, sizeof(T)))) {
    if (!values_) throw std::bad_alloc();
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // What was written before a value, by the thread that stored it, can be read after it was loaded.
  [[nodiscard]] T load(std::size_t at) const noexcept {
    return std::atomic_ref<T>(values_.get()[at]).load(std::memory_order_acquire);
  }
  void store(std::size_t at, T value) noexcept {
    std::atomic_ref<T>(values_.get()[at]).store(value, std::memory_order_release);
  }

 private:
  struct Free {
    void operator()(T* values) const noexcept { std::free(values); }
  };
  std::size_t size_ = 0;
  std::unique_ptr<T, Free> values_;
};

}  // namespace dragoman
