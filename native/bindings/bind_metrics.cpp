#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>

#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"
#include "metrics/bleu.hpp"
#include "metrics/bootstrap.hpp"
#include "metrics/chrf.hpp"
#include "metrics/edits.hpp"
#include "metrics/gain.hpp"
#include "metrics/meteor.hpp"
#include "metrics/nist.hpp"
#include "metrics/pairs.hpp"
#include "metrics/ter.hpp"
#include "metrics/terp.hpp"

namespace dragoman {

using namespace nb::literals;
using namespace metrics;

namespace {

using Groups = In<std::int64_t>;

// Runs a kernel without the GIL and hands its matrix to numpy.
template <typename Kernel>
Out2<double> matrix(std::size_t rows, const Kernel& kernel) {
  std::vector<double> values;
  const StopCallback stop = stop_on_signal();
  {
    const nb::gil_scoped_release unlocked;
    values = kernel(stop);
  }
  const std::size_t columns = rows == 0 ? 0 : values.size() / rows;
  return owned(std::move(values), rows, columns);
}

// One score per row of a matrix of statistics.
template <typename Score>
Out<double> per_row(const In2<double>& statistics, std::size_t width, const Score& score) {
  if (statistics.shape(1) != width) {
    throw InputError("statistics of " + std::to_string(statistics.shape(1)) + " columns where the metric has " +
                     std::to_string(width));
  }
  std::vector<double> scores(statistics.shape(0));
  {
    const nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] = score(std::span<const double>(statistics.data() + i * width, width));
    }
  }
  return owned(std::move(scores));
}

void bind_lines(nb::module_& m) {
  nb::class_<EncodedLines>(m, "EncodedLines", "Lines as numbers of words or characters.")
      .def(
          "__init__",
          [](EncodedLines* self, const In<WordId>& words, const In<std::int64_t>& ends) {
            std::int64_t before = 0;
            for (const std::int64_t end : view(ends)) {
              if (end < before) throw InputError("ends of lines must not decrease");
              before = end;
            }
            if (static_cast<std::size_t>(before) != words.size()) throw InputError("the last line must end the words");
            new (self)
                EncodedLines{{words.data(), words.data() + words.size()}, {ends.data(), ends.data() + ends.size()}};
          },
          "words"_a.noconvert(), "ends"_a.noconvert())
      .def("__len__", &EncodedLines::size)
      .def(
          "take",
          [](const EncodedLines& self, const In<std::int64_t>& lines) {
            for (const std::int64_t line : view(lines))
              if (line < 0 || static_cast<std::size_t>(line) >= self.size()) throw nb::index_error();
            const nb::gil_scoped_release unlocked;
            return self.take(view(lines));
          },
          "lines"_a.noconvert(), "Some of the lines, in any order and as often as asked.")
      .def_prop_ro(
          "words", [](const EncodedLines& self) { return owned(std::vector<WordId>(self.words)); }, nb::rv_policy::move)
      .def_prop_ro(
          "ends", [](const EncodedLines& self) { return owned(std::vector<std::int64_t>(self.ends)); },
          nb::rv_policy::move);

  nb::class_<Tokenizer>(m, "Tokenizer", "One of the tokenizers that metric definitions name.")
      .def(
          "__init__",
          [](Tokenizer* self, std::string_view name, bool normalize, bool remove_punctuation, bool asian) {
            new (self) Tokenizer(name, TercomOptions{normalize, remove_punctuation, asian});
          },
          "name"_a, nb::kw_only(), "normalize"_a = false, "remove_punctuation"_a = false, "asian"_a = false)
      .def(
          "tokenize",
          [](const Tokenizer& self, const nb::list& lines, int threads) {
            const auto views = texts(lines);
            const nb::gil_scoped_release unlocked;
            return tokenized(self, views, threads);
          },
          "lines"_a, nb::kw_only(), "threads"_a = 0,
          nb::sig("def tokenize(self, lines: list[str], *, threads: int = 0) -> list[str]"),
          "The tokens of each line, joined by spaces.")
      .def(
          "intern",
          [](const Tokenizer& self, const nb::list& lines, Vocabulary& words, int threads) {
            const auto views = texts(lines);
            const nb::gil_scoped_release unlocked;
            return intern(self, views, words, threads);
          },
          "lines"_a, "words"_a, nb::kw_only(), "threads"_a = 0,
          nb::sig("def intern(self, lines: list[str], words: dragoman._native.common.Vocabulary, *, threads: int = 0) "
                  "-> EncodedLines"),
          "Tokens as words of a vocabulary, which grows.")
      .def(
          "lookup",
          [](const Tokenizer& self, const nb::list& lines, const Vocabulary& words, int threads) {
            const auto views = texts(lines);
            const nb::gil_scoped_release unlocked;
            return lookup(self, views, words, threads);
          },
          "lines"_a, "words"_a, nb::kw_only(), "threads"_a = 0,
          nb::sig("def lookup(self, lines: list[str], words: dragoman._native.common.Vocabulary, *, threads: int = 0) "
                  "-> EncodedLines"),
          "Tokens as words of a vocabulary; words that it lacks are equal to none.");
  m.def(
      "characters",
      [](const nb::list& lines, bool keep_space, int threads) {
        const auto views = texts(lines);
        const nb::gil_scoped_release unlocked;
        return characters(views, keep_space, threads);
      },
      "lines"_a, nb::kw_only(), "keep_space"_a = false, "threads"_a = 0,
      nb::sig("def characters(lines: list[str], *, keep_space: bool = False, threads: int = 0) -> EncodedLines"),
      "Code points of each line.");
}

