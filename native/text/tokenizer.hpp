#pragma once
// The Moses tokenizer (Koehn et al. 2007) as sacremoses has it, token for token, on glyphs that keep their origin. Its
// regular expressions, character lists and prefixes are handed in; here is the order in which they work, and the steps
// that are no substitutions: runs of dots, abbreviations, protected text. One thing differs on purpose: a letter and
// its marks are one character to every rule, where Moses sets most marks apart as if they were punctuation.
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "text/normalizer.hpp"
#include "text/rewrite.hpp"

namespace dragoman::text {

struct TokenizerRules {
  std::vector<Substitution> clean;      // first of all
  std::vector<Substitution> separate;   // before runs of dots are set apart
  std::vector<Substitution> punctuate;  // after that
  std::vector<Substitution> finish;     // after abbreviations
  std::vector<Substitution> escape;     // last of all; may be empty
  CharacterSet alpha, lower;
  CharacterSet marks;        // what belongs to the character before it: accents, vowel signs, joiners, skin tones
  CharacterSet pictographs;  // emoji that a joiner may join, and the letters that flags are made of
  std::vector<std::string> prefixes;          // their full stop is no sentence end
  std::vector<std::string> numeric_prefixes;  // before a number only
};

struct Tokenized {
  std::vector<std::string> tokens;
  std::vector<Range> ranges;  // of each token in the raw line, in code points
};

// Text that must come out unchanged: each string is replaced by a stand-in that no rule touches, and put back.
struct Protected {
  std::string stand_in;              // does not occur in the line
  std::vector<std::string> strings;  // numbered by their position
};

class Tokenizer {
 public:
  Tokenizer(const TokenizerRules& rules, NamedSets named);

  [[nodiscard]] Tokenized tokenize(std::string_view line, const Normalizer* normalizer, const Protected* kept,
                                   Workspace& work) const;
  // `kept` is empty or has an entry for each line.
  [[nodiscard]] std::vector<Tokenized> tokenize(const std::vector<std::string_view>& lines,
                                                const Normalizer* normalizer, const std::vector<Protected>& kept,
                                                int threads) const;

 private:
  void join_marks(const Presence& presence, Workspace& work) const;
  void set_dots_apart(Presence& presence, Workspace& work) const;
  void join_dots_again(Workspace& work) const;
  void split_full_stops(Presence& presence, Workspace& work) const;
  [[nodiscard]] bool keeps_full_stop(std::span<const Glyph> prefix, std::span<const Glyph> next,
                                     std::u32string_view raw) const;
  void replace_all(std::u32string_view from, std::u32string_view to, std::u32string_view raw, Workspace& work) const;

  Rewriter rewriter_;
  std::size_t separate_, punctuate_, finish_, escape_;  // where each list begins
  std::uint32_t alpha_, lower_, marks_, pictographs_;
  std::unordered_set<std::string> prefixes_, numeric_prefixes_;
};

}  // namespace dragoman::text
