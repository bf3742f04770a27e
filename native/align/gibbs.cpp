#include "align/gibbs.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <thread>

#include "common/random.hpp"

namespace dragoman::align {

// Counts of one direction that are held fixed beside those of the text.
struct Background {
  std::vector<float> pairs, totals, null;  // by slot, given word, generated word
  double null_total = 0;
  std::vector<double> jumps, fertilities;
};

namespace {

constexpr std::int16_t kNull = -1;
constexpr int kLanes = 4;

enum class Stage { lexical, jumps, fertilities };

class Chain {
 public:
  Chain(const Bitext& bitext, const Anchors& anchors, const Cells& cells, const std::vector<float>& support,
        const Background& background, bool forward, const GibbsSettings& settings, std::uint64_t number)
      : bitext_(bitext),
        anchors_(anchors),
        cells_(cells),
        settings_(settings),
        background_(background),
        forward_(forward),
        random_(settings.seed, number),
        counts_(background.pairs),
        given_total_(background.totals),
        given_base_(support),
        inverse_(support.size()),
        null_counts_(background.null),
        null_total_(static_cast<float>(background.null_total)),
        jump_counts_(background.jumps),
        fertility_counts_(background.fertilities) {
    for (float& base : given_base_) base = std::max(1.0F, base) * static_cast<float>(settings.lexical_alpha);
    for (std::size_t word = 0; word < inverse_.size(); ++word)
      inverse_[word] = 1 / (given_total_[word] + given_base_[word]);
    std::size_t tokens = 0;
    for (std::size_t k = 0; k < bitext_.size(); ++k)
      if (bitext_.usable(k)) tokens += generated(k).size();
    links_.assign(tokens, kNull);
    null_base_ = static_cast<float>(settings.null_alpha) * static_cast<float>(null_counts_.size());
  }

  void initialize() {
    std::size_t token = 0;
    std::vector<Slot> scratch;
    for (std::size_t k = 0; k < bitext_.size(); ++k) {
      if (!bitext_.usable(k)) continue;
      const auto words = generated(k);
      const auto conditions = given(k);
      const auto slots = cells_.of(k, scratch);
      for (std::size_t j = 0; j < words.size(); ++j) {
        auto i = static_cast<std::int16_t>(random_.below(static_cast<std::uint32_t>(conditions.size())));
        for (const Anchor& anchor : anchors_.of(k).anchors)
          if ((forward_ ? anchor.target : anchor.source) == static_cast<int>(j))
            i = static_cast<std::int16_t>(forward_ ? anchor.source : anchor.target);
        links_[token++] = i;
        const int at =
            cell(i, static_cast<int>(j), static_cast<int>(conditions.size()), static_cast<int>(words.size()));
        add(slots[static_cast<std::size_t>(at)], conditions[static_cast<std::size_t>(i)], 1);
      }
    }
  }

  void sweep(Stage stage, std::vector<std::uint16_t>* marginals, float unit) {
    estimate();
    jump_counts_ = background_.jumps;
    fertility_counts_ = background_.fertilities;
    std::size_t first = 0;
    for (std::size_t k = 0; k < bitext_.size(); ++k) {
      if (!bitext_.usable(k)) continue;
      sample(k, first, stage, marginals, unit);
      first += generated(k).size();
    }
  }

  [[nodiscard]] const std::vector<double>& jump_counts() const { return jump_counts_; }
  [[nodiscard]] const std::vector<double>& fertility_counts() const { return fertility_counts_; }

 private:
  [[nodiscard]] std::span<const WordId> given(std::size_t k) const {
    return forward_ ? bitext_.source(k) : bitext_.target(k);
  }
  [[nodiscard]] std::span<const WordId> generated(std::size_t k) const {
    return forward_ ? bitext_.target(k) : bitext_.source(k);
  }
  [[nodiscard]] int cell(int i, int j, int length, int size) const { return forward_ ? i * size + j : j * length + i; }
  void add(Slot slot, WordId word, int change) {
    counts_[slot] += static_cast<float>(change);
    given_total_[word] += static_cast<float>(change);
    inverse_[word] = 1 / (given_total_[word] + given_base_[word]);
  }

