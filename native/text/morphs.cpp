#include "text/morphs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <unordered_map>

#include "common/error.hpp"
#include "common/random.hpp"
#include "text/glyphs.hpp"

namespace dragoman::text {

namespace {

double entropy_term(std::int64_t count) { return count > 1 ? static_cast<double>(count) * std::log(count) : 0.0; }

// ln n!, by Stirling's formula with its first corrections; to 1e-9 from 2 on.
double log_factorial(std::int64_t n) {
  if (n < 2) return 0.0;
  const double x = static_cast<double>(n);
  return x * std::log(x) - x + 0.5 * std::log(2 * std::numbers::pi * x) + 1 / (12 * x) - 1 / (360 * x * x * x) +
         1 / (1260 * std::pow(x, 5));
}

struct LettersHash {
  using is_transparent = void;
  std::size_t operator()(std::u32string_view letters) const noexcept {
    return std::hash<std::u32string_view>{}(letters);
  }
};

// A word or a part of one: how often it is used, by itself and within others, and where it is cut (0: it is a piece).
struct Part {
  std::int64_t count = 0;
  std::size_t cut = 0;
};

class MorphSearch {
 public:
  explicit MorphSearch(double weight) : weight_(weight) {}

  void add_word(const std::u32string& word, std::int64_t count) {
    words_ += count;
    add(word, count);
  }

  // Cuts a word, and the halves of it, where that makes the description shortest.
  void cut(std::u32string_view word) {
    const std::int64_t count = parts_.find(word)->second.count;
    add(word, -count);  // how it was cut is forgotten
    add(word, count);
    double best = cost();
    add(word, -count);
    std::size_t place = 0;
    for (std::size_t at = 1; at < word.size(); ++at) {
      const auto [left, right] = halves(word, at);
      add(left, count);
      add(right, count);
      if (const double found = cost(); found < best) {
        best = found;
        place = at;
      }
      add(right, -count);
      add(left, -count);
    }
    if (place == 0) {
      add(word, count);
      return;
    }
    const auto [left, right] = halves(word, place);
    parts_.emplace(word, Part{count, place});
    add(left, count);
    add(right, count);
    cut(left);
    if (right != left) cut(right);
  }

  [[nodiscard]] double cost() const {
    const double text = entropy_term(tokens_ + words_) - piece_terms_ - entropy_term(words_);
    const double spelling = entropy_term(letters_ + pieces_) - letter_terms_ - entropy_term(pieces_);
    const double counts = log_factorial(tokens_ - 1) - log_factorial(pieces_ - 1) - log_factorial(tokens_ - pieces_);
    return weight_ * text + spelling + counts - log_factorial(pieces_);
  }

  [[nodiscard]] MorphList list() const {
    MorphList found;
    for (const auto& [letters, part] : parts_) {
      if (part.cut != 0) continue;
      std::string utf8;
      for (const char32_t letter : letters) append_utf8(letter, utf8);
      found.pieces.emplace_back(std::move(utf8), part.count);
    }
    std::sort(found.pieces.begin(), found.pieces.end(), [](const auto& one, const auto& other) {
      return one.second != other.second ? one.second > other.second : one.first < other.first;
    });
    found.cost = cost();
    return found;
  }

 private:
  static std::pair<std::u32string_view, std::u32string_view> halves(std::u32string_view word, std::size_t at) {
    return {word.substr(0, at), word.substr(at)};
  }

  // One more, or fewer, uses of a word or part: of the pieces that it is made of.
  void add(std::u32string_view letters, std::int64_t change) {
    auto found = parts_.find(letters);
    if (found == parts_.end()) found = parts_.emplace(std::u32string(letters), Part{}).first;
    Part& part = found->second;
    part.count += change;
    const std::size_t at = part.cut;
    if (at == 0) use_piece(letters, part.count - change, part.count);
    if (part.count == 0) parts_.erase(found);
    if (at == 0) return;
    const auto [left, right] = halves(letters, at);
    add(left, change);
    add(right, change);
  }

  void use_piece(std::u32string_view letters, std::int64_t before, std::int64_t now) {
    tokens_ += now - before;
    piece_terms_ += entropy_term(now) - entropy_term(before);
    if ((before == 0) == (now == 0)) return;
    const std::int64_t sign = now > 0 ? 1 : -1;
    pieces_ += sign;
    letters_ += sign * static_cast<std::int64_t>(letters.size());
    for (const char32_t letter : letters) {
      std::int64_t& count = letter_counts_[letter];
      letter_terms_ += entropy_term(count + sign) - entropy_term(count);
      count += sign;
    }
  }

  double weight_;
  std::unordered_map<std::u32string, Part, LettersHash, std::equal_to<>> parts_;
  std::unordered_map<char32_t, std::int64_t> letter_counts_;
  std::int64_t words_ = 0, tokens_ = 0, pieces_ = 0, letters_ = 0;
  double piece_terms_ = 0, letter_terms_ = 0;  // sums of n ln n
};

}  // namespace

MorphList learn_morphs(const std::vector<std::string_view>& words, const std::vector<std::int64_t>& counts,
                       const MorphSettings& settings, const StopCallback& stop) {
  if (words.size() != counts.size()) throw InputError("a count for each word is needed");
  if (!(settings.weight > 0) || !std::isfinite(settings.weight))
    throw SettingError("weight=" + std::to_string(settings.weight), "it must be positive");
  MorphSearch search(settings.weight);
  std::vector<std::u32string> spelled;
  std::int64_t total = 0;
  for (std::size_t word = 0; word < words.size(); ++word) {
    spelled.push_back(decode(words[word]));
    if (counts[word] < 1 || spelled.back().empty()) throw InputError("words need letters and positive counts");
    search.add_word(spelled.back(), counts[word]);
    total += counts[word];
  }
  std::vector<std::uint32_t> order(words.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  double before = search.cost();
  int passes = 0;
  while (passes < settings.passes && !words.empty()) {
    RandomStream random(settings.seed, static_cast<std::uint64_t>(passes));
    for (std::size_t left = order.size(); left > 1; --left)
      std::swap(order[left - 1], order[random.below(static_cast<std::uint32_t>(left))]);
    for (std::size_t at = 0; at < order.size(); ++at) {
      if (at % 256 == 0 && stop && stop()) throw Interrupted();
      search.cut(spelled[order[at]]);
    }
    ++passes;
    const double after = search.cost();
    if (before - after < settings.least_gain * static_cast<double>(total)) break;
    before = after;
  }
  MorphList found = search.list();
  found.passes = passes;
  return found;
}

}  // namespace dragoman::text
