#include "grammar/join.hpp"

#include <algorithm>
#include <cmath>

#include "grammar/bitext.hpp"
#include "grammar/table_writer.hpp"

namespace dragoman::grammar {
namespace {

constexpr double kFloor = -100;

// One vocabulary out of many, in byte order, and the new ids of each table's words; order is kept because every table's
// words are in byte order themselves.
struct Union {
  Vocabulary words;
  std::vector<std::vector<WordId>> ids;

  template <typename Get>
  Union(const std::vector<std::shared_ptr<const RuleTable>>& tables, const Get& get, bool ordered) {
    Vocabulary all;
    for (const auto& table : tables) {
      const VocabularyView view = get(*table);
      for (std::size_t id = 0; id < view.size(); ++id) all.intern(view.word(static_cast<WordId>(id)));
    }
    words = ordered ? in_byte_order(all.view()).words : std::move(all);
    for (const auto& table : tables) {
      const VocabularyView view = get(*table);
      auto& places = ids.emplace_back();
      for (std::size_t id = 0; id < view.size(); ++id) places.push_back(words.id(view.word(static_cast<WordId>(id))));
      if (ordered && !std::is_sorted(places.begin(), places.end()))
        throw FormatError("a table whose words are not in order", "", "build it again");
    }
  }
};

const std::vector<std::string>& widest(const std::vector<std::shared_ptr<const RuleTable>>& tables) {
  const auto narrower = [](const auto& a, const auto& b) { return a->columns().size() < b->columns().size(); };
  return (*std::max_element(tables.begin(), tables.end(), narrower))->columns();
}

void renumber(Phrase phrase, const std::vector<WordId>& words, const std::vector<WordId>& labels,
              std::vector<WordId>& out) {
  out.clear();
  for (const WordId symbol : phrase) {
    const std::size_t id = is_nonterminal(symbol) ? label_of(symbol) : symbol;
    const auto& ids = is_nonterminal(symbol) ? labels : words;
    if (id >= ids.size()) throw FormatError("damaged: a symbol without a name", "", "build the table again");
    out.push_back(is_nonterminal(symbol) ? nonterminal(ids[id], index_of(symbol)) : ids[id]);
  }
}

class Joiner {
 public:
  Joiner(const std::vector<std::shared_ptr<const RuleTable>>& tables, const JoinSettings& settings,
         const std::filesystem::path& path)
      : tables_(tables),
        settings_(settings),
        sources_(
            tables, [](const RuleTable& t) { return t.source_words(); }, true),
        targets_(
            tables, [](const RuleTable& t) { return t.target_words(); }, true),
        labels_(
            tables, [](const RuleTable& t) { return t.labels(); }, true),
        features_(tables, [](const RuleTable& t) { return t.features(); }, false) {
    merge_targets();
    std::vector<std::string> columns = widest(tables);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      by_source_.push_back(columns[c] == "phrase.ts");
      by_target_.push_back(columns[c] == "phrase.st");
    }
    columns.insert(columns.end(), settings.indicators.begin(), settings.indicators.end());
    list_ = FlatPhrases(dictionary_.ends, dictionary_.symbols);
    writer_ = std::make_unique<TableWriter>(
        path,
        TableSchema{columns, settings.metadata, sources_.words.view(), targets_.words.view(), labels_.words.view(),
                    features_.words.view(), settings.first_evidence && tables[0]->has_evidence(), settings.compact,
                    settings.threads},
        list_);
  }

  void run() {
    const std::size_t count = tables_.size();
    std::vector<NodeId> at(count, 0);
    std::vector<std::vector<WordId>> source(count);
    std::vector<WordId> raw;
    const auto advance = [&](std::size_t t) {
      while (at[t] < tables_[t]->nodes() && tables_[t]->rules_of(at[t]).empty()) ++at[t];
      if (at[t] < tables_[t]->nodes()) {
        tables_[t]->source(at[t], raw);
        renumber(raw, sources_.ids[t], labels_.ids[t], source[t]);
      }
    };
    for (std::size_t t = 0; t < count; ++t) advance(t);
    std::vector<std::size_t> here;
    while (true) {
      here.clear();
      for (std::size_t t = 0; t < count; ++t) {
        if (at[t] == tables_[t]->nodes()) continue;
        const int way = here.empty() ? -1 : compare(source[t], source[here[0]], PhraseOrder::kBreadthFirst);
        if (way < 0) here.clear();
        if (way <= 0) here.push_back(t);
      }
      if (here.empty()) break;
      join_source(source[here[0]], here, at);
      for (const std::size_t t : here) {
        ++at[t];
        advance(t);
      }
    }
    writer_->finish();
  }

 private:
  void merge_targets() {
    const std::size_t count = tables_.size();
    std::vector<std::uint32_t> at(count, 0);
    std::vector<std::vector<WordId>> phrase(count);
    places_.resize(count);
    const auto load = [&](std::size_t t) {
      if (at[t] < tables_[t]->targets())
        renumber(tables_[t]->target_phrase(at[t]), targets_.ids[t], labels_.ids[t], phrase[t]);
    };
    for (std::size_t t = 0; t < count; ++t) load(t);
    std::vector<std::size_t> here;
    while (true) {
      here.clear();
      for (std::size_t t = 0; t < count; ++t) {
        if (at[t] == tables_[t]->targets()) continue;
        const int way = here.empty() ? -1 : compare(phrase[t], phrase[here[0]], PhraseOrder::kLexicographic);
        if (way < 0) here.clear();
        if (way <= 0) here.push_back(t);
      }
      if (here.empty()) break;
      const auto id = static_cast<std::uint32_t>(dictionary_.ends.size());
      dictionary_.add(phrase[here[0]]);
      float total = 0;
      std::uint32_t known = 0;
      for (const std::size_t t : here) {
        total += tables_[t]->target_count(at[t]);
        known |= t < 32 ? 1u << t : 0u;
        places_[t].push_back(id);
        ++at[t];
        load(t);
      }
      target_totals_.push_back(total);
      target_known_.push_back(known);
    }
  }

