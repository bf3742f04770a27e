#include "text/detokenizer.hpp"

#include <algorithm>
#include <map>

#include "common/parallel.hpp"
#include "text/shards.hpp"

namespace dragoman::text {
namespace {

using Piece = std::span<const Glyph>;

bool all_of(Piece piece, std::u32string_view letters) {
  return std::all_of(piece.begin(), piece.end(),
                     [&](const Glyph& g) { return letters.find(g.letter) != std::u32string_view::npos; });
}
bool is(Piece piece, char32_t letter) { return piece.size() == 1 && piece[0].letter == letter; }
bool is_number(Piece piece) { return all_of(piece, U"0123456789"); }

// What follows the dash in the Czech words that are written with one: -li, e-mail.
bool is_czech_tail(Piece piece) {
  std::string word = utf8(piece);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return word == "li" || word.starts_with("mail");
}

}  // namespace

Detokenizer::Detokenizer(const DetokenizerRules& rules, NamedSets named)
    : language_(rules.language), rewriter_(std::move(named)), cjk_(rules.cjk) {
  for (const Substitution& rule : rules.join) rewriter_.add(rule);
  for (const Substitution& rule : rules.unescape) rewriter_.add(rule);
  currency_ = rewriter_.pattern(rules.currency);
  punctuation_ = rewriter_.pattern(rules.punctuation);
  open_quote_ = rewriter_.pattern(rules.open_quote);
  apostrophe_first_ = rewriter_.pattern(rules.apostrophe_first);
  apostrophe_last_ = rewriter_.pattern(rules.apostrophe_last);
  alpha_first_ = rewriter_.pattern(rules.alpha_first);
  rewriter_.freeze();
}

bool Detokenizer::is_cjk(char32_t letter) const noexcept {
  const auto found = std::find_if(cjk_.begin(), cjk_.end(), [&](const auto& range) { return letter <= range.second; });
  return found != cjk_.end() && letter >= found->first;
}

Detokenized Detokenizer::detokenize(const std::vector<std::string_view>& tokens, Workspace& work) const {
  // A glyph's origin is the number of its token here, and later the glyph's place in the output.
  work.glyphs.clear();
  for (std::uint32_t i = 0; i < tokens.size(); ++i) {
    work.glyphs.push_back({U' ', i, i});
    decode(tokens[i], work.letters);
    for (const char32_t letter : work.letters) work.glyphs.push_back({letter, i, i + 1});
  }
  work.glyphs.push_back({U' ', 0, 0});
  Presence presence = rewriter_.classify(work.glyphs);
  rewriter_.apply(0, rewriter_.size(), presence, work);

  std::vector<Piece> pieces;
  for_each_piece(work.glyphs, [&](Piece piece) { pieces.push_back(piece); });
  Glyphs& out = work.other;
  out.clear();
  bool space = true;
  const auto put_space = [&](const Glyph& before) {
    if (!out.empty() && out.back().letter != U' ') out.push_back({U' ', before.start, before.start});
  };
  const auto put = [&](Piece piece, bool before, bool after) {
    if (before) put_space(piece.front());
    out.insert(out.end(), piece.begin(), piece.end());
    space = after;
  };
  std::map<std::string, int> quotes;
  const bool english = language_ == "en", czech = language_ == "cs", french = language_ == "fr";
  const bool elides = french || language_ == "it" || language_ == "ga";
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece piece = pieces[i];
    const bool before_dash = i + 2 < pieces.size() && (is(pieces[i + 1], U'-') || is(pieces[i + 1], U'–'));
    if (language_ != "ko" && is_cjk(piece.front().letter)) {
      put(piece, i == 0 || !is_cjk(pieces[i - 1].back().letter) ? space : false, true);
    } else if (currency_.search(piece, work.ends)) {
      put(piece, space, false);
    } else if (punctuation_.search(piece, work.ends)) {
      if (french && piece.size() == 1 && all_of(piece, U"?!:;\\%")) put_space(piece.front());
      put(piece, false, true);
    } else if (english && i > 0 && apostrophe_first_.search(piece, work.ends)) {
      put(piece, false, true);
    } else if (czech && i > 1 && is_number(piece) && is_number(pieces[pieces.size() - 2]) &&
               (is(pieces.back(), U'.') || is(pieces.back(), U','))) {
      put(piece, false, true);
    } else if (elides && i + 1 < pieces.size() && apostrophe_last_.search(piece, work.ends) &&
               alpha_first_.search(pieces[i + 1], work.ends)) {
      put(piece, space, false);
    } else if (czech && before_dash && apostrophe_last_.search(piece, work.ends) && is_czech_tail(pieces[i + 2])) {
      put(piece, space, false);
      put(pieces[++i], false, false);
    } else if (open_quote_.search(piece, work.ends)) {
      const std::string kind = all_of(piece, U"„“”") ? "\"" : utf8(piece);
      int& seen = quotes[kind];
      if (czech && is(piece, U'„')) seen = 0;
      if (czech && is(piece, U'“')) seen = 1;
      const bool possessive = english && is(piece, U'\'') && i > 0 && pieces[i - 1].back().letter == U's';
      if (seen % 2 == 0 && possessive) {
        put(piece, false, true);
      } else {
        put(piece, seen % 2 == 0 ? space : false, seen % 2 != 0);
        ++seen;
      }
    } else {
      put(piece, space, true);
    }
  }
  strip(out);
  Detokenized result{utf8(out), std::vector<Range>(tokens.size())};
  for (std::uint32_t at = 0; at < out.size(); ++at) {
    for (std::uint32_t token = out[at].start; token < out[at].end; ++token) {
      Range& range = result.ranges[token];
      if (range.first == range.second) range.first = at;
      range.second = at + 1;
    }
  }
  return result;
}

std::vector<Detokenized> Detokenizer::detokenize(const std::vector<std::vector<std::string_view>>& lines,
                                                 int threads) const {
  std::vector<Detokenized> results(lines.size());
  parallel_ranges(lines.size(), kLinesPerShard, threads, [&](std::size_t begin, std::size_t end) {
    Workspace work;
    for (std::size_t i = begin; i < end; ++i) results[i] = detokenize(lines[i], work);
  });
  return results;
}

}  // namespace dragoman::text
