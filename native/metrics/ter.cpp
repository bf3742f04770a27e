#include "metrics/ter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace dragoman::metrics {
namespace {

constexpr std::int32_t kFarAway = 1 << 29;

}  // namespace

TerAligner::Band TerAligner::band(std::int32_t row) const noexcept {
  const auto columns = static_cast<std::int32_t>(reference_.size()) + 1;
  if (row == 0) return {0, columns};
  const auto diagonal = static_cast<std::int32_t>(std::floor(row * ratio_));
  const bool last = row == static_cast<std::int32_t>(words_.size());
  return {std::max(0, diagonal - beam_), last ? columns : std::min(columns, diagonal + beam_)};
}

// One row of the edit matrix from the row above; cells outside a band are out of reach.
void TerAligner::next_row(const std::int32_t* before, Band before_band, std::int32_t* here, Band here_band,
                          WordId word) const {
  const auto above = [&](std::int32_t column) {
    return column >= before_band.first && column < before_band.last ? before[column] : kFarAway;
  };
  std::int32_t column = here_band.first;
  std::int32_t left = kFarAway;
  if (column == 0) {
    left = here[0] = above(0) + 1;
    ++column;
  }
  const std::int32_t inside = std::min(here_band.last, before_band.last);
  std::int32_t diagonal = column > 0 && column <= here_band.last ? above(column - 1) : kFarAway;
  for (; column < inside; ++column) {
    const std::int32_t up = before[column];
    const std::int32_t matched = diagonal + (word == reference_[static_cast<std::size_t>(column - 1)] ? 0 : 1);
    left = std::min({matched, up + 1, left + 1});
    here[column] = left;
    diagonal = up;
  }
  for (; column < here_band.last; ++column) {
    const std::int32_t matched = diagonal + (word == reference_[static_cast<std::size_t>(column - 1)] ? 0 : 1);
    left = std::min(matched, left + 1);
    here[column] = left;
    diagonal = kFarAway;
  }
}

void TerAligner::fill_matrix() {
  const auto rows = words_.size() + 1;
  row_start_.resize(rows);
  std::size_t size = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const Band range = band(static_cast<std::int32_t>(i));
    row_start_[i] = size;
    size += static_cast<std::size_t>(range.last - range.first);
  }
  cells_.resize(size);
  for (std::size_t j = 0; j <= reference_.size(); ++j) cells_[j] = static_cast<std::int32_t>(j);
  for (std::size_t i = 1; i < rows; ++i) {
    const Band before = band(static_cast<std::int32_t>(i) - 1), here = band(static_cast<std::int32_t>(i));
    next_row(cells_.data() + row_start_[i - 1] - before.first, before, cells_.data() + row_start_[i] - here.first, here,
             words_[i - 1]);
  }
}

std::int32_t TerAligner::cell(std::int32_t row, std::int32_t column) const noexcept {
  const Band range = band(row);
  if (column < range.first || column >= range.last) return kFarAway;
  return cells_[row_start_[static_cast<std::size_t>(row)] + static_cast<std::size_t>(column - range.first)];
}

// Walks back through the matrix, preferring a match or substitution, then dropping a hypothesis word, then adding a
// reference word; leaves the alignment and the running sums of errors.
void TerAligner::trace() {
  auto i = static_cast<std::int32_t>(words_.size());
  auto j = static_cast<std::int32_t>(reference_.size());
  aligned_.assign(reference_.size(), -1);
  partners_.assign(reference_.size(), -1);
  hypothesis_errors_.assign(words_.size() + 1, 0);
  reference_errors_.assign(reference_.size() + 1, 0);
  while (i > 0 || j > 0) {
    const std::int32_t here = cell(i, j);
    const auto h = static_cast<std::size_t>(i), r = static_cast<std::size_t>(j);
    if (i > 0 && j > 0) {
      const bool same = words_[h - 1] == reference_[r - 1];
      if (here == cell(i - 1, j - 1) + (same ? 0 : 1)) {
        aligned_[r - 1] = partners_[r - 1] = i - 1;
        hypothesis_errors_[h] = reference_errors_[r] = same ? 0 : 1;
        --i;
        --j;
        continue;
      }
    }
    if (i > 0 && (j == 0 || here == cell(i - 1, j) + 1)) {
      hypothesis_errors_[h] = 1;
      --i;
    } else {
      aligned_[r - 1] = i - 1;
      reference_errors_[r] = 1;
      --j;
    }
  }
  for (std::size_t k = 1; k < hypothesis_errors_.size(); ++k) hypothesis_errors_[k] += hypothesis_errors_[k - 1];
  for (std::size_t k = 1; k < reference_errors_.size(); ++k) reference_errors_[k] += reference_errors_[k - 1];
}

void TerAligner::make_candidate(std::int32_t start, std::int32_t length, std::int32_t target) {
  candidate_ = words_;
  const auto first = candidate_.begin() + start, last = first + length;
  if (target < start) {
    std::rotate(candidate_.begin() + target, first, last);
  } else {
    // A target inside the block means as many words further, as far as there are any.
    const auto words = static_cast<std::int32_t>(words_.size());
    const std::int32_t end = std::min(words, target > start + length ? target : target + length);
    std::rotate(first, last, candidate_.begin() + end);
  }
}

