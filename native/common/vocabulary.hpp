#pragma once
// Strings interned to 32-bit ids. A `VocabularyView` looks words up in flat arrays, which may be mapped from a file;
// `Vocabulary` owns such arrays and grows them. Id 0 is always `<unk>`.
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/binary_file.hpp"
#include "common/ids.hpp"

namespace dragoman {

class VocabularyView {
 public:
  VocabularyView() = default;
  // `slots` is an open-addressing table of ids + 1 (0: empty); its size is a power of two.
  VocabularyView(std::span<const std::uint64_t> ends, std::span<const char> letters,
                 std::span<const std::uint32_t> slots) noexcept
      : ends_(ends), letters_(letters), slots_(slots) {}

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] std::string_view word(WordId id) const noexcept {
    const std::uint64_t start = id == 0 ? 0 : ends_[id - 1];
    return {letters_.data() + start, static_cast<std::size_t>(ends_[id] - start)};
  }
  [[nodiscard]] std::optional<WordId> find(std::string_view word) const noexcept;
  [[nodiscard]] WordId id(std::string_view word) const noexcept { return find(word).value_or(kUnknown); }

  // As three consecutive sections of a binary file, written and read back (every bound checked).
  static constexpr std::size_t kSections = 3;
  void write(BinaryWriter& writer) const;
  static VocabularyView read(const BinaryFile& file, std::size_t first_section);

 private:
  std::span<const std::uint64_t> ends_;
  std::span<const char> letters_;
  std::span<const std::uint32_t> slots_;
};

class Vocabulary {
 public:
  Vocabulary();  // holds `<unk>`
  explicit Vocabulary(VocabularyView words);

  WordId intern(std::string_view word);
  [[nodiscard]] VocabularyView view() const noexcept { return {ends_, letters_, slots_}; }
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] std::string_view word(WordId id) const noexcept { return view().word(id); }
  [[nodiscard]] WordId id(std::string_view word) const noexcept { return view().id(word); }

 private:
  void grow();

  std::vector<std::uint64_t> ends_;
  std::vector<char> letters_;
  std::vector<std::uint32_t> slots_;
};

// Calls use(token) for each token of a line; tokens are separated by blanks (space, tab, CR, LF and the like).
template <typename Use>
void for_each_token(std::string_view line, Use&& use) {
  std::size_t start = 0;
  while (start < line.size()) {
    const auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    while (start < line.size() && blank(line[start])) ++start;
    std::size_t end = start;
    while (end < line.size() && !blank(line[end])) ++end;
    if (end > start) use(line.substr(start, end - start));
    start = end;
  }
}

}  // namespace dragoman
