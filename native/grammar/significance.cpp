// Fisher's exact test for every rule of a table. Co-occurrence is counted over sentences, wherever the words of both
// sides occur, not only where the rule was extracted; each phrase counts once per sentence.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "common/error.hpp"
#include "common/parallel.hpp"
#include "grammar/select.hpp"

namespace dragoman::grammar {
namespace {

// Target ids of all phrases that occur in a sentence, sorted.
void targets_in(const RuleTable& table, std::span<const WordId> sentence, std::vector<std::uint32_t>& found) {
  found.clear();
  const TableTargets targets(table);
  for (std::size_t start = 0; start < sentence.size(); ++start) {
    std::size_t low = 0, high = targets.size();
    for (std::size_t k = 0; start + k < sentence.size() && low < high; ++k) {
      const WordId word = sentence[start + k];
      if (word == kUnknown) break;
      // Among phrases that share k words, those that go on with `word`.
      const auto first = [&](WordId bound) {
        std::size_t from = low, to = high;
        while (from < to) {
          const std::size_t middle = from + (to - from) / 2;
          const Phrase phrase = targets[static_cast<std::uint32_t>(middle)];
          if (phrase.size() <= k || phrase[k] < bound)
            from = middle + 1;
          else
            to = middle;
        }
        return from;
      };
      const std::size_t begin = first(word), end = first(word + 1);
      low = begin;
      high = end;
      if (low < high && targets[static_cast<std::uint32_t>(low)].size() == k + 1)
        found.push_back(static_cast<std::uint32_t>(low));
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

void sources_in(const RuleTable& table, std::span<const WordId> sentence, std::vector<NodeId>& found) {
  found.clear();
  for (std::size_t start = 0; start < sentence.size(); ++start) {
    NodeId node = kRoot;
    for (std::size_t end = start; end < sentence.size() && sentence[end] != kUnknown; ++end) {
      node = table.child(node, sentence[end]);
      if (node == kNoNode) break;
      if (!table.rules_of(node).empty()) found.push_back(node);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

void bump(std::uint32_t& count) { std::atomic_ref(count).fetch_add(1, std::memory_order_relaxed); }

// Minus ln P(X >= joint) for X hypergeometric: the first term by log-factorials, the rest by the ratio of successive
// terms.
template <typename LogFactorial>
double upper_tail(std::uint64_t joint, std::uint64_t source, std::uint64_t target, std::uint64_t sentences,
                  const LogFactorial& log_factorial) {
  if (joint == 0 || joint + sentences <= source + target) return 0;
  const auto choose = [&](std::uint64_t n, std::uint64_t k) {
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
  };
  const double first = choose(source, joint) + choose(sentences - source, target - joint) - choose(sentences, target);
  const auto n = static_cast<double>(sentences), a = static_cast<double>(source), b = static_cast<double>(target);
  double sum = 1, term = 1;
  for (auto k = static_cast<double>(joint); k < std::min(a, b); ++k) {
    term *= (a - k) * (b - k) / ((k + 1) * (n - a - b + k + 1));
    sum += term;
    if (term < 1e-17 * sum) break;
  }
  return std::max(0.0, -(first + std::log(sum)));
}

}  // namespace

double minus_log_fisher(std::uint64_t joint, std::uint64_t source, std::uint64_t target, std::uint64_t sentences) {
  return upper_tail(joint, source, target, sentences,
                    [](std::uint64_t n) { return std::lgamma(static_cast<double>(n) + 1); });
}

SentenceCounts count_sentences(const RuleTable& table, const Sentences& source, const Sentences& target, int threads) {
  SentenceCounts counts;
  auto& [of_source, of_target, joint] = counts;
  of_source.resize(table.nodes());
  of_target.resize(table.targets());
  joint.resize(table.rules());
  parallel_ranges(source.size(), 256, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<NodeId> nodes;
    std::vector<std::uint32_t> targets;
    for (std::size_t i = begin; i < end; ++i) {
      sources_in(table, source[i], nodes);
      targets_in(table, target[i], targets);
      for (const std::uint32_t phrase : targets) bump(of_target[phrase]);
      for (const NodeId node : nodes) {
        bump(of_source[node]);
        const RuleRange rules = table.rules_of(node);
        if (rules.size() > targets.size() * 8) {
          for (const std::uint32_t phrase : targets)
            if (const RuleId rule = table.find(node, phrase); rule < table.rules()) bump(joint[rule]);
        } else {
          for (RuleId rule = rules.first; rule < rules.last; ++rule)
            if (std::binary_search(targets.begin(), targets.end(), table.target_id(rule))) bump(joint[rule]);
        }
      }
    }
  });
  return counts;
}

std::vector<double> significance(const RuleTable& table, const SentenceCounts& counts, std::uint64_t sentences,
                                 int threads) {
  const auto& [of_source, of_target, joint] = counts;
  if (of_source.size() != table.nodes() || of_target.size() != table.targets() || joint.size() != table.rules())
    throw InputError("counts of another table");
  for (const auto* each : {&of_source, &of_target})
    if (std::any_of(each->begin(), each->end(), [&](std::uint32_t count) { return count > sentences; }))
      throw InputError("counts of more sentences than there are");
  std::vector<double> log_factorials(sentences + 1, 0.0);
  for (std::size_t n = 1; n < log_factorials.size(); ++n)
    log_factorials[n] = log_factorials[n - 1] + std::log(static_cast<double>(n));
  const auto log_factorial = [&](std::uint64_t n) { return log_factorials[n]; };
  std::vector<double> values(table.rules(), std::numeric_limits<double>::infinity());
  parallel_ranges(table.nodes(), 4096, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<WordId> words;
    for (std::size_t node = begin; node < end; ++node) {
      const RuleRange rules = table.rules_of(static_cast<NodeId>(node));
      if (rules.empty()) continue;
      table.source(static_cast<NodeId>(node), words);
      if (has_nonterminals(words)) continue;
      for (RuleId rule = rules.first; rule < rules.last; ++rule) {
        const std::uint32_t phrase = table.target_id(rule);
        if (phrase >= table.targets() || has_nonterminals(table.target(rule))) continue;
        values[rule] = upper_tail(joint[rule], of_source[node], of_target[phrase], sentences, log_factorial);
      }
    }
  });
  return values;
}

}  // namespace dragoman::grammar
