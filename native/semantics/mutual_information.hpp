#pragma once
// Mutual information of words of two languages by sentence pairs, one cell of it: how much more often than by chance
// two words occur together, weighted by how often they do (Guo et al.; Aziz and Specia 2010). Averages over the words
// around a word say which translation suits the sentence.
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "common/vocabulary.hpp"

namespace dragoman::semantics {

// What the words around a word say about a translation.
struct ContextScores {
  double own = 0;     // of the word itself
  double all = 0;     // mean over the content words of the window, itself among them
  double others = 0;  // the same without itself
};

struct MutualInformationParts {
  double smoothing = 0.1;
  double sentences = 1;
  bool tagged = false;  // words are `lemma.tag`, and the tag says which are content words
  Vocabulary source_words, target_words;
  std::vector<float> source_counts, target_counts;           // by id; 0 for `<unk>`
  std::vector<std::uint8_t> source_content, target_content;  // by id
  std::vector<std::uint64_t> starts;                         // by source id, and the end
  std::vector<WordId> columns;                               // target ids, ascending in a row
  std::vector<float> together;
  std::vector<double> scales{1, 1, 1};  // what own, all and others are divided by as features
};

class MutualInformation {
 public:
  explicit MutualInformation(MutualInformationParts parts);

  [[nodiscard]] const MutualInformationParts& parts() const noexcept { return parts_; }
  // Of words by id, 0 for one that was never seen.
  [[nodiscard]] double value(WordId source, WordId target) const noexcept;
  // Whether a word counts as content; of words that were never seen the tag or the letters decide.
  [[nodiscard]] bool is_content(std::string_view word, bool target) const noexcept;
  // Sum over the content words of the window around `position`; `content` and `words` are those of the sentence.
  [[nodiscard]] ContextScores context(std::span<const WordId> words, std::span<const std::uint8_t> content,
                                      std::size_t position, std::size_t window, WordId target) const noexcept;

  void save(const std::filesystem::path& path) const;
  [[nodiscard]] static MutualInformation open(const std::filesystem::path& path);

 private:
  MutualInformationParts parts_;
};

}  // namespace dragoman::semantics