std::int32_t TerAligner::distance_of_candidate() {
  // Rows above the first changed word are those of the current hypothesis.
  const auto changed =
      static_cast<std::int32_t>(std::mismatch(words_.begin(), words_.end(), candidate_.begin()).first - words_.begin());
  const auto rows = static_cast<std::int32_t>(words_.size());
  if (changed == rows) return cell(rows, static_cast<std::int32_t>(reference_.size()));
  const std::int32_t* before = cells_.data() + row_start_[static_cast<std::size_t>(changed)] - band(changed).first;
  for (std::int32_t i = changed + 1; i <= rows; ++i) {
    next_row(before, band(i - 1), below_.data(), band(i), candidate_[static_cast<std::size_t>(i - 1)]);
    above_.swap(below_);
    before = above_.data();
  }
  return above_[reference_.size()];
}

TerAligner::Best TerAligner::best_shift(std::int32_t& checked) {
  const auto words = static_cast<std::int32_t>(words_.size());
  const auto length_of_reference = static_cast<std::int32_t>(reference_.size());
  const std::int32_t now = cell(words, length_of_reference);
  trace();
  const auto errors = [](const std::vector<std::int32_t>& sums, std::int32_t start, std::int32_t length) {
    return sums[static_cast<std::size_t>(start + length)] - sums[static_cast<std::size_t>(start)];
  };
  Best best;
  for (std::int32_t h = 0; h < words; ++h) {
    const std::int32_t first = std::max(0, h - kMaxShiftDistance);
    const std::int32_t last = std::min(length_of_reference - 1, h + kMaxShiftDistance);
    for (std::int32_t r = first; r <= last; ++r) {
      const std::int32_t longest = std::min({kMaxShiftSize, words - h, length_of_reference - r});
      for (std::int32_t length = 1; length <= longest; ++length) {
        const auto end = static_cast<std::size_t>(length - 1);
        if (words_[static_cast<std::size_t>(h) + end] != reference_[static_cast<std::size_t>(r) + end]) break;
        if (errors(hypothesis_errors_, h, length) == 0 || errors(reference_errors_, r, length) == 0) continue;
        const std::int32_t there = aligned_[static_cast<std::size_t>(r)];
        if (h <= there && there < h + length) continue;
        std::int32_t tried = -1;
        for (std::int32_t offset = -1; offset < length; ++offset) {
          const std::int32_t target = r + offset < 0 ? 0 : aligned_[static_cast<std::size_t>(r + offset)] + 1;
          if (target == tried) continue;
          tried = target;
          make_candidate(h, length, target);
          const std::int32_t gain = now - distance_of_candidate();
          ++checked;
          if (!best.found ||
              std::tuple(gain, length, -h, -target) > std::tuple(best.gain, best.length, -best.start, -best.target)) {
            best = {gain, length, h, target, true};
          }
        }
        if (checked >= kMaxShiftCandidates) return best;
      }
    }
  }
  return best;
}

TerAligner::Result TerAligner::align(Words hypothesis, Words reference) {
  constexpr auto kLongest = static_cast<std::size_t>(kFarAway / 4);
  if (hypothesis.size() > kLongest || reference.size() > kLongest) throw InputError("a segment of too many words");
  if (reference.empty()) return {static_cast<std::int64_t>(hypothesis.size()), 0};
  if (hypothesis.empty()) return {static_cast<std::int64_t>(reference.size()), 0};
  words_.assign(hypothesis.begin(), hypothesis.end());
  reference_ = reference;
  ratio_ = static_cast<double>(reference.size()) / static_cast<double>(hypothesis.size());
  beam_ = kEditBeam < ratio_ / 2 ? static_cast<std::int32_t>(std::ceil(ratio_ / 2 + kEditBeam)) : kEditBeam;
  above_.resize(reference.size() + 1);
  below_.resize(reference.size() + 1);
  std::int64_t shifts = 0;
  std::int32_t checked = 0;
  fill_matrix();
  while (true) {
    const Best best = best_shift(checked);
    if (checked >= kMaxShiftCandidates || best.gain <= 0) break;
    ++shifts;
    make_candidate(best.start, best.length, best.target);
    words_.swap(candidate_);
    fill_matrix();
  }
  const std::int32_t left = cell(static_cast<std::int32_t>(words_.size()), static_cast<std::int32_t>(reference.size()));
  return {shifts + left, shifts};
}

TerAligner::Alignment TerAligner::alignment(Words hypothesis, Words reference) {
  if (hypothesis.empty() || reference.empty())
    return {{hypothesis.begin(), hypothesis.end()}, std::vector<std::int32_t>(reference.size(), -1)};
  (void)align(hypothesis, reference);
  trace();
  return {words_, partners_};
}

std::vector<double> ter_statistics(const EncodedLines& hypotheses, const References& references, int threads,
                                   const StopCallback& stop) {
  check_segments(hypotheses, references);
  return fill_statistics<TerAligner>(hypotheses.size(), 2, threads, stop,
                                     [&](TerAligner& aligner, std::size_t i, std::span<double> row) {
                                       double length = 0;
                                       std::int64_t least = std::numeric_limits<std::int64_t>::max();
                                       for (std::size_t r = references.begin(i); r < references.end(i); ++r) {
                                         const Words reference = references.lines.line(r);
                                         length += static_cast<double>(reference.size());
                                         least = std::min(least, aligner.align(hypotheses.line(i), reference).edits);
                                       }
                                       row[0] = static_cast<double>(least);
                                       row[1] = length / static_cast<double>(references.end(i) - references.begin(i));
                                     });
}

}  // namespace dragoman::metrics
