#include "grammar/merge.hpp"

#include <limits>

#include "common/parallel.hpp"
#include "grammar/spool.hpp"

namespace dragoman::grammar {
namespace {

constexpr BinaryFormat kMergedFormat{"RMRG", 2}, kPlacesFormat{"RMAP", 2};

std::filesystem::path numbered(const std::filesystem::path& folder, const char* name, std::size_t number) {
  return folder / (std::string(name) + "." + std::to_string(number));
}

// One dictionary out of many, on disk.
struct Dictionary {
  Dictionary(const std::filesystem::path& folder, const std::string& side, std::size_t runs)
      : ends(folder / (side + ".ends")), symbols(folder / (side + ".symbols")), counts(folder / (side + ".counts")) {
    for (std::size_t r = 0; r < runs; ++r)
      places.push_back(std::make_unique<Spool<std::uint32_t>>(numbered(folder, (side + ".places").c_str(), r)));
  }
  Spool<std::uint64_t> ends;
  Spool<WordId> symbols;
  Spool<std::uint64_t> counts;
  std::vector<std::unique_ptr<Spool<std::uint32_t>>> places;
};

void merge_side(const std::vector<Run>& runs, bool source, Dictionary& into) {
  const PhraseOrder order = source ? PhraseOrder::kBreadthFirst : PhraseOrder::kLexicographic;
  const auto phrases = [&](std::size_t r) -> const FlatPhrases& { return source ? runs[r].sources : runs[r].targets; };
  std::vector<std::uint32_t> at(runs.size(), 0);
  std::vector<std::size_t> heap;
  const auto later = [&](std::size_t a, std::size_t b) {
    const int way = compare(phrases(a)[at[a]], phrases(b)[at[b]], order);
    return way != 0 ? way > 0 : a > b;
  };
  for (std::size_t r = 0; r < runs.size(); ++r)
    if (phrases(r).size() != 0) heap.push_back(r);
  std::make_heap(heap.begin(), heap.end(), later);
  std::uint64_t symbols = 0;
  for (std::uint32_t id = 0; !heap.empty(); ++id) {
    if (id == std::numeric_limits<std::uint32_t>::max())
      throw InputError("more than 4 billion different phrases", "", "lower the longest phrase length");
    const Phrase phrase = phrases(heap.front())[at[heap.front()]];
    into.symbols.append(phrase);
    symbols += phrase.size();
    into.ends.push(symbols);
    std::uint64_t count = 0;
    while (!heap.empty() && compare(phrases(heap.front())[at[heap.front()]], phrase, order) == 0) {
      std::pop_heap(heap.begin(), heap.end(), later);
      const std::size_t r = heap.back();
      into.places[r]->push(id);
      if (!source) count += runs[r].target_counts[at[r]];
      if (++at[r] < phrases(r).size())
        std::push_heap(heap.begin(), heap.end(), later);
      else
        heap.pop_back();
    }
    if (!source) into.counts.push(count);
  }
}

std::vector<Run::LexicalCount> merge_lexical(const std::vector<Run>& runs) {
  std::vector<Run::LexicalCount> all;
  for (const Run& run : runs) {
    const auto middle = static_cast<std::ptrdiff_t>(all.size());
    all.insert(all.end(), run.lexical.begin(), run.lexical.end());
    const auto before = [](const auto& a, const auto& b) {
      return a.source != b.source ? a.source < b.source : a.target < b.target;
    };
    std::inplace_merge(all.begin(), all.begin() + middle, all.end(), before);
    std::size_t kept = 0;
    for (const Run::LexicalCount& entry : all) {
      if (kept != 0 && all[kept - 1].source == entry.source && all[kept - 1].target == entry.target)
        all[kept - 1].count += entry.count;
      else
        all[kept++] = entry;
    }
    all.resize(kept);
  }
  return all;
}

}  // namespace

void merge_dictionaries(const std::vector<std::filesystem::path>& paths, const std::filesystem::path& folder,
                        int threads) {
  std::vector<Run> runs;
  for (const auto& path : paths) runs.push_back(Run::open(path));
  Dictionary sources(folder, "source", runs.size()), targets(folder, "target", runs.size());
  std::vector<Run::LexicalCount> lexical;
  parallel_shards(3, threads, [&](std::size_t part) {
    if (part == 0) merge_side(runs, true, sources);
    if (part == 1) merge_side(runs, false, targets);
    if (part == 2) lexical = merge_lexical(runs);
  });

  PhraseSet patterns;
  std::vector<std::vector<std::uint32_t>> pattern_places(runs.size());
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (std::uint32_t id = 0; id < runs[r].patterns.size(); ++id)
      pattern_places[r].push_back(patterns.intern(runs[r].patterns[id]));
  std::vector<std::pair<std::string, std::uint32_t>> by_text;
  for (std::uint32_t id = 0; id < patterns.size(); ++id) by_text.emplace_back(link_text(patterns[id]), id);
  std::sort(by_text.begin(), by_text.end());
  std::vector<std::uint32_t> place(patterns.size());
  PhraseColumns sorted_patterns;
  for (std::uint32_t rank = 0; rank < by_text.size(); ++rank) {
    place[by_text[rank].second] = rank;
    sorted_patterns.add(patterns[by_text[rank].second]);
  }

  BinaryWriter writer(folder / "merged", kMergedFormat, 8, 0, Durability::kScratch);
  writer.section(sources.ends.values());
  writer.section(sources.symbols.values());
  writer.section(targets.ends.values());
  writer.section(targets.symbols.values());
  writer.section(targets.counts.values());
  sorted_patterns.write(writer);
  writer.section(lexical);
  writer.finish();
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (std::uint32_t& pattern : pattern_places[r]) pattern = place[pattern];
    BinaryWriter places(numbered(folder, "places", r), kPlacesFormat, 3, 0, Durability::kScratch);
    places.section(sources.places[r]->values());
    places.section(targets.places[r]->values());
    places.section(pattern_places[r]);
    places.finish();
  }
}

