#include "features/domains.hpp"

#include <algorithm>

#include "common/error.hpp"

namespace dragoman::features {

Domains::Domains(std::vector<std::string> names, std::string default_name, const grammar::RuleTable& table)
    : names_(std::move(names)), default_(std::move(default_name)) {
  if (names_.size() > 255) throw SettingError(std::to_string(names_.size()) + " domains", "declare at most 255");
  for (const std::string& name : names_) {
    const auto& columns = table.columns();
    const auto found = std::find(columns.begin(), columns.end(), "domain." + name);
    columns_.push_back(found == columns.end() ? kNoColumn : static_cast<std::size_t>(found - columns.begin()));
  }
}

std::uint32_t Domains::of(const SentenceView& sentence) const {
  if (names_.empty()) return 0;
  const std::string& name = sentence.marks().domain.empty() ? default_ : sentence.marks().domain;
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<std::uint32_t>(found - names_.begin()) + 1;
  const std::string what = name.empty() ? "a sentence without a domain" : "no domain is called '" + name + "'";
  throw InputError(what, "sentence " + std::to_string(sentence.number() + 1),
                   "give it one of the declared domains, or declare a default one");
}

std::uint32_t Domains::usual() const noexcept {
  const auto found = std::find(names_.begin(), names_.end(), default_);
  return found == names_.end() ? 0 : static_cast<std::uint32_t>(found - names_.begin()) + 1;
}

bool Domains::marks(std::uint32_t domain, std::uint32_t rule, const grammar::RuleTable& table) const noexcept {
  if (domain == 0 || rule == kNoRule || columns_[domain - 1] == kNoColumn) return false;
  return table.value(rule, columns_[domain - 1]) > 0;
}

}  // namespace dragoman::features
