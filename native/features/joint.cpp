#include "features/joint.hpp"

#include <algorithm>
#include <array>

#include "neural/affiliation.hpp"

namespace dragoman::features {

JointModelUse::JointModelUse(std::shared_ptr<const neural::JointModel> model, FeatureId feature,
                             const VocabularyView& target_words)
    : model_(std::move(model)), feature_(feature) {
  const neural::JointShape& shape = model_->shape;
  for (std::size_t id = 0; id < target_words.size(); ++id)
    word_map_.push_back(model_->target_words.words.id(target_words.word(static_cast<WordId>(id))));
  const auto rows = [&](std::size_t from, std::size_t count) {
    const auto begin = model_->input.values.begin() + static_cast<std::ptrdiff_t>(from * shape.hidden);
    neural::Matrix found(count, shape.hidden);
    std::copy_n(begin, found.values.size(), found.values.begin());
    return found;
  };
  for (std::size_t place = 0; place < shape.history; ++place) {
    neural::Matrix& made = history_.emplace_back(shape.target_units, shape.hidden);
    add_product(model_->target_vectors, rows(place * shape.vector, shape.vector), made);
  }
  source_weights_ = rows(shape.history * shape.vector, shape.source_width() * shape.vector);
}

neural::Matrix JointModelUse::windows(std::span<const neural::Unit> source) const {
  const neural::JointShape& shape = model_->shape;
  neural::Matrix contexts(source.size() + 1, shape.source_width() * shape.vector),
      sums(source.size() + 1, shape.hidden);
  std::vector<neural::Unit> units(shape.source_width());
  for (std::size_t centre = 0; centre <= source.size(); ++centre) {
    neural::source_window(source, centre, shape.window, units);
    for (std::size_t i = 0; i < units.size(); ++i)
      std::ranges::copy(model_->source_vectors.row(units[i]),
                        contexts.row(centre).begin() + static_cast<std::ptrdiff_t>(i * shape.vector));
    std::ranges::copy(model_->input_bias, sums.row(centre).begin());
  }
  add_product(contexts, source_weights_, sums);
  return sums;
}

double JointModelUse::score(std::span<const float> window, std::span<const neural::Unit> history,
                            neural::Unit word) const {
  const float* rows[neural::kMostHistory];
  std::size_t count = 0;
  for (std::size_t place = 0; place < history.size(); ++place)
    if (history[place] != kNothing) rows[count++] = this->history(place, history[place]);
  return neural::rectified_dot(window, {rows, count}, model_->output.row(word)) + model_->output_bias[word];
}

JointModelFeature::JointModelFeature(std::shared_ptr<const JointModelUse> use) : use_(std::move(use)) {}

void JointModelFeature::begin(const SentenceView& sentence, std::span<const OptionView> options) {
  sentence_ = &sentence;
  std::vector<neural::Unit> source;
  for (const std::string_view word : sentence.words()) source.push_back(use_->model().source_words.unit(word));
  windows_ = use_->windows(source);
  phrases_.assign(options.size(), Phrase{});
  units_.clear();
  positions_.clear();
  questions_.clear();
  numbers_.reset(2);
  states_.reset(use_->model().shape.history);
  answers_.clear();
}

const JointModelFeature::Phrase& JointModelFeature::phrase(const OptionView& option) {
  if (phrases_.size() <= option.id) phrases_.resize(option.id + 1);
  Phrase& found = phrases_[option.id];
  if (found.known) return found;
  found = {static_cast<std::uint32_t>(units_.size()), static_cast<std::uint32_t>(option.target.size()), 0, 0, true};
  for (const WordId word : option.target) {
    const WordId own = use_->word(word, *sentence_);
    units_.push_back(use_->model().target_words.units[own]);
    found.inner += use_->model().target_words.shares[own];
  }
  neural::append_affiliations(sentence_->links(option), option.target.size(), positions_);
  const auto end = static_cast<std::uint32_t>(windows_.rows - 1);
  for (std::size_t at = found.begin; at < positions_.size(); ++at)
    positions_[at] = std::min(positions_[at] + option.span.start, end);
  for (std::size_t at = found.begin; at < positions_.size(); ++at)
    questions_.push_back(numbers_.intern(std::array{units_[at], positions_[at]}));
  const std::size_t places = use_->model().shape.history;
  history_.resize(places);
  const auto look_back = [&](std::size_t from) {
    for (std::size_t place = 0; place < places; ++place) history_[place] = units_[from - 1 - place];
  };
  for (std::size_t at = found.begin + places; at < units_.size(); ++at) {
    look_back(at);
    found.inner += score(history_, units_[at], positions_[at]);
  }
  if (found.size >= places) {
    look_back(units_.size());
    found.last = states_.intern(history_);
  }
  return found;
}

const Memo::Entry& JointModelFeature::appended(StateId state, std::size_t at) {
  return answers_.get(state, questions_[at], [&](double& value, StateId& next) {
    const std::span<const Unit> before = states_[state];
    history_.assign(before.begin(), before.end());
    value = score(history_, units_[at], positions_[at]);
    std::copy_backward(history_.begin(), history_.end() - 1, history_.end());
    history_[0] = units_[at];
    next = states_.intern(history_);
  });
}

StateId JointModelFeature::start() {
  history_.assign(use_->model().shape.history, neural::kStart);
  return states_.intern(history_);
}

StateId JointModelFeature::extend(StateId from, const OptionView& option, Fire& fire) {
  const Phrase& found = phrase(option);
  const std::size_t places = use_->model().shape.history;
  double total = found.inner;
  StateId state = from;
  for (std::size_t i = 0; i < std::min<std::size_t>(found.size, places); ++i) {
    const Memo::Entry& answer = appended(state, found.begin + i);
    total += answer.score;
    state = answer.next;
  }
  fire(use_->feature(), total);
  return found.size < places ? state : found.last;
}

void JointModelFeature::finish(StateId from, Fire& fire) {
  fire(use_->feature(), score(states_[from], neural::kEnd, static_cast<std::uint32_t>(windows_.rows - 1)));
}

double JointModelFeature::isolated(const OptionView& option) {
  const std::span<const double> weights = sentence_->weights();
  const double weight = use_->feature() < weights.size() ? weights[use_->feature()] : 0;
  if (weight == 0) return 0;
  const Phrase& found = phrase(option);
  double total = found.inner;
  history_.assign(use_->model().shape.history, JointModelUse::kNothing);
  for (std::size_t at = found.begin; at < found.begin + std::min<std::size_t>(found.size, history_.size()); ++at) {
    total += score(history_, units_[at], positions_[at]);
    std::copy_backward(history_.begin(), history_.end() - 1, history_.end());
    history_[0] = units_[at];
  }
  return weight * total;
}

}  // namespace dragoman::features
