#include "metrics/terp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "metrics/ter.hpp"

namespace dragoman::metrics {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr double kTiny = 1e-9;  // differences of costs below it are rounding

void move_block(std::vector<std::int32_t>& order, std::int32_t start, std::int32_t length, std::int32_t target) {
  const auto first = order.begin() + start, last = first + length;
  if (target < start) {
    std::rotate(order.begin() + target, first, last);
  } else {
    const auto words = static_cast<std::int32_t>(order.size());
    std::rotate(first, last, order.begin() + std::min(words, target > start + length ? target : target + length));
  }
}

}  // namespace

void TerpAligner::relate(Words hypothesis, Words reference, const WordRelations& relations,
                         const TerpOptions& options) {
  pair_cost_.resize(hypothesis.size() * reference.size());
  matches_.resize(pair_cost_.size());
  for (std::size_t h = 0; h < hypothesis.size(); ++h) {
    for (std::size_t r = 0; r < reference.size(); ++r) {
      const bool same = hypothesis[h] == reference[r];
      double cost = same ? 0 : options.substitution;
      bool related = same;
      if (!same && relations.same_stem(hypothesis[h], reference[r])) {
        cost = std::min(cost, options.stem);
        related = related || options.relaxed;
      }
      if (!same && relations.synonyms(hypothesis[h], reference[r])) {
        cost = std::min(cost, options.synonym);
        related = related || options.relaxed;
      }
      pair_cost_[h * reference.size() + r] = cost;
      matches_[h * reference.size() + r] = related ? 1 : 0;
    }
  }
}

// Arcs of the hypothesis in its present order, sorted by the row they end in.
void TerpAligner::find_arcs(const std::vector<std::int32_t>& order, Words hypothesis, const PhrasePairs& phrases) {
  arcs_.clear();
  arcs_ending_.assign(order.size() + 1, 0);
  if (phrases.empty()) return;
  shifted_.clear();
  for (const std::int32_t h : order) shifted_.push_back(hypothesis[static_cast<std::size_t>(h)]);
  phrases.occurrences(shifted_, here_);
  for (const auto& h : here_) {
    for (const auto& r : there_) {
      const std::uint32_t pair = phrases.pair(h.phrase, r.phrase);
      if (pair != NgramTable::kNone) arcs_.push_back({h.start, h.length, r.start, r.length, phrases.value(pair)});
    }
  }
  std::stable_sort(arcs_.begin(), arcs_.end(), [](const Arc& a, const Arc& b) {
    return a.hypothesis + a.hypothesis_length < b.hypothesis + b.hypothesis_length;
  });
  for (const Arc& arc : arcs_) ++arcs_ending_[static_cast<std::size_t>(arc.hypothesis + arc.hypothesis_length)];
  std::partial_sum(arcs_ending_.begin(), arcs_ending_.end(), arcs_ending_.begin());
}

TerpAligner::Band TerpAligner::band(std::size_t row) const noexcept {
  const auto columns = static_cast<std::int64_t>(columns_) + 1;
  const auto diagonal = static_cast<std::int64_t>(std::floor(static_cast<double>(row) * ratio_));
  const bool wide = row == 0 || row == order_.size();
  return {row == 0 ? 0 : static_cast<std::size_t>(std::max<std::int64_t>(0, diagonal - beam_)),
          static_cast<std::size_t>(wide ? columns : std::min(columns, diagonal + beam_))};
}

double TerpAligner::distance(const std::vector<std::int32_t>& order, Words hypothesis, const PhrasePairs& phrases,
                             const TerpOptions& options) {
  find_arcs(order, hypothesis, phrases);
  const std::size_t rows = order.size();
  cells_.assign((rows + 1) * (columns_ + 1), kFar);
  operations_.assign(cells_.size(), kUnreached);
  for (std::size_t i = 0; i <= rows; ++i) {
    const auto [first, last] = band(i);
    for (std::size_t j = first; j < last; ++j) {
      double best = i == 0 && j == 0 ? 0 : kFar;
      std::int32_t operation = kUnreached;
      const auto offer = [&](double cost, std::int32_t how) {
        if (cost < best) {
          best = cost;
          operation = how;
        }
      };
      if (i > 0 && j > 0) {
        const auto word = static_cast<std::size_t>(order[i - 1]);
        offer(cells_[at(i - 1, j - 1)] + pair_cost_[word * columns_ + j - 1], kPair);
      }
      if (i > 0) offer(cells_[at(i - 1, j)] + options.insertion, kExtra);
      if (j > 0) offer(cells_[at(i, j - 1)] + options.deletion, kMissing);
      for (std::size_t k = i > 0 ? arcs_ending_[i - 1] : 0; k < arcs_ending_[i]; ++k) {
        const Arc& arc = arcs_[k];
        if (static_cast<std::size_t>(arc.reference + arc.reference_length) != j) continue;
        offer(cells_[at(static_cast<std::size_t>(arc.hypothesis), static_cast<std::size_t>(arc.reference))] + arc.cost,
              static_cast<std::int32_t>(k));
      }
      cells_[at(i, j)] = best;
      operations_[at(i, j)] = operation;
    }
  }
  return cells_[at(rows, columns_)];
}

