#include "bindings/bind_search.hpp"
#include "bindings/bounded_models.hpp"
#include "bindings/rooms.hpp"
#include "search/left_to_right_decoder.hpp"
#include "search/left_to_right_sentence.hpp"

namespace dragoman {

using namespace nb::literals;
using namespace search;

namespace {

using Builder = ModelBuilder<LeftToRightModel>;
using Settings = LeftToRightSettings;

void set_penalties(Builder& self, const std::string& word, const std::string& rule, const std::string& glue,
                   const std::string& unknown) {
  self.model.word_penalty = self.feature(word);
  self.model.rule_penalty = self.feature(rule);
  self.model.glue = self.feature(glue);
  self.model.unknown = self.feature(unknown);
}

void set_reordering(Builder& self, const std::string& rule_distortion, const std::string& glue_distortion,
                    const std::string& reordered, const std::string& height, const std::string& width,
                    const std::string& boundary) {
  self.model.rule_distortion = self.feature(rule_distortion);
  self.model.glue_distortion = self.feature(glue_distortion);
  self.model.reordered = self.feature(reordered);
  self.model.height = self.feature(height);
  self.model.width = self.feature(width);
  self.model.boundary = self.feature(boundary);
}

// Looks at all rules of the table, so that those which cannot be used are known before any sentence is.
void check_rules(const Builder& self) {
  const grammar::RuleTable& table = self.model.table->base();
  if (table.labels().size() > 2)  // the first stands for none
    throw InputError("rules with several labels, which a left-to-right decoder does not tell apart",
                     "label '" + std::string(table.labels().word(2)) + "'", "use a chart decoder (kind hiero)");
  std::vector<WordId> source;
  for (grammar::NodeId node = 0; node < table.nodes(); ++node) {
    const grammar::RuleRange rules = table.rules_of(node);
    if (rules.empty()) continue;
    table.source(node, source);
    for (grammar::RuleId rule = rules.first; rule < rules.last; ++rule) {
      const char* problem = left_to_right_problem(source, table.target(rule));
      if (problem == nullptr) continue;
      const auto spell = [&](std::span<const WordId> symbols, VocabularyView words) {
        std::string text;
        for (const WordId symbol : symbols) {
          if (!text.empty()) text.push_back(' ');
          if (grammar::is_nonterminal(symbol))
            text.append("[")
                .append(table.labels().word(grammar::label_of(symbol)))
                .append(std::to_string(grammar::index_of(symbol) + 1))
                .append("]");
          else
            text.append(words.word(symbol));
        }
        return text;
      };
      throw InputError(
          "a rule that cannot be used from left to right, with " + std::string(problem),
          "'" + spell(source, table.source_words()) + " ||| " + spell(table.target(rule), table.target_words()) + "'",
          "extract rules of the kind lr-hiero");
    }
  }
}

void bind_settings(nb::module_& m) {
  nb::class_<Settings> settings(m, "LeftToRightSettings", "How a left-to-right decoder searches.");
  bind_search_settings(settings);
  bind_space_limits(settings);
  bind_choice<Settings>(settings, "search", [](auto& self) -> auto& { return self.algorithm; },
                        {{"cube", Settings::Algorithm::kCube},
                         {"stack", Settings::Algorithm::kStack},
                         {"exact", Settings::Algorithm::kCube}});
  bind_choice<Settings>(settings, "grouping", [](auto& self) -> auto& { return self.grouping; },
                        {{"first-span", Settings::Grouping::kFirstSpan}, {"all-spans", Settings::Grouping::kAllSpans}});
  bind_choice<Settings>(settings, "right_boundary", [](auto& self) -> auto& { return self.right_boundary; },
                        {{"none", Settings::RightBoundary::kNone},
                         {"a", Settings::RightBoundary::kWord},
                         {"ab", Settings::RightBoundary::kSame},
                         {"abc", Settings::RightBoundary::kAny}});
  bind_choice<Settings>(settings, "glue_when", [](auto& self) -> auto& { return self.glue_when; },
                        {{"always", Settings::GlueWhen::kAlways}, {"no_regular", Settings::GlueWhen::kNoRegular}});
  bind_choice<Settings>(
      settings, "future_rules", [](auto& self) -> auto& { return self.future_rules; },
      {{"lexical", Settings::FutureRules::kLexical}, {"hierarchical", Settings::FutureRules::kHierarchical}});
  bind_number(settings, "reordering_features", &Settings::reordering_features);
  bind_number(settings, "threshold", &Settings::threshold);
  bind_number(settings, "lazy", &Settings::lazy);
  bind_number(settings, "queue_diversity", &Settings::queue_diversity);
  bind_number(settings, "queue_patience", &Settings::queue_patience);
  bind_number(settings, "glue_option_limit", &Settings::glue_option_limit);
  bind_number(settings, "split_b", &Settings::split_boundary);
  bind_number(settings, "boundary_feature", &Settings::boundary_feature);
  bind_number(settings, "max_span", &Settings::max_span);
  bind_number(settings, "h_exact", &Settings::exact_height);
}

}  // namespace

void bind_left_to_right(nb::module_& m) {
  bind_settings(m);
  bind_model<Builder>(m, "LeftToRightModel", "What a left-to-right decoder knows, part by part.")
      .def("set_penalties", &set_penalties, nb::kw_only(), "word"_a, "rule"_a, "glue"_a, "unknown"_a)
      .def("set_reordering", &set_reordering, nb::kw_only(), "rule_distortion"_a, "glue_distortion"_a, "reordered"_a,
           "height"_a, "width"_a, "boundary"_a)
      .def("check_rules", &check_rules, "Raises for a rule of the table that cannot be used from left to right.");
  bind_first_bound(bind_force(bind_decoder<LeftToRightModel, LeftToRightDecoder, Settings>(
      m, "LeftToRightDecoder", "Left-to-right search with hierarchical rules, safe to share between threads.")));
}

}  // namespace dragoman
