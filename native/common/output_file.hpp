#pragma once
// The one way in which native code writes a file: aside, under a name nobody can guess, created and never opened, then
// renamed over the old one. A crash leaves the old file or none, a link planted in a shared folder leads nowhere, and
// what is not a regular file is never replaced: as root, `-o /dev/null` would take the machine's /dev/null away.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>

namespace dragoman {

// Whether `finish` waits for the disk: what a user keeps must survive a crash, scratch files of a running job need not.
enum class Durability { kDurable, kScratch };

// Throws FileError when there is something at `path` that a file must not replace: a folder, a device, a pipe.
void require_replaceable(const std::filesystem::path& path);

// Destroyed unfinished, it leaves nothing behind.
class OutputFile {
 public:
  OutputFile(const std::filesystem::path& path, Durability durability);  // throws FileError
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void write_at(std::uint64_t position, const void* data, std::size_t bytes);
  void flush();
  void finish();  // nothing may be written afterwards
  [[nodiscard]] const std::filesystem::path& aside() const noexcept { return aside_; }  // what was flushed is there

 private:
  [[noreturn]] void refuse() const;

  std::filesystem::path path_, aside_;
  std::FILE* file_ = nullptr;
  Durability durability_;
};

// A file without a future: removed when closed, or by the system if the process dies.
class ScratchFile {
 public:
  // In `folder`, or in the system's temporary folder if that is empty; throws FileError.
  explicit ScratchFile(const std::filesystem::path& folder);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void append(std::span<const std::uint32_t> values);
  // Reads up to `room.size()` values from value position `from`; returns how many.
  std::size_t read(std::uint64_t from, std::span<std::uint32_t> room);

 private:
  std::filesystem::path path_;
  std::FILE* file_ = nullptr;
};

}  // namespace dragoman
