#pragma once
// What a user can mend, thrown from native code. The binding turns each kind into the Python class of the same name
// under `dragoman.errors`; any other C++ exception that escapes is a bug of ours.
#include <cstdint>
#include <stdexcept>
#include <string>

namespace dragoman {

class Error : public std::runtime_error {
 public:
  Error(std::string what, std::string where, std::string remedy);

  [[nodiscard]] const std::string& problem() const noexcept { return what_; }
  [[nodiscard]] const std::string& where() const noexcept { return where_; }
  [[nodiscard]] const std::string& remedy() const noexcept { return remedy_; }

 private:
  std::string what_, where_, remedy_;
};

struct FormatError : Error {  // a file that is not what its reader expects
  FormatError(std::string what, std::string where, std::string remedy = "");
};

struct InputError : Error {  // text or data that cannot be used
  InputError(std::string what, std::string where = "", std::string remedy = "");
};

struct SettingError : Error {  // an option out of its range
  SettingError(std::string what, std::string remedy = "");
};

struct FileError : Error {  // the operating system refused
  FileError(std::string what, std::string where, std::string remedy = "");
};

struct LimitReached : Error {  // work that a limit of time or memory, `what`, has ended
  explicit LimitReached(std::string what);
};

// Not an error of the user's: work was interrupted (Ctrl-C); the binding re-raises what Python has pending.
struct Interrupted : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }
};

std::string at_line(const std::string& file, std::uint64_t line);

}  // namespace dragoman
