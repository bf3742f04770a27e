#pragma once
// A file mapped into memory for reading. Pages are shared between processes and loaded when touched, so opening costs
// the same whatever the size.
#include <cstddef>
#include <filesystem>
#include <span>

namespace dragoman {

class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);  // throws FileError
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace dragoman
