// Extraction into runs: instances are collected as small records over interned phrases, sorted, and counted.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "grammar/ghkm.hpp"
#include "grammar/run.hpp"

namespace dragoman::grammar {
namespace {

struct Instance {
  std::uint32_t source, target, pattern, sentence;
  std::uint8_t previous, next;
  std::uint16_t shares;  // rules that share its weight
  friend auto operator<=>(const Instance&, const Instance&) = default;
};

// Renumbers ids to their place in the given order and appends the phrases in that order.
PhraseColumns in_order(const PhraseSet& phrases, PhraseOrder order, std::vector<std::uint32_t>& places) {
  PhraseColumns columns;
  places.resize(phrases.size());
  std::uint32_t place = 0;
  for (const std::uint32_t id : phrases.sorted(order)) {
    places[id] = place++;
    columns.add(phrases[id]);
  }
  return columns;
}

class Collector {
 public:
  Collector(const Bitext& bitext, const ExtractionSettings& settings, const SourceFilter* filter)
      : bitext_(bitext),
        settings_(settings),
        filter_(filter),
        labeler_(settings.orientation, settings.limits, settings.containment),
        gappy_(settings.gappy_limits),
        hiero_(settings.hiero_limits),
        ghkm_(settings.hiero_limits.ghkm, settings.hiero_limits.tree_is_source),
        unit_(settings.hierarchical && settings.hiero_limits.fractional ? kSharedUnit : 1) {}

  void sentence(std::size_t index);
  [[nodiscard]] std::uint64_t instances() const noexcept { return instances_.size(); }
  [[nodiscard]] std::uint64_t cut_words() const noexcept { return ghkm_.cut_words(); }
  void write(const std::filesystem::path& path);

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  void count_words();
  void sort_instances(std::size_t sources);
  void contiguous(std::uint32_t number);
  void discontinuous(std::uint32_t number);
  void hierarchical(std::uint32_t number);
  void keep(std::uint32_t source, std::uint32_t target, std::uint32_t pattern, std::uint32_t sentence,
            const PhraseSpans& hull);
  [[nodiscard]] std::uint32_t source_id(Phrase phrase);
  [[nodiscard]] std::uint32_t target_id(Phrase phrase) {
    const std::uint32_t id = targets_.intern(phrase);
    if (id == target_counts_.size()) target_counts_.push_back(0);
    return id;
  }

