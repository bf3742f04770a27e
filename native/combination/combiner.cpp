#include "combination/combiner.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "combination/frontiers.hpp"
#include "common/error.hpp"
#include "common/interned.hpp"
#include "common/interned_rows.hpp"

namespace dragoman::combination {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

// How long a hypothesis has run along with a system, up to the longest that matters, and where in it; nothing else of
// the last word matters to what follows.
struct Run {
  std::int32_t length = 0;
  std::int32_t index = Partner::kNobody;
  bool operator==(const Run&) const = default;
};

// What decides the future of a hypothesis.
struct Key {
  std::uint32_t used, runs, state;
  std::int32_t bound;  // the system that must go on, or -1
  bool operator==(const Key&) const = default;
  [[nodiscard]] std::uint64_t hash() const noexcept {
    return combine(combine(used, runs), combine(state, static_cast<std::uint32_t>(bound)));
  }
};

struct Hypothesis {
  double score;
  Key key;
  Place last;
  std::uint32_t arc;            // the first of its list; the best is among them
  forest::NodeId node = kNone;  // once it is kept
};

struct Arc {
  std::uint32_t previous;
  Place place;
  double score, logprob;
  std::uint32_t next;  // of the same hypothesis
};

class Search {
 public:
  Search(const Outputs& outputs, const CombinerSettings& settings, const FeatureLayout& layout,
         const lm::Model* language_model, std::span<const double> weights)
      : outputs_(outputs),
        settings_(settings),
        layout_(layout),
        language_model_(language_model),
        weights_(weights),
        frontiers_(outputs, settings) {
    used_.reset(frontiers_.width());
    runs_.reset(settings.matches.size() * static_cast<std::size_t>(outputs.systems()));
    if (language_model_ != nullptr)
      for (std::size_t id = 0; id < outputs.words().size(); ++id)
        model_words_.push_back(language_model_->id(outputs.words().word(static_cast<WordId>(id))));
  }

  forest::Forest run() {
    std::vector<std::uint32_t> stack{start()};
    keep(stack[0], 0);
    for (std::uint32_t length = 1; !stack.empty(); ++length) {
      const auto first = static_cast<std::uint32_t>(hypotheses_.size());
      recombined_.clear();
      for (const std::uint32_t id : stack) extend_all(id);
      stack.resize(hypotheses_.size() - first);
      std::iota(stack.begin(), stack.end(), first);
      prune(stack);
      for (const std::uint32_t id : stack) keep(id, length);
    }
    return finish();
  }

  CombinerStatistics statistics;

 private:
  std::uint32_t start() {
    scratch_.assign(frontiers_.width(), 0);
    run_scratch_.assign(settings_.matches.size() * static_cast<std::size_t>(outputs_.systems()), Run{});
    for (std::size_t v = 0; v < settings_.matches.size(); ++v)
      for (int e = 0; e < outputs_.systems(); ++e)
        if (outputs_.length(e) != 0 && (settings_.matches[v].kinds & only(LinkKind::boundary)) != 0)
          run_scratch_[run_at(v, e)] = {1, -1};
    const lm::State state = language_model_ != nullptr ? language_model_->begin_state() : lm::State();
    const Key key{used_.intern(scratch_), runs_.intern(run_scratch_), states_.intern(state, state.hash()), -1};
    hypotheses_.push_back({0, key, {}, kNone});
    return 0;
  }

  [[nodiscard]] std::size_t run_at(std::size_t set, int system) const noexcept {
    return set * static_cast<std::size_t>(outputs_.systems()) + static_cast<std::size_t>(system);
  }

  void extend_all(std::uint32_t id) {
    const Key key = hypotheses_[id].key;
    bool ended = false;
    offers_.clear();
    for (int e = 0; e < outputs_.systems(); ++e) {
      if (key.bound >= 0 && key.bound != e) continue;
      if (!frontiers_.takes_part(used_[key.used], e)) continue;
      const Place place{static_cast<std::uint16_t>(e),
                        static_cast<std::uint16_t>(frontiers_.frontier(used_[key.used], e))};
      if (place.index < outputs_.length(e)) {
        if (is_new_offer(key, place)) extend(id, place);
      } else if (!ended) {  // all ends correspond: whose it is makes no difference
        end(id, place);
        ended = true;
      }
    }
  }

  // Systems that agree offer the same word: an extension that differs from an earlier one only in whose word it is
  // would be the same derivation once more, and n-best lists would hold few texts, each many times. What an extension
  // comes to is seen after the punctuation that it is bound to.
  bool is_new_offer(const Key& key, Place place) {
    const std::span<const std::uint64_t> used = used_[key.used];
    scratch_.assign(used.begin(), used.end());
    std::vector<std::uint32_t> offer;
    for (std::uint32_t runs = key.runs;; ++place.index) {
      follow(runs, place, [](FeatureId) {});
      runs = runs_.intern(run_scratch_);
      offer.push_back(outputs_.word(place));
      offer.push_back(runs);
      frontiers_.use(scratch_, place);
      if (!frontiers_.must_go_on(scratch_, place)) break;
    }
    offer.push_back(used_.intern(scratch_));
    if (std::find(offers_.begin(), offers_.end(), offer) != offers_.end()) return false;
    offers_.push_back(std::move(offer));
    return true;
  }

