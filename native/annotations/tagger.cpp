#include "annotations/tagger.hpp"

#include <algorithm>
#include <array>

#include "common/error.hpp"

namespace dragoman::annotations {

namespace {

constexpr std::size_t kPrefixes = 3, kSuffixes = 5;
constexpr std::uint64_t kEdge = 0x5eedf00d;  // stands for whatever lies beyond the sentence

// What a token looks like, hashed.
struct Look {
  std::uint64_t form, lowered, shape;
  std::array<std::uint64_t, kPrefixes> prefixes{};
  std::array<std::uint64_t, kSuffixes> suffixes{};
};

[[nodiscard]] bool starts_letter(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

// Capitals, digits, hyphens: what letters cannot tell about a word that was never seen.
[[nodiscard]] std::uint64_t shape(std::string_view form, std::string_view lowered) noexcept {
  const bool first = !form.empty() && form.substr(0, 1) != lowered.substr(0, 1);
  bool later = false, digit = false, hyphen = false, letter = false, other = false;
  for (std::size_t at = 0; at < form.size(); ++at) {
    const auto byte = static_cast<unsigned char>(form[at]);
    later = later || (at > 0 && at < lowered.size() && form[at] != lowered[at]);
    digit = digit || (byte >= '0' && byte <= '9');
    hyphen = hyphen || byte == '-';
    const bool alphabetic = byte >= 0x80 || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    letter = letter || alphabetic;
    other = other || (!alphabetic && byte != '-' && (byte < '0' || byte > '9'));
  }
  return std::uint64_t{first} | std::uint64_t{later} << 1 | std::uint64_t{digit} << 2 | std::uint64_t{hyphen} << 3 |
         std::uint64_t{letter} << 4 | std::uint64_t{other} << 5;
}

[[nodiscard]] Look look(std::string_view form, std::string_view lowered) {
  Look out{hash_bytes(form), hash_bytes(lowered), shape(form, lowered)};
  std::size_t cut = 0;
  for (std::size_t length = 0; length < kPrefixes; ++length) {
    if (cut < lowered.size()) {
      do ++cut;
      while (cut < lowered.size() && !starts_letter(lowered[cut]));
    }
    out.prefixes[length] = hash_bytes(lowered.substr(0, cut));
  }
  cut = lowered.size();
  for (std::size_t length = 0; length < kSuffixes; ++length) {
    if (cut > 0) {
      do --cut;
      while (cut > 0 && !starts_letter(lowered[cut]));
    }
    out.suffixes[length] = hash_bytes(lowered.substr(cut));
  }
  return out;
}

// One sentence, hashed, with the labels given to it so far.
class Reader {
 public:
  void load(const Columns& sentences, std::size_t sentence) {
    const std::size_t begin = sentences.begin(sentence), size = sentences.size(sentence);
    looks_.clear();
    for (std::size_t at = begin; at < begin + size; ++at) {
      looks_.push_back(look(sentences.words[at], sentences.lowered[at]));
    }
    given_.resize(sentences.given.size());
    for (std::size_t column = 0; column < given_.size(); ++column) {
      given_[column].clear();
      for (std::size_t at = begin; at < begin + size; ++at) {
        given_[column].push_back(hash_bytes(sentences.given[column][at]));
      }
    }
  }

  [[nodiscard]] std::span<const Feature> features(std::size_t at, std::uint64_t last, std::uint64_t before_last) {
    features_.clear();
    std::uint64_t shape = 0;
    const auto add = [&](auto... atoms) { features_.push_back(feature(shape++, atoms...)); };
    const auto word = [&](std::ptrdiff_t step) { return within(at, step) ? looks_[at + step].lowered : kEdge; };
    const auto ending = [&](std::ptrdiff_t step) { return within(at, step) ? looks_[at + step].suffixes[2] : kEdge; };
    const auto outline = [&](std::ptrdiff_t step) { return within(at, step) ? looks_[at + step].shape : kEdge; };
    const Look& own = looks_[at];
    add();
    add(own.form);
    add(own.lowered);
    add(own.shape, at == 0);
    for (const std::uint64_t part : own.prefixes) add(part);
    for (const std::uint64_t part : own.suffixes) add(part);
    add(own.suffixes[1], own.shape);
    add(last);
    add(before_last, last);
    add(last, own.lowered);
    add(last, own.suffixes[2]);
    add(before_last, last, own.lowered);
    add(last, word(1));
    for (const std::ptrdiff_t step : {-2, -1, 1, 2}) add(word(step));
    for (const std::ptrdiff_t step : {-1, 1}) {
      add(ending(step));
      add(outline(step), own.shape);
      add(word(step), own.lowered);
    }
    add(word(-1), own.lowered, word(1));
    add(word(1), word(2));
    add(word(-2), word(-1));
    add(ending(1), last);
    shape = 64;  // numbers of templates over what is given do not depend on those above
    for (const auto& column : given_) {
      const auto known = [&](std::ptrdiff_t step) { return within(at, step) ? column[at + step] : kEdge; };
      add(known(0));
      add(known(0), own.form);
      for (const std::uint64_t part : own.prefixes) add(known(0), part);
      for (const std::uint64_t part : own.suffixes) add(known(0), part);
      add(known(0), own.shape);
      add(known(-1), known(0));
      add(known(0), known(1));
      add(known(-1), known(0), known(1));
      add(known(-2), known(-1), known(0));
      add(known(0), known(1), known(2));
      add(known(0), last);
      add(known(0), known(1), last);
      add(known(0), before_last, last);
      add(known(-1), own.lowered);
      add(known(1), own.lowered);
      add(known(-2), known(2));
    }
    return features_;
  }

 private:
  [[nodiscard]] bool within(std::size_t at, std::ptrdiff_t step) const noexcept {
    const auto place = static_cast<std::ptrdiff_t>(at) + step;
    return place >= 0 && place < static_cast<std::ptrdiff_t>(looks_.size());
  }

  std::vector<Look> looks_;
  std::vector<std::vector<std::uint64_t>> given_;
  std::vector<Feature> features_;
};

}  // namespace

Tagger Tagger::train(const Columns& sentences, std::span<const Label> gold, std::size_t labels,
                     const Schedule& schedule, const std::function<void(int, std::size_t)>& told,
                     const StopCallback& stop) {
  sentences.check();
  if (gold.size() != sentences.words.size()) throw InputError("a label for each token is needed");
  for (const Label label : gold) {
    if (label >= labels) throw InputError("a label out of range");
  }
  Learner learner;
  Reader reader;
  std::vector<float> scores(labels);
  for (int epoch = 0; epoch < schedule.epochs; ++epoch) {
    std::size_t right = 0, seen = 0;
    for (const std::uint32_t sentence : shuffled(sentences.ends.size(), schedule.seed, static_cast<unsigned>(epoch))) {
      if (stop && ++seen % 256 == 0 && stop()) throw Interrupted();
      reader.load(sentences, sentence);
      const std::size_t begin = sentences.begin(sentence);
      std::uint64_t last = kEdge, before_last = kEdge;
      for (std::size_t at = 0; at < sentences.size(sentence); ++at) {
        learner.step();
        const auto features = reader.features(at, last, before_last);
        std::fill(scores.begin(), scores.end(), 0.0f);
        learner.add(features, scores);
        const Label guess = best_label(scores), truth = gold[begin + at];
        if (guess == truth) {
          ++right;
        } else {
          learner.update(features, truth, 1);
          learner.update(features, guess, -1);
        }
        before_last = last;
        last = guess;
      }
    }
    if (told) told(epoch, right);
  }
  return {Weights(learner.averaged(schedule.least), labels), labels};
}

std::vector<Label> Tagger::tag(const Columns& sentences, int threads, const StopCallback& stop) const {
  sentences.check();
  std::vector<Label> found(sentences.words.size());
  parallel_ranges(
      sentences.ends.size(), 64, threads,
      [&](std::size_t from, std::size_t to) {
        Reader reader;
        std::vector<float> scores(labels_);
        for (std::size_t sentence = from; sentence < to; ++sentence) {
          reader.load(sentences, sentence);
          const std::size_t begin = sentences.begin(sentence);
          std::uint64_t last = kEdge, before_last = kEdge;
          for (std::size_t at = 0; at < sentences.size(sentence); ++at) {
            std::fill(scores.begin(), scores.end(), 0.0f);
            weights_.add(reader.features(at, last, before_last), scores);
            found[begin + at] = best_label(scores);
            before_last = last;
            last = found[begin + at];
          }
        }
      },
      stop);
  return found;
}

}  // namespace dragoman::annotations