  void join_source(Phrase source, const std::vector<std::size_t>& here, const std::vector<NodeId>& nodes) {
    float total = 0;
    for (const std::size_t t : here) total += tables_[t]->source_count(nodes[t]);
    writer_->begin_source(source, total);
    std::vector<RuleId> at(tables_.size(), 0), end(tables_.size(), 0);
    for (const std::size_t t : here) {
      const RuleRange rules = tables_[t]->rules_of(nodes[t]);
      at[t] = rules.first;
      end[t] = rules.last;
    }
    std::vector<std::size_t> has;
    while (true) {
      has.clear();
      std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
      for (const std::size_t t : here) {
        if (at[t] == end[t]) continue;
        const std::uint32_t local = tables_[t]->target_id(at[t]);
        if (local >= places_[t].size()) throw FormatError("damaged: a rule without a target", "", "build it again");
        const std::uint32_t target = places_[t][local];
        if (target < least) has.clear();
        if (target <= least) has.push_back(t);
        least = std::min(least, target);
      }
      if (has.empty()) return;
      add(least, here, has, at);
      for (const std::size_t t : has) ++at[t];
    }
  }

  void add(std::uint32_t target, const std::vector<std::size_t>& knows_source, const std::vector<std::size_t>& has,
           const std::vector<RuleId>& rules) {
    const std::size_t columns = by_source_.size();
    const std::size_t giver = has[0];
    values_.assign(columns, 0.0f);
    tables_[giver]->values(rules[giver], std::span(values_).first(tables_[giver]->columns().size()));
    if (settings_.mode == JoinMode::kLinear) {
      for (std::size_t c = 0; c < columns; ++c) {
        const auto weight = [&](std::size_t t) { return settings_.weights[c * tables_.size() + t]; };
        double all = 0, sum = 0;
        if (by_source_[c]) {
          for (const std::size_t t : knows_source) all += weight(t);
        } else if (by_target_[c]) {
          for (std::size_t t = 0; t < tables_.size(); ++t)
            if ((target_known_[target] >> t & 1u) != 0) all += weight(t);
        } else {
          for (const std::size_t t : has) all += weight(t);
        }
        for (const std::size_t t : has) sum += weight(t) * std::exp(double{tables_[t]->value(rules[t], c)});
        values_[c] = static_cast<float>(all > 0 && sum > 0 ? std::max(kFloor, std::log(sum / all)) : kFloor);
      }
    }
    for (std::size_t t = 0; t < settings_.indicators.size(); ++t) {
      const bool on = settings_.only_giver ? t == giver : std::find(has.begin(), has.end(), t) != has.end();
      values_.push_back(on ? 1.0f : 0.0f);
    }
    float joint = 0, most = -1;
    std::size_t links_from = giver;
    for (const std::size_t t : has) {
      const float count = tables_[t]->joint_count(rules[t]);
      joint += count;
      if (count > most) {
        most = count;
        links_from = t;
      }
    }
    sparse_.clear();
    for (SparseValue value : tables_[giver]->sparse(rules[giver])) {
      if (value.feature >= features_.ids[giver].size()) continue;
      value.feature = features_.ids[giver][value.feature];
      sparse_.push_back(value);
    }
    evidence_.clear();
    if (giver == 0 && settings_.first_evidence && tables_[0]->has_evidence()) tables_[0]->evidence(rules[0], evidence_);
    const WordId label = tables_[giver]->left_hand_side(rules[giver]);
    writer_->set_target_count(target, target_totals_[target]);
    writer_->add({target, tables_[links_from]->links(rules[links_from]), joint, values_,
                  label < labels_.ids[giver].size() ? labels_.ids[giver][label] : 0, sparse_, evidence_});
  }

  const std::vector<std::shared_ptr<const RuleTable>>& tables_;
  const JoinSettings& settings_;
  Union sources_, targets_, labels_, features_;
  PhraseColumns dictionary_;
  FlatPhrases list_;
  std::vector<std::vector<std::uint32_t>> places_;
  std::vector<float> target_totals_;
  std::vector<std::uint32_t> target_known_;
  std::vector<bool> by_source_, by_target_;
  std::unique_ptr<TableWriter> writer_;
  std::vector<float> values_;
  std::vector<SparseValue> sparse_;
  std::vector<std::uint32_t> evidence_;
};

}  // namespace

void join_tables(const std::vector<std::shared_ptr<const RuleTable>>& tables, const JoinSettings& settings,
                 const std::filesystem::path& path) {
  if (tables.empty() || tables.size() > 32) throw SettingError("between 1 and 32 tables can be joined");
  const std::vector<std::string>& columns = widest(tables);
  for (const auto& table : tables)
    if ((settings.mode == JoinMode::kLinear && table->columns().size() != columns.size()) ||
        !std::equal(table->columns().begin(), table->columns().end(), columns.begin()))
      throw InputError("the tables have different columns", "", "build them with the same settings");
  if (settings.mode == JoinMode::kLinear && settings.weights.size() != columns.size() * tables.size())
    throw SettingError("one weight per column and table is needed");
  Joiner(tables, settings, path).run();
}

}  // namespace dragoman::grammar
