#include "bindings/bind_grammar.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/choices.hpp"
#include "bindings/rooms.hpp"
#include "common/vocabulary.hpp"
#include "grammar/assemble.hpp"
#include "grammar/ghkm.hpp"
#include "grammar/score.hpp"

namespace dragoman {

using namespace nb::literals;
using namespace grammar;

namespace {

using Paths = std::vector<std::filesystem::path>;

// Lines and first lines of the pairs that were passed over, by reason.
struct EncodingReport {
  std::array<std::uint64_t, 5> skipped{};
  std::array<std::uint64_t, 5> first{};  // line numbers from 1; 0 if none
  std::uint64_t links = 0;
};

// Labels, starts and ends.
using Node = std::tuple<std::string, std::uint32_t, std::uint32_t>;
using Nodes = std::vector<std::vector<Node>>;

// Nodes of one side or of both as labels of stretches of a pair; those of a node that lies outside are refused.
std::vector<StretchLabel> labels_of(const SentencePair& words, const std::vector<Node>& source,
                                    const std::vector<Node>& target, const HieroLimits& limits, Vocabulary& labels) {
  const auto named = [](const std::vector<Node>& nodes, std::size_t size) {
    std::vector<NamedStretch> stretches;
    for (const auto& [name, begin, end] : nodes) {
      if (begin >= end || end > size)
        throw InputError("a node " + name + " over words " + std::to_string(begin) + " to " + std::to_string(end) +
                         " of " + std::to_string(size));
      stretches.push_back({name, begin, end});
    }
    return stretches;
  };
  const auto sources = named(source, words.source.size()), targets = named(target, words.target.size());
  std::vector<StretchLabel> found;
  if (limits.labels == LabelSide::kBoth) {
    AlignedPair pair;
    pair.assign(words);
    const PhraseLimits initial{limits.max_phrase, limits.max_phrase, 0, limits.tight && !limits.loose_terminals};
    const std::string usual(labels.word(kHieroLabel));  // the vocabulary grows
    join_labels(pair, sources, targets, initial, limits.fall_back, usual, labels, found);
    return found;
  }
  const bool of_source = limits.labels == LabelSide::kSource;
  for (const NamedStretch& each : of_source ? sources : targets) {
    const auto begin = static_cast<std::uint16_t>(each.begin), end = static_cast<std::uint16_t>(each.end);
    StretchLabel label{labels.intern(each.name), 0, 0, 0, 0};
    (of_source ? label.source_begin : label.target_begin) = begin;
    (of_source ? label.source_end : label.target_end) = end;
    found.push_back(label);
  }
  return found;
}

EncodingReport encode_bitext(const nb::list& source, const nb::list& target, const nb::list& alignment,
                             const In<std::uint32_t>& domains, Vocabulary& source_words, Vocabulary& target_words,
                             const std::vector<std::vector<std::int32_t>>& trees, const Nodes& source_nodes,
                             const Nodes& target_nodes, Vocabulary& labels, const HieroLimits& limits,
                             std::uint64_t first_line, int longest, const std::string& name,
                             const std::filesystem::path& path) {
  const auto sources = texts(source), targets = texts(target), alignments = texts(alignment);
  if (sources.size() != targets.size() || sources.size() != alignments.size())
    throw InputError("lists of different lengths");
  if (domains.size() != 0 && domains.size() != sources.size()) throw InputError("one domain mask per line is needed");
  if (!trees.empty() && trees.size() != sources.size()) throw InputError("one tree per line is needed");
  for (const Nodes* nodes : {&source_nodes, &target_nodes})
    if (!nodes->empty() && nodes->size() != sources.size()) throw InputError("a list of nodes per line is needed");
  const nb::gil_scoped_release unlocked;
  Bitext bitext(first_line);
  EncodingReport report;
  std::vector<WordId> source_ids, target_ids;
  std::vector<SentenceLink> links;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string where = at_line(name, first_line + i + 1);
    const auto encode = [&](std::string_view line, Vocabulary& words, std::vector<WordId>& ids) {
      ids.clear();
      for_each_token(line, [&](std::string_view token) { ids.push_back(words.intern(token)); });
    };
    encode(sources[i], source_words, source_ids);
    encode(targets[i], target_words, target_ids);
    parse_links(alignments[i], where, links);
    const auto why = static_cast<std::size_t>(
        bitext.add(source_ids, target_ids, links, domains.size() == 0 ? 0 : domains.data()[i], longest, where));
    if (!trees.empty() && why == static_cast<std::size_t>(Skipped::kNo)) bitext.set_tree(trees[i]);
    if (limits.labels != LabelSide::kNone && why == static_cast<std::size_t>(Skipped::kNo)) {
      const auto of = [&](const Nodes& nodes) { return nodes.empty() ? std::vector<Node>{} : nodes[i]; };
      bitext.set_labels(labels_of(bitext[bitext.size() - 1], of(source_nodes), of(target_nodes), limits, labels));
    }
    if (report.skipped[why]++ == 0) report.first[why] = first_line + i + 1;
    report.links += links.size();
  }
  bitext.save(path);
  return report;
}

// One sentence pair of given lengths, for looking at what is taken from it.
class SinglePair {
 public:
  SinglePair(std::size_t source, std::size_t target, const std::vector<std::pair<int, int>>& links)
      : SinglePair(std::vector<WordId>(source, 1), std::vector<WordId>(target, 1), links) {}
  SinglePair(const std::vector<WordId>& source, const std::vector<WordId>& target,
             const std::vector<std::pair<int, int>>& links, const std::vector<std::int32_t>& heads = {},
             const std::vector<StretchLabel>& labels = {})
      : bitext_(0) {
    std::vector<SentenceLink> points;
    for (const auto& [i, j] : links) {
      if (i < 0 || j < 0 || i >= kLongestSentence || j >= kLongestSentence) throw InputError("a link outside the pair");
      points.push_back({static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j)});
    }
    bitext_.add(source, target, points, 0, kLongestSentence, "alignment");
    bitext_.set_tree(heads);
    bitext_.set_labels(labels);
    pair_.assign(bitext_[0]);
  }
  [[nodiscard]] const AlignedPair& operator*() const noexcept { return pair_; }

