#include "search/phrase_kbest.hpp"

#include <algorithm>
#include <bit>

#include "common/hash.hpp"

namespace dragoman::search {

forest::KBestLists PhraseKBest::list(const SearchView& view, const forest::KBestOptions& options) {
  lay_out(view.search());
  search_.reset({first_edge_, tail_starts_, tails_, scores_});
  derivations_.clear();
  texts_.clear();
  forest::KBestLists list;
  const std::size_t most = options.distinct ? options.most_pops : options.k;
  for (std::size_t pops = 0; list.scores.size() < options.k && pops < most; ++pops) {
    const auto derivation = search_.next();
    if (derivation.empty()) break;
    const std::size_t texts = texts_.size(), text = text_of(view, derivation);
    if (options.distinct && text < texts) continue;
    derivations_.push_back(derivation);
    list.scores.push_back(search_.score());
    list.text_of.push_back(static_cast<std::int64_t>(text));
  }
  for (std::uint32_t id = 0; id < texts_.size(); ++id) {
    std::string& text = list.texts.emplace_back();
    for (const WordId word : texts_[id]) {
      if (!text.empty()) text += ' ';
      text += view.sentence().spell_target(word);
    }
  }
  fire_steps(view);
  number_features();
  add_rows(list);
  list.lists.push_back(static_cast<std::int64_t>(list.scores.size()));
  return list;
}

// Nodes of the search that lead to an end, in the order in which they were made, which is topological: a step leads
// from a stack to a later one. The goal is one node more. Edges of a node: the step that won its recombination, then
// those that lost.
void PhraseKBest::lay_out(const Search& search) {
  const auto ends = search.goal_nodes();
  numbers_.assign(*std::max_element(ends.begin(), ends.end()) + std::size_t{1}, 0);
  const auto open = [&](NodeId node) {
    if (numbers_[node] != 0) return;
    numbers_[node] = 1;
    open_.push_back(node);
  };
  for (const NodeId end : ends) open(end);
  while (!open_.empty()) {
    NodeId step = open_.back();
    open_.pop_back();
    for (; step != kNone; step = search.node(step).arc)
      if (search.node(step).previous != kNone) open(search.node(step).previous);
  }
  first_edge_.clear();
  tail_starts_.assign(1, 0);
  tails_.clear();
  scores_.clear();
  steps_.clear();
  std::uint32_t made = 0;
  for (NodeId node = 0; node < numbers_.size(); ++node) {
    if (numbers_[node] == 0) continue;
    numbers_[node] = ++made;
    first_edge_.push_back(static_cast<EdgeId>(steps_.size()));
    for (NodeId step = node; step != kNone; step = search.node(step).arc) {
      const NodeId previous = search.node(step).previous;
      add_edge(previous, previous == kNone ? 0 : search.node(step).score - search.node(previous).score, step);
    }
  }
  first_end_ = static_cast<EdgeId>(steps_.size());
  first_edge_.push_back(first_end_);
  for (const NodeId end : ends) add_edge(end, search.node(end).priority - search.node(end).score, end);
  first_edge_.push_back(static_cast<EdgeId>(steps_.size()));
}

void PhraseKBest::add_edge(NodeId tail, double score, NodeId step) {
  if (tail != kNone) tails_.push_back(numbers_[tail] - 1);
  tail_starts_.push_back(static_cast<std::uint32_t>(tails_.size()));
  scores_.push_back(score);
  steps_.push_back(step);
}

// The edges of a derivation are an end and its steps, from the last to the first, which is the start.
std::size_t PhraseKBest::text_of(const SearchView& view, std::span<const EdgeId> derivation) {
  words_.clear();
  for (std::size_t i = derivation.size() - 1; i-- > 1;) {
    const auto target =
        view.sentence().target(view.sentence().chart()[view.search().node(steps_[derivation[i]]).option]);
    words_.insert(words_.end(), target.begin(), target.end());
  }
  return texts_.intern(words_, hash_bytes(words_.data(), words_.size() * sizeof(WordId)));
}

void PhraseKBest::fire_steps(const SearchView& view) {
  fired_by_.assign(steps_.size(), 0);
  fired_starts_.assign(1, 0);
  fired_.clear();
  for (const EdgeId edge : derivations_.values()) {
    if (fired_by_[edge] != 0) continue;
    fired_by_[edge] = static_cast<std::uint32_t>(fired_starts_.size());
    const Node& step = view.search().node(steps_[edge]);
    if (edge >= first_end_) {
      view.final_values(steps_[edge], fired_);
    } else if (step.previous != kNone) {
      view.option_values(steps_[edge], fired_);
      view.place_values(steps_[edge], fired_);
    }
    fired_starts_.push_back(static_cast<std::uint32_t>(fired_.size()));
  }
}

// Features by small numbers in the order of their ids.
void PhraseKBest::number_features() {
  for (const FeatureId feature : features_) places_[feature] = 0;
  features_.clear();
  for (const auto& [feature, value] : fired_) {
    if (feature >= places_.size()) places_.resize(feature + std::size_t{1}, 0);
    if (places_[feature] != 0) continue;
    places_[feature] = 1;
    features_.push_back(feature);
  }
  std::sort(features_.begin(), features_.end());
  for (std::size_t place = 0; place < features_.size(); ++place)
    places_[features_[place]] = static_cast<std::uint32_t>(place + 1);
  for (auto& fired : fired_) fired.first = places_[fired.first] - 1;
}

void PhraseKBest::add_rows(forest::KBestLists& list) {
  sums_.assign(features_.size(), 0);
  touched_.assign((features_.size() + 63) / 64, 0);
  for (std::size_t k = 0; k < derivations_.size(); ++k) {
    for (const EdgeId edge : derivations_[k]) {
      const std::uint32_t row = fired_by_[edge];
      for (std::uint32_t at = fired_starts_[row - 1]; at < fired_starts_[row]; ++at) {
        const auto& [place, value] = fired_[at];
        sums_[place] += value;
        touched_[place / 64] |= std::uint64_t{1} << (place % 64);
      }
    }
    for (std::size_t word = 0; word < touched_.size(); ++word) {
      for (std::uint64_t bits = touched_[word]; bits != 0; bits &= bits - 1) {
        const std::size_t place = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        list.ids.push_back(features_[place]);
        list.values.push_back(sums_[place]);
        sums_[place] = 0;
      }
      touched_[word] = 0;
    }
    list.rows.push_back(static_cast<std::int64_t>(list.ids.size()));
  }
}

}  // namespace dragoman::search
