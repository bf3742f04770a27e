#include "grammar/extract_hiero.hpp"

#include <algorithm>
#include <limits>

#include "common/error.hpp"
#include "grammar/run.hpp"

namespace dragoman::grammar {
namespace {

constexpr std::uint32_t kUsualLabel[] = {kHieroLabel};

}  // namespace

bool prefix_lexicalised(Phrase target) noexcept {
  if (target.empty() || is_nonterminal(target.front())) return false;
  const auto rest = std::find_if(target.begin(), target.end(), is_nonterminal);
  return std::all_of(rest, target.end(), is_nonterminal);
}

void HieroExtractor::extract(const AlignedPair& pair, const DependencyTree* tree, bool gaps,
                             const std::function<void(const HieroRule&)>& use) {
  pair_ = &pair;
  tree_ = tree;
  gaps = gaps && limits_.part != RulePart::kWords;
  if (!gaps && limits_.part == RulePart::kGaps) return;
  PhraseLimits initial{limits_.max_phrase, limits_.max_phrase, 0, limits_.tight};
  phrases_.clear();
  holes_at_.resize(std::max(holes_at_.size(), static_cast<std::size_t>(pair.source_size())));
  for (auto& holes : holes_at_) holes.clear();
  if (limits_.labels != LabelSide::kNone) labels_.assign(pair.words().labels, limits_.labels);
  for_each_phrase(pair, initial, [&](const PhraseSpans& spans) {
    const InitialPair found{spans, labels_of(spans)};
    if (found.labels.empty()) return;
    phrases_.push_back(found);
    if (gaps && spans.source_end - spans.source_begin >= limits_.min_hole && (tree == nullptr || top_of(spans) >= 0))
      holes_at_[static_cast<std::size_t>(spans.source_begin)].push_back(found);
  });
  target_place_.assign(static_cast<std::size_t>(pair.target_size()), -1);
  source_place_.assign(static_cast<std::size_t>(pair.source_size()), -1);
  for (const InitialPair& spans : phrases_) {
    whole_ = spans;
    rules_.clear();
    marks_.clear();
    links_.ends.clear();
    links_.symbols.clear();
    place(spans.source_begin, false);
    use_rules(use);
  }
  if (!limits_.loose_terminals || !limits_.tight || limits_.part == RulePart::kGaps) return;
  initial.only_tight = false;
  initial.max_source = std::min(initial.max_source, limits_.max_symbols);
  for_each_phrase(pair, initial, [&](const PhraseSpans& spans) {
    const bool tight = !pair.of_source(spans.source_begin).empty() && !pair.of_source(spans.source_end - 1).empty() &&
                       !pair.of_target(spans.target_begin).empty() && !pair.of_target(spans.target_end - 1).empty();
    whole_ = {spans, labels_of(spans)};
    if (tight || whole_.labels.empty()) return;
    rules_.clear();
    marks_.clear();
    links_.ends.clear();
    links_.symbols.clear();
    source_.clear();
    for (int i = spans.source_begin; i < spans.source_end; ++i) {
      source_place_[static_cast<std::size_t>(i)] = static_cast<int>(source_.size());
      source_.push_back(pair.words().source[static_cast<std::size_t>(i)]);
    }
    finish_rule();
    source_.clear();
    use_rules(use);
  });
}

// A pair without any is not taken.
std::span<const std::uint32_t> HieroExtractor::labels_of(const PhraseSpans& spans) const noexcept {
  if (limits_.labels == LabelSide::kNone) return kUsualLabel;
  const auto found = labels_.of(spans);
  return found.empty() && limits_.fall_back ? std::span<const std::uint32_t>(kUsualLabel) : found;
}

// Decides what stands at a source position: its word, or a nonterminal over the words from there.
void HieroExtractor::place(int position, bool after_nonterminal) {
  if (position == whole_.source_end) {
    finish_rule();
    return;
  }
  const int symbols = static_cast<int>(source_.size()), words_left = whole_.source_end - position;
  if (symbols == limits_.max_symbols) return;
  const bool may_open = static_cast<int>(holes_.size()) < limits_.max_nonterminals;
  if (!may_open && symbols + words_left > limits_.max_symbols) return;
  const auto at = static_cast<std::size_t>(position);
  source_place_[at] = symbols;
  source_.push_back(pair_->words().source[at]);
  place(position + 1, false);
  source_.pop_back();
  if (!may_open || (after_nonterminal && !limits_.adjacent)) return;
  for (const InitialPair& hole : holes_at_[at]) {
    if (hole.source_end > whole_.source_end || hole.target_begin < whole_.target_begin ||
        hole.target_end > whole_.target_end)
      continue;
    const bool clash = std::any_of(holes_.begin(), holes_.end(), [&](const InitialPair& other) {
      return hole.target_begin < other.target_end && other.target_begin < hole.target_end;
    });
    if (clash) continue;
    for (auto i = at; i < static_cast<std::size_t>(hole.source_end); ++i) source_place_[i] = -1;
    source_.push_back(nonterminal(kHieroLabel, static_cast<std::uint32_t>(holes_.size())));
    holes_.push_back(hole);
    place(hole.source_end, true);
    holes_.pop_back();
    source_.pop_back();
  }
}

// The word whose subtree a nonterminal would stand for, or -1.
int HieroExtractor::top_of(const PhraseSpans& hole) const noexcept {
  return limits_.tree_is_source ? tree_->top_of(hole.source_begin, hole.source_end)
                                : tree_->top_of(hole.target_begin, hole.target_end);
}

// The target side and the links that follow from the source side and its holes.
void HieroExtractor::finish_rule() {
  if (source_.size() == 1 && !holes_.empty()) return;  // a nonterminal alone would only rename itself
  if (holes_.empty() && limits_.part == RulePart::kGaps) return;
  rule_.assign(source_.begin(), source_.end());
  if (limits_.labels != LabelSide::kNone) rule_.push_back(left_hand_side(whole_.labels.front()));
  rule_.push_back(kNullWord);
  const std::size_t begin = rule_.size();
  bool before_nonterminals = true, lexicalised = true;
  for (int j = whole_.target_begin; j < whole_.target_end;) {
    const auto hole =
        std::find_if(holes_.begin(), holes_.end(), [&](const InitialPair& one) { return one.target_begin == j; });
    if (hole != holes_.end()) {
      lexicalised = lexicalised && rule_.size() != begin;
      before_nonterminals = false;
      for (; j < hole->target_end; ++j) target_place_[static_cast<std::size_t>(j)] = -1;
      rule_.push_back(nonterminal(kHieroLabel, static_cast<std::uint32_t>(hole - holes_.begin())));
    } else {
      lexicalised = lexicalised && before_nonterminals;
      target_place_[static_cast<std::size_t>(j)] = static_cast<int>(rule_.size() - begin);
      rule_.push_back(pair_->words().target[static_cast<std::size_t>(j)]);
      ++j;
    }
  }
  if (limits_.prefix_lexicalised == PrefixLexicalised::kBefore && !lexicalised) return;
  if (tree_ != nullptr) {  // what governs a nonterminal must be a word of the rule
    const int begin_of_side = limits_.tree_is_source ? whole_.source_begin : whole_.target_begin;
    const int end_of_side = limits_.tree_is_source ? whole_.source_end : whole_.target_end;
    const std::vector<int>& places = limits_.tree_is_source ? source_place_ : target_place_;
    for (const InitialPair& hole : holes_) {
      const int head = tree_->head(top_of(hole));
      if (head < begin_of_side || head >= end_of_side || places[static_cast<std::size_t>(head)] < 0) return;
    }
  }
  inside_.clear();
  for (const SentenceLink link : pair_->links(whole_.source_begin, whole_.source_end)) {
    const int source = source_place_[link.source], target = target_place_[link.target];
    if (source >= 0 && target >= 0)
      inside_.push_back(coded({static_cast<std::uint8_t>(source), static_cast<std::uint8_t>(target)}));
  }
  if (limits_.linked_words && inside_.empty()) return;
  add_labelled(begin);
}

// The rule with all labels that it can have. One of words only has the outermost of the source: what it derives is not
// compared with anything, while labels of the target must be derived to be of use.
void HieroExtractor::add_labelled(std::size_t target_begin) {
  const auto add = [&] {
    const std::size_t known = rules_.size();
    if (rules_.intern(rule_) != known) return;
    links_.symbols.insert(links_.symbols.end(), inside_.begin(), inside_.end());
    links_.ends.push_back(links_.symbols.size());
    marks_.push_back(static_cast<std::uint32_t>(target_begin - 1));
  };
  if (limits_.labels == LabelSide::kNone || (limits_.labels == LabelSide::kSource && holes_.empty())) return add();
  hole_places_.assign(holes_.size(), {0, 0});
  for (std::size_t i = 0; i < source_.size(); ++i)
    if (is_nonterminal(rule_[i])) hole_places_[index_of(rule_[i])].first = i;
  for (std::size_t j = target_begin; j < rule_.size(); ++j)
    if (is_nonterminal(rule_[j])) hole_places_[index_of(rule_[j])].second = j;
  chosen_.assign(holes_.size() + 1, 0);  // the last one is the left-hand side
  while (true) {
    rule_[target_begin - 2] = left_hand_side(whole_.labels[chosen_.back()]);
    for (std::size_t k = 0; k < holes_.size(); ++k) {
      const WordId symbol = nonterminal(holes_[k].labels[chosen_[k]], static_cast<std::uint32_t>(k));
      rule_[hole_places_[k].first] = rule_[hole_places_[k].second] = symbol;
    }
    add();
    std::size_t k = chosen_.size();
    while (k > 0 && ++chosen_[k - 1] == (k == chosen_.size() ? whole_.labels.size() : holes_[k - 1].labels.size()))
      chosen_[--k] = 0;
    if (k == 0) return;
  }
}

void HieroExtractor::use_rules(const std::function<void(const HieroRule&)>& use) {
  if (rules_.size() > std::numeric_limits<std::uint16_t>::max())
    throw SettingError("one phrase pair gives more than 65535 rules", "allow fewer symbols or nonterminals");
  const auto shares = static_cast<std::uint16_t>(limits_.fractional ? rules_.size() : 1);
  const FlatPhrases links(links_.ends, links_.symbols);
  for (std::uint32_t rule = 0; rule < rules_.size(); ++rule) {
    const Phrase both = rules_[rule];
    use({both.first(marks_[rule]), both.subspan(marks_[rule] + 1), links[rule], shares});
  }
}

}  // namespace dragoman::grammar
