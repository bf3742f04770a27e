#include "features/deletion.hpp"

#include <algorithm>

#include "features/feature_name.hpp"

namespace dragoman::features {

bool DeletionFeature::counts(const SentenceMarks& marks, std::size_t position) const {
  const auto fits = [&](const std::string& start) { return marks.tags[position].starts_with(start); };
  if (!std::any_of(settings_->tags.begin(), settings_->tags.end(), fits)) return false;
  return !settings_->heads_only ||
         std::find(marks.heads.begin(), marks.heads.end(), static_cast<std::int32_t>(position)) != marks.heads.end();
}

void DeletionFeature::fire(const SentenceView& sentence, std::span<const OptionView> options, std::span<Fire> fires) {
  const SentenceMarks& marks = sentence.marks();
  const std::size_t length = sentence.words().size();
  if (marks.tags.size() != length || (settings_->heads_only && marks.heads.size() != length)) return;
  std::vector<FeatureId> features(length, 0);  // per position, 0: does not count
  for (std::size_t position = 0; position < length; ++position) {
    if (!counts(marks, position)) continue;
    std::string name = settings_->prefix + ":";
    append_token(name, marks.tags[position]);
    features[position] = names_->intern(name);
  }
  const FeatureId any = names_->intern(settings_->prefix + ":any");
  for (std::size_t i = 0; i < options.size(); ++i) {
    const OptionView& option = options[i];
    auto gaps = sentence.gaps(option);
    std::size_t symbol = 0;  // of its source side, which has one for each gap
    for (std::size_t position = option.span.start; position < option.span.end; ++position, ++symbol) {
      while (!gaps.empty() && gaps.front().start == position) {
        position = gaps.front().end;
        gaps = gaps.subspan(1);
        ++symbol;
      }
      if (position == option.span.end || features[position] == 0) continue;
      bool linked = false, dropped = false;
      for (const grammar::Link link : sentence.links(option)) {
        if (link.source != symbol || link.target >= option.target.size()) continue;
        linked = true;
        dropped =
            dropped || settings_->frequent.contains(std::string(sentence.spell_target(option.target[link.target])));
      }
      if (linked && !dropped) continue;
      fires[i](features[position], 1);
      fires[i](any, 1);
    }
  }
}

}  // namespace dragoman::features
