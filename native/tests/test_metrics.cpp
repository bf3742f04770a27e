#include <cmath>
#include <string>
#include <vector>

#include "metrics/bleu.hpp"
#include "metrics/chrf.hpp"
#include "metrics/edits.hpp"
#include "metrics/gain.hpp"
#include "metrics/meteor.hpp"
#include "metrics/nist.hpp"
#include "metrics/pairs.hpp"
#include "metrics/ter.hpp"
#include "metrics/terp.hpp"
#include "tests/check.hpp"

using namespace dragoman;
using namespace dragoman::metrics;

namespace {

struct Sample {
  Vocabulary words;
  EncodedLines hypotheses, references;
  std::vector<std::int64_t> groups;

  explicit Sample(std::size_t copies = 1) {
    const std::vector<std::string_view> here{"the cat sat on mat", "on the mat the cat sat", "", "b c d a", "a a b"};
    const std::vector<std::string_view> there{"the cat sat on the mat", "the cat sat on the mat", "x", "a b c d",
                                              "a b"};
    std::vector<std::string_view> h, r;
    for (std::size_t k = 0; k < copies; ++k) {
      h.insert(h.end(), here.begin(), here.end());
      r.insert(r.end(), there.begin(), there.end());
    }
    const Tokenizer tokenizer("13a");
    references = intern(tokenizer, r, words, 1);
    hypotheses = intern(tokenizer, h, words, 2);
    for (std::size_t i = 0; i < r.size(); ++i) groups.push_back(static_cast<std::int64_t>(i) + 1);
  }
  [[nodiscard]] References refs() const { return {references, groups}; }
};

}  // namespace

TEST("statistics do not depend on threads") {
  const Sample sample(100);
  const WordRelations relations;
  const PhrasePairs none;
  const auto same = [](const auto& run) { return run(1) == run(2) && run(1) == run(7); };
  const NgramInformation information(sample.references, 5);
  CHECK(same([&](int threads) {
    return bleu_statistics(sample.hypotheses, sample.refs(), 4, ReferenceLength::kClosest, true, threads, {});
  }));
  CHECK(same([&](int threads) {
    return chrf_statistics(sample.hypotheses, sample.refs(), sample.hypotheses, sample.references, {6, 2, 2, false},
                           threads, {});
  }));
  CHECK(same([&](int threads) { return nist_statistics(sample.hypotheses, sample.refs(), information, threads, {}); }));
  CHECK(same([&](int threads) { return ter_statistics(sample.hypotheses, sample.refs(), threads, {}); }));
  CHECK(same(
      [&](int threads) { return edit_statistics(sample.hypotheses, sample.refs(), EditKind::kCder, threads, {}); }));
  CHECK(same([&](int threads) {
    return meteor_statistics(sample.hypotheses, sample.refs(), relations, none, {}, threads, {});
  }));
  CHECK(same([&](int threads) {
    return terp_statistics(sample.hypotheses, sample.refs(), relations, none, {}, threads, {});
  }));
  CHECK(same([&](int threads) { return bleu_matrix(sample.hypotheses, sample.references, {}, threads, {}); }));
}

TEST("shifts are counted") {
  const Sample sample;
  const auto rows = ter_statistics(sample.hypotheses, sample.refs(), 1, {});
  const std::vector<double> wanted{1, 6, 1, 6, 1, 1, 1, 4, 1, 2};
  CHECK(rows == wanted);
}

TEST("lines are taken in any order, and measured as before") {
  const Sample sample;
  const auto whole = bleu_statistics(sample.hypotheses, sample.refs(), 4, ReferenceLength::kClosest, false, 1, {});
  const std::vector<std::int64_t> order{4, 0, 0, 2};
  const EncodedLines hypotheses = sample.hypotheses.take(order), references = sample.references.take(order);
  CHECK(hypotheses.size() == 4 && hypotheses.line(3).empty());
  const std::vector<std::int64_t> groups{1, 2, 3, 4};
  const auto part = bleu_statistics(hypotheses, {references, groups}, 4, ReferenceLength::kClosest, false, 1, {});
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t k = 0; k < 9; ++k) CHECK(part[9 * i + k] == whole[9 * static_cast<std::size_t>(order[i]) + k]);
  CHECK(sample.references.take({}).size() == 0);
}

TEST("the gain of BLEU is its score") {
  const Sample sample;
  const auto rows = bleu_statistics(sample.hypotheses, sample.refs(), 4, ReferenceLength::kClosest, false, 1, {});
  const BleuOptions options;
  const BleuGain gain(options);
  CHECK(gain.width() == 9);
  for (std::size_t i = 0; i < sample.hypotheses.size(); ++i) {
    const auto row = std::span(rows).subspan(9 * i, 9);
    CHECK(std::abs(gain.score(row) - bleu(row, options).score) < 1e-12);
  }
}

TEST("segments without references are refused") {
  Sample sample;
  sample.groups[1] = sample.groups[0];
  CHECK_THROWS(InputError, (void)ter_statistics(sample.hypotheses, sample.refs(), 1, {}));
  sample.groups.pop_back();
  CHECK_THROWS(InputError, (void)ter_statistics(sample.hypotheses, sample.refs(), 1, {}));
}

TEST("an n-gram table forgets when cleared, and finds nothing when empty") {
  NgramTable table;
  CHECK(table.find(NgramTable::kRoot, 1) == NgramTable::kNone);
  for (WordId word = 0; word < 1000; ++word) CHECK(table.add(NgramTable::kRoot, word) == word);
  CHECK(table.find(NgramTable::kRoot, 999) == 999);
  table.clear();
  CHECK(table.find(NgramTable::kRoot, 999) == NgramTable::kNone);
  CHECK(table.add(NgramTable::kRoot, 999) == 0);
}
