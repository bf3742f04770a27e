#include <filesystem>
#include <vector>

#include "semantics/cooccurrence.hpp"
#include "semantics/neighbors.hpp"
#include "semantics/propagate.hpp"
#include "tests/check.hpp"
#include "text/index.hpp"

using namespace dragoman;
using namespace dragoman::semantics;

namespace {

const std::vector<std::string_view> kText{"a b c", "", "a b", "c a b a b"};

}  // namespace

TEST("a corpus index finds phrases inside sentences only") {
  for (const int threads : {1, 2, 7}) {
    const auto index = text::CorpusIndex::build(kText, threads, {});
    CHECK(index->tokens() == 10 && index->sentences() == 4);
    const WordId a = index->words().id("a"), b = index->words().id("b"), c = index->words().id("c");
    CHECK(index->find(std::vector{a, b}).size() == 4);
    CHECK(index->find(std::vector{b, c}).size() == 1);
    CHECK(index->find(std::vector{c, a, b}).size() == 1);
    CHECK(index->find(std::vector{b, a, b, a}).size() == 0);
    CHECK(index->find(std::vector{a, kUnknown}).size() == 0);
    CHECK(index->find({}).size() == 0);
    CHECK(index->occurrences(index->find(std::vector{a}), 2).size() == 2);
    const auto between = index->between(std::vector{c}, std::vector{b}, 3, 0);
    CHECK(between.size() == 2 && between[0].length == 1 && between[1].length == 3);
  }
}

TEST("a corpus index survives its file") {
  const auto path = std::filesystem::temp_directory_path() / "dragoman_test_corpus_index";
  text::CorpusIndex::build(kText, 1, {})->save(path);
  const auto index = text::CorpusIndex::open(path);
  CHECK(index->sentence(3).size() == 5 && index->sentence(1).empty());
  std::filesystem::remove(path);
}

TEST("windows end with the sentence") {
  const auto index = text::CorpusIndex::build(kText, 1, {});
  const WordId b = index->words().id("b");
  const std::vector<std::uint8_t> keep(index->words().size(), 1);
  const std::vector<std::int64_t> ends{1};
  const Rows rows = count_contexts(*index, {std::span(&b, 1), ends}, keep, {}, {2, false, 0}, 1, {});
  double sum = 0;
  for (const double value : rows.values) sum += value;
  CHECK(sum == 2 + 1 + 4 + 2);
}

TEST("rows out of order are refused") {
  const std::vector<std::int64_t> starts{0, 2};
  const std::vector<Column> columns{3, 1};
  const std::vector<double> values{1, 1};
  const RowsView bad{starts, columns, values};
  const std::vector<std::int32_t> self{-1};
  CHECK_THROWS(InputError, (void)nearest(bad, bad, 10, self, 1, {}, 1, {}));
  CHECK_THROWS(InputError, bad.check(2));
}
