#include "grammar/occurrences.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "common/error.hpp"
#include "common/parallel.hpp"

namespace dragoman::grammar {
namespace {

constexpr std::size_t kShard = 64;          // sentence pairs
constexpr RuleId kNotInTable = ~RuleId{0};  // no rule of the table

// Words without a link: a rule whose words mostly have none was taken by chance.
class Unaligned final : public OccurrenceFeature {
 public:
  [[nodiscard]] std::vector<std::string> columns() const override { return {"unaligned.source", "unaligned.target"}; }
  void values(const OccurrenceContext& context, std::span<const Occurrence> occurrences,
              std::span<double> out) const override {
    for (std::size_t i = 0; i < occurrences.size(); ++i) {
      const PhraseSpans& spans = occurrences[i].spans;
      double source = 0, target = 0;
      for (int at = spans.source_begin; at < spans.source_end; ++at)
        source += occurrences[i].has_source(at) && context.pair.of_source(at).empty();
      for (int at = spans.target_begin; at < spans.target_end; ++at)
        target += occurrences[i].has_target(at) && context.pair.of_target(at).empty();
      out[2 * i] = source;
      out[2 * i + 1] = target;
    }
  }
};

// Whether it begins or ends the source sentence.
class Edges final : public OccurrenceFeature {
 public:
  [[nodiscard]] std::vector<std::string> columns() const override { return {"edge.first", "edge.last"}; }
  void values(const OccurrenceContext& context, std::span<const Occurrence> occurrences,
              std::span<double> out) const override {
    for (std::size_t i = 0; i < occurrences.size(); ++i) {
      const PhraseSpans& spans = occurrences[i].spans;
      out[2 * i] = spans.source_begin == 0;
      out[2 * i + 1] = spans.source_end == context.pair.source_size();
    }
  }
};

// Whether the source words hang together: just one of them has its head outside.
class Subtrees final : public OccurrenceFeature {
 public:
  [[nodiscard]] std::vector<std::string> columns() const override { return {"subtree"}; }
  void values(const OccurrenceContext& context, std::span<const Occurrence> occurrences,
              std::span<double> out) const override {
    if (context.marks.heads.size() != static_cast<std::size_t>(context.pair.source_size()))
      throw InputError("a sentence without heads for all of its words", "line " + std::to_string(context.line + 1),
                       "annotate the source text with dependencies");
    for (std::size_t i = 0; i < occurrences.size(); ++i) {
      const PhraseSpans& spans = occurrences[i].spans;
      int outside = 0;
      for (int at = spans.source_begin; at < spans.source_end; ++at) {
        if (!occurrences[i].has_source(at)) continue;
        const std::int32_t head = context.marks.heads[static_cast<std::size_t>(at)];
        outside += head < spans.source_begin || head >= spans.source_end || !occurrences[i].has_source(head);
      }
      out[i] = outside == 1;
    }
  }
};

// The share of its source words that are of open classes, by universal tags: a rule of function words alone says
// little.
class Content final : public OccurrenceFeature {
 public:
  [[nodiscard]] std::vector<std::string> columns() const override { return {"content"}; }
  void values(const OccurrenceContext& context, std::span<const Occurrence> occurrences,
              std::span<double> out) const override {
    if (context.marks.tags.size() != static_cast<std::size_t>(context.pair.source_size()))
      throw InputError("a sentence without tags for all of its words", "line " + std::to_string(context.line + 1),
                       "annotate the source text with parts of speech");
    static constexpr std::string_view kOpen[] = {"ADJ", "ADV", "INTJ", "NOUN", "PROPN", "VERB"};
    for (std::size_t i = 0; i < occurrences.size(); ++i) {
      const PhraseSpans& spans = occurrences[i].spans;
      double all = 0, open = 0;
      for (int at = spans.source_begin; at < spans.source_end; ++at) {
        if (!occurrences[i].has_source(at)) continue;
        all += 1;
        open += std::ranges::find(kOpen, context.marks.tags[static_cast<std::size_t>(at)]) != std::end(kOpen) ? 1 : 0;
      }
      out[i] = open / all;
    }
  }
};

// Whether its sentence belongs to no domain: what is said everywhere is not special.
class General final : public OccurrenceFeature {
 public:
  [[nodiscard]] std::vector<std::string> columns() const override { return {"general"}; }
  void values(const OccurrenceContext& context, std::span<const Occurrence> occurrences,
              std::span<double> out) const override {
    std::fill_n(out.begin(), occurrences.size(), context.marks.domains.empty() ? 1.0 : 0.0);
  }
};

// How large its gaps are: for each size the share of them, the source first. Nothing where it has none.
class GapSizes final : public OccurrenceFeature {
 public:
  [[nodiscard]] std::vector<std::string> columns() const override {
    std::vector<std::string> names;
    for (const char* side : {"source", "target"})
      for (const char* size : {"1-2", "3-4", "5-8", "9+"})
        names.push_back(std::string("gap_size.").append(side).append(".").append(size));
    return names;
  }
  void values(const OccurrenceContext& /*context*/, std::span<const Occurrence> occurrences,
              std::span<double> out) const override {
    for (std::size_t i = 0; i < occurrences.size(); ++i) {
      const auto row = out.subspan(2 * kGapSizes * i, 2 * kGapSizes);
      share(occurrences[i].source_gaps, row.first(kGapSizes));
      share(occurrences[i].target_gaps, row.last(kGapSizes));
    }
  }

