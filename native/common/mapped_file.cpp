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
#include <new>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define DRAGOMAN_HEAP_FILES
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DRAGOMAN_HEAP_FILES
#endif
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

namespace {

#ifdef DRAGOMAN_HEAP_FILES

constexpr std::align_val_t kHeapAlignment{64};

void* contents(int file, std::size_t size, int& code) {
  auto* data = static_cast<char*>(::operator new(size, kHeapAlignment));
  for (std::size_t at = 0; at < size;) {
    const ::ssize_t got = ::read(file, data + at, size - at);
    if (got <= 0) {
      code = got < 0 ? errno : EIO;
      ::operator delete(data, kHeapAlignment);
      return nullptr;
    }
    at += static_cast<std::size_t>(got);
  }
  return data;
}
void release(const std::byte* data, std::size_t) { ::operator delete(const_cast<std::byte*>(data), kHeapAlignment); }

#else

void* contents(int file, std::size_t size, int& code) {
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (data == MAP_FAILED) code = errno;
  return data;
}
void release(const std::byte* data, std::size_t size) { ::munmap(const_cast<std::byte*>(data), size); }

#endif

}  // namespace

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
    data = contents(file, size_, code);
  }
  ::close(file);
  if (code != 0) refuse(path, code);
  data_ = static_cast<const std::byte*>(data);
#ifdef __APPLE__
  const auto changed = status.st_mtimespec;
#else
  const auto changed = status.st_mtim;
#endif
  identity_ = {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino), size_,
               static_cast<std::int64_t>(changed.tv_sec), static_cast<std::int64_t>(changed.tv_nsec)};
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) release(data_, size_);
}

#endif

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), identity_(other.identity_) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(identity_, other.identity_);
  return *this;
}

}  // namespace dragoman
