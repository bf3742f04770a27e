#include "grammar/codebook.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "common/hash.hpp"

namespace dragoman::grammar {
namespace {

constexpr std::size_t kByte = 256, kTwoBytes = 65536;

std::size_t slot_of(float value, std::size_t slots) { return mix(std::bit_cast<std::uint32_t>(value)) & (slots - 1); }

// Distinct values, ascending; empty if there are more than `most`.
std::vector<float> distinct(std::span<const float> matrix, std::size_t column, std::size_t columns, std::size_t most) {
  std::vector<std::uint32_t> slots(std::bit_ceil(most * 2), 0);
  std::vector<float> found;
  for (std::size_t at = column; at < matrix.size(); at += columns) {
    const float value = matrix[at];
    std::size_t slot = slot_of(value, slots.size());
    while (slots[slot] != 0 && found[slots[slot] - 1] != value) slot = (slot + 1) & (slots.size() - 1);
    if (slots[slot] != 0) continue;
    if (found.size() == most) return {};
    found.push_back(value);
    slots[slot] = static_cast<std::uint32_t>(found.size());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<float> quantized(std::span<const float> matrix, std::size_t column, std::size_t columns) {
  // A histogram over the upper half of the bits, which keeps the order of floats; sums are exact enough in double.
  struct Bucket {
    double sum = 0, count = 0;
  };
  std::vector<Bucket> buckets(kTwoBytes);
  for (std::size_t at = column; at < matrix.size(); at += columns) {
    const auto bits = std::bit_cast<std::uint32_t>(matrix[at]);
    const std::uint32_t ordered = (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
    Bucket& bucket = buckets[ordered >> 16];
    bucket.sum += matrix[at];
    ++bucket.count;
  }
  std::erase_if(buckets, [](const Bucket& bucket) { return bucket.count == 0; });
  double total = 0;
  for (const Bucket& bucket : buckets) total += bucket.count;
  std::vector<double> centres;
  double seen = 0, next = 0.5;
  for (const Bucket& bucket : buckets) {
    seen += bucket.count;
    if (seen * static_cast<double>(kByte) / total >= next) {
      centres.push_back(bucket.sum / bucket.count);
      next = std::floor(seen * static_cast<double>(kByte) / total) + 0.5;
    }
  }
  for (int round = 0; round < 20; ++round) {
    std::vector<Bucket> cells(centres.size());
    std::size_t cell = 0;
    for (const Bucket& bucket : buckets) {
      const double mean = bucket.sum / bucket.count;
      while (cell + 1 < centres.size() && std::abs(centres[cell + 1] - mean) <= std::abs(centres[cell] - mean)) ++cell;
      cells[cell].sum += bucket.sum;
      cells[cell].count += bucket.count;
    }
    for (std::size_t c = 0; c < centres.size(); ++c)
      if (cells[c].count > 0) centres[c] = cells[c].sum / cells[c].count;
  }
  std::vector<float> values;
  for (const double centre : centres) values.push_back(static_cast<float>(centre));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

Codebook fit_codebook(std::span<const float> matrix, std::size_t column, std::size_t columns, bool lossy) {
  const std::size_t rows = matrix.size() / columns;
  Codebook book;
  book.values = distinct(matrix, column, columns, kByte);
  if (book.values.empty() && lossy && rows != 0) book.values = quantized(matrix, column, columns);
  if (!book.values.empty()) {
    book.width = 1;
    if (!lossy && rows * 3 < kByte * sizeof(float)) book.width = 4;  // the codebook would outweigh what it saves
  } else if (rows * 2 > kTwoBytes * sizeof(float)) {
    book.values = distinct(matrix, column, columns, kTwoBytes);
    if (!book.values.empty()) book.width = 2;
  }
  book.used = book.values.size();
  if (book.width == 4) {
    book.values.clear();
    book.used = 0;
  } else {
    book.values.resize(book.width == 1 ? kByte : kTwoBytes, book.values.back());
  }
  return book;
}

CodebookEncoder::CodebookEncoder(const Codebook& book) : book_(book) {
  if (book.width == 4) return;
  slots_.resize(std::bit_ceil(book.used * 2 + 2));
  for (std::size_t code = 0; code < book.used; ++code) {
    std::size_t slot = slot_of(book.values[code], slots_.size());
    while (slots_[slot].entry != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = {book.values[code], static_cast<std::uint32_t>(code + 1)};
  }
}

std::uint32_t CodebookEncoder::nearest(float value) const noexcept {
  const auto begin = book_.values.begin(), end = begin + static_cast<std::ptrdiff_t>(book_.used);
  const auto above = std::lower_bound(begin, end, value);
  if (above == begin) return 0;
  if (above == end) return static_cast<std::uint32_t>(book_.used - 1);
  const auto below = above - 1;
  return static_cast<std::uint32_t>((value - *below <= *above - value ? below : above) - begin);
}

void CodebookEncoder::write(float value, std::uint8_t* out) const noexcept {
  if (book_.width == 4) {
    std::memcpy(out, &value, 4);
    return;
  }
  std::size_t slot = slot_of(value, slots_.size());
  while (slots_[slot].entry != 0 && slots_[slot].value != value) slot = (slot + 1) & (slots_.size() - 1);
  const std::uint32_t code = slots_[slot].entry != 0 ? slots_[slot].entry - 1 : nearest(value);
  std::memcpy(out, &code, static_cast<std::size_t>(book_.width));
}

}  // namespace dragoman::grammar