void bind_ngram_metrics(nb::module_& m) {
  nb::enum_<ReferenceLength>(m, "ReferenceLength")
      .value("closest", ReferenceLength::kClosest)
      .value("shortest", ReferenceLength::kShortest)
      .value("average", ReferenceLength::kAverage);
  nb::enum_<Smoothing>(m, "Smoothing")
      .value("none", Smoothing::kNone)
      .value("floor", Smoothing::kFloor)
      .value("add_k", Smoothing::kAddK)
      .value("add_k_all", Smoothing::kAddKAll)
      .value("exp", Smoothing::kExponential);
  nb::class_<BleuOptions>(m, "BleuOptions")
      .def(
          "__init__",
          [](BleuOptions* self, int order, Smoothing smoothing, double smooth_value, bool effective_order,
             double reference_scale, double reference_extra, bool penalize_length, bool grounded,
             bool scale_by_shortest) {
            new (self) BleuOptions{order,           smoothing,       smooth_value, effective_order,  reference_scale,
                                   reference_extra, penalize_length, grounded,     scale_by_shortest};
          },
          nb::kw_only(), "order"_a, "smoothing"_a, "smooth_value"_a, "effective_order"_a, "reference_scale"_a,
          "reference_extra"_a, "penalize_length"_a, "grounded"_a, "scale_by_shortest"_a);
  m.def(
      "bleu_statistics",
      [](const EncodedLines& hypotheses, const EncodedLines& references, const Groups& groups, int order,
         ReferenceLength length, bool with_shortest, int threads) {
        return matrix(hypotheses.size(), [&](const StopCallback& stop) {
          return bleu_statistics(hypotheses, {references, view(groups)}, order, length, with_shortest, threads, stop);
        });
      },
      "hypotheses"_a, "references"_a, "groups"_a.noconvert(), nb::kw_only(), "order"_a, "length"_a, "with_shortest"_a,
      "threads"_a = 0);
  const auto bleu_width = [](const BleuOptions& options) {
    return 2 * static_cast<std::size_t>(options.order) + 1 + (options.scale_by_shortest ? 1 : 0);
  };
  m.def(
      "bleu_scores",
      [bleu_width](const In2<double>& statistics, const BleuOptions& options) {
        return per_row(statistics, bleu_width(options),
                       [&](std::span<const double> row) { return bleu(row, options).score; });
      },
      "statistics"_a.noconvert(), "options"_a);
  m.def(
      "bleu_parts",
      [bleu_width](const In<double>& total, const BleuOptions& options) {
        if (total.size() != bleu_width(options)) throw InputError("statistics of another metric");
        const BleuParts parts = bleu(view(total), options);
        return std::tuple(parts.brevity, parts.precisions);
      },
      "total"_a.noconvert(), "options"_a, "Brevity penalty and precisions.");

  nb::class_<ChrfOptions>(m, "ChrfOptions")
      .def(
          "__init__",
          [](ChrfOptions* self, int character_order, int word_order, double beta, bool epsilon_smoothing) {
            new (self) ChrfOptions{character_order, word_order, beta, epsilon_smoothing};
          },
          nb::kw_only(), "character_order"_a, "word_order"_a, "beta"_a, "epsilon_smoothing"_a);
  m.def(
      "chrf_statistics",
      [](const EncodedLines& hypotheses, const EncodedLines& references, const Groups& groups,
         const EncodedLines& hypothesis_words, const EncodedLines& reference_words, const ChrfOptions& options,
         int threads) {
        return matrix(hypotheses.size(), [&](const StopCallback& stop) {
          return chrf_statistics(hypotheses, {references, view(groups)}, hypothesis_words, reference_words, options,
                                 threads, stop);
        });
      },
      "hypotheses"_a, "references"_a, "groups"_a.noconvert(), "hypothesis_words"_a, "reference_words"_a, "options"_a,
      nb::kw_only(), "threads"_a = 0);
  m.def(
      "chrf_scores",
      [](const In2<double>& statistics, const ChrfOptions& options) {
        return per_row(statistics, 3 * static_cast<std::size_t>(options.character_order + options.word_order),
                       [&](std::span<const double> row) { return chrf(row, options); });
      },
      "statistics"_a.noconvert(), "options"_a);

  m.def(
      "bleu_matrix",
      [](const EncodedLines& hypotheses, const EncodedLines& references, const BleuOptions& options, int threads) {
        return matrix(hypotheses.size(), [&](const StopCallback& stop) {
          return bleu_matrix(hypotheses, references, options, threads, stop);
        });
      },
      "hypotheses"_a, "references"_a, "options"_a, nb::kw_only(), "threads"_a = 0);
  m.def(
      "chrf_matrix",
      [](const EncodedLines& hypotheses, const EncodedLines& references, const EncodedLines& hypothesis_words,
         const EncodedLines& reference_words, const ChrfOptions& options, int threads) {
        return matrix(hypotheses.size(), [&](const StopCallback& stop) {
          return chrf_matrix(hypotheses, references, hypothesis_words, reference_words, options, threads, stop);
        });
      },
      "hypotheses"_a, "references"_a, "hypothesis_words"_a, "reference_words"_a, "options"_a, nb::kw_only(),
      "threads"_a = 0);

  nb::class_<NgramInformation>(m, "NgramInformation", "Bits that each n-gram of a set of references informs.")
      .def(nb::init<const EncodedLines&, int>(), "references"_a, "order"_a, nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "nist_statistics",
      [](const EncodedLines& hypotheses, const EncodedLines& references, const Groups& groups,
         const NgramInformation& information, int threads) {
        return matrix(hypotheses.size(), [&](const StopCallback& stop) {
          return nist_statistics(hypotheses, {references, view(groups)}, information, threads, stop);
        });
      },
      "hypotheses"_a, "references"_a, "groups"_a.noconvert(), "information"_a, nb::kw_only(), "threads"_a = 0);
  m.def(
      "nist_scores",
      [](const In2<double>& statistics, int order) {
        return per_row(statistics, 2 * static_cast<std::size_t>(order) + 2,
                       [&](std::span<const double> row) { return nist(row, order); });
      },
      "statistics"_a.noconvert(), "order"_a);
}

