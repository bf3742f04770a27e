#pragma once
// The phrase-based decoder: lines in, translations out, in the order of the lines and the same for any number of
// threads.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/parallel.hpp"
#include "forest/kbest.hpp"
#include "forest/kbest_lists.hpp"
#include "lm/bounds.hpp"
#include "search/decoded.hpp"
#include "search/os_star.hpp"
#include "search/phrase_model.hpp"
#include "search/search_settings.hpp"

namespace dragoman::search {

class Replay;
class SearchView;
struct BoundedModel;
struct LengthLimit;
struct Sampled;

class PhraseDecoder {
 public:
  PhraseDecoder(std::shared_ptr<const PhraseModel> model, std::vector<double> weights, SearchSettings settings);

  // The same models and weights, searched in another way; what was remembered of rules is shared.
  [[nodiscard]] PhraseDecoder with_settings(SearchSettings settings) const { return {shared_, settings}; }

  [[nodiscard]] std::vector<Decoded> decode(std::span<const Request> requests, int threads, bool keep_forests,
                                            const StopCallback& stop = {}) const;
  // The best derivation of each sentence, proved within limits; `bounds` are those of the language models, in order.
  [[nodiscard]] std::vector<Decoded> optimize(std::span<const Request> requests,
                                              std::span<const std::shared_ptr<const lm::Bounds>> bounds,
                                              const ExactSettings& exact, int threads,
                                              const StopCallback& stop = {}) const;
  // Independent samples of derivations, distributed as exp(scale * score).
  [[nodiscard]] std::vector<Sampled> sample(std::span<const Request> requests,
                                            std::span<const std::shared_ptr<const lm::Bounds>> bounds,
                                            const SampleSettings& settings, int threads,
                                            const StopCallback& stop = {}) const;
  // A list for each sentence, for tuners; throws what is wrong with the first sentence that cannot be translated.
  [[nodiscard]] forest::KBestLists kbest_lists(std::span<const Request> requests, const forest::KBestOptions& options,
                                               int threads, const StopCallback& stop = {}) const;

 private:
  struct PhraseWorkspace;
  struct Shared;

  PhraseDecoder(std::shared_ptr<Shared> shared, SearchSettings settings);
  using Words = std::span<const std::string_view>;
  using Table = std::shared_ptr<const grammar::LayeredView>;

  [[nodiscard]] Decoded decode_one(PhraseWorkspace& workspace, std::size_t number, const Request& request,
                                   const Table& table, bool keep_forest) const;
  [[nodiscard]] forest::KBestLists list_one(PhraseWorkspace& workspace, std::size_t number, const Request& request,
                                            const Table& table, const forest::KBestOptions& options) const;
  [[nodiscard]] LengthLimit length_limit(const Request& request) const;
  // Searches the pieces of a sentence, which end at `ends`, one after the other; use(view, first word, language
  // model cost) for each.
  template <typename Use>
  void search(PhraseWorkspace& workspace, std::size_t number, const Request& request, Words words,
              std::span<const std::uint32_t> ends, const Table& table, const Use& use) const;
  [[nodiscard]] Replay replay_of(PhraseWorkspace& workspace) const;
  [[nodiscard]] std::vector<BoundedModel> bounded_models(
      std::span<const std::shared_ptr<const lm::Bounds>> bounds) const;
  // Calls use(workspace, replay, words, result) for each sentence, whole, its options found.
  template <typename Result, typename Use>
  [[nodiscard]] std::vector<Result> run_exactly(std::span<const Request> requests, int threads,
                                                const StopCallback& stop, const Use& use) const;

  std::shared_ptr<Shared> shared_;
  const PhraseModel* model_;
  SearchSettings settings_;
  double distortion_weight_;
};

}  // namespace dragoman::search
