#pragma once
// A file mapped into memory for reading. Pages are shared between processes and loaded when touched, so opening costs
// the same whatever the size.
#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace dragoman {

// Which file it is, and that nobody has written to it since: the same for equal content without reading it. All zero
// where the system does not tell.
struct FileIdentity {
  std::uint64_t device = 0, file = 0, bytes = 0;
  std::int64_t seconds = 0, nanoseconds = 0;  // of the last change
  auto operator<=>(const FileIdentity&) const = default;
};

// Under the address sanitizer the file is read into a block of its own, so that reading past its end is seen.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);  // throws FileError
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }
  [[nodiscard]] const FileIdentity& identity() const noexcept { return identity_; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  FileIdentity identity_;
};

}  // namespace dragoman
