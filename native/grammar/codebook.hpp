#pragma once
// Columns of values stored as small codes. Most columns of a table hold few different values (small counts make small
// fractions), so that two bytes, or one, say the same as four; on request a column is rounded to 256 values.
#include <cstdint>
#include <span>
#include <vector>

namespace dragoman::grammar {

struct Codebook {
  int width = 4;              // bytes of a stored value; at 4 the value itself is stored
  std::vector<float> values;  // ascending; of the size that any code of that width indexes, the last one repeated
  std::size_t used = 0;
};

// The narrowest lossless coding of one column of a row-major matrix, or with `lossy` the best of 256 values in the
// sense of squared error (Lloyd 1982, from quantiles).
[[nodiscard]] Codebook fit_codebook(std::span<const float> matrix, std::size_t column, std::size_t columns, bool lossy);

// Turns values into codes.
class CodebookEncoder {
 public:
  explicit CodebookEncoder(const Codebook& book);
  void write(float value, std::uint8_t* out) const noexcept;

 private:
  [[nodiscard]] std::uint32_t nearest(float value) const noexcept;

  const Codebook& book_;
  struct Slot {
    float value = 0;
    std::uint32_t entry = 0;  // code + 1
  };
  std::vector<Slot> slots_;
};

}  // namespace dragoman::grammar
