// The table under sanitizers: written, read back, layered, and torn.
#include <filesystem>
#include <fstream>
#include <memory>

#include "grammar/dotted.hpp"
#include "grammar/layered.hpp"
#include "grammar/moses_text.hpp"
#include "grammar/rule_list.hpp"
#include "grammar/score.hpp"
#include "tests/check.hpp"

using namespace dragoman;
using namespace dragoman::grammar;

namespace {

std::filesystem::path place(const char* name) {
  return std::filesystem::temp_directory_path() / (std::string("dragoman_test_") + name);
}

std::shared_ptr<const RuleTable> small_table(const std::filesystem::path& path) {
  RuleList rules({"p", "q"});
  MosesReport report;
  for (const char* line : {"das haus ||| the house ||| 0.5 1 ||| 0-0 1-1 ||| 4 3 2", "das ||| the ||| 0.25 1 ||| 0-0",
                           "ne X pas ||| not ||| 1 1 ||| 0-0 2-0", "das ||| that ||| 0.75 0.5 ||| 0-0"})
    read_moses_line(line, "test", {true}, rules, report);
  rules.write(path, "made\tby hand\n", false, 1, "test");
  return std::make_shared<const RuleTable>(RuleTable::open(path));
}

std::vector<WordId> words(const RuleTable& table, std::string_view text) {
  std::vector<WordId> ids;
  for_each_token(text, [&](std::string_view token) { ids.push_back(table.source_words().id(token)); });
  return ids;
}

}  // namespace

TEST("a table finds every span once") {
  const auto table = small_table(place("table"));
  CHECK(table->rules() == 4 && table->depth() == 3);
  std::vector<std::pair<int, int>> spans;
  table->match(words(*table, "das haus das unheard"), 0, [&](int start, int end, RuleRange rules) {
    spans.emplace_back(start, end);
    CHECK(!rules.empty());
  });
  CHECK((spans == std::vector<std::pair<int, int>>{{0, 1}, {0, 2}, {2, 3}}));
  int gapped = 0;
  table->match_gappy(words(*table, "ne das haus pas"), 12, [&](std::span<const int> positions, RuleRange) {
    CHECK(positions.size() == 2 && positions[0] == 0 && positions[1] == 3);
    ++gapped;
  });
  CHECK(gapped == 1);
}

TEST("a layer adds, hides and gives back") {
  LayeredTable layered(small_table(place("layer")));
  RuleList::Draft rule;
  rule.source = {layered.intern_source("neu")};
  rule.target = {layered.intern_target("new")};
  rule.values = {0.0f, 0.0f};
  layered.add(rule);
  const auto before = layered.view();
  layered.hide(0);
  const auto after = layered.view();
  const auto count = [](const LayeredView& view, WordId word) {
    std::size_t rules = 0;
    view.match(std::vector<WordId>{word}, 0, [&](int, int, RuleRange range) { rules += range.size(); });
    return rules;
  };
  CHECK(count(*before, before->source_id("das")) == 2 && count(*after, after->source_id("das")) == 1);
  CHECK(count(*after, after->source_id("neu")) == 1 && after->target_word(rule.target[0]) == "new");
  CHECK(layered.drop(rule.source, rule.target) && !layered.drop(rule.source, rule.target));
  layered.unhide(0);
  CHECK(count(*layered.view(), before->source_id("das")) == 2);
  layered.write(place("folded"), "", 1);
  CHECK(RuleTable::open(place("folded")).rules() == 4);
}

