#include "text/tokenizer.hpp"

#include <algorithm>
#include <numeric>

#include "common/parallel.hpp"
#include "text/shards.hpp"

namespace dragoman::text {
namespace {

constexpr std::u32string_view kDot = U"DOT", kMany = U"MULTI";  // the spelling matters: a text may contain it

bool starts_with(std::span<const Glyph> text, std::size_t at, std::u32string_view word) noexcept {
  if (text.size() - at < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (text[at + i].letter != word[i]) return false;
  }
  return true;
}

std::u32string numbered(std::u32string stand_in, std::size_t number) {
  std::string digits = std::to_string(number);
  digits.insert(0, 3 - std::min<std::size_t>(3, digits.size()), '0');
  stand_in.append(digits.begin(), digits.end());
  return stand_in;
}

}  // namespace

Tokenizer::Tokenizer(const TokenizerRules& rules, NamedSets named)
    : rewriter_(std::move(named)),
      prefixes_(rules.prefixes.begin(), rules.prefixes.end()),
      numeric_prefixes_(rules.numeric_prefixes.begin(), rules.numeric_prefixes.end()) {
  const auto add = [&](const std::vector<Substitution>& list) {
    for (const Substitution& rule : list) rewriter_.add(rule);
    return rewriter_.size();
  };
  separate_ = add(rules.clean);
  punctuate_ = add(rules.separate);
  finish_ = add(rules.punctuate);
  escape_ = add(rules.finish);
  add(rules.escape);
  alpha_ = rewriter_.set(rules.alpha);
  lower_ = rewriter_.set(rules.lower);
  marks_ = rewriter_.set(rules.marks);
  pictographs_ = rewriter_.set(rules.pictographs);
  rewriter_.freeze();
}

// Makes one glyph of a character and what belongs to it (the clusters of Unicode's annex 29, near enough): rules see
// the character alone. Only what stands in the raw text as it is can be joined, because the marks are taken from there;
// ASCII punctuation stays as Moses has it, since rules rewrite it, but for the characters of keycaps.
void Tokenizer::join_marks(const Presence& presence, Workspace& work) const {
  if ((presence.sets & (marks_ | pictographs_)) == 0) return;
  constexpr char32_t kJoiner = 0x200d, kStandIn = 0xfffc;  // what stands for an object is whole by itself
  const auto raw = [&](const Glyph& glyph) {
    return glyph.end == glyph.start + 1 && glyph.end <= work.letters.size() &&
           work.letters[glyph.start] == glyph.letter;
  };
  const auto carries = [&](const Glyph& glyph) {
    const char32_t c = glyph.letter;
    if (is_space(c) || c == kStandIn || !raw(glyph)) return false;
    return c > 0x7f || (c >= U'0' && c <= U'9') || (c >= U'A' && c <= U'Z') || (c >= U'a' && c <= U'z') || c == U'#' ||
           c == U'*';
  };
  const auto flag = [](const Glyph& glyph) { return glyph.letter >= 0x1f1e6 && glyph.letter <= 0x1f1ff; };
  Glyphs& text = work.glyphs;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < text.size();) {
    Glyph whole = text[at++];
    if (carries(whole)) {
      const bool pictograph = (whole.classes & pictographs_) != 0;
      char32_t last = whole.letter;
      for (; at < text.size() && raw(text[at]) && text[at].start == whole.end; ++at) {
        const Glyph& next = text[at];
        const bool other = (next.classes & pictographs_) != 0;
        const bool pair = flag(whole) && flag(next) && whole.end == whole.start + 1;
        if ((next.classes & marks_) == 0 && !(pictograph && other && last == kJoiner) && !pair) break;
        whole.end = next.end;
        whole.classes |= kCluster;
        last = next.letter;
      }
    }
    text[kept++] = whole;
  }
  text.resize(kept);
}

