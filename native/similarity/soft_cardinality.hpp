#pragma once
// Soft cardinality: how many different words a text has when words that are spelled alike count less than one each
// (Jimenez, Becerra and Gelbukh 2012).
#include <string_view>
#include <vector>

#include "common/parallel.hpp"

namespace dragoman::similarity {

// For each pair of texts, words between single blanks, no word twice in a text: the soft cardinality of the first, of
// the second, and of both together. Two words are as alike as their pairs of neighbouring letters, with marks at both
// ends (Dice), raised to `power`.
[[nodiscard]] std::vector<double> soft_cardinalities(const std::vector<std::string_view>& first,
                                                     const std::vector<std::string_view>& second, double power,
                                                     int threads, const StopCallback& stop);

}  // namespace dragoman::similarity
