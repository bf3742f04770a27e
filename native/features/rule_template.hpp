#pragma once
// A template that looks at one rule and nothing else: asked once per rule, whatever the sentence; what it fired is kept
// (see RuleTemplates). So it may spell names, which search never does.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/symbols.hpp"

namespace dragoman::features {

// A rule in letters, nonterminals among them.
struct RuleText {
  std::vector<std::string_view> source, target;
  std::vector<bool> source_slots, target_slots;  // which of them are nonterminals; none may be said to be
  std::span<const grammar::Link> links;
  double count = 0;         // how often it was seen in the bitext
  bool from_table = false;  // not an unknown word or a user's term: lexicalised templates fire for no others

  [[nodiscard]] bool is_source_word(std::size_t at) const { return at >= source_slots.size() || !source_slots[at]; }
  [[nodiscard]] bool is_target_word(std::size_t at) const { return at >= target_slots.size() || !target_slots[at]; }
};

// What the values of a ratio are divided by: a number of the sentence, by its index. kUnscaled: nothing.
inline constexpr std::uint32_t kUnscaled = ~std::uint32_t{0};

class NamedValues {
 public:
  struct Item {
    std::string name;
    double value;
    std::uint32_t scale;
  };
  void operator()(std::string name, double value = 1, std::uint32_t scale = kUnscaled) {
    items_.push_back({std::move(name), value, scale});
  }
  [[nodiscard]] const std::vector<Item>& items() const noexcept { return items_; }
  void clear() noexcept { items_.clear(); }

 private:
  std::vector<Item> items_;
};

class RuleTemplate {
 public:
  // With `per_domain`, all that fires has a copy for the domain of the sentence. (Daume 2007.)
  explicit RuleTemplate(std::string prefix, bool per_domain = false)
      : prefix_(std::move(prefix)), per_domain_(per_domain) {}
  virtual ~RuleTemplate() = default;
  virtual void fire(const RuleText& rule, NamedValues& fire) const = 0;
  [[nodiscard]] bool per_domain() const noexcept { return per_domain_; }

 protected:
  [[nodiscard]] std::string named(std::string_view rest) const { return prefix_ + ":" + std::string(rest); }

 private:
  std::string prefix_;
  bool per_domain_;
};

}  // namespace dragoman::features
