#include "grammar/score.hpp"

#include <cmath>
#include <mutex>

#include "common/parallel.hpp"

namespace dragoman::grammar {
namespace {

constexpr BinaryFormat kBlockFormat{"RBLK", 2}, kStatisticsFormat{"RSTA", 3};
constexpr std::size_t kBlockSections = 9;

// Which of the four orientations each class of a model adds up.
struct Class {
  const char* name;
  bool of[kOrientations];  // monotone, swap, left, right, contained
};

std::vector<Class> classes_of(OrientationClasses classes) {
  std::vector<Class> found;
  switch (classes) {
    case OrientationClasses::kMsd:
    case OrientationClasses::kMsdc:
      found = {{"monotone", {true, false, false, false, false}},
               {"swap", {false, true, false, false, false}},
               {"other", {false, false, true, true, false}}};
      break;
    case OrientationClasses::kMslr:
    case OrientationClasses::kMslrc:
      found = {{"monotone", {true, false, false, false, false}},
               {"swap", {false, true, false, false, false}},
               {"left", {false, false, true, false, false}},
               {"right", {false, false, false, true, false}}};
      break;
    case OrientationClasses::kMonotonicity:
      found = {{"monotone", {true, false, false, false, false}}, {"not", {false, true, true, true, false}}};
      break;
    case OrientationClasses::kLeftRight:
      found = {{"right", {true, false, false, true, false}}, {"left", {false, true, true, false, false}}};
      break;
    case OrientationClasses::kNone:
      break;
  }
  if (has_containment(classes)) found.push_back({"contained", {false, false, false, false, true}});
  return found;
}

class Scorer {
 public:
  Scorer(const Merged& merged, const SavedStatistics& statistics, const ScoringSettings& settings)
      : merged_(merged),
        statistics_(statistics),
        settings_(settings),
        lexicon_(merged.lexical),
        unit_(static_cast<double>(merged.unit)),
        classes_(classes_of(settings.classes)),
        good_turing_(good_turing_discounts(statistics.pairs)),
        kneser_ney_(kneser_ney_discounts(statistics.pairs)) {}

  struct Group {
    std::vector<Merged::Pair> pairs;
    std::uint64_t weight = 0;
    double total = 0;  // the same as a count
    Partners partners;
    PartnerWeights partner_weights;
    std::uint64_t previous[kOrientations]{}, next[kOrientations]{};
  };

  void start(Group& group) const {
    group.weight = 0;
    group.partners = {};
    group.partner_weights = {};
    std::fill_n(group.previous, kOrientations, 0);
    std::fill_n(group.next, kOrientations, 0);
    for (const auto& pair : group.pairs) {
      group.weight += pair.weight;
      group.partners.add(pair.count);
      group.partner_weights.add(pair.count, pair.weight);
      for (std::size_t o = 0; o < kOrientations; ++o) {
        group.previous[o] += pair.previous[o];
        group.next[o] += pair.next[o];
      }
    }
    group.total = static_cast<double>(group.weight) / unit_;
  }

  [[nodiscard]] double count_of(const Merged::Pair& pair) const { return static_cast<double>(pair.weight) / unit_; }

  // p(target | source), then p(source | target).
  [[nodiscard]] std::pair<double, double> probabilities(const Group& group, const Merged::Pair& pair) const {
    const double count = count_of(pair);
    const double target_total = static_cast<double>(merged_.target_counts[pair.target]) / unit_;
    if (settings_.smoothing == Smoothing::kGoodTuring) {
      const double kept = count * (pair.count <= kGoodTuringMost ? good_turing_[pair.count] : 1.0);
      return {kept / group.total, kept / target_total};
    }
    if (settings_.smoothing == Smoothing::kKneserNey) {
      const Partners& sources = statistics_.of_target[pair.target];
      const auto all = static_cast<double>(statistics_.distinct_pairs);
      const double discount = kneser_ney_.of(pair.count);
      const bool shared = merged_.unit != 1;
      const double kept = count - (shared ? discount * count / static_cast<double>(pair.count) : discount);
      const double for_targets =
          shared ? group.partner_weights.reserved(kneser_ney_) / unit_ : group.partners.reserved(kneser_ney_);
      const double for_sources = shared ? statistics_.target_weights[pair.target].reserved(kneser_ney_) / unit_
                                        : sources.reserved(kneser_ney_);
      return {(kept + for_targets * sources.distinct() / all) / group.total,
              (kept + for_sources * group.partners.distinct() / all) / target_total};
    }
    return {count / group.total, count / target_total};
  }