  // Jump and fertility distributions from the counts of the last sweep.
  void estimate() {
    jump_.assign(kJumps, 0);
    double total = 0;
    for (int d = 0; d < kJumps; ++d) total += jump_counts_[d] + settings_.jump_alpha;
    for (int d = 0; d < kJumps; ++d) jump_[d] = static_cast<float>((jump_counts_[d] + settings_.jump_alpha) / total);
    ratio_ = fertility_ratios(fertility_counts_, settings_.fertility_strength, settings_.fertility_alpha);
  }

  // Resamples the links of one sentence pair. Counts are first copied into a matrix of the sentence, word by word of
  // the generated side, so that the loop over positions is free of indirection; rings of equal words keep the copies
  // equal.
  void sample(std::size_t k, std::size_t first, Stage stage, std::vector<std::uint16_t>* marginals, float unit) {
    const auto words = generated(k);
    const auto conditions = given(k);
    const auto slots = cells_.of(k, scratch_);
    const auto length = static_cast<int>(conditions.size());
    const auto size = static_cast<int>(words.size());
    const int width = (length + kLanes - 1) / kLanes * kLanes;  // padded with zero factors
    std::int16_t* links = links_.data() + first;
    const bool with_fertility = stage == Stage::fertilities, with_jumps = stage != Stage::lexical;
    const auto alpha = static_cast<float>(settings_.lexical_alpha);

    matrix_.resize(static_cast<std::size_t>(size) * width);
    for (int j = 0; j < size; ++j) {
      const Slot* column = slots.data() + (forward_ ? j : j * length);
      const int stride = forward_ ? size : 1;
      float* row = matrix_.data() + j * width;
      for (int i = 0; i < length; ++i) row[i] = counts_[column[i * stride]] + alpha;
      for (int i = length; i < width; ++i) row[i] = 0;
    }
    ring(conditions, same_given_);
    ring(words, same_generated_);
    weights_.resize(width);
    factor_.assign(width, 0);
    fertility_.assign(length, 0);
    for (int j = 0; j < size; ++j)
      if (links[j] != kNull) ++fertility_[links[j]];
    const auto refresh = [&](int i) {
      const WordId word = conditions[i];
      factor_[i] = inverse_[word];
      if (with_fertility) factor_[i] *= ratio_[word * kFertilities + std::min(fertility_[i], kMaxFertility)];
    };
    for (int i = 0; i < length; ++i) refresh(i);
    const auto change = [&](int i, int j, int step) {
      add(slots[cell(i, j, length, size)], conditions[i], step);
      fertility_[i] += step;
      int at = i;
      do {
        refresh(at);
        for (int other = same_generated_[j]; other != j; other = same_generated_[other])
          matrix_[other * width + at] += static_cast<float>(step);
        matrix_[j * width + at] += static_cast<float>(step);
        at = same_given_[at];
      } while (at != i);
    };
    next_.resize(size);
    for (int j = size - 1, next = length; j >= 0; --j) {
      next_[j] = next;
      if (links[j] != kNull) next = links[j];
    }
    // Jumps of this sentence in both reading orders: in[i] is J(i - previous), out[i] is J(next - i).
    jump_up_.resize(2 * width + 3);
    jump_down_.resize(2 * width + 3);
    for (int d = -width - 1; d <= width + 1; ++d) {
      jump_up_[d + width + 1] = jump(d);
      jump_down_[d + width + 1] = jump(-d);
    }
    const auto empty = static_cast<float>(settings_.null_probability);
    const float real = (1 - empty) / (with_jumps ? 1.0F : static_cast<float>(length));
    const PairAnchors anchors = anchors_.of(k);
    if (!anchors.empty()) fill_prior(anchors, forward_, length, size, PriorForm::posterior, prior_, null_prior_);
    int previous = -1;
    for (int j = 0; j < size; ++j) {
      const WordId word = words[j];
      if (links[j] == kNull) {
        --null_counts_[word];
        --null_total_;
      } else {
        change(links[j], j, -1);
      }
      const float* row = matrix_.data() + j * width;
      std::array<float, kLanes> sums{};
      if (with_jumps) {
        const float* in = jump_up_.data() + width + 1 - previous;
        const float* out = jump_down_.data() + width + 1 - next_[j];
        for (int i = 0; i < width; i += kLanes)
          for (int lane = 0; lane < kLanes; ++lane) {
            const float weight = row[i + lane] * factor_[i + lane] * in[i + lane] * out[i + lane];
            weights_[i + lane] = weight;
            sums[lane] += weight;
          }
      } else {
        for (int i = 0; i < width; i += kLanes)
          for (int lane = 0; lane < kLanes; ++lane) {
            const float weight = row[i + lane] * factor_[i + lane];
            weights_[i + lane] = weight;
            sums[lane] += weight;
          }
      }
      if (!anchors.empty()) {
        sums = {};
        for (int i = 0; i < length; ++i) sums[0] += weights_[i] *= prior_[j * length + i];
      }
      const float total = ((sums[0] + sums[1]) + (sums[2] + sums[3])) * real;
      const float null_lexical =
          (null_counts_[word] + static_cast<float>(settings_.null_alpha)) / (null_total_ + null_base_);
      const float null_weight = empty * null_lexical * (with_jumps ? jump_up_[width + 1 + next_[j] - previous] : 1.0F) *
                                (anchors.empty() ? 1.0F : null_prior_[j]);
      const float draw = static_cast<float>(random_.uniform()) * (total + null_weight);
      std::int16_t link = kNull;
      if (draw < total) {
        float sum = 0;
        const float bound = draw / real;
        int at = 0;
        while (at < length && (sum += weights_[at]) <= bound) ++at;
        if (at == length) {  // rounding: take the last that can be
          --at;
          while (at > 0 && !(weights_[at] > 0)) --at;
        }
        link = static_cast<std::int16_t>(at);
      }
      if (marginals != nullptr) {
        const float scale = real * unit / (total + null_weight);
        const float least = 0.5F / scale;
        std::uint16_t* block = marginals->data() + cells_.offset(k);
        for (int i = 0; i < length; ++i)
          if (weights_[i] >= least)
            std::atomic_ref<std::uint16_t>(block[cell(i, j, length, size)])
                .fetch_add(static_cast<std::uint16_t>(weights_[i] * scale + 0.5F), std::memory_order_relaxed);
      }
      links[j] = link;
      if (link == kNull) {
        ++null_counts_[word];
        ++null_total_;
      } else {
        change(link, j, 1);
        jump_counts_[clip(link - previous)] += 1;
        previous = link;
      }
    }
    jump_counts_[clip(length - previous)] += 1;
    for (int i = 0; i < length; ++i)
      fertility_counts_[conditions[i] * kFertilities + std::min(fertility_[i], kMaxFertility)] += 1;
  }

