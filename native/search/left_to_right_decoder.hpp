#pragma once
// The left-to-right decoder of hierarchical rules: lines in, translations out, in the order of the lines and the same
// for any number of threads.
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "common/parallel.hpp"
#include "search/bounded_contexts.hpp"
#include "search/decoded.hpp"
#include "search/left_to_right_model.hpp"
#include "search/left_to_right_settings.hpp"

namespace dragoman::search {

class LeftToRightView;

class LeftToRightDecoder {
 public:
  LeftToRightDecoder(std::shared_ptr<const LeftToRightModel> model, std::vector<double> weights,
                     LeftToRightSettings settings);

  // The same models and weights, searched in another way; what was remembered of rules is shared.
  [[nodiscard]] LeftToRightDecoder with_settings(LeftToRightSettings settings) const { return {shared_, settings}; }

  // A request with references is forced: only they may be written, and all ways to do so are searched unless the beam
  // is smaller.
  [[nodiscard]] std::vector<Decoded> decode(std::span<const Request> requests, int threads, bool keep_forests,
                                            const StopCallback& stop = {}) const;

  // A score that no translation passes, whatever search would find; see first_bound. Infinite if features have states.
  [[nodiscard]] double bound(const Request& request, std::span<const BoundedModel> models,
                             const StopCallback& stop = {}) const;

 private:
  struct LeftToRightWorkspace;
  struct Shared;

  LeftToRightDecoder(std::shared_ptr<Shared> shared, LeftToRightSettings settings);
  [[nodiscard]] Decoded decode_one(LeftToRightWorkspace& workspace, std::size_t number, const Request& request,
                                   const std::shared_ptr<const grammar::LayeredView>& table, bool keep_forest) const;
  [[nodiscard]] double bound_one(LeftToRightWorkspace& workspace, const Request& request,
                                 std::span<const BoundedModel> models) const;
  // Whether nothing but the rules themselves says what may follow what.
  [[nodiscard]] static bool is_free(const LeftToRightWorkspace& workspace, const Request& request);
  // All derivations as a forest.
  void write_space(LeftToRightWorkspace& workspace, std::size_t number, const Request& request,
                   std::span<const std::string_view> words, Decoded& decoded) const;
  [[nodiscard]] double height_weight() const noexcept;
  void append_best(const LeftToRightView& view, const LeftToRightWorkspace& workspace, std::uint32_t offset,
                   Decoded& decoded) const;

  std::shared_ptr<Shared> shared_;
  const LeftToRightModel* model_;
  LeftToRightSettings settings_;
};

}  // namespace dragoman::search