void bind_edit_metrics(nb::module_& m) {
  nb::enum_<EditKind>(m, "EditKind")
      .value("wer", EditKind::kWer)
      .value("per", EditKind::kPer)
      .value("cder", EditKind::kCder);
  m.def(
      "edit_statistics",
      [](const EncodedLines& hypotheses, const EncodedLines& references, const Groups& groups, EditKind kind,
         int threads) {
        return matrix(hypotheses.size(), [&](const StopCallback& stop) {
          return edit_statistics(hypotheses, {references, view(groups)}, kind, threads, stop);
        });
      },
      "hypotheses"_a, "references"_a, "groups"_a.noconvert(), "kind"_a, nb::kw_only(), "threads"_a = 0);
  m.def(
      "ter_alignments",
      [](const EncodedLines& hypotheses, const EncodedLines& references) {
        if (hypotheses.size() != references.size()) throw InputError("not as many references as hypotheses");
        std::vector<std::pair<std::vector<WordId>, std::vector<std::int32_t>>> all;
        TerAligner aligner;
        for (std::size_t i = 0; i < hypotheses.size(); ++i) {
          TerAligner::Alignment found = aligner.alignment(hypotheses.line(i), references.line(i));
          all.emplace_back(std::move(found.words), std::move(found.partners));
        }
        return all;
      },
      "hypotheses"_a, "references"_a,
      "Each hypothesis with its blocks shifted, and for each word of its reference the place of its partner, or -1.");
  m.def(
      "ter_statistics",
      [](const EncodedLines& hypotheses, const EncodedLines& references, const Groups& groups, int threads) {
        return matrix(hypotheses.size(), [&](const StopCallback& stop) {
          return ter_statistics(hypotheses, {references, view(groups)}, threads, stop);
        });
      },
      "hypotheses"_a, "references"_a, "groups"_a.noconvert(), nb::kw_only(), "threads"_a = 0);
  m.def(
      "edit_rates", [](const In2<double>& statistics) { return per_row(statistics, 2, edit_rate); },
      "statistics"_a.noconvert());
}

