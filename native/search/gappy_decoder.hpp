#pragma once
// The decoder of phrases with gaps: lines in, translations out, in the order of the lines and the same for any number
// of threads.
#include <memory>
#include <span>
#include <vector>

#include "common/parallel.hpp"
#include "search/decoded.hpp"
#include "search/gappy_model.hpp"
#include "search/gappy_settings.hpp"

namespace dragoman::search {

class GappyDecoder {
 public:
  GappyDecoder(std::shared_ptr<const GappyModel> model, std::vector<double> weights, GappySettings settings);

  // The same models and weights, searched in another way; what was remembered of rules is shared.
  [[nodiscard]] GappyDecoder with_settings(GappySettings settings) const { return {shared_, settings}; }

  [[nodiscard]] std::vector<Decoded> decode(std::span<const Request> requests, int threads, bool keep_forests,
                                            const StopCallback& stop = {}) const;

 private:
  struct GappyWorkspace;
  struct Shared;

  GappyDecoder(std::shared_ptr<Shared> shared, GappySettings settings)
      : shared_(std::move(shared)), settings_(settings) {}
  [[nodiscard]] Decoded decode_one(GappyWorkspace& workspace, std::size_t number, const Request& request,
                                   const std::shared_ptr<const grammar::LayeredView>& table, bool keep_forest) const;

  std::shared_ptr<Shared> shared_;
  GappySettings settings_;
};

}  // namespace dragoman::search
