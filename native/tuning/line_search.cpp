#include "tuning/line_search.hpp"

#include <algorithm>

#include "tuning/envelope.hpp"

namespace dragoman::tuning {

namespace {
constexpr std::size_t kShard = 32;
}

LineSearch::LineSearch(const Pool& pool, const metrics::Gain& gain) : pool_(pool), gain_(gain), choices_(pool.size()) {
  starts_.push_back(0);
  for (std::size_t sentence = 0; sentence < pool.size(); ++sentence)
    starts_.push_back(starts_.back() + pool[sentence].size());
}

void LineSearch::stand_at(std::span<const double> weights, int threads) {
  if (std::equal(weights.begin(), weights.end(), weights_.begin(), weights_.end())) return;
  heights_.resize(starts_.back());
  parallel_ranges(pool_.size(), kShard, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t sentence = begin; sentence < end; ++sentence)
      pool_[sentence].scores(weights, std::span(heights_).subspan(starts_[sentence], pool_[sentence].size()));
  });
  weights_.assign(weights.begin(), weights.end());
}

std::vector<Plateau> LineSearch::line(std::span<const double> weights, std::span<const double> direction,
                                      const Windows& windows, int threads, const StopCallback& stop) {
  pool_.check(weights);
  if (direction.size() != weights.size()) throw InputError("a direction of another length than the weights");
  if (std::all_of(direction.begin(), direction.end(), [](double d) { return d == 0; }))
    throw InputError("a line search without a direction");
  stand_at(weights, threads);
  parallel_ranges(
      pool_.size(), kShard, threads,
      [&](std::size_t begin, std::size_t end) {
        EnvelopeBuilder builder;
        std::vector<double> slopes;
        std::vector<Segment> envelope;
        for (std::size_t sentence = begin; sentence < end; ++sentence) {
          const Candidates& list = pool_[sentence];
          slopes.resize(list.size());
          list.scores(direction, slopes);
          builder.build(slopes, std::span<const double>(heights_).subspan(starts_[sentence], list.size()), envelope);
          auto& choices = choices_[sentence];
          choices.clear();
          for (const Segment& segment : envelope)
            choices.push_back({segment.from, pool_.statistics(sentence, list.text(segment.line.id)).data()});
        }
      },
      stop);
  return plateaus(choices_, pool_.width(), gain_, windows);
}

}  // namespace dragoman::tuning
