#include "metrics/pairs.hpp"

#include <algorithm>

namespace dragoman::metrics {

NgramIndex::NgramIndex(const EncodedLines& references, int order) : order_(order) {
  std::vector<std::uint32_t> numbers;
  std::vector<std::pair<std::uint32_t, Posting>> all;
  for (std::size_t r = 0; r < references.size(); ++r) {
    numbers.clear();
    add_ngrams(table_, references.line(r), order, [&](int, std::uint32_t number) { numbers.push_back(number); });
    std::sort(numbers.begin(), numbers.end());
    for (std::size_t i = 0; i < numbers.size();) {
      std::size_t end = i;
      while (end < numbers.size() && numbers[end] == numbers[i]) ++end;
      all.emplace_back(numbers[i], Posting{static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(end - i)});
      i = end;
    }
  }
  ends_.assign(table_.size() + 1, 0);
  for (const auto& [number, posting] : all) ++ends_[number + 1];
  for (std::size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
  postings_.resize(all.size());
  std::vector<std::size_t> next(ends_.begin(), ends_.end());
  for (const auto& [number, posting] : all) postings_[next[number]++] = posting;
}

void NgramIndex::count_common(Words hypothesis, std::span<double> common, std::size_t stride, Scratch& scratch) const {
  scratch.counts.resize(table_.size(), 0);
  scratch.seen.clear();
  scratch.orders.clear();
  find_ngrams(table_, hypothesis, order_, [&](int n, std::uint32_t number) {
    if (scratch.counts[number]++ == 0) {
      scratch.seen.push_back(number);
      scratch.orders.push_back(static_cast<std::uint8_t>(n));
    }
  });
  for (std::size_t k = 0; k < scratch.seen.size(); ++k) {
    const std::uint32_t number = scratch.seen[k];
    const std::uint32_t here = scratch.counts[number];
    scratch.counts[number] = 0;
    double* const cells = common.data() + scratch.orders[k];
    for (std::size_t p = ends_[number]; p < ends_[number + 1]; ++p) {
      cells[postings_[p].reference * stride] += std::min(here, postings_[p].count);
    }
  }
}

std::vector<double> bleu_matrix(const EncodedLines& hypotheses, const EncodedLines& references,
                                const BleuOptions& options, int threads, const StopCallback& stop) {
  struct Worker {
    NgramIndex::Scratch scratch;
    std::vector<double> common, row;
  };
  const NgramIndex index(references, options.order);
  const auto orders = static_cast<std::size_t>(options.order);
  return fill_statistics<Worker>(
      hypotheses.size(), references.size(), threads, stop,
      [&](Worker& worker, std::size_t i, std::span<double> scores) {
        const Words hypothesis = hypotheses.line(i);
        worker.common.assign(references.size() * orders, 0.0);
        index.count_common(hypothesis, worker.common, orders, worker.scratch);
        worker.row.resize(2 * orders + 2);
        for (int n = 0; n < options.order; ++n) {
          worker.row[orders + static_cast<std::size_t>(n)] = ngram_total(hypothesis.size(), n);
        }
        for (std::size_t r = 0; r < references.size(); ++r) {
          std::copy_n(worker.common.begin() + static_cast<std::ptrdiff_t>(r * orders), orders, worker.row.begin());
          worker.row[2 * orders] = worker.row[2 * orders + 1] = static_cast<double>(references.line(r).size());
          scores[r] = bleu(worker.row, options).score;
        }
      });
}

std::vector<double> chrf_matrix(const EncodedLines& hypotheses, const EncodedLines& references,
                                const EncodedLines& hypothesis_words, const EncodedLines& reference_words,
                                const ChrfOptions& options, int threads, const StopCallback& stop) {
  if (options.word_order > 0 &&
      (hypothesis_words.size() != hypotheses.size() || reference_words.size() != references.size())) {
    throw InputError("characters and words are not of the same lines");
  }
  struct Worker {
    NgramIndex::Scratch character_scratch, word_scratch;
    std::vector<double> common, row;
  };
  const NgramIndex index(references, options.character_order), words(reference_words, options.word_order);
  const auto characters = static_cast<std::size_t>(options.character_order);
  const std::size_t orders = characters + static_cast<std::size_t>(options.word_order);
  return fill_statistics<Worker>(
      hypotheses.size(), references.size(), threads, stop,
      [&](Worker& worker, std::size_t i, std::span<double> scores) {
        worker.common.assign(references.size() * orders, 0.0);
        index.count_common(hypotheses.line(i), worker.common, orders, worker.character_scratch);
        if (options.word_order > 0) {
          words.count_common(hypothesis_words.line(i), std::span(worker.common).subspan(characters), orders,
                             worker.word_scratch);
        }
        worker.row.resize(3 * orders);
        for (std::size_t r = 0; r < references.size(); ++r) {
          for (std::size_t n = 0; n < orders; ++n) {
            const bool word = n >= characters;
            const int order = static_cast<int>(word ? n - characters : n);
            const std::size_t here = word ? hypothesis_words.line(i).size() : hypotheses.line(i).size();
            const std::size_t there = word ? reference_words.line(r).size() : references.line(r).size();
            const double total = ngram_total(there, order);
            worker.row[3 * n] = total > 0 ? ngram_total(here, order) : 0;
            worker.row[3 * n + 1] = total;
            worker.row[3 * n + 2] = worker.common[r * orders + n];
          }
          scores[r] = chrf(worker.row, options);
        }
      });
}

}  // namespace dragoman::metrics