  const Bitext& bitext_;
  const ExtractionSettings& settings_;
  const SourceFilter* filter_;
  AlignedPair pair_;
  OrientationLabeler labeler_;
  GappyExtractor gappy_;
  HieroExtractor hiero_;
  GhkmExtractor ghkm_;
  DependencyTree tree_;
  std::uint64_t unit_;
  PhraseSet sources_, targets_, patterns_;
  PhraseSet refused_;  // sources that the filter does not want
  std::vector<std::uint64_t> target_counts_;
  std::vector<Instance> instances_;
  std::unordered_map<std::uint64_t, std::uint64_t> lexical_;
  std::vector<std::uint32_t> span_ids_;  // source ids by span, for one sentence
  std::vector<WordId> buffer_;
};

void Collector::sentence(std::size_t index) {
  const SentencePair words = bitext_[index];
  if (words.source.empty()) return;
  pair_.assign(words);
  count_words();
  if (words.links.empty()) return;
  const auto number = static_cast<std::uint32_t>(bitext_.first_line() + index);
  if (settings_.orientation != OrientationModel::kNone) labeler_.assign(pair_);
  if (settings_.hierarchical) {
    hierarchical(number);
  } else {
    contiguous(number);
    if (settings_.gappy) discontinuous(number);
  }
}

std::uint32_t Collector::source_id(Phrase phrase) {
  if (filter_ == nullptr) return sources_.intern(phrase);
  if (const std::uint32_t known = sources_.find(phrase); known != sources_.size()) return known;
  if (refused_.contains(phrase)) return kNone;
  if (filter_->contains(right_hand_side(phrase))) return sources_.intern(phrase);
  refused_.intern(phrase);
  return kNone;
}

void Collector::count_words() {
  const SentencePair& words = pair_.words();
  const auto count = [&](WordId source, WordId target) { ++lexical_[std::uint64_t{source} << 32 | target]; };
  for (const SentenceLink link : words.links) count(words.source[link.source], words.target[link.target]);
  for (int i = 0; i < pair_.source_size(); ++i)
    if (pair_.of_source(i).empty()) count(words.source[static_cast<std::size_t>(i)], kNullWord);
  for (int j = 0; j < pair_.target_size(); ++j)
    if (pair_.of_target(j).empty()) count(kNullWord, words.target[static_cast<std::size_t>(j)]);
}

void Collector::keep(std::uint32_t source, std::uint32_t target, std::uint32_t pattern, std::uint32_t sentence,
                     const PhraseSpans& hull) {
  Instance instance{source, target, pattern, sentence, 0, 0, 1};
  if (settings_.orientation != OrientationModel::kNone) {
    instance.previous = static_cast<std::uint8_t>(labeler_.previous(hull));
    instance.next = static_cast<std::uint8_t>(labeler_.next(hull));
  }
  instances_.push_back(instance);
}

void Collector::contiguous(std::uint32_t number) {
  const SentencePair& words = pair_.words();
  const auto width = static_cast<std::size_t>(settings_.limits.max_source);
  constexpr std::uint32_t kUnseen = kNone - 1;
  span_ids_.assign(words.source.size() * width, kUnseen);
  int last_begin = -1, last_end = -1;
  std::uint32_t target = kNone;
  for_each_phrase(pair_, settings_.limits, [&](const PhraseSpans& spans) {
    const auto begin = static_cast<std::size_t>(spans.source_begin);
    const auto length = static_cast<std::size_t>(spans.source_end - spans.source_begin);
    if (spans.target_begin != last_begin || spans.target_end != last_end) {  // spans come grouped by target
      last_begin = spans.target_begin;
      last_end = spans.target_end;
      target = target_id(
          words.target.subspan(static_cast<std::size_t>(last_begin), static_cast<std::size_t>(last_end - last_begin)));
    }
    ++target_counts_[target];
    std::uint32_t& source = span_ids_[begin * width + length - 1];
    if (source == kUnseen) source = source_id(words.source.subspan(begin, length));
    if (source == kNone) return;
    buffer_.clear();
    for (const SentenceLink link : pair_.links(spans.source_begin, spans.source_end))
      buffer_.push_back(coded({static_cast<std::uint8_t>(link.source - spans.source_begin),
                               static_cast<std::uint8_t>(link.target - spans.target_begin)}));
    keep(source, target, patterns_.intern(buffer_), number, spans);
  });
}

void Collector::discontinuous(std::uint32_t number) {
  const SentencePair& words = pair_.words();
  std::vector<WordId> source, target;
  std::vector<int> source_place, target_place;
  gappy_.extract(pair_, [&](const GappyUnit& unit) {
    spell_with_gaps(unit.source, words.source, source, source_place);
    spell_with_gaps(unit.target, words.target, target, target_place);
    const std::uint32_t target_phrase = target_id(target);
    ++target_counts_[target_phrase];
    const std::uint32_t source_phrase = source_id(source);
    if (source_phrase == kNone) return;
    buffer_.clear();
    for (const int i : unit.source)
      for (const SentenceLink link : pair_.links(i, i + 1))
        buffer_.push_back(coded({static_cast<std::uint8_t>(source_place[link.source]),
                                 static_cast<std::uint8_t>(target_place[link.target])}));
    keep(source_phrase, target_phrase, patterns_.intern(buffer_), number,
         {unit.source.front(), unit.source.back() + 1, unit.target.front(), unit.target.back() + 1});
  });
}

void Collector::hierarchical(std::uint32_t number) {
  const auto use = [&](const HieroRule& rule) {
    const std::uint32_t target = target_id(rule.target);
    target_counts_[target] += share_of(unit_, rule.shares);
    const std::uint32_t source = source_id(rule.source);
    if (source == kNone) return;
    instances_.push_back({source, target, patterns_.intern(rule.links), number, 0, 0, rule.shares});
  };
  extract_hierarchical(hiero_, ghkm_, tree_, pair_, settings_.hiero_limits, use);
}

// By source first, which is one pass over dense ids; what is left to compare is short.
void Collector::sort_instances(std::size_t sources) {
  std::vector<std::size_t> begin(sources + 1, 0);
  for (const Instance& instance : instances_) ++begin[instance.source + 1];
  for (std::size_t s = 0; s < sources; ++s) begin[s + 1] += begin[s];
  std::vector<Instance> ordered(instances_.size());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (const Instance& instance : instances_) ordered[next[instance.source]++] = instance;
  instances_ = std::move(ordered);
  for (std::size_t s = 0; s < sources; ++s)
    std::sort(instances_.begin() + static_cast<std::ptrdiff_t>(begin[s]),
              instances_.begin() + static_cast<std::ptrdiff_t>(begin[s + 1]));
}

void Collector::write(const std::filesystem::path& path) {
  std::vector<std::uint32_t> source_place, target_place;
  const PhraseColumns sources = in_order(sources_, PhraseOrder::kBreadthFirst, source_place);
  const PhraseColumns targets = in_order(targets_, PhraseOrder::kLexicographic, target_place);
  std::vector<std::uint64_t> target_counts(target_counts_.size());
  for (std::size_t id = 0; id < target_counts.size(); ++id) target_counts[target_place[id]] = target_counts_[id];
  PhraseColumns patterns;
  for (std::uint32_t id = 0; id < patterns_.size(); ++id) patterns.add(patterns_[id]);
  for (Instance& instance : instances_) {
    instance.source = source_place[instance.source];
    instance.target = target_place[instance.target];
  }
  sort_instances(sources_.size());

  std::vector<std::uint32_t> pair_source, pair_target, pair_count, domains, evidence;
  std::vector<std::uint64_t> pattern_ends, evidence_ends, pair_weight;
  std::vector<Run::PatternCount> pattern_counts;
  std::vector<Run::Orientations> orientations;
  for (std::size_t i = 0; i < instances_.size();) {
    const Instance& first = instances_[i];
    const std::size_t evidence_begin = evidence.size();
    std::uint32_t mask = 0;
    std::uint64_t weight = 0;
    Run::Orientations seen{};
    std::size_t end = i;
    for (; end < instances_.size() && instances_[end].source == first.source && instances_[end].target == first.target;
         ++end) {
      const Instance& instance = instances_[end];
      if (end == i || instance.pattern != instances_[end - 1].pattern)
        pattern_counts.push_back({instance.pattern, 1});
      else
        ++pattern_counts.back().count;
      weight += share_of(unit_, instance.shares);
      ++seen.previous[instance.previous];
      ++seen.next[instance.next];
      if (settings_.domains) mask |= bitext_.domains(instance.sentence - bitext_.first_line());
      if (settings_.evidence) evidence.push_back(instance.sentence);
    }
    pair_source.push_back(first.source);
    pair_target.push_back(first.target);
    pair_count.push_back(static_cast<std::uint32_t>(end - i));
    if (unit_ != 1) pair_weight.push_back(weight);
    pattern_ends.push_back(pattern_counts.size());
    if (settings_.orientation != OrientationModel::kNone) orientations.push_back(seen);
    if (settings_.domains) domains.push_back(mask);
    if (settings_.evidence) {  // one mention per sentence, in order
      const auto begin = evidence.begin() + static_cast<std::ptrdiff_t>(evidence_begin);
      std::sort(begin, evidence.end());
      evidence.erase(std::unique(begin, evidence.end()), evidence.end());
      evidence_ends.push_back(evidence.size());
    }
    i = end;
  }
  std::vector<Run::LexicalCount> lexical;
  lexical.reserve(lexical_.size());
  for (const auto& [key, count] : lexical_)
    lexical.push_back({static_cast<WordId>(key >> 32), static_cast<WordId>(key), count});
  std::sort(lexical.begin(), lexical.end(), [](const auto& a, const auto& b) {
    return a.source != b.source ? a.source < b.source : a.target < b.target;
  });

  BinaryWriter writer(path, Run::kFormat, Run::kSections, 0, Durability::kScratch);
  sources.write(writer);
  targets.write(writer);
  writer.section(target_counts);
  patterns.write(writer);
  writer.section(pair_source);
  writer.section(pair_target);
  writer.section(pair_count);
  writer.section(pattern_ends);
  writer.section(pattern_counts);
  writer.section(orientations);
  writer.section(domains);
  writer.section(evidence_ends);
  writer.section(evidence);
  writer.section(lexical);
  writer.section(std::vector<std::uint64_t>{unit_});
  writer.section(pair_weight);
  writer.finish();
}

}  // namespace

ExtractedRuns extract_runs(const Bitext& bitext, const ExtractionSettings& settings, const SourceFilter* filter,
                           const std::filesystem::path& prefix) {
  if (settings.limits.max_source < 1 || settings.limits.max_target < 1 || settings.limits.max_source > kLongestRule ||
      settings.limits.max_target > kLongestRule)
    throw SettingError("a phrase has between 1 and " + std::to_string(kLongestRule) + " tokens");
  const HieroLimits& hiero = settings.hiero_limits;
  if (settings.hierarchical &&
      (hiero.max_phrase < 1 || hiero.max_phrase > kLongestRule || hiero.max_symbols < 1 || hiero.max_nonterminals < 0 ||
       hiero.max_nonterminals >= static_cast<int>(kLeftHandSide)))
    throw SettingError("limits of hierarchical rules out of range");
  if (bitext.first_line() + bitext.size() > std::numeric_limits<std::uint32_t>::max())
    throw InputError("more than 4 billion sentences");
  ExtractedRuns made;
  std::size_t next = 0;
  do {
    Collector collector(bitext, settings, filter);
    while (next < bitext.size() && collector.instances() < settings.instances_per_run) collector.sentence(next++);
    std::filesystem::path path = prefix;
    path += std::string(".").append(std::to_string(made.paths.size()));
    collector.write(path);
    made.paths.push_back(std::move(path));
    made.cut_words += collector.cut_words();
  } while (next < bitext.size());
  return made;
}

}  // namespace dragoman::grammar
