#pragma once
// Vectors of words by ranking windows of a text: a small network must score a window higher than the same window with
// one word replaced at random (Collobert and Weston 2008), also by the document that it stands in (Huang et al. 2012).
// Words that have translations can be kept near the weighted mean of the vectors of these (Zou et al. 2013). Batches
// are cut into parts of fixed number, so that threads change nothing.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "common/ids.hpp"
#include "common/parallel.hpp"

namespace dragoman::semantics {

// Ids of the words of a text: these three, then words by frequency.
inline constexpr WordId kBegin = 1, kEndOfSentence = 2, kFirstWord = 3;

struct RankingShape {
  std::size_t words = 0;            // with the three special ones
  std::size_t dimensions = 50;      // of a vector
  std::size_t window = 10;          // words, the scored one among them
  std::size_t scored = 9;           // its place in the window
  std::size_t hidden = 100;         // units of the network of the window
  std::size_t document_hidden = 0;  // units of the network of the document; 0: there is none

  [[nodiscard]] std::size_t inputs() const noexcept { return window * dimensions; }
};

// A text: ids, where sentences end, and the document of each sentence.
struct RankingText {
  std::vector<WordId> words;
  std::vector<std::int64_t> ends;
  std::vector<std::int32_t> documents;
  std::vector<double> idf;  // per word id, for the mean of a document
};

template <typename Real>
struct RankingNetwork {
  std::vector<Real> vectors;                                           // words x dimensions
  std::vector<Real> weights, bias, output;                             // inputs x hidden, hidden, hidden
  std::vector<Real> document_weights, document_bias, document_output;  // 2 dimensions x document_hidden, ...

  [[nodiscard]] std::vector<std::span<Real>> parts() {
    return {vectors, weights, bias, output, document_weights, document_bias, document_output};
  }
};

struct RankingPass {
  std::size_t number = 0;  // of the pass: random choices follow from it and from the seed
  double rate = 0.05;
  std::size_t active = 0;        // words below are learned, and scored words and replacements are among them
  double translation = 0;        // how much the distance to translations counts
  double context = 1;            // how much the ranking of windows counts
  std::size_t batch = 256;       // windows
  std::size_t replacements = 1;  // of each window
  double noise = 0;              // power of the frequency by which they are drawn; 0: all words alike
};

struct RankingLoss {
  double context = 0;      // mean over windows of the summed hinge losses
  double translation = 0;  // mean over batches of the mean squared distance of their rows, without its weight
  double violated = 0;     // share of replacements that are not worse by the margin
  std::uint64_t windows = 0;
};

// A window and what replaces its scored word.
struct RankedWindow {
  std::uint32_t token, sentence;
  std::vector<WordId> replacements;
};

template <typename Real>
class RankingTrainer {
 public:
  RankingTrainer(const RankingShape& shape, RankingText text, std::uint64_t seed);
  RankingTrainer(const RankingTrainer&) = delete;
  RankingTrainer& operator=(const RankingTrainer&) = delete;
  ~RankingTrainer();

  [[nodiscard]] const RankingShape& shape() const noexcept { return shape_; }
  [[nodiscard]] RankingNetwork<Real>& network() noexcept { return network_; }
  // Where each word is pulled to, for those that have translations.
  void set_translations(std::vector<Real> targets, std::vector<std::uint8_t> has_target);

  // Stops with an error that says where when a number is none; the state of before the pass is then gone.
  RankingLoss pass(const RankingPass& settings, int threads, const StopCallback& stop,
                   const std::function<void(double)>& progress);

  // The loss of some windows as one batch and its gradients, in the order of the parts of the network: for tests.
  double gradients(std::span<const RankedWindow> windows, const RankingPass& settings, RankingNetwork<Real>& found,
                   int threads);

  // All that training goes on from.
  void save(const std::filesystem::path& path, std::size_t passes) const;
  std::size_t restore(const std::filesystem::path& path);

 private:
  struct Part;

  void refresh_documents();
  void read_window(std::size_t token, std::size_t sentence, std::span<WordId> out) const;
  // Sums the gradients of windows, parts in order; gives losses, not yet divided.
  RankingLoss learn(std::span<const RankedWindow> windows, int threads);
  void learn_part(Part& part, std::span<const RankedWindow> windows);
  double apply_or_report(std::span<const RankedWindow> windows, const RankingPass& settings, RankingNetwork<Real>* out);

  RankingShape shape_;
  RankingText text_;
  std::uint64_t seed_;
  RankingNetwork<Real> network_, squares_;
  std::vector<Real> targets_;
  std::vector<std::uint8_t> has_target_;
  std::vector<Real> document_means_;  // documents x dimensions, as of the beginning of the pass
  std::vector<std::uint32_t> sentence_of_;
  std::vector<Part> parts_;
  std::size_t used_parts_ = 0;
  // Rows that a batch touches: their slot, and summed gradients.
  std::vector<std::uint32_t> slot_of_;
  std::vector<WordId> touched_;
  std::vector<Real> row_gradients_;
};

extern template class RankingTrainer<float>;
extern template class RankingTrainer<double>;

}  // namespace dragoman::semantics
