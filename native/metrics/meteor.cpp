#include "metrics/meteor.hpp"

#include <algorithm>
#include <cmath>

namespace dragoman::metrics {
namespace {

constexpr std::size_t kLengths = 4 * kStages, kChunks = kMeteorWidth - 1;

void describe(std::span<const Match> matches, Words hypothesis, Words reference, const WordRelations& relations,
              bool strict, std::span<double> row) {
  std::fill(row.begin(), row.end(), 0.0);
  for (const WordId word : hypothesis) row[kLengths + (relations.function_word(word) ? 1 : 0)] += 1;
  for (const WordId word : reference) row[kLengths + (relations.function_word(word) ? 3 : 2)] += 1;
  std::size_t matched_here = 0, matched_there = 0;
  for (const Match& match : matches) {
    double* const cells = row.data() + 4 * static_cast<std::size_t>(match.stage);
    for (std::int32_t k = 0; k < match.hypothesis_length; ++k, ++matched_here) {
      cells[relations.function_word(hypothesis[static_cast<std::size_t>(match.hypothesis + k)]) ? 1 : 0] += 1;
    }
    for (std::int32_t k = 0; k < match.reference_length; ++k, ++matched_there) {
      cells[relations.function_word(reference[static_cast<std::size_t>(match.reference + k)]) ? 3 : 2] += 1;
    }
  }
  const std::int64_t chunks = count_chunks(matches);
  const bool whole = chunks == 1 && matched_here == hypothesis.size() && matched_there == reference.size();
  row[kChunks] = whole && !strict ? 0.0 : static_cast<double>(chunks);
}

}  // namespace

std::vector<double> meteor_statistics(const EncodedLines& hypotheses, const References& references,
                                      const WordRelations& relations, const PhrasePairs& paraphrases,
                                      const MeteorOptions& options, int threads, const StopCallback& stop) {
  check_segments(hypotheses, references);
  return fill_statistics<StagedMatcher>(
      hypotheses.size(), kMeteorWidth, threads, stop,
      [&](StagedMatcher& matcher, std::size_t i, std::span<double> row) {
        std::array<double, kMeteorWidth> here{};
        double best = -1;
        for (std::size_t r = references.begin(i); r < references.end(i); ++r) {
          const Words hypothesis = hypotheses.line(i), reference = references.lines.line(r);
          const auto& matches = matcher.match(hypothesis, reference, relations, paraphrases, options.matching);
          describe(matches, hypothesis, reference, relations, options.strict, here);
          const double score = meteor(here, options).score;
          if (score > best) {
            best = score;
            std::copy(here.begin(), here.end(), row.begin());
          }
        }
      });
}

MeteorParts meteor(std::span<const double> statistics, const MeteorOptions& options) noexcept {
  const auto weighted = [&](double content, double function) {
    return options.delta * content + (1 - options.delta) * function;
  };
  double here = 0, there = 0, matched = 0;
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    const double* const cells = statistics.data() + 4 * stage;
    here += options.weights[stage] * weighted(cells[0], cells[1]);
    there += options.weights[stage] * weighted(cells[2], cells[3]);
    matched += (cells[0] + cells[1] + cells[2] + cells[3]) / 2;
  }
  const double length = weighted(statistics[kLengths], statistics[kLengths + 1]);
  const double wanted = weighted(statistics[kLengths + 2], statistics[kLengths + 3]);
  MeteorParts parts;
  parts.precision = length > 0 ? here / length : 0;
  parts.recall = wanted > 0 ? there / wanted : 0;
  if (parts.precision == 0 || parts.recall == 0) return parts;
  const double mean =
      parts.precision * parts.recall / (options.alpha * parts.precision + (1 - options.alpha) * parts.recall);
  parts.penalty = options.gamma * std::pow(statistics[kChunks] / matched, options.beta);
  parts.score = mean * (1 - parts.penalty);
  return parts;
}

}  // namespace dragoman::metrics
