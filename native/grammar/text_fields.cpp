#include "grammar/text_fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace dragoman::grammar {

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0;;) {
    const std::size_t bar = line.find(kBar, begin);
    std::string_view field = line.substr(begin, bar == std::string_view::npos ? bar : bar - begin);
    const auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    while (!field.empty() && blank(field.front())) field.remove_prefix(1);
    while (!field.empty() && blank(field.back())) field.remove_suffix(1);
    fields.push_back(field);
    if (bar == std::string_view::npos) return fields;
    begin = bar + kBar.size();
  }
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (std::size_t begin = 0;;) {
    const std::size_t at = text.find(from, begin);
    result += text.substr(begin, at == std::string_view::npos ? at : at - begin);
    if (at == std::string_view::npos) return result;
    result += to;
    begin = at + from.size();
  }
}

namespace {

// Whether a number that no double holds is too small for one, not too large: by its exponent, or where it has none by
// the zeros before its point.
bool too_small(std::string_view token) {
  const std::size_t exponent = token.find_first_of("eE");
  if (exponent != std::string_view::npos) return exponent + 1 < token.size() && token[exponent + 1] == '-';
  return token.find_first_of("123456789") > token.find('.');
}

}  // namespace

double number(std::string_view token, const std::string& where, const char* what) {
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  const bool tiny = error == std::errc::result_out_of_range && too_small(token);
  if ((error != std::errc{} && !tiny) || end != token.data() + token.size() || !std::isfinite(value))
    throw FormatError("'" + std::string(token.substr(0, 40)) + "' is no " + what, where);
  return value;
}

float float_number(std::string_view token, const std::string& where, const char* what) {
  const double value = number(token, where, what);
  if (std::abs(value) > std::numeric_limits<float>::max())
    throw FormatError("'" + std::string(token.substr(0, 40)) + "' is too large for a " + what, where);
  return static_cast<float>(value);
}

float log_of(std::string_view token, const std::string& where, std::uint64_t& floored) {
  const double probability = number(token, where, "probability");
  if (probability < 0) throw FormatError("a negative probability: " + std::string(token), where);
  const double value = std::log(probability);
  if (value < kLogFloor) ++floored;
  return static_cast<float>(std::max(value, kLogFloor));
}

Link link_from(std::string_view token, const RuleList::Draft& rule, const std::string& where) {
  const std::size_t dash = token.find('-');
  unsigned source = 0, target = 0;
  const char* const end = token.data() + token.size();
  bool fine = dash != std::string_view::npos;
  if (fine) {
    const auto [a, first] = std::from_chars(token.data(), token.data() + dash, source);
    const auto [b, second] = std::from_chars(token.data() + dash + 1, end, target);
    fine = first == std::errc{} && second == std::errc{} && a == token.data() + dash && b == end;
  }
  if (!fine) throw FormatError("'" + std::string(token.substr(0, 40)) + "' is not a link", where);
  if (source >= rule.source.size() || target >= rule.target.size())
    throw FormatError("link " + std::string(token) + " points outside the phrases", where);
  return {static_cast<std::uint8_t>(source), static_cast<std::uint8_t>(target)};
}

void read_counts(std::string_view field, RuleList::Draft& rule, const std::string& where) {
  std::vector<float> counts;
  for_each_token(field, [&](std::string_view token) {
    const float count = float_number(token, where, "count");
    if (count < 0) throw FormatError("a negative count: " + std::string(token), where);
    counts.push_back(count);
  });
  if (counts.size() > 3) throw FormatError("more than 3 counts", where);
  counts.resize(3, 0.0f);
  rule.target_count = counts[0];
  rule.source_count = counts[1];
  rule.joint_count = counts[2];
}

void append_number(float value, std::string& out) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  (void)error;
  out.append(text, end);
}

void append_probability(float logprob, std::string& out) {
  const double probability = std::exp(double{logprob});
  char text[40];
  for (int digits = 6;; ++digits) {
    const auto [end, error] = std::to_chars(text, text + sizeof text, probability, std::chars_format::general, digits);
    (void)error;
    double again = 0;
    std::from_chars(text, end, again);
    const auto read = static_cast<float>(std::max(std::log(again), kLogFloor));
    if (read == logprob || digits == 17) {
      out.append(text, end);
      return;
    }
  }
}

}  // namespace dragoman::grammar
