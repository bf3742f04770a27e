#pragma once
// The phrase-based decoder: lines in, translations out, in the order of the lines and the same for any number of
// threads.
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/parallel.hpp"
#include "common/vocabulary.hpp"
#include "forest/forest.hpp"
#include "search/phrase.hpp"
#include "search/phrase_model.hpp"

namespace dragoman::search {

class SearchView;

struct DecoderSettings {
  std::uint32_t longest = 250;  // words that search takes at once
  bool split = true;            // translate longer sentences piece by piece; else refuse them
  bool check_features = false;  // score all that search kept from scratch, and throw where it differs
};

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
  PhraseDecoder(std::shared_ptr<const PhraseModel> model, SearchSettings settings, DecoderSettings more,
                std::vector<double> weights);
  ~PhraseDecoder();

  [[nodiscard]] std::vector<Decoded> decode(std::span<const Request> requests, int threads, bool keep_forests,
                                            const StopCallback& stop = {}) const;
  // Positions of the words for which the table has no rule of their own.
  [[nodiscard]] std::vector<std::uint32_t> unknown_words(std::string_view line) const;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> borrow() const;
  void give_back(std::unique_ptr<Workspace> workspace) const;
  [[nodiscard]] Decoded decode_one(Workspace& workspace, std::size_t number, const Request& request,
                                   const std::shared_ptr<const grammar::LayeredView>& table, bool keep_forest) const;
  [[nodiscard]] std::vector<std::uint32_t> pieces(std::size_t number, std::span<const std::string_view> words,
                                                  std::span<const ExtraOption> extra, bool keep_forest) const;
  void append_best(const SearchView& view, std::uint32_t offset, Decoded& decoded) const;

  std::shared_ptr<const PhraseModel> model_;
  SearchSettings settings_;
  DecoderSettings more_;
  std::vector<double> weights_;
  mutable std::mutex lock_;
  mutable std::vector<std::unique_ptr<Workspace>> idle_;  // one per thread that has decoded; they keep their memory
};

}  // namespace dragoman::search
