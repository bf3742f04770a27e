#pragma once
// What restricts the translation of one sentence, beyond the options that it is given.
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::search {

struct Constraints {
  std::string_view prefix;                   // tokens that the translation begins with
  std::vector<std::string_view> references;  // the only translations allowed, if there are any
  std::vector<std::uint32_t> walls;          // all words in front of such a position come before those behind it
  std::vector<std::pair<std::uint32_t, std::uint32_t>> zones;  // words whose translations stand together
  bool monotone = false;                                       // phrases stay in the order of the source
  bool no_drop = false;                                        // every source word is linked to a target word
};

}  // namespace dragoman::search
