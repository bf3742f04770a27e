#include "align/em.hpp"

#include <algorithm>
#include <cmath>

#include "align/dense_prior.hpp"
#include "common/error.hpp"

namespace dragoman::align {

namespace {
constexpr std::size_t kPairsPerShard = 256;
constexpr float kMostWeight = 1000;
}  // namespace

Trainer::Trainer(std::shared_ptr<const Bitext> bitext, Anchors anchors, std::vector<float> weights,
                 const EmSettings& settings, const Model* base, double base_weight, int threads,
                 const StopCallback& stop)
    : bitext_(std::move(bitext)), anchors_(std::move(anchors)), weights_(std::move(weights)), settings_(settings) {
  anchors_.check(*bitext_);
  if (!weights_.empty() && weights_.size() != bitext_->size())
    throw InputError(std::to_string(weights_.size()) + " weights for " + std::to_string(bitext_->size()) + " pairs");
  for (const float weight : weights_)
    if (!(weight >= 0) || weight > kMostWeight) throw InputError("a weight of a sentence pair outside 0 to 1000");
  model_.pairs = PairIndex::build(*bitext_, base != nullptr ? base->pairs : PairIndex(), threads, stop);
  cells_ = std::make_unique<Cells>(*bitext_, model_.pairs, settings_.cell_budget, threads, stop);
  std::size_t source_words = bitext_->source_words(), target_words = bitext_->target_words();
  if (base != nullptr) {
    source_words =
        std::max({source_words, base->directions[0].lexicon.totals.size(), base->directions[1].lexicon.null.size()});
    target_words =
        std::max({target_words, base->directions[1].lexicon.totals.size(), base->directions[0].lexicon.null.size()});
  }
  for (std::size_t d = 0; d < 2; ++d) {
    const std::size_t given = d == 0 ? source_words : target_words, generated = d == 0 ? target_words : source_words;
    model_.directions[d].lexicon = uniform_lexicon(model_.pairs, given, generated);
    counts_[d].pairs.resize(model_.pairs.size());
    counts_[d].null.resize(generated);
    if (base == nullptr) continue;
    const Lexicon& old = base->directions[d].lexicon;
    auto& background = background_[d];
    background.pairs.resize(model_.pairs.size());
    background.null.resize(generated);
    base->pairs.for_each([&](WordId source, WordId target, Slot slot) {
      const std::size_t word = d == 0 ? source : target;
      const double total = word < old.totals.size() ? old.totals[word] : 0;
      background.pairs[model_.pairs.find(source, target)] = base_weight * total * old.probability[slot];
    });
    for (std::size_t word = 0; word < old.null.size(); ++word)
      background.null[word] = base_weight * old.null_total * old.null[word];
    estimate(model_.directions[d].lexicon, counts_[d], background, model_.pairs, d == 0, settings_.alpha, threads);
    model_.directions[d].position = make_position_model(base->directions[d].position->kind(), {}, nullptr);
    model_.directions[d].position->set_parameters(base->directions[d].position->parameters());
  }
}

void Trainer::begin(std::string_view kind, const PositionSettings& forward, const PositionSettings& reverse) {
  for (std::size_t d = 0; d < 2; ++d) {
    auto& position = model_.directions[d].position;
    position = make_position_model(kind, d == 0 ? forward : reverse, position);
    position->prepare(*bitext_, d == 0);
  }
}

void Trainer::expect(std::size_t k, Workspace& work, std::vector<Slot>& scratch, std::span<double> forward,
                     std::span<double> reverse, std::array<double, 2>& loglik) {
  const auto slots = cells_->of(k, scratch);
  work.load(*bitext_, k, slots, model_, anchors_.of(k), settings_.prior, slot_priors_, settings_.jump_prior);
  const float weight = weights_.empty() ? 1 : weights_[k];
  for (Workspace::Half& half : work.halves) half.sentence.weight = weight;
  std::array<double, 2> found{};
  const auto run = [&] {
    found[0] = model_.directions[0].position->expect(work.halves[0].sentence, forward);
    found[1] = model_.directions[1].position->expect(work.halves[1].sentence, reverse);
    return std::isfinite(found[0]) && std::isfinite(found[1]);
  };
  std::size_t ignored = 0;
  for (const Workspace::Half& half : work.halves) ignored += static_cast<std::size_t>(half.relaxed);
  if (!run()) {  // no path through all anchors at once: this pair goes without them
    work.forget_anchors();
    ignored += anchors_.of(k).anchors.size();
    if (!run()) throw InputError("no alignment has a probability", "sentence pair " + std::to_string(k + 1));
  }
  if (ignored > 0) ignored_.fetch_add(ignored, std::memory_order_relaxed);
  for (std::size_t d = 0; d < 2; ++d) loglik[d] += weight * found[d];
  count(slots, work);
}

void Trainer::count(std::span<const Slot> slots, Workspace& work) {
  Workspace::Half& one = work.halves[0];
  Workspace::Half& other = work.halves[1];
  const auto rows = static_cast<std::size_t>(one.sentence.given),
             columns = static_cast<std::size_t>(other.sentence.given);
  if (settings_.agreement) {
    // The product of both posteriors is the count of a link in both directions; what it leaves over goes to NULL.
    std::vector<float> column_mass(columns), row_mass(rows);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        const float both = one.posterior[j * rows + i] * other.posterior[i * columns + j];
        one.posterior[j * rows + i] = both;
        other.posterior[i * columns + j] = both;
        column_mass[j] += both;
        row_mass[i] += both;
      }
    for (std::size_t j = 0; j < columns; ++j) one.null_posterior[j] = std::max(0.0F, 1 - column_mass[j]);
    for (std::size_t i = 0; i < rows; ++i) other.null_posterior[i] = std::max(0.0F, 1 - row_mass[i]);
  }
  for (Workspace::Half& half : work.halves)
    if (!half.prior.empty()) {  // forms of the prior that multiply counts
      for (std::size_t at = 0; at < half.prior.size(); ++at) half.posterior[at] *= half.prior[at];
      for (std::size_t j = 0; j < half.null_prior.size(); ++j) half.null_posterior[j] *= half.null_prior[j];
    }
  if (const float weight = one.sentence.weight; weight != 1)
    for (Workspace::Half& half : work.halves) {
      for (float& share : half.posterior) share *= weight;
      for (float& share : half.null_posterior) share *= weight;
    }
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) counts_[0].pairs.add(slots[i * columns + j], one.posterior[j * rows + i]);
  for (std::size_t at = 0; at < slots.size(); ++at) counts_[1].pairs.add(slots[at], other.posterior[at]);
  for (std::size_t d = 0; d < 2; ++d) {
    const Workspace::Half& half = work.halves[d];
    for (std::size_t j = 0; j < half.null_posterior.size(); ++j)
      counts_[d].null.add(half.sentence.generated_words[j], half.null_posterior[j]);
  }
}

