#include "forest/oracle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "forest/inside.hpp"
#include "forest/sequences.hpp"

namespace dragoman::forest {
namespace {

constexpr WordId kForeign = 0x7fffffffu;  // any word that no reference has: no n-gram reaches across it
constexpr std::size_t kContext = kBleuOrder - 1;

using Matches = std::array<std::uint32_t, kBleuOrder>;

// The n-grams of the references, and how often a match of each counts at most.
class References {
 public:
  explicit References(const Rows<WordId>& texts) {
    std::vector<std::uint32_t> times;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto words = texts[i];
      lengths_.push_back(static_cast<double>(words.size()));
      std::fill(times.begin(), times.end(), 0);
      for (std::size_t start = 0; start < words.size(); ++start) {
        for (std::size_t n = 1; n <= std::min(kBleuOrder, words.size() - start); ++n) {
          const std::uint32_t id = ngrams_.insert(words.subspan(start, n));
          if (id == most_.size()) {
            most_.push_back(0);
            times.push_back(0);
          }
          most_[id] = std::max(most_[id], ++times[id]);
        }
      }
    }
  }

  [[nodiscard]] std::uint32_t find(std::span<const WordId> ngram) const noexcept { return ngrams_.find(ngram); }
  [[nodiscard]] std::uint32_t most(std::uint32_t id) const noexcept { return most_[id]; }
  [[nodiscard]] std::size_t order(std::uint32_t id) const noexcept { return ngrams_[id].size(); }
  // The reference length to compare with, when only a share of the sentence is there.
  [[nodiscard]] double length(double have, double share) const noexcept {
    double best = lengths_[0] * share;
    for (const double length : lengths_) {
      const double scaled = length * share, gap = std::abs(scaled - have) - std::abs(best - have);
      if (gap < 0 || (gap == 0 && scaled < best)) best = scaled;
    }
    return best;
  }

 private:
  SequenceIndex ngrams_;
  std::vector<std::uint32_t> most_;
  std::vector<double> lengths_;
};

double log_bleu(const Matches& matches, double length, double reference, double floor) {
  double sum = std::log(std::max(static_cast<double>(matches[0]), floor) / length);
  for (std::size_t n = 2; n <= kBleuOrder; ++n) {
    const double total = std::max(0.0, length - static_cast<double>(n) + 1);
    sum += std::log((matches[n - 1] + 1.0) / (total + 1));
  }
  return sum / static_cast<double>(kBleuOrder) + std::min(0.0, 1 - reference / length);
}

double bleu(const Matches& matches, std::uint32_t length, const References& references) {
  if (matches[0] == 0) return 0;
  return std::exp(log_bleu(matches, length, references.length(length, 1), 0));
}

// How often an n-gram of the references occurs.
struct Occurrences {
  std::uint32_t ngram, times;
  friend bool operator==(const Occurrences&, const Occurrences&) = default;
};

// Up to three words at an end of a partial target.
struct Boundary {
  std::array<WordId, kContext> words{};
  std::uint32_t size = 0;

  void push_back(WordId word) noexcept { words[size++] = word; }
  // Appends and keeps the last three.
  void shift(WordId word) noexcept {
    if (size == kContext) {
      std::copy(words.begin() + 1, words.end(), words.begin());
      --size;
    }
    push_back(word);
  }
  [[nodiscard]] bool operator==(const Boundary& other) const noexcept {
    return size == other.size && std::equal(words.begin(), words.begin() + size, other.words.begin());
  }
};

struct Item {
  double gain, model;
  EdgeId edge;
  std::uint32_t ranks;  // index into the ranks of its node's beam
  std::uint32_t length;
  Matches matches;
  Boundary left, right;
  std::uint32_t bag, bag_size;  // its reference n-grams, in its node's bags, sorted
};

struct Beam {
  std::vector<Item> items;
  std::vector<std::uint32_t> ranks;
  std::vector<Occurrences> bags;

  [[nodiscard]] std::span<const Occurrences> bag(const Item& item) const noexcept {
    return {bags.data() + item.bag, item.bag_size};
  }
};

class OracleSearch {
 public:
  OracleSearch(const Forest& forest, const Rows<WordId>& references, std::size_t beam, const OracleAim& aim)
      : forest_(forest),
        references_(references),
        size_(beam),
        aim_(aim),
        beams_(forest.nodes()),
        last_use_(forest.nodes()) {
    const auto lengths = inside(Expectation{}, forest, [&](EdgeId edge) {
      return Expectation::Value{forest.score(edge),
                                static_cast<double>(forest.target(edge).size() - forest.tails(edge).size())};
    });
    for (const auto& length : lengths) shares_.push_back(length.mean / std::max(lengths.back().mean, 1e-9));
    for (EdgeId edge = 0; edge < forest.edges(); ++edge)
      for (const NodeId tail : forest.tails(edge)) last_use_[tail] = std::max(last_use_[tail], forest.head(edge));
  }

