#include "text/rewrite.hpp"

#include <algorithm>

#include "common/error.hpp"

namespace dragoman::text {

std::uint32_t CharacterTable::add(const CharacterSet& set) {
  const auto found = bits_.find(set);
  if (found != bits_.end()) return found->second;
  if (bits_.size() == 31) throw SettingError("more than 31 character sets in one list of rules");
  const std::uint32_t bit = std::uint32_t{1} << bits_.size();
  bits_.emplace(set, bit);
  return bit;
}

void CharacterTable::freeze() {
  std::vector<std::uint32_t> all(0x110000);
  for (const auto& [set, bit] : bits_) {
    for (const auto& [from, to] : set) {
      for (std::size_t c = from; c <= std::min<std::size_t>(to, 0x10ffff); ++c) all[c] |= bit;
    }
  }
  std::map<std::vector<std::uint32_t>, std::uint16_t> known;  // most of the 4352 pages are alike
  masks_.clear();
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(page << 8);
    const auto [entry, fresh] = known.try_emplace({begin, begin + 256}, static_cast<std::uint16_t>(known.size()));
    if (fresh) masks_.insert(masks_.end(), begin, begin + 256);
    pages_[page] = entry->second;
  }
}

std::size_t Rewriter::add(const Substitution& rule) {
  Rule compiled{pattern(rule.pattern), {}};
  compiled.parts = parse_replacement(decode(rule.replacement), compiled.pattern.groups.size());
  rules_.push_back(std::move(compiled));
  return rules_.size() - 1;
}

std::vector<Rewriter::Part> Rewriter::parse_replacement(std::u32string_view text, std::size_t groups) const {
  std::vector<Part> parts;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != U'\\') {
      parts.push_back({0, text[at]});
      continue;
    }
    std::u32string_view rest = text.substr(at + 1);  // \1 or \g<1>
    const bool named = rest.substr(0, 2) == U"g<" && rest.size() > 3 && rest[3] == U'>';
    const char32_t digit = named ? rest[2] : rest.empty() ? U'\0' : rest[0];
    if (digit < U'1' || digit > U'9' || digit - U'0' > groups) {
      throw SettingError("a replacement refers to a group that its expression does not have");
    }
    parts.push_back({digit - U'0', 0});
    at += named ? 4 : 1;
  }
  return parts;
}

Presence Rewriter::classify(Glyphs& glyphs) const noexcept {
  Presence presence;
  for (Glyph& glyph : glyphs) {
    glyph.classes = table_.classes(glyph.letter) | (glyph.classes & kCluster);
    presence.note(glyph);
  }
  return presence;
}

void Rewriter::apply(std::size_t first, std::size_t last, Presence& presence, Workspace& work) const {
  for (std::size_t index = first; index < last; ++index) {
    const Rule& rule = rules_[index];
    const Pattern& pattern = rule.pattern;
    if ((pattern.needed_sets & ~presence.sets) != 0 || (pattern.needed_letters & ~presence.letters) != 0) continue;
    const Pattern::Item& head = pattern.items.front();
    bool changed = false;
    std::size_t kept = 0, at = 0;  // glyphs before `kept` are in `other` already
    while (at < work.glyphs.size()) {
      if (head.least > 0 && !head.accepts(work.glyphs[at])) {
        ++at;
        continue;
      }
      if (!pattern.match(work.glyphs, at, work.ends)) {
        if (pattern.at_start) break;
        ++at;
        // A run that failed as a whole fails from each of its glyphs, too: they reach the same ends or fewer.
        if (head.most > 1) {
          while (at < work.glyphs.size() && head.accepts(work.glyphs[at])) ++at;
        }
        continue;
      }
      const std::size_t stop = work.ends[pattern.items.size() - 1];
      if (spells(rule, at, stop, work.glyphs)) {  // a single space for a run of spaces, most often
        at = stop;
        continue;
      }
      if (!changed) work.other.clear();
      changed = true;
      const auto begin = work.glyphs.begin();
      work.other.insert(work.other.end(), begin + static_cast<std::ptrdiff_t>(kept),
                        begin + static_cast<std::ptrdiff_t>(at));
      substitute(rule, at, presence, work);
      at = kept = stop;
    }
    if (!changed) continue;
    work.other.insert(work.other.end(), work.glyphs.begin() + static_cast<std::ptrdiff_t>(kept), work.glyphs.end());
    std::swap(work.glyphs, work.other);
  }
}

// Whether a replacement without groups is what stands there already.
bool Rewriter::spells(const Rule& rule, std::size_t at, std::size_t stop, const Glyphs& glyphs) {
  if (rule.parts.size() != stop - at) return false;
  for (const Part& part : rule.parts) {
    if (part.group > 0 || part.letter != glyphs[at++].letter) return false;
  }
  return true;
}

// Groups are copied with their origins. A letter of the replacement takes the origin of an equal letter that the match
// has outside its groups, else that of all of them together; an inserted space stands for nothing.
void Rewriter::substitute(const Rule& rule, std::size_t at, Presence& presence, Workspace& work) const {
  const Pattern& pattern = rule.pattern;
  const std::size_t stop = work.ends[pattern.items.size() - 1];
  const auto group_bounds = [&](std::size_t group) {
    const auto [first, last] = pattern.groups[group];
    return std::pair{first == 0 ? at : work.ends[first - 1], work.ends[last - 1]};
  };
  work.used.assign(stop - at, false);
  for (std::size_t group = 0; group < pattern.groups.size(); ++group) {
    const auto [from, to] = group_bounds(group);
    for (std::size_t i = from; i < to; ++i) work.used[i - at] = true;
  }
  std::uint32_t start = 0xffffffff, end = 0;
  for (std::size_t i = at; i < stop; ++i) {
    if (work.used[i - at]) continue;
    start = std::min(start, work.glyphs[i].start);
    end = std::max(end, work.glyphs[i].end);
  }
  if (start > end) start = end = work.glyphs[at].start;
  for (const Part& part : rule.parts) {
    if (part.group > 0) {
      const auto [from, to] = group_bounds(part.group - 1);
      for (std::size_t i = from; i < to; ++i) work.other.push_back(work.glyphs[i]);
      continue;
    }
    Glyph made = glyph(part.letter, start, part.letter == U' ' ? start : end);
    for (std::size_t i = at; i < stop; ++i) {
      if (work.used[i - at] || work.glyphs[i].letter != part.letter) continue;
      work.used[i - at] = true;
      made.start = work.glyphs[i].start;
      made.end = work.glyphs[i].end;
      break;
    }
    presence.note(made);
    work.other.push_back(made);
  }
}

}  // namespace dragoman::text
