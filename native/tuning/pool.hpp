#pragma once
// The n-best lists of a dev set, merged over iterations: what every batch tuner optimises on. A candidate is a feature
// vector and the text that it derives; the statistics of a metric belong to texts, since many derivations say the same.
//
// A candidate that is already there, by its text and by its features rounded to 1e-6, is not added again; the same text
// with other features is, because the derivation matters to the model.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/parallel.hpp"
#include "common/vocabulary.hpp"
#include "forest/kbest_lists.hpp"

namespace dragoman::tuning {

using forest::FeatureId;

// The list of one sentence.
class Candidates {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return texts_.size(); }
  [[nodiscard]] std::span<const FeatureId> features(std::size_t candidate) const noexcept { return ids_[candidate]; }
  [[nodiscard]] std::span<const double> values(std::size_t candidate) const noexcept {
    return {values_.data() + ids_.start(candidate), ids_[candidate].size()};
  }
  [[nodiscard]] std::uint32_t text(std::size_t candidate) const noexcept { return texts_[candidate]; }
  [[nodiscard]] std::span<const std::uint32_t> texts() const noexcept { return texts_; }
  [[nodiscard]] const std::vector<std::string>& strings() const noexcept { return strings_; }
  // One row per text.
  [[nodiscard]] std::span<const double> statistics() const noexcept { return statistics_; }

  // Weights . features of all candidates. Every feature must have a weight.
  void scores(std::span<const double> weights, std::span<double> into) const noexcept;

  // The number of a text, which may be new.
  std::uint32_t intern(std::string_view text);
  // A derivation of one of the texts. Ids ascend; false if it was there before.
  bool add(std::uint32_t text, std::span<const FeatureId> ids, std::span<const double> values);
  void append_statistics(std::span<const double> rows) {
    statistics_.insert(statistics_.end(), rows.begin(), rows.end());
  }
  // Lays features out to be scored, if candidates were added and most of them have the same features. Tuners score all
  // candidates hundreds of times between one addition and the next.
  void arrange();

 private:
  [[nodiscard]] double score(std::size_t candidate, std::span<const double> weights) const noexcept;

  forest::Rows<FeatureId> ids_;
  std::vector<double> values_;      // parallel to the values of `ids_`
  std::vector<FeatureId> columns_;  // features, if arranged; of each the value of every candidate, 0 where it has none
  std::vector<double> column_values_;
  std::vector<std::uint32_t> texts_;
  std::vector<std::string> strings_;
  std::vector<double> statistics_;
  std::unordered_map<std::string, std::uint32_t> index_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> seen_;  // hash of its content to a candidate
};

// Lists as `forest::KBestLists` holds them.
struct ListsView {
  std::span<const std::int64_t> lists, rows, ids;
  std::span<const double> values;
  std::span<const std::int64_t> text_of;
  std::span<const std::string_view> texts;
};

class Pool {
 public:
  Pool(std::size_t sentences, std::size_t width) : sentences_(sentences), width_(width) {}

  [[nodiscard]] std::size_t size() const noexcept { return sentences_.size(); }
  [[nodiscard]] std::size_t width() const noexcept { return width_; }
  [[nodiscard]] std::size_t candidates() const noexcept;
  [[nodiscard]] const Candidates& operator[](std::size_t sentence) const noexcept { return sentences_[sentence]; }
  [[nodiscard]] const Vocabulary& names() const noexcept { return names_; }
  [[nodiscard]] std::span<const double> statistics(std::size_t sentence, std::uint32_t text) const noexcept {
    return sentences_[sentence].statistics().subspan(text * width_, width_);
  }

  FeatureId intern(std::string_view feature) { return names_.intern(feature); }

  // Adds a candidate with ids of this pool, in any order.
  bool add(std::size_t sentence, std::string_view text, std::vector<std::pair<FeatureId, double>> features);
  // Adds a list to each of these sentences, which are all different; `features` names the ids of all lists. Returns how
  // many candidates were new. Throws unless the lists are well-formed.
  std::size_t add_lists(std::span<const std::size_t> sentences, const ListsView& lists, VocabularyView features,
                        int threads, const StopCallback& stop);

  // Texts whose statistics are not known yet, sentence by sentence; `set_statistics` takes a row for each of them, and
  // makes what was added ready to be scored.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::uint32_t>> pending() const;
  void set_statistics(std::span<const double> rows);

  // Throws unless every text has statistics, every sentence a candidate and every feature a weight.
  void check(std::span<const double> weights) const;

 private:
  // Features of the pool by those of another vocabulary, where `ids` use them; names that are new are added in their
  // alphabetical order, so that numbers do not depend on how the others were numbered.
  [[nodiscard]] std::vector<FeatureId> mapped(std::span<const std::int64_t> ids, VocabularyView features);
  // Adds a candidate to a list; `features` are put in order.
  static bool add(Candidates& list, std::uint32_t text, std::vector<std::pair<FeatureId, double>>& features);

  std::vector<Candidates> sentences_;
  std::size_t width_;
  Vocabulary names_;
};

// Sum of the statistics of the candidates that score best.
[[nodiscard]] std::vector<double> best_statistics(const Pool& pool, std::span<const double> weights, int threads);

}  // namespace dragoman::tuning
