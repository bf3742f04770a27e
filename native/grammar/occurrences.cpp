#include "grammar/occurrences.hpp"

#include <algorithm>

#include "common/error.hpp"
#include "common/parallel.hpp"

namespace dragoman::grammar {
namespace {

constexpr std::size_t kShard = 64;  // sentence pairs

// Words without a link: a rule whose words mostly have none was taken by chance.
class Unaligned final : public OccurrenceFeature {
 public:
  [[nodiscard]] std::vector<std::string> columns() const override { return {"unaligned.source", "unaligned.target"}; }
  void values(const OccurrenceContext& context, std::span<const Occurrence> occurrences,
              std::span<double> out) const override {
    for (std::size_t i = 0; i < occurrences.size(); ++i) {
      const PhraseSpans& spans = occurrences[i].spans;
      double source = 0, target = 0;
      for (int at = spans.source_begin; at < spans.source_end; ++at) source += context.pair.of_source(at).empty();
      for (int at = spans.target_begin; at < spans.target_end; ++at) target += context.pair.of_target(at).empty();
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
    if (context.heads.size() != static_cast<std::size_t>(context.pair.source_size()))
      throw InputError("a sentence without heads for all of its words", "line " + std::to_string(context.line + 1),
                       "annotate the source text with dependencies");
    for (std::size_t i = 0; i < occurrences.size(); ++i) {
      const PhraseSpans& spans = occurrences[i].spans;
      int outside = 0;
      for (int at = spans.source_begin; at < spans.source_end; ++at) {
        const std::int32_t head = context.heads[static_cast<std::size_t>(at)];
        outside += head < spans.source_begin || head >= spans.source_end;
      }
      out[i] = outside == 1;
    }
  }
};

}  // namespace

std::unique_ptr<const OccurrenceFeature> occurrence_feature(std::string_view name) {
  if (name == "unaligned") return std::make_unique<Unaligned>();
  if (name == "edge") return std::make_unique<Edges>();
  if (name == "subtree") return std::make_unique<Subtrees>();
  throw SettingError("no feature of occurrences is called '" + std::string(name) + "'");
}

std::vector<std::string> occurrence_feature_names() { return {"unaligned", "edge", "subtree"}; }

OccurrenceBatch::OccurrenceBatch(const RuleTable& table, std::uint64_t first_line,
                                 std::span<const std::string_view> sources, std::span<const std::string_view> targets,
                                 std::span<const std::string_view> links, int longest, const PhraseLimits& limits,
                                 int threads)
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
  std::vector<std::vector<Occurrence>> found(bitext_.size());
  parallel_ranges(bitext_.size(), kShard, threads, [&](std::size_t begin, std::size_t end) {
    AlignedPair pair;
    for (std::size_t i = begin; i < end; ++i) {
      pair.assign(bitext_[i]);
      const SentencePair words = bitext_[i];
      for_each_phrase(pair, limits, [&](const PhraseSpans& spans) {
        const auto part = [](std::span<const WordId> all, int first, int last) {
          return all.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
        };
        const Phrase from = part(words.source, spans.source_begin, spans.source_end);
        if (std::ranges::find(from, kUnknown) != from.end()) return;
        const NodeId node = table.find(from);
        if (node == kNoNode || table.rules_of(node).empty()) return;
        const Phrase to = part(words.target, spans.target_begin, spans.target_end);
        if (std::ranges::find(to, kUnknown) != to.end()) return;
        const std::uint32_t id = table.find_target(to);
        if (id >= table.targets()) return;
        const RuleId rule = table.find(node, id);
        if (rule < table.rules()) found[i].push_back({static_cast<std::uint32_t>(i), rule, spans});
      });
    }
  });
  begins_.push_back(0);
  for (const auto& each : found) {
    occurrences_.insert(occurrences_.end(), each.begin(), each.end());
    begins_.push_back(occurrences_.size());
  }
}

std::vector<double> OccurrenceBatch::values(const OccurrenceFeature& feature,
                                            std::span<const std::vector<std::int32_t>> heads, int threads) const {
  const std::size_t width = feature.columns().size();
  std::vector<double> out(occurrences_.size() * width);
  parallel_ranges(bitext_.size(), kShard, threads, [&](std::size_t begin, std::size_t end) {
    AlignedPair pair;
    for (std::size_t i = begin; i < end; ++i) {
      if (begins_[i] == begins_[i + 1]) continue;
      pair.assign(bitext_[i]);
      const OccurrenceContext context{
          pair, bitext_.first_line() + i,
          heads.empty() ? std::span<const std::int32_t>() : std::span<const std::int32_t>(heads[i])};
      feature.values(context, std::span(occurrences_).subspan(begins_[i], begins_[i + 1] - begins_[i]),
                     std::span(out).subspan(begins_[i] * width, (begins_[i + 1] - begins_[i]) * width));
    }
  });
  return out;
}

}  // namespace dragoman::grammar