  void values(const Group& group, const Merged::Pair& pair, std::pair<double, double> phrase,
              std::vector<float>& out) const {
    const auto put = [&](double value) { out.push_back(static_cast<float>(value)); };
    const auto weights = lexicon_.weigh(merged_.sources[pair.source], merged_.targets[pair.target],
                                        merged_.patterns[pair.pattern], settings_.lexical);
    put(std::log(phrase.second));
    put(weights.source_given_target);
    put(std::log(phrase.first));
    put(weights.target_given_source);
    if (settings_.penalty) put(1.0);
    if (settings_.count) put(std::log(count_of(pair)));
    if (settings_.unique) put(pair.count > 1 ? 0.0 : -1.0);
    std::uint64_t low = 0;
    for (const std::uint64_t high : settings_.count_bins) {
      put(pair.count > low && pair.count <= high ? 1.0 : 0.0);
      low = high;
    }
    if (!settings_.count_bins.empty()) put(pair.count > low ? 1.0 : 0.0);
    if (settings_.rule_classes >= 0) {
      const Phrase source = right_hand_side(merged_.sources[pair.source]);
      const auto arity = std::count_if(source.begin(), source.end(), is_nonterminal);
      for (int c = 0; c <= settings_.rule_classes; ++c) put(arity == c ? 1.0 : 0.0);
    }
    for (std::size_t d = 0; d < settings_.domains.size(); ++d) put((pair.domains >> d & 1u) != 0 ? 1.0 : 0.0);
    const auto orient = [&](const std::uint64_t (&counts)[kOrientations]) {
      double total = 0;
      for (const std::uint64_t count : counts) total += static_cast<double>(count);
      total += settings_.orientation_smoothing * static_cast<double>(classes_.size());
      for (const Class& one : classes_) {
        double count = settings_.orientation_smoothing;
        for (std::size_t o = 0; o < kOrientations; ++o)
          if (one.of[o]) count += static_cast<double>(counts[o]);
        put(count == 0 ? -100.0 : std::log(count / total));
      }
    };
    if (settings_.previous) orient(settings_.by_source_only ? group.previous : pair.previous);
    if (settings_.next) orient(settings_.by_source_only ? group.next : pair.next);
  }

