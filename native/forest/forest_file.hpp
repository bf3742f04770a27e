#pragma once
// Many forests in one binary file (kind "FRST"), for dev sets: written one by one, read in any order. They share one
// vocabulary of target and source words and one of feature names, which hold what the forests use and nothing else.
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "common/binary_file.hpp"
#include "common/vocabulary.hpp"
#include "forest/forest.hpp"

namespace dragoman::forest {

class ForestWriter {
 public:
  explicit ForestWriter(const std::filesystem::path& path);

  // `words` and `features` name the ids of the forest; `source` are the tokens of the sentence.
  void add(const Forest& forest, VocabularyView words, VocabularyView features,
           std::span<const std::string_view> source);
  void finish();

 private:
  BinaryWriter writer_;
  std::vector<std::uint64_t> ends_;
  std::uint64_t position_ = 0;
  Vocabulary words_, features_;
};

class ForestFile {
 public:
  explicit ForestFile(const std::filesystem::path& path);

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] VocabularyView words() const noexcept { return words_; }
  [[nodiscard]] VocabularyView features() const noexcept { return features_; }
  // Copies a forest out, every value checked; `source` receives the ids of its source words.
  [[nodiscard]] Forest forest(std::size_t index, std::vector<WordId>& source) const;

 private:
  BinaryFile file_;
  std::span<const std::byte> bytes_;
  std::span<const std::uint64_t> ends_;
  VocabularyView words_, features_;
};

}  // namespace dragoman::forest
