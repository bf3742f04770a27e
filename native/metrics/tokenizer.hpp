#pragma once
// The tokenizers that metric definitions name. They are defined by rewriting rules applied one after the other (mteval
// for `13a`, `intl` and `zh`; tercom's normaliser; the punctuation rule of chrF++), and a score is only comparable if
// the tokens are the same to the last character, so each rule is one pass over the text, in the published order.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/vocabulary.hpp"
#include "metrics/unicode.hpp"

namespace dragoman::metrics {

struct TercomOptions {
  bool normalize = false;
  bool remove_punctuation = false;
  bool asian = false;
};

class Tokenizer {
 public:
  // none, 13a, intl, char, zh, tercom, chrf. Throws SettingError for another name.
  explicit Tokenizer(std::string_view name, TercomOptions tercom = {});

  // Memory that a caller keeps between lines.
  struct Scratch {
    std::string text, other;
  };

  // Calls use(token) for each token of a line.
  template <typename Use>
  void for_each_token(std::string_view line, Scratch& scratch, Use&& use) const {
    rewrite(line, scratch);
    unicode::for_each_word(scratch.text, use);
  }

 private:
  enum class Kind : std::uint8_t { kNone, k13a, kIntl, kChar, kChinese, kTercom, kChrf };

  void rewrite(std::string_view line, Scratch& scratch) const;  // leaves its result in scratch.text

  Kind kind_;
  TercomOptions tercom_;
};

// A word that no reference has: equal to nothing.
inline constexpr WordId kNever = ~WordId{0};

// Lines as numbers: words of the vocabulary, or code points. `ends[i]` is where line i stops in `words`.
struct EncodedLines {
  std::vector<WordId> words;
  std::vector<std::int64_t> ends;

  [[nodiscard]] std::size_t size() const noexcept { return ends.size(); }
  [[nodiscard]] std::span<const WordId> line(std::size_t i) const noexcept {
    const auto start = static_cast<std::size_t>(i == 0 ? 0 : ends[i - 1]);
    return {words.data() + start, static_cast<std::size_t>(ends[i]) - start};
  }
  // Some of the lines, in any order and as often as asked.
  [[nodiscard]] EncodedLines take(std::span<const std::int64_t> lines) const;
};

// Tokens as words of a vocabulary. `intern` adds new words, `lookup` maps them to kNever. Tokenization runs in
// parallel; words are numbered in order of appearance, whatever the number of threads.
[[nodiscard]] EncodedLines intern(const Tokenizer& tokenizer, std::span<const std::string_view> lines,
                                  Vocabulary& words, int threads);
[[nodiscard]] EncodedLines lookup(const Tokenizer& tokenizer, std::span<const std::string_view> lines,
                                  const Vocabulary& words, int threads);

// Code points, with or without white space.
[[nodiscard]] EncodedLines characters(std::span<const std::string_view> lines, bool keep_space, int threads);

// Tokens of each line, joined by single spaces.
[[nodiscard]] std::vector<std::string> tokenized(const Tokenizer& tokenizer, std::span<const std::string_view> lines,
                                                 int threads);

}  // namespace dragoman::metrics
