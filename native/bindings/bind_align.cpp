#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "align/em.hpp"
#include "align/gibbs.hpp"
#include "align/symmetrize.hpp"
#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"

namespace dragoman {

using namespace nb::literals;

namespace {

using namespace align;

template <typename T>
std::vector<T> copy(const In<T>& array) {
  return {array.data(), array.data() + array.size()};
}

// Links as two columns, source and target, and where each pair's links end.
nb::tuple links_out(Alignments&& found) {
  std::vector<std::int32_t> numbers(found.links.size() * 2);
  for (std::size_t at = 0; at < found.links.size(); ++at) {
    numbers[2 * at] = found.links[at].source;
    numbers[2 * at + 1] = found.links[at].target;
  }
  const std::size_t rows = found.links.size();
  return nb::make_tuple(owned(std::move(numbers), rows, 2), owned(std::move(found.ends)));
}

Alignments links_in(const In2<std::int32_t>& links, const In<std::int64_t>& ends) {
  constexpr std::int32_t kLongest = 1 << 16;
  Alignments found;
  if (links.shape(1) != 2) throw InputError("links are rows of two positions");
  found.links.resize(links.shape(0));
  for (std::size_t at = 0; at < found.links.size(); ++at) {
    found.links[at] = {links.data()[2 * at], links.data()[2 * at + 1]};
    if (std::min(found.links[at].source, found.links[at].target) < 0 ||
        std::max(found.links[at].source, found.links[at].target) >= kLongest)
      throw InputError("a link outside 0 to 65535");
  }
  found.ends = copy(ends);
  std::int64_t last = 0;
  for (const std::int64_t end : found.ends) {
    if (end < last || end > static_cast<std::int64_t>(found.links.size())) throw InputError("alignment ends are wrong");
    std::sort(found.links.begin() + last, found.links.begin() + end);
    last = end;
  }
  return found;
}

Anchors anchors_in(const In2<std::int32_t>& links, const In<float>& confidence, const In<std::int64_t>& ends) {
  Anchors anchors;
  const Alignments found = links_in(links, ends);
  if (confidence.size() != found.links.size()) throw InputError("as many confidences as anchors are needed");
  for (std::size_t at = 0; at < found.links.size(); ++at)
    anchors.anchors.push_back({found.links[at].source, found.links[at].target, confidence.data()[at]});
  anchors.ends = found.ends;
  return anchors;
}

// Tells Python how far sampling has come, if it wants to know, and hears of Ctrl-C.
SweepCallback sweep_callback(const nb::object* progress) {
  return [progress](double done) {
    const nb::gil_scoped_acquire locked;
    if (progress != nullptr && !progress->is_none()) (*progress)(done);
    return PyErr_CheckSignals() != 0;
  };
}

PriorForm prior_named(const std::string& name) {
  if (name == "paper") return PriorForm::paper;
  if (name == "relative") return PriorForm::relative;
  if (name == "posterior") return PriorForm::posterior;
  throw SettingError("no form of the prior is called '" + name + "'", "choose from paper, relative, posterior");
}

}  // namespace

void bind_align(nb::module_& m) {
  m.doc() = "Word alignment: training, aligning, symmetrization.";

  nb::class_<Bitext>(m, "Bitext", "Sentence pairs as word ids. Pairs with an empty or too long side are skipped.")
      .def(
          "__init__",
          [](Bitext* self, const In<WordId>& source, const In<std::int64_t>& source_ends, const In<WordId>& target,
             const In<std::int64_t>& target_ends, std::size_t max_length) {
            new (self) Bitext(copy(source), copy(source_ends), copy(target), copy(target_ends), max_length);
          },
          "source"_a.noconvert(), "source_ends"_a.noconvert(), "target"_a.noconvert(), "target_ends"_a.noconvert(),
          nb::kw_only(), "max_length"_a)
      .def(
          "__getstate__",
          [](const Bitext& self) {
            std::vector<WordId> words[2];
            std::vector<std::int64_t> ends[2];
            for (std::size_t k = 0; k < self.size(); ++k)
              for (std::size_t side = 0; side < 2; ++side) {
                const auto sentence = side == 0 ? self.source(k) : self.target(k);
                words[side].insert(words[side].end(), sentence.begin(), sentence.end());
                ends[side].push_back(static_cast<std::int64_t>(words[side].size()));
              }
            return nb::make_tuple(owned(std::move(words[0])), owned(std::move(ends[0])), owned(std::move(words[1])),
                                  owned(std::move(ends[1])), self.max_length());
          },
          nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def("__setstate__",
           [](Bitext& self,
              const std::tuple<In<WordId>, In<std::int64_t>, In<WordId>, In<std::int64_t>, std::size_t>& state) {
             const auto& [source, source_ends, target, target_ends, longest] = state;
             new (&self) Bitext(copy(source), copy(source_ends), copy(target), copy(target_ends), longest);
           })
      .def("__len__", &Bitext::size)
      .def_prop_ro("usable_pairs", &Bitext::usable_pairs)
      .def("usable", [](const Bitext& self, std::size_t k) {
        if (k >= self.size()) throw nb::index_error();
        return self.usable(k);
      });

  nb::class_<Anchors>(m, "Anchors", "Known links of each sentence pair, with confidences.")
      .def(nb::init<>())
      .def(
          "__init__",
          [](Anchors* self, const In2<std::int32_t>& links, const In<float>& confidence, const In<std::int64_t>& ends,
             const std::vector<bool>& whole) {
            new (self) Anchors(anchors_in(links, confidence, ends));
            self->whole.assign(whole.begin(), whole.end());
          },
          "links"_a.noconvert(), "confidence"_a.noconvert(), "ends"_a.noconvert(), "whole"_a)
      .def(
          "__getstate__",
          [](const Anchors& self) {
            std::vector<std::int32_t> links;
            std::vector<float> confidence;
            for (const Anchor& each : self.anchors) {
              links.insert(links.end(), {each.source, each.target});
              confidence.push_back(each.confidence);
            }
            return nb::make_tuple(owned(std::move(links), self.anchors.size(), 2), owned(std::move(confidence)),
                                  owned(std::vector<std::int64_t>(self.ends)),
                                  std::vector<bool>(self.whole.begin(), self.whole.end()));
          },
          nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def("__setstate__",
           [](Anchors& self,
              const std::tuple<In2<std::int32_t>, In<float>, In<std::int64_t>, std::vector<bool>>& state) {
             const auto& [links, confidence, ends, whole] = state;
             new (&self) Anchors(anchors_in(links, confidence, ends));
             self.whole.assign(whole.begin(), whole.end());
           });

  nb::class_<PositionSettings>(m, "PositionSettings", "Settings of position models; each uses those that concern it.")
      .def(nb::init<>())
      .def_rw("null_probability", &PositionSettings::null_probability)
      .def_rw("tension", &PositionSettings::tension)
      .def_rw("tension_rate", &PositionSettings::tension_rate)
      .def_rw("max_jump", &PositionSettings::max_jump)
      .def_rw("uniform_share", &PositionSettings::uniform_share)
      .def_rw("start_by_jump", &PositionSettings::start_by_jump)
      .def_rw("given_classes", &PositionSettings::given_classes)
      .def_rw("generated_classes", &PositionSettings::generated_classes)
      .def_rw("fertility_smoothing", &PositionSettings::fertility_smoothing)
      .def_rw("distortion_smoothing", &PositionSettings::distortion_smoothing);

  nb::class_<Model>(m, "Model", "A trained aligner of both directions, safe to share between threads.")
      .def(
          "viterbi",
          [](const Model& self, const Bitext& bitext, const Anchors& anchors, int threads) {
            TwoAlignments found;
            {
              const nb::gil_scoped_release unlocked;
              found = self.viterbi(bitext, anchors, threads, stop_on_signal());
            }
            return nb::make_tuple(links_out(std::move(found.forward)), links_out(std::move(found.reverse)));
          },
          "bitext"_a, "anchors"_a, nb::kw_only(), "threads"_a = 0,
          nb::sig("def viterbi(self, bitext: Bitext, anchors: Anchors, *, threads: int = 0) -> "
                  "tuple[tuple[NDArray[int32], NDArray[int64]], tuple[NDArray[int32], NDArray[int64]]]"),
          "Best links of both directions, each as rows (source, target) and ends.")
      .def(
          "posteriors",
          [](const Model& self, const Bitext& bitext, const Anchors& anchors, int threads) {
            LinkPosteriors found;
            {
              const nb::gil_scoped_release unlocked;
              found = self.posteriors(bitext, anchors, threads, stop_on_signal());
            }
            return nb::make_tuple(owned(std::move(found.forward)), owned(std::move(found.reverse)),
                                  owned(std::move(found.ends)), owned(std::move(found.forward_logprob)),
                                  owned(std::move(found.reverse_logprob)));
          },
          "bitext"_a, "anchors"_a, nb::kw_only(), "threads"_a = 0,
          nb::sig("def posteriors(self, bitext: Bitext, anchors: Anchors, *, threads: int = 0) -> tuple["
                  "NDArray[float32], NDArray[float32], NDArray[int64], NDArray[float64], NDArray[float64]]"),
          "Posteriors of all cells (forward, reverse), source by target; where each pair ends; log-probabilities.")
      .def(
          "likely",
          [](const Model& self, const Bitext& bitext, const Anchors& anchors, double threshold, bool product,
             bool competitive, int threads) {
            Alignments found;
            {
              const nb::gil_scoped_release unlocked;
              found = self.likely(bitext, anchors, {threshold, product, competitive}, threads, stop_on_signal());
            }
            return links_out(std::move(found));
          },
          "bitext"_a, "anchors"_a, nb::kw_only(), "threshold"_a, "product"_a = false, "competitive"_a = false,
          "threads"_a = 0,
          nb::sig("def likely(self, bitext: Bitext, anchors: Anchors, *, threshold: float, product: bool = False, "
                  "competitive: bool = False, threads: int = 0) -> tuple[NDArray[int32], NDArray[int64]]"),
          "Links whose posterior over both directions reaches a threshold.")
      .def_prop_ro("word_pairs", [](const Model& self) { return self.pairs.size(); })
      .def_prop_ro("remembered_pairs", [](const Model& self) { return self.memory.size(); })
      .def_prop_ro("kind", [](const Model& self) { return std::string(self.directions[0].position->kind()); })
      .def(
          "parameters",
          [](const Model& self, bool forward) { return self.directions[forward ? 0 : 1].position->parameters(); },
          nb::kw_only(), "forward"_a)
      .def(
          "translations",
          [](const Model& self, WordId word, bool forward) {
            std::vector<WordId> words;
            std::vector<float> probabilities;
            const auto& lexicon = self.directions[forward ? 0 : 1].lexicon;
            self.pairs.for_each([&](WordId source, WordId target, Slot slot) {
              if ((forward ? source : target) != word) return;
              words.push_back(forward ? target : source);
              probabilities.push_back(lexicon.probability[slot]);
            });
            return nb::make_tuple(owned(std::move(words)), owned(std::move(probabilities)));
          },
          "word"_a, nb::kw_only(), "forward"_a,
          nb::sig("def translations(self, word: int, *, forward: bool) -> tuple[NDArray[uint32], NDArray[float32]]"),
          "Words that a word generates, with their probabilities.")
      .def(
          "lexicon",
          [](const Model& self, bool forward) {
            std::vector<WordId> sources, targets;
            std::vector<float> probabilities;
            const auto& lexicon = self.directions[forward ? 0 : 1].lexicon;
            self.pairs.for_each([&](WordId source, WordId target, Slot slot) {
              sources.push_back(source);
              targets.push_back(target);
              probabilities.push_back(lexicon.probability[slot]);
            });
            return nb::make_tuple(owned(std::move(sources)), owned(std::move(targets)),
                                  owned(std::move(probabilities)));
          },
          nb::kw_only(), "forward"_a,
          nb::sig("def lexicon(self, *, forward: bool) -> "
                  "tuple[NDArray[uint32], NDArray[uint32], NDArray[float32]]"),
          "Source words, target words and probabilities of all word pairs.")
      .def("save", &Model::save, "path"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_static("load", &Model::load, "path"_a, nb::call_guard<nb::gil_scoped_release>());

  nb::class_<Trainer>(m, "Trainer", "EM over both directions of a bitext.")
      .def(
          "__init__",
          [](Trainer* self, std::shared_ptr<Bitext> bitext, const Anchors& anchors, const In<float>& weights,
             double alpha, bool agreement, const std::string& prior, bool jump_prior, std::size_t cell_budget,
             const Model* base, double base_weight, int threads) {
            auto pair_weights = copy(weights);
            EmSettings settings{alpha, agreement, prior_named(prior), jump_prior, cell_budget};
            const nb::gil_scoped_release unlocked;
            new (self) Trainer(std::move(bitext), anchors, std::move(pair_weights), settings, base, base_weight,
                               threads, stop_on_signal());
          },
          "bitext"_a, "anchors"_a, "weights"_a.noconvert(), nb::kw_only(), "alpha"_a, "agreement"_a, "prior"_a,
          "jump_prior"_a, "cell_budget"_a, "base"_a.none(), "base_weight"_a, "threads"_a)
      .def("begin", &Trainer::begin, "kind"_a, "forward"_a, "reverse"_a)
      .def(
          "iterate", [](Trainer& self, int threads) { return self.iterate(threads, stop_on_signal()); }, nb::kw_only(),
          "threads"_a, nb::call_guard<nb::gil_scoped_release>(), "One iteration; log-likelihoods before it.")
      .def_prop_ro("shards", &Trainer::shards, "Into how many an expectation step can be cut.")
      .def(
          "expect",
          [](Trainer& self, std::size_t first, std::size_t last, int threads) {
            Expected found;
            {
              const nb::gil_scoped_release unlocked;
              found = self.expect_apart(first, last, threads, stop_on_signal());
            }
            nb::list tables;
            for (auto& direction : found.counts) {
              nb::list counts;
              for (SparseCounts& each : direction)
                counts.append(nb::make_tuple(owned(std::move(each.places)), owned(std::move(each.units))));
              tables.append(counts);
            }
            return nb::make_tuple(tables, owned(std::move(found.evidence[0])), owned(std::move(found.evidence[1])),
                                  owned(std::move(found.logliks)), found.ignored);
          },
          "first"_a, "last"_a, nb::kw_only(), "threads"_a = 0,
          nb::sig("def expect(self, first: int, last: int, *, threads: int = 0) -> "
                  "tuple[list[list[tuple[NDArray[uint32], NDArray[uint64]]]], NDArray[float64], NDArray[float64], "
                  "NDArray[float64], int]"),
          "Some shards of an expectation step: counts of each table of each direction, evidence, log-likelihoods, and "
          "ignored anchors.")
      .def(
          "maximize",
          [](Trainer& self, const nb::list& tables, const In<double>& forward, const In<double>& reverse,
             const In<double>& logliks, std::size_t ignored, int threads) {
            Expected whole{{}, {copy(forward), copy(reverse)}, copy(logliks), ignored};
            if (tables.size() != 2) throw InputError("counts of both directions are wanted");
            for (std::size_t d = 0; d < 2; ++d)
              for (const nb::handle each : nb::cast<nb::list>(tables[d])) {
                const auto [places, units] = nb::cast<std::tuple<In<std::uint32_t>, In<std::uint64_t>>>(each, false);
                whole.counts[d].push_back({copy(places), copy(units)});
              }
            const nb::gil_scoped_release unlocked;
            return self.maximize(whole, threads);
          },
          "counts"_a, "forward"_a.noconvert(), "reverse"_a.noconvert(), "logprobs"_a.noconvert(), "ignored"_a,
          nb::kw_only(), "threads"_a = 0,
          nb::sig("def maximize(self, counts: list[list[tuple[NDArray[uint32], NDArray[uint64]]]], "
                  "forward: NDArray[float64], reverse: NDArray[float64], logprobs: NDArray[float64], ignored: int, *, "
                  "threads: int = 0) -> list[float]"),
          "End an iteration with what was found in all shards; log-likelihoods before it.")
      .def(
          "state",
          [](const Trainer& self) {
            TrainerState found = self.state();
            nb::list parts;
            for (std::size_t d = 0; d < 2; ++d)
              parts.append(nb::make_tuple(owned(std::move(found.probability[d])), owned(std::move(found.null[d])),
                                          owned(std::move(found.position[d]))));
            return parts;
          },
          nb::sig("def state(self) -> list[tuple[NDArray[float32], NDArray[float32], NDArray[float64]]]"),
          "What an expectation step needs to know beside the text, of each direction.")
      .def(
          "set_state",
          [](Trainer& self, const nb::list& parts) {
            TrainerState state;
            if (parts.size() != 2) throw InputError("the state of both directions is wanted");
            for (std::size_t d = 0; d < 2; ++d) {
              const auto [probability, null, position] =
                  nb::cast<std::tuple<In<float>, In<float>, In<double>>>(parts[d], false);
              state.probability[d] = copy(probability);
              state.null[d] = copy(null);
              state.position[d] = copy(position);
            }
            self.set_state(std::move(state));
          },
          "parts"_a,
          nb::sig("def set_state(self, parts: list[tuple[NDArray[float32], NDArray[float32], NDArray[float64]]]) -> "
                  "None"))
      .def("set_dense_prior", &Trainer::set_dense_prior, nb::kw_only(), "exchanged"_a)
      .def("dense_prior", &Trainer::prior_of, "source"_a, "target"_a, nb::kw_only(), "forward"_a)
      .def_prop_ro("ignored_anchors", &Trainer::ignored_anchors)
      .def_prop_ro("word_pairs", &Trainer::word_pairs)
      .def_prop_ro("cells", &Trainer::cells)
      .def("probability", &Trainer::probability, "source"_a, "target"_a, nb::kw_only(), "forward"_a)
      .def("finish", &Trainer::finish, nb::call_guard<nb::gil_scoped_release>());

  nb::class_<GibbsSettings>(m, "GibbsSettings", "Settings of the sampler.")
      .def(nb::init<>())
      .def_rw("lexical_alpha", &GibbsSettings::lexical_alpha)
      .def_rw("null_alpha", &GibbsSettings::null_alpha)
      .def_rw("jump_alpha", &GibbsSettings::jump_alpha)
      .def_rw("fertility_alpha", &GibbsSettings::fertility_alpha)
      .def_rw("fertility_strength", &GibbsSettings::fertility_strength)
      .def_rw("null_probability", &GibbsSettings::null_probability)
      .def_rw("sweeps", &GibbsSettings::sweeps)
      .def_rw("burn_in", &GibbsSettings::burn_in)
      .def_rw("chains", &GibbsSettings::chains)
      .def_rw("seed", &GibbsSettings::seed);
  nb::class_<Sampler>(m, "Sampler", "Chains of the sampled model, which may run together or apart.")
      .def(
          "__init__",
          [](Sampler* self, const Bitext& bitext, const Anchors& anchors, const GibbsSettings& settings,
             std::size_t cell_budget, const Model* base, double base_weight, int threads) {
            const nb::gil_scoped_release unlocked;
            new (self)
                Sampler(bitext, anchors, settings, cell_budget, base, base_weight, threads, sweep_callback(nullptr));
          },
          "bitext"_a, "anchors"_a, "settings"_a, nb::kw_only(), "cell_budget"_a, "base"_a.none() = nb::none(),
          "base_weight"_a = 1.0, "threads"_a = 0, nb::keep_alive<1, 2>(), nb::keep_alive<1, 6>())
      .def_prop_ro("chains", &Sampler::chains)
      .def(
          "run_all",
          [](Sampler& self, int threads, const nb::object& progress) {
            const nb::gil_scoped_release unlocked;
            return self.run_all(threads, sweep_callback(&progress));
          },
          nb::kw_only(), "threads"_a, "progress"_a.none() = nb::none(),
          nb::sig("def run_all(self, *, threads: int, progress: object = None) -> Model"), "Run all chains here.")
      .def(
          "run",
          [](const Sampler& self, std::size_t number) {
            ChainSample found;
            {
              const nb::gil_scoped_release unlocked;
              found = self.run(number, sweep_callback(nullptr));
            }
            return nb::make_tuple(owned(std::move(found.gaps)), owned(std::move(found.shares)),
                                  owned(std::move(found.counts.jumps)), owned(std::move(found.counts.fertilities)));
          },
          "number"_a,
          nb::sig("def run(self, number: int) -> tuple[NDArray[uint32], NDArray[uint16], NDArray[float64], "
                  "NDArray[float64]]"),
          "Run one chain; what it found is for `add`.")
      .def(
          "add",
          [](Sampler& self, std::size_t number, const In<std::uint32_t>& gaps, const In<std::uint16_t>& shares,
             const In<double>& jumps, const In<double>& fertilities) {
            self.add(number, {copy(gaps), copy(shares), {copy(jumps), copy(fertilities)}});
          },
          "number"_a, "gaps"_a.noconvert(), "shares"_a.noconvert(), "jumps"_a.noconvert(), "fertilities"_a.noconvert(),
          nb::sig("def add(self, number: int, gaps: NDArray[uint32], shares: NDArray[uint16], jumps: NDArray[float64], "
                  "fertilities: NDArray[float64]) -> None"),
          "Add what a chain found, in the order of the chains.")
      .def(
          "finish",
          [](Sampler& self) {
            const nb::gil_scoped_release unlocked;
            return self.finish();
          },
          "The model, when all chains were added.");
  m.def(
      "symmetrize",
      [](const In2<std::int32_t>& forward, const In<std::int64_t>& forward_ends, const In2<std::int32_t>& reverse,
         const In<std::int64_t>& reverse_ends, const std::string& heuristic, int threads) {
        const Alignments one = links_in(forward, forward_ends), other = links_in(reverse, reverse_ends);
        const Heuristic chosen = heuristic_named(heuristic);
        Alignments found;
        {
          const nb::gil_scoped_release unlocked;
          found = symmetrize(one, other, chosen, threads, stop_on_signal());
        }
        return links_out(std::move(found));
      },
      "forward"_a.noconvert(), "forward_ends"_a.noconvert(), "reverse"_a.noconvert(), "reverse_ends"_a.noconvert(),
      nb::kw_only(), "heuristic"_a, "threads"_a = 0,
      nb::sig("def symmetrize(forward: NDArray[int32], forward_ends: NDArray[int64], reverse: NDArray[int32], "
              "reverse_ends: NDArray[int64], *, heuristic: str, threads: int = 0) -> "
              "tuple[NDArray[int32], NDArray[int64]]"),
      "Combine the links of two directions.");
}

}  // namespace dragoman
