#pragma once
// A dependency parser that keeps crossing arcs: shift, left arc, right arc and swap (Nivre 2009, with the lazy oracle
// of Nivre, Kuhlmann and Hall 2009), scored by a perceptron over rich features of the stack and the buffer (Zhang and
// Nivre 2011), searched with a beam and learnt by updates where the beam errs most (Huang, Fayong and Guo 2012).
// Sentences of a batch are decoded with the same weights, on threads, and then learnt from in order (Zhao and Huang
// 2013), so that a model does not depend on the number of threads.
#include <functional>
#include <span>
#include <vector>

#include "annotations/columns.hpp"
#include "annotations/perceptron.hpp"
#include "common/parallel.hpp"

namespace dragoman::annotations {

struct Trees {
  std::vector<std::int32_t> heads;  // within the sentence; -1 for the root
  std::vector<Label> labels;
};

class Parser {
 public:
  Parser(Weights weights, std::size_t labels, int beam);

  // Columns: the words, and as `given` their coarse and fine tags. `told(epoch, right)` hears how many heads were
  // right.
  static Parser train(const Columns& sentences, const Trees& gold, std::size_t labels, int beam,
                      const Schedule& schedule, int threads, const std::function<void(int, std::size_t)>& told,
                      const StopCallback& stop);

  [[nodiscard]] Trees parse(const Columns& sentences, int threads, const StopCallback& stop) const;
  [[nodiscard]] const Weights& weights() const noexcept { return weights_; }
  [[nodiscard]] std::size_t labels() const noexcept { return labels_; }
  [[nodiscard]] int beam() const noexcept { return beam_; }

 private:
  Weights weights_;
  std::size_t labels_;
  int beam_;
};

}  // namespace dragoman::annotations
