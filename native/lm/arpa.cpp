#include "lm/arpa.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "common/error.hpp"
#include "common/hash.hpp"

namespace dragoman::lm {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;
constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr double kLargest = 1e30;  // of any log10 value: it must fit a 32-bit float with room for sums

bool is_text(std::string_view bytes) noexcept {
  for (std::size_t i = 0; i < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[i]);
    if (lead == 0) return false;
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4 || bytes.size() - i <= more) return false;
    for (std::size_t k = 1; k <= more; ++k)
      if ((static_cast<unsigned char>(bytes[i + k]) & 0xc0) != 0x80) return false;
    const auto second = static_cast<unsigned char>(bytes[i + 1]);
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
        (lead == 0xf4 && second > 0x8f))
      return false;
    i += more + 1;
  }
  return true;
}

// A piece of a line, fit to be shown in a message.
std::string shown(std::string_view text) {
  while (text.size() > 40 || (!text.empty() && !is_text(text))) text.remove_suffix(1);
  return std::string(text);
}

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

void append_number(std::string& out, double natural) {
  std::array<char, 32> digits{};
  const float value = static_cast<float>(natural / kLn10) + 0.0f;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), result.ptr);
}

}  // namespace

void ArpaReader::refuse_at(std::uint64_t line, const std::string& what, const std::string& remedy) const {
  throw FormatError(what, at_line(name_, line), remedy);
}

void ArpaReader::refuse(const std::string& what, const std::string& remedy) const { refuse_at(line_, what, remedy); }

void ArpaReader::feed(std::string_view block) {
  while (!block.empty()) {
    const std::size_t end = block.find('\n');
    const std::string_view piece = block.substr(0, end);
    if (rest_.size() + piece.size() > kLongestLine) {
      ++line_;
      refuse("a line of more than 1 MiB", "is this an ARPA file?");
    }
    if (end == std::string_view::npos) {
      rest_ += piece;
      return;
    }
    ++line_;
    if (rest_.empty()) {
      line(piece);
    } else {
      rest_ += piece;
      line(rest_);
      rest_.clear();
    }
    block.remove_prefix(end + 1);
  }
}

void ArpaReader::line(std::string_view text) {
  text = trimmed(text);
  if (line_ == 1 && text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  switch (place_) {
    case Place::preamble:
      if (text == "\\data\\") place_ = Place::counts;
      return;
    case Place::counts:
      if (text.empty()) return;
      if (text.starts_with('\\')) return section_header(text);
      return count_line(text);
    case Place::section:
      if (text.empty()) {
        close_section();
        place_ = Place::between;
      } else if (text.starts_with('\\') && text.find_first_of(" \t") == std::string_view::npos) {
        close_section();
        section_header(text);
      } else {
        entry(text);
      }
      return;
    case Place::between:
      if (text.empty()) return;
      if (!text.starts_with('\\'))
        refuse("an n-gram after the empty line that ends a section", "remove the empty line");
      return section_header(text);
    case Place::end:
      return;
  }
}

void ArpaReader::count_line(std::string_view text) {
  // ngram 2=1234
  std::uint64_t order = 0, count = 0;
  const char* const end = text.data() + text.size();
  bool good = text.starts_with("ngram ");
  if (good) {
    const char* at = text.data() + 6;
    while (at != end && *at == ' ') ++at;
    const auto first = std::from_chars(at, end, order);
    good = first.ec == std::errc() && first.ptr != end && *first.ptr == '=';
    if (good) {
      const auto second = std::from_chars(first.ptr + 1, end, count);
      good = second.ec == std::errc() && second.ptr == end;
    }
  }
  if (!good) refuse("not a count line, which looks like `ngram 2=1234`");
  if (order != declared_.size() + 1)
    refuse("the count of order " + std::to_string(declared_.size() + 1) + " is missing");
  if (order > kMaxOrder)
    refuse("order " + std::to_string(order) + ", dragoman reads orders up to " + std::to_string(kMaxOrder));
  declared_.push_back(count);
}

void ArpaReader::section_header(std::string_view text) {
  if (declared_.empty()) refuse("no counts under \\data\\");
  if (text == "\\end\\") {
    if (section_ != static_cast<int>(declared_.size()))
      refuse("the file ends after order " + std::to_string(section_) + " of " + std::to_string(declared_.size()));
    place_ = Place::end;
    return;
  }
  std::string expected = "\\";
  expected += std::to_string(section_ + 1) + "-grams:";
  if (section_ == static_cast<int>(declared_.size()) || text != expected)
    refuse("a section '" + shown(text) + "' where '" +
           (section_ == static_cast<int>(declared_.size()) ? std::string("\\end\\") : expected) + "' should follow");
  ++section_;
  ngrams_.levels.emplace_back(ngram_width(section_));
  keys_.clear();
  section_line_ = line_ + 1;
  place_ = Place::section;
}

double ArpaReader::number(std::string_view text, const char* what) const {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end || !(std::abs(value) < kLargest))
    refuse(std::string(what) + " '" + shown(text) + "' is not a finite number");
  return value;
}