 private:
  static void share(std::uint64_t gaps, std::span<double> out) {
    std::ranges::fill(out, gaps == 0 ? std::numeric_limits<double>::quiet_NaN() : 0.0);
    double all = 0;
    while (gaps != 0) {
      gaps >>= std::countr_zero(gaps);
      const auto words = static_cast<std::uint32_t>(std::countr_one(gaps));
      out[size_of_gap(words)] += 1;
      all += 1;
      gaps >>= words;
    }
    for (double& value : out) value /= all != 0 ? all : 1;
  }
};

// Words of the span of these positions that are not among them.
std::uint64_t gaps_between(const std::vector<int>& positions) {
  std::uint64_t gaps = 0;
  for (std::size_t k = 1; k < positions.size(); ++k)
    for (int at = positions[k - 1] + 1; at < positions[k]; ++at) gaps |= std::uint64_t{1} << (at - positions.front());
  return gaps;
}

}  // namespace

std::unique_ptr<const OccurrenceFeature> occurrence_feature(std::string_view name) {
  if (name == "unaligned") return std::make_unique<Unaligned>();
  if (name == "edge") return std::make_unique<Edges>();
  if (name == "subtree") return std::make_unique<Subtrees>();
  if (name == "gap_size") return std::make_unique<GapSizes>();
  if (name == "content") return std::make_unique<Content>();
  if (name == "general") return std::make_unique<General>();
  throw SettingError("no feature of occurrences is called '" + std::string(name) + "'");
}

std::vector<std::string> occurrence_feature_names() {
  return {"unaligned", "edge", "subtree", "gap_size", "content", "general"};
}

OccurrenceBatch::OccurrenceBatch(const RuleTable& table, std::uint64_t first_line,
                                 std::span<const std::string_view> sources, std::span<const std::string_view> targets,
                                 std::span<const std::string_view> links, int longest,
                                 const ExtractionSettings& settings, int threads)
    : bitext_(first_line) {
  const VocabularyView source_words = table.source_words(), target_words = table.target_words();
  std::vector<WordId> source, target;
  std::vector<SentenceLink> points;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    source.clear();
    target.clear();
    for_each_token(sources[i], [&](std::string_view token) { source.push_back(source_words.id(token)); });
    for_each_token(targets[i], [&](std::string_view token) { target.push_back(target_words.id(token)); });
    const std::string where = "line " + std::to_string(first_line + i + 1);
    parse_links(links[i], where, points);
    (void)bitext_.add(source, target, points, 0, longest, where);
  }
  const auto rule_of = [&](Phrase from, Phrase to) -> RuleId {
    if (std::ranges::find(from, kUnknown) != from.end()) return kNotInTable;
    const NodeId node = table.find(from);
    if (node == kNoNode || table.rules_of(node).empty() || std::ranges::find(to, kUnknown) != to.end())
      return kNotInTable;
    const std::uint32_t id = table.find_target(to);
    if (id >= table.targets()) return kNotInTable;
    const RuleId rule = table.find(node, id);
    return rule < table.rules() ? rule : kNotInTable;
  };
  std::vector<std::vector<Occurrence>> found(bitext_.size());
  parallel_ranges(bitext_.size(), kShard, threads, [&](std::size_t begin, std::size_t end) {
    AlignedPair pair;
    GappyExtractor gappy(settings.gappy_limits);
    std::vector<WordId> from, to;
    std::vector<int> places;
    for (std::size_t i = begin; i < end; ++i) {
      pair.assign(bitext_[i]);
      const SentencePair words = bitext_[i];
      const auto keep = [&](RuleId rule, const PhraseSpans& spans, std::uint64_t source_gaps,
                            std::uint64_t target_gaps) {
        if (rule != kNotInTable)
          found[i].push_back({static_cast<std::uint32_t>(i), rule, spans, source_gaps, target_gaps});
      };
      for_each_phrase(pair, settings.limits, [&](const PhraseSpans& spans) {
        const auto part = [](std::span<const WordId> all, int first, int last) {
          return all.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
        };
        keep(rule_of(part(words.source, spans.source_begin, spans.source_end),
                     part(words.target, spans.target_begin, spans.target_end)),
             spans, 0, 0);
      });
      if (!settings.gappy || words.links.empty()) continue;
      gappy.extract(pair, [&](const GappyUnit& unit) {
        spell_with_gaps(unit.source, words.source, from, places);
        spell_with_gaps(unit.target, words.target, to, places);
        keep(rule_of(from, to),
             {unit.source.front(), unit.source.back() + 1, unit.target.front(), unit.target.back() + 1},
             gaps_between(unit.source), gaps_between(unit.target));
      });
    }
  });
  begins_.push_back(0);
  for (const auto& each : found) {
    occurrences_.insert(occurrences_.end(), each.begin(), each.end());
    begins_.push_back(occurrences_.size());
  }
}

std::vector<double> OccurrenceBatch::values(const OccurrenceFeature& feature, std::span<const PairMarks> marks,
                                            int threads) const {
  const std::size_t width = feature.columns().size();
  std::vector<double> out(occurrences_.size() * width);
  parallel_ranges(bitext_.size(), kShard, threads, [&](std::size_t begin, std::size_t end) {
    AlignedPair pair;
    for (std::size_t i = begin; i < end; ++i) {
      if (begins_[i] == begins_[i + 1]) continue;
      pair.assign(bitext_[i]);
      const OccurrenceContext context{pair, bitext_.first_line() + i, marks[i]};
      feature.values(context, std::span(occurrences_).subspan(begins_[i], begins_[i + 1] - begins_[i]),
                     std::span(out).subspan(begins_[i] * width, (begins_[i + 1] - begins_[i]) * width));
    }
  });
  return out;
}

}  // namespace dragoman::grammar
