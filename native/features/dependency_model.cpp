#include "features/dependency_model.hpp"

#include <algorithm>

#include "common/binary_file.hpp"
#include "common/hash.hpp"

namespace dragoman::features {

using annotations::feature;

namespace {

constexpr std::size_t kDependencySections = 6;
constexpr std::uint64_t kDependencyKind = 2;  // after those of SourceOrderModel
enum ArcShape : std::uint64_t {
  kOfTag = 100,
  kOfEnding,
  kOfBefore,
  kOfWordBefore,
  kArcWords,
  kHeadTag,
  kWordTag,
  kArcTags,
  kArcTagsFar,
  kHeadWord,
  kBetween,
  kBesides,
  kFar,
};

std::uint64_t distance_bin(std::ptrdiff_t apart) noexcept {
  const std::ptrdiff_t size = std::min<std::ptrdiff_t>(apart < 0 ? -apart : apart, 7);
  return static_cast<std::uint64_t>(size * 2 + (apart < 0 ? 1 : 0));
}

void fill_tags(const DependencyWord& word, DependencyModel::Tag before, std::size_t tags, Choices& found) {
  for (std::uint64_t tag = 0; tag < tags; ++tag) {
    for (const Cue cue : {feature(kOfTag, tag, word.word), feature(kOfEnding, tag, word.ending),
                          feature(kOfBefore, tag, before), feature(kOfWordBefore, tag, word.ending, before)})
      found.cues.push_back(cue);
    found.end_candidate();
  }
}

}  // namespace

// The last three letters of a word tell much of its tag.
DependencyWord dependency_word(std::string_view text) {
  std::size_t start = text.size();
  for (int letters = 0; start > 0 && letters < 3; ++letters) {
    --start;
    while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0u) == 0x80u) --start;
  }
  return {hash_bytes(text), hash_bytes(text.substr(start), 1)};
}

DependencyModel::Tag DependencyModel::tag(const DependencyWord& word, Tag before) const {
  Choices choices;
  fill_tags(word, before, tags_.size(), choices);
  Tag best = 0;
  double most = tagger_.score(choices.candidate(0));
  for (Tag each = 1; each < tags_.size(); ++each)
    if (const double score = tagger_.score(choices.candidate(each)); score > most) best = each, most = score;
  return best;
}

void DependencyModel::fill(std::span<const Place> places, std::ptrdiff_t head, std::ptrdiff_t word,
                           std::vector<Cue>& cues) const {
  const Place& of = places[static_cast<std::size_t>(word)];
  if (head < 0) {
    for (const Cue cue : {feature(kArcWords, 0, of.word), feature(kHeadTag, 0, of.tag), feature(kFar, 0),
                          feature(kBesides, 0, of.tag, of.before)})
      cues.push_back(cue);
    return;
  }
  const Place& above = places[static_cast<std::size_t>(head)];
  const std::uint64_t apart = distance_bin(word - head), side = head < word ? 1 : 2;
  for (const Cue cue : {feature(kArcWords, side, above.word, of.word), feature(kHeadTag, side, above.tag, of.word),
                        feature(kWordTag, side, above.word, of.tag), feature(kArcTags, side, above.tag, of.tag),
                        feature(kArcTagsFar, apart, above.tag, of.tag), feature(kHeadWord, side, above.word),
                        feature(kBesides, side, above.tag, above.before, of.tag, of.before), feature(kFar, apart)})
    cues.push_back(cue);
  for (std::ptrdiff_t at = std::min(head, word) + 1; at < std::max(head, word); ++at)
    cues.push_back(feature(kBetween, side, above.tag, places[static_cast<std::size_t>(at)].tag, of.tag));
}

double DependencyModel::add(std::vector<Place>& places, const DependencyWord& word, Tag tag,
                            std::vector<std::int32_t>* heads) const {
  places.push_back({word.word, tag, places.empty() ? kStart : places.back().tag, 0});
  const auto last = static_cast<std::ptrdiff_t>(places.size()) - 1;
  const auto first_number =
      heads == nullptr ? 0 : static_cast<std::int32_t>(heads->size()) - static_cast<std::int32_t>(last);
  std::vector<Cue> cues;
  const auto score = [&](std::ptrdiff_t head, std::ptrdiff_t below) {
    cues.clear();
    fill(places, head, below, cues);
    return static_cast<float>(arcs_.score(cues));
  };
  Place& own = places.back();
  own.best = score(-1, last);
  std::int32_t own_head = -1;
  double grown = 0;
  for (std::ptrdiff_t at = 0; at < last; ++at) {
    if (const float found = score(at, last); found > own.best) {
      own.best = found;
      own_head = first_number + static_cast<std::int32_t>(at);
    }
    Place& other = places[static_cast<std::size_t>(at)];
    if (const float found = score(last, at); found > other.best) {
      grown += static_cast<double>(found) - static_cast<double>(other.best);
      other.best = found;
      if (heads != nullptr)
        (*heads)[static_cast<std::size_t>(first_number + at)] = first_number + static_cast<std::int32_t>(last);
    }
  }
  if (heads != nullptr) heads->push_back(own_head);
  grown += static_cast<double>(own.best);
  if (window_ != 0 && places.size() > window_) places.erase(places.begin());
  return grown;
}

