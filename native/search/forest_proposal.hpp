#pragma once
// An upper bound of the score of every derivation of a forest under language models, as a forest of its own. At first a
// word knows only what stands before it in its own rule; then contexts are registered one by one, and the forest is
// intersected with an automaton that says where they stand, so that what follows them is scored as well as they allow.
// The registered contexts are closed under taking suffixes. (Aziz, Dymetman and Venkatapathy 2013; intersection after
// Dyer 2010; Aho and Corasick 1975.)
#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "common/random.hpp"
#include "forest/derivation.hpp"
#include "forest/inside.hpp"
#include "forest/intersect.hpp"
#include "forest/kbest.hpp"
#include "forest/sample.hpp"
#include "search/bounded_contexts.hpp"

namespace dragoman::search {

// A word in its place: how many words stand before it in its own rule, and the most that it can score there when no
// more is known.
struct PlacedWord {
  BoundedContexts::Word word;
  std::uint32_t before;
  double most;
};

// The symbols of a proposal.
class PlacedWords {
 public:
  WordId add(const PlacedWord& placed) {
    const auto [place, fresh] =
        numbers_.try_emplace(std::tuple(placed.word, placed.before, placed.most), static_cast<WordId>(words_.size()));
    if (fresh) words_.push_back(placed);
    return place->second;
  }
  [[nodiscard]] const PlacedWord& operator[](WordId symbol) const noexcept { return words_[symbol]; }

 private:
  std::vector<PlacedWord> words_;
  std::map<std::tuple<BoundedContexts::Word, std::uint32_t, double>, WordId> numbers_;
};

// Which words may stand directly before what a node derives. None is known of forests with derivations of no words.
class Neighbours {
 public:
  using Set = std::vector<std::uint64_t>;

  Neighbours(const forest::Forest& forest, std::span<const BoundedContexts::Word> word_of, std::size_t words)
      : width_((words + 63) / 64) {
    std::vector<Set> last(forest.nodes(), Set(width_));
    for (forest::EdgeId edge = 0; edge < forest.edges(); ++edge) {
      const auto target = forest.target(edge);
      if (target.empty()) return;  // a node that derives nothing
      add_all(last[forest.head(edge)], end_of(forest, edge, target.back(), word_of, last));
    }
    before_.assign(forest.nodes(), Set(width_));
    before_.back()[0] |= 1;  // the beginning of the sentence
    last_ = std::move(last);
    for (forest::EdgeId edge = static_cast<forest::EdgeId>(forest.edges()); edge-- > 0;) {
      const auto target = forest.target(edge);
      for (std::size_t at = 0; at < target.size(); ++at) {
        if (!forest::is_tail(target[at])) continue;
        const forest::NodeId tail = forest.tails(edge)[forest::tail_index(target[at])];
        add_all(before_[tail],
                at == 0 ? before_[forest.head(edge)] : end_of(forest, edge, target[at - 1], word_of, last_));
      }
    }
  }

  [[nodiscard]] bool known() const noexcept { return !before_.empty(); }
  [[nodiscard]] const Set& before(forest::NodeId node) const noexcept { return before_[node]; }
  [[nodiscard]] const Set& last(forest::NodeId node) const noexcept { return last_[node]; }
  template <typename Use>
  static void for_each(const Set& set, const Use& use) {
    for (std::size_t at = 0; at < set.size(); ++at)
      for (std::uint64_t bits = set[at]; bits != 0; bits &= bits - 1)
        use(static_cast<BoundedContexts::Word>(at * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
  }

 private:
  static void add_all(Set& into, const Set& from) {
    for (std::size_t at = 0; at < into.size(); ++at) into[at] |= from[at];
  }
  [[nodiscard]] Set end_of(const forest::Forest& forest, forest::EdgeId edge, WordId symbol,
                           std::span<const BoundedContexts::Word> word_of, const std::vector<Set>& last) const {
    if (forest::is_tail(symbol)) return last[forest.tails(edge)[forest::tail_index(symbol)]];
    Set own(width_);
    own[word_of[symbol] / 64] |= std::uint64_t{1} << (word_of[symbol] % 64);
    return own;
  }

  std::size_t width_;
  std::vector<Set> before_, last_;  // per node
};

// Recognises contexts in a text, and corrects the bound of the word after each: by what the context says more than its
// next shorter one, unless the word's own rule says as much. See forest::Automaton.
class ContextAutomaton {
 public:
  ContextAutomaton(BoundedContexts& contexts, const PlacedWords& placed,
                   std::span<const BoundedContexts::Context> added)
      : contexts_(contexts), placed_(placed) {
    states_.emplace_back();
    for (const auto context : added) {
      forest::StateId state = 0;
      for (const auto word : contexts.words(context)) {
        const auto fresh = static_cast<forest::StateId>(states_.size());
        const forest::StateId next = arcs_.insert(state, word, fresh);
        if (next == fresh) {
          states_.emplace_back();
          states_.back().from = state;
          states_.back().word = word;
        }
        state = next;
      }
      states_[state].context = context;
    }
    // Shorter prefixes come before longer ones, whose failures they are.
    std::vector<forest::StateId> order;
    for (forest::StateId state = 1; state < states_.size(); ++state) order.push_back(state);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return depth(a) < depth(b); });
    for (const forest::StateId state : order) {
      const State& own = states_[state];
      states_[state].fail = own.from == 0 ? 0 : next(states_[own.from].fail, own.word);
    }
  }