  // Follows the runs to `place`, into run_scratch_, and fires their features.
  template <typename FireMatch>
  void follow(std::uint32_t runs, Place place, const FireMatch& fire) {
    const std::span<const Run> before = runs_[runs];
    run_scratch_.assign(before.size(), Run{});
    for (std::size_t v = 0; v < settings_.matches.size(); ++v) {
      const MatchSet& set = settings_.matches[v];
      for (int e = 0; e < outputs_.systems(); ++e) {
        const Partner partner = outputs_.partner(place, e);
        if (!partner || (partner.kind & set.kinds) == 0) continue;
        const Run& last = before[run_at(v, e)];
        const bool goes_on = last.length > 0 && partner.index == last.index + 1;
        const int length = goes_on ? std::min(last.length + 1, set.longest()) : 1;
        run_scratch_[run_at(v, e)] = {length, partner.index};
        for (int n = 1; n <= length; ++n) fire(n <= set.per_system ? layout_.match(v, e, n) : layout_.collective(v, n));
      }
    }
  }

  [[nodiscard]] double weight(FeatureId feature) const noexcept {
    return feature < weights_.size() ? weights_[feature] : 0.0;
  }

  double match_score(std::uint32_t runs, Place place) {
    double score = weight(FeatureLayout::kLength);
    follow(runs, place, [&](FeatureId feature) { score += weight(feature); });
    return score;
  }

  void extend(std::uint32_t id, Place place) {
    const Key from = hypotheses_[id].key;
    double logprob = 0, score = match_score(from.runs, place);
    Key key{0, runs_.intern(run_scratch_), from.state, -1};
    if (language_model_ != nullptr) {
      const WordId word = model_words_[outputs_.word(place)];
      lm::State after;
      logprob = language_model_->score(states_[from.state], word, after);
      ++statistics.language_model_queries;
      key.state = states_.intern(after, after.hash());
      score += weight(FeatureLayout::kLanguageModel) * logprob;
      if (word == kUnknown) score += weight(FeatureLayout::kUnknown);
    }
    const std::span<const std::uint64_t> used = used_[from.used];
    scratch_.assign(used.begin(), used.end());
    frontiers_.use(scratch_, place);
    if (frontiers_.must_go_on(scratch_, place)) key.bound = place.system;
    key.used = used_.intern(scratch_);

    ++statistics.built;
    const double total = hypotheses_[id].score + score;
    const auto arc = static_cast<std::uint32_t>(arcs_.size());
    const auto next = static_cast<std::uint32_t>(hypotheses_.size());
    bool is_new = false;
    const std::uint32_t slot = recombined_.intern(key, key.hash(), [&](std::uint32_t) { is_new = true; });
    if (is_new) {
      hypotheses_.push_back({total, key, place, arc});
      if (slot == 0) first_of_stack_ = next;
      arcs_.push_back({id, place, score, logprob, kNone});
      return;
    }
    ++statistics.recombined;
    Hypothesis& same = hypotheses_[first_of_stack_ + slot];
    arcs_.push_back({id, place, score, logprob, same.arc});
    same.arc = arc;
    if (total > same.score) {
      same.score = total;
      same.last = place;
    }
  }

  void end(std::uint32_t id, Place place) {
    double logprob = 0, score = match_score(hypotheses_[id].key.runs, place);
    if (language_model_ != nullptr) {
      logprob = language_model_->score_end(states_[hypotheses_[id].key.state]);
      score += weight(FeatureLayout::kLanguageModel) * logprob;
    }
    ends_.push_back({id, place, score, logprob, kNone});
  }

  void prune(std::vector<std::uint32_t>& stack) {
    const auto better = [&](std::uint32_t a, std::uint32_t b) {
      return hypotheses_[a].score != hypotheses_[b].score ? hypotheses_[a].score > hypotheses_[b].score : a < b;
    };
    if (stack.size() > settings_.beam) {
      std::nth_element(stack.begin(), stack.begin() + static_cast<std::ptrdiff_t>(settings_.beam), stack.end(), better);
      statistics.pruned += stack.size() - settings_.beam;
      stack.resize(settings_.beam);
    }
    std::sort(stack.begin(), stack.end(), better);
  }

  // Gives a hypothesis its node and its edges; those before it have theirs.
  void keep(std::uint32_t id, std::uint32_t length) {
    ++statistics.kept;
    Hypothesis& hypothesis = hypotheses_[id];
    const std::uint32_t at = outputs_.position(hypothesis.last);
    hypothesis.node = builder_.add_node({length == 0 ? 0 : at, length == 0 ? 0 : at + 1, length, 0});
    if (length == 0) {
      forest::NewEdge empty;
      empty.head = hypothesis.node;
      builder_.add_edge(empty);
    }
    for (std::uint32_t arc = hypothesis.arc; arc != kNone; arc = arcs_[arc].next) {
      const WordId word = outputs_.word(arcs_[arc].place);
      add_edge(hypothesis.node, arcs_[arc], &word);
    }
  }

