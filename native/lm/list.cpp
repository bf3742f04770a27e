// From a model back to lists of n-grams.
#include <algorithm>
#include <cmath>
#include <string>

#include "lm/build.hpp"

namespace dragoman::lm {
namespace {

[[noreturn]] void refuse(const char* what) {
  throw FormatError(std::string("damaged: ") + what, "the model", "build it again");
}

class Lister {
 public:
  explicit Lister(const Model& model) : model_(model), ids_(model.size()) {
    for (int n = 1; n <= model.order(); ++n) list_.levels.emplace_back(ngram_width(n));
    for (std::size_t i = 0; i < ids_.size(); ++i) ids_[i] = list_.words.intern(model.word(static_cast<WordId>(i)));
  }
  [[nodiscard]] Ngrams take() { return std::move(list_); }

  void list(const Compact& tables) {
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      Found found;
      const Node node = tables.start(static_cast<WordId>(i), found);
      words_[0] = ids_[i];
      visit(tables, 1, node, found);
    }
  }

  // No words are kept, but a bucket and a tag make a key, and a key is a context and a word.
  void list(const Hashed& tables) {
    std::vector<WordId> contexts, longer;  // the words of each slot of an order, newest first; kFree: not in use
    for (int order = 1; order <= model_.order(); ++order) {
      const auto n = static_cast<std::size_t>(order);
      const ArcRegion* const region = &model_.header().regions[n - 1];
      const std::uint64_t end = order == model_.order() ? tables.buckets() : region[1].first;
      if (region->count == 0 || region->first > end || end > tables.buckets()) refuse("order of regions");
      longer.assign((end - region->first) * kBucketArcs * n, kFree);
      BucketLimits limits(region->count, static_cast<int>(model_.header().key_bits));
      auto words = longer.begin();
      std::uint64_t listed = 0;
      for (std::uint64_t bucket = region->first; bucket < end; ++bucket) {
        const std::uint64_t limit = limits.next();
        for (std::uint64_t i = 0; i < kBucketArcs; ++i, words += order) {
          const std::uint32_t* const arc = tables.arc(bucket * 16 + i);
          if (arc[kTag] == static_cast<std::uint32_t>(limit)) continue;
          const std::uint64_t key = limit - 1 - static_cast<std::uint32_t>(limit - 1 - arc[kTag]);
          const auto [context, word] = tables.origin(key, order);
          if (word >= ids_.size()) refuse("a word that does not exist");
          words[0] = ids_[word];
          if (order > 1) {
            const std::uint64_t slot = (context / 16 - region[-1].first) * kBucketArcs + context % 16;
            if (context / 16 < region[-1].first || context % 16 >= kBucketArcs || slot >= contexts.size() / (n - 1) ||
                contexts[slot * (n - 1)] == kFree)
              refuse("an n-gram without its context");
            std::copy_n(contexts.begin() + static_cast<std::ptrdiff_t>(slot * (n - 1)), n - 1, words + 1);
          }
          const auto backoff = std::bit_cast<float>(arc[kBackoff]);
          list_.append(order, {&*words, n}, 0 - std::abs(std::bit_cast<float>(arc[kLogprob])),
                       arc[kBackoff] < kNoContext ? backoff : kNoExtension);
          ++listed;
        }
      }
      if (listed != model_.counts()[n - 1]) refuse("number of n-grams");
      contexts.swap(longer);
    }
  }

 private:
  static constexpr WordId kFree = ~WordId{0};

  void visit(const Compact& tables, int n, Node node, const Found& found) {
    list_.append(n, {words_, static_cast<std::size_t>(n)}, found.logprob, found.backoff);
    if (n == model_.order()) return;
    // Entries lie in the order of their parents, so that each is passed once.
    auto [child, end] = tables.children(n, node);
    if (child != passed_[n] || end < child || end > model_.counts()[static_cast<std::size_t>(n)])
      refuse("entries out of order");
    passed_[n] = end;
    for (; child < end; ++child) {
      const WordId word = tables.word(n + 1, child);
      if (word >= ids_.size()) refuse("a word that does not exist");
      words_[n] = ids_[word];
      visit(tables, n + 1, child, tables.values(n + 1, child));
    }
  }

  const Model& model_;
  std::vector<WordId> ids_;
  Ngrams list_;
  WordId words_[kMaxOrder];
  std::uint64_t passed_[kMaxOrder] = {};  // by order - 1
};

}  // namespace

Ngrams list_ngrams(const Model& model) {
  Lister lister(model);
  model.with_tables([&](const auto& tables) { lister.list(tables); });
  return lister.take();
}

}  // namespace dragoman::lm