 private:
  Bitext bitext_;
  AlignedPair pair_;
};

using LinkList = std::vector<std::pair<int, int>>;

Out2<std::int64_t> phrases_of(std::size_t source, std::size_t target, const LinkList& links, OrientationModel model,
                              const ExtractionSettings& settings) {
  const SinglePair pair(source, target, links);
  OrientationLabeler labeler(model, settings.limits, settings.containment);
  labeler.assign(*pair);
  std::vector<std::int64_t> rows;
  for_each_phrase(*pair, settings.limits, [&](const PhraseSpans& spans) {
    rows.insert(rows.end(), {spans.source_begin, spans.source_end, spans.target_begin, spans.target_end,
                             static_cast<int>(labeler.previous(spans)), static_cast<int>(labeler.next(spans))});
  });
  const std::size_t count = rows.size() / 6;
  return owned(std::move(rows), count, 6);
}

std::vector<std::pair<std::vector<int>, std::vector<int>>> gappy_units(std::size_t source, std::size_t target,
                                                                       const LinkList& links,
                                                                       const ExtractionSettings& settings) {
  const SinglePair pair(source, target, links);
  std::vector<std::pair<std::vector<int>, std::vector<int>>> units;
  GappyExtractor(settings.gappy_limits).extract(*pair, [&](const GappyUnit& unit) {
    units.emplace_back(unit.source, unit.target);
  });
  return units;
}

std::unique_ptr<const SourceFilter> filter_of(const In<WordId>& words, const In<std::int64_t>& ends,
                                              const ExtractionSettings& settings) {
  if (ends.size() == 0) return nullptr;
  return filter_for(view(words), view(ends), settings);
}

// Source, target, links and shares.
using HieroParts = std::tuple<std::vector<WordId>, std::vector<WordId>, LinkList, int>;

