#include "common/output_file.hpp"

#include <array>
#include <cerrno>
#include <random>
#include <system_error>
#include <utility>

#include "common/error.hpp"

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

namespace dragoman {
namespace {

constexpr const char* kFull = "is the disk full?";
constexpr const char* kScratchFull = "is the disk full? choose another folder for scratch files, or allow more memory";

std::string reason(const char* what) { return what + std::generic_category().message(errno); }

std::string unpredictable() {
  std::random_device source;  // the system's own, not a seed: names of files are no results
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%08x%08x", static_cast<unsigned>(source()), static_cast<unsigned>(source()));
  return text.data();
}

// Creates a file that was not there, neither as a file nor as a link; nullptr and errno if that cannot be.
std::FILE* create(const std::filesystem::path& path) {
#ifdef _WIN32
  const int file = ::_wopen(path.c_str(), _O_CREAT | _O_EXCL | _O_RDWR | _O_BINARY, _S_IREAD | _S_IWRITE);
  return file < 0 ? nullptr : ::_fdopen(file, "wb+");
#else
  const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0666);
  if (file < 0) return nullptr;
  std::FILE* stream = ::fdopen(file, "wb+");
  if (stream == nullptr) ::close(file);
  return stream;
#endif
}

void seek(std::FILE* file, std::uint64_t position, int& result) {
#ifdef _WIN32
  result = ::_fseeki64(file, static_cast<long long>(position), SEEK_SET);
#else
  result = ::fseeko(file, static_cast<off_t>(position), SEEK_SET);
#endif
}

}  // namespace

void require_replaceable(const std::filesystem::path& path) {
  std::error_code unknown;
  const auto kind = std::filesystem::status(path, unknown).type();
  if (kind == std::filesystem::file_type::directory)
    throw FileError("exists and is a folder", path.string(), "choose another name");
  // /dev/stdout is a link to whatever standard output is, be it a regular file: replacing the link serves nobody.
  const std::string text = path.string();
  const bool descriptor = (text.starts_with("/dev/") || text.starts_with("/proc/")) &&
                          std::filesystem::is_symlink(std::filesystem::symlink_status(path, unknown));
  if (descriptor || (kind != std::filesystem::file_type::regular && std::filesystem::exists(path, unknown)))
    throw FileError("is not a regular file, and a binary file cannot be written to anything else", path.string(),
                    "choose another name");
}

OutputFile::OutputFile(const std::filesystem::path& path, Durability durability)
    : path_(path), aside_(path), durability_(durability) {
  require_replaceable(path_);
  std::string name(1, '.');
  name.append(path_.filename().string()).append(".").append(unpredictable()).append(".partial");
  aside_.replace_filename(name);
  file_ = create(aside_);
  if (file_ == nullptr) throw FileError(reason("cannot write: "), path_.string());
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (aside_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove(aside_, ignored);
}

void OutputFile::refuse() const { throw FileError(reason("cannot write: "), path_.string(), kFull); }

void OutputFile::write(const void* data, std::size_t bytes) {
  if (bytes != 0 && std::fwrite(data, 1, bytes, file_) != bytes) refuse();
}

void OutputFile::write_at(std::uint64_t position, const void* data, std::size_t bytes) {
  int failed = 0;
  seek(file_, position, failed);
  if (failed != 0) refuse();
  write(data, bytes);
}

void OutputFile::flush() {
  if (std::fflush(file_) != 0) refuse();
}

void OutputFile::finish() {
  flush();
#ifndef _WIN32
  if (durability_ == Durability::kDurable && ::fsync(::fileno(file_)) != 0) refuse();
#endif
  if (std::fclose(std::exchange(file_, nullptr)) != 0) refuse();
  std::error_code failed;
  std::filesystem::rename(aside_, path_, failed);
  if (failed) throw FileError("cannot write: " + failed.message(), path_.string());
  aside_.clear();
#ifndef _WIN32
  if (durability_ == Durability::kDurable) {  // the new name, too, must be on the disk; not every file system can do it
    const auto parent = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
    const int folder = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
      (void)::fsync(folder);
      ::close(folder);
    }
  }
#endif
}

ScratchFile::ScratchFile(const std::filesystem::path& folder)
    : path_((folder.empty() ? std::filesystem::temp_directory_path() : folder) /
            std::string("dragoman-").append(unpredictable()).append(".scratch")) {
  file_ = create(path_);
  if (file_ == nullptr)
    throw FileError(reason("cannot write: "), path_.string(), "choose another folder for scratch files");
#ifndef _WIN32
  ::unlink(path_.c_str());  // the space goes back even if the process is killed
#endif
}

ScratchFile::~ScratchFile() {
  std::fclose(file_);
#ifdef _WIN32
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
#endif
}

void ScratchFile::append(std::span<const std::uint32_t> values) {
  if (std::fwrite(values.data(), sizeof(std::uint32_t), values.size(), file_) != values.size())
    throw FileError(reason("cannot write: "), path_.string(), kScratchFull);
}

std::size_t ScratchFile::read(std::uint64_t from, std::span<std::uint32_t> room) {
  int failed = std::fflush(file_);  // a full disk may show itself only now
  if (failed != 0) throw FileError(reason("cannot write: "), path_.string(), kScratchFull);
  seek(file_, from * sizeof(std::uint32_t), failed);
  const auto refuse = [&] { throw FileError(reason("cannot read back: "), path_.string()); };
  if (failed != 0) refuse();
  const std::size_t got = std::fread(room.data(), sizeof(std::uint32_t), room.size(), file_);
  if (got < room.size() && std::ferror(file_) != 0) refuse();
  return got;
}

}  // namespace dragoman