  void add_edge(forest::NodeId head, const Arc& arc, const WordId* word) {
    values_.assign(1, {FeatureLayout::kLength, 1.0});
    if (arc.logprob != 0) values_.emplace_back(FeatureLayout::kLanguageModel, arc.logprob);
    if (word != nullptr && language_model_ != nullptr && model_words_[*word] == kUnknown)
      values_.emplace_back(FeatureLayout::kUnknown, 1.0);
    follow(hypotheses_[arc.previous].key.runs, arc.place,
           [&](FeatureId feature) { values_.emplace_back(feature, 1.0); });
    std::sort(values_.begin(), values_.end());
    ids_.clear();
    numbers_.clear();
    for (const auto& [feature, value] : values_) {
      if (!ids_.empty() && ids_.back() == feature) {
        numbers_.back() += value;
      } else {
        ids_.push_back(feature);
        numbers_.push_back(value);
      }
    }
    const forest::NodeId tail = hypotheses_[arc.previous].node;
    const WordId target[2] = {forest::tail_symbol(0), word != nullptr ? *word : 0};
    const forest::Link link{0, 1};
    const std::uint32_t at = outputs_.position(arc.place);
    forest::NewEdge edge;
    edge.head = head;
    edge.tails = {&tail, 1};
    edge.target = {target, word != nullptr ? 2u : 1u};
    edge.rule = arc.place.system;
    if (word != nullptr) {
      edge.span = {at, at + 1};
      edge.links = {&link, 1};
    }
    edge.features = ids_;
    edge.values = numbers_;
    edge.score = arc.score;
    builder_.add_edge(edge);
  }

  forest::Forest finish() {
    if (ends_.empty()) return {};
    const forest::NodeId goal = builder_.add_node({});
    for (const Arc& arc : ends_) add_edge(goal, arc, nullptr);
    return builder_.finish(goal);
  }

  const Outputs& outputs_;
  const CombinerSettings& settings_;
  const FeatureLayout& layout_;
  const lm::Model* language_model_;
  std::span<const double> weights_;
  Frontiers frontiers_;

  std::vector<WordId> model_words_;
  InternedRows<std::uint64_t> used_;
  InternedRows<Run> runs_;
  Interned<lm::State> states_;
  Interned<Key> recombined_;  // of the stack being filled
  std::uint32_t first_of_stack_ = 0;
  std::vector<Hypothesis> hypotheses_;
  std::vector<Arc> arcs_, ends_;
  forest::ForestBuilder builder_;
  std::vector<std::vector<std::uint32_t>> offers_;  // what the extensions of a hypothesis come to
  std::vector<std::uint64_t> scratch_;
  std::vector<Run> run_scratch_;
  FeatureVector values_;
  std::vector<forest::FeatureId> ids_;
  std::vector<double> numbers_;
};

// Nobody said anything: the empty text, at no cost.
forest::Forest silence() {
  forest::ForestBuilder builder;
  const forest::NodeId start = builder.add_node({});
  forest::NewEdge empty;
  empty.head = start;
  builder.add_edge(empty);
  const WordId target = forest::tail_symbol(0);
  forest::NewEdge end;
  end.head = builder.add_node({});
  end.tails = {&start, 1};
  end.target = {&target, 1};
  builder.add_edge(end);
  return builder.finish(end.head);
}

}  // namespace

FeatureLayout::FeatureLayout(const CombinerSettings& settings) : systems_(settings.systems) {
  for (const MatchSet& set : settings.matches) {
    starts_.push_back(size_);
    per_system_.push_back(set.per_system);
    size_ += static_cast<FeatureId>(settings.systems * set.per_system + std::max(0, set.collective - set.per_system));
  }
}

Combiner::Combiner(CombinerSettings settings, std::shared_ptr<const lm::Model> language_model)
    : settings_(std::move(settings)), layout_(settings_), language_model_(std::move(language_model)) {
  if (settings_.systems < 1) throw SettingError("a combination of no systems");
  if (settings_.beam < 1) throw SettingError("a beam of 0", "it must be at least 1");
  if (settings_.radius < 0) throw SettingError("a negative radius", "it must be at least 0");
  for (const MatchSet& set : settings_.matches)
    if (set.per_system < 0 || set.longest() < 1 || set.longest() > 100)
      throw SettingError("a match set without lengths", "lengths from 1 to 100");
}

Combined Combiner::combine(const Outputs& outputs, std::span<const double> weights) const {
  if (outputs.systems() != settings_.systems)
    throw InputError(std::to_string(outputs.systems()) + " outputs where " + std::to_string(settings_.systems) +
                     " systems are combined");
  const auto start = std::chrono::steady_clock::now();
  Combined result;
  result.words = std::make_shared<Vocabulary>(outputs.words());
  if (outputs.silent()) {
    result.forest = silence();
  } else {
    Search search(outputs, settings_, layout_, language_model_.get(), weights);
    result.forest = search.run();
    result.statistics = search.statistics;
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace dragoman::combination
