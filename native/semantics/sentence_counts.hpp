#pragma once
// In how many sentence pairs a word of one language and a word of the other occur together: each counts once per pair.
#include <cstdint>
#include <span>

#include "common/ids.hpp"
#include "common/parallel.hpp"
#include "semantics/sparse_rows.hpp"

namespace dragoman::semantics {

// Ids of words and where sentences end.
struct SentenceIds {
  std::span<const WordId> words;
  std::span<const std::int64_t> ends;
};

// A row for each source word, empty for those without `rows[word]`, with counts of target words with `columns[word]`.
[[nodiscard]] Rows count_together(const SentenceIds& source, const SentenceIds& target,
                                  std::span<const std::uint8_t> rows, std::span<const std::uint8_t> columns,
                                  int threads, const StopCallback& stop);

}  // namespace dragoman::semantics