void bind_lexical_metrics(nb::module_& m) {
  nb::class_<WordRelations>(m, "WordRelations", "Stems, synonym sets and function words, by number of the word.")
      .def(
          "__init__",
          [](WordRelations* self, const In<std::uint32_t>& stems, const In<std::int64_t>& synset_ends,
             const In<std::uint32_t>& synsets, const In<std::uint8_t>& is_function) {
            std::int64_t before = 0;
            for (const std::int64_t end : view(synset_ends)) {
              if (end < before) throw InputError("ends of synonym sets must not decrease");
              before = end;
            }
            if (static_cast<std::size_t>(before) != synsets.size()) throw InputError("synonym sets without a word");
            new (self) WordRelations{{stems.data(), stems.data() + stems.size()},
                                     {synset_ends.data(), synset_ends.data() + synset_ends.size()},
                                     {synsets.data(), synsets.data() + synsets.size()},
                                     {is_function.data(), is_function.data() + is_function.size()}};
          },
          "stems"_a.noconvert(), "synset_ends"_a.noconvert(), "synsets"_a.noconvert(), "is_function"_a.noconvert());
  nb::class_<PhrasePairs>(m, "PhrasePairs", "Phrases that paraphrase each other.")
      .def(
          "__init__",
          [](PhrasePairs* self, const EncodedLines& hypotheses, const EncodedLines& references,
             const In<double>& values) {
            if (hypotheses.size() != references.size() || values.size() != references.size()) {
              throw InputError("paraphrases need two phrases and a value each");
            }
            new (self) PhrasePairs();
            for (std::size_t i = 0; i < hypotheses.size(); ++i) {
              if (hypotheses.line(i).empty() || references.line(i).empty()) continue;
              self->add(hypotheses.line(i), references.line(i), values.data()[i]);
            }
          },
          "hypotheses"_a, "references"_a, "values"_a.noconvert());
  nb::class_<MeteorOptions>(m, "MeteorOptions")
      .def(
          "__init__",
          [](MeteorOptions* self, double alpha, double beta, double gamma, double delta,
             const std::array<double, kStages>& weights, bool strict, const std::array<bool, kStages>& stages,
             std::size_t beam) {
            new (self) MeteorOptions{alpha, beta, gamma, delta, weights, strict, {}};
            self->matching.stages = stages;
            self->matching.beam = beam;
          },
          nb::kw_only(), "alpha"_a, "beta"_a, "gamma"_a, "delta"_a, "weights"_a, "strict"_a, "stages"_a, "beam"_a);
  m.def(
      "meteor_statistics",
      [](const EncodedLines& hypotheses, const EncodedLines& references, const Groups& groups,
         const WordRelations& relations, const PhrasePairs& paraphrases, const MeteorOptions& options, int threads) {
        return matrix(hypotheses.size(), [&](const StopCallback& stop) {
          return meteor_statistics(hypotheses, {references, view(groups)}, relations, paraphrases, options, threads,
                                   stop);
        });
      },
      "hypotheses"_a, "references"_a, "groups"_a.noconvert(), "relations"_a, "paraphrases"_a, "options"_a,
      nb::kw_only(), "threads"_a = 0);
  m.def(
      "meteor_scores",
      [](const In2<double>& statistics, const MeteorOptions& options) {
        return per_row(statistics, kMeteorWidth,
                       [&](std::span<const double> row) { return meteor(row, options).score; });
      },
      "statistics"_a.noconvert(), "options"_a);
  m.def(
      "meteor_parts",
      [](const In<double>& total, const MeteorOptions& options) {
        if (total.size() != kMeteorWidth) throw InputError("statistics of another metric");
        const MeteorParts parts = meteor(view(total), options);
        return std::tuple(parts.precision, parts.recall, parts.penalty);
      },
      "total"_a.noconvert(), "options"_a, "Precision, recall and fragmentation penalty.");
  m.def(
      "match_words",
      [](const EncodedLines& hypotheses, const EncodedLines& references, const WordRelations& relations,
         const PhrasePairs& paraphrases, const MeteorOptions& options) {
        if (hypotheses.size() != references.size()) throw InputError("not as many references as hypotheses");
        std::vector<std::vector<std::tuple<int, int, int, int, int>>> all;
        StagedMatcher matcher;
        for (std::size_t i = 0; i < hypotheses.size(); ++i) {
          auto& links = all.emplace_back();
          for (const Match& match :
               matcher.match(hypotheses.line(i), references.line(i), relations, paraphrases, options.matching)) {
            links.emplace_back(match.hypothesis, match.hypothesis_length, match.reference, match.reference_length,
                               static_cast<int>(match.stage));
          }
        }
        return all;
      },
      "hypotheses"_a, "references"_a, "relations"_a, "paraphrases"_a, "options"_a,
      "For each line, matches as (start, length) in the hypothesis, (start, length) in the reference, stage.");

  nb::class_<TerpOptions>(m, "TerpOptions")
      .def(
          "__init__",
          [](TerpOptions* self, double deletion, double insertion, double substitution, double shift, double stem,
             double synonym, const std::array<double, 4>& phrase, bool relaxed, int beam, bool capped) {
            new (self)
                TerpOptions{deletion, insertion, substitution, shift, stem, synonym, phrase, relaxed, beam, capped};
          },
          nb::kw_only(), "deletion"_a, "insertion"_a, "substitution"_a, "shift"_a, "stem"_a, "synonym"_a, "phrase"_a,
          "relaxed"_a, "beam"_a, "capped"_a);
  m.def("set_phrase_costs", &set_phrase_costs, "phrases"_a, "relations"_a, "options"_a,
        nb::call_guard<nb::gil_scoped_release>(), "Turns the probabilities of phrases into costs.");
  m.def(
      "terp_statistics",
      [](const EncodedLines& hypotheses, const EncodedLines& references, const Groups& groups,
         const WordRelations& relations, const PhrasePairs& phrases, const TerpOptions& options, int threads) {
        return matrix(hypotheses.size(), [&](const StopCallback& stop) {
          return terp_statistics(hypotheses, {references, view(groups)}, relations, phrases, options, threads, stop);
        });
      },
      "hypotheses"_a, "references"_a, "groups"_a.noconvert(), "relations"_a, "phrases"_a, "options"_a, nb::kw_only(),
      "threads"_a = 0);
  m.def(
      "terp_distances",
      [](const EncodedLines& hypotheses, const EncodedLines& references, const WordRelations& relations,
         const PhrasePairs& phrases, const TerpOptions& options, bool may_shift) {
        if (hypotheses.size() != references.size()) throw InputError("not as many references as hypotheses");
        std::vector<std::tuple<double, std::int64_t>> found;
        TerpAligner aligner;
        for (std::size_t i = 0; i < hypotheses.size(); ++i) {
          const auto result =
              aligner.align(hypotheses.line(i), references.line(i), relations, phrases, options, may_shift);
          found.emplace_back(result.cost, result.shifts);
        }
        return found;
      },
      "hypotheses"_a, "references"_a, "relations"_a, "phrases"_a, "options"_a, nb::kw_only(), "may_shift"_a = true,
      "Cost and shifts of each pair of lines.");
}

