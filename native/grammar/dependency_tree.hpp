#pragma once
// A dependency tree over one side of a sentence pair, as extraction asks for it: the words below each word, and which
// word, if any, has exactly a given stretch below it.
#include <cstdint>
#include <span>
#include <vector>

namespace dragoman::grammar {

class DependencyTree {
 public:
  // Heads of words, negative for the root; they form a tree.
  void assign(std::span<const std::int32_t> heads);

  [[nodiscard]] int size() const noexcept { return static_cast<int>(nodes_.size()); }
  [[nodiscard]] int root() const noexcept { return root_; }
  [[nodiscard]] int head(int word) const noexcept { return at(word).head; }
  // First and last word of the subtree.
  [[nodiscard]] int first(int word) const noexcept { return at(word).first; }
  [[nodiscard]] int last(int word) const noexcept { return at(word).last; }
  [[nodiscard]] bool contiguous(int word) const noexcept {
    return at(word).last - at(word).first + 1 == at(word).words;
  }
  [[nodiscard]] bool is_leaf(int word) const noexcept { return at(word).words == 1; }
  [[nodiscard]] std::span<const int> children(int word) const noexcept {
    const auto begin = static_cast<std::size_t>(at(word).first_child);
    return std::span(children_).subspan(begin, static_cast<std::size_t>(at(word).children));
  }
  // From below: every word comes after all that hang on it.
  [[nodiscard]] std::span<const int> upwards() const noexcept { return upwards_; }
  [[nodiscard]] bool projective() const noexcept { return projective_; }
  // The word whose subtree is the stretch [begin, end), or -1.
  [[nodiscard]] int top_of(int begin, int end) const noexcept;
  [[nodiscard]] int common_ancestor(int one, int other) const noexcept;

 private:
  struct Node {
    int head, first, last, words, first_child, children, depth;
  };
  [[nodiscard]] const Node& at(int word) const noexcept { return nodes_[static_cast<std::size_t>(word)]; }

  std::vector<Node> nodes_;
  std::vector<int> children_, upwards_;
  int root_ = -1;
  bool projective_ = true;
};

}  // namespace dragoman::grammar
