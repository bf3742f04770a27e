#include "tuning/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/error.hpp"

namespace dragoman::tuning {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSame = 1e-12;      // points closer than this are one
constexpr double kNarrowest = 1e-9;  // a plateau that rounding might miss is no place to go
constexpr std::size_t kRefresh = 8192;

struct Event {
  double x;
  std::uint32_t sentence;
  std::uint32_t choice;
};

double reach(double x) { return std::max(1.0, std::abs(x)); }

}  // namespace

std::vector<double> smoothed(std::span<const double> gains, const Windows& windows) {
  std::vector<double> result(gains.begin(), gains.end());
  if (windows.smoothing == Smoothing::kNone || windows.window <= 1) return result;
  if (windows.window % 2 == 0) throw SettingError("a window of an even number of plateaus", "choose 3, 5 or 7");
  const std::size_t half = windows.window / 2;
  for (std::size_t t = 0; t < gains.size(); ++t) {
    const std::size_t first = t > half ? t - half : 0, last = std::min(gains.size() - 1, t + half);
    const auto around = gains.subspan(first, last - first + 1);
    if (windows.smoothing == Smoothing::kMinimum) {
      result[t] = *std::min_element(around.begin(), around.end());
    } else {
      double sum = 0;
      for (const double gain : around) sum += gain;
      result[t] = sum / static_cast<double>(around.size());
    }
  }
  return result;
}

std::vector<Plateau> plateaus(std::span<const std::vector<Choice>> sentences, std::size_t width,
                              const metrics::Gain& gain, const Windows& windows) {
  std::vector<Event> events;
  std::vector<const double*> current(sentences.size());
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    current[i] = sentences[i].front().statistics;
    for (std::size_t j = 1; j < sentences[i].size(); ++j)
      events.push_back({sentences[i][j].from, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    if (a.x != b.x) return a.x < b.x;
    return a.sentence != b.sentence ? a.sentence < b.sentence : a.choice < b.choice;
  });

  std::vector<double> total(width), totals;
  const auto refresh = [&] {
    std::fill(total.begin(), total.end(), 0.0);
    for (const double* row : current)
      for (std::size_t k = 0; k < width; ++k) total[k] += row[k];
  };
  std::vector<Plateau> line;
  const auto close = [&](double from) {
    line.push_back({from, kInfinity, 0, 0});
    totals.insert(totals.end(), total.begin(), total.end());
  };
  refresh();
  close(-kInfinity);
  for (std::size_t at = 0; at < events.size();) {
    const double x = events[at].x;
    for (; at < events.size() && events[at].x - x <= kSame * reach(x); ++at) {
      const Event& event = events[at];
      const double* next = sentences[event.sentence][event.choice].statistics;
      const double*& now = current[event.sentence];
      for (std::size_t k = 0; k < width; ++k) total[k] += next[k] - now[k];
      now = next;
      if ((at + 1) % kRefresh == 0) refresh();  // sums of fractions must not drift
    }
    line.back().to = x;
    close(x);
  }
  std::vector<double> gains(line.size());
  gain.score(totals, gains);
  const std::vector<double> judged = smoothed(gains, windows);
  for (std::size_t t = 0; t < line.size(); ++t) {
    line[t].gain = gains[t];
    line[t].smoothed = judged[t];
  }
  return line;
}

LinePoint best_point(std::span<const Plateau> line) {
  const auto holds_zero = [](const Plateau& p) { return p.from < 0 && 0 < p.to; };
  const Plateau* best = nullptr;
  for (const Plateau& plateau : line) {
    if (plateau.to - plateau.from < kNarrowest * reach(plateau.from) && !holds_zero(plateau)) continue;
    if (best == nullptr || plateau.smoothed > best->smoothed) {
      best = &plateau;
    } else if (plateau.smoothed == best->smoothed && !holds_zero(*best) &&
               (holds_zero(plateau) || plateau.to - plateau.from > best->to - best->from)) {
      best = &plateau;
    }
  }
  if (best == nullptr) best = &line.front();
  LinePoint point{0, best->gain, best->smoothed, line.size()};
  if (holds_zero(*best) || line.size() == 1) return point;
  if (best->from == -kInfinity) {
    point.x = best->to - 1;
  } else if (best->to == kInfinity) {
    point.x = best->from + 1;
  } else {
    point.x = best->from + (best->to - best->from) / 2;
  }
  return point;
}

}  // namespace dragoman::tuning
