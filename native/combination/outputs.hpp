#pragma once
// What several systems said about one sentence, and which of their words correspond.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/vocabulary.hpp"

namespace dragoman::combination {

// How two words were found to correspond; `self` is a word and itself, `boundary` two ends of sentence.
enum class LinkKind : std::uint8_t { exact, stem, synonym, paraphrase, self, boundary };
inline constexpr int kLinkKinds = 6;
using KindSet = std::uint8_t;  // one bit for each kind
[[nodiscard]] constexpr KindSet only(LinkKind kind) noexcept {
  return static_cast<KindSet>(1u << static_cast<int>(kind));
}

// A word of a system's output. Index -1 is the start of the sentence, the number of words its end.
struct Place {
  std::uint16_t system = 0;
  std::uint16_t index = 0;
};

// The partner of a place in one system.
struct Partner {
  static constexpr std::int32_t kNobody = -2;
  std::int32_t index = kNobody;
  KindSet kind = 0;
  [[nodiscard]] explicit operator bool() const noexcept { return index != kNobody; }
};

struct WordLink {
  Place a, b;
  LinkKind kind;
};

// The outputs of all systems for one sentence. Immutable. A system that said nothing takes no part.
class Outputs {
 public:
  // `punctuation[e][i]` marks tokens that are no words. Throws InputError if a link leads outside, or if a word has two
  // partners in one system.
  Outputs(const std::vector<std::vector<std::string>>& outputs, const std::vector<std::vector<bool>>& punctuation,
          std::span<const WordLink> links);

  [[nodiscard]] int systems() const noexcept { return static_cast<int>(outputs_.size()); }
  [[nodiscard]] int length(int system) const noexcept { return static_cast<int>(outputs_[system].size()); }
  [[nodiscard]] bool silent() const noexcept { return silent_; }  // nobody said anything
  [[nodiscard]] WordId word(Place place) const noexcept { return outputs_[place.system][place.index]; }
  [[nodiscard]] bool is_punctuation(int system, int index) const noexcept { return punctuation_[system][index]; }
  [[nodiscard]] Partner partner(Place place, int system) const noexcept {
    return partners_[(offsets_[place.system] + place.index) * outputs_.size() + static_cast<std::size_t>(system)];
  }
  // Where a place stands when the outputs are written one after the other, each with a separator behind it.
  [[nodiscard]] std::uint32_t position(Place place) const noexcept {
    return static_cast<std::uint32_t>(offsets_[place.system] + place.index);
  }
  [[nodiscard]] const Vocabulary& words() const noexcept { return words_; }

 private:
  Partner& partner_of(Place place, int system) {
    return partners_[(offsets_[place.system] + place.index) * outputs_.size() + static_cast<std::size_t>(system)];
  }

  bool silent_ = true;
  Vocabulary words_;
  std::vector<std::vector<WordId>> outputs_;
  std::vector<std::vector<bool>> punctuation_;
  std::vector<std::size_t> offsets_;
  std::vector<Partner> partners_;  // places x systems, ends of sentences included
};

}  // namespace dragoman::combination
