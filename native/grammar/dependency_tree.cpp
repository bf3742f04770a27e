#include "grammar/dependency_tree.hpp"

#include <algorithm>

namespace dragoman::grammar {

void DependencyTree::assign(std::span<const std::int32_t> heads) {
  const int size = static_cast<int>(heads.size());
  nodes_.assign(heads.size(), {});
  children_.assign(heads.size(), 0);
  upwards_.clear();
  root_ = -1;
  const auto node = [&](int word) -> Node& { return nodes_[static_cast<std::size_t>(word)]; };
  for (int i = 0; i < size; ++i) {
    node(i) = {heads[static_cast<std::size_t>(i)], i, i, 1, 0, 0, 0};
    if (node(i).head < 0) root_ = i;
  }
  for (int i = 0; i < size; ++i)
    if (node(i).head >= 0) ++node(node(i).head).children;
  for (int i = 0, next = 0; i < size; ++i) {
    node(i).first_child = next;
    next += node(i).children;
    node(i).children = 0;
  }
  for (int i = 0; i < size; ++i)
    if (Node& above = node(std::max(node(i).head, 0)); node(i).head >= 0)
      children_[static_cast<std::size_t>(above.first_child + above.children++)] = i;
  if (root_ >= 0) upwards_.push_back(root_);
  for (std::size_t done = 0; done < upwards_.size(); ++done)
    for (const int child : children(upwards_[done])) {
      node(child).depth = at(upwards_[done]).depth + 1;
      upwards_.push_back(child);
    }
  std::reverse(upwards_.begin(), upwards_.end());
  projective_ = true;
  for (const int word : upwards_) {
    projective_ = projective_ && contiguous(word);
    if (at(word).head < 0) continue;
    Node& above = node(at(word).head);
    above.first = std::min(above.first, at(word).first);
    above.last = std::max(above.last, at(word).last);
    above.words += at(word).words;
  }
}

int DependencyTree::top_of(int begin, int end) const noexcept {
  for (int word = begin; word < end; ++word)
    if (at(word).first == begin && at(word).last == end - 1 && at(word).words == end - begin) return word;
  return -1;
}

int DependencyTree::common_ancestor(int one, int other) const noexcept {
  while (one != other) {
    if (at(one).depth < at(other).depth) std::swap(one, other);
    one = at(one).head;
  }
  return one;
}

}  // namespace dragoman::grammar
