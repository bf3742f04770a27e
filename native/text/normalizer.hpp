#pragma once
// Punctuation normalisation: one list of substitutions, then the ends are stripped.
#include <string>
#include <string_view>
#include <vector>

#include "text/rewrite.hpp"

namespace dragoman::text {

class Normalizer {
 public:
  Normalizer(const std::vector<Substitution>& rules, NamedSets named);

  void normalize(Workspace& work) const;  // rewrites work.glyphs
  [[nodiscard]] std::vector<std::string> normalize(const std::vector<std::string_view>& lines, int threads) const;
  // One line with the raw range behind each of its code points.
  [[nodiscard]] std::pair<std::string, std::vector<Range>> trace(std::string_view line) const;

 private:
  Rewriter rewriter_;
};

}  // namespace dragoman::text