// Rows above the first word that moved are those of the present order; of the others only costs are wanted.
double TerpAligner::distance_of_candidate(const TerpOptions& options) {
  const std::size_t rows = order_.size(), width = columns_ + 1;
  const auto moved = std::mismatch(order_.begin(), order_.end(), candidate_.begin()).first;
  const auto kept = static_cast<std::size_t>(moved - order_.begin());
  if (kept == rows) return cells_[at(rows, columns_)];
  const auto row = cells_.begin() + static_cast<std::ptrdiff_t>(at(kept, 0));
  above_.assign(row, row + static_cast<std::ptrdiff_t>(width));
  for (std::size_t i = kept + 1; i <= rows; ++i) {
    const auto [first, last] = band(i);
    below_.assign(width, kFar);
    const double* const pair = pair_cost_.data() + static_cast<std::size_t>(candidate_[i - 1]) * columns_;
    double left = kFar;
    for (std::size_t j = first; j < last; ++j) {
      const double paired = j > 0 ? above_[j - 1] + pair[j - 1] : kFar;
      left = std::min({paired, above_[j] + options.insertion, left + options.deletion});
      below_[j] = left;
    }
    above_.swap(below_);
  }
  return above_[columns_];
}

void TerpAligner::trace(const std::vector<std::int32_t>& order) {
  std::size_t i = order.size(), j = columns_;
  aligned_.assign(columns_, -1);
  hypothesis_errors_.assign(i + 1, 0);
  reference_errors_.assign(j + 1, 0);
  while (i > 0 || j > 0) {
    const std::int32_t operation = operations_[at(i, j)];
    if (operation == kPair) {
      aligned_[j - 1] = static_cast<std::int32_t>(i) - 1;
      const bool wrong = matches_[static_cast<std::size_t>(order[i - 1]) * columns_ + j - 1] == 0;
      hypothesis_errors_[i] = reference_errors_[j] = wrong ? 1 : 0;
      --i;
      --j;
    } else if (operation == kExtra) {
      hypothesis_errors_[i--] = 1;
    } else if (operation == kMissing) {
      aligned_[j - 1] = static_cast<std::int32_t>(i) - 1;
      reference_errors_[j--] = 1;
    } else {
      const Arc& arc = arcs_[static_cast<std::size_t>(operation)];
      for (std::int32_t k = 0; k < arc.reference_length; ++k) {
        aligned_[static_cast<std::size_t>(arc.reference + k)] = arc.hypothesis + std::min(k, arc.hypothesis_length - 1);
      }
      i = static_cast<std::size_t>(arc.hypothesis);
      j = static_cast<std::size_t>(arc.reference);
    }
  }
  std::partial_sum(hypothesis_errors_.begin(), hypothesis_errors_.end(), hypothesis_errors_.begin());
  std::partial_sum(reference_errors_.begin(), reference_errors_.end(), reference_errors_.begin());
}