  Oracle run() {
    std::vector<std::vector<NodeId>> retiring(forest_.nodes());  // bags are needed until a node's last head is built
    for (NodeId node = 0; node + 1 < forest_.nodes(); ++node) retiring[last_use_[node]].push_back(node);
    for (NodeId node = 0; node < forest_.nodes(); ++node) {
      build(node);
      for (const NodeId old : retiring[node]) std::vector<Occurrences>().swap(beams_[old].bags);
    }
    const auto& finals = beams_.back().items;
    std::size_t best = 0;
    double most = -HUGE_VAL, reached = 0;
    for (std::size_t i = 0; i < finals.size(); ++i) {
      const double gain = bleu(finals[i].matches, finals[i].length, references_);
      const double sought = aim_.model == 0 ? gain : together(finals[i].model, gain, finals[i].length, 1);
      if (sought > most || (sought == most && finals[i].model > finals[best].model)) {
        most = sought;
        reached = gain;
        best = i;
      }
    }
    return {derivation(best), reached};
  }

 private:
  void build(NodeId node) {
    candidates_.items.clear();
    candidates_.ranks.clear();
    candidates_.bags.clear();
    for (EdgeId edge = forest_.first_edge(node); edge < forest_.first_edge(node + 1); ++edge) {
      chosen_.assign(forest_.tails(edge).size(), 0);
      choose(node, edge, 0, size_);
    }
    auto& items = candidates_.items;
    std::vector<std::uint32_t> order(items.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return items[a].gain != items[b].gain ? items[a].gain > items[b].gain : items[a].model > items[b].model;
    });
    Beam& beam = beams_[node];
    std::vector<std::uint64_t> seen;
    for (const std::uint32_t at : order) {
      if (beam.items.size() == size_) break;
      Item item = items[at];
      // Equal future and equal past: of such items the first, which has the better model score, stands for all.
      const std::uint64_t hash = hash_of(item);
      bool known = false;
      for (std::size_t i = 0; i < seen.size() && !known; ++i) known = seen[i] == hash && alike(item, beam, i);
      if (known) continue;
      seen.push_back(hash);
      const std::size_t arity = forest_.tails(item.edge).size();
      const auto ranks = candidates_.ranks.begin() + item.ranks;
      item.ranks = static_cast<std::uint32_t>(beam.ranks.size());
      beam.ranks.insert(beam.ranks.end(), ranks, ranks + static_cast<std::ptrdiff_t>(arity));
      const auto bag = candidates_.bags.begin() + item.bag;
      item.bag = static_cast<std::uint32_t>(beam.bags.size());
      beam.bags.insert(beam.bags.end(), bag, bag + item.bag_size);
      beam.items.push_back(item);
    }
  }

  // Combines items of the tails; good ones are tried with more partners: the product of (rank + 1) is bounded.
  void choose(NodeId node, EdgeId edge, std::size_t tail, std::size_t budget) {
    const auto tails = forest_.tails(edge);
    if (tail == tails.size()) {
      join(node, edge);
      return;
    }
    const std::size_t have = beams_[tails[tail]].items.size();
    for (std::uint32_t rank = 0; rank < have && rank < budget; ++rank) {
      chosen_[tail] = rank;
      choose(node, edge, tail + 1, budget / (rank + 1));
    }
  }

  void join(NodeId node, EdgeId edge) {
    const auto tails = forest_.tails(edge);
    bag_.clear();
    Item item{};
    item.edge = edge;
    item.model = forest_.score(edge);
    Boundary recent;
    for (const WordId symbol : forest_.target(edge)) {
      if (!is_tail(symbol)) {
        const WordId word = references_.find({&symbol, 1}) == kAbsent ? kForeign : symbol;
        note(recent, word, 0);
        recent.shift(word);
        if (item.left.size < kContext) item.left.push_back(word);
        ++item.length;
        continue;
      }
      const Beam& beam = beams_[tails[tail_index(symbol)]];
      const Item& part = beam.items[chosen_[tail_index(symbol)]];
      for (std::uint32_t k = 0; k < part.bag_size; ++k) bag_.push_back(beam.bags[part.bag + k]);
      Boundary before = recent;  // n-grams that start before the part and end in it
      for (std::uint32_t k = 0; k < part.left.size; ++k) {
        note(before, part.left.words[k], k + 1);
        before.shift(part.left.words[k]);
        if (item.left.size < kContext) item.left.push_back(part.left.words[k]);
      }
      for (std::uint32_t k = 0; k < part.right.size; ++k) recent.shift(part.right.words[k]);
      item.length += part.length;
      item.model += part.model;
    }
    item.right = recent;
    settle(item, node);
  }

  // Notes the n-grams that end in `word`, longer than `inner` words, after the words in `before`.
  void note(const Boundary& before, WordId word, std::size_t inner) {
    std::array<WordId, kBleuOrder> ngram{};
    std::copy(before.words.begin(), before.words.begin() + before.size, ngram.begin());
    ngram[before.size] = word;
    for (std::size_t n = inner + 1; n <= before.size + std::size_t{1}; ++n) {
      const std::uint32_t id = references_.find({ngram.data() + before.size + 1 - n, n});
      if (id == kAbsent) break;  // then no longer n-gram ends here either
      bag_.push_back({id, 1});
    }
  }