TEST("every cut of a table is refused") {
  const auto path = place("cut");
  small_table(path);
  std::ifstream in(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  for (std::size_t size = 0; size < whole.size(); size += 61) {
    std::ofstream(place("cut2"), std::ios::binary).write(whole.data(), static_cast<std::streamsize>(size));
    CHECK_THROWS(FormatError, RuleTable::open(place("cut2")));
  }
}

TEST("runs merge to the same table whatever their number") {
  Vocabulary source, target;
  std::vector<std::string> made;
  for (const std::uint64_t per_run : {1u, 5u, 1000000u}) {
    Bitext bitext(0);
    std::vector<SentenceLink> links;
    for (int i = 0; i < 20; ++i) {
      std::vector<WordId> s, t;
      for (int k = 0; k < 5; ++k) {
        s.push_back(source.intern(std::string(1, static_cast<char>('a' + (i * k) % 7))));
        t.push_back(target.intern(std::string(1, static_cast<char>('u' - (i + k) % 5))));
      }
      links = {{0, 1}, {1, 0}, {3, 3}, {4, static_cast<std::uint16_t>(i % 5)}};
      bitext.add(s, t, links, 0, 100, "test");
    }
    ExtractionSettings settings;
    settings.orientation = OrientationModel::kHierarchical;
    settings.evidence = true;
    settings.gappy = true;
    settings.instances_per_run = per_run;
    const auto folder = place("runs");
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    const auto runs = extract_runs(bitext, settings, nullptr, folder / "run").paths;
    merge_dictionaries(runs, folder, 2);
    const Merged merged(runs, folder);
    ScoringSettings scoring;
    scoring.classes = OrientationClasses::kMslr;
    scoring.smoothing = Smoothing::kKneserNey;
    count_statistics(merged, scoring.smoothing, 2).save(folder / "statistics");
    score_range(merged, SavedStatistics(folder / "statistics"), 0, static_cast<std::uint32_t>(merged.sources.size()),
                scoring, nullptr, folder / "block");
    std::ifstream in(folder / "block", std::ios::binary);
    made.emplace_back((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  }
  CHECK(made[0].size() > 1000 && made[0] == made[1] && made[1] == made[2]);
}

TEST("dotted matching asks what nonterminals may cover, and sees rules of the layer") {
  RuleList rules({"p"});
  const WordId label = rules.labels.intern("X"), a = rules.source_words.intern("a"), b = rules.source_words.intern("b");
  const WordId first = nonterminal(label, 0), second = nonterminal(label, 1), word = rules.target_words.intern("w");
  const auto add = [&](std::vector<WordId> source, std::vector<WordId> target) {
    RuleList::Draft rule;
    rule.source = std::move(source);
    rule.target = std::move(target);
    rule.values = {0.0f};
    rules.add(rule);
  };
  add({a}, {word});
  add({first, b, second}, {second, word, first});
  add({first, second}, {first, second});
  rules.write(place("dotted"), "", false, 1, "test");
  LayeredTable layered(std::make_shared<const RuleTable>(RuleTable::open(place("dotted"))));
  RuleList::Draft extra;
  extra.source = {a, first};
  extra.target = {first};
  extra.values = {0.0f};
  layered.add(extra);
  const auto view = layered.view();
  std::vector<WordId> source;
  const auto slot = view->nonterminal_children(view->child(view->layer_root(), a)).first;
  view->source(slot, source);
  CHECK((source == std::vector<WordId>{a, first}) && view->has_rules(slot));

  // Only spans of one word may be covered: of `X b X` one way is left.
  const std::vector<WordId> words{a, b, a, b};
  DottedMatcher matcher;
  matcher.begin(*view, words, 3);
  std::vector<CoveredSpan> spans;
  const std::vector<std::uint32_t> labels{label - 1, label};
  int layer = 0, three = 0;
  for (std::uint32_t start = 4; start-- > 0;) {
    matcher.start(start);
    for (std::uint32_t end = start + 1; end <= matcher.last_end(start); ++end) {
      for (const auto& match : matcher.extend([&](std::uint32_t from, std::uint32_t to) {
             CHECK(from > start && to == end);
             return std::span<const std::uint32_t>(labels).first(to == from + 1 ? labels.size() : 0);
           })) {
        matcher.nonterminals(match, spans);
        layer += match.node >= view->layer_root();
        three += end == start + 3;
        for (const CoveredSpan& span : spans) CHECK(span.end == span.start + 1);
      }
      if (end == start + 1) CHECK(matcher.cover(label).empty());
      matcher.close();
    }
  }
  CHECK(layer == 2 && three == 1);
}
