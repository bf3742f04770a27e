#pragma once
// A dependency language model inside search (Galley and Manning 2009): every target word has a score for the best head
// that it can have among the words so far. When a word is added, it looks for its own head among those before it, and
// those before it may find a better one in it; what the sum of all best scores grows by is the value of the step. Heads
// are not made into a tree. Tags are found from left to right, too, by a tagger that knows the word and the tag before.
//
// With a window, only words that close to each other can be joined, and the state is just these words with what they
// have found; without, it is all that was written, so that nothing recombines but what is equal throughout.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/interned.hpp"
#include "features/choice_model.hpp"
#include "features/feature.hpp"

namespace dragoman::features {

// A word as the model sees it: what is hashed of it.
struct DependencyWord {
  std::uint64_t word, ending;
  friend bool operator==(const DependencyWord&, const DependencyWord&) = default;
};
[[nodiscard]] DependencyWord dependency_word(std::string_view text);

class DependencyModel {
 public:
  using Tag = std::uint16_t;
  static constexpr Tag kStart = 0xffff;  // before the first word

  // A sentence of training: words, tags by number, and heads, negative for the root.
  struct Example {
    std::vector<DependencyWord> words;
    std::vector<Tag> tags;
    std::vector<std::int32_t> heads;
  };
  [[nodiscard]] static DependencyModel train(std::span<const Example> examples, std::vector<std::string> tags,
                                             std::uint32_t window, const ChoiceTraining& training,
                                             const StopCallback& stop);
  [[nodiscard]] static DependencyModel open(const std::filesystem::path& path);
  void save(const std::filesystem::path& path) const;

  [[nodiscard]] std::uint32_t window() const noexcept { return window_; }  // 0: any distance
  [[nodiscard]] const std::vector<std::string>& tag_names() const noexcept { return tags_; }
  [[nodiscard]] Tag tag(const DependencyWord& word, Tag before) const;

  // Words that were written and can still be joined to others, the last at the end.
  struct Place {
    std::uint64_t word;
    Tag tag, before;  // its own, and that of the word before it
    float best;       // score of the best head so far
    friend bool operator==(const Place&, const Place&) = default;
  };
  // Adds a word, forgets what is too far away, and gives what the sum of best scores grows by. `heads`, if it is asked
  // for, has the number of the best head of each word so far, from 0, and -1 for the root.
  double add(std::vector<Place>& places, const DependencyWord& word, Tag tag,
             std::vector<std::int32_t>* heads = nullptr) const;

  // How well a place hangs on another; -1 is the root.
  [[nodiscard]] double arc_score(std::span<const Place> places, std::ptrdiff_t head, std::ptrdiff_t word) const {
    std::vector<Cue> cues;
    fill(places, head, word, cues);
    return arcs_.score(cues);
  }

 private:
  // Cues of an arc between two of the places, or from the root; numbers count places, -1 is the root.
  void fill(std::span<const Place> places, std::ptrdiff_t head, std::ptrdiff_t word, std::vector<Cue>& cues) const;

  std::uint32_t window_ = 0;
  std::vector<std::string> tags_;
  ChoiceModel tagger_, arcs_;
};

struct DependencyUse {
  std::shared_ptr<const DependencyModel> model;
  FeatureId feature;
};

class DependencyModelFeature final : public StateFeature {
 public:
  explicit DependencyModelFeature(DependencyUse use) : use_(std::move(use)) {}

  void begin(const SentenceView& sentence, std::span<const OptionView> options) override;
  StateId start() override { return intern({}); }
  StateId extend(StateId from, const OptionView& option, Fire& fire) override;
  void finish(StateId, Fire&) override {}
  [[nodiscard]] std::string label() const override { return "the dependency language model"; }
  [[nodiscard]] std::string remedy() const override { return "train without it: dependency_lm=false"; }

 private:
  using State = std::vector<DependencyModel::Place>;
  StateId intern(const State& state);
  [[nodiscard]] const DependencyWord& word(WordId id);
  [[nodiscard]] DependencyModel::Tag tag(WordId id, DependencyModel::Tag before);

  DependencyUse use_;
  const SentenceView* sentence_ = nullptr;
  Interned<State> states_;
  std::unordered_map<WordId, DependencyWord> words_;
  std::unordered_map<std::uint64_t, DependencyModel::Tag> tags_;
};

}  // namespace dragoman::features
