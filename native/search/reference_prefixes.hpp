#pragma once
// Beginnings of references as a trie: forced decoding writes nothing else.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/ids.hpp"

namespace dragoman::search {

class ReferencePrefixes {
 public:
  using Prefix = std::uint32_t;
  static constexpr Prefix kStart = 0, kNoPrefix = ~Prefix{0};

  void clear() {
    nodes_.assign(1, {});
    words_.clear();
  }
  void add(std::span<const WordId> reference) {
    Prefix at = kStart;
    for (const WordId word : reference) {
      Prefix next = step(at, word);
      if (next == kNoPrefix) {
        next = static_cast<Prefix>(nodes_.size());
        nodes_[at].children.push_back({word, next});
        nodes_.push_back({});
      }
      at = next;
    }
    nodes_[at].complete = true;
    words_.emplace_back(reference.begin(), reference.end());
  }

  [[nodiscard]] bool empty() const noexcept { return words_.empty(); }
  [[nodiscard]] std::span<const std::vector<WordId>> references() const noexcept { return words_; }
  // The beginning followed by these words, kNoPrefix if no reference begins so.
  [[nodiscard]] Prefix extend(Prefix from, std::span<const WordId> words) const noexcept {
    for (const WordId word : words) {
      if (from == kNoPrefix) break;
      from = step(from, word);
    }
    return from;
  }
  [[nodiscard]] bool is_complete(Prefix prefix) const noexcept { return nodes_[prefix].complete; }
  // Whether some reference has these words next to each other.
  [[nodiscard]] bool has(std::span<const WordId> words) const noexcept {
    for (const auto& reference : words_)
      if (std::search(reference.begin(), reference.end(), words.begin(), words.end()) != reference.end() ||
          words.empty())
        return true;
    return false;
  }

 private:
  struct Node {
    struct Child {
      WordId word;
      Prefix next;
    };
    std::vector<Child> children;
    bool complete = false;
  };
  [[nodiscard]] Prefix step(Prefix from, WordId word) const noexcept {
    for (const Node::Child& child : nodes_[from].children)
      if (child.word == word) return child.next;
    return kNoPrefix;
  }

  std::vector<Node> nodes_;
  std::vector<std::vector<WordId>> words_;
};

}  // namespace dragoman::search
