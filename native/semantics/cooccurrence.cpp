#include "semantics/cooccurrence.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace dragoman::semantics {

namespace {

constexpr std::size_t kShard = 256;  // phrases counted by one task

// Calls use(column) for each token in the window around [at, at + length).
template <typename Use>
void for_each_context(std::span<const WordId> text, std::size_t at, std::size_t length, const WindowSettings& settings,
                      std::size_t words, const Use& use) {
  const auto column = [&](WordId word, std::size_t slot) { return settings.positional ? slot * words + word : word; };
  for (std::size_t k = 1; k <= settings.window && text[at - k] != kUnknown; ++k)
    use(text[at - k], column(text[at - k], settings.window - k));
  for (std::size_t k = 0; k < settings.window && text[at + length + k] != kUnknown; ++k)
    use(text[at + length + k], column(text[at + length + k], settings.window + k));
}

bool counts(Claims claims, std::size_t at, std::size_t length) {
  return claims.empty() || claims[at] == (length == 1 ? 0 : length);
}

void check(const text::CorpusIndex& index, const Phrases& phrases, std::span<const std::uint8_t> keep, Claims claims,
           const WindowSettings& settings) {
  if (settings.window < 1 || settings.window > 1000)
    throw SettingError("window=" + std::to_string(settings.window), "choose from 1 to 1000 tokens on each side");
  if (keep.size() != index.words().size() || (!claims.empty() && claims.size() != index.text().size()))
    throw InputError("marks that do not fit the corpus index");
  std::int64_t last = 0;
  for (const std::int64_t end : phrases.ends) {
    if (end < last || end > static_cast<std::int64_t>(phrases.words.size()))
      throw InputError("phrases whose ends are not in order");
    last = end;
  }
}

// Rows of shards that were made on any thread, put together in order.
template <typename Work>
Rows gather(std::size_t items, int threads, const StopCallback& stop, const Work& work) {
  std::vector<Rows> parts(shard_count(items, kShard));
  parallel_shards(
      parts.size(), threads,
      [&](std::size_t shard) { work(shard * kShard, std::min(items, (shard + 1) * kShard), parts[shard]); }, stop);
  Rows rows;
  for (Rows& part : parts) {
    rows.append(part);
    part = {};
  }
  return rows;
}

}  // namespace

std::size_t context_columns(const text::CorpusIndex& index, const WindowSettings& settings) {
  const std::size_t columns = index.words().size() * (settings.positional ? 2 * settings.window : 1);
  if (columns > static_cast<std::size_t>(std::numeric_limits<Column>::max()))
    throw SettingError("more than 2 thousand million columns", "use a smaller window, or count without positions");
  return columns;
}

Rows count_contexts(const text::CorpusIndex& index, const Phrases& phrases, std::span<const std::uint8_t> keep,
                    Claims claims, const WindowSettings& settings, int threads, const StopCallback& stop) {
  check(index, phrases, keep, claims, settings);
  const std::size_t width = context_columns(index, settings);
  return gather(phrases.size(), threads, stop, [&](std::size_t begin, std::size_t end, Rows& rows) {
    Accumulator sums(width);
    for (std::size_t phrase = begin; phrase < end; ++phrase) {
      const text::SuffixRange range = index.find(phrases[phrase]);
      const auto places = index.occurrences(range, settings.at_most);
      for (const text::Position at : places) {
        if (!counts(claims, at, phrases[phrase].size())) continue;
        for_each_context(index.text(), at, phrases[phrase].size(), settings, index.words().size(),
                         [&](WordId word, std::size_t column) {
                           if (keep[word]) sums.add(column, 1.0);
                         });
      }
      const bool sampled = places.size() < range.size();
      sums.flush(rows, sampled ? static_cast<double>(range.size()) / static_cast<double>(places.size()) : 1.0);
    }
  });
}

std::vector<double> context_totals(const text::CorpusIndex& index, const WindowSettings& settings) {
  std::vector<double> totals(context_columns(index, settings), 0.0);
  const auto text = index.text();
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == kUnknown) continue;
    for_each_context(text, at, 1, settings, index.words().size(),
                     [&](WordId, std::size_t column) { totals[column] += 1.0; });
  }
  return totals;
}

