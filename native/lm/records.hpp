#pragma once
// Fixed-width records of 32-bit numbers, kept in memory up to a budget and in scratch files beyond it. Estimation is a
// handful of sorts and sequential passes, so a spool (written, then read in order) and a sorter are all that working
// out of core needs, and the results cannot depend on the budget.
#include <bit>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "common/output_file.hpp"

namespace dragoman::lm {

// How many bytes a structure may hold in memory, and where the rest goes.
struct Budget {
  std::size_t bytes = std::numeric_limits<std::size_t>::max();
  std::filesystem::path scratch;  // a folder; empty: the system's temporary folder

  [[nodiscard]] Budget part(double share) const {
    return {static_cast<std::size_t>(static_cast<double>(bytes) * share), scratch};
  }
};

// Values of 64 bits inside a record.
inline void put(std::uint32_t* at, std::uint64_t value) noexcept {
  at[0] = static_cast<std::uint32_t>(value >> 32);
  at[1] = static_cast<std::uint32_t>(value);
}
inline void put(std::uint32_t* at, double value) noexcept { put(at, std::bit_cast<std::uint64_t>(value)); }
[[nodiscard]] inline std::uint64_t get(const std::uint32_t* at) noexcept {
  return (std::uint64_t{at[0]} << 32) | at[1];
}
[[nodiscard]] inline double get_double(const std::uint32_t* at) noexcept { return std::bit_cast<double>(get(at)); }

class RecordSpool {
 public:
  explicit RecordSpool(std::size_t width, Budget budget = {}) : width_(width), budget_(std::move(budget)) {}

  void append(std::span<const std::uint32_t> record);
  [[nodiscard]] std::size_t width() const noexcept { return width_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  // Brings everything into memory, whatever the budget; records can then be reached by number.
  void load();
  // All of `count` records in memory, zero, to be filled in any order.
  void fill(std::uint64_t count);
  [[nodiscard]] std::uint32_t* record(std::uint64_t index) noexcept { return memory_.data() + index * width_; }
  [[nodiscard]] const std::uint32_t* record(std::uint64_t index) const noexcept {
    return memory_.data() + index * width_;
  }

  // Reads the records in order; several readers may follow each other, one at a time unless all is in memory.
  class Reader {
   public:
    explicit Reader(const RecordSpool& spool) : spool_(&spool) {}
    // The next record, or nullptr at the end; valid until the next call.
    const std::uint32_t* next();

   private:
    const RecordSpool* spool_;
    std::uint64_t position_ = 0;
    std::vector<std::uint32_t> block_;
    std::uint64_t block_start_ = 0, block_records_ = 0;
  };

 private:
  std::size_t width_;
  Budget budget_;
  std::uint64_t size_ = 0, spilled_ = 0;  // the first `spilled_` records are in the file
  std::vector<std::uint32_t> memory_;
  std::unique_ptr<ScratchFile> file_;
};

// Sorts records by their first `key` numbers, lexicographically; equal keys keep the order in which they came.
class RecordSorter {
 public:
  RecordSorter(std::size_t width, std::size_t key, Budget budget = {});

  void append(std::span<const std::uint32_t> record);
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  // Calls use(record) for all records in order, once; the sorter is empty afterwards.
  template <typename Use>
  void drain(Use&& use) {
    begin();
    for (const std::uint32_t* record = next(); record != nullptr; record = next()) use(record);
    release();
  }

 private:
  struct Run {  // sorted records in a file, read block by block
    std::unique_ptr<ScratchFile> file;
    std::uint64_t records = 0, position = 0, block_start = 0, block_records = 0;
    std::vector<std::uint32_t> block;
  };

  [[nodiscard]] std::vector<std::uint32_t> sorted_order() const;
  [[nodiscard]] bool less(const std::uint32_t* a, const std::uint32_t* b) const noexcept;
  void spill();
  void begin();
  const std::uint32_t* next();
  const std::uint32_t* current(Run& run);
  void release();

  std::size_t width_, key_;
  Budget budget_;
  std::uint64_t size_ = 0;
  std::vector<std::uint32_t> memory_;
  std::vector<std::uint32_t> order_;  // of the records in memory
  std::size_t in_order_ = 0;
  std::vector<Run> runs_;
  std::vector<std::size_t> heap_;  // runs by their current record
};

}  // namespace dragoman::lm
