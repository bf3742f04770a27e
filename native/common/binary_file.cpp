#include "common/binary_file.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "common/hash.hpp"

#ifndef _WIN32
#include <unistd.h>
#endif

namespace dragoman {
namespace {

constexpr std::string_view kMagic = "DRAGOMAN";
constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kMostSections = 1024;

std::uint64_t aligned(std::uint64_t position) { return (position + kAlignment - 1) / kAlignment * kAlignment; }

std::string printable(const std::array<char, 4>& kind) {
  std::string text;
  for (const char c : kind) text += (c >= ' ' && c <= '~') ? c : '?';
  return text;
}

// Everything that can be known before a reader believes a byte of the payload.
std::pair<BinaryHeader, std::vector<BinarySection>> checked_header(const std::filesystem::path& path,
                                                                   std::span<const std::byte> bytes) {
  const std::string where = path.string();
  BinaryHeader header{};
  if (bytes.size() < sizeof header) throw FormatError("not a dragoman binary file: too short", where);
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic.data(), kMagic.data(), kMagic.size()) != 0) {
    const bool torn = header.magic == std::array<char, 8>{};
    throw FormatError(torn ? "writing it was never finished" : "not a dragoman binary file", where,
                      torn ? "build it again" : "");
  }
  if (header.file_bytes != bytes.size())
    throw FormatError("truncated or overlong: " + std::to_string(bytes.size()) + " bytes where the header says " +
                          std::to_string(header.file_bytes),
                      where, "copy or build it again");
  const std::uint64_t room = (bytes.size() - sizeof header) / sizeof(BinarySection);
  if (header.sections > kMostSections || header.sections > room)
    throw FormatError("damaged: impossible section count", where, "copy or build it again");
  std::vector<BinarySection> table(header.sections);
  std::memcpy(table.data(), bytes.data() + sizeof header, table.size() * sizeof(BinarySection));
  for (const BinarySection& section : table) {
    if (section.offset > bytes.size() || section.bytes > bytes.size() - section.offset ||
        section.offset % kAlignment != 0 || section.element_bytes == 0 || section.bytes % section.element_bytes != 0)
      throw FormatError("damaged: a section lies outside the file", where, "copy or build it again");
  }
  return {header, std::move(table)};
}

void check_version(const BinaryHeader& header, const BinaryFormat& format, const std::string& where) {
  if (header.version != format.version)
    throw FormatError("format version " + std::to_string(header.version) + ", this dragoman reads version " +
                          std::to_string(format.version),
                      where, "build it again with this version");
}

}  // namespace

BinaryWriter::BinaryWriter(const std::filesystem::path& path, const BinaryFormat& format, std::size_t sections,
                           std::uint16_t flags, Durability durability)
    : path_(path), partial_(path), expected_(sections), durability_(durability) {
  partial_ += ".partial";
  std::memcpy(header_.kind.data(), format.kind.data(), header_.kind.size());
  header_.version = format.version;
  header_.flags = flags;
  header_.sections = sections;
  table_.reserve(sections);
  file_ = std::fopen(partial_.string().c_str(), "wb+");
  if (file_ == nullptr) throw FileError("cannot write: " + std::generic_category().message(errno), path_.string());
  const std::vector<char> blank(sizeof header_ + sections * sizeof(BinarySection));
  write(blank.data(), blank.size());
}

BinaryWriter::~BinaryWriter() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void BinaryWriter::begin(std::size_t element_bytes) {
  static constexpr std::array<char, kAlignment> padding{};
  write(padding.data(), aligned(position_) - position_);
  table_.push_back({position_, 0, element_bytes});
}

void BinaryWriter::append(const void* data, std::size_t bytes) {
  write(data, bytes);
  table_.back().bytes += bytes;
}

void BinaryWriter::write(const void* data, std::size_t bytes) {
  if (bytes == 0) return;
  if (std::fwrite(data, 1, bytes, file_) != bytes)
    throw FileError("cannot write: " + std::generic_category().message(errno), path_.string(), "is the disk full?");
  position_ += bytes;
}

void BinaryWriter::finish() {
  if (table_.size() != expected_) throw std::logic_error("section count differs from the one announced");
  header_.file_bytes = position_;
  const auto refuse = [&] {
    throw FileError("cannot write: " + std::generic_category().message(errno), path_.string(), "is the disk full?");
  };
  if (std::fseek(file_, sizeof header_, SEEK_SET) != 0) refuse();
  if (!table_.empty() && std::fwrite(table_.data(), sizeof(BinarySection), table_.size(), file_) != table_.size())
    refuse();
  if (std::fflush(file_) != 0) refuse();
  {
    const MappedFile written(partial_);
    header_.checksum = hash_bytes(written.bytes().data() + sizeof header_, written.bytes().size() - sizeof header_);
  }
  std::memcpy(header_.magic.data(), kMagic.data(), kMagic.size());
  if (std::fseek(file_, 0, SEEK_SET) != 0 || std::fwrite(&header_, sizeof header_, 1, file_) != 1) refuse();
  if (std::fflush(file_) != 0) refuse();
#ifndef _WIN32
  if (durability_ == Durability::kDurable && ::fsync(::fileno(file_)) != 0) refuse();
#endif
  std::fclose(std::exchange(file_, nullptr));
  std::filesystem::rename(partial_, path_);
}

BinaryFile::BinaryFile(const std::filesystem::path& path, const BinaryFormat& format, std::size_t sections,
                       std::uint16_t known_flags)
    : path_(path), file_(path) {
  std::tie(header_, table_) = checked_header(path, file_.bytes());
  const std::string where = path.string();
  if (std::string_view(header_.kind.data(), 4) != format.kind)
    throw FormatError("holds '" + printable(header_.kind) + "' where '" + std::string(format.kind) + "' is needed",
                      where);
  check_version(header_, format, where);
  if ((header_.flags & ~known_flags) != 0 || table_.size() != sections)
    throw FormatError("damaged: unknown flags or sections", where, "build it again");
}

std::span<const std::byte> BinaryFile::checked(std::size_t index, std::size_t element_bytes) const {
  const BinarySection& section = table_.at(index);
  require(section.element_bytes == element_bytes, "a section has another element size");
  return file_.bytes().subspan(section.offset, section.bytes);
}

bool is_binary_file(const std::filesystem::path& path) {
  const MappedFile file(path);
  return file.bytes().size() >= kMagic.size() && std::memcmp(file.bytes().data(), kMagic.data(), kMagic.size()) == 0;
}

BinaryDescription describe_binary_file(const std::filesystem::path& path, bool verify) {
  const MappedFile file(path);
  auto [header, table] = checked_header(path, file.bytes());
  if (verify) {
    for (const BinaryFormat& format : kBinaryFormats)  // the checksum may have been another one, too
      if (std::string_view(header.kind.data(), header.kind.size()) == format.kind)
        check_version(header, format, path.string());
    const auto payload = file.bytes().subspan(sizeof header);
    if (hash_bytes(payload.data(), payload.size()) != header.checksum)
      throw FormatError("damaged: the checksum differs", path.string(), "copy or build it again");
  }
  return {printable(header.kind), header.version, header.file_bytes, std::move(table)};
}

}  // namespace dragoman