std::vector<FixedCounts*> Trainer::tables(std::size_t direction) {
  std::vector<FixedCounts*> found{&counts_[direction].pairs, &counts_[direction].null};
  for (FixedCounts* own : model_.directions[direction].position->counts()) found.push_back(own);
  return found;
}

std::size_t Trainer::shards() const noexcept { return shard_count(bitext_->size(), kPairsPerShard); }

void Trainer::expect_shards(std::size_t first, std::size_t last, std::array<std::vector<double>, 2>& evidence,
                            std::vector<double>& logliks, int threads, const StopCallback& stop) {
  std::array<std::size_t, 2> sizes{};
  for (std::size_t d = 0; d < 2; ++d) {
    counts_[d].pairs.clear();
    counts_[d].null.clear();
    sizes[d] = model_.directions[d].position->evidence_size();
    evidence[d].assign((last - first) * sizes[d], 0);
  }
  logliks.assign((last - first) * 2, 0);
  ignored_ = 0;
  parallel_shards(
      last - first, threads,
      [&](std::size_t at) {
        Workspace work;
        std::vector<Slot> scratch;
        std::array<double, 2> found{};
        const std::span forward(evidence[0].data() + at * sizes[0], sizes[0]);
        const std::span reverse(evidence[1].data() + at * sizes[1], sizes[1]);
        const std::size_t begin = (first + at) * kPairsPerShard;
        for (std::size_t k = begin; k < std::min(bitext_->size(), begin + kPairsPerShard); ++k)
          if (bitext_->usable(k)) expect(k, work, scratch, forward, reverse, found);
        std::copy(found.begin(), found.end(), logliks.begin() + static_cast<std::ptrdiff_t>(2 * at));
      },
      stop);
}