 private:
  const Merged& merged_;
  const SavedStatistics& statistics_;
  const ScoringSettings& settings_;
  Lexicon lexicon_;
  double unit_;
  std::vector<Class> classes_;
  std::array<double, kGoodTuringMost + 1> good_turing_;
  KneserNeyDiscounts kneser_ney_;
};

}  // namespace

std::vector<std::string> column_names(const ScoringSettings& settings) {
  std::vector<std::string> names{"phrase.st", "lex.st", "phrase.ts", "lex.ts"};
  if (settings.penalty) names.emplace_back("penalty");
  if (settings.count) names.emplace_back("count");
  if (settings.unique) names.emplace_back("unique");
  std::uint64_t low = 0;
  for (const std::uint64_t high : settings.count_bins) {
    names.push_back("count." + std::to_string(low + 1));
    if (high != low + 1) names.back().append("-").append(std::to_string(high));
    low = high;
  }
  if (!settings.count_bins.empty()) names.push_back("count." + std::to_string(low + 1) + "+");
  for (int arity = 0; arity <= settings.rule_classes; ++arity)
    names.push_back(arity == 0 ? "class.phrase" : "class.hiero" + std::to_string(arity));
  for (const std::string& domain : settings.domains) names.push_back("domain." + domain);
  const auto classes = classes_of(settings.classes);
  const auto orient = [&](const std::string& direction) {
    for (const Class& one : classes) names.push_back("orientation." + direction + "." + one.name);
  };
  if (settings.previous) orient("previous");
  if (settings.next) orient("next");
  return names;
}

void CountStatistics::save(const std::filesystem::path& path) const {
  BinaryWriter writer(path, kStatisticsFormat, 4, 0, Durability::kScratch);
  writer.section(std::vector<std::uint64_t>(pairs.begin(), pairs.end()));
  writer.section(std::vector<std::uint64_t>{distinct_pairs});
  writer.section(of_target);
  writer.section(target_weights);
  writer.finish();
}

SavedStatistics::SavedStatistics(const std::filesystem::path& path) : file_(path, kStatisticsFormat, 4) {
  const auto counts = file_.section<std::uint64_t>(0), distinct = file_.section<std::uint64_t>(1);
  file_.require(counts.size() == pairs.size() && distinct.size() == 1, "counts of counts");
  std::copy(counts.begin(), counts.end(), pairs.begin());
  distinct_pairs = distinct[0];
  of_target = file_.section<Partners>(2);
  target_weights = file_.section<PartnerWeights>(3);
}

CountStatistics count_statistics(const Merged& merged, Smoothing smoothing, int threads) {
  CountStatistics total;
  if (smoothing == Smoothing::kNone) return total;
  const auto cuts = merged.cuts(300'000, 64, 4'000'000);
  std::vector<CountStatistics> parts(cuts.empty() ? 0 : cuts.size() - 1);
  if (smoothing == Smoothing::kKneserNey) total.of_target.resize(merged.targets.size());
  if (smoothing == Smoothing::kKneserNey && merged.unit != 1) total.target_weights.resize(merged.targets.size());
  std::mutex lock;
  parallel_shards(parts.size(), threads, [&](std::size_t part) {
    struct Seen {
      std::uint32_t target;
      std::uint64_t count, weight;
    };
    std::vector<Seen> seen;
    merged.for_each_pair(cuts[part], cuts[part + 1], [&](const Merged::Pair& pair) {
      if (pair.count < parts[part].pairs.size()) ++parts[part].pairs[pair.count];
      ++parts[part].distinct_pairs;
      if (smoothing == Smoothing::kKneserNey) seen.push_back({pair.target, pair.count, pair.weight});
    });
    const std::lock_guard guard(lock);  // integer sums: the order does not matter
    for (const auto& [target, count, weight] : seen) {
      total.of_target[target].add(count);
      if (merged.unit != 1) total.target_weights[target].add(count, weight);
    }
  });
  for (const CountStatistics& part : parts) {
    for (std::size_t c = 0; c < part.pairs.size(); ++c) total.pairs[c] += part.pairs[c];
    total.distinct_pairs += part.distinct_pairs;
  }
  return total;
}

void score_range(const Merged& merged, const SavedStatistics& statistics, std::uint32_t begin, std::uint32_t end,
                 const ScoringSettings& settings, const SourceFilter* filter, const std::filesystem::path& path) {
  const Scorer scorer(merged, statistics, settings);
  std::vector<std::uint32_t> sources, rule_counts, targets, patterns, evidence;
  std::vector<double> source_counts;
  std::vector<float> joint, values;
  std::vector<std::uint64_t> evidence_ends;
  Scorer::Group group;
  const bool has_evidence = merged.has_evidence();
  const auto finish_group = [&] {
    if (group.pairs.empty()) return;
    const std::uint32_t source = group.pairs.front().source;
    if (filter == nullptr || filter->contains(right_hand_side(merged.sources[source]))) {
      scorer.start(group);
      const std::size_t before = targets.size();
      for (const auto& pair : group.pairs) {
        const auto phrase = scorer.probabilities(group, pair);
        if (phrase.first < settings.min_probability || pair.count < settings.min_count) continue;
        if (settings.only_prefix_lexicalised && !prefix_lexicalised(merged.targets[pair.target])) continue;
        targets.push_back(pair.target);
        patterns.push_back(pair.pattern);
        joint.push_back(static_cast<float>(scorer.count_of(pair)));
        scorer.values(group, pair, phrase, values);
        if (has_evidence) {
          evidence.insert(evidence.end(), pair.evidence.begin(), pair.evidence.end());
          evidence_ends.push_back(evidence.size());
        }
      }
      if (targets.size() != before) {
        sources.push_back(source);
        rule_counts.push_back(static_cast<std::uint32_t>(targets.size() - before));
        source_counts.push_back(group.total);
      }
    }
    group.pairs.clear();
  };
  merged.for_each_pair(begin, end, [&](const Merged::Pair& pair) {
    if (!group.pairs.empty() && group.pairs.front().source != pair.source) finish_group();
    group.pairs.push_back(pair);
  });
  finish_group();

  BinaryWriter writer(path, kBlockFormat, kBlockSections, 0, Durability::kScratch);
  writer.section(sources);
  writer.section(rule_counts);
  writer.section(source_counts);
  writer.section(targets);
  writer.section(patterns);
  writer.section(joint);
  writer.section(values);
  writer.section(evidence_ends);
  writer.section(evidence);
  writer.finish();
}

Block::Block(const std::filesystem::path& path, std::size_t columns) : file_(path, kBlockFormat, kBlockSections) {
  sources = file_.section<std::uint32_t>(0);
  rule_counts = file_.section<std::uint32_t>(1);
  source_counts = file_.section<double>(2);
  targets = file_.section<std::uint32_t>(3);
  patterns = file_.section<std::uint32_t>(4);
  joint = file_.section<float>(5);
  values = file_.section<float>(6);
  evidence_ends = file_.section<std::uint64_t>(7);
  evidence = file_.section<std::uint32_t>(8);
  file_.require(rule_counts.size() == sources.size() && source_counts.size() == sources.size() &&
                    patterns.size() == targets.size() && joint.size() == targets.size() &&
                    values.size() == targets.size() * columns,
                "sizes differ");
}

}  // namespace dragoman::grammar
