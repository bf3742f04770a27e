#pragma once
// The phrase-based decoder: lines in, translations out, in the order of the lines and the same for any number of
// threads.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/parallel.hpp"
#include "search/decoded.hpp"
#include "search/phrase_model.hpp"
#include "search/search_settings.hpp"

namespace dragoman::search {

class SearchView;
struct LengthLimit;

class PhraseDecoder {
 public:
  PhraseDecoder(std::shared_ptr<const PhraseModel> model, std::vector<double> weights, SearchSettings settings);

  // The same models and weights, searched in another way; what was remembered of rules is shared.
  [[nodiscard]] PhraseDecoder with_settings(SearchSettings settings) const { return {shared_, settings}; }

  [[nodiscard]] std::vector<Decoded> decode(std::span<const Request> requests, int threads, bool keep_forests,
                                            const StopCallback& stop = {}) const;

 private:
  struct PhraseWorkspace;
  struct Shared;

  PhraseDecoder(std::shared_ptr<Shared> shared, SearchSettings settings);
  [[nodiscard]] Decoded decode_one(PhraseWorkspace& workspace, std::size_t number, const Request& request,
                                   const std::shared_ptr<const grammar::LayeredView>& table, bool keep_forest) const;
  [[nodiscard]] LengthLimit length_limit() const;
  void append_best(const SearchView& view, std::uint32_t offset, Decoded& decoded) const;

  std::shared_ptr<Shared> shared_;
  const PhraseModel* model_;
  SearchSettings settings_;
  double distortion_weight_;
};

}  // namespace dragoman::search