Merged::Merged(const std::vector<std::filesystem::path>& runs, const std::filesystem::path& folder)
    : file_(std::make_unique<BinaryFile>(folder / "merged", kMergedFormat, 8)) {
  sources = FlatPhrases::read(*file_, 0);
  targets = FlatPhrases::read(*file_, 2);
  target_counts = file_->section<std::uint64_t>(4);
  patterns = FlatPhrases::read(*file_, 5);
  lexical = file_->section<Run::LexicalCount>(7);
  file_->require(target_counts.size() == targets.size(), "target counts");
  for (std::size_t r = 0; r < runs.size(); ++r) {
    runs_.push_back(Run::open(runs[r]));
    if (r == 0) unit = runs_[r].unit;
    file_->require(runs_[r].unit == unit, "runs of different units");
    Places places{std::make_unique<BinaryFile>(numbered(folder, "places", r), kPlacesFormat, 3), {}, {}, {}};
    places.sources = places.file->section<std::uint32_t>(0);
    places.targets = places.file->section<std::uint32_t>(1);
    places.patterns = places.file->section<std::uint32_t>(2);
    file_->require(places.sources.size() == runs_[r].sources.size() &&
                       places.targets.size() == runs_[r].targets.size() &&
                       places.patterns.size() == runs_[r].patterns.size(),
                   "it belongs to other runs");
    places_.push_back(std::move(places));
  }
}

std::vector<std::uint32_t> Merged::cuts(std::uint64_t least, std::uint64_t most, std::uint64_t limit) const {
  std::vector<std::uint32_t> count(sources.size(), 0);
  std::uint64_t total = 0;
  for (const Run& run : runs_) total += run.pair_source.size();
  const std::uint64_t pairs = std::min(limit, std::max(least, total / std::max<std::uint64_t>(1, most)));
  for (std::size_t r = 0; r < runs_.size(); ++r)
    for (const std::uint32_t source : runs_[r].pair_source) ++count[places_[r].sources[source]];
  std::vector<std::uint32_t> cuts{0};
  std::uint64_t inside = 0;
  for (std::uint32_t source = 0; source < count.size(); ++source) {
    const bool same = source > 0 && std::ranges::equal(right_hand_side(sources[source]),  // but for its label
                                                       right_hand_side(sources[source - 1]));
    if (inside >= pairs && !same) {
      cuts.push_back(source);
      inside = 0;
    }
    inside += count[source];
  }
  if (!count.empty()) cuts.push_back(static_cast<std::uint32_t>(count.size()));
  return cuts;
}

void Merged::add(const Cursor& cursor, Pair& pair, std::vector<Run::PatternCount>& patterns) const {
  const Run& run = *cursor.run;
  const std::size_t at = cursor.at;
  pair.count += run.pair_count[at];
  pair.weight += run.pair_weight.empty() ? run.pair_count[at] : run.pair_weight[at];
  for (std::uint64_t p = at == 0 ? 0 : run.pattern_ends[at - 1]; p < run.pattern_ends[at]; ++p)
    patterns.push_back({cursor.places->patterns[run.pattern_counts[p].pattern], run.pattern_counts[p].count});
  if (!run.orientations.empty()) {
    for (std::size_t o = 0; o < kOrientations; ++o) {
      pair.previous[o] += run.orientations[at].previous[o];
      pair.next[o] += run.orientations[at].next[o];
    }
  }
  if (!run.domains.empty()) pair.domains |= run.domains[at];
  if (!run.evidence_ends.empty()) {
    const auto begin = at == 0 ? 0 : run.evidence_ends[at - 1];
    const auto middle = static_cast<std::ptrdiff_t>(pair.evidence.size());
    const auto more = run.evidence.subspan(begin, run.evidence_ends[at] - begin);
    pair.evidence.insert(pair.evidence.end(), more.begin(), more.end());
    std::inplace_merge(pair.evidence.begin(), pair.evidence.begin() + middle, pair.evidence.end());
  }
}

}  // namespace dragoman::grammar
