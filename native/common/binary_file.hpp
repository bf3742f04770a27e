#pragma once
// The one container for binary models: a checked header, a table of sections, and sections of fixed-width
// little-endian values, each starting at a multiple of 64 bytes so that it can be used in place once mapped.
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/binary_formats.hpp"
#include "common/error.hpp"
#include "common/mapped_file.hpp"
#include "common/output_file.hpp"

namespace dragoman {

struct BinaryHeader {
  std::array<char, 8> magic;   // "DRAGOMAN"; zeros until the payload is complete, so a torn file is refused
  std::array<char, 4> kind;    // which reader may open it: see `common/binary_formats.hpp`
  std::uint16_t version;       // of this kind; a refusal names the file's version and ours
  std::uint16_t flags;         // meaning depends on the kind; a reader refuses any bit it does not know
  std::uint64_t file_bytes;    // compared with the real size first
  std::uint64_t sections;      // entries that follow
  std::uint64_t checksum;      // of this header, the table and the checksums of sections; see `verify_when_opened`
  std::array<char, 24> zeros;  // but for the first, the version of the container; room to grow
};
static_assert(sizeof(BinaryHeader) == 64 && std::is_trivially_copyable_v<BinaryHeader>);

struct BinarySection {
  std::uint64_t offset, bytes, element_bytes;
};

// Writes `path` aside and renames it in `finish`; destroyed unfinished, it leaves nothing behind.
class BinaryWriter {
 public:
  BinaryWriter(const std::filesystem::path& path, const BinaryFormat& format, std::size_t sections,
               std::uint16_t flags = 0, Durability durability = Durability::kDurable);

  // A section may be written whole, or begun and appended to piece by piece.
  void begin(std::size_t element_bytes);
  void append(const void* data, std::size_t bytes);
  template <typename T>
  void append(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(values.data(), values.size_bytes());
  }
  template <typename T>
  void section(std::span<const T> values) {
    begin(sizeof(T));
    append(values);
  }
  template <typename T>
  void section(const std::vector<T>& values) {
    section(std::span<const T>(values));
  }
  void finish();

 private:
  void write(const void* data, std::size_t bytes);

  OutputFile file_;
  BinaryHeader header_{};
  std::vector<BinarySection> table_;
  std::size_t expected_;
  std::uint64_t position_ = 0;
};

// Whether files that outlive a job are compared with their checksum when they are opened: once per file and process, at
// the speed of memory once it is read from disk. On unless switched off, for all that is opened afterwards. The
// checksum finds damage, not malice: readers check what they rely on all the same.
void verify_when_opened(bool wanted) noexcept;

// Opens and checks a file written by `BinaryWriter`; the sections are views into mapped memory that live as long as it.
class BinaryFile {
 public:
  BinaryFile(const std::filesystem::path& path, const BinaryFormat& format, std::size_t sections,
             std::uint16_t known_flags = 0);

  [[nodiscard]] std::uint16_t flags() const noexcept { return header_.flags; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return file_.bytes().size(); }
  [[nodiscard]] std::string name() const { return path_.string(); }

  template <typename T>
  [[nodiscard]] std::span<const T> section(std::size_t index) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::span<const std::byte> raw = checked(index, sizeof(T));
    return {reinterpret_cast<const T*>(raw.data()), raw.size() / sizeof(T)};
  }
  // Throws FormatError when a fact that the reader relies on does not hold.
  void require(bool fact, const char* what) const {
    if (!fact) throw FormatError(std::string("damaged: ") + what, path_.string(), "build it again");
  }

 private:
  [[nodiscard]] std::span<const std::byte> checked(std::size_t index, std::size_t element_bytes) const;

  std::filesystem::path path_;
  MappedFile file_;
  BinaryHeader header_{};
  std::vector<BinarySection> table_;
};

// What a file says of itself, for `dragoman info`; with `verify`, the checksum is recomputed.
struct BinaryDescription {
  std::string kind;
  int version;
  std::uint64_t bytes;
  std::vector<BinarySection> sections;
};
[[nodiscard]] bool is_binary_file(const std::filesystem::path& path);
[[nodiscard]] BinaryDescription describe_binary_file(const std::filesystem::path& path, bool verify);

}  // namespace dragoman
