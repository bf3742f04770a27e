#include "features/source_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/binary_file.hpp"
#include "common/hash.hpp"

namespace dragoman::features {

using annotations::feature;

namespace {

constexpr std::uint64_t kOutside = 1;  // a word or tag before the first, or behind the last
constexpr std::size_t kLongestPath = 6;
constexpr std::uint64_t kLongPath = 2;
constexpr std::size_t kOrderSections = 5;
enum Shape : std::uint64_t {
  kBias,
  kOwnWord,
  kTag,
  kTagBefore,
  kTagBehind,
  kTags,
  kPlace,
  kLength,  // of a jump
  kLeftWord,
  kRightWord,
  kBoth,
  kLeftTag,
  kRightTag,
  kBothTags,
  kLeftBefore,
  kLeftBehind,
  kRightBefore,
  kRightBehind,
  kPath,
  kPathTags,
  kSteps,
  kApart,  // of two words
};

std::uint64_t text_at(std::span<const std::uint64_t> texts, std::int64_t place) noexcept {
  return place < 0 || place >= static_cast<std::int64_t>(texts.size()) ? kOutside
                                                                       : texts[static_cast<std::size_t>(place)];
}

std::uint64_t length_bin(std::size_t length) noexcept {
  return length <= 5 ? 0 : length <= 10 ? 1 : length <= 20 ? 2 : 3;
}

// The classes of jumps from a word, or to it; `entering` makes cues of its own.
void fill_jumps(const OrderSentence& sentence, std::int32_t place, bool entering, Choices& found) {
  const std::uint64_t word = text_at(sentence.words, place), tag = text_at(sentence.tags, place);
  const std::uint64_t before = text_at(sentence.tags, place - 1), behind = text_at(sentence.tags, place + 1);
  const std::uint64_t fifth = place < 0 ? 5 : static_cast<std::uint64_t>(place) * 5 / sentence.size();
  const std::uint64_t length = length_bin(sentence.size());
  for (std::uint64_t jump = 0; jump < kJumpClasses; ++jump) {
    const std::uint64_t choice = jump * 2 + (entering ? 1 : 0);
    for (const Cue cue : {feature(kBias, choice), feature(kOwnWord, choice, word),
                          feature(kPlace, choice, fifth, length), feature(kLength, choice, length)})
      found.cues.push_back(cue);
    if (!sentence.tags.empty())
      for (const Cue cue : {feature(kTag, choice, tag), feature(kTagBefore, choice, tag, before),
                            feature(kTagBehind, choice, tag, behind), feature(kTags, choice, before, tag, behind)})
        found.cues.push_back(cue);
    found.end_candidate();
  }
}

// The labelled arcs from one word to another: up from the first to what both hang on, then down.
void path_between(const OrderSentence& sentence, std::int32_t from, std::int32_t to, std::uint64_t& path,
                  std::uint64_t& steps) {
  const auto length = static_cast<std::int32_t>(sentence.size());
  const auto above = [&](std::int32_t word, std::vector<std::int32_t>& chain) {
    chain.clear();
    // A cycle, or a head in another piece of the sentence, ends the chain.
    for (; word >= 0 && word < length && chain.size() <= sentence.size(); word = sentence.heads[word])
      chain.push_back(word);
  };
  std::vector<std::int32_t> up, down;
  above(from, up);
  above(to, down);
  std::size_t rise = 0, fall = down.size();
  for (; rise < up.size(); ++rise) {
    const auto meet = std::ranges::find(down, up[rise]);
    if (meet == down.end()) continue;
    fall = static_cast<std::size_t>(meet - down.begin());
    break;
  }
  steps = rise + fall;
  if (steps > kLongestPath) {
    path = steps = kLongPath;
    return;
  }
  path = feature(kPath);
  for (std::size_t i = 0; i < rise; ++i) path = combine(path, combine(sentence.relations[up[i]], 1));
  for (std::size_t i = fall; i-- > 0;) path = combine(path, combine(sentence.relations[down[i]], 2));
}

// Whether two words, the first on the left, keep their order, or change it.
void fill_pair(const OrderSentence& sentence, std::int32_t left, std::int32_t right, Choices& found) {
  const std::uint64_t one = text_at(sentence.words, left), other = text_at(sentence.words, right);
  std::uint64_t path = 0, steps = 0;
  path_between(sentence, left, right, path, steps);
  const std::uint64_t apart = std::min<std::uint64_t>(static_cast<std::uint64_t>(right - left), 8);
  const std::uint64_t left_tag = text_at(sentence.tags, left), right_tag = text_at(sentence.tags, right);
  for (std::uint64_t order = 0; order < 2; ++order) {
    for (const Cue cue :
         {feature(kBias, order), feature(kLeftWord, order, one), feature(kRightWord, order, other),
          feature(kBoth, order, one, other), feature(kLeftBefore, order, text_at(sentence.words, left - 1)),
          feature(kLeftBehind, order, text_at(sentence.words, left + 1)),
          feature(kRightBefore, order, text_at(sentence.words, right - 1)),
          feature(kRightBehind, order, text_at(sentence.words, right + 1)), feature(kPath, order, path),
          feature(kSteps, order, steps), feature(kApart, order, apart)})
      found.cues.push_back(cue);
    if (!sentence.tags.empty())
      for (const Cue cue :
           {feature(kLeftTag, order, left_tag), feature(kRightTag, order, right_tag),
            feature(kBothTags, order, left_tag, right_tag), feature(kPathTags, order, path, left_tag, right_tag)})
        found.cues.push_back(cue);
    found.end_candidate();
  }
}

}  // namespace

OrderSentence order_sentence(std::span<const std::string_view> words, std::span<const std::string> tags,
                             std::span<const std::int32_t> heads, std::span<const std::string> relations) {
  OrderSentence made;
  for (const std::string_view word : words) made.words.push_back(hash_bytes(word) | 4);
  if (tags.size() == words.size())
    for (const std::string& tag : tags) made.tags.push_back(hash_bytes(tag) | 4);
  if (heads.size() == words.size() && relations.size() == words.size()) {
    made.heads.assign(heads.begin(), heads.end());
    for (const std::string& relation : relations) made.relations.push_back(hash_bytes(relation) | 4);
  }
  return made;
}

std::vector<Jump> jumps_of(std::vector<grammar::SentenceLink> links) {
  std::ranges::sort(links, [](const grammar::SentenceLink& a, const grammar::SentenceLink& b) {
    return a.target != b.target ? a.target < b.target : a.source < b.source;
  });
  std::vector<Jump> found;
  std::int32_t last = -1;
  for (std::size_t from = 0; from < links.size();) {
    std::size_t behind = from;
    while (behind < links.size() && links[behind].target == links[from].target) ++behind;
    const auto first = static_cast<std::int32_t>(links[from].source);
    if (first != last) found.push_back({last, first});
    last = static_cast<std::int32_t>(links[behind - 1].source);
    from = behind;
  }
  return found;
}

std::uint32_t jump_class(std::int32_t jump) noexcept {
  constexpr std::int32_t kLast[] = {-8, -4, -2, -1, 0, 1, 3, 7};
  std::uint32_t found = 0;
  for (const std::int32_t last : kLast) found += jump > last ? 1u : 0u;
  return found;
}

SourceOrderModel SourceOrderModel::train(Kind kind, std::span<const Example> examples, bool future,
                                         const ChoiceTraining& training, const StopCallback& stop) {
  SourceOrderModel made;
  made.kind_ = kind;
  made.future_ = future;
  made.uses_tags_ = std::ranges::any_of(examples, [](const Example& each) { return !each.sentence.tags.empty(); });
  struct Event {
    std::uint32_t example;
    Jump jump;
  };
  std::vector<Event> events;
  for (std::uint32_t number = 0; number < examples.size(); ++number) {
    if (!made.knows(examples[number].sentence)) continue;
    for (const Jump jump : examples[number].jumps)
      if (kind == Kind::kJumps || jump.from >= 0) events.push_back({number, jump});
  }
  if (kind == Kind::kRelations) {
    made.leaving_ = train_choices(
        events.size(),
        [&](std::size_t number, Choices& found) {
          const auto [from, to] = events[number].jump;
          fill_pair(examples[events[number].example].sentence, std::min(from, to), std::max(from, to), found);
          found.taken = from < to ? 0 : 1;
        },
        training, {}, stop);
    return made;
  }
  for (const bool entering : {false, true})
    (entering ? made.entering_ : made.leaving_) = train_choices(
        events.size(),
        [&, entering](std::size_t number, Choices& found) {
          const auto [from, to] = events[number].jump;
          fill_jumps(examples[events[number].example].sentence, entering ? to : from, entering, found);
          found.taken = jump_class(to - from - 1);
        },
        training, {}, stop);
  return made;
}

bool SourceOrderModel::knows(const OrderSentence& sentence) const noexcept {
  if (sentence.words.empty() || (uses_tags_ && sentence.tags.empty())) return false;
  return kind_ == Kind::kJumps || !sentence.heads.empty();
}

void SourceOrderAnswers::begin(const SourceOrderModel& model, OrderSentence sentence) {
  model_ = &model;
  sentence_ = std::move(sentence);
  known_ = model.knows(sentence_);
  leaving_.clear(), entering_.clear(), pairs_.clear();
  if (!known_) return;
  if (model.kind_ == SourceOrderModel::Kind::kRelations) {
    pairs_.assign(size() * size(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  Choices choices;
  std::vector<double> found;
  const auto ask = [&](const ChoiceModel& part, std::int32_t place, bool entering, std::vector<double>& into) {
    choices.clear();
    fill_jumps(sentence_, place, entering, choices);
    part.log_probabilities(choices, found);
    into.insert(into.end(), found.begin(), found.end());
  };
  for (std::int32_t place = -1; place < static_cast<std::int32_t>(size()); ++place) {
    ask(model.leaving_, place, false, leaving_);
    if (place >= 0) ask(model.entering_, place, true, entering_);
  }
}

double SourceOrderAnswers::value(std::int32_t from, std::int32_t to) {
  if (model_->kind_ == SourceOrderModel::Kind::kJumps) {
    const std::uint32_t jump = jump_class(to - from - 1);
    return leaving_[static_cast<std::size_t>(from + 1) * kJumpClasses + jump] +
           entering_[static_cast<std::size_t>(to) * kJumpClasses + jump];
  }
  if (from < 0) return 0;
  double& known = pairs_[static_cast<std::size_t>(from) * size() + static_cast<std::size_t>(to)];
  if (std::isnan(known)) {
    Choices choices;
    std::vector<double> found;
    fill_pair(sentence_, std::min(from, to), std::max(from, to), choices);
    model_->leaving_.log_probabilities(choices, found);
    known = found[from < to ? 0 : 1];
  }
  return known;
}

void SourceOrderModel::save(const std::filesystem::path& path) const {
  BinaryWriter writer(path, kChoiceModelFormat, kOrderSections);
  writer.section(std::vector<std::uint64_t>{static_cast<std::uint64_t>(kind_), uses_tags_ ? 1u : 0u, future_ ? 1u : 0u,
                                            kHashVersion});
  for (const ChoiceModel* part : {&leaving_, &entering_}) {
    writer.section(part->cues());
    writer.section(part->weights());
  }
  writer.finish();
}

SourceOrderModel SourceOrderModel::open(const std::filesystem::path& path) {
  const BinaryFile file(path, kChoiceModelFormat, kOrderSections);
  const auto numbers = file.section<std::uint64_t>(0);
  file.require(numbers.size() == 4 && numbers[0] <= static_cast<std::uint64_t>(Kind::kRelations), "numbers");
  file.require(numbers[3] == kHashVersion, "hashes of another version");
  SourceOrderModel made;
  made.kind_ = static_cast<Kind>(numbers[0]);
  made.uses_tags_ = numbers[1] != 0;
  made.future_ = numbers[2] != 0;
  made.leaving_ = ChoiceModel::read(file, 1);
  made.entering_ = ChoiceModel::read(file, 3);
  return made;
}

void SourceOrderFeature::begin(const SentenceView& sentence, std::span<const OptionView>) {
  const SentenceMarks& marks = sentence.marks();
  answers_.begin(*model_, order_sentence(sentence.words(), marks.tags, marks.heads, marks.relations));
  states_.clear();
}

// Of going back to the first gap, if that lies behind.
double SourceOrderFeature::to_come(const State& state) {
  const auto gap = static_cast<std::int32_t>(state.coverage.first_gap);
  return gap > state.last || gap >= static_cast<std::int32_t>(answers_.size()) ? 0 : answers_.value(state.last, gap);
}

StateId SourceOrderFeature::extend(StateId from, const OptionView& option, Fire& fire) {
  if (!answers_.known()) return from;
  const State before = states_[from];
  State after{{}, option.span.end - 1};
  double sum = answers_.value(before.last, option.span.start);
  if (model_->future()) {
    after.coverage = before.coverage.with(option.span);
    sum += to_come(after) - to_come(before);
  }
  fire(feature_, sum);
  return intern(after);
}

}  // namespace dragoman::features
