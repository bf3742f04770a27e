#include "lm/adjust.hpp"

#include "common/error.hpp"

namespace dragoman::lm {
namespace {

void require_order(std::size_t order) {
  if (order < 1 || order > static_cast<std::size_t>(kMaxOrder))
    throw SettingError("the order is " + std::to_string(order), "choose one from 1 to " + std::to_string(kMaxOrder));
}

}  // namespace

std::vector<std::uint32_t> sorted_events(std::span<const WordId> words, std::span<const std::int64_t> ends,
                                         std::size_t order) {
  require_order(order);
  RecordSorter events(order + 2, order);
  std::vector<WordId> sentence;
  std::size_t at = 0;
  for (const std::int64_t end : ends) {
    if (end < static_cast<std::int64_t>(at) || end > static_cast<std::int64_t>(words.size()))
      throw InputError("sentences that end outside of their words");
    sentence.assign(1, kBegin);
    for (; at < static_cast<std::size_t>(end); ++at)
      if (words[at] > kEnd) sentence.push_back(words[at]);
    sentence.push_back(kEnd);
    for_each_event(sentence, order, [&](std::span<const std::uint32_t> record) { events.append(record); });
  }
  std::vector<std::uint32_t> found;
  events.drain([&](const std::uint32_t* record) {
    const std::size_t before = found.size();
    if (before > 0 && std::equal(record, record + order, found.data() + before - order - 2)) {
      std::uint32_t* count = found.data() + before - 2;
      put(count, get(count) + get(record + order));
    } else {
      found.insert(found.end(), record, record + order + 2);
    }
  });
  return found;
}

std::vector<std::uint32_t> adjusted_counts(std::span<const std::span<const std::uint32_t>> parts, std::size_t order,
                                           Smoothing smoothing) {
  require_order(order);
  RecordSorter events(order + 2, order);
  for (const auto& part : parts) {
    if (part.size() % (order + 2) != 0) throw InputError("events that are cut off");
    for (std::size_t at = 0; at < part.size(); at += order + 2) events.append(part.subspan(at, order + 2));
  }
  std::vector<std::uint32_t> found;
  Adjuster adjuster(order, smoothing,
                    [&](int n, const std::uint32_t* words, std::uint64_t adjusted, std::uint64_t raw) {
                      const std::size_t start = found.size();
                      found.resize(start + order + 5, kNothing);
                      found[start] = static_cast<std::uint32_t>(n);
                      std::copy(words, words + n, found.data() + start + 1);
                      put(found.data() + start + 1 + order, adjusted);
                      put(found.data() + start + 3 + order, raw);
                    });
  events.drain([&](const std::uint32_t* record) { adjuster.see(record); });
  adjuster.finish();
  return found;
}

}  // namespace dragoman::lm
