#pragma once
// Whole sentences through a model, in batches over threads.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/parallel.hpp"
#include "lm/model.hpp"

namespace dragoman::lm {

struct ScoreSettings {
  bool begin = true;  // start after `<s>`, not in the middle of nowhere
  bool end = true;    // score `</s>` too
  int threads = 1;
};

struct SentenceScores {
  std::vector<double> logprob, unknown_logprob;  // all events; those of unknown words among them
  std::vector<std::int64_t> events, unknown;     // how many of each
};
[[nodiscard]] SentenceScores score_sentences(const Model& model, std::span<const std::string_view> sentences,
                                             const ScoreSettings& settings, const StopCallback& stop = {});

// The same for words given by number; `ends[i]` is where sentence i stops. Words must be smaller than `model.size()`.
[[nodiscard]] std::vector<double> score_ids(const Model& model, std::span<const WordId> words,
                                            std::span<const std::int64_t> ends, const ScoreSettings& settings,
                                            const StopCallback& stop = {});

// Event by event; `</s>` comes last in each sentence where it is scored.
struct EventScores {
  std::vector<double> logprob;
  std::vector<WordId> words;
  std::vector<std::uint8_t> matched;  // length of the n-gram that was found
  std::vector<std::int64_t> ends;
};
[[nodiscard]] EventScores score_events(const Model& model, std::span<const std::string_view> sentences,
                                       const ScoreSettings& settings);

}  // namespace dragoman::lm
