// Templates that look at rules only, and what names are made of.
#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "features/feature_name.hpp"
#include "features/lexical.hpp"
#include "features/measures.hpp"
#include "features/rule_entries.hpp"
#include "features/shared_ids.hpp"
#include "tests/check.hpp"

using namespace dragoman;
using namespace dragoman::features;

namespace {

std::string coded(std::string_view token) {
  std::string name;
  append_token(name, token);
  return name;
}

std::vector<std::string> fired(const RuleTemplate& made, const RuleText& rule) {
  NamedValues values;
  made.fire(rule, values);
  std::vector<std::string> names;
  for (const auto& item : values.items()) names.push_back(item.name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST("characters that mean something in names are coded, cut ones too") {
  CHECK(coded("a_b>c@d#e=f%") == "a%5Fb%3Ec%40d%23e%3Df%25");
  CHECK(coded("\xc2\xa0x\xe3\x80\x80") == "%C2%A0x%E3%80%80");
  CHECK(coded("\xe2\x80") == "\xe2\x80");
  CHECK(coded("\xc2") == "\xc2");
  CHECK(coded("é:") == "é:");
}

TEST("classes fold digits and fall back to <unk>") {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  const WordClasses classes(Pairs{{"<unk>", "u"}, {"dog", "n"}, {"00", "d"}, {"7", "seven"}});
  CHECK(classes.name(classes.of("dog")) == "n");
  CHECK(classes.name(classes.of("42")) == "d");
  CHECK(classes.name(classes.of("7")) == "seven");
  CHECK(classes.name(classes.of("421")) == "u");
  CHECK(classes.name(classes.of("")) == "u");
  const Pairs incomplete = {{"dog", "n"}};
  CHECK_THROWS(InputError, (void)WordClasses(incomplete).of("dog"));
}

TEST("links by component and by clique differ where links chain (worked example)") {
  const std::vector<grammar::Link> links = {{0, 0}, {0, 1}, {1, 1}};
  RuleText rule;
  rule.source = {"b", "a"};
  rule.target = {"y", "x", "z"};
  rule.links = links;
  rule.from_table = true;
  CHECK(fired(LinkIndicator("link", {}, false, false), rule) == std::vector<std::string>{"link:a_b>x_y"});
  const std::vector<std::string> cliques = {"link:a_b>x", "link:a_b>x_y"};
  CHECK(fired(LinkIndicator("link", {}, true, false), rule) == cliques);
  CHECK(fired(UnalignedIndicator("insert", true, nullptr, false), rule) == std::vector<std::string>{"insert:z"});
  CHECK(fired(RuleIndicator("rule", {}, false), rule) == std::vector<std::string>{"rule:b_a>y_x_z"});
  CHECK(fired(RuleIndicator("rule", {nullptr, nullptr, 2}, false), rule).empty());
  rule.from_table = false;
  CHECK(fired(RuleIndicator("rule", {}, false), rule).empty());
  const std::vector<std::string> shapes = {"shape:2x3", "shape:source.2", "shape:target.3"};
  CHECK(fired(ShapeIndicator("shape", true, true, true), rule) == shapes);
}

TEST("links that lead outside a rule are passed over") {
  const std::vector<grammar::Link> links = {{9, 0}, {0, 9}};
  RuleText rule;
  rule.source = {"a"};
  rule.target = {"x"};
  rule.links = links;
  rule.from_table = true;
  CHECK(fired(LinkIndicator("link", {}, false, false), rule).size() == 2);
}

TEST("what threads share is the same for all of them, also when it is forgotten") {
  RuleEntries rules(1000);
  RuleEntryLists lists;
  SharedIds ids(4);  // 80 places for 1000 keys
  std::vector<std::jthread> pool;
  std::atomic<int> wrong{0}, made{0};
  for (int thread = 0; thread < 4; ++thread) {
    pool.emplace_back([&] {
      for (std::uint64_t round = 0; round < 20000; ++round) {
        const auto key = round % 1000;
        const auto make = [&] { return static_cast<std::uint32_t>(key); };
        const auto rule = static_cast<std::uint32_t>(key);
        rules.get(
            rule, lists, [&] { return std::vector<RuleEntry>(rule % 7, {rule, 0, 1.0 * rule}); },
            [&](std::span<const RuleEntry> found) {
              wrong += found.size() == rule % 7 ? 0 : 1;
              for (const RuleEntry& entry : found) wrong += entry.feature == rule ? 0 : 1;
            });
        wrong += ids.get(key, make) == key ? 0 : 1;
      }
    });
  }
  pool.clear();
  CHECK(wrong == 0);
  for (int round = 0; round < 10; ++round)
    for (std::uint64_t key = 0; key < 8; ++key)
      ids.get(key, [&] {
        ++made;
        return static_cast<std::uint32_t>(key);
      });
  CHECK(made <= 8);  // remembered from the first round on, as far as buckets reach
}
