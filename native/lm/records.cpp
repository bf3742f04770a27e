#include "lm/records.hpp"

#include <algorithm>

namespace dragoman::lm {
namespace {

// Room for a whole budget at once, untouched until used: growing by doubling would need up to three times as much.
void reserve(std::vector<std::uint32_t>& memory, std::size_t bytes, std::size_t width) {
  constexpr std::size_t kMost = std::size_t{1} << 32;
  if (memory.capacity() == 0 && bytes < kMost) memory.reserve(bytes / sizeof(std::uint32_t) + width);
}

constexpr std::size_t kBlockValues = std::size_t{1} << 16;  // read ahead of a run or spool: 256 KiB

}  // namespace

void RecordSpool::append(std::span<const std::uint32_t> record) {
  reserve(memory_, budget_.bytes, width_);
  memory_.insert(memory_.end(), record.begin(), record.end());
  ++size_;
  if (memory_.size() * sizeof(std::uint32_t) < std::max(budget_.bytes, kBlockValues)) return;
  if (!file_) file_ = std::make_unique<ScratchFile>(budget_.scratch);
  file_->append(memory_);
  memory_.clear();
  spilled_ = size_;
}

void RecordSpool::load() {
  if (spilled_ == 0) return;
  std::vector<std::uint32_t> all(size_ * width_);
  file_->read(0, std::span(all).first(spilled_ * width_));
  std::copy(memory_.begin(), memory_.end(), all.begin() + static_cast<std::ptrdiff_t>(spilled_ * width_));
  memory_ = std::move(all);
  file_.reset();
  spilled_ = 0;
}

void RecordSpool::fill(std::uint64_t count) {
  memory_.assign(count * width_, 0);
  size_ = count;
}

const std::uint32_t* RecordSpool::Reader::next() {
  if (position_ == spool_->size_) return nullptr;
  const std::uint64_t index = position_++;
  if (index >= spool_->spilled_) return spool_->memory_.data() + (index - spool_->spilled_) * spool_->width_;
  if (index >= block_start_ + block_records_) {
    const std::uint64_t wanted =
        std::min<std::uint64_t>(std::max<std::size_t>(1, kBlockValues / spool_->width_), spool_->spilled_ - index);
    block_.resize(wanted * spool_->width_);
    spool_->file_->read(index * spool_->width_, block_);
    block_start_ = index;
    block_records_ = wanted;
  }
  return block_.data() + (index - block_start_) * spool_->width_;
}

RecordSorter::RecordSorter(std::size_t width, std::size_t key, Budget budget)
    : width_(width), key_(key), budget_(std::move(budget)) {}

void RecordSorter::append(std::span<const std::uint32_t> record) {
  reserve(memory_, budget_.bytes / (width_ * sizeof(std::uint32_t) + 16) * width_ * sizeof(std::uint32_t), width_);
  memory_.insert(memory_.end(), record.begin(), record.end());
  ++size_;
  // Sorting needs 16 bytes a record beside the records.
  const std::size_t records = memory_.size() / width_;
  if (records * (width_ * sizeof(std::uint32_t) + 16) >= std::max(budget_.bytes, kBlockValues) ||
      records == std::numeric_limits<std::uint32_t>::max())
    spill();
}

bool RecordSorter::less(const std::uint32_t* a, const std::uint32_t* b) const noexcept {
  for (std::size_t i = 0; i < key_; ++i)
    if (a[i] != b[i]) return a[i] < b[i];
  return false;
}

std::vector<std::uint32_t> RecordSorter::sorted_order() const {
  struct Item {
    std::uint64_t head;  // the first two numbers of the key decide nearly every comparison without touching the record
    std::uint32_t index;
  };
  const std::size_t count = memory_.size() / width_;
  std::vector<Item> items(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t* record = memory_.data() + i * width_;
    items[i] = {(std::uint64_t{record[0]} << 32) | (key_ > 1 ? record[1] : 0), static_cast<std::uint32_t>(i)};
  }
  std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
    if (a.head != b.head) return a.head < b.head;
    const std::uint32_t* x = memory_.data() + std::size_t{a.index} * width_;
    const std::uint32_t* y = memory_.data() + std::size_t{b.index} * width_;
    for (std::size_t i = 2; i < key_; ++i)
      if (x[i] != y[i]) return x[i] < y[i];
    return a.index < b.index;
  });
  std::vector<std::uint32_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = items[i].index;
  return order;
}

