#include "common/mapped_file.hpp"

#include <string>
#include <system_error>
#include <utility>

#include "common/error.hpp"

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace dragoman {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, int code) {
  throw FileError("cannot read: " + std::system_category().message(code), path.string());
}

}  // namespace

#ifdef _WIN32

MappedFile::MappedFile(const std::filesystem::path& path) {
  const HANDLE file = CreateFileW(path.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr,
                                  OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) refuse(path, static_cast<int>(GetLastError()));
  LARGE_INTEGER size{};
  GetFileSizeEx(file, &size);
  size_ = static_cast<std::size_t>(size.QuadPart);
  if (size_ != 0) {
    const HANDLE mapping = CreateFileMappingW(file, nullptr, PAGE_READONLY, 0, 0, nullptr);
    if (mapping != nullptr) {
      data_ = static_cast<const std::byte*>(MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0));
      CloseHandle(mapping);
    }
  }
  const auto code = static_cast<int>(GetLastError());
  CloseHandle(file);
  if (size_ != 0 && data_ == nullptr) refuse(path, code);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) UnmapViewOfFile(data_);
}

#else

MappedFile::MappedFile(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) refuse(path, errno);
  struct stat status{};
  void* data = nullptr;
  int code = 0;
  if (::fstat(file, &status) != 0) {
    code = errno;
  } else if (S_ISDIR(status.st_mode)) {
    code = EISDIR;
  } else if (status.st_size > 0) {
    size_ = static_cast<std::size_t>(status.st_size);
    data = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0);
    if (data == MAP_FAILED) code = errno;
  }
  ::close(file);
  if (code != 0) refuse(path, code);
  data_ = static_cast<const std::byte*>(data);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

#endif

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace dragoman
