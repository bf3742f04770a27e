#pragma once
// Counts of events, and the adjusted counts that follow from them, for whoever has a part of a text or of its n-grams.
//
// Events of a part of the text are sorted, and equal ones added up. Sorted events of all parts, cut by ranges of their
// newest word, are what adjusted counts need: all that extends an n-gram to the left ends in the same word, so every
// range can be worked on alone, and the ranges one after the other give what the whole would have given.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/ids.hpp"
#include "lm/boundaries.hpp"
#include "lm/discounts.hpp"
#include "lm/model.hpp"
#include "lm/records.hpp"

namespace dragoman::lm {

inline constexpr WordId kNothing = ~WordId{0};  // fills a record that reaches back to `<s>`; sorts after every word

// Calls use(record) for every event of a sentence, which has `<s>` and `</s>` around it: its words newest first, and a
// count of one.
template <typename Use>
void for_each_event(std::span<const WordId> sentence, std::size_t order, Use&& use) {
  std::uint32_t record[kMaxOrder + 2];
  put(record + order, std::uint64_t{1});
  for (std::size_t i = 1; i < sentence.size(); ++i) {
    const std::size_t reach = std::min(order, i + 1);
    for (std::size_t k = 0; k < reach; ++k) record[k] = sentence[i - k];
    for (std::size_t k = reach; k < order; ++k) record[k] = kNothing;
    use(std::span<const std::uint32_t>(record, order + 2));
  }
}

// Sees sorted events and says, of each n-gram of each order, `emit(order, words, adjusted, raw)` when it is over.
template <typename Emit>
class Adjuster {
 public:
  Adjuster(std::size_t order, Smoothing smoothing, Emit emit)
      : order_(order),
        smoothing_(smoothing),
        emit_(std::move(emit)),
        last_(order, kNothing),
        raw_(order + 1),
        extensions_(order + 1) {}

  // How many of the words of an event are those of the n-grams that it is inside of, and how many words it has.
  struct Place {
    std::size_t same, reach;
  };
  [[nodiscard]] Place place(const std::uint32_t* record) const noexcept {
    std::size_t reach = 0, same = 0;
    while (reach < order_ && record[reach] != kNothing) ++reach;
    while (same < open_ && same < reach && record[same] == last_[same]) ++same;
    return {same, reach};
  }
  void see(const std::uint32_t* record) {
    const auto [same, reach] = place(record);
    const std::uint64_t count = get(record + order_);
    close(same);
    for (std::size_t n = 1; n <= same; ++n) raw_[n] += count;
    for (; open_ < reach; ++open_) {
      last_[open_] = record[open_];
      if (open_ > 0) ++extensions_[open_];
      raw_[open_ + 1] = count;
      extensions_[open_ + 1] = 0;
    }
  }
  void finish() { close(0); }

 private:
  void close(std::size_t down_to) {
    for (; open_ > down_to; --open_) {
      const bool whole = smoothing_ != Smoothing::kneser_ney || open_ == order_ || last_[open_ - 1] == kBegin;
      emit_(static_cast<int>(open_), last_.data(), whole ? raw_[open_] : extensions_[open_], raw_[open_]);
    }
  }

  std::size_t order_;
  Smoothing smoothing_;
  Emit emit_;
  std::vector<std::uint32_t> last_;  // the n-gram of each order that the scan is inside of
  std::vector<std::uint64_t> raw_, extensions_;
  std::size_t open_ = 0;
};

// Events of sentences of numbered words, sorted, equal ones added up: order + 2 numbers each. Words up to `</s>` have a
// meaning of their own and are left out.
[[nodiscard]] std::vector<std::uint32_t> sorted_events(std::span<const WordId> words,
                                                       std::span<const std::int64_t> ends, std::size_t order);

// N-grams with their counts, in the order in which one pass over all events closes them, from the sorted events of the
// parts of a text: the order, `order` words newest first, the adjusted count and the raw one, order + 5 numbers each.
[[nodiscard]] std::vector<std::uint32_t> adjusted_counts(std::span<const std::span<const std::uint32_t>> parts,
                                                         std::size_t order, Smoothing smoothing);

}  // namespace dragoman::lm
