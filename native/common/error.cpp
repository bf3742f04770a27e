#include "common/error.hpp"

#include <utility>

namespace dragoman {

Error::Error(std::string what, std::string where, std::string remedy)
    : std::runtime_error(where.empty() ? what : where + ": " + what),
      what_(std::move(what)),
      where_(std::move(where)),
      remedy_(std::move(remedy)) {}

FormatError::FormatError(std::string what, std::string where, std::string remedy)
    : Error(std::move(what), std::move(where), std::move(remedy)) {}

InputError::InputError(std::string what, std::string where, std::string remedy)
    : Error(std::move(what), std::move(where), std::move(remedy)) {}

SettingError::SettingError(std::string what, std::string remedy) : Error(std::move(what), "", std::move(remedy)) {}

FileError::FileError(std::string what, std::string where, std::string remedy)
    : Error(std::move(what), std::move(where), std::move(remedy)) {}

LimitReached::LimitReached(std::string what) : Error(std::move(what), "", "raise the limit") {}

std::string at_line(const std::string& file, std::uint64_t line) { return file + ", line " + std::to_string(line); }

}  // namespace dragoman
