#pragma once
// A column of values that is written while it is made and read afterwards, kept on disk so that memory stays bounded.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/binary_file.hpp"

namespace dragoman::grammar {

template <typename T>
class Spool {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Spool(std::filesystem::path path) : path_(std::move(path)), writer_(open()) {}
  ~Spool() {
    writer_.reset();
    reader_.reset();
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  void push(const T& value) {
    buffer_.push_back(value);
    if (buffer_.size() == kBuffered) flush();
  }
  void append(std::span<const T> values) {
    for (const T& value : values) push(value);
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return flushed_ + buffer_.size(); }

  // Ends writing; the values are then mapped.
  [[nodiscard]] std::span<const T> values() {
    if (!reader_) {
      flush();
      writer_->finish();
      writer_.reset();
      reader_ = std::make_unique<BinaryFile>(path_, kFormat, std::size_t{1});
    }
    return reader_->template section<T>(0);
  }

 private:
  static constexpr BinaryFormat kFormat{"SPOL", 2};
  static constexpr std::size_t kBuffered = 1 << 14;

  std::unique_ptr<BinaryWriter> open() {
    auto writer =
        std::make_unique<BinaryWriter>(path_, kFormat, std::size_t{1}, std::uint16_t{0}, Durability::kScratch);
    writer->begin(sizeof(T));
    return writer;
  }
  void flush() {
    writer_->append(std::span<const T>(buffer_));
    flushed_ += buffer_.size();
    buffer_.clear();
  }

  std::filesystem::path path_;
  std::unique_ptr<BinaryWriter> writer_;
  std::unique_ptr<BinaryFile> reader_;
  std::vector<T> buffer_;
  std::uint64_t flushed_ = 0;
};

}  // namespace dragoman::grammar
