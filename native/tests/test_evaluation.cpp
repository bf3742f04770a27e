#include <cstdint>
#include <vector>

#include "common/error.hpp"
#include "evaluation/hybrid.hpp"
#include "evaluation/shuffle.hpp"
#include "metrics/bootstrap.hpp"
#include "tests/check.hpp"

using namespace dragoman;

TEST("bootstrap sums do not depend on threads, and draw as many segments as there are") {
  std::vector<double> ones(101, 1.0);
  const auto sums = metrics::bootstrap_sums(ones, 1, 200, 5, 1, {});
  CHECK(sums == metrics::bootstrap_sums(ones, 1, 200, 5, 3, {}));
  for (const double sum : sums) CHECK(sum == 101);
  CHECK(metrics::bootstrap_sums({}, 3, 2, 5, 1, {}).size() == 6);
}

TEST("masked sums do not depend on threads, and take whole rows") {
  for (const std::size_t segments : {1U, 3U, 4U, 63U, 64U, 65U, 131U}) {
    std::vector<double> rows;
    for (std::size_t i = 0; i < segments; ++i) rows.insert(rows.end(), {1.0, 2.0});
    const auto sums = evaluation::masked_sums(rows, 2, 200, 5, 1, {});
    CHECK(sums == evaluation::masked_sums(rows, 2, 200, 5, 3, {}));
    for (std::size_t sample = 0; sample < 200; ++sample) {
      CHECK(sums[2 * sample + 1] == 2 * sums[2 * sample]);
      CHECK(sums[2 * sample] <= static_cast<double>(segments));
    }
  }
  CHECK(evaluation::masked_sums({}, 3, 2, 5, 1, {}).size() == 6);
}

TEST("a hybrid takes one system's row for every segment") {
  std::vector<double> rows;
  for (int segment = 0; segment < 50; ++segment) rows.insert(rows.end(), {1.0, 0.0, 0.0, 1.0});  // two systems
  std::vector<std::int64_t> ends;
  for (std::int64_t segment = 1; segment <= 50; ++segment) ends.push_back(2 * segment);
  const auto sums = evaluation::hybrid_sums(rows, 2, ends, 100, 5, 1, {});
  CHECK(sums == evaluation::hybrid_sums(rows, 2, ends, 100, 5, 3, {}));
  for (std::size_t hybrid = 0; hybrid < 100; ++hybrid) CHECK(sums[2 * hybrid] + sums[2 * hybrid + 1] == 50);
  CHECK(evaluation::hybrid_sums({}, 3, {}, 2, 5, 1, {}).size() == 6);
  ends.back() = 200;
  CHECK_THROWS(InputError, (void)evaluation::hybrid_sums(rows, 2, ends, 100, 5, 1, {}));
  ends.pop_back();
  CHECK_THROWS(InputError, (void)evaluation::hybrid_sums(rows, 2, ends, 100, 5, 1, {}));
  ends.back() = ends.front();
  CHECK_THROWS(InputError, (void)evaluation::hybrid_sums(rows, 2, ends, 100, 5, 1, {}));
}
