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

std::array<double, 2> Trainer::iterate(int threads, const StopCallback& stop) {
  const std::size_t shards = shard_count(bitext_->size(), kPairsPerShard);
  std::array<std::size_t, 2> sizes{};
  for (std::size_t d = 0; d < 2; ++d) {
    counts_[d].pairs.clear();
    counts_[d].null.clear();
    sizes[d] = model_.directions[d].position->evidence_size();
  }
  ignored_ = 0;
  std::vector<std::array<double, 2>> logliks(shards);
  std::vector<std::vector<double>> forward(shards), reverse(shards);
  parallel_shards(
      shards, threads,
      [&](std::size_t shard) {
        Workspace work;
        std::vector<Slot> scratch;
        forward[shard].resize(sizes[0]);
        reverse[shard].resize(sizes[1]);
        for (std::size_t k = shard * kPairsPerShard; k < std::min(bitext_->size(), (shard + 1) * kPairsPerShard); ++k)
          if (bitext_->usable(k)) expect(k, work, scratch, forward[shard], reverse[shard], logliks[shard]);
      },
      stop);
  std::array<double, 2> loglik{};
  for (std::size_t d = 0; d < 2; ++d) {
    std::vector<double> evidence(sizes[d]);
    for (std::size_t shard = 0; shard < shards; ++shard) {
      loglik[d] += logliks[shard][d];
      const auto& part = d == 0 ? forward[shard] : reverse[shard];
      for (std::size_t at = 0; at < evidence.size(); ++at) evidence[at] += part[at];
    }
    if (!std::isfinite(loglik[d])) throw InputError("the likelihood is not a finite number");
    // A few new sentences teach words, not positions: a model that goes on keeps its own.
    if (background_[d].pairs.empty()) model_.directions[d].position->maximize(evidence);
    estimate(model_.directions[d].lexicon, counts_[d], background_[d], model_.pairs, d == 0, settings_.alpha, threads);
  }
  return loglik;
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
