#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unordered_map.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"
#include "common/error.hpp"
#include "features/joint.hpp"
#include "features/sequence.hpp"
#include "features/templates.hpp"

namespace dragoman {

using namespace nb::literals;
using namespace features;

namespace {

using SharedClasses = std::shared_ptr<WordClasses>;

WordSet word_set(const std::vector<std::string>& words) { return {words.begin(), words.end()}; }

void bind_rule_templates(nb::class_<Templates>& bound) {
  bound
      .def(
          "add_rule",
          [](Templates& self, std::string prefix, SharedClasses source, SharedClasses target, double min_count,
             bool per_domain) {
            self.rules().add(std::make_unique<RuleIndicator>(
                std::move(prefix), Lexicalization{std::move(source), std::move(target), min_count}, per_domain));
          },
          "prefix"_a, nb::kw_only(), "source_classes"_a.none(), "target_classes"_a.none(), "min_count"_a,
          "per_domain"_a)
      .def(
          "add_links",
          [](Templates& self, std::string prefix, SharedClasses source, SharedClasses target, double min_count,
             bool cliques, bool per_domain) {
            self.rules().add(std::make_unique<LinkIndicator>(
                std::move(prefix), Lexicalization{std::move(source), std::move(target), min_count}, cliques,
                per_domain));
          },
          "prefix"_a, nb::kw_only(), "source_classes"_a.none(), "target_classes"_a.none(), "min_count"_a, "cliques"_a,
          "per_domain"_a)
      .def(
          "add_unaligned",
          [](Templates& self, std::string prefix, bool target_side, SharedClasses classes, bool per_domain) {
            self.rules().add(
                std::make_unique<UnalignedIndicator>(std::move(prefix), target_side, std::move(classes), per_domain));
          },
          "prefix"_a, nb::kw_only(), "target_side"_a, "classes"_a.none(), "per_domain"_a)
      .def(
          "add_target_words",
          [](Templates& self, std::string prefix, SharedClasses classes) {
            self.rules().add(std::make_unique<TargetIndicator>(std::move(prefix), std::move(classes)));
          },
          "prefix"_a, nb::kw_only(), "classes"_a.none())
      .def(
          "add_shape",
          [](Templates& self, std::string prefix, bool source, bool target, bool both) {
            self.rules().add(std::make_unique<ShapeIndicator>(std::move(prefix), source, target, both));
          },
          "prefix"_a, nb::kw_only(), "source"_a, "target"_a, "both"_a)
      .def(
          "add_ratio",
          [](Templates& self, std::string name, const std::vector<std::string>& source,
             const std::vector<std::string>& target) {
            const std::uint32_t scale = self.rules().add_scale(word_set(source));
            self.rules().add(std::make_unique<Ratio>(std::move(name), word_set(target), scale));
          },
          "name"_a, nb::kw_only(), "source_words"_a, "target_words"_a)
      .def(
          "add_frequencies",
          [](Templates& self, std::string prefix, std::unordered_map<std::string, double> source, double source_unseen,
             std::unordered_map<std::string, double> target, double target_unseen, bool squared) {
            self.rules().add(std::make_unique<FrequencyAsymmetry>(
                std::move(prefix), InverseFrequencies{std::move(source), source_unseen},
                InverseFrequencies{std::move(target), target_unseen}, squared));
          },
          "prefix"_a, nb::kw_only(), "source"_a, "source_unseen"_a, "target"_a, "target_unseen"_a, "squared"_a)
      .def(
          "add_domain", [](Templates& self, std::string prefix) { self.rules().set_domain_prefix(std::move(prefix)); },
          "prefix"_a)
      .def(
          "add_deletion",
          [](Templates& self, std::string prefix, std::vector<std::string> tags,
             const std::vector<std::string>& frequent, bool heads_only) {
            self.add(DeletionSettings{std::move(prefix), std::move(tags), word_set(frequent), heads_only});
          },
          "prefix"_a, nb::kw_only(), "tags"_a, "frequent"_a, "heads_only"_a)
      .def(
          "add_syntax",
          [](Templates& self,
             const std::vector<std::tuple<std::string, std::vector<std::string>, double, double>>& given,
             bool with_glue) {
            std::vector<SyntaxTerm> terms;
            for (const auto& [feature, labels, match, cross] : given) terms.push_back({feature, labels, match, cross});
            self.add(std::move(terms), with_glue);
          },
          "terms"_a, nb::kw_only(), "with_glue"_a,
          "Soft constraints: of each feature its name, its labels (none: any), and what a match and a crossing count.")
      .def(
          "add_structure",
          [](Templates& self, const std::vector<std::vector<std::pair<std::string, double>>>& given) {
            StructuralDistortion made;
            for (std::size_t moved = 0; moved < 2; ++moved)
              for (std::size_t size = 0; size < kGapSizes; ++size) {
                const auto& [name, value] = given.at(moved).at(size);
                made.fired[moved][size] = {self.names().intern(name), value};
              }
            self.add(made);
          },
          "fired"_a,
          "Structural distortion: of gaps in order and of reordered ones, by size, the feature and its value.");
}

void bind_state_templates(nb::class_<Templates>& bound) {
  bound
      .def(
          "add_orientation",
          [](Templates& self, std::string prefix, SharedClasses source, SharedClasses target, double min_count,
             bool coarse, bool previous, bool next, bool per_domain) {
            self.previous().orientations.push_back({std::move(prefix),
                                                    {std::move(source), std::move(target), min_count},
                                                    coarse,
                                                    previous,
                                                    next,
                                                    per_domain});
          },
          "prefix"_a, nb::kw_only(), "source_classes"_a.none(), "target_classes"_a.none(), "min_count"_a, "coarse"_a,
          "previous"_a, "next"_a, "per_domain"_a)
      .def(
          "add_jump", [](Templates& self, std::string prefix) { self.previous().jump_prefix = std::move(prefix); },
          "prefix"_a)
      .def(
          "add_tag_order",
          [](Templates& self, std::string prefix, bool previous, bool next) {
            self.previous().tag_prefix = std::move(prefix);
            self.previous().tag_previous = previous;
            self.previous().tag_next = next;
          },
          "prefix"_a, nb::kw_only(), "previous"_a, "next"_a)
      .def(
          "add_adjacent_domain",
          [](Templates& self, std::string prefix) { self.previous().adjacent_prefix = std::move(prefix); }, "prefix"_a)
      .def(
          "add_target_ngrams",
          [](Templates& self, std::string prefix, SharedClasses classes, std::uint32_t order, bool boundary_only) {
            self.add(TargetNgrams{std::move(prefix), std::move(classes), order, boundary_only});
          },
          "prefix"_a, nb::kw_only(), "classes"_a.none(), "order"_a, "boundary_only"_a);
}

}  // namespace

void bind_features(nb::module_& m) {
  m.doc() = "Sparse feature templates.";
  bind_order_models(m);
  nb::class_<WordClasses>(m, "WordClasses", "Words to classes; digits are folded, the rest has the class of <unk>.")
      .def(nb::init<const std::vector<std::pair<std::string, std::string>>&>(), "pairs"_a)
      .def(
          "of", [](const WordClasses& self, std::string_view word) { return std::string(self.name(self.of(word))); },
          "word"_a);
  m.def(
      "span_labels",
      [](const std::vector<std::tuple<std::string, std::uint32_t, std::uint32_t>>& nodes,
         const std::vector<std::string>& labels, std::uint32_t length, std::uint32_t longest) {
        if (labels.size() > SpanGrid::kMostLabels) throw SettingError("more labels than a grid has bits");
        std::vector<LabelledSpan> spans;
        for (const auto& [label, start, end] : nodes) {
          if (start >= end || end > length) throw InputError("a constituent beyond its sentence");
          spans.push_back({label, start, end});
        }
        SpanGrid grid;
        grid.fill(spans, labels, length, longest);
        const auto named = [&](SpanGrid::Labels bits) {
          std::vector<std::string> found;
          for (std::size_t i = 0; i < labels.size(); ++i)
            if ((bits >> i & 1) != 0) found.push_back(labels[i]);
          if ((bits & SpanGrid::kAny) != 0) found.emplace_back();
          return found;
        };
        std::vector<std::tuple<std::uint32_t, std::uint32_t, std::vector<std::string>, std::vector<std::string>>> all;
        for (std::uint32_t i = 0; i < length; ++i)
          for (std::uint32_t j = i + 1; j <= std::min(length, i + longest); ++j)
            all.emplace_back(i, j, named(grid.matching(i, j)), named(grid.crossing(i, j)));
        return all;
      },
      "nodes"_a, "labels"_a, nb::kw_only(), "length"_a, "longest"_a,
      "For each span of up to `longest` words: which labels match a node, and which cross one; '' stands for any.");
  nb::class_<Templates> bound(m, "Templates", "The sparse templates of a model, gathered one by one.");
  bind_rule_templates(bound);
  bind_state_templates(bound);
  bound.def(
      "rule_scores",
      [](Templates& self, std::uint32_t first, std::uint32_t last,
         const std::unordered_map<std::string, double>& weights) {
        const nb::gil_scoped_release unlocked;
        return self.rules().scores(first, last, weights);
      },
      "first"_a, "last"_a, "weights"_a, "What templates that look at rules alone are worth, for a range of rules.");
  m.def(
      "joint_scores",
      [](const std::shared_ptr<neural::JointModel>& model, const In<neural::Unit>& source,
         const In2<neural::Unit>& histories, const In<neural::Unit>& words, const In<std::uint32_t>& positions) {
        std::vector<float> scores(words.size());
        {
          const nb::gil_scoped_release unlocked;
          const auto within = [](std::span<const std::uint32_t> numbers, std::size_t end) {
            return std::ranges::all_of(numbers, [end](std::uint32_t number) { return number < end; });
          };
          const neural::JointShape& shape = model->shape;
          const std::span histories_view(histories.data(), histories.size());
          if (positions.size() != words.size() || histories.size() != words.size() * shape.history ||
              !within(view(source), shape.source_units) || !within(view(words), shape.target_units) ||
              !within(histories_view, shape.target_units) || !within(view(positions), source.size() + 1))
            throw InputError("units or positions that the joint model does not have");
          const JointModelUse use(model, 0, Vocabulary().view());
          const neural::Matrix windows = use.windows(view(source));
          const std::size_t places = model->shape.history;
          for (std::size_t i = 0; i < scores.size(); ++i)
            scores[i] = static_cast<float>(
                use.score(windows.row(positions.data()[i]), {histories.data() + i * places, places}, words.data()[i]));
        }
        return owned(std::move(scores));
      },
      "model"_a, "source"_a, "histories"_a, "words"_a, "positions"_a,
      nb::sig("def joint_scores(model: dragoman._native.neural.JointModel, source: NDArray[uint32], histories: "
              "NDArray[uint32], words: "
              "NDArray[uint32], positions: NDArray[uint32]) -> NDArray[float32]"),
      "Scores of a joint model as search asks for them, one by one from sums that are ready; all in units.");
  m.def(
      "paired_words",
      [](const nb::list& source, const nb::list& target, const nb::list& links) {
        const auto sources = texts(source), targets = texts(target), aligned = texts(links);
        if (sources.size() != targets.size() || sources.size() != aligned.size())
          throw InputError("sides and links of different length");
        nb::list lines;
        for (std::size_t i = 0; i < sources.size(); ++i) {
          const std::string where = "alignment of pair " + std::to_string(i + 1);
          lines.append(paired_words(sources[i], targets[i], aligned[i], where));
        }
        return lines;
      },
      "source"_a, "target"_a, "links"_a,
      nb::sig("def paired_words(source: list[str], target: list[str], links: list[str]) -> list[str]"),
      "Sentence pairs as lines of target words, each with the source words that it is linked to.");
  m.def(
      "count_gaps",
      [](const nb::list& links, std::uint32_t longest) {
        GapCounts counts{};
        std::vector<grammar::SentenceLink> parsed;
        std::size_t number = 0;
        for (const std::string_view line : texts(links)) {
          grammar::parse_links(line, "alignment of pair " + std::to_string(++number), parsed);
          count_gaps(parsed, longest, counts);
        }
        return std::pair(std::vector(counts[0].begin(), counts[0].end()),
                         std::vector(counts[1].begin(), counts[1].end()));
      },
      "links"_a, "longest"_a, nb::sig("def count_gaps(links: list[str], longest: int) -> tuple[list[int], list[int]]"),
      "Gaps of word-aligned phrases that stay in order, and those that are reordered, by size.");
}

}  // namespace dragoman