  // next[i] is another position that holds the word of i, in a circle.
  void ring(std::span<const WordId> words, std::vector<int>& next) {
    const auto size = static_cast<int>(words.size());
    next.resize(size);
    for (int i = 0; i < size; ++i) {
      next[i] = i;
      for (int before = i - 1; before >= 0; --before)
        if (words[before] == words[i]) {
          next[i] = next[before];
          next[before] = i;
          break;
        }
    }
  }

  [[nodiscard]] static int clip(int d) { return std::clamp(d, -kMaxJump, kMaxJump) + kMaxJump; }
  [[nodiscard]] float jump(int d) const { return jump_[clip(d)]; }

  const Bitext& bitext_;
  const Anchors& anchors_;
  const Cells& cells_;
  const GibbsSettings& settings_;
  const Background& background_;
  bool forward_;
  RandomStream random_;
  std::vector<float> counts_, given_total_, given_base_, inverse_, null_counts_;
  float null_total_ = 0, null_base_ = 0;
  std::vector<double> jump_counts_, fertility_counts_;
  std::vector<float> jump_, ratio_;
  std::vector<std::int16_t> links_;
  std::vector<float> matrix_, weights_, factor_, jump_up_, jump_down_, prior_, null_prior_;
  std::vector<int> fertility_, same_given_, same_generated_, next_;
  std::vector<Slot> scratch_;
};

// What all chains of one direction found.
struct Sample {
  std::vector<std::uint16_t> marginals;  // source by target per pair, in units of LinkMemory
  std::vector<double> jumps, fertilities;
};

std::vector<float> support_of(const PairIndex& pairs, bool forward, std::size_t words) {
  std::vector<float> support(words);
  pairs.for_each([&](WordId source, WordId target, Slot) { support[forward ? source : target] += 1; });
  return support;
}

Background background_of(const PairIndex& pairs, const Model* base, bool forward, double weight, std::size_t given,
                         std::size_t generated) {
  Background background{std::vector<float>(pairs.size()), std::vector<float>(given),
                        std::vector<float>(generated),    0,
                        std::vector<double>(kJumps),      std::vector<double>(given * kFertilities)};
  if (base == nullptr) return background;
  const Direction& direction = base->directions[forward ? 0 : 1];
  const auto* position = dynamic_cast<const BayesModel*>(direction.position.get());
  if (position == nullptr) throw InputError("only a sampled model can go on with sampling");
  const Lexicon& lexicon = direction.lexicon;
  base->pairs.for_each([&](WordId source, WordId target, Slot slot) {
    const WordId word = forward ? source : target;
    const auto count = static_cast<float>(weight * lexicon.totals[word] * lexicon.probability[slot]);
    background.pairs[pairs.find(source, target)] = count;
    background.totals[word] += count;
  });
  for (std::size_t word = 0; word < lexicon.null.size(); ++word)
    background.null[word] = static_cast<float>(weight * lexicon.null_total * lexicon.null[word]);
  background.null_total = weight * lexicon.null_total;
  const auto& statistics = position->statistics();
  for (std::size_t at = 0; at < statistics.jumps.size(); ++at) background.jumps[at] = weight * statistics.jumps[at];
  for (std::size_t at = 0; at < statistics.fertilities.size(); ++at)
    background.fertilities[at] = weight * statistics.fertilities[at];
  return background;
}

// Distributions of one direction, from expected counts.
Direction learn(const Bitext& bitext, const PairIndex& pairs, const Cells& cells, const Sample& sample,
                const Background& background, bool forward, const GibbsSettings& settings,
                const std::vector<float>& support) {
  std::vector<double> counts(background.pairs.begin(), background.pairs.end());
  std::vector<double> null(background.null.begin(), background.null.end()), held;
  std::vector<Slot> scratch;
  for (std::size_t k = 0; k < bitext.size(); ++k) {
    if (!bitext.usable(k)) continue;
    const auto slots = cells.of(k, scratch);
    const auto words = forward ? bitext.target(k) : bitext.source(k);
    held.assign(words.size(), 0);
    for (std::size_t at = 0; at < slots.size(); ++at) {
      const double share = sample.marginals[cells.offset(k) + at] / LinkMemory::kUnits;
      if (share == 0) continue;
      counts[slots[at]] += share;
      held[forward ? at % words.size() : at / (slots.size() / words.size())] += share;
    }
    for (std::size_t j = 0; j < words.size(); ++j) null[words[j]] += std::max(0.0, 1 - held[j]);
  }
  Direction direction;
  Lexicon& lexicon = direction.lexicon;
  lexicon = uniform_lexicon(pairs, support.size(), null.size());
  pairs.for_each(
      [&](WordId source, WordId target, Slot slot) { lexicon.totals[forward ? source : target] += counts[slot]; });
  pairs.for_each([&](WordId source, WordId target, Slot slot) {
    const WordId word = forward ? source : target;
    const double total = lexicon.totals[word] + settings.lexical_alpha * support[word];
    lexicon.probability[slot] = std::max(kFloor, static_cast<float>((counts[slot] + settings.lexical_alpha) / total));
  });
  for (const double count : null) lexicon.null_total += count;
  const double null_total = lexicon.null_total + settings.null_alpha * static_cast<double>(null.size());
  for (std::size_t word = 0; word < null.size(); ++word)
    lexicon.null[word] = std::max(kFloor, static_cast<float>((null[word] + settings.null_alpha) / null_total));
  direction.position = std::make_shared<BayesModel>(
      BayesModel::Statistics{settings.null_probability, settings.fertility_strength, sample.jumps, sample.fertilities});
  return direction;
}

}  // namespace

// What all chains work on.
struct Sampler::Parts {
  const Bitext& bitext;
  Anchors anchors;
  GibbsSettings settings;
  const Model* base;
  Model model;  // as far as it is known: its pairs
  std::unique_ptr<const Cells> cells;
  std::array<Background, 2> backgrounds;
  std::array<std::vector<float>, 2> supports;
  std::array<std::size_t, 2> given{};  // words