void ArpaReader::entry(std::string_view text) {
  if (!is_text(text)) refuse("not UTF-8 text", "convert the file to UTF-8");
  const auto order = static_cast<std::size_t>(section_);
  std::array<std::string_view, kMaxOrder + 2> fields;
  std::size_t found = 0;
  for_each_token(text, [&](std::string_view token) {
    if (found < fields.size()) fields[found] = token;
    ++found;
  });
  if (found != order + 1 && found != order + 2)
    refuse(std::to_string(found) + " fields where a " + std::to_string(order) + "-gram has " +
           std::to_string(order + 1) + " or " + std::to_string(order + 2));
  const double log10 = number(fields[0], "the log-probability");
  if (log10 > 0) refuse("a log-probability above 0", "the model was not written correctly; estimate it again");
  const bool last = order == declared_.size();
  double backoff = 0;
  if (found == order + 2) {
    backoff = number(fields[order + 1], "the back-off weight");
    if (last && backoff != 0) refuse("a back-off weight on the highest order");
  } else if (!last) {
    ++without_backoff_;  // tools leave it out where no longer n-gram follows
  }
  std::array<WordId, kMaxOrder> words{};
  if (order == 1) {
    const std::string_view word = fields[1] == "<UNK>" ? kUnknownWord : fields[1];
    const std::size_t before = ngrams_.words.size();
    words[0] = ngrams_.words.intern(word);
    if (words[0] == kUnknown ? has_unknown_ : ngrams_.words.size() == before)
      refuse("the word '" + std::string(word) + "' is listed twice", "keep one of the two");
    has_unknown_ = has_unknown_ || words[0] == kUnknown;
  } else {
    for (std::size_t i = 0; i < order; ++i) {
      const std::string_view word = fields[order - i] == "<UNK>" ? kUnknownWord : fields[order - i];
      const auto id = ngrams_.words.view().find(word);
      if (!id || (*id == kUnknown && !has_unknown_))
        refuse("the word '" + std::string(word) + "' is not among the unigrams");
      words[i] = *id;
    }
    keys_.push_back(hash_bytes(words.data(), order * sizeof(WordId)));
  }
  ngrams_.append(section_, words, log10 * kLn10, backoff * kLn10);
  if (ngrams_.levels.back().size() > declared_[order - 1])
    refuse(
        "more " + std::to_string(order) + "-grams than the " + std::to_string(declared_[order - 1]) + " under \\data\\",
        "the file is damaged; mend the counts if it is not");
}

void ArpaReader::close_section() {
  const RecordSpool& level = ngrams_.levels.back();
  if (level.size() != declared_[static_cast<std::size_t>(section_) - 1])
    refuse(std::to_string(level.size()) + " " + std::to_string(section_) + "-grams where \\data\\ says " +
               std::to_string(declared_[static_cast<std::size_t>(section_) - 1]),
           "the file is truncated or damaged; mend the counts if it is not");
  if (section_ == 1) {
    if (!has_unknown_) {
      const WordId unknown[] = {kUnknown};
      ngrams_.append(1, unknown, kMissingUnknownLog10 * kLn10, 0);
      has_unknown_ = true;
      notes_.push_back("no <unk>: unknown words get a log10 probability of -100");
    }
    return;
  }
  std::vector<std::uint32_t> order(keys_.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto compare = [&](std::uint32_t a, std::uint32_t b) {
    if (keys_[a] != keys_[b]) return keys_[a] <=> keys_[b];
    const std::uint32_t *x = level.record(a), *y = level.record(b);
    return std::lexicographical_compare_three_way(x, x + section_, y, y + section_);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto found = compare(a, b);
    return found != 0 ? found < 0 : a < b;
  });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (compare(order[i], order[i - 1]) == 0)
      refuse_at(section_line_ + order[i], "the same n-gram as in line " + std::to_string(section_line_ + order[i - 1]),
                "keep one of the two");
}

Ngrams ArpaReader::finish() {
  if (!rest_.empty()) {
    ++line_;
    line(rest_);
    rest_.clear();
  }
  if (place_ == Place::preamble) throw FormatError("not an ARPA file: it has no \\data\\ line", name_);
  if (place_ != Place::end) refuse("the file stops before \\end\\", "it is truncated; copy it again");
  if (without_backoff_ != 0)
    notes_.push_back(std::to_string(without_backoff_) + " n-grams without a back-off weight: taken as 1");
  return std::move(ngrams_);
}

std::string ArpaWriter::next() {
  std::string out;
  if (order_ > ngrams_->order()) return out;
  if (order_ == 0) {
    out = "\\data\\\n";
    for (std::size_t n = 0; n < ngrams_->levels.size(); ++n)
      out += "ngram " + std::to_string(n + 1) + "=" + std::to_string(ngrams_->levels[n].size()) + "\n";
  }
  while (out.size() < kBlock) {
    const std::uint32_t* record = reader_ ? reader_->next() : nullptr;
    if (record == nullptr) {
      if (++order_ > ngrams_->order()) {
        out += "\n\\end\\\n";
        return out;
      }
      out += "\n\\";
      out += std::to_string(order_) + "-grams:\n";
      reader_ = std::make_unique<RecordSpool::Reader>(ngrams_->levels[static_cast<std::size_t>(order_) - 1]);
      continue;
    }
    append_number(out, Ngrams::logprob(record, order_));
    for (int i = order_ - 1; i >= 0; --i) {
      out += i == order_ - 1 ? '\t' : ' ';
      out += ngrams_->words.word(record[i]);
    }
    if (order_ < ngrams_->order()) {
      out += '\t';
      append_number(out, Ngrams::backoff(record, order_));
    }
    out += '\n';
  }
  return out;
}

}  // namespace dragoman::lm
