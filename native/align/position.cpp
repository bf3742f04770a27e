#include "align/position.hpp"

#include <cmath>
#include <limits>

#include "align/bayes.hpp"
#include "align/diagonal.hpp"
#include "align/fertility.hpp"
#include "align/hmm.hpp"
#include "align/ibm.hpp"
#include "common/error.hpp"

namespace dragoman::align {

void PositionModel::prepare(const Bitext&, bool) {}

void PositionModel::maximize(std::span<const double>) {}

void ZeroOrderModel::observe(const Sentence&, int, std::span<double>) {}

double ZeroOrderModel::expect(const Sentence& sentence, std::span<double> evidence) {
  double loglik = 0;
  const auto empty = static_cast<float>(null_probability_), real = 1 - empty;
  for (int j = 0; j < sentence.generated; ++j) {
    float* out = sentence.posterior_row(j);
    const float* emission = sentence.row(j);
    prior(j, sentence.given, sentence.generated, {out, static_cast<std::size_t>(sentence.given)});
    double sum = 0;
    for (int i = 0; i < sentence.given; ++i) sum += out[i] *= emission[i] * real;
    const float null_weight = empty * sentence.null_emission[j];
    sum += null_weight;
    if (!(sum > 0)) return -std::numeric_limits<double>::infinity();
    const auto inverse = static_cast<float>(1 / sum);
    for (int i = 0; i < sentence.given; ++i) out[i] *= inverse;
    sentence.null_posterior[j] = null_weight * inverse;
    loglik += std::log(sum);
    observe(sentence, j, evidence);
  }
  return loglik;
}

void ZeroOrderModel::viterbi(const Sentence& sentence, std::span<int> links) const {
  std::vector<float> weights(static_cast<std::size_t>(sentence.given));
  const auto empty = static_cast<float>(null_probability_), real = 1 - empty;
  for (int j = 0; j < sentence.generated; ++j) {
    prior(j, sentence.given, sentence.generated, weights);
    const float* emission = sentence.row(j);
    float best = empty * sentence.null_emission[j];
    links[static_cast<std::size_t>(j)] = kNoLink;
    for (int i = 0; i < sentence.given; ++i)
      if (const float weight = weights[static_cast<std::size_t>(i)] * emission[i] * real; weight > best) {
        best = weight;
        links[static_cast<std::size_t>(j)] = i;
      }
  }
}

std::unique_ptr<PositionModel> make_position_model(std::string_view kind, const PositionSettings& settings,
                                                   std::shared_ptr<PositionModel> previous) {
  if (kind == "ibm1") return std::make_unique<UniformModel>(settings.null_probability);
  if (kind == "ibm2") return std::make_unique<PositionTable>(settings.null_probability);
  if (kind == "diagonal") return std::make_unique<DiagonalModel>(settings);
  if (kind == "hmm") return std::make_unique<HmmModel>(settings);
  if (kind == "ibm3" || kind == "ibm4")
    return std::make_unique<FertilityModel>(kind == "ibm4", settings, std::move(previous));
  if (kind == "bayes") return std::make_unique<BayesModel>();
  throw SettingError("no position model is called '" + std::string(kind) + "'");
}

}  // namespace dragoman::align
