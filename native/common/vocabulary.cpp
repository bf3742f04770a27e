#include "common/vocabulary.hpp"

#include <bit>
#include <limits>

#include "common/hash.hpp"
#include "common/utf8.hpp"

namespace dragoman {
namespace {

std::size_t first_slot(std::string_view word, std::size_t slots) { return hash_bytes(word) & (slots - 1); }

}  // namespace

std::optional<WordId> VocabularyView::find(std::string_view word) const noexcept {
  if (slots_.empty()) return std::nullopt;
  for (std::size_t slot = first_slot(word, slots_.size());; slot = (slot + 1) & (slots_.size() - 1)) {
    const std::uint32_t entry = slots_[slot];
    if (entry == 0) return std::nullopt;
    if (this->word(entry - 1) == word) return entry - 1;
  }
}

void VocabularyView::write(BinaryWriter& writer) const {
  writer.section(ends_);
  writer.section(letters_);
  writer.section(slots_);
}

VocabularyView VocabularyView::read(const BinaryFile& file, std::size_t first_section) {
  const auto ends = file.section<std::uint64_t>(first_section);
  const auto letters = file.section<char>(first_section + 1);
  const auto slots = file.section<std::uint32_t>(first_section + 2);
  file.require(!ends.empty() && ends.size() < std::numeric_limits<WordId>::max(), "vocabulary size");
  file.require(std::has_single_bit(slots.size()) && slots.size() > ends.size(), "vocabulary table size");
  std::uint64_t previous = 0;
  for (const std::uint64_t end : ends) {
    file.require(end >= previous && end <= letters.size(), "vocabulary offsets");
    file.require(is_utf8({letters.data() + previous, end - previous}), "a word is not UTF-8");
    previous = end;
  }
  std::size_t used = 0;
  for (const std::uint32_t slot : slots) {
    file.require(slot <= ends.size(), "vocabulary slots");
    used += slot != 0;
  }
  file.require(used == ends.size(), "vocabulary slots");
  return {ends, letters, slots};
}

Vocabulary::Vocabulary() : slots_(64) { intern("<unk>"); }

Vocabulary::Vocabulary(VocabularyView words) : slots_(64) {
  for (std::size_t id = 0; id < words.size(); ++id) intern(words.word(static_cast<WordId>(id)));
}

WordId Vocabulary::intern(std::string_view word) {
  if (const auto found = view().find(word)) return *found;
  if (ends_.size() >= std::numeric_limits<WordId>::max() - 1) throw InputError("more than 4 billion different words");
  letters_.insert(letters_.end(), word.begin(), word.end());
  ends_.push_back(letters_.size());
  if (ends_.size() * 2 > slots_.size()) {
    grow();
  } else {
    std::size_t slot = first_slot(word, slots_.size());
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(ends_.size());
  }
  return static_cast<WordId>(ends_.size() - 1);
}

void Vocabulary::grow() {
  slots_.assign(slots_.size() * 2, 0);
  const VocabularyView words = view();
  for (std::size_t id = 0; id < ends_.size(); ++id) {
    std::size_t slot = first_slot(words.word(static_cast<WordId>(id)), slots_.size());
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(id + 1);
  }
}

}  // namespace dragoman
