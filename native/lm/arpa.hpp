#pragma once
// ARPA files, the field's common text format, read and written in blocks so that compression stays outside. This is the
// only place with base-10 logarithms.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lm/ngrams.hpp"

namespace dragoman::lm {

class ArpaReader {
 public:
  explicit ArpaReader(std::string name) : name_(std::move(name)) {}
  ArpaReader(const ArpaReader&) = delete;
  ArpaReader& operator=(const ArpaReader&) = delete;

  void feed(std::string_view block);  // throws FormatError with file and line
  // Checks that the file was whole and hands over its n-grams.
  [[nodiscard]] Ngrams finish();
  // What was forgiven, for people to read.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

 private:
  enum class Place { preamble, counts, between, section, end };

  void line(std::string_view text);
  void count_line(std::string_view text);
  void section_header(std::string_view text);
  void entry(std::string_view text);
  void close_section();
  [[noreturn]] void refuse(const std::string& what, const std::string& remedy = "") const;
  [[noreturn]] void refuse_at(std::uint64_t line, const std::string& what, const std::string& remedy) const;
  [[nodiscard]] double number(std::string_view text, const char* what) const;

  std::string name_, rest_;
  std::uint64_t line_ = 0, section_line_ = 0;
  Place place_ = Place::preamble;
  int section_ = 0;
  std::vector<std::uint64_t> declared_;
  std::vector<std::uint64_t> keys_;  // of the n-grams of this section, to find duplicates
  Ngrams ngrams_;
  bool has_unknown_ = false;
  std::uint64_t without_backoff_ = 0;
  std::vector<std::string> notes_;
};

class ArpaWriter {
 public:
  explicit ArpaWriter(const Ngrams& ngrams) : ngrams_(&ngrams) {}
  // The next piece of the file, of about a megabyte; empty at the end.
  [[nodiscard]] std::string next();

 private:
  const Ngrams* ngrams_;
  int order_ = 0;
  std::unique_ptr<RecordSpool::Reader> reader_;
};

}  // namespace dragoman::lm
