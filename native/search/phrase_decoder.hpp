#pragma once
// The phrase-based decoder: lines in, translations out, in the order of the lines and the same for any number of
// threads.
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/parallel.hpp"
#include "common/vocabulary.hpp"
#include "forest/forest.hpp"
#include "forest/kbest_lists.hpp"
#include "search/phrase.hpp"
#include "search/phrase_model.hpp"

namespace dragoman::search {

class SearchView;

// One phrase of a translation, in target order.
struct Step {
  std::uint32_t source_start, source_end;
  std::uint32_t target_start, target_end;
  bool unknown;
  double score;                                                // of this step, all features
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;  // sentence positions
  features::FeatureVector values;
};

struct Decoded {
  double score = 0;
  std::vector<std::string> target;
  std::vector<Step> steps;
  features::FeatureVector final_values;  // fired by completing the sentence
  SearchStatistics statistics;
  std::uint64_t language_model_queries = 0;
  double seconds = 0;
  std::vector<std::string> source;
  std::shared_ptr<forest::Forest> forest;  // if asked for
  std::shared_ptr<Vocabulary> words;       // of the forest's target side
  std::size_t pieces = 0;                  // in which it was translated
  std::exception_ptr error;                // what went wrong with this sentence; the others are not touched by it
};

class PhraseDecoder {
 public:
  PhraseDecoder(std::shared_ptr<const PhraseModel> model, std::vector<double> weights, SearchSettings settings);

  // The same models and weights, searched in another way; what was remembered of rules is shared.
  [[nodiscard]] PhraseDecoder with_settings(SearchSettings settings) const { return {shared_, settings}; }

  [[nodiscard]] std::vector<Decoded> decode(std::span<const Request> requests, int threads, bool keep_forests,
                                            const StopCallback& stop = {}) const;
  // A list for each sentence, for tuners; throws what is wrong with the first sentence that cannot be translated.
  [[nodiscard]] forest::KBestLists kbest_lists(std::span<const Request> requests, const forest::KBestOptions& options,
                                               int threads, const StopCallback& stop = {}) const;
  // Positions of the words for which the table has no rule of their own.
  [[nodiscard]] std::vector<std::uint32_t> unknown_words(std::string_view line) const;

 private:
  struct Workspace;
  struct Shared;

  PhraseDecoder(std::shared_ptr<Shared> shared, SearchSettings settings);
  using Words = std::span<const std::string_view>;
  using Table = std::shared_ptr<const grammar::LayeredView>;

  [[nodiscard]] Decoded decode_one(Workspace& workspace, std::size_t number, const Request& request, const Table& table,
                                   bool keep_forest) const;
  [[nodiscard]] forest::KBestLists list_one(Workspace& workspace, std::size_t number, const Request& request,
                                            const Table& table, const forest::KBestOptions& options) const;
  [[nodiscard]] std::vector<std::uint32_t> pieces(std::size_t number, Words words, std::span<const ExtraOption> extra,
                                                  bool keep_forest) const;
  // Searches the pieces of a sentence, which end at `ends`, one after the other; use(view, first word) for each.
  template <typename Use>
  void search(Workspace& workspace, std::size_t number, const Request& request, Words words,
              std::span<const std::uint32_t> ends, const Table& table, const Use& use) const;
  void append_best(const SearchView& view, std::uint32_t offset, Decoded& decoded) const;

  std::shared_ptr<Shared> shared_;
  const PhraseModel* model_;
  SearchSettings settings_;
  double distortion_weight_;
};

}  // namespace dragoman::search