  [[nodiscard]] std::size_t states() const noexcept { return states_.size(); }
  static forest::StateId start() noexcept { return 0; }
  [[nodiscard]] std::optional<forest::Arc> step(forest::StateId state, WordId symbol) {
    const PlacedWord& placed = placed_[symbol];
    double score = 0;
    if (placed.word != BoundedContexts::kBegin) {
      for (forest::StateId at = state; at != 0; at = states_[at].fail) {
        const auto context = states_[at].context;
        const std::uint32_t length = contexts_.length(context);
        if (length <= placed.before) continue;
        score +=
            contexts_.word_bound(context, placed.word) -
            (length - 1 > placed.before ? contexts_.word_bound(contexts_.shorter(context), placed.word) : placed.most);
      }
    }
    return forest::Arc{next(state, placed.word), score};
  }
  [[nodiscard]] static std::optional<double> final(forest::StateId) noexcept { return 0.0; }

 private:
  struct State {
    forest::StateId from = 0, fail = 0;
    BoundedContexts::Word word = 0;
    BoundedContexts::Context context = BoundedContexts::kEmpty;  // the one that ends here
  };

  [[nodiscard]] std::size_t depth(forest::StateId state) const noexcept {
    std::size_t depth = 0;
    for (; state != 0; state = states_[state].from) ++depth;
    return depth;
  }
  [[nodiscard]] forest::StateId next(forest::StateId state, BoundedContexts::Word word) const noexcept {
    for (;; state = states_[state].fail) {
      if (const std::uint32_t found = arcs_.find(state, word); found != forest::kAbsent) return found;
      if (state == 0) return 0;
    }
  }

  BoundedContexts& contexts_;
  const PlacedWords& placed_;
  std::vector<State> states_;
  forest::PairMap arcs_;
};

class ForestProposal {
 public:
  using Context = BoundedContexts::Context;
  static constexpr double kNever = -std::numeric_limits<double>::infinity();
  static constexpr forest::RuleId kTop = ~forest::RuleId{0};
  static constexpr std::size_t kEdgeBytes = 224;  // while a forest is made: built, sorted and frozen, about

  // `word_of` gives the word of `contexts` for each id of the forest's target vocabulary. With `in_rule` words know
  // those before them in their rule from the start; `per_round` contexts are registered at a time, 0 for all that a
  // derivation lacks. What would take more than `memory` bytes, the space included, or lasts until `stop` says so, is
  // not registered: the proposal then stays as it is.
  ForestProposal(const forest::Forest& space, BoundedContexts& contexts, std::span<const BoundedContexts::Word> word_of,
                 bool in_rule, std::uint32_t per_round, std::uint64_t memory, std::function<bool()> stop)
      : space_(space), contexts_(contexts), per_round_(per_round), memory_(memory), stop_(std::move(stop)) {
    build(word_of, in_rule);
  }

