#include "combination/outputs.hpp"

#include <limits>

#include "common/error.hpp"

namespace dragoman::combination {

Outputs::Outputs(const std::vector<std::vector<std::string>>& outputs,
                 const std::vector<std::vector<bool>>& punctuation, std::span<const WordLink> links)
    : punctuation_(punctuation) {
  std::size_t places = 0;
  for (const auto& output : outputs) {
    if (output.size() >= std::numeric_limits<std::uint16_t>::max() / 2)
      throw InputError("an output of " + std::to_string(output.size()) + " tokens", "", "split it into sentences");
    auto& ids = outputs_.emplace_back();
    for (const std::string& word : output) ids.push_back(words_.intern(word));
    silent_ = silent_ && output.empty();
    offsets_.push_back(places);
    places += output.size() + 1;
  }
  for (std::size_t e = 0; e < outputs.size(); ++e)
    if (punctuation_.size() != outputs.size() || punctuation_[e].size() != outputs[e].size())
      throw InputError("not one mark of punctuation for each word");

  partners_.resize(places * outputs.size());
  for (int e = 0; e < systems(); ++e) {
    const auto system = static_cast<std::uint16_t>(e);
    for (int i = 0; i < length(e); ++i)
      partner_of({system, static_cast<std::uint16_t>(i)}, e) = {i, only(LinkKind::self)};
    if (length(e) == 0) continue;
    for (int o = 0; o < systems(); ++o)
      if (length(o) != 0)
        partner_of({system, static_cast<std::uint16_t>(length(e))}, o) = {length(o), only(LinkKind::boundary)};
  }
  for (const WordLink& link : links) {
    for (const Place place : {link.a, link.b})
      if (place.system >= systems() || place.index >= length(place.system)) throw InputError("a link leads to no word");
    if (link.a.system == link.b.system) throw InputError("a link between words of one system");
    Partner& there = partner_of(link.a, link.b.system);
    Partner& back = partner_of(link.b, link.a.system);
    if (there || back) throw InputError("a word has two partners in one system");
    there = {link.b.index, only(link.kind)};
    back = {link.a.index, only(link.kind)};
  }
}

}  // namespace dragoman::combination
