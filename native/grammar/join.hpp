#pragma once
// Several tables as one: rules are joined by source and target words, and each joined rule's values are mixed or
// chosen.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "grammar/table.hpp"

namespace dragoman::grammar {

enum class JoinMode : std::uint8_t {
  kLinear,  // probabilities mixed with weights (Foster and Kuhn 2007; Sennrich 2012)
  kFillUp   // the first table that has the rule decides (Bisazza, Ruiz and Federico 2011)
};

struct JoinSettings {
  JoinMode mode = JoinMode::kFillUp;
  std::vector<double> weights;          // linear: one per column and table, row-major by column
  std::vector<std::string> indicators;  // a name per table: columns that say which tables have a rule (or gave it)
  bool only_giver = false;              // an indicator says which table gave the rule, not which have it
  bool first_evidence = false;          // the sentences behind the rules that the first table gives are kept
  std::string metadata;
  bool compact = false;
  int threads = 0;
};

// All tables must have the same columns; when filling up, a table may lack the last ones, which are then 0. Phrase
// columns are normalised over the tables that know the source (the target), so that they stay distributions; others
// over the tables that have the rule. Evidence is not carried over unless asked for, and then of one table: sentence
// numbers belong to one corpus.
void join_tables(const std::vector<std::shared_ptr<const RuleTable>>& tables, const JoinSettings& settings,
                 const std::filesystem::path& path);

}  // namespace dragoman::grammar
