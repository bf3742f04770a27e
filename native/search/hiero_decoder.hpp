#pragma once
// The chart decoder: lines in, translations out, in the order of the lines and the same for any number of threads.
#include <memory>
#include <span>
#include <vector>

#include "common/parallel.hpp"
#include "search/bounded_contexts.hpp"
#include "search/decoded.hpp"
#include "search/hiero_model.hpp"
#include "search/hiero_settings.hpp"

namespace dragoman::search {

class ChartView;

class HieroDecoder {
 public:
  HieroDecoder(std::shared_ptr<const HieroModel> model, std::vector<double> weights, HieroSettings settings);

  // The same models and weights, searched in another way; what was remembered of rules is shared.
  [[nodiscard]] HieroDecoder with_settings(HieroSettings settings) const { return {shared_, settings}; }

  [[nodiscard]] std::vector<Decoded> decode(std::span<const Request> requests, int threads, bool keep_forests,
                                            const StopCallback& stop = {}) const;

  // A score that no translation passes, whatever search would find; see first_bound. Infinite if features have states.
  [[nodiscard]] double bound(const Request& request, std::span<const BoundedModel> models,
                             const StopCallback& stop = {}) const;

 private:
  struct Workspace;
  struct Shared;

  HieroDecoder(std::shared_ptr<Shared> shared, HieroSettings settings);
  [[nodiscard]] Decoded decode_one(Workspace& workspace, std::size_t number, const Request& request,
                                   const std::shared_ptr<const grammar::LayeredView>& table, bool keep_forest) const;
  [[nodiscard]] double bound_one(Workspace& workspace, const Request& request,
                                 std::span<const BoundedModel> models) const;

  std::shared_ptr<Shared> shared_;
  const HieroModel* model_;
  HieroSettings settings_;
};

}  // namespace dragoman::search