  bool maximum(double& bound, double& score) {
    last.clear();
    if (forest_.empty()) return false;
    edges_ = forest::best_derivation(forest_);
    bound = 0;
    for (const forest::EdgeId edge : edges_) bound += forest_.score(edge);
    score = read();
    last = derivation();
    return true;
  }
  void keep() { kept.push_back(derivation()); }
  [[nodiscard]] static bool is_exact() noexcept { return true; }
  std::uint64_t refine() {
    find_candidates();
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.change < b.change; });
    if (per_round_ > 0 && candidates_.size() > per_round_) candidates_.resize(per_round_);
    added_.clear();
    for (const Candidate& candidate : candidates_) add(candidate.context);
    return register_added();
  }
  void prune(double below) {
    if (forest_.empty()) return;
    const forest::MaxPlus best;
    const auto weight = forest::score_weight(forest_);
    const auto inside = forest::inside(best, forest_, weight);
    const auto outside = forest::outside(best, forest_, weight, std::span<const double>(inside));
    const auto totals =
        forest::edge_totals(best, forest_, weight, std::span<const double>(inside), std::span<const double>(outside));
    std::vector<bool> keep(forest_.edges());
    std::size_t count = 0;
    for (std::size_t edge = 0; edge < totals.size(); ++edge) {
      keep[edge] = totals[edge] >= below;
      count += keep[edge] ? 1 : 0;
    }
    if (count < keep.size()) forest_ = forest::restricted(forest_, keep);
  }

  double inside(double scale) {
    std::vector<double> scores(forest_.scores().begin(), forest_.scores().end());
    for (double& score : scores) score *= scale;
    scaled_ = forest_.rescored(std::move(scores));
    sampler_.emplace(scaled_);
    return forest::inside(forest::LogPlus{}, scaled_, forest::score_weight(scaled_)).back();
  }
  void draw(RandomStream& random, double& bound, double& score) {
    edges_.clear();
    sampler_->draw(random(), 0, edges_);
    bound = 0;
    for (const forest::EdgeId edge : edges_) bound += forest_.score(edge);
    score = read();
  }
  void reject(double) {
    find_candidates();
    for (const Candidate& candidate : candidates_) losses_[candidate.context] -= candidate.change;
  }
  std::uint64_t refine(std::uint32_t most) {
    std::vector<std::pair<Context, double>> ranked(losses_.begin(), losses_.end());
    std::stable_sort(ranked.begin(), ranked.end(), [&](const auto& a, const auto& b) {
      if (a.second != b.second) return a.second > b.second;
      const auto left = contexts_.words(a.first), right = contexts_.words(b.first);
      if (left.size() != right.size()) return left.size() < right.size();
      return std::ranges::lexicographical_compare(left, right);
    });
    if (ranked.size() > most) ranked.resize(most);
    losses_.clear();
    added_.clear();
    for (const auto& [context, loss] : ranked) add(context);
    return register_added();
  }

  [[nodiscard]] std::uint64_t nodes() const noexcept { return forest_.nodes(); }
  [[nodiscard]] std::uint64_t edges() const noexcept { return forest_.edges(); }
  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return full_ ? std::numeric_limits<std::uint64_t>::max() : held();
  }
  // Contexts that are registered, in the order of their coming.
  [[nodiscard]] std::span<const Context> registered() const noexcept { return order_; }
  [[nodiscard]] const forest::Forest& forest() const noexcept { return forest_; }
  [[nodiscard]] std::uint64_t distinct() const noexcept { return texts_.size(); }

  std::vector<std::vector<forest::EdgeId>> kept;  // derivations, by edges of the space
  std::vector<forest::EdgeId> last;               // what promised most when it was last asked for

 private:
  struct Candidate {
    double change;  // of the bound of the word after it, at most 0
    Context context;
  };

  [[nodiscard]] std::uint64_t held() const noexcept { return space_.bytes() + forest_.bytes() + contexts_.bytes(); }

  void build(std::span<const BoundedContexts::Word> word_of, bool in_rule) {
    if (space_.empty()) return;
    forest::ForestBuilder builder;
    for (forest::NodeId node = 0; node < space_.nodes(); ++node) builder.add_node(space_.label(node));
    std::optional<Neighbours> neighbours;
    if (in_rule && contexts_.longest() > 0) neighbours.emplace(space_, word_of, contexts_.words());
    std::vector<WordId> target;
    std::vector<BoundedContexts::Word> before;
    const Neighbours::Set* around = nullptr;  // words that may stand before those of `before`
    const auto add = [&](BoundedContexts::Word word, double& score) {
      const double most = word == BoundedContexts::kBegin ? 0 : most_of(before, word, around);
      target.push_back(placed_words_.add({word, static_cast<std::uint32_t>(before.size()), most}));
      score += most;
      if (in_rule) before.push_back(word);
    };
    const bool near = neighbours && neighbours->known();
    for (forest::EdgeId edge = 0; edge < space_.edges(); ++edge) {
      forest::NewEdge made;
      made.head = space_.head(edge);
      made.tails = space_.tails(edge);
      made.rule = edge;
      made.score = space_.score(edge);
      target.clear();
      before.clear();
      around = near ? &neighbours->before(made.head) : nullptr;
      for (const WordId symbol : space_.target(edge)) {
        if (forest::is_tail(symbol)) {
          target.push_back(symbol);
          before.clear();
          around = near ? &neighbours->last(made.tails[forest::tail_index(symbol)]) : nullptr;
        } else {
          add(word_of[symbol], made.score);
        }
      }
      made.target = target;
      builder.add_edge(made);
    }
    forest::NewEdge top;
    const forest::NodeId below = space_.goal();
    top.head = builder.add_node(space_.label(below));
    top.tails = {&below, 1};
    top.rule = kTop;
    target.clear();
    before.clear();
    around = nullptr;
    add(BoundedContexts::kBegin, top.score);
    target.push_back(forest::tail_symbol(0));
    before.clear();
    around = near ? &neighbours->last(below) : nullptr;
    add(BoundedContexts::kEnd, top.score);
    top.target = target;
    builder.add_edge(top);
    forest_ = builder.finish(top.head);
  }

  // The most that a word can score after those before it in its rule and, if `around` is given, any word of these.
  double most_of(std::span<const BoundedContexts::Word> before, BoundedContexts::Word word,
                 const Neighbours::Set* around) {
    const Context own = contexts_.of(before);
    if (around == nullptr || contexts_.length(own) < before.size() || !contexts_.is_open(own))
      return contexts_.word_bound(own, word);
    double most = kNever;
    Neighbours::for_each(*around, [&](BoundedContexts::Word left) {
      most = std::max(most, contexts_.word_bound(contexts_.extend(own, left), word));
    });
    return most == kNever ? contexts_.word_bound(own, word) : most;
  }

  // The derivation at hand by edges of the space, from the goal down.
  [[nodiscard]] std::vector<forest::EdgeId> derivation() const {
    std::vector<forest::EdgeId> found;
    for (const forest::EdgeId edge : edges_)
      if (forest_.rule(edge) != kTop) found.push_back(forest_.rule(edge));
    return found;
  }
  // Its text, and its score with whole contexts.
  double read() {
    double score = 0;
    for (const forest::EdgeId edge : edges_)
      if (forest_.rule(edge) != kTop) score += space_.score(forest_.rule(edge));
    placed_.clear();
    text_.clear();
    for (const WordId symbol : forest::yield_of(forest_, edges_).words) {
      placed_.push_back(placed_words_[symbol]);
      if (!text_.empty()) score += contexts_.word_bound(contexts_.of(text_), placed_.back().word);
      text_.push_back(placed_.back().word);
    }
    texts_.insert(hash_bytes(text_.data(), text_.size() * sizeof(text_[0])));
    return score;
  }
  [[nodiscard]] bool is_registered(Context context) const noexcept {
    return context == BoundedContexts::kEmpty || (context < registered_.size() && registered_[context]);
  }
  // Contexts one word longer than what is known before each word, where that can matter.
  void find_candidates() {
    candidates_.clear();
    const auto reach = static_cast<std::size_t>(contexts_.longest());
    for (std::size_t at = 1; at < placed_.size(); ++at) {
      const std::size_t most = std::min(at, reach);
      Context known = BoundedContexts::kEmpty;
      std::size_t length = 0;
      while (length < most) {
        const Context longer = contexts_.extend(known, placed_[at - 1 - length].word);
        if (length >= placed_[at].before && !is_registered(longer)) {
          if (contexts_.is_open(known))
            candidates_.push_back(
                {contexts_.word_bound(longer, placed_[at].word) -
                     (length > placed_[at].before ? contexts_.word_bound(known, placed_[at].word) : placed_[at].most),
                 longer});
          break;
        }
        known = longer;
        ++length;
      }
    }
  }
  // A context, and its shorter ones, if they are not registered.
  void add(Context context) {
    for (; !is_registered(context); context = contexts_.shorter(context)) {
      if (registered_.size() <= context) registered_.resize(context + 1);
      registered_[context] = true;
      added_.push_back(context);
    }
  }
  std::uint64_t register_added() {
    if (added_.empty()) return 0;
    ContextAutomaton automaton(contexts_, placed_words_, added_);
    forest::IntersectOptions options;
    options.most_edges = (memory_ - std::min(memory_, held())) / kEdgeBytes;
    options.stop = stop_;
    try {
      forest_ = forest::intersect(forest_, automaton, options).forest;
    } catch (const InputError&) {
      full_ = true;
    }
    order_.insert(order_.end(), added_.begin(), added_.end());
    return added_.size();
  }

  const forest::Forest& space_;
  BoundedContexts& contexts_;
  std::uint32_t per_round_;
  std::uint64_t memory_;
  std::function<bool()> stop_;
  bool full_ = false;
  forest::Forest forest_, scaled_;
  std::optional<forest::Sampler> sampler_;
  std::vector<forest::EdgeId> edges_;  // of the derivation at hand
  PlacedWords placed_words_;
  std::vector<PlacedWord> placed_;  // its words
  std::vector<BoundedContexts::Word> text_;
  std::set<std::uint64_t> texts_;
  std::vector<Candidate> candidates_;
  std::vector<bool> registered_;
  std::vector<Context> order_, added_;
  std::map<Context, double> losses_;
};

}  // namespace dragoman::search