std::vector<std::int64_t> neighbor_types(const text::CorpusIndex& index, const WindowSettings& settings, double least,
                                         std::int64_t threshold, int threads, const StopCallback& stop) {
  WindowSettings flat = settings;
  flat.positional = false;
  const std::size_t words = index.words().size();
  std::vector<std::int64_t> types(words, 0);
  std::vector<WordId> frequent;
  for (WordId word = 1; word < words; ++word) {
    if (static_cast<std::int64_t>(index.count(word) * 2 * flat.window) > threshold) frequent.push_back(word);
  }
  parallel_ranges(
      frequent.size(), 16, threads,
      [&](std::size_t begin, std::size_t end) {
        Accumulator sums(words);
        for (std::size_t i = begin; i < end; ++i) {
          const WordId word = frequent[i];
          for (const text::Position at : index.occurrences(index.find(std::span(&word, 1)), 0)) {
            for_each_context(index.text(), at, 1, flat, words,
                             [&](WordId, std::size_t column) { sums.add(column, 1.0); });
          }
          types[word] = std::count_if(sums.touched().begin(), sums.touched().end(),
                                      [&](Column column) { return sums[column] >= least; });
          sums.clear();
        }
      },
      stop);
  return types;
}

Rows count_by_concept(const text::CorpusIndex& index, const Phrases& terms, const Concepts& concepts,
                      std::span<const std::uint8_t> keep, Claims claims, const WindowSettings& settings, bool drop_ties,
                      int threads, const StopCallback& stop) {
  check(index, terms, keep, claims, settings);
  const std::size_t width = context_columns(index, settings);
  concepts.strengths.check(width);
  bool good = concepts.starts.size() == terms.size() + 1 && concepts.starts.front() == 0 &&
              concepts.starts.back() == static_cast<std::int64_t>(concepts.of_terms.size()) &&
              std::is_sorted(concepts.starts.begin(), concepts.starts.end());
  for (const std::int32_t concept_number : concepts.of_terms)
    good = good && concept_number >= 0 && static_cast<std::size_t>(concept_number) < concepts.strengths.size();
  if (!good) throw InputError("concepts that do not fit the terms");
  return gather(terms.size(), threads, stop, [&](std::size_t begin, std::size_t end, Rows& rows) {
    Accumulator sums(width);
    std::vector<double> evidence;
    std::vector<std::vector<text::Position>> given;
    for (std::size_t term = begin; term < end; ++term) {
      const auto first = static_cast<std::size_t>(concepts.starts[term]);
      const auto choices = static_cast<std::size_t>(concepts.starts[term + 1]) - first;
      const std::size_t length = terms[term].size();
      given.assign(choices, {});
      const auto strength = [&](std::size_t choice, std::size_t column) {
        const auto row = static_cast<std::size_t>(concepts.of_terms[first + choice]);
        const auto columns = concepts.strengths.columns_of(row);
        const auto found = std::lower_bound(columns.begin(), columns.end(), static_cast<Column>(column));
        if (found == columns.end() || *found != static_cast<Column>(column)) return 0.0;
        return concepts.strengths.values_of(row)[static_cast<std::size_t>(found - columns.begin())];
      };
      for (const text::Position at : index.occurrences(index.find(terms[term]), settings.at_most)) {
        if (!counts(claims, at, length)) continue;
        evidence.assign(choices, 0.0);
        if (choices > 1) {
          for_each_context(index.text(), at, length, settings, index.words().size(),
                           [&](WordId word, std::size_t column) {
                             if (!keep[word]) return;
                             for (std::size_t choice = 0; choice < choices; ++choice)
                               evidence[choice] += strength(choice, column);
                           });
        }
        const double best = choices == 0 ? 0.0 : *std::max_element(evidence.begin(), evidence.end());
        const auto winners = std::count(evidence.begin(), evidence.end(), best);
        if (winners > 1 && drop_ties) continue;
        for (std::size_t choice = 0; choice < choices; ++choice) {
          if (evidence[choice] == best) given[choice].push_back(at);
        }
      }
      for (const auto& places : given) {
        for (const text::Position at : places) {
          for_each_context(index.text(), at, length, settings, index.words().size(),
                           [&](WordId word, std::size_t column) {
                             if (keep[word]) sums.add(column, 1.0);
                           });
        }
        sums.flush(rows);
      }
    }
  });
}

}  // namespace dragoman::semantics