// A run of k dots becomes a word of k times DOT and MULTI, which the rules for commas, quotes and abbreviations leave
// alone; letter i of the word keeps the origin of dot i.
void Tokenizer::set_dots_apart(Presence& presence, Workspace& work) const {
  const Glyphs& text = work.glyphs;
  const auto two_dots = [](const Glyph& a, const Glyph& b) { return a.letter == U'.' && b.letter == U'.'; };
  if (std::adjacent_find(text.begin(), text.end(), two_dots) == text.end()) return;
  work.other.clear();
  const auto put = [&](char32_t letter, std::uint32_t start, std::uint32_t end) {
    work.other.push_back(rewriter_.glyph(letter, start, end));
    presence.note(work.other.back());
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && text[end].letter == U'.') ++end;
    if (end < at + 2) {
      work.other.push_back(text[at++]);
      continue;
    }
    put(U' ', text[at].start, text[at].start);
    for (; at < end; ++at) {
      for (const char32_t letter : kDot) put(letter, text[at].start, text[at].end);
    }
    for (const char32_t letter : kMany) put(letter, text[end - 1].start, text[end - 1].end);
    if (end < text.size()) put(U' ', text[end].start, text[end].start);
  }
  std::swap(work.glyphs, work.other);
}

void Tokenizer::join_dots_again(Workspace& work) const {
  const Glyphs& text = work.glyphs;
  const auto spells = [](const Glyph& glyph, char32_t letter) { return glyph.letter == letter; };
  if (std::search(text.begin(), text.end(), kMany.begin(), kMany.end(), spells) == text.end()) return;
  work.other.clear();
  bool changed = false;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (starts_with(text, end, kDot)) end += kDot.size();
    if (end > at && starts_with(text, end, kMany)) {
      const std::span<const Glyph> all(text);
      for (; at < end; at += kDot.size()) {
        const bool last = at + kDot.size() == end;
        const Range range = raw_range(all.subspan(at, kDot.size() + (last ? kMany.size() : 0)));
        work.other.push_back(rewriter_.glyph(U'.', range.first, range.second));
      }
      at += kMany.size();
      changed = true;
      continue;
    }
    end = std::max(end, at + 1);
    for (; at < end; ++at) work.other.push_back(text[at]);
  }
  if (changed) std::swap(work.glyphs, work.other);
}

bool Tokenizer::keeps_full_stop(std::span<const Glyph> prefix, std::span<const Glyph> next,
                                std::u32string_view raw) const {
  const bool dotted = std::any_of(prefix.begin(), prefix.end(), [](const Glyph& g) { return g.letter == U'.'; });
  if (dotted && std::any_of(prefix.begin(), prefix.end(), [&](const Glyph& g) { return (g.classes & alpha_) != 0; })) {
    return true;
  }
  const std::string word = utf8(prefix, raw);
  const bool numeric = numeric_prefixes_.contains(word);
  if (!numeric && prefixes_.contains(word)) return true;
  if (next.empty()) return false;
  if ((next.front().classes & lower_) != 0) return true;
  return numeric && next.front().letter >= U'0' && next.front().letter <= U'9';
}

void Tokenizer::split_full_stops(Presence& presence, Workspace& work) const {
  work.other.clear();
  std::span<const Glyph> previous;
  const auto put = [&](std::span<const Glyph> piece, std::span<const Glyph> next) {
    if (piece.empty()) return;
    const Glyph& stop = piece.back();
    if (!work.other.empty()) work.other.push_back(rewriter_.glyph(U' ', piece.front().start, piece.front().start));
    const bool splits =
        piece.size() > 1 && stop.letter == U'.' && !keeps_full_stop(piece.first(piece.size() - 1), next, work.letters);
    work.other.insert(work.other.end(), piece.begin(), piece.end() - (splits ? 1 : 0));
    if (splits) {
      work.other.push_back(rewriter_.glyph(U' ', stop.start, stop.start));
      work.other.push_back(stop);
    }
  };
  for_each_piece(work.glyphs, [&](std::span<const Glyph> piece) {
    put(previous, piece);
    previous = piece;
  });
  put(previous, {});
  if (!work.other.empty()) presence.note(rewriter_.glyph(U' ', 0, 0));
  std::swap(work.glyphs, work.other);
}

