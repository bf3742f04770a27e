#include "align/ibm.hpp"

#include <algorithm>
#include <cmath>

#include "common/error.hpp"

namespace dragoman::align {

void require_parameters(bool fact) {
  if (!fact) throw FormatError("damaged: position parameters do not fit", "aligner", "train the aligner again");
}

void UniformModel::prior(int, int given, int, std::span<float> out) const {
  std::fill(out.begin(), out.end(), 1 / static_cast<float>(given));
}

void UniformModel::set_parameters(std::span<const double> values) {
  require_parameters(values.size() == 1 && values[0] >= 0 && values[0] < 1);
  null_probability_ = values[0];
}

void LengthTable::add(int given, int generated) {
  blocks_.push_back({given, generated, size_});
  size_ += static_cast<std::size_t>(given) * static_cast<std::size_t>(generated);
}

void LengthTable::prepare(const Bitext& bitext, bool forward) {
  std::vector<std::pair<int, int>> lengths;
  for (std::size_t k = 0; k < bitext.size(); ++k) {
    if (!bitext.usable(k)) continue;
    const auto source = static_cast<int>(bitext.source(k).size()), target = static_cast<int>(bitext.target(k).size());
    lengths.emplace_back(forward ? source : target, forward ? target : source);
  }
  std::sort(lengths.begin(), lengths.end());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  blocks_.clear();
  size_ = 0;
  for (const auto& [given, generated] : lengths) add(given, generated);
}

std::int64_t LengthTable::find(int given, int generated) const noexcept {
  const auto found = std::lower_bound(
      blocks_.begin(), blocks_.end(), std::pair(given, generated),
      [](const Block& block, const std::pair<int, int>& key) { return std::pair(block.given, block.generated) < key; });
  if (found == blocks_.end() || found->given != given || found->generated != generated) return -1;
  return static_cast<std::int64_t>(found->offset);
}

void LengthTable::append_lengths(std::vector<double>& out) const {
  out.push_back(static_cast<double>(blocks_.size()));
  for (const Block& block : blocks_) {
    out.push_back(block.given);
    out.push_back(block.generated);
  }
}

std::size_t LengthTable::read_lengths(std::span<const double> values) {
  require_parameters(!values.empty() && values[0] >= 0 && values[0] <= static_cast<double>(values.size()));
  const auto count = static_cast<std::size_t>(values[0]);
  require_parameters(values.size() >= 1 + 2 * count);
  blocks_.clear();
  size_ = 0;
  for (std::size_t at = 0; at < count; ++at) {
    const double given = values[1 + 2 * at], generated = values[2 + 2 * at];
    require_parameters(given >= 1 && given <= 1e6 && generated >= 1 && generated <= 1e6);
    add(static_cast<int>(given), static_cast<int>(generated));
    require_parameters(size_ <= values.size());
    require_parameters(at == 0 || std::pair(blocks_[at - 1].given, blocks_[at - 1].generated) <
                                      std::pair(blocks_[at].given, blocks_[at].generated));
  }
  return 1 + 2 * count;
}

void PositionTable::prepare(const Bitext& bitext, bool forward) {
  const LengthTable known = std::move(lengths_);
  const std::vector<float> before = std::move(probability_);
  lengths_ = {};
  lengths_.prepare(bitext, forward);
  probability_.assign(lengths_.size(), 0);
  lengths_.for_each_block([&](int given, int generated, std::size_t offset) {
    const auto cells = static_cast<std::size_t>(given) * static_cast<std::size_t>(generated);
    if (const auto old = known.find(given, generated); old >= 0)
      std::copy_n(before.begin() + old, cells, probability_.begin() + static_cast<std::ptrdiff_t>(offset));
    else
      std::fill_n(probability_.begin() + static_cast<std::ptrdiff_t>(offset), cells, 1 / static_cast<float>(given));
  });
  counts_.resize(lengths_.size());
}

void PositionTable::prior(int j, int given, int generated, std::span<float> out) const {
  const auto block = lengths_.find(given, generated);
  if (block < 0)
    std::fill(out.begin(), out.end(), 1 / static_cast<float>(given));
  else
    std::copy_n(probability_.begin() + block + static_cast<std::ptrdiff_t>(j) * given, given, out.begin());
}

void PositionTable::observe(const Sentence& sentence, int j, std::span<double>) {
  const auto found = lengths_.find(sentence.given, sentence.generated);
  if (found < 0) return;
  const auto block = static_cast<std::size_t>(found);
  const float* posterior = sentence.posterior_row(j);
  const std::size_t row = block + static_cast<std::size_t>(j) * static_cast<std::size_t>(sentence.given);
  for (int i = 0; i < sentence.given; ++i)
    counts_.add(row + static_cast<std::size_t>(i), sentence.weight * posterior[i]);
}

void PositionTable::maximize(std::span<const double>) {
  lengths_.for_each_block([&](int given, int generated, std::size_t offset) {
    const auto width = static_cast<std::size_t>(given);
    for (std::size_t j = 0; j < static_cast<std::size_t>(generated); ++j) {
      const std::size_t row = offset + j * width;
      double total = 0;
      for (std::size_t i = 0; i < width; ++i) total += counts_[row + i];
      if (total <= 0) continue;
      for (std::size_t i = 0; i < width; ++i)
        probability_[row + i] = std::max(1e-7F, static_cast<float>(counts_[row + i] / total));
    }
  });
  counts_.clear();
}

std::vector<double> PositionTable::parameters() const {
  std::vector<double> values{null_probability_};
  lengths_.append_lengths(values);
  values.insert(values.end(), probability_.begin(), probability_.end());
  return values;
}

void PositionTable::set_parameters(std::span<const double> values) {
  require_parameters(values.size() >= 2 && values[0] >= 0 && values[0] < 1);
  null_probability_ = values[0];
  const std::size_t used = 1 + lengths_.read_lengths(values.subspan(1));
  require_parameters(values.size() == used + lengths_.size());
  counts_.resize(lengths_.size());
  probability_.clear();
  for (const double value : values.subspan(used)) {
    require_parameters(std::isfinite(value) && value >= 0);
    probability_.push_back(static_cast<float>(value));
  }
}

}  // namespace dragoman::align