  void settle(Item& item, NodeId node) {
    std::sort(bag_.begin(), bag_.end(), [](const Occurrences& a, const Occurrences& b) { return a.ngram < b.ngram; });
    item.bag = static_cast<std::uint32_t>(candidates_.bags.size());
    for (const Occurrences& entry : bag_) {
      if (candidates_.bags.size() > item.bag && candidates_.bags.back().ngram == entry.ngram) {
        candidates_.bags.back().times += entry.times;
      } else {
        candidates_.bags.push_back(entry);
      }
    }
    item.bag_size = static_cast<std::uint32_t>(candidates_.bags.size()) - item.bag;
    for (std::uint32_t k = item.bag; k < candidates_.bags.size(); ++k) {
      const Occurrences& entry = candidates_.bags[k];
      item.matches[references_.order(entry.ngram) - 1] += std::min(entry.times, references_.most(entry.ngram));
    }
    // What lies beyond a foreign word can no longer take part in a match.
    for (std::uint32_t k = 1; k < item.left.size; ++k)
      if (item.left.words[k - 1] == kForeign) item.left.words[k] = kForeign;
    for (std::uint32_t k = item.right.size; k-- > 1;)
      if (item.right.words[k] == kForeign) item.right.words[k - 1] = kForeign;
    const double share = shares_[node];
    item.gain = item.length == 0 ? -references_.length(0, share)
                                 : log_bleu(item.matches, item.length, references_.length(item.length, share), 0.5);
    if (aim_.model != 0) item.gain = together(item.model, std::exp(item.gain), item.length, share);
    item.ranks = static_cast<std::uint32_t>(candidates_.ranks.size());
    candidates_.ranks.insert(candidates_.ranks.end(), chosen_.begin(), chosen_.end());
    candidates_.items.push_back(item);
  }

  [[nodiscard]] double together(double model, double gain, double length, double share) const noexcept {
    return aim_.model * model + aim_.gain * gain * references_.length(length, share);
  }

  // Whether a candidate has the length, the n-grams and the ends of an item of a beam.
  [[nodiscard]] bool alike(const Item& candidate, const Beam& beam, std::size_t index) const noexcept {
    const Item& item = beam.items[index];
    return candidate.length == item.length && candidate.left == item.left && candidate.right == item.right &&
           std::ranges::equal(candidates_.bag(candidate), beam.bag(item));
  }
  [[nodiscard]] std::uint64_t hash_of(const Item& item) const noexcept {
    const auto bag = candidates_.bag(item);
    std::uint64_t hash = hash_bytes(bag.data(), bag.size_bytes());
    hash = dragoman::combine(hash, item.length);
    for (std::uint32_t k = 0; k < item.left.size; ++k) hash = dragoman::combine(hash, item.left.words[k]);
    for (std::uint32_t k = 0; k < item.right.size; ++k) hash = dragoman::combine(hash, item.right.words[k]);
    return hash;
  }

  [[nodiscard]] std::vector<EdgeId> derivation(std::size_t best) const {
    std::vector<EdgeId> edges;
    std::vector<std::pair<NodeId, std::size_t>> open{{forest_.goal(), best}};
    while (!open.empty()) {
      const auto [node, rank] = open.back();
      open.pop_back();
      const Beam& beam = beams_[node];
      const Item& item = beam.items[rank];
      edges.push_back(item.edge);
      const auto tails = forest_.tails(item.edge);
      for (std::size_t k = tails.size(); k-- > 0;) open.emplace_back(tails[k], beam.ranks[item.ranks + k]);
    }
    return edges;
  }

  const Forest& forest_;
  References references_;
  std::size_t size_;
  OracleAim aim_;
  std::vector<Beam> beams_;
  std::vector<NodeId> last_use_;
  std::vector<double> shares_;
  Beam candidates_;
  std::vector<Occurrences> bag_;
  std::vector<std::uint32_t> chosen_;
};

}  // namespace

double sentence_bleu(std::span<const WordId> words, const Rows<WordId>& references) {
  const References known(references);
  std::vector<std::uint32_t> found;
  for (std::size_t start = 0; start < words.size(); ++start)
    for (std::size_t n = 1; n <= std::min(kBleuOrder, words.size() - start); ++n) {
      const std::uint32_t id = known.find(words.subspan(start, n));
      if (id != kAbsent) found.push_back(id);
    }
  std::sort(found.begin(), found.end());
  Matches matches{};
  for (std::size_t at = 0; at < found.size();) {
    std::size_t end = at;
    while (end < found.size() && found[end] == found[at]) ++end;
    matches[known.order(found[at]) - 1] += std::min(static_cast<std::uint32_t>(end - at), known.most(found[at]));
    at = end;
  }
  return bleu(matches, static_cast<std::uint32_t>(words.size()), known);
}

Oracle bleu_oracle(const Forest& forest, const Rows<WordId>& references, std::size_t beam, const OracleAim& aim) {
  if (forest.empty()) return {};
  return OracleSearch(forest, references, beam, aim).run();
}

}  // namespace dragoman::forest
