#pragma once
// A slice of a word-aligned bitext, encoded: what one worker extracts rules from. Words carry provisional ids (in order
// of appearance) until the whole text has been seen; `Renumbering` then turns them into ids in byte order of the words,
// which do not depend on how the text was cut.
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/vocabulary.hpp"

namespace dragoman::grammar {

struct SentenceLink {
  std::uint16_t source, target;
  friend bool operator==(const SentenceLink&, const SentenceLink&) = default;
  friend auto operator<=>(const SentenceLink&, const SentenceLink&) = default;
};

// A label of the words [source_begin, source_end), of target words, or of both; the ends of a side that it says nothing
// about are 0.
struct StretchLabel {
  std::uint32_t label;
  std::uint16_t source_begin, source_end, target_begin, target_end;
  friend bool operator==(const StretchLabel&, const StretchLabel&) = default;
};
static_assert(sizeof(StretchLabel) == 12);

struct SentencePair {
  std::span<const WordId> source, target;
  std::span<const SentenceLink> links;   // sorted by source, then target; no duplicates
  std::span<const std::int32_t> heads;   // of the words of one side, if it has a tree
  std::span<const StretchLabel> labels;  // of the same stretch, the outermost first
};

inline constexpr int kLongestSentence = 0xffff;

// Why a pair of sentences teaches nothing; never a silent drop.
enum class Skipped : std::uint8_t { kNo, kEmptySource, kEmptyTarget, kTooLong, kNoLinks };

class Bitext {
 public:
  explicit Bitext(std::uint64_t first_line) : first_line_(first_line) {}

  // `where` names the alignment file and line, for errors. A pair that cannot be used is kept as an empty one, so that
  // sentences keep their numbers.
  Skipped add(std::span<const WordId> source, std::span<const WordId> target, std::vector<SentenceLink>& links,
              std::uint32_t domains, int longest, const std::string& where);

  // The heads of one side of the pair that was added last.
  void set_tree(std::span<const std::int32_t> heads);
  // Labels of stretches of the pair that was added last.
  void set_labels(std::span<const StretchLabel> labels);

  [[nodiscard]] std::size_t size() const noexcept { return source_ends_.size(); }
  [[nodiscard]] std::uint64_t first_line() const noexcept { return first_line_; }
  [[nodiscard]] SentencePair operator[](std::size_t i) const noexcept;
  [[nodiscard]] std::uint32_t domains(std::size_t i) const noexcept { return domains_[i]; }

  void renumber(std::span<const WordId> source_ids, std::span<const WordId> target_ids);
  void save(const std::filesystem::path& path) const;
  static Bitext load(const std::filesystem::path& path);

 private:
  std::uint64_t first_line_;
  std::vector<WordId> source_, target_;
  std::vector<SentenceLink> links_;
  std::vector<std::int32_t> heads_;
  std::vector<StretchLabel> labels_;
  std::vector<std::uint64_t> source_ends_, target_ends_, link_ends_, head_ends_, label_ends_;
  std::vector<std::uint32_t> domains_;
};

// Links of one line of Pharaoh text (`0-0 1-2`); throws FormatError that names the point.
void parse_links(std::string_view line, const std::string& where, std::vector<SentenceLink>& links);

// The words of a vocabulary in byte order, and where each went; `<unk>` stays 0.
struct Renumbering {
  Vocabulary words;
  std::vector<WordId> ids;
};
[[nodiscard]] Renumbering in_byte_order(VocabularyView words);

}  // namespace dragoman::grammar
