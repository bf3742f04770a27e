#pragma once
// Domains: every sentence is of one, and rules learned from lines that were selected for a domain are marked in the
// table. (Green, Cer and Manning 2014.)
#include <cstdint>
#include <string>
#include <vector>

#include "features/feature.hpp"
#include "grammar/table.hpp"

namespace dragoman::features {

class Domains {
 public:
  Domains() = default;
  // Sentences that name no domain are of the default one; if that is empty, they are refused. The table marks the rules
  // of a domain in a column `domain.NAME`, if it has one.
  Domains(std::vector<std::string> names, std::string default_name, const grammar::RuleTable& table);

  [[nodiscard]] bool empty() const noexcept { return names_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  // Numbered from 1; 0 where there are no domains at all. Throws InputError for a domain that is not declared.
  [[nodiscard]] std::uint32_t of(const SentenceView& sentence) const;
  [[nodiscard]] std::uint32_t usual() const noexcept;  // the default one, 0 if there is none
  [[nodiscard]] const std::string& name(std::uint32_t domain) const noexcept { return names_[domain - 1]; }
  [[nodiscard]] bool marks(std::uint32_t domain, std::uint32_t rule, const grammar::RuleTable& table) const noexcept;

 private:
  static constexpr std::size_t kNoColumn = ~std::size_t{0};
  std::vector<std::string> names_;
  std::vector<std::size_t> columns_;
  std::string default_;
};

}  // namespace dragoman::features