  [[nodiscard]] int sweeps() const { return settings.sweeps[0] + settings.sweeps[1] + settings.sweeps[2]; }

  // Runs one chain and adds what it thinks of every link to `marginals`; `swept` is called after each sweep.
  template <typename Swept>
  Counts run(std::size_t number, std::vector<std::uint16_t>& marginals, Swept&& swept) const {
    const std::size_t d = number % 2;
    const auto unit =
        static_cast<float>(LinkMemory::kUnits / ((settings.sweeps[2] - settings.burn_in) * settings.chains));
    const int first_fertile = settings.sweeps[0] + settings.sweeps[1];
    Chain chain(bitext, anchors, *cells, supports[d], backgrounds[d], d == 0, settings, number);
    chain.initialize();
    for (int sweep = 0; sweep < sweeps(); ++sweep) {
      if (sweep < settings.sweeps[0]) {
        chain.sweep(Stage::lexical, nullptr, 0);
      } else if (sweep < first_fertile) {
        chain.sweep(Stage::jumps, nullptr, 0);
      } else {
        const bool kept = sweep - first_fertile >= settings.burn_in;
        chain.sweep(Stage::fertilities, kept ? &marginals : nullptr, unit);
      }
      swept(sweep + 1);
    }
    return {chain.jump_counts(), chain.fertility_counts()};
  }

