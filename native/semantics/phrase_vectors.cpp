#include "semantics/phrase_vectors.hpp"

#include <algorithm>
#include <cmath>

namespace dragoman::semantics {
namespace {

constexpr std::size_t kVectorSections = 3 + 2 * VocabularyView::kSections;

double inner_product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double cosine_of(std::span<const double> a, std::span<const double> b) {
  const double lengths = std::sqrt(inner_product(a, a) * inner_product(b, b));
  return lengths > 0 ? std::clamp(inner_product(a, b) / lengths, -1.0, 1.0) : 0;
}

}  // namespace

PhraseVectors::PhraseVectors(std::size_t dimensions, Vocabulary source_words, std::vector<float> source,
                             Vocabulary target_words, std::vector<float> target)
    : dimensions_(dimensions),
      source_words_(std::move(source_words)),
      target_words_(std::move(target_words)),
      source_(std::move(source)),
      target_(std::move(target)) {
  if (dimensions == 0) throw InputError("vectors of no dimension");
  if (source_.size() != source_words_.size() * dimensions || target_.size() != target_words_.size() * dimensions)
    throw InputError("vectors for other words than those that are given", "", "is a word there twice?");
}

const float* PhraseVectors::find(std::string_view word, bool target) const noexcept {
  const WordId id = words(target).id(word);
  return id == kUnknown ? nullptr : (target ? target_ : source_).data() + id * dimensions_;
}

PhraseSimilarity PhraseVectors::compare(std::span<const float* const> source,
                                        std::span<const float* const> target) const {
  PhraseSimilarity found;
  // Sums of doubles of the same floats in any order are near enough to be equal for a permuted phrase, but not bit for
  // bit: the smallest id first would be; means of a handful of words are exact to 1e-15.
  const auto mean = [&](std::span<const float* const> rows, std::size_t& known) {
    std::vector<double> sum(dimensions_, 0.0);
    for (const float* const row : rows) {
      if (row == nullptr) continue;
      ++known;
      for (std::size_t i = 0; i < dimensions_; ++i) sum[i] += row[i];
    }
    return sum;
  };
  std::size_t known_source = 0, known_target = 0;
  const std::vector<double> left = mean(source, known_source), right = mean(target, known_target);
  found.cosine = cosine_of(left, right);
  const std::size_t all = source.size() + target.size();
  if (all > 0) found.unknown = static_cast<double>(all - known_source - known_target) / static_cast<double>(all);
  if (known_source == 0 || known_target == 0) return found;
  std::vector<double> one(dimensions_), other(dimensions_);
  double sum = 0;
  for (const float* const row : source) {
    if (row == nullptr) continue;
    std::copy_n(row, dimensions_, one.begin());
    double best = -1;
    for (const float* const candidate : target) {
      if (candidate == nullptr) continue;
      std::copy_n(candidate, dimensions_, other.begin());
      best = std::max(best, cosine_of(one, other));
    }
    sum += best;
  }
  found.best = sum / static_cast<double>(known_source);
  return found;
}

void PhraseVectors::save(const std::filesystem::path& path) const {
  BinaryWriter writer(path, kPhraseVectorsFormat, kVectorSections);
  writer.section(std::vector<std::uint64_t>{dimensions_});
  source_words_.view().write(writer);
  target_words_.view().write(writer);
  writer.section(source_);
  writer.section(target_);
  writer.finish();
}

PhraseVectors PhraseVectors::open(const std::filesystem::path& path) {
  const BinaryFile file(path, kPhraseVectorsFormat, kVectorSections);
  const auto size = file.section<std::uint64_t>(0);
  file.require(size.size() == 1 && size[0] >= 1 && size[0] < std::uint64_t{1} << 20, "number of dimensions");
  PhraseVectors found;
  found.dimensions_ = size[0];
  found.source_words_ = Vocabulary(VocabularyView::read(file, 1));
  found.target_words_ = Vocabulary(VocabularyView::read(file, 1 + VocabularyView::kSections));
  std::size_t section = 1 + 2 * VocabularyView::kSections;
  for (const auto& [values, words] :
       {std::pair(&found.source_, &found.source_words_), std::pair(&found.target_, &found.target_words_)}) {
    const auto kept = file.section<float>(section++);
    file.require(
        words->size() > 0 && kept.size() % found.dimensions_ == 0 && kept.size() / found.dimensions_ == words->size(),
        "vectors for another number of words");
    file.require(std::ranges::all_of(kept, [](float value) { return std::isfinite(value); }),
                 "vectors that are no numbers");
    values->assign(kept.begin(), kept.end());
  }
  return found;
}

}  // namespace dragoman::semantics
