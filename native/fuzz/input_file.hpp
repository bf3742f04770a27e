#pragma once
// The bytes of a driver as a file. Checksums are not looked at, or nothing but the checksum would ever be tried: a file
// that somebody made on purpose has the right one.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/binary_file.hpp"

namespace dragoman {

// A path of this process alone, so that drivers may run beside each other.
inline std::filesystem::path scratch_path(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("dragoman_" + name + "." + std::to_string(::getpid()));
}

inline std::filesystem::path input_file(const std::string& name, const std::uint8_t* data, std::size_t size) {
  verify_when_opened(false);
  const auto path = scratch_path(name);
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  return path;
}

}  // namespace dragoman
