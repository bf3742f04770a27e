// What a rule adds to the rules it could be composed of. Compositions follow the rule's own word links: every part is a
// consistent block with a rule of its own, and parts stand in order or swapped.
#include <algorithm>
#include <cmath>

#include "common/parallel.hpp"
#include "grammar/select.hpp"

namespace dragoman::grammar {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

class Composer {
 public:
  Composer(const RuleTable& table, std::size_t column) : table_(table), column_(column) {}

  // Log-probability of the best composition from at least two parts.
  [[nodiscard]] double best(Phrase source, Phrase target, std::span<const Link> links) {
    const std::size_t m = source.size(), n = target.size();
    cells_.assign((m + 1) * (m + 1) * (n + 1) * (n + 1), kImpossible);
    const auto cell = [&](std::size_t i, std::size_t j, std::size_t k, std::size_t l) -> double& {
      return cells_[((i * (m + 1) + j) * (n + 1) + k) * (n + 1) + l];
    };
    for (std::size_t length = 1; length <= m; ++length) {
      for (std::size_t i = 0; i + length <= m; ++i) {
        const std::size_t j = i + length;
        for (std::size_t width = 1; width <= n; ++width) {
          for (std::size_t k = 0; k + width <= n; ++k) {
            const std::size_t l = k + width;
            if (!consistent(links, i, j, k, l)) continue;
            double value = kImpossible;
            if (length != m || width != n) value = own(source.subspan(i, length), target.subspan(k, width));
            for (std::size_t s = i + 1; s < j; ++s) {
              for (std::size_t t = k + 1; t < l; ++t) {
                value = std::max(value, cell(i, s, k, t) + cell(s, j, t, l));
                value = std::max(value, cell(i, s, t, l) + cell(s, j, k, t));
              }
            }
            cell(i, j, k, l) = value;
          }
        }
      }
    }
    return cell(0, m, 0, n);
  }

 private:
  [[nodiscard]] static bool consistent(std::span<const Link> links, std::size_t i, std::size_t j, std::size_t k,
                                       std::size_t l) {
    bool any = false;
    for (const Link link : links) {
      const bool source = link.source >= i && link.source < j, target = link.target >= k && link.target < l;
      if (source != target) return false;
      any = any || source;
    }
    return any;
  }
  [[nodiscard]] double own(Phrase source, Phrase target) const {
    const NodeId node = table_.find(source);
    if (node == kNoNode || table_.rules_of(node).empty()) return kImpossible;
    const std::uint32_t phrase = table_.find_target(target);
    if (phrase == table_.targets()) return kImpossible;
    const RuleId rule = table_.find(node, phrase);
    return rule == table_.rules() ? kImpossible : double{table_.value(rule, column_)};
  }

  const RuleTable& table_;
  std::size_t column_;
  std::vector<double> cells_;
};

}  // namespace

std::vector<double> relative_entropy(const RuleTable& table, std::size_t column, int threads) {
  double total = 0;
  for (RuleId rule = 0; rule < table.rules(); ++rule) total += table.joint_count(rule);
  std::vector<double> values(table.rules(), std::numeric_limits<double>::infinity());
  parallel_ranges(table.nodes(), 1024, threads, [&](std::size_t begin, std::size_t end) {
    Composer composer(table, column);
    std::vector<WordId> source;
    for (std::size_t node = begin; node < end; ++node) {
      const RuleRange rules = table.rules_of(static_cast<NodeId>(node));
      if (rules.empty()) continue;
      table.source(static_cast<NodeId>(node), source);
      if (source.size() < 2 || source.size() > 16 || has_nonterminals(source)) continue;
      for (RuleId rule = rules.first; rule < rules.last; ++rule) {
        const Phrase target = table.target(rule);
        if (target.size() < 2 || target.size() > 16) continue;
        const double composed = composer.best(source, target, table.links(rule));
        if (composed == kImpossible) continue;
        const double share = total > 0 ? table.joint_count(rule) / total : 0;
        values[rule] = share * (double{table.value(rule, column)} - composed);
      }
    }
  });
  return values;
}

}  // namespace dragoman::grammar
