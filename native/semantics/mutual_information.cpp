#include "semantics/mutual_information.hpp"

#include <algorithm>
#include <cmath>

namespace dragoman::semantics {
namespace {

constexpr std::size_t kSideParts = VocabularyView::kSections + 2;
constexpr std::size_t kInformationSections = 4 + 2 * kSideParts;

[[nodiscard]] bool fits(const MutualInformationParts& parts) {
  const std::size_t rows = parts.source_words.size(), columns = parts.target_words.size();
  bool good = parts.smoothing > 0 && parts.sentences >= 1 && std::isfinite(parts.smoothing + parts.sentences) &&
              parts.source_counts.size() == rows && parts.target_counts.size() == columns &&
              parts.source_content.size() == rows && parts.target_content.size() == columns &&
              parts.starts.size() == rows + 1 && parts.starts.front() == 0 &&
              parts.starts.back() == parts.columns.size() && parts.columns.size() == parts.together.size() &&
              parts.scales.size() == 3;
  const auto countable = [](float count) { return std::isfinite(count) && count >= 0; };
  good = good && std::ranges::all_of(parts.source_counts, countable) &&
         std::ranges::all_of(parts.target_counts, countable) && std::ranges::all_of(parts.together, countable) &&
         std::ranges::all_of(parts.scales, [](double scale) { return std::isfinite(scale) && scale > 0; });
  for (std::size_t row = 0; good && row < rows; ++row) {
    good = parts.starts[row] <= parts.starts[row + 1] && parts.starts[row + 1] <= parts.columns.size();
    for (std::uint64_t at = parts.starts[row]; good && at < parts.starts[row + 1]; ++at)
      good = parts.columns[at] < columns && (at == parts.starts[row] || parts.columns[at - 1] < parts.columns[at]);
  }
  return good;
}

}  // namespace

MutualInformation::MutualInformation(MutualInformationParts parts) : parts_(std::move(parts)) {
  if (!fits(parts_)) throw InputError("counts of words that do not fit each other");
}

double MutualInformation::value(WordId source, WordId target) const noexcept {
  double joint = 0;
  const auto begin = parts_.columns.begin() + static_cast<std::ptrdiff_t>(parts_.starts[source]);
  const auto end = parts_.columns.begin() + static_cast<std::ptrdiff_t>(parts_.starts[source + 1]);
  if (const auto found = std::lower_bound(begin, end, target); found != end && *found == target)
    joint = parts_.together[static_cast<std::size_t>(found - parts_.columns.begin())];
  const double total = parts_.sentences;
  const double chance = std::max(1.0, static_cast<double>(parts_.source_counts[source])) / total *
                        std::max(1.0, static_cast<double>(parts_.target_counts[target])) / total;
  const double smoothed = (joint / total + parts_.smoothing * chance) / (1 + parts_.smoothing);
  return smoothed * std::log(smoothed / chance);
}

bool MutualInformation::is_content(std::string_view word, bool target) const noexcept {
  const Vocabulary& words = target ? parts_.target_words : parts_.source_words;
  if (const WordId id = words.id(word); id != kUnknown)
    return (target ? parts_.target_content : parts_.source_content)[id] != 0;
  if (parts_.tagged)
    return word.size() > 2 && word[word.size() - 2] == '.' &&
           std::string_view("nvar").find(word.back()) != std::string_view::npos;
  return std::ranges::any_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (static_cast<unsigned char>(c) & 0x80) != 0;
  });
}

ContextScores MutualInformation::context(std::span<const WordId> words, std::span<const std::uint8_t> content,
                                         std::size_t position, std::size_t window, WordId target) const noexcept {
  ContextScores found;
  found.own = value(words[position], target);
  double all = 0, others = 0;
  std::size_t count = 0, other_count = 0;
  const std::size_t first = position > window ? position - window : 0;
  const std::size_t last = std::min(words.size(), position + window + 1);
  for (std::size_t at = first; at < last; ++at) {
    if (content[at] == 0) continue;
    const double said = at == position ? found.own : value(words[at], target);
    all += said;
    ++count;
    if (at == position) continue;
    others += said;
    ++other_count;
  }
  found.all = count > 0 ? all / static_cast<double>(count) : 0;
  found.others = other_count > 0 ? others / static_cast<double>(other_count) : 0;
  return found;
}

void MutualInformation::save(const std::filesystem::path& path) const {
  BinaryWriter writer(path, kMutualInformationFormat, kInformationSections);
  std::vector<double> numbers{parts_.smoothing, parts_.sentences, parts_.tagged ? 1.0 : 0.0};
  numbers.insert(numbers.end(), parts_.scales.begin(), parts_.scales.end());
  writer.section(numbers);
  for (const bool target : {false, true}) {
    (target ? parts_.target_words : parts_.source_words).view().write(writer);
    writer.section(target ? parts_.target_counts : parts_.source_counts);
    writer.section(target ? parts_.target_content : parts_.source_content);
  }
  writer.section(parts_.starts);
  writer.section(parts_.columns);
  writer.section(parts_.together);
  writer.finish();
}

MutualInformation MutualInformation::open(const std::filesystem::path& path) {
  const BinaryFile file(path, kMutualInformationFormat, kInformationSections);
  MutualInformationParts parts;
  const auto numbers = file.section<double>(0);
  file.require(numbers.size() == 6, "settings");
  parts.smoothing = numbers[0];
  parts.sentences = numbers[1];
  parts.tagged = numbers[2] != 0;
  parts.scales.assign(numbers.begin() + 3, numbers.end());
  const auto take = [&](auto& values, std::size_t section) {
    using Value = typename std::remove_reference_t<decltype(values)>::value_type;
    const auto kept = file.section<Value>(section);
    values.assign(kept.begin(), kept.end());
  };
  for (const bool target : {false, true}) {
    const std::size_t section = 1 + (target ? kSideParts : 0);
    (target ? parts.target_words : parts.source_words) = Vocabulary(VocabularyView::read(file, section));
    take(target ? parts.target_counts : parts.source_counts, section + VocabularyView::kSections);
    take(target ? parts.target_content : parts.source_content, section + VocabularyView::kSections + 1);
  }
  take(parts.starts, 1 + 2 * kSideParts);
  take(parts.columns, 2 + 2 * kSideParts);
  take(parts.together, 3 + 2 * kSideParts);
  file.require(parts.source_words.size() > 0 && parts.target_words.size() > 0 && fits(parts), "counts of words");
  return MutualInformation(std::move(parts));
}

}  // namespace dragoman::semantics
