#pragma once
// All pairs of a large text whose words overlap enough, found without comparing all pairs: an inverted index of the
// rarest words of each line, which lines that overlap must share (Chaudhuri, Ganti and Kaushik 2006; Bayardo, Ma and
// Srikant 2007). The result is exact.
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/parallel.hpp"

namespace dragoman::similarity {

struct NearDuplicates {
  std::vector<std::int64_t> first, second;  // numbers of lines, first < second
  std::vector<double> jaccard;
};

// Pairs of lines (words between single blanks) that share at least `least` of the different words that both have
// together; sorted. A line without words is in no pair.
[[nodiscard]] NearDuplicates near_duplicates(const std::vector<std::string_view>& lines, double least, int threads,
                                             const StopCallback& stop);

}  // namespace dragoman::similarity
