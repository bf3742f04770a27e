#include "features/lexical.hpp"

#include <algorithm>
#include <bitset>
#include <cstdint>

#include "features/feature_name.hpp"

namespace dragoman::features {
namespace {

std::vector<std::string_view> labels(const Classes& classes, std::span<const std::string_view> words) {
  std::vector<std::string_view> found;
  found.reserve(words.size());
  for (const std::string_view word : words) found.push_back(label(classes.get(), word));
  return found;
}

// Positions of the two sides that make one unit.
struct Unit {
  using Positions = std::bitset<256>;
  Positions source, target;
  friend bool operator==(const Unit&, const Unit&) = default;
};

Unit clique_of(std::uint8_t source, std::span<const grammar::Link> links) {
  Unit unit;
  for (const grammar::Link link : links)
    if (link.source == source) unit.target.set(link.target);
  for (const grammar::Link link : links)
    if (unit.target.test(link.target)) unit.source.set(link.source);
  return unit;
}

Unit component_of(std::uint8_t source, std::span<const grammar::Link> links) {
  Unit unit;
  unit.source.set(source);
  for (bool grows = true; grows;) {
    grows = false;
    for (const grammar::Link link : links) {
      const bool left = unit.source.test(link.source), right = unit.target.test(link.target);
      if (left == right) continue;
      unit.source.set(link.source);
      unit.target.set(link.target);
      grows = true;
    }
  }
  return unit;
}

void append_sorted(std::string& name, const Unit::Positions& positions, const Classes& classes,
                   const std::vector<std::string_view>& words) {
  std::vector<std::string_view> found;
  for (std::size_t position = 0; position < words.size() && position < positions.size(); ++position)
    if (positions.test(position)) found.push_back(label(classes.get(), words[position]));
  std::sort(found.begin(), found.end());
  append_tokens(name, found);
}

}  // namespace

std::string spell_rule(const RuleText& rule, const Lexicalization& words) {
  std::string name;
  append_tokens(name, labels(words.source, rule.source));
  name += '>';
  append_tokens(name, labels(words.target, rule.target));
  return name;
}

void RuleIndicator::fire(const RuleText& rule, NamedValues& fire) const {
  if (words_.admits(rule)) fire(named(spell_rule(rule, words_)));
}

void LinkIndicator::fire(const RuleText& rule, NamedValues& fire) const {
  if (!words_.admits(rule)) return;
  std::vector<Unit> units;
  for (const grammar::Link link : rule.links) {
    const Unit unit = cliques_ ? clique_of(link.source, rule.links) : component_of(link.source, rule.links);
    if (std::find(units.begin(), units.end(), unit) != units.end()) continue;
    units.push_back(unit);
    std::string name;
    append_sorted(name, unit.source, words_.source, rule.source);
    name += '>';
    append_sorted(name, unit.target, words_.target, rule.target);
    fire(named(name));
  }
}

void UnalignedIndicator::fire(const RuleText& rule, NamedValues& fire) const {
  if (!classes_ && !rule.from_table) return;
  const auto& words = target_side_ ? rule.target : rule.source;
  for (std::size_t position = 0; position < words.size(); ++position) {
    if (!(target_side_ ? rule.is_target_word(position) : rule.is_source_word(position))) continue;
    const bool linked = std::any_of(rule.links.begin(), rule.links.end(), [&](grammar::Link link) {
      return (target_side_ ? link.target : link.source) == position;
    });
    if (linked) continue;
    std::string name;
    append_token(name, label(classes_.get(), words[position]));
    fire(named(name));
  }
}

void TargetIndicator::fire(const RuleText& rule, NamedValues& fire) const {
  if (!classes_ && !rule.from_table) return;
  for (std::size_t position = 0; position < rule.target.size(); ++position) {
    if (!rule.is_target_word(position)) continue;
    std::string name;
    append_token(name, label(classes_.get(), rule.target[position]));
    fire(named(name));
  }
}

}  // namespace dragoman::features