std::vector<HieroParts> hiero_rules(const std::vector<WordId>& source, const std::vector<WordId>& target,
                                    const LinkList& links, const HieroLimits& limits,
                                    const std::vector<std::int32_t>& heads, const std::vector<Node>& source_nodes,
                                    const std::vector<Node>& target_nodes, Vocabulary& labels) {
  const std::size_t side = limits.tree_is_source ? source.size() : target.size();
  if (!heads.empty() && (heads.size() != side || std::ranges::any_of(heads, [&](std::int32_t head) {
                           return head >= static_cast<std::int64_t>(side);
                         })))
    throw InputError("a tree of " + std::to_string(heads.size()) + " words for a side of " + std::to_string(side));
  const SinglePair bare(source, target, links);
  const auto named = labels_of((*bare).words(), source_nodes, target_nodes, limits, labels);
  const SinglePair pair(source, target, links, heads, named);
  std::vector<HieroParts> rules;
  HieroExtractor hiero(limits);
  GhkmExtractor ghkm(limits.ghkm, limits.tree_is_source);
  DependencyTree tree;
  extract_hierarchical(hiero, ghkm, tree, *pair, limits, [&](const HieroRule& rule) {
    LinkList inside;
    for (const WordId code : rule.links) inside.emplace_back(link_of(code).source, link_of(code).target);
    rules.emplace_back(std::vector<WordId>(rule.source.begin(), rule.source.end()),
                       std::vector<WordId>(rule.target.begin(), rule.target.end()), inside, rule.shares);
  });
  return rules;
}

}  // namespace

