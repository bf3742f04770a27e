#include "features/joint.hpp"

#include <algorithm>

#include "neural/affiliation.hpp"

namespace dragoman::features {

using neural::JointShape;
using neural::Matrix;
using neural::Unit;

JointModelUse::JointModelUse(std::shared_ptr<const neural::JointModel> model, FeatureId feature, Units source,
                             Units target, Unit unknown)
    : model_(std::move(model)),
      feature_(feature),
      source_(std::move(source)),
      target_(std::move(target)),
      unknown_(unknown) {
  const JointShape& shape = model_->shape;
  for (std::size_t place = 0; place < shape.history; ++place) {
    Matrix weights(shape.vector, shape.hidden);
    for (std::size_t row = 0; row < shape.vector; ++row)
      std::ranges::copy(model_->input.row(place * shape.vector + row), weights.row(row).begin());
    Matrix& made = history_.emplace_back(shape.target_units, shape.hidden);
    add_product(model_->target_vectors, weights, made);
  }
}

Unit JointModelUse::unit(const Units& units, std::string_view word) const {
  const auto found = units.find(std::string(word));
  return found == units.end() ? unknown_ : found->second;
}

Matrix JointModelUse::windows(std::span<const Unit> source) const {
  const JointShape& shape = model_->shape;
  Matrix contexts(source.size() + 1, shape.source_width() * shape.vector), sums(source.size() + 1, shape.hidden);
  const auto length = static_cast<std::ptrdiff_t>(source.size());
  for (std::ptrdiff_t centre = 0; centre <= length; ++centre) {
    const auto row = static_cast<std::size_t>(centre);
    for (std::size_t i = 0; i < shape.source_width(); ++i) {
      const std::ptrdiff_t at = centre + static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(shape.window);
      const Unit unit = at < 0         ? neural::kSourceStart
                        : at >= length ? neural::kSourceEnd
                                       : source[static_cast<std::size_t>(at)];
      std::ranges::copy(model_->source_vectors.row(unit),
                        contexts.row(row).begin() + static_cast<std::ptrdiff_t>(i * shape.vector));
    }
    std::ranges::copy(model_->input_bias, sums.row(row).begin());
  }
  Matrix weights(shape.source_width() * shape.vector, shape.hidden);
  std::copy(model_->input.values.begin() + static_cast<std::ptrdiff_t>(shape.history * shape.vector * shape.hidden),
            model_->input.values.end(), weights.values.begin());
  add_product(contexts, weights, sums);
  return sums;
}

JointModelFeature::JointModelFeature(std::shared_ptr<const JointModelUse> use) : use_(std::move(use)) {
  states_.reset(use_->model().shape.history);
}

void JointModelFeature::begin(const SentenceView& sentence, std::span<const OptionView> options) {
  sentence_ = &sentence;
  std::vector<Unit> source;
  for (const std::string_view word : sentence.words()) source.push_back(use_->source_unit(word));
  windows_ = use_->windows(source);
  phrases_.assign(options.size(), Phrase{});
  states_.reset(use_->model().shape.history);
}

JointModelFeature::Phrase& JointModelFeature::phrase(const OptionView& option) {
  if (phrases_.size() <= option.id) phrases_.resize(option.id + 1);
  Phrase& found = phrases_[option.id];
  if (found.known) return found;
  found.known = true;
  for (const WordId word : option.target) found.units.push_back(use_->target_unit(sentence_->spell_target(word)));
  found.positions = neural::affiliations(
      sentence_->links(option), option.target.size(), [](const grammar::Link& link) { return std::uint32_t{link.source}; },
      [](const grammar::Link& link) { return std::size_t{link.target}; });
  for (std::uint32_t& position : found.positions) position += option.span.start;
  const std::size_t places = use_->model().shape.history;
  history_.resize(places);
  for (std::size_t at = places; at < found.units.size(); ++at) {
    for (std::size_t place = 0; place < places; ++place) history_[place] = found.units[at - 1 - place];
    found.inner += score(history_, found.units[at], found.positions[at]);
  }
  return found;
}

double JointModelFeature::score(std::span<const Unit> history, Unit word, std::uint32_t position) const {
  const float* rows[8];
  std::size_t count = 0;
  for (std::size_t place = 0; place < history.size(); ++place)
    if (history[place] != kNothing) rows[count++] = use_->history(place, history[place]).data();
  return neural::rectified_dot(windows_.row(position), {rows, count}, use_->model().output.row(word)) +
         use_->model().output_bias[word];
}

StateId JointModelFeature::start() {
  history_.assign(use_->model().shape.history, neural::kTargetStart);
  return states_.intern(history_);
}

StateId JointModelFeature::extend(StateId from, const OptionView& option, Fire& fire) {
  const Phrase& found = phrase(option);
  const std::size_t places = use_->model().shape.history;
  double total = found.inner;
  const std::span<const Unit> before = states_[from];
  history_.assign(before.begin(), before.end());
  for (std::size_t at = 0; at < found.units.size(); ++at) {
    if (at < places) total += score(history_, found.units[at], found.positions[at]);
    std::copy_backward(history_.begin(), history_.end() - 1, history_.end());
    history_[0] = found.units[at];
  }
  fire(use_->feature(), total);
  return states_.intern(history_);
}

void JointModelFeature::finish(StateId from, Fire& fire) {
  const std::span<const Unit> before = states_[from];
  fire(use_->feature(), score(before, neural::kTargetEnd, static_cast<std::uint32_t>(windows_.rows - 1)));
}

double JointModelFeature::isolated(const OptionView& option) {
  const std::span<const double> weights = sentence_->weights();
  const double weight = use_->feature() < weights.size() ? weights[use_->feature()] : 0;
  if (weight == 0) return 0;
  const Phrase& found = phrase(option);
  double total = found.inner;
  history_.assign(use_->model().shape.history, kNothing);
  for (std::size_t at = 0; at < std::min(found.units.size(), history_.size()); ++at) {
    total += score(history_, found.units[at], found.positions[at]);
    std::copy_backward(history_.begin(), history_.end() - 1, history_.end());
    history_[0] = found.units[at];
  }
  return weight * total;
}

}  // namespace dragoman::features
