#pragma once
// What an exact search can prove of the derivation that it gives.
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "search/os_star.hpp"

namespace dragoman::search {

// The contexts that were told apart, place by place; everything else about the final bound follows from the model.
struct PhraseCertificate {
  struct Choice {
    std::uint32_t start, end;
    std::vector<std::string> target;
    double score;                        // of its rule features
    std::vector<double> previous, next;  // of its order with the phrase before and after it; see orientation.hpp
  };
  // A feature with states, as an automaton over options; rows that states share stand once.
  struct Feature {
    struct State {
      std::uint32_t after, scores;  // rows
      double end;
    };
    std::string name;
    std::vector<std::vector<std::uint32_t>> after;
    std::vector<std::vector<std::pair<std::uint32_t, double>>> scores;  // of options, where not zero
    std::vector<State> states;
  };
  struct Context {
    std::vector<std::uint32_t> covered;
    std::uint32_t end;
    std::vector<std::string> words;  // in text order
  };
  std::vector<Choice> options;
  std::vector<std::uint32_t> derivation;  // options, in target order
  std::vector<Context> contexts;
  bool orders = false, hierarchical = false;  // whether orders of phrases score, and how they are found
  std::vector<Feature> features;
  std::string missing;  // why there is none; empty: it is complete
};

struct Proof {
  ExactRun run;
  std::uint64_t nodes_at_first = 0, edges_at_first = 0;
  std::uint64_t distinct = 0;                                // texts among the best derivations of all iterations
  double seeded = -std::numeric_limits<double>::infinity();  // score of the decoder's own search
  std::vector<std::uint64_t> levels;                         // nodes by words known, at the end
  PhraseCertificate certificate;
};

}  // namespace dragoman::search