TerpAligner::Best TerpAligner::best_shift(Words hypothesis, Words reference, const WordRelations& relations,
                                          const PhrasePairs& phrases, const TerpOptions& options, double now,
                                          std::int32_t& checked) {
  trace(order_);
  const auto words = static_cast<std::int32_t>(order_.size()), wanted = static_cast<std::int32_t>(reference.size());
  const auto errors = [](const std::vector<std::int32_t>& sums, std::int32_t start, std::int32_t length) {
    return sums[static_cast<std::size_t>(start + length)] - sums[static_cast<std::size_t>(start)];
  };
  Best best;
  // Tries to move the words [h, h+length) to where the reference has [r, r+reference_length).
  const auto consider = [&](std::int32_t h, std::int32_t length, std::int32_t r, std::int32_t reference_length) {
    if (errors(hypothesis_errors_, h, length) == 0 || errors(reference_errors_, r, reference_length) == 0) return;
    const std::int32_t there = aligned_[static_cast<std::size_t>(r)];
    if (h <= there && there < h + length) return;
    if (options.relaxed) {
      const auto first = order_.begin() + h;
      if (std::all_of(first, first + length, [&](std::int32_t k) {
            return relations.function_word(hypothesis[static_cast<std::size_t>(k)]);
          })) {
        return;
      }
    }
    std::int32_t tried = -1;
    for (std::int32_t offset = -1; offset < reference_length; ++offset) {
      const std::int32_t target = r + offset < 0 ? 0 : aligned_[static_cast<std::size_t>(r + offset)] + 1;
      if (target == tried) continue;
      tried = target;
      candidate_ = order_;
      move_block(candidate_, h, length, target);
      const double gain =
          now - (phrases.empty() ? distance_of_candidate(options) : distance(candidate_, hypothesis, phrases, options));
      ++checked;
      const bool better = gain > best.gain + kTiny;
      const bool same = std::abs(gain - best.gain) <= kTiny;
      if (!best.found || better ||
          (same && std::tuple(length, -h, -target) > std::tuple(best.length, -best.start, -best.target))) {
        best = {gain, length, h, target, true};
      }
    }
  };
  std::vector<Arc> movable;  // a copy: trying a shift finds new arcs
  if (options.relaxed && !phrases.empty()) {
    (void)distance(order_, hypothesis, phrases, options);
    movable = arcs_;
  }
  for (std::int32_t h = 0; h < words; ++h) {
    const std::int32_t first = std::max(0, h - kMaxShiftDistance), last = std::min(wanted - 1, h + kMaxShiftDistance);
    for (std::int32_t r = first; r <= last; ++r) {
      for (std::int32_t length = 1; length <= std::min({kMaxShiftSize, words - h, wanted - r}); ++length) {
        const auto word = static_cast<std::size_t>(order_[static_cast<std::size_t>(h + length - 1)]);
        if (matches_[word * columns_ + static_cast<std::size_t>(r + length - 1)] == 0) break;
        consider(h, length, r, length);
        if (checked >= kMaxShiftCandidates) return best;
      }
    }
  }
  for (const Arc& arc : movable) {
    if (arc.hypothesis_length > kMaxShiftSize || std::abs(arc.hypothesis - arc.reference) > kMaxShiftDistance) continue;
    consider(arc.hypothesis, arc.hypothesis_length, arc.reference, arc.reference_length);
    if (checked >= kMaxShiftCandidates) return best;
  }
  return best;
}

TerpAligner::Result TerpAligner::align(Words hypothesis, Words reference, const WordRelations& relations,
                                       const PhrasePairs& phrases, const TerpOptions& options, bool may_shift) {
  if (std::max(hypothesis.size(), reference.size()) > kMaxTerpWords) {
    throw InputError("a segment of more than " + std::to_string(kMaxTerpWords) + " words", "",
                     "split it, or leave TERp out");
  }
  columns_ = reference.size();
  ratio_ = hypothesis.empty() ? 1 : static_cast<double>(columns_) / static_cast<double>(hypothesis.size());
  beam_ = static_cast<std::int64_t>(options.beam < ratio_ / 2 ? std::ceil(ratio_ / 2 + options.beam)
                                                              : static_cast<double>(options.beam));
  order_.resize(hypothesis.size());
  std::iota(order_.begin(), order_.end(), 0);
  relate(hypothesis, reference, relations, options);
  phrases.occurrences(reference, there_);
  double now = distance(order_, hypothesis, phrases, options);
  std::int64_t shifts = 0;
  std::int32_t checked = 0;
  while (may_shift && !reference.empty()) {
    const Best best = best_shift(hypothesis, reference, relations, phrases, options, now, checked);
    if (checked >= kMaxShiftCandidates || !best.found || best.gain <= kTiny || best.gain < options.shift - kTiny) break;
    move_block(order_, best.start, best.length, best.target);
    now = distance(order_, hypothesis, phrases, options);
    ++shifts;
  }
  return {now + static_cast<double>(shifts) * options.shift, shifts};
}

void set_phrase_costs(PhrasePairs& phrases, const WordRelations& relations, const TerpOptions& options) {
  TerpAligner aligner;
  const PhrasePairs none;
  const auto pairs = phrases.all();
  const auto values = phrases.values();
  const auto& [p1, p2, p3, p4] = options.phrase;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double edits = aligner.align(pairs[i].hypothesis, pairs[i].reference, relations, none, options).cost;
    values[i] = std::max(0.0, p1 + edits * (p2 * std::log10(values[i]) + p3 * values[i] + p4));
  }
}

std::vector<double> terp_statistics(const EncodedLines& hypotheses, const References& references,
                                    const WordRelations& relations, const PhrasePairs& phrases,
                                    const TerpOptions& options, int threads, const StopCallback& stop) {
  check_segments(hypotheses, references);
  return fill_statistics<TerpAligner>(
      hypotheses.size(), 2, threads, stop, [&](TerpAligner& aligner, std::size_t i, std::span<double> row) {
        double length = 0, least = kFar;
        for (std::size_t r = references.begin(i); r < references.end(i); ++r) {
          const Words reference = references.lines.line(r);
          length += static_cast<double>(reference.size());
          least = std::min(least, aligner.align(hypotheses.line(i), reference, relations, phrases, options).cost);
        }
        row[1] = length / static_cast<double>(references.end(i) - references.begin(i));
        row[0] = options.capped ? std::min(least, row[1]) : least;
      });
}

}  // namespace dragoman::metrics