std::array<double, 2> Trainer::maximize_counts(const std::array<std::vector<double>, 2>& evidence,
                                               std::span<const double> logliks, int threads) {
  std::array<double, 2> loglik{};
  for (std::size_t d = 0; d < 2; ++d) {
    std::vector<double> sum(model_.directions[d].position->evidence_size());
    for (std::size_t at = d; at < logliks.size(); at += 2) loglik[d] += logliks[at];
    for (std::size_t at = 0; at < evidence[d].size(); ++at) sum[at % sum.size()] += evidence[d][at];
    if (!std::isfinite(loglik[d])) throw InputError("the likelihood is not a finite number");
    // A few new sentences teach words, not positions: a model that goes on keeps its own.
    if (background_[d].pairs.empty()) model_.directions[d].position->maximize(sum);
    estimate(model_.directions[d].lexicon, counts_[d], background_[d], model_.pairs, d == 0, settings_.alpha, threads);
  }
  return loglik;
}

std::array<double, 2> Trainer::iterate(int threads, const StopCallback& stop) {
  std::array<std::vector<double>, 2> evidence;
  std::vector<double> logliks;
  expect_shards(0, shards(), evidence, logliks, threads, stop);
  return maximize_counts(evidence, logliks, threads);
}

Expected Trainer::expect_apart(std::size_t first, std::size_t last, int threads, const StopCallback& stop) {
  if (first > last || last > shards()) throw InputError("shards that the text does not have");
  Expected found;
  expect_shards(first, last, found.evidence, found.logliks, threads, stop);
  found.ignored = ignored_;
  for (std::size_t d = 0; d < 2; ++d)
    for (FixedCounts* table : tables(d)) {
      found.counts[d].push_back(table->sparse());
      table->clear();
    }
  return found;
}

std::array<double, 2> Trainer::maximize(const Expected& whole, int threads) {
  if (whole.logliks.size() != 2 * shards()) throw InputError("an expectation step without all of its shards");
  for (std::size_t d = 0; d < 2; ++d) {
    const auto own = tables(d);
    if (whole.counts[d].size() != own.size() ||
        whole.evidence[d].size() != shards() * model_.directions[d].position->evidence_size())
      throw InputError("an expectation step of another model");
    for (std::size_t at = 0; at < own.size(); ++at) {
      own[at]->clear();
      own[at]->add(whole.counts[d][at].places, whole.counts[d][at].units);
    }
  }
  ignored_ = whole.ignored;
  return maximize_counts(whole.evidence, whole.logliks, threads);
}

TrainerState Trainer::state() const {
  TrainerState found;
  for (std::size_t d = 0; d < 2; ++d) {
    found.probability[d] = model_.directions[d].lexicon.probability;
    found.null[d] = model_.directions[d].lexicon.null;
    found.position[d] = model_.directions[d].position->parameters();
  }
  return found;
}

void Trainer::set_state(TrainerState state) {
  for (std::size_t d = 0; d < 2; ++d) {
    Lexicon& lexicon = model_.directions[d].lexicon;
    if (state.probability[d].size() != lexicon.probability.size() || state.null[d].size() != lexicon.null.size())
      throw InputError("the state of a trainer of another text");
    lexicon.probability = std::move(state.probability[d]);
    lexicon.null = std::move(state.null[d]);
    model_.directions[d].position->set_parameters(state.position[d]);
  }
}

void Trainer::set_dense_prior(bool exchanged) {
  slot_priors_ = dense_prior(*bitext_, anchors_, *cells_, model_.pairs, exchanged);
}

double Trainer::prior_of(WordId source, WordId target, bool forward) const {
  const Slot slot = model_.pairs.find(source, target);
  return slot_priors_.empty() || slot == kAbsent ? 0 : static_cast<double>(slot_priors_[forward ? 0 : 1][slot]);
}

double Trainer::probability(WordId source, WordId target, bool forward) const {
  const Slot slot = model_.pairs.find(source, target);
  return model_.directions[forward ? 0 : 1].lexicon.at(slot);
}

Model Trainer::finish() {
  Model trained = std::move(model_);
  cells_.reset();
  trained.compact();
  return trained;
}

}  // namespace dragoman::align
