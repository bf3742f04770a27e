#pragma once
// What the parts of the tuning binding share.
#include <memory>
#include <vector>

#include "bindings/arrays.hpp"
#include "tuning/gain.hpp"
#include "tuning/pool.hpp"

namespace dragoman {

void bind_pool(nb::module_& m);
void bind_line_search(nb::module_& m);

// A gain that Python computes: a function from a matrix of statistics to a score per row. It is called on the thread
// that called from Python, and only there.
class CallbackGain final : public tuning::Gain {
 public:
  CallbackGain(nb::object function, std::size_t width) : function_(std::move(function)), width_(width) {}
  ~CallbackGain() override {
    const nb::gil_scoped_acquire locked;
    function_.reset();
  }
  CallbackGain(const CallbackGain&) = delete;
  CallbackGain& operator=(const CallbackGain&) = delete;
  using Gain::score;
  void score(std::span<const double> rows, std::span<double> into) const override;

 private:
  nb::object function_;
  std::size_t width_;
};

inline void check_features(const tuning::Pool& pool, const In<std::uint8_t>& fixed) {
  if (fixed.size() < pool.names().size()) throw InputError("a flag for every feature is needed");
}

}  // namespace dragoman