DependencyModel DependencyModel::train(std::span<const Example> examples, std::vector<std::string> tags,
                                       std::uint32_t window, const ChoiceTraining& training, const StopCallback& stop) {
  DependencyModel made;
  made.window_ = window;
  made.tags_ = std::move(tags);
  struct Event {
    std::uint32_t example, word;
  };
  std::vector<Event> events;
  for (std::uint32_t number = 0; number < examples.size(); ++number)
    for (std::uint32_t word = 0; word < examples[number].words.size(); ++word) events.push_back({number, word});
  made.tagger_ = train_choices(
      events.size(),
      [&](std::size_t number, Choices& found) {
        const Example& of = examples[events[number].example];
        const std::uint32_t at = events[number].word;
        fill_tags(of.words[at], at == 0 ? kStart : of.tags[at - 1], made.tags_.size(), found);
        found.taken = of.tags[at];
      },
      training, {}, stop);
  // Arcs are learned over the tags that search will see.
  std::vector<std::vector<Place>> places(examples.size());
  for (std::size_t number = 0; number < examples.size(); ++number)
    for (const DependencyWord& word : examples[number].words) {
      const Tag before = places[number].empty() ? kStart : places[number].back().tag;
      places[number].push_back({word.word, made.tag(word, before), before, 0});
    }
  made.arcs_ = train_choices(
      events.size(),
      [&](std::size_t number, Choices& found) {
        const Example& of = examples[events[number].example];
        const auto at = static_cast<std::ptrdiff_t>(events[number].word);
        const std::ptrdiff_t head = of.heads[events[number].word];
        const auto reach =
            window == 0 ? static_cast<std::ptrdiff_t>(of.words.size()) : static_cast<std::ptrdiff_t>(window);
        if (head >= 0 && (head - at > reach || at - head > reach)) return;  // not to be seen from here
        for (std::ptrdiff_t candidate = -1; candidate < static_cast<std::ptrdiff_t>(of.words.size()); ++candidate) {
          if (candidate == at || (candidate >= 0 && (candidate - at > reach || at - candidate > reach))) continue;
          if (candidate == (head < 0 ? -1 : head)) found.taken = static_cast<std::uint32_t>(found.ends.size());
          made.fill(places[events[number].example], candidate, at, found.cues);
          found.end_candidate();
        }
      },
      training, {}, stop);
  return made;
}

void DependencyModel::save(const std::filesystem::path& path) const {
  BinaryWriter writer(path, kChoiceModelFormat, kDependencySections);
  writer.section(std::vector<std::uint64_t>{kDependencyKind, 1, window_, kHashVersion});
  std::vector<char> names;
  for (const std::string& tag : tags_) {
    names.insert(names.end(), tag.begin(), tag.end());
    names.push_back('\n');
  }
  writer.section(names);
  for (const ChoiceModel* part : {&tagger_, &arcs_}) {
    writer.section(part->cues());
    writer.section(part->weights());
  }
  writer.finish();
}

DependencyModel DependencyModel::open(const std::filesystem::path& path) {
  const BinaryFile file(path, kChoiceModelFormat, kDependencySections);
  const auto numbers = file.section<std::uint64_t>(0);
  file.require(numbers.size() == 4 && numbers[0] == kDependencyKind, "numbers");
  file.require(numbers[3] == kHashVersion, "hashes of another version");
  DependencyModel made;
  made.window_ = static_cast<std::uint32_t>(numbers[2]);
  std::string name;
  for (const char letter : file.section<char>(1)) {
    if (letter != '\n') {
      name.push_back(letter);
      continue;
    }
    made.tags_.push_back(name);
    name.clear();
  }
  file.require(!made.tags_.empty() && made.tags_.size() < kStart, "tags");
  made.tagger_ = ChoiceModel::read(file, 2);
  made.arcs_ = ChoiceModel::read(file, 4);
  return made;
}

void DependencyModelFeature::begin(const SentenceView& sentence, std::span<const OptionView>) {
  sentence_ = &sentence;
  states_.clear();
  words_.clear();
  tags_.clear();
}

StateId DependencyModelFeature::intern(const State& state) {
  std::uint64_t hash = state.size();
  for (const DependencyModel::Place& place : state)
    hash = combine(combine(hash, place.word), combine(place.tag, hash_bytes(&place.best, sizeof place.best)));
  return states_.intern(state, hash);
}

const DependencyWord& DependencyModelFeature::word(WordId id) {
  const auto [found, fresh] = words_.try_emplace(id);
  if (fresh) found->second = dependency_word(sentence_->spell_target(id));
  return found->second;
}

DependencyModel::Tag DependencyModelFeature::tag(WordId id, DependencyModel::Tag before) {
  const auto [found, fresh] = tags_.try_emplace(std::uint64_t{id} << 16 | before);
  if (fresh) found->second = use_.model->tag(word(id), before);
  return found->second;
}

StateId DependencyModelFeature::extend(StateId from, const OptionView& option, Fire& fire) {
  State state = states_[from];
  double grown = 0;
  for (const WordId id : option.target) {
    const DependencyModel::Tag before = state.empty() ? DependencyModel::kStart : state.back().tag;
    grown += use_.model->add(state, word(id), tag(id, before));
  }
  if (grown != 0) fire(use_.feature, grown);
  return intern(state);
}

}  // namespace dragoman::features