// Replaces a string wherever it stands. The new glyphs stand for all of the old ones together, unless they spell the
// raw text there: then each stands for its own.
void Tokenizer::replace_all(std::u32string_view from, std::u32string_view to, std::u32string_view raw,
                            Workspace& work) const {
  const Glyphs& text = work.glyphs;
  work.other.clear();
  for (std::size_t at = 0; at < text.size();) {
    if (!starts_with(text, at, from)) {
      work.other.push_back(text[at++]);
      continue;
    }
    const Range range = raw_range(std::span(text).subspan(at, from.size()));
    const bool same = range.second <= raw.size() && raw.substr(range.first, range.second - range.first) == to;
    for (std::uint32_t i = 0; i < to.size(); ++i) {
      const std::uint32_t start = same ? range.first + i : range.first;
      work.other.push_back(rewriter_.glyph(to[i], start, same ? start + 1 : range.second));
    }
    at += from.size();
  }
  std::swap(work.glyphs, work.other);
}

Tokenized Tokenizer::tokenize(std::string_view line, const Normalizer* normalizer, const Protected* kept,
                              Workspace& work) const {
  decode(line, work.letters);
  raw_glyphs(work.letters, work.glyphs);
  if (normalizer != nullptr) normalizer->normalize(work);
  Presence presence = rewriter_.classify(work.glyphs);
  rewriter_.apply(0, separate_, presence, work);
  std::vector<std::u32string> strings, stand_ins;
  if (kept != nullptr && !kept->strings.empty()) {
    for (const std::string& string : kept->strings) {
      stand_ins.push_back(numbered(decode(kept->stand_in), strings.size()));
      strings.push_back(decode(string));
    }
    std::vector<std::size_t> order(strings.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return strings[a].size() > strings[b].size(); });
    for (const std::size_t i : order) {
      if (!strings[i].empty()) replace_all(strings[i], stand_ins[i], work.letters, work);
    }
    presence = rewriter_.classify(work.glyphs);
  }
  strip(work.glyphs);
  join_marks(presence, work);
  rewriter_.apply(separate_, punctuate_, presence, work);
  set_dots_apart(presence, work);
  rewriter_.apply(punctuate_, finish_, presence, work);
  split_full_stops(presence, work);
  rewriter_.apply(finish_, escape_, presence, work);
  for (std::size_t i = 0; i < strings.size(); ++i) replace_all(stand_ins[i], strings[i], work.letters, work);
  if (!strings.empty()) presence = rewriter_.classify(work.glyphs);
  join_dots_again(work);
  presence.note(rewriter_.glyph(U'.', 0, 0));
  rewriter_.apply(escape_, rewriter_.size(), presence, work);
  Tokenized result;
  for_each_piece(work.glyphs, [&](std::span<const Glyph> piece) {
    result.tokens.push_back(utf8(piece, work.letters));
    Range range = raw_range(piece);
    while (range.first < range.second && is_space(work.letters[range.first])) ++range.first;
    while (range.first < range.second && is_space(work.letters[range.second - 1])) --range.second;
    result.ranges.push_back(range);
  });
  return result;
}

std::vector<Tokenized> Tokenizer::tokenize(const std::vector<std::string_view>& lines, const Normalizer* normalizer,
                                           const std::vector<Protected>& kept, int threads) const {
  std::vector<Tokenized> results(lines.size());
  parallel_ranges(lines.size(), kLinesPerShard, threads, [&](std::size_t begin, std::size_t end) {
    Workspace work;
    for (std::size_t i = begin; i < end; ++i) {
      results[i] = tokenize(lines[i], normalizer, kept.empty() ? nullptr : &kept[i], work);
    }
  });
  return results;
}

}  // namespace dragoman::text