void RecordSorter::spill() {
  Run run;
  run.file = std::make_unique<ScratchFile>(budget_.scratch);
  std::vector<std::uint32_t> block;
  block.reserve(kBlockValues + width_);
  for (const std::uint32_t index : sorted_order()) {
    const std::uint32_t* record = memory_.data() + std::size_t{index} * width_;
    block.insert(block.end(), record, record + width_);
    ++run.records;
    if (block.size() >= kBlockValues) {
      run.file->append(block);
      block.clear();
    }
  }
  run.file->append(block);
  memory_.clear();
  runs_.push_back(std::move(run));
}

const std::uint32_t* RecordSorter::current(Run& run) {
  if (run.position >= run.block_start + run.block_records) {
    // All runs are open at once while merging: share the budget between their read-ahead blocks.
    const std::size_t share =
        std::clamp<std::size_t>(budget_.bytes / sizeof(std::uint32_t) / (runs_.size() + 1), width_ * 16, kBlockValues);
    const std::uint64_t wanted = std::min<std::uint64_t>(share / width_, run.records - run.position);
    run.block.resize(wanted * width_);
    run.file->read(run.position * width_, run.block);
    run.block_start = run.position;
    run.block_records = wanted;
  }
  return run.block.data() + (run.position - run.block_start) * width_;
}

void RecordSorter::begin() {
  if (runs_.empty()) {
    order_ = sorted_order();
    in_order_ = 0;
    return;
  }
  if (!memory_.empty()) spill();
  std::vector<std::uint32_t>().swap(memory_);
  for (std::size_t i = 0; i < runs_.size(); ++i) heap_.push_back(i);
  // A heap with the smallest on top; among equal keys the earlier run comes first.
  const auto later = [&](std::size_t a, std::size_t b) {
    const std::uint32_t* x = current(runs_[a]);
    const std::uint32_t* y = current(runs_[b]);
    return less(y, x) || (!less(x, y) && a > b);
  };
  std::make_heap(heap_.begin(), heap_.end(), later);
  in_order_ = runs_.size();  // no run is ahead yet
}

const std::uint32_t* RecordSorter::next() {
  if (runs_.empty()) {
    if (in_order_ == order_.size()) return nullptr;
    return memory_.data() + std::size_t{order_[in_order_++]} * width_;
  }
  const auto later = [&](std::size_t a, std::size_t b) {
    const std::uint32_t* x = current(runs_[a]);
    const std::uint32_t* y = current(runs_[b]);
    return less(y, x) || (!less(x, y) && a > b);
  };
  if (in_order_ < runs_.size()) {  // the run whose record was given out last moves on
    Run& run = runs_[in_order_];
    if (++run.position < run.records) {
      heap_.push_back(in_order_);
      std::push_heap(heap_.begin(), heap_.end(), later);
    }
  }
  if (heap_.empty()) return nullptr;
  std::pop_heap(heap_.begin(), heap_.end(), later);
  in_order_ = heap_.back();
  heap_.pop_back();
  return current(runs_[in_order_]);
}

void RecordSorter::release() {
  size_ = 0;
  in_order_ = 0;
  std::vector<std::uint32_t>().swap(memory_);
  std::vector<std::uint32_t>().swap(order_);
  runs_.clear();
  heap_.clear();
}

}  // namespace dragoman::lm