void bind_grammar(nb::module_& m) {
  m.doc() = "Rules: extraction, scoring, tables.";
  nb::enum_<OrientationModel>(m, "OrientationModel")
      .value("NONE", OrientationModel::kNone)
      .value("WORD", OrientationModel::kWord)
      .value("PHRASE", OrientationModel::kPhrase)
      .value("HIERARCHICAL", OrientationModel::kHierarchical);
  nb::enum_<OrientationClasses>(m, "OrientationClasses")
      .value("NONE", OrientationClasses::kNone)
      .value("MSD", OrientationClasses::kMsd)
      .value("MSLR", OrientationClasses::kMslr)
      .value("MONOTONICITY", OrientationClasses::kMonotonicity)
      .value("LEFTRIGHT", OrientationClasses::kLeftRight)
      .value("MSDC", OrientationClasses::kMsdc)
      .value("MSLRC", OrientationClasses::kMslrc);
  nb::enum_<Smoothing>(m, "Smoothing")
      .value("NONE", Smoothing::kNone)
      .value("GOOD_TURING", Smoothing::kGoodTuring)
      .value("KNESER_NEY", Smoothing::kKneserNey);
  nb::enum_<LexicalWeight>(m, "LexicalWeight")
      .value("LINKS", LexicalWeight::kLinks)
      .value("BEST", LexicalWeight::kBest);

  auto hiero = nb::class_<HieroLimits>(m, "HieroLimits", "Which hierarchical rules are taken.")
                   .def(nb::init<>())
                   .def_rw("max_phrase", &HieroLimits::max_phrase)
                   .def_rw("max_symbols", &HieroLimits::max_symbols)
                   .def_rw("max_nonterminals", &HieroLimits::max_nonterminals)
                   .def_rw("min_hole", &HieroLimits::min_hole)
                   .def_rw("tight", &HieroLimits::tight)
                   .def_rw("adjacent", &HieroLimits::adjacent)
                   .def_rw("linked_words", &HieroLimits::linked_words)
                   .def_rw("fractional", &HieroLimits::fractional)
                   .def_rw("loose_terminals", &HieroLimits::loose_terminals)
                   .def_rw("fall_back", &HieroLimits::fall_back)
                   .def_rw("tree_is_source", &HieroLimits::tree_is_source);
  const auto bind_limit = [&](const char* name, int GhkmLimits::* limit) {
    hiero.def_prop_rw(
        name, [limit](const HieroLimits& limits) { return limits.ghkm.*limit; },
        [limit](HieroLimits& limits, int value) { limits.ghkm.*limit = value; });
  };
  bind_limit("max_depth", &GhkmLimits::max_depth);
  bind_limit("max_size", &GhkmLimits::max_size);
  bind_limit("max_nodes", &GhkmLimits::max_nodes);
  bind_limit("max_scope", &GhkmLimits::max_scope);
  bind_choice(hiero, "labels", [](auto& limits) -> auto& { return limits.labels; },
              {{"none", LabelSide::kNone},
               {"source", LabelSide::kSource},
               {"target", LabelSide::kTarget},
               {"both", LabelSide::kBoth}});
  bind_choice(hiero, "part", [](auto& limits) -> auto& { return limits.part; },
              {{"all", RulePart::kAll}, {"words", RulePart::kWords}, {"gaps", RulePart::kGaps}});
  bind_choice(hiero, "constraint", [](auto& limits) -> auto& { return limits.constraint; },
              {{"none", TreeConstraint::kNone}, {"filter", TreeConstraint::kFilter}, {"ghkm", TreeConstraint::kGhkm}});
  bind_choice(
      hiero, "prefix_lexicalised", [](auto& limits) -> auto& { return limits.prefix_lexicalised; },
      {{"no", PrefixLexicalised::kNo}, {"before", PrefixLexicalised::kBefore}, {"after", PrefixLexicalised::kAfter}});
  m.def("hiero_rules", &hiero_rules, "source"_a, "target"_a, "links"_a, "limits"_a, "heads"_a, "source_nodes"_a,
        "target_nodes"_a, "labels"_a,
        "Source (with its left-hand side behind it, if rules have labels) and target symbols, links and number of "
        "sharers of the rules of one aligned pair.");
  nb::class_<ExtractionSettings>(m, "ExtractionSettings", "What is taken from a bitext.")
      .def(nb::init<>())
      .def_prop_rw(
          "max_source", [](const ExtractionSettings& s) { return s.limits.max_source; },
          [](ExtractionSettings& s, int value) { s.limits.max_source = value; })
      .def_prop_rw(
          "max_target", [](const ExtractionSettings& s) { return s.limits.max_target; },
          [](ExtractionSettings& s, int value) { s.limits.max_target = value; })
      .def_prop_rw(
          "max_ratio", [](const ExtractionSettings& s) { return s.limits.max_ratio; },
          [](ExtractionSettings& s, double value) { s.limits.max_ratio = value; })
      .def_prop_rw(
          "only_tight", [](const ExtractionSettings& s) { return s.limits.only_tight; },
          [](ExtractionSettings& s, bool value) { s.limits.only_tight = value; })
      .def_prop_rw(
          "gap_words", [](const ExtractionSettings& s) { return s.gappy_limits.max_words; },
          [](ExtractionSettings& s, int value) { s.gappy_limits.max_words = value; })
      .def_prop_rw(
          "gap_source_span", [](const ExtractionSettings& s) { return s.gappy_limits.max_source_span; },
          [](ExtractionSettings& s, int value) { s.gappy_limits.max_source_span = value; })
      .def_prop_rw(
          "gap_target_span", [](const ExtractionSettings& s) { return s.gappy_limits.max_target_span; },
          [](ExtractionSettings& s, int value) { s.gappy_limits.max_target_span = value; })
      .def_prop_rw(
          "gaps_both_sides", [](const ExtractionSettings& s) { return s.gappy_limits.both_sides; },
          [](ExtractionSettings& s, bool value) { s.gappy_limits.both_sides = value; })
      .def_prop_rw(
          "unaligned_gaps", [](const ExtractionSettings& s) { return s.gappy_limits.unaligned_gaps; },
          [](ExtractionSettings& s, bool value) { s.gappy_limits.unaligned_gaps = value; })
      .def_rw("gappy", &ExtractionSettings::gappy)
      .def_rw("hierarchical", &ExtractionSettings::hierarchical)
      .def_rw("hiero_limits", &ExtractionSettings::hiero_limits)
      .def_rw("orientation", &ExtractionSettings::orientation)
      .def_rw("containment", &ExtractionSettings::containment)
      .def_rw("domains", &ExtractionSettings::domains)
      .def_rw("evidence", &ExtractionSettings::evidence)
      .def_rw("instances_per_run", &ExtractionSettings::instances_per_run);

  nb::class_<ScoringSettings>(m, "ScoringSettings", "How counts become values.")
      .def(nb::init<>())
      .def_rw("smoothing", &ScoringSettings::smoothing)
      .def_rw("lexical", &ScoringSettings::lexical)
      .def_rw("min_probability", &ScoringSettings::min_probability)
      .def_rw("min_count", &ScoringSettings::min_count)
      .def_rw("only_prefix_lexicalised", &ScoringSettings::only_prefix_lexicalised)
      .def_rw("rule_classes", &ScoringSettings::rule_classes)
      .def_rw("penalty", &ScoringSettings::penalty)
      .def_rw("count", &ScoringSettings::count)
      .def_rw("unique", &ScoringSettings::unique)
      .def_rw("count_bins", &ScoringSettings::count_bins)
      .def_rw("domains", &ScoringSettings::domains)
      .def_rw("classes", &ScoringSettings::classes)
      .def_rw("previous", &ScoringSettings::previous)
      .def_rw("next", &ScoringSettings::next)
      .def_rw("by_source_only", &ScoringSettings::by_source_only)
      .def_rw("orientation_smoothing", &ScoringSettings::orientation_smoothing);
  m.def("column_names", &column_names, "settings"_a);

  nb::class_<EncodingReport>(m, "EncodingReport", "What was passed over while encoding, by reason.")
      .def_prop_ro("used", [](const EncodingReport& r) { return r.skipped[0]; })
      .def_prop_ro("empty_source", [](const EncodingReport& r) { return std::pair(r.skipped[1], r.first[1]); })
      .def_prop_ro("empty_target", [](const EncodingReport& r) { return std::pair(r.skipped[2], r.first[2]); })
      .def_prop_ro("too_long", [](const EncodingReport& r) { return std::pair(r.skipped[3], r.first[3]); })
      .def_prop_ro("no_links", [](const EncodingReport& r) { return std::pair(r.skipped[4], r.first[4]); })
      .def_ro("links", &EncodingReport::links);
  m.def(
      "encode_bitext", &encode_bitext, "source"_a, "target"_a, "alignment"_a, "domains"_a, "source_words"_a,
      "target_words"_a, nb::kw_only(), "trees"_a, "source_nodes"_a, "target_nodes"_a, "labels"_a, "limits"_a,
      "first_line"_a, "longest"_a, "name"_a, "path"_a,
      nb::sig("def encode_bitext(source: list[str], target: list[str], alignment: list[str], domains: "
              "NDArray[uint32], source_words: dragoman._native.common.Vocabulary, target_words: "
              "dragoman._native.common.Vocabulary, *, trees: list[list[int]], source_nodes: list[list[tuple[str, int, "
              "int]]], target_nodes: list[list[tuple[str, int, int]]], labels: "
              "dragoman._native.common.Vocabulary, limits: HieroLimits, first_line: int, "
              "longest: int, name: str, path: str | os.PathLike[str]) -> EncodingReport"),
      "Write a slice of a bitext as ids and links, with heads of one side if trees are given, and with labels if nodes "
      "are; counts and first line "
      "(from 1) of what cannot be used.");
  m.def(
      "in_byte_order",
      [](const Vocabulary& words) {
        Renumbering sorted = in_byte_order(words.view());
        return nb::make_tuple(std::move(sorted.words), owned(std::move(sorted.ids)));
      },
      "words"_a,
      nb::sig("def in_byte_order(words: dragoman._native.common.Vocabulary) -> "
              "tuple[dragoman._native.common.Vocabulary, NDArray[uint32]]"),
      "The words sorted by their bytes, and the new id of each.");

  m.def(
      "extract_runs",
      [](const std::filesystem::path& path, const In<WordId>& source_ids, const In<WordId>& target_ids,
         const ExtractionSettings& settings, const In<WordId>& filter_words, const In<std::int64_t>& filter_ends,
         const std::filesystem::path& prefix) {
        const nb::gil_scoped_release unlocked;
        Bitext bitext = Bitext::load(path);
        bitext.renumber(view(source_ids), view(target_ids));
        const auto filter = filter_of(filter_words, filter_ends, settings);
        ExtractedRuns made = extract_runs(bitext, settings, filter.get(), prefix);
        return std::pair(std::move(made.paths), made.cut_words);
      },
      "bitext"_a, "source_ids"_a.noconvert(), "target_ids"_a.noconvert(), "settings"_a, "filter_words"_a.noconvert(),
      "filter_ends"_a.noconvert(), "prefix"_a,
      "Rules of one slice, counted and sorted, as files PREFIX.0, PREFIX.1, ...; and how many words of trees had more "
      "rules than are taken.");
  m.def("merge_dictionaries", &merge_dictionaries, "runs"_a, "folder"_a, nb::kw_only(), "threads"_a = 0,
        nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "cuts",
      [](const Paths& runs, const std::filesystem::path& folder, std::uint64_t least, std::uint64_t most,
         std::uint64_t limit) {
        std::vector<std::uint32_t> cuts;
        {
          const nb::gil_scoped_release unlocked;
          cuts = Merged(runs, folder).cuts(least, most, limit);
        }
        return owned(std::move(cuts));
      },
      "runs"_a, "folder"_a, nb::kw_only(), "least"_a, "most"_a, "limit"_a,
      nb::sig("def cuts(runs: Sequence[str | os.PathLike[str]], folder: str | os.PathLike[str], *, least: int, most: "
              "int, limit: int) -> NDArray[uint32]"),
      "Source ids that cut scoring into at most so many ranges of at least so many pairs, but never above the limit.");
  m.def(
      "count_statistics",
      [](const Paths& runs, const std::filesystem::path& folder, Smoothing smoothing, const std::filesystem::path& path,
         int threads) {
        const nb::gil_scoped_release unlocked;
        const auto statistics = count_statistics(Merged(runs, folder), smoothing, threads);
        statistics.save(path);
        return smoothing == Smoothing::kKneserNey && !kneser_ney_discounts(statistics.pairs).estimated;
      },
      "runs"_a, "folder"_a, "smoothing"_a, "path"_a, nb::kw_only(), "threads"_a = 0,
      "Write what smoothing needs; true if Kneser-Ney discounts could not be estimated and fixed ones stand in.");
  m.def(
      "score_range",
      [](const Paths& runs, const std::filesystem::path& folder, const std::filesystem::path& statistics,
         std::uint32_t begin, std::uint32_t end, const ScoringSettings& settings, const ExtractionSettings& extraction,
         const In<WordId>& filter_words, const In<std::int64_t>& filter_ends, const std::filesystem::path& path) {
        const nb::gil_scoped_release unlocked;
        const auto filter = filter_of(filter_words, filter_ends, extraction);
        score_range(Merged(runs, folder), SavedStatistics(statistics), begin, end, settings, filter.get(), path);
      },
      "runs"_a, "folder"_a, "statistics"_a, "begin"_a, "end"_a, "settings"_a, "extraction"_a,
      "filter_words"_a.noconvert(), "filter_ends"_a.noconvert(), "path"_a,
      "Merge and score the pairs of a range of sources into a block file.");
  m.def(
      "assemble",
      [](const Paths& runs, const std::filesystem::path& folder, const Paths& blocks,
         const std::vector<std::string>& columns, const std::string& metadata, const Vocabulary& source_words,
         const Vocabulary& target_words, const Vocabulary& labels, WordId left_hand_side, bool evidence, bool compact,
         const std::filesystem::path& path, int threads) {
        if (left_hand_side >= labels.size()) throw InputError("a left-hand side that has no name");
        const nb::gil_scoped_release unlocked;
        const Vocabulary none;
        const TableSchema schema{
            columns, metadata, source_words.view(), target_words.view(), labels.view(), none.view(), evidence,
            compact, threads,  left_hand_side};
        assemble(Merged(runs, folder), blocks, schema, path);
      },
      "runs"_a, "folder"_a, "blocks"_a, nb::kw_only(), "columns"_a, "metadata"_a, "source_words"_a, "target_words"_a,
      "labels"_a, "left_hand_side"_a, "evidence"_a, "compact"_a, "path"_a, "threads"_a = 0);
  m.def("phrases_of", &phrases_of, "source_length"_a, "target_length"_a, "links"_a, "model"_a, "settings"_a,
        nb::sig("def phrases_of(source_length: int, target_length: int, links: Sequence[tuple[int, int]], model: "
                "OrientationModel, settings: ExtractionSettings) -> NDArray[int64]"),
        "Rows of source span, target span, previous and next orientation of one aligned pair.");
  m.def("gappy_units", &gappy_units, "source_length"_a, "target_length"_a, "links"_a, "settings"_a,
        "Source and target positions of the discontinuous phrases of one aligned pair.");
  bind_table(m);
  bind_table_tools(m);
}

}  // namespace dragoman