  // The model of what all chains found; `counts` are those of each, in order.
  [[nodiscard]] Model learned(std::array<std::vector<std::uint16_t>, 2>&& marginals, std::span<const Counts> counts) {
    std::array<Sample, 2> samples;
    for (std::size_t d = 0; d < 2; ++d)
      samples[d] = {std::move(marginals[d]), std::vector<double>(kJumps), std::vector<double>(given[d] * kFertilities)};
    for (std::size_t number = 0; number < counts.size(); ++number) {
      Sample& sample = samples[number % 2];
      for (std::size_t at = 0; at < sample.jumps.size(); ++at)
        sample.jumps[at] += counts[number].jumps[at] / settings.chains;
      for (std::size_t at = 0; at < sample.fertilities.size(); ++at)
        sample.fertilities[at] += counts[number].fertilities[at] / settings.chains;
    }
    for (Sample& sample : samples)  // rounding may have added a little
      for (std::uint16_t& share : sample.marginals)
        share = std::min(share, static_cast<std::uint16_t>(LinkMemory::kUnits));
    for (std::size_t d = 0; d < 2; ++d)
      model.directions[d] =
          learn(bitext, model.pairs, *cells, samples[d], backgrounds[d], d == 0, settings, supports[d]);
    model.memory = LinkMemory::build(bitext, samples[0].marginals, samples[1].marginals,
                                     base != nullptr ? base->memory : LinkMemory());
    model.compact();
    return std::move(model);
  }
};

Sampler::Sampler(const Bitext& bitext, const Anchors& anchors, const GibbsSettings& settings, std::size_t cell_budget,
                 const Model* base, double base_weight, int threads, const SweepCallback& tick)
    : parts_(new Parts{bitext, anchors, settings, base, {}, {}, {}, {}}) {
  anchors.check(bitext);
  Parts& parts = *parts_;
  const StopCallback stop = [&] { return tick && tick(0); };
  PairIndex& pairs = parts.model.pairs;
  pairs = PairIndex::build(bitext, base != nullptr ? base->pairs : PairIndex(), threads, stop);
  parts.cells = std::make_unique<const Cells>(bitext, pairs, cell_budget, threads, stop);
  parts.given = {bitext.source_words(), bitext.target_words()};
  for (std::size_t d = 0; d < 2 && base != nullptr; ++d)
    parts.given[d] = std::max(parts.given[d], base->directions[d].lexicon.totals.size());
  for (std::size_t d = 0; d < 2; ++d) {
    parts.backgrounds[d] = background_of(pairs, base, d == 0, base_weight, parts.given[d], parts.given[1 - d]);
    parts.supports[d] = support_of(pairs, d == 0, parts.given[d]);
  }
}

Sampler::~Sampler() = default;

std::size_t Sampler::chains() const noexcept { return 2 * static_cast<std::size_t>(parts_->settings.chains); }

ChainSample Sampler::run(std::size_t number, const SweepCallback& tick) const {
  if (number >= chains()) throw SettingError("no chain has the number " + std::to_string(number));
  std::vector<std::uint16_t> marginals(parts_->cells->total());
  ChainSample found;
  found.counts = parts_->run(number, marginals, [&](int done) {
    if (tick && tick(done / static_cast<double>(parts_->sweeps()))) throw Interrupted();
  });
  std::uint64_t last = 0;
  for (std::uint64_t at = 0; at < marginals.size(); ++at)
    if (marginals[at] != 0) {
      if (at - last > std::numeric_limits<std::uint32_t>::max()) throw InputError("a text too large to be sampled");
      found.gaps.push_back(static_cast<std::uint32_t>(at - last));
      found.shares.push_back(marginals[at]);
      last = at;
    }
  return found;
}

void Sampler::add(std::size_t number, const ChainSample& sample) {
  auto& marginals = marginals_[number % 2];
  marginals.resize(parts_->cells->total());
  std::uint64_t at = 0;
  if (number != counts_.size() || sample.gaps.size() != sample.shares.size() || sample.counts.jumps.size() != kJumps ||
      sample.counts.fertilities.size() != parts_->given[number % 2] * kFertilities)
    throw InputError("a sample that does not belong here");
  for (std::size_t entry = 0; entry < sample.gaps.size(); ++entry) {
    at += sample.gaps[entry];
    if (at >= marginals.size()) throw InputError("a sample that does not belong here");
    marginals[at] = static_cast<std::uint16_t>(marginals[at] + sample.shares[entry]);
  }
  counts_.push_back(sample.counts);
}

Model Sampler::finish() {
  if (counts_.size() != chains()) throw InputError("not all chains were added");
  return parts_->learned(std::move(marginals_), counts_);
}

Model Sampler::run_all(int threads, const SweepCallback& tick) {
  std::atomic<int> sweeps_done{0};
  std::atomic<bool> stopped{false};
  const auto caller = std::this_thread::get_id();
  const double all = static_cast<double>(parts_->sweeps()) * static_cast<double>(chains());
  for (auto& marginals : marginals_) marginals.resize(parts_->cells->total());
  counts_.resize(chains());
  parallel_shards(chains(), threads, [&](std::size_t number) {
    counts_[number] = parts_->run(number, marginals_[number % 2], [&](int) {
      const int done = sweeps_done.fetch_add(1) + 1;
      if (std::this_thread::get_id() == caller && tick && tick(done / all)) stopped = true;
      if (stopped) throw Interrupted();
    });
  });
  return finish();
}

}  // namespace dragoman::align
