#include "metrics/edits.hpp"

#include <algorithm>
#include <array>

namespace dragoman::metrics {

std::int64_t levenshtein(Words hypothesis, Words reference, EditScratch& scratch) {
  if (reference.empty()) return static_cast<std::int64_t>(hypothesis.size());
  if (hypothesis.empty()) return static_cast<std::int64_t>(reference.size());
  const std::size_t blocks = (reference.size() + 63) / 64;
  auto& [table, masks, plus, minus, row, counts] = scratch;
  table.clear();
  masks.clear();
  for (std::size_t j = 0; j < reference.size(); ++j) {
    const std::size_t number = table.add(NgramTable::kRoot, reference[j]);
    if (number * blocks == masks.size()) masks.resize(masks.size() + blocks, 0);
    masks[number * blocks + j / 64] |= std::uint64_t{1} << (j % 64);
  }
  plus.assign(blocks, ~std::uint64_t{0});
  minus.assign(blocks, 0);
  auto distance = static_cast<std::int64_t>(reference.size());
  const std::uint64_t last = std::uint64_t{1} << ((reference.size() - 1) % 64);
  for (const WordId word : hypothesis) {
    const std::uint32_t number = table.find(NgramTable::kRoot, word);
    int carry = 1;  // the horizontal difference that enters a block from above: +1, 0 or -1
    for (std::size_t b = 0; b < blocks; ++b) {
      std::uint64_t equal = number == NgramTable::kNone ? 0 : masks[number * blocks + b];
      const std::uint64_t up = plus[b], down = minus[b];
      const std::uint64_t vertical = equal | down;
      if (carry < 0) equal |= 1;
      const std::uint64_t horizontal = (((equal & up) + up) ^ up) | equal;
      std::uint64_t rise = down | ~(horizontal | up);
      std::uint64_t fall = up & horizontal;
      const std::uint64_t high = b + 1 == blocks ? last : std::uint64_t{1} << 63;
      const int out = (rise & high) != 0 ? 1 : (fall & high) != 0 ? -1 : 0;
      rise = (rise << 1) | (carry > 0 ? 1 : 0);
      fall = (fall << 1) | (carry < 0 ? 1 : 0);
      plus[b] = fall | ~(vertical | rise);
      minus[b] = rise & vertical;
      carry = out;
    }
    distance += carry;
  }
  return distance;
}

std::int64_t bag_distance(Words hypothesis, Words reference, EditScratch& scratch) {
  scratch.table.clear();
  scratch.counts.clear();
  for (const WordId word : reference) {
    const std::uint32_t number = scratch.table.add(NgramTable::kRoot, word);
    if (number == scratch.counts.size()) scratch.counts.push_back(0);
    ++scratch.counts[number];
  }
  std::int64_t common = 0;
  for (const WordId word : hypothesis) {
    const std::uint32_t number = scratch.table.find(NgramTable::kRoot, word);
    if (number != NgramTable::kNone && scratch.counts[number] > 0) {
      --scratch.counts[number];
      ++common;
    }
  }
  return static_cast<std::int64_t>(std::max(hypothesis.size(), reference.size())) - common;
}

std::int64_t jump_distance(Words hypothesis, Words reference, EditScratch& scratch) {
  // row[i]: cheapest way to have read up to position i of the hypothesis with the reference covered so far.
  std::vector<std::int64_t>& row = scratch.row;
  row.resize(hypothesis.size() + 1);
  const auto relax = [&row] {
    for (std::size_t i = 1; i < row.size(); ++i) row[i] = std::min(row[i], row[i - 1] + 1);
    const std::int64_t jump = *std::min_element(row.begin(), row.end()) + 1;
    for (std::int64_t& cost : row) cost = std::min(cost, jump);
  };
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<std::int64_t>(i);
  relax();
  for (const WordId word : reference) {
    std::int64_t diagonal = row[0];
    row[0] += 1;
    for (std::size_t i = 1; i < row.size(); ++i) {
      const std::int64_t matched = diagonal + (hypothesis[i - 1] == word ? 0 : 1);
      diagonal = row[i];
      row[i] = std::min(matched, row[i] + 1);
    }
    relax();
  }
  return row.back();
}

std::vector<double> edit_statistics(const EncodedLines& hypotheses, const References& references, EditKind kind,
                                    int threads, const StopCallback& stop) {
  check_segments(hypotheses, references);
  return fill_statistics<EditScratch>(
      hypotheses.size(), 2, threads, stop, [&](EditScratch& scratch, std::size_t i, std::span<double> row) {
        const Words hypothesis = hypotheses.line(i);
        for (std::size_t r = references.begin(i); r < references.end(i); ++r) {
          const Words reference = references.lines.line(r);
          const std::int64_t edits = kind == EditKind::kWer   ? levenshtein(hypothesis, reference, scratch)
                                     : kind == EditKind::kPer ? bag_distance(hypothesis, reference, scratch)
                                                              : jump_distance(hypothesis, reference, scratch);
          const std::array<double, 2> found{static_cast<double>(edits), static_cast<double>(reference.size())};
          if (r == references.begin(i) || edit_rate(found) < edit_rate(row)) {
            std::copy(found.begin(), found.end(), row.begin());
          }
        }
      });
}

}  // namespace dragoman::metrics
