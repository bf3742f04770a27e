#pragma once
// The Moses detokenizer as sacremoses has it: tokens joined again, with or without a space by rules of punctuation and
// language. Where each token went is kept, so that a caller may decide about single gaps better than rules can.
#include <string>
#include <string_view>
#include <vector>

#include "text/rewrite.hpp"

namespace dragoman::text {

struct DetokenizerRules {
  std::string language;
  std::vector<Substitution> join;      // on the whole line, first of all
  std::vector<Substitution> unescape;  // after that; may be empty
  std::string currency, punctuation, open_quote, apostrophe_first, apostrophe_last, alpha_first;  // shapes of tokens
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cjk;                                       // inclusive, sorted
};

struct Detokenized {
  std::string text;
  std::vector<Range> ranges;  // of each token in the text, in code points; empty for a token of white space only
};

class Detokenizer {
 public:
  Detokenizer(const DetokenizerRules& rules, NamedSets named);

  [[nodiscard]] Detokenized detokenize(const std::vector<std::string_view>& tokens, Workspace& work) const;
  [[nodiscard]] std::vector<Detokenized> detokenize(const std::vector<std::vector<std::string_view>>& lines,
                                                    int threads) const;

 private:
  [[nodiscard]] bool is_cjk(char32_t letter) const noexcept;

  std::string language_;
  Rewriter rewriter_;
  Pattern currency_, punctuation_, open_quote_, apostrophe_first_, apostrophe_last_, alpha_first_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cjk_;
};

}  // namespace dragoman::text