// A gain that Python computes: a function from a matrix of statistics to a score per row. It is called on the thread
// that called from Python, and only there.
class CallbackGain final : public Gain {
 public:
  CallbackGain(nb::object function, std::size_t width) : function_(std::move(function)), width_(width) {}
  ~CallbackGain() override {
    const nb::gil_scoped_acquire locked;
    function_.reset();
  }
  CallbackGain(const CallbackGain&) = delete;
  CallbackGain& operator=(const CallbackGain&) = delete;
  using Gain::score;
  [[nodiscard]] std::size_t width() const noexcept override { return width_; }
  void score(std::span<const double> rows, std::span<double> into) const override {
    const nb::gil_scoped_acquire locked;
    std::vector<double> copy(rows.begin(), rows.end());
    const nb::object found = function_(owned(std::move(copy), into.size(), width_));
    const auto scores = nb::cast<In<double>>(found);
    if (scores.size() != into.size()) throw InputError("a score for each row of statistics is needed");
    std::copy(scores.data(), scores.data() + scores.size(), into.begin());
  }

 private:
  nb::object function_;
  std::size_t width_;
};

void bind_gains(nb::module_& m) {
  nb::class_<Gain>(m, "Gain", "What a tuner maximises: a score of rows of statistics.")
      .def(
          "scores",
          [](const Gain& self, const In2<double>& rows) {
            if (rows.shape(1) != self.width()) throw InputError("statistics of another metric");
            std::vector<double> found(rows.shape(0));
            self.score({rows.data(), rows.size()}, found);
            return owned(std::move(found));
          },
          "rows"_a.noconvert());
  nb::class_<BleuGain, Gain>(m, "BleuGain", "BLEU, natively.").def(nb::init<const BleuOptions&>(), "options"_a);
  nb::class_<CallbackGain, Gain>(m, "CallbackGain", "Any function of a matrix of statistics.")
      .def(nb::init<nb::object, std::size_t>(), "function"_a, "width"_a,
           nb::sig("def __init__(self, function: collections.abc.Callable[[NDArray[float64]], NDArray[float64]], "
                   "width: int) -> None"));
}

void bind_resampling(nb::module_& m) {
  m.def(
      "bootstrap_sums",
      [](const In2<double>& statistics, std::size_t samples, std::uint64_t seed, int threads) {
        const std::size_t width = statistics.shape(1);
        return matrix(samples, [&](const StopCallback& stop) {
          return bootstrap_sums({statistics.data(), statistics.size()}, width, samples, seed, threads, stop);
        });
      },
      "statistics"_a.noconvert(), nb::kw_only(), "samples"_a, "seed"_a, "threads"_a = 0,
      "Sums of rows drawn with replacement: a row per sample, whose draws follow from (seed, sample) alone.");
}

}  // namespace

void bind_metrics(nb::module_& m) {
  m.doc() = "Statistics and scores of metrics.";
  bind_lines(m);
  bind_ngram_metrics(m);
  bind_edit_metrics(m);
  bind_lexical_metrics(m);
  bind_gains(m);
  bind_resampling(m);
}

}  // namespace dragoman
