#include "common/binary_file.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "common/hash.hpp"

namespace dragoman {
namespace {

constexpr std::string_view kMagic = "DRAGOMAN";
constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kMostSections = 1024;
constexpr char kContainer = 1;  // of all kinds alike: where things stand in the file

// The header is followed by the table of sections, and that by their checksums.
std::uint64_t end_of_head(std::size_t sections) {
  return sizeof(BinaryHeader) + sections * (sizeof(BinarySection) + sizeof(std::uint64_t));
}

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
  if (header.zeros[0] != kContainer)
    throw FormatError("written by another version of dragoman", where, "build it again with this version");
  if (header.sections > kMostSections || end_of_head(header.sections) > bytes.size())
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

// The magic number is written last of all, so it is left out.
std::uint64_t head_checksum(BinaryHeader header, std::span<const BinarySection> table,
                            std::span<const std::uint64_t> sums) {
  header.magic = {};
  header.checksum = 0;
  const std::uint64_t above = hash_bytes(table.data(), table.size_bytes(), hash_bytes(&header, sizeof header));
  return hash_bytes(sums.data(), sums.size_bytes(), above);
}

// The checksum of each section and of the zeros before it, so that no byte of a file is without one.
std::vector<std::uint64_t> section_checksums(std::span<const std::byte> file, std::span<const BinarySection> table) {
  std::vector<std::uint64_t> sums;
  std::uint64_t end = end_of_head(table.size());
  for (const BinarySection& section : table) {
    const std::uint64_t begin = std::min(end, section.offset);  // sections of a file that is not ours may overlap
    end = section.offset + section.bytes;
    const auto bytes = file.subspan(begin, end - begin);
    sums.push_back(hash_bytes(bytes.data(), bytes.size()));
  }
  return sums;
}

void require_checksums(const BinaryHeader& header, std::span<const BinarySection> table,
                       std::span<const std::byte> file, const std::string& where) {
  const auto refuse = [&](const std::string& what) {
    throw FormatError("damaged: " + what, where, "copy or build it again");
  };
  std::vector<std::uint64_t> stored(table.size());
  const std::size_t bytes = stored.size() * sizeof(std::uint64_t);
  std::memcpy(stored.data(), file.data() + end_of_head(table.size()) - bytes, bytes);
  if (head_checksum(header, table, stored) != header.checksum) refuse("the checksum of its head differs");
  const std::vector<std::uint64_t> sums = section_checksums(file, table);
  for (std::size_t index = 0; index < sums.size(); ++index)
    if (sums[index] != stored[index])
      refuse("the checksum of section " + std::to_string(index + 1) + " of " + std::to_string(sums.size()) +
             " differs");
}

std::atomic<bool> verifying{true};

// Remembers which files of this process were found whole: tables are opened by many, and reading all of one is dear.
void require_checksums_once(const BinaryHeader& header, std::span<const BinarySection> table, const MappedFile& file,
                            const std::string& where) {
  static std::mutex lock;
  static std::set<FileIdentity> whole;
  {
    const std::lock_guard guard(lock);
    if (whole.contains(file.identity())) return;
  }
  require_checksums(header, table, file.bytes(), where);
  if (file.identity() == FileIdentity{}) return;  // this system does not tell files apart
  const std::lock_guard guard(lock);
  whole.insert(file.identity());
}

}  // namespace

void verify_when_opened(bool wanted) noexcept { verifying = wanted; }

BinaryWriter::BinaryWriter(const std::filesystem::path& path, const BinaryFormat& format, std::size_t sections,
                           std::uint16_t flags, Durability durability)
    : file_(path, durability), expected_(sections) {
  std::memcpy(header_.kind.data(), format.kind.data(), header_.kind.size());
  header_.version = format.version;
  header_.flags = flags;
  header_.sections = sections;
  header_.zeros[0] = kContainer;
  table_.reserve(sections);
  const std::vector<char> blank(end_of_head(sections));
  write(blank.data(), blank.size());
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
  file_.write(data, bytes);
  position_ += bytes;
}

void BinaryWriter::finish() {
  if (table_.size() != expected_) throw std::logic_error("section count differs from the one announced");
  header_.file_bytes = position_;
  file_.flush();
  const std::vector<std::uint64_t> sums = section_checksums(MappedFile(file_.aside()).bytes(), table_);
  header_.checksum = head_checksum(header_, table_, sums);
  const std::size_t table_bytes = table_.size() * sizeof(BinarySection);
  file_.write_at(sizeof header_, table_.data(), table_bytes);
  file_.write_at(sizeof header_ + table_bytes, sums.data(), sums.size() * sizeof(std::uint64_t));
  std::memcpy(header_.magic.data(), kMagic.data(), kMagic.size());
  file_.write_at(0, &header_, sizeof header_);
  file_.finish();
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
  if (verifying && !format.what.empty()) require_checksums_once(header_, table_, file_, where);
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
    require_checksums(header, table, file.bytes(), path.string());
  }
  return {printable(header.kind), header.version, header.file_bytes, std::move(table)};
}

}  // namespace dragoman
