#pragma once
// Enumerations that Python sees as words: a property that takes and gives the names of choices.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/error.hpp"

namespace dragoman {

// `member` gives the reference to what the property `name` stands for.
template <typename Class, typename Member,
          typename Value = std::remove_reference_t<std::invoke_result_t<Member, Class&>>>
void bind_choice(nanobind::class_<Class>& bound, const char* name, Member member,
                 std::type_identity_t<std::vector<std::pair<std::string, Value>>> choices) {
  bound.def_prop_rw(
      name,
      [=](const Class& self) {
        for (const auto& [word, value] : choices)
          if (value == member(self)) return word;
        return std::string();
      },
      [=](Class& self, const std::string& word) {
        for (const auto& [known, value] : choices)
          if (known == word) {
            member(self) = value;
            return;
          }
        throw SettingError(std::string(name) + " is '" + word + "'");
      });
}

}  // namespace dragoman
