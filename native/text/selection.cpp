#include "text/selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "common/error.hpp"
#include "common/hash.hpp"
#include "common/parallel.hpp"

namespace dragoman::text {
namespace {

constexpr std::size_t kLinesPerPart = 1024;

constexpr WordId kNoWord = std::numeric_limits<WordId>::max();  // of the domain; `<unk>` may be one

std::uint64_t extended(std::uint32_t parent, WordId word) noexcept { return std::uint64_t{parent} << 32 | word; }

const DecayOptions& checked(const DecayOptions& options) {
  if (options.order < 1 || options.order > kLongestNgram) {
    throw SettingError("n-grams of up to " + std::to_string(options.order) + " words",
                       "choose from 1 to " + std::to_string(kLongestNgram));
  }
  for (const double power : {options.decay, options.length_power}) {
    if (!(power >= 0.0 && std::isfinite(power))) {
      throw SettingError("a decay or length power of " + std::to_string(power), "0 or more");
    }
  }
  return options;
}

}  // namespace

NgramTree::NgramTree(const std::vector<std::string_view>& lines, int order) : order_(static_cast<std::size_t>(order)) {
  std::vector<WordId> ids;
  for (const std::string_view line : lines) {
    ids.clear();
    for_each_token(line, [&](std::string_view token) { ids.push_back(words_.intern(token)); });
    if (ngrams_.size() + ids.size() * order_ >= std::numeric_limits<std::uint32_t>::max()) {
      throw InputError("the text of the domain has too many n-grams", "", "give less of it, or shorter n-grams");
    }
    for (std::size_t start = 0; start < ids.size(); ++start) {
      std::uint32_t parent = 0;
      for (std::size_t at = start; at < std::min(ids.size(), start + order_); ++at) {
        const std::uint64_t key = extended(parent, ids[at]);
        const std::uint32_t ngram = ngrams_.intern(
            key, mix(key), [&](std::uint32_t) { lengths_.push_back(static_cast<std::uint8_t>(at - start + 1)); });
        parent = ngram + 1;
      }
    }
  }
}

std::size_t NgramTree::match(std::string_view line, std::vector<WordId>& scratch,
                             std::vector<std::uint32_t>& ngrams) const {
  const VocabularyView words = words_.view();
  scratch.clear();
  for_each_token(line, [&](std::string_view token) { scratch.push_back(words.find(token).value_or(kNoWord)); });
  for (std::size_t start = 0; start < scratch.size(); ++start) {
    std::uint32_t parent = 0;
    for (std::size_t at = start; at < std::min(scratch.size(), start + order_); ++at) {
      const std::uint64_t key = extended(parent, scratch[at]);
      const auto ngram = ngrams_.find(key, mix(key));
      if (!ngram) break;  // nor does any longer one stand in the tree
      ngrams.push_back(*ngram);
      parent = *ngram + 1;
    }
  }
  return scratch.size();
}

FeatureDecay::FeatureDecay(const std::vector<std::string_view>& domain, const DecayOptions& options)
    : options_(checked(options)), tree_(domain, options.order) {
  counts_.resize(tree_.size());
}

void FeatureDecay::add(const std::vector<std::string_view>& lines, int threads) {
  if (started_) throw InputError("lines cannot be added any more once some were taken");
  struct Part {
    std::vector<std::uint32_t> matches;
    std::vector<std::size_t> ends, tokens;
  };
  std::vector<Part> parts(shard_count(lines.size(), kLinesPerPart));
  parallel_ranges(lines.size(), kLinesPerPart, threads, [&](std::size_t begin, std::size_t end) {
    Part& part = parts[begin / kLinesPerPart];
    std::vector<WordId> scratch;
    for (std::size_t i = begin; i < end; ++i) {
      part.tokens.push_back(tree_.match(lines[i], scratch, part.matches));
      part.ends.push_back(part.matches.size());
    }
  });
  for (const Part& part : parts) {
    const std::size_t before = matches_.size();
    matches_.insert(matches_.end(), part.matches.begin(), part.matches.end());
    for (const std::uint32_t ngram : part.matches) ++counts_[ngram];
    for (std::size_t i = 0; i < part.ends.size(); ++i) {
      ends_.push_back(before + part.ends[i]);
      tokens_ += part.tokens[i];
      norms_.push_back(part.tokens[i] == 0 ? 1.0
                                           : std::pow(static_cast<double>(part.tokens[i]), options_.length_power));
    }
  }
}

std::span<const std::uint32_t> FeatureDecay::ngrams(std::size_t line) const noexcept {
  const std::uint64_t begin = line == 0 ? 0 : ends_[line - 1];
  return std::span(matches_).subspan(begin, ends_[line] - begin);
}

double FeatureDecay::score(std::size_t line) const noexcept {
  double sum = 0.0;
  for (const std::uint32_t ngram : ngrams(line)) sum += worth_[ngram];
  return sum / norms_[line];
}

void FeatureDecay::start() {
  started_ = true;
  first_.resize(counts_.size());
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] != 0) first_[i] = std::log(static_cast<double>(tokens_) / static_cast<double>(counts_[i]));
  }
  worth_ = first_;
  picked_.resize(counts_.size());
  heap_.reserve(lines());
  for (std::size_t line = 0; line < lines(); ++line) heap_.push_back({score(line), line});
  std::make_heap(heap_.begin(), heap_.end());
}

void FeatureDecay::pick(std::size_t line) {
  for (const std::uint32_t ngram : ngrams(line)) ++picked_[ngram];
  for (const std::uint32_t ngram : ngrams(line)) {
    worth_[ngram] = first_[ngram] / std::pow(1.0 + static_cast<double>(picked_[ngram]), options_.decay);
  }
}

void FeatureDecay::take(std::size_t count, std::vector<std::int64_t>& lines, std::vector<double>& scores) {
  if (!started_) start();
  for (std::size_t taken = 0; taken < count && !heap_.empty();) {
    std::pop_heap(heap_.begin(), heap_.end());
    Candidate& best = heap_.back();
    best.score = score(best.line);
    if (heap_.size() == 1 || !(best < heap_.front())) {
      lines.push_back(static_cast<std::int64_t>(best.line));
      scores.push_back(best.score);
      pick(best.line);
      heap_.pop_back();
      ++taken;
    } else {
      std::push_heap(heap_.begin(), heap_.end());
    }
  }
}

std::array<Coverage, kLongestNgram> FeatureDecay::coverage() const {
  std::array<Coverage, kLongestNgram> found{};
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    Coverage& cell = found[static_cast<std::size_t>(tree_.length(static_cast<std::uint32_t>(i))) - 1];
    ++cell.wanted;
    cell.present += counts_[i] != 0;
    cell.picked += started_ && picked_[i] != 0;
  }
  return found;
}

}  // namespace dragoman::text
