#pragma once
// How alike the two sides of a phrase pair are: the cosine of the mean vectors of their words (Zou et al. 2013). Both
// languages have their vectors in one space.
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "common/vocabulary.hpp"

namespace dragoman::semantics {

struct PhraseSimilarity {
  double cosine = 0;   // of the mean vectors; 0 if one of them is zero
  double best = 0;     // mean over source words of the cosine of the most similar target word
  double unknown = 0;  // share of the words of both sides that have no vector
};

class PhraseVectors {
 public:
  PhraseVectors() = default;
  // Rows of `values` in the order of the ids of `words`; that of `<unk>`, id 0, is not used.
  PhraseVectors(std::size_t dimensions, Vocabulary source_words, std::vector<float> source, Vocabulary target_words,
                std::vector<float> target);

  [[nodiscard]] std::size_t dimensions() const noexcept { return dimensions_; }
  [[nodiscard]] const Vocabulary& words(bool target) const noexcept { return target ? target_words_ : source_words_; }
  // The vector of a word, or null.
  [[nodiscard]] const float* find(std::string_view word, bool target) const noexcept;
  // Of words by their vectors, null for those that have none.
  [[nodiscard]] PhraseSimilarity compare(std::span<const float* const> source,
                                         std::span<const float* const> target) const;

  void save(const std::filesystem::path& path) const;
  [[nodiscard]] static PhraseVectors open(const std::filesystem::path& path);

 private:
  std::size_t dimensions_ = 0;
  Vocabulary source_words_, target_words_;
  std::vector<float> source_, target_;
};

}  // namespace dragoman::semantics
