#include "annotations/parser.hpp"

#include <algorithm>
#include <limits>

#include "annotations/transitions.hpp"
#include "common/error.hpp"

namespace dragoman::annotations {

namespace {

constexpr std::size_t kMostTogether = 32;  // sentences that are decoded with the same weights
constexpr std::uint64_t kNowhere = 0x4e0;  // stands for a node that is not there
constexpr int kMostBeam = 256;

// What the features see of a sentence: hashed words and tags, the root's place first.
struct Words {
  std::vector<std::uint64_t> word, coarse, fine;

  void load(const Columns& sentences, std::size_t sentence) {
    word.assign(1, 1);
    coarse.assign(1, 1);
    fine.assign(1, 1);
    const std::size_t begin = sentences.begin(sentence), end = begin + sentences.size(sentence);
    for (std::size_t at = begin; at < end; ++at) {
      word.push_back(hash_bytes(sentences.lowered[at]));
      coarse.push_back(hash_bytes(sentences.given[0][at]));
      fine.push_back(hash_bytes(sentences.given[1][at]));
    }
  }
};

void collect(const State& state, const Words& words, std::vector<Feature>& out) {
  out.clear();
  std::uint64_t shape = 0;
  const auto add = [&](auto... atoms) { out.push_back(feature(shape++, atoms...)); };
  const auto value = [](const std::vector<std::uint64_t>& of, std::int32_t at) { return at < 0 ? kNowhere : of[at]; };
  const std::int32_t s0 = state.top(0), s1 = state.top(1), s2 = state.top(2), s3 = state.top(3);
  const std::int32_t b0 = state.next(0), b1 = state.next(1), b2 = state.next(2);
  static constexpr Node kEmpty{};
  const Node& n0 = s0 < 0 ? kEmpty : state.node(s0);
  const Node& n1 = s1 < 0 ? kEmpty : state.node(s1);
  const Node& nb = b0 < 0 ? kEmpty : state.node(b0);
  const auto label = [&](std::int32_t at) { return at < 0 ? kNowhere : std::uint64_t{state.node(at).label} + 1; };
  const std::uint64_t w0 = value(words.word, s0), w1 = value(words.word, s1), w2 = value(words.word, s2);
  const std::uint64_t t0 = value(words.fine, s0), t1 = value(words.fine, s1), t2 = value(words.fine, s2);
  const std::uint64_t p0 = value(words.coarse, s0), p1 = value(words.coarse, s1), p2 = value(words.coarse, s2);
  const std::uint64_t wb = value(words.word, b0), tb = value(words.fine, b0), pb = value(words.coarse, b0);
  const std::uint64_t wb1 = value(words.word, b1), tb1 = value(words.fine, b1), pb1 = value(words.coarse, b1);
  const std::uint64_t tb2 = value(words.fine, b2), pb2 = value(words.coarse, b2);
  const auto coarse = [&](std::int32_t at) { return value(words.coarse, at); };
  const auto fine = [&](std::int32_t at) { return value(words.fine, at); };
  const auto word = [&](std::int32_t at) { return value(words.word, at); };
  const int apart = s1 < 0 ? 0 : std::abs(s0 - s1);
  const std::uint64_t distance = apart < 5 ? apart : apart < 10 ? 5 : 6;

  // single nodes
  add(w0, t0);
  add(w0);
  add(t0);
  add(p0);
  add(w1, t1);
  add(w1);
  add(t1);
  add(p1);
  add(w2, t2);
  add(t2);
  add(p2);
  add(coarse(s3));
  add(wb, tb);
  add(wb);
  add(tb);
  add(pb);
  add(wb1, tb1);
  add(wb1);
  add(tb1);
  add(tb2);
  // pairs
  add(w0, t0, w1, t1);
  add(w0, t0, w1);
  add(w0, w1, t1);
  add(w0, t0, t1);
  add(t0, w1, t1);
  add(w0, w1);
  add(t0, t1);
  add(p0, p1);
  add(w0, p1);
  add(p0, w1);
  add(t0, tb);
  add(p0, pb);
  add(w0, t0, tb);
  add(t0, wb, tb);
  add(w0, wb);
  add(w0, pb);
  add(p0, wb);
  add(t1, tb);
  add(p1, pb);
  add(w1, wb);
  add(w1, pb);
  add(p1, wb);
  add(tb, tb1);
  add(pb, pb1);
  add(p2, p1);
  // triples
  add(t0, t1, tb);
  add(p0, p1, pb);
  add(w0, p1, pb);
  add(p0, w1, pb);
  add(p0, p1, wb);
  add(p2, p1, p0);
  add(t2, t1, t0);
  add(p0, pb, pb1);
  add(t0, tb, tb1);
  add(p1, p0, pb, pb1);
  add(pb, pb1, pb2);
  add(p2, p1, p0, pb);
  add(w2, p1, p0);
  // dependents
  add(p0, p1, coarse(n0.left));
  add(p0, p1, coarse(n0.right));
  add(p0, p1, coarse(n1.left));
  add(p0, p1, coarse(n1.right));
  add(t0, t1, fine(n0.left));
  add(t0, t1, fine(n1.right));
  add(t0, t1, fine(n1.left));
  add(t0, t1, fine(n0.right));
  add(p0, p1, label(n0.left));
  add(p0, p1, label(n0.right));
  add(p0, p1, label(n1.left));
  add(p0, p1, label(n1.right));
  add(p0, p1, label(n0.left), label(n0.left2));
  add(p0, p1, label(n1.right), label(n1.right2));
  add(p1, p0, label(n1.left), label(n1.left2));
  add(w0, p1, label(n0.left));
  add(w1, p0, label(n1.right));
  add(w1, p0, label(n1.left));
  add(w1, coarse(n1.right), p0);
  add(p1, word(n1.right), p0);
  add(p1, word(n0.left), p0);
  add(p1, p0, word(n0.right));
  add(w0, w1, label(n0.left));
  add(p0, label(n0.left), label(n0.right));
  add(p1, label(n1.left), label(n1.right));
  // which dependents, how many, how far
  add(w0, n0.left_labels);
  add(p0, n0.left_labels);
  add(w1, n1.left_labels);
  add(p1, n1.left_labels);
  add(w0, n0.right_labels);
  add(p0, n0.right_labels);
  add(w1, n1.right_labels);
  add(p1, n1.right_labels);
  add(w0, n0.lefts);
  add(t0, n0.lefts);
  add(w1, n1.lefts);
  add(t1, n1.lefts);
  add(w1, n1.rights);
  add(t1, n1.rights);
  add(p0, n0.rights);
  add(pb, nb.lefts);
  add(w0, distance);
  add(t0, distance);
  add(w1, distance);
  add(t1, distance);
  add(w0, w1, distance);
  add(t0, t1, distance);
  add(p0, p1, pb, distance);
  // what comes next decides whether a node still waits for dependents
  add(wb, pb1);
  add(pb, wb1);
  add(w0, wb1);
  add(w1, wb1);
  add(w0, wb, tb1);
  add(w1, wb, tb1);
  add(p1, w0, wb);
  add(w1, p0, wb);
  add(w1, w0, wb);
  add(p1, p0, wb, pb1);
  add(p1, p0, wb, wb1);
  add(p0, pb, pb1, pb2);
  add(p1, p0, pb, pb1, pb2);
  // function words are dependents of what they introduce, and tell how it attaches
  add(w1, p0, word(n0.left));
  add(w1, w0, word(n0.left));
  add(p2, p1, p0, word(n0.left));
  add(w2, p1, p0, word(n0.left));
  add(p1, p0, word(n0.left), word(n0.left2));
  add(p1, p0, word(n1.left), word(n0.left));
  add(p1, label(n1.right), p0, word(n0.left));
}

struct Step {
  std::int32_t parent;  // among the survivors of the step before
  Action action;
  float score;
};

// All that a beam needs for one sentence, kept between sentences.
struct Search {
  std::vector<State> states, fresh;
  std::vector<float> totals, scores;
  std::vector<Step> candidates;
  std::vector<std::vector<Step>> history;
  std::vector<Feature> features;
};

template <typename Scorer>
void score(const State& state, const Words& words, const Scorer& scorer, std::size_t actions, Search& work) {
  collect(state, words, work.features);
  work.scores.assign(actions, 0.0f);
  scorer.add(work.features, work.scores);
}

// One step of the beam: the best continuations of all states, by score, then by where they come from.
template <typename Scorer>
void advance(const Words& words, const Scorer& scorer, std::size_t actions, std::size_t beam, Search& work) {
  work.candidates.clear();
  for (std::size_t parent = 0; parent < work.states.size(); ++parent) {
    const State& state = work.states[parent];
    const auto from = static_cast<std::int32_t>(parent);
    if (state.finished()) {
      work.candidates.push_back({from, std::numeric_limits<Action>::max(), work.totals[parent]});
      continue;
    }
    score(state, words, scorer, actions, work);
    const auto offer = [&](Action action) {
      work.candidates.push_back({from, action, work.totals[parent] + work.scores[action]});
    };
    if (state.can_shift()) offer(kShift);
    if (state.can_swap()) offer(kSwap);
    for (std::size_t action = kArcs; action < actions; ++action) {
      if (action % 2 == 0 ? state.can_go_left() : state.can_go_right()) offer(static_cast<Action>(action));
    }
  }
  const auto better = [](const Step& a, const Step& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.parent != b.parent ? a.parent < b.parent : a.action < b.action;
  };
  const std::size_t kept = std::min(beam, work.candidates.size());
  std::partial_sort(work.candidates.begin(), work.candidates.begin() + static_cast<std::ptrdiff_t>(kept),
                    work.candidates.end(), better);
  work.candidates.resize(kept);
  work.fresh.resize(kept);
  work.totals.resize(kept);
  for (std::size_t at = 0; at < kept; ++at) {
    const Step& step = work.candidates[at];
    work.fresh[at] = work.states[static_cast<std::size_t>(step.parent)];
    if (step.action != std::numeric_limits<Action>::max()) work.fresh[at].apply(step.action);
    work.totals[at] = step.score;
  }
  work.states.swap(work.fresh);
  work.history.push_back(work.candidates);
}

void begin(std::size_t tokens, Search& work) {
  work.states.resize(1);
  work.states[0].start(tokens);
  work.totals.assign(1, 0.0f);
  work.history.clear();
}

[[nodiscard]] bool all_finished(const Search& work) {
  return std::all_of(work.states.begin(), work.states.end(), [](const State& state) { return state.finished(); });
}

// The actions that led to survivor `at` of step `steps`, without the waiting of finished states.
[[nodiscard]] std::vector<Action> actions_of(const Search& work, std::size_t steps, std::size_t at) {
  std::vector<Action> actions;
  for (std::size_t step = steps; step > 0; --step) {
    const Step& taken = work.history[step - 1][at];
    if (taken.action != std::numeric_limits<Action>::max()) actions.push_back(taken.action);
    at = static_cast<std::size_t>(taken.parent);
  }
  std::reverse(actions.begin(), actions.end());
  return actions;
}

// What is to be learnt from one sentence: two prefixes, the right one and the one that the beam preferred.
struct Lesson {
  std::vector<Action> right, wrong;
};

[[nodiscard]] Lesson decode_for_lesson(const Words& words, std::span<const Action> gold, const Learner& learner,
                                       std::size_t actions, std::size_t beam, Search& work) {
  begin(words.word.size() - 1, work);
  State truth = work.states[0];
  float truth_score = 0, worst = 0;
  std::size_t worst_step = 0;
  bool among = true;      // whether the right prefix is still in the beam
  std::size_t place = 0;  // and where
  Lesson lesson;
  for (std::size_t step = 0; step < gold.size(); ++step) {
    score(truth, words, learner, actions, work);
    truth_score += work.scores[gold[step]];
    truth.apply(gold[step]);
    advance(words, learner, actions, beam, work);
    bool still = false;
    for (std::size_t at = 0; among && at < work.candidates.size() && !still; ++at) {
      if (work.candidates[at].parent == static_cast<std::int32_t>(place) && work.candidates[at].action == gold[step]) {
        place = at;
        still = true;
      }
    }
    among = still;
    const bool last = step + 1 == gold.size();
    const bool mistaken = !among || (last && place != 0);
    const float violation = work.totals[0] - truth_score;
    if (mistaken && (worst_step == 0 || violation > worst)) {
      worst = violation;
      worst_step = step + 1;
      lesson.wrong = actions_of(work, step + 1, 0);
    }
  }
  if (worst_step > 0) lesson.right.assign(gold.begin(), gold.begin() + static_cast<std::ptrdiff_t>(worst_step));
  return lesson;
}

void learn(const Words& words, const Lesson& lesson, Learner& learner, std::vector<Feature>& features) {
  std::size_t same = 0;  // equal beginnings cancel out
  while (same < lesson.right.size() && same < lesson.wrong.size() && lesson.right[same] == lesson.wrong[same]) ++same;
  const auto replay = [&](const std::vector<Action>& actions, float change) {
    State state;
    state.start(words.word.size() - 1);
    for (std::size_t step = 0; step < actions.size(); ++step) {
      if (step >= same) {
        collect(state, words, features);
        learner.update(features, actions[step], change);
      }
      state.apply(actions[step]);
    }
  };
  replay(lesson.right, 1);
  replay(lesson.wrong, -1);
}

[[nodiscard]] std::size_t checked_beam(int beam) {
  if (beam < 1 || beam > kMostBeam) {
    throw SettingError("a beam of " + std::to_string(beam), "choose from 1 to " + std::to_string(kMostBeam));
  }
  return static_cast<std::size_t>(beam);
}

void check_columns(const Columns& sentences) {
  sentences.check();
  if (sentences.given.size() != 2) throw InputError("the parser needs coarse and fine tags");
}

}  // namespace

Parser::Parser(Weights weights, std::size_t labels, int beam)
    : weights_(std::move(weights)), labels_(labels), beam_(static_cast<int>(checked_beam(beam))) {}

Parser Parser::train(const Columns& sentences, const Trees& gold, std::size_t labels, int beam,
                     const Schedule& schedule, int threads, const std::function<void(int, std::size_t)>& told,
                     const StopCallback& stop) {
  check_columns(sentences);
  const std::size_t width = checked_beam(beam), actions = action_count(labels);
  if (actions >= std::numeric_limits<Action>::max()) throw InputError("too many labels");
  if (gold.heads.size() != sentences.words.size() || gold.labels.size() != sentences.words.size()) {
    throw InputError("a head and a label for each token are needed");
  }
  std::vector<std::vector<Action>> right(sentences.ends.size());
  std::vector<std::uint32_t> usable;
  for (std::size_t sentence = 0; sentence < right.size(); ++sentence) {
    const std::size_t begin = sentences.begin(sentence), size = sentences.size(sentence);
    for (std::size_t at = begin; at < begin + size; ++at) {
      if (gold.heads[at] < -1 || gold.heads[at] >= static_cast<std::int32_t>(size) || gold.labels[at] >= labels) {
        throw InputError("a head or label out of range", "token " + std::to_string(at));
      }
    }
    right[sentence] = oracle({gold.heads.data() + begin, size}, {gold.labels.data() + begin, size});
    if (!right[sentence].empty()) usable.push_back(static_cast<std::uint32_t>(sentence));
  }
  Learner learner;
  // A small treebank needs many updates more than it needs threads.
  const std::size_t together = std::clamp<std::size_t>(usable.size() / 256, 1, kMostTogether);
  std::vector<Search> searches(together);
  std::vector<Words> words(together);
  std::vector<Lesson> lessons(together);
  for (int epoch = 0; epoch < schedule.epochs; ++epoch) {
    std::size_t perfect = 0;
    const auto order = shuffled(usable.size(), schedule.seed, static_cast<unsigned>(epoch));
    for (std::size_t from = 0; from < order.size(); from += together) {
      const std::size_t size = std::min(together, order.size() - from);
      parallel_shards(
          size, threads,
          [&](std::size_t at) {
            const std::uint32_t sentence = usable[order[from + at]];
            words[at].load(sentences, sentence);
            lessons[at] = decode_for_lesson(words[at], right[sentence], learner, actions, width, searches[at]);
          },
          stop);
      for (std::size_t at = 0; at < size; ++at) {
        learner.step();
        if (lessons[at].right.empty()) {
          ++perfect;
        } else {
          learn(words[at], lessons[at], learner, searches[at].features);
        }
      }
    }
    if (told) told(epoch, perfect);
  }
  return {Weights(learner.averaged(schedule.least), actions), labels, beam};
}

Trees Parser::parse(const Columns& sentences, int threads, const StopCallback& stop) const {
  check_columns(sentences);
  const std::size_t actions = action_count(labels_);
  Trees trees{std::vector<std::int32_t>(sentences.words.size(), -1), std::vector<Label>(sentences.words.size(), 0)};
  parallel_ranges(
      sentences.ends.size(), 16, threads,
      [&](std::size_t from, std::size_t to) {
        Search work;
        Words words;
        for (std::size_t sentence = from; sentence < to; ++sentence) {
          words.load(sentences, sentence);
          begin(sentences.size(sentence), work);
          while (!all_finished(work)) advance(words, weights_, actions, static_cast<std::size_t>(beam_), work);
          for (std::size_t at = 0; at < sentences.size(sentence); ++at) {
            const Node& node = work.states[0].node(static_cast<std::int32_t>(at) + 1);
            trees.heads[sentences.begin(sentence) + at] = node.head - 1;
            trees.labels[sentences.begin(sentence) + at] = node.label;
          }
        }
      },
      stop);
  return trees;
}

}  // namespace dragoman::annotations
