// How the fertility models are kept: as one list of numbers, with that of the model they start from inside.
#include <array>
#include <cmath>

#include "align/fertility.hpp"

namespace dragoman::align {

namespace {

constexpr std::array<std::string_view, 4> kStartKinds{"ibm1", "ibm2", "diagonal", "hmm"};

void append(std::vector<double>& out, const auto& values) {
  out.push_back(static_cast<double>(values.size()));
  out.insert(out.end(), values.begin(), values.end());
}

// Reads one list after another, never past the end.
class Reader {
 public:
  explicit Reader(std::span<const double> values) : values_(values) {}
  double number() {
    require_parameters(!values_.empty());
    const double value = values_[0];
    require_parameters(std::isfinite(value));
    values_ = values_.subspan(1);
    return value;
  }
  std::span<const double> list() {
    const double size = number();
    require_parameters(size >= 0 && size <= static_cast<double>(values_.size()));
    const auto found = values_.subspan(0, static_cast<std::size_t>(size));
    values_ = values_.subspan(found.size());
    return found;
  }
  template <typename T>
  std::vector<T> numbers() {
    std::vector<T> out;
    for (const double value : list()) {
      require_parameters(std::isfinite(value) && value >= 0 && value <= 1e6);
      out.push_back(static_cast<T>(value));
    }
    return out;
  }
  [[nodiscard]] std::span<const double> rest() const { return values_; }
  void skip(std::size_t count) { values_ = values_.subspan(count); }

 private:
  std::span<const double> values_;
};

}  // namespace

std::vector<double> FertilityModel::parameters() const {
  std::vector<double> out{smoothing_, uniform_share_, p1_};
  append(out, given_classes_);
  append(out, generated_classes_);
  append(out, fertility_);
  if (fourth_) {
    append(out, heads_);
    append(out, tails_);
  } else {
    lengths_.append_lengths(out);
    append(out, distortion_);
  }
  std::size_t kind = 0;
  while (kind < kStartKinds.size() && kStartKinds[kind] != start_->kind()) ++kind;
  out.push_back(static_cast<double>(kind));
  append(out, start_->parameters());
  return out;
}

void FertilityModel::set_parameters(std::span<const double> values) {
  Reader reader(values);
  smoothing_ = reader.number();
  uniform_share_ = reader.number();
  p1_ = reader.number();
  require_parameters(smoothing_ >= 0 && uniform_share_ >= 0 && uniform_share_ <= 1 && p1_ >= 0 && p1_ < 1);
  given_classes_ = reader.numbers<std::int32_t>();
  generated_classes_ = reader.numbers<std::int32_t>();
  for (const auto* classes : {&given_classes_, &generated_classes_})
    for (const std::int32_t one : *classes) require_parameters(one <= 10000);
  take_settings();
  fertility_ = reader.numbers<float>();
  require_parameters(!fertility_.empty() && fertility_.size() % kFertilities == 0);
  fertility_counts_.resize(fertility_.size());
  if (fourth_) {
    heads_ = reader.numbers<float>();
    tails_ = reader.numbers<float>();
    require_parameters(heads_.size() == (given_class_count_ + 1) * generated_class_count_ * kShifts);
    require_parameters(tails_.size() == generated_class_count_ * kShifts);
    head_counts_.resize(heads_.size());
    tail_counts_.resize(tails_.size());
  } else {
    reader.skip(lengths_.read_lengths(reader.rest()));
    distortion_ = reader.numbers<float>();
    require_parameters(distortion_.size() == lengths_.size());
    distortion_counts_.resize(distortion_.size());
  }
  const double kind = reader.number();
  require_parameters(kind >= 0 && kind < static_cast<double>(kStartKinds.size()));
  start_ = make_position_model(kStartKinds[static_cast<std::size_t>(kind)], {}, nullptr);
  start_->set_parameters(reader.list());
  require_parameters(reader.rest().empty());
  teacher_.reset();
}

}  // namespace dragoman::align
