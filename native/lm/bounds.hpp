#pragma once
// How high, and how low, the probability of a word can be when only its nearest context is known: the exact maximum and
// minimum of p(z | H P) over all histories H, stored beside a model and found as fast as the model's own values
// ("max-ARPA" of Aziz, Dymetman and Specia 2014; the minimum is its dual, for negative weights).
//
// For a context P let m(P) be the best product of back-off weights that longer contexts can add, and for a listed
// n-gram Pz let q(Pz) be the bound itself. Listed n-grams give q; if only P is listed, every history backs off through
// it and the bound is p(z | P) m(P); else history cannot matter.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "lm/build.hpp"
#include "lm/model.hpp"

namespace dragoman::lm {

struct BoundEntry {
  std::uint64_t key;
  double upper, lower;              // q of the n-gram
  double upper_slack, lower_slack;  // m of the n-gram as a context
};
static_assert(sizeof(BoundEntry) == 40);

class Bounds {
 public:
  // `ngrams` are those of `model`, whose stored (perhaps quantised) values are used.
  static Bounds of(const ClosedNgrams& ngrams, const Model& model);
  static Bounds open(const std::filesystem::path& file, const Model& model);  // refuses another model's bounds
  void save(const std::filesystem::path& path) const;

  struct Range {
    double lower, upper;
  };
  // Of log p(word | H context) over all H; `context` in text order, of which the last order - 1 words count. Ids must
  // be smaller than `model.size()`.
  [[nodiscard]] Range range(const Model& model, std::span<const WordId> context, WordId word) const noexcept;

  // Whether words before `context` can change what follows it: it is shorter than the model looks back, and listed.
  [[nodiscard]] bool is_open(std::span<const WordId> context) const noexcept;

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  Bounds() = default;
  // What is known of the n-grams of one order: their hashes and values, and their words, newest first, slot by slot.
  struct Table {
    std::span<const BoundEntry> entries;
    std::span<const WordId> words;
  };
  void attach(std::span<const std::uint64_t> header, std::span<const Table> tables, const std::string& name);
  [[nodiscard]] const BoundEntry* find(std::span<const WordId> newest_first) const noexcept;

  std::shared_ptr<const void> owner_;
  std::vector<HashTable<BoundEntry>> places_;  // of orders 1 to order - 1, as are the tables
  std::vector<Table> tables_;
  std::vector<std::uint64_t> header_;
  std::uint64_t bytes_ = 0;
};

}  // namespace dragoman::lm
