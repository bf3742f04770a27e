#include "grammar/layered.hpp"

#include <algorithm>

#include "grammar/bitext.hpp"

namespace dragoman::grammar {
namespace {

// The layer's own words are numbered after the table's: its id k (from 1) is the table's size + k - 1.
WordId layered_id(VocabularyView base, VocabularyView layer, std::string_view word) {
  if (const auto found = base.find(word)) return *found;
  const WordId own = layer.id(word);
  return own == kUnknown ? kUnknown : static_cast<WordId>(base.size() + own - 1);
}

std::string_view layered_word(VocabularyView base, VocabularyView layer, WordId id) {
  if (id < base.size()) return base.word(id);
  const std::size_t own = id - base.size() + 1;
  return own < layer.size() ? layer.word(static_cast<WordId>(own)) : base.word(kUnknown);
}

bool unknown_inside(Phrase source) { return std::find(source.begin(), source.end(), kUnknown) != source.end(); }

}  // namespace

WordId LayeredView::source_id(std::string_view word) const noexcept {
  return layered_id(base_->source_words(), source_words_.view(), word);
}
WordId LayeredView::target_id(std::string_view word) const noexcept {
  return layered_id(base_->target_words(), target_words_.view(), word);
}
std::string_view LayeredView::source_word(WordId id) const noexcept {
  return layered_word(base_->source_words(), source_words_.view(), id);
}
std::string_view LayeredView::target_word(WordId id) const noexcept {
  return layered_word(base_->target_words(), target_words_.view(), id);
}

void LayeredView::values(RuleId rule, std::span<float> out) const noexcept {
  if (is_added(rule))
    std::copy_n(added_[index(rule)].values.begin(), out.size(), out.begin());
  else
    base_->values(rule, out);
}

RuleCounts LayeredView::counts(RuleId rule) const noexcept {
  if (!is_added(rule)) return base_->counts(rule, base_->node_of(rule));
  const RuleList::Draft& draft = added_[index(rule)];
  return {draft.target_count, draft.source_count, draft.joint_count};
}

RuleRange LayeredView::added_of(Phrase source) const noexcept {
  const auto before = [](const RuleList::Draft& rule, Phrase phrase) {
    return compare(rule.source, phrase, PhraseOrder::kBreadthFirst) < 0;
  };
  const auto after = [](Phrase phrase, const RuleList::Draft& rule) {
    return compare(phrase, rule.source, PhraseOrder::kBreadthFirst) < 0;
  };
  if (unknown_inside(source)) return {0, 0};
  const auto first = std::lower_bound(added_.begin(), added_.end(), source, before);
  const auto last = std::upper_bound(first, added_.end(), source, after);
  const auto offset = [&](auto at) {
    return static_cast<RuleId>(base_->rules() + static_cast<std::size_t>(at - added_.begin()));
  };
  return {offset(first), offset(last)};
}

NodeId LayeredView::child(NodeId node, WordId symbol) const noexcept {
  if (node < layer_root()) return base_->child(node, symbol);
  const NodeRange range = children(node);
  const auto begin = layer_.begin() + (range.first - layer_root()), end = layer_.begin() + (range.last - layer_root());
  const auto found = std::lower_bound(
      begin, end, symbol, [](const LayerNode& candidate, WordId wanted) { return candidate.symbol < wanted; });
  return found != end && found->symbol == symbol ? layer_root() + static_cast<NodeId>(found - layer_.begin()) : kNoNode;
}

void LayeredView::source(NodeId node, std::vector<WordId>& symbols) const {
  if (node < layer_root()) return base_->source(node, symbols);
  symbols.clear();
  for (std::size_t at = node - layer_root(); at != 0;) {
    symbols.push_back(layer_[at].symbol);
    const auto above =
        std::upper_bound(layer_.begin(), layer_.end(), at,
                         [](std::size_t wanted, const LayerNode& each) { return wanted < each.first_child; });
    at = static_cast<std::size_t>(above - layer_.begin()) - 1;
  }
  std::reverse(symbols.begin(), symbols.end());
}

// Every beginning of a source is a node; in breadth-first order the children of a node are neighbours.
void LayeredView::index_layer() {
  layer_.clear();
  if (added_.empty()) return;
  std::vector<Phrase> nodes{Phrase()};
  for (const RuleList::Draft& rule : added_)
    for (std::size_t length = 1; length <= rule.source.size(); ++length)
      nodes.push_back(Phrase(rule.source).first(length));
  const auto before = [](Phrase a, Phrase b) { return compare(a, b, PhraseOrder::kBreadthFirst) < 0; };
  std::sort(nodes.begin(), nodes.end(), before);
  nodes.erase(std::unique(nodes.begin(), nodes.end(), [](Phrase a, Phrase b) { return std::ranges::equal(a, b); }),
              nodes.end());
  std::uint32_t child = 1, rule = 0;
  for (const Phrase node : nodes) {
    while (child < nodes.size() && before(nodes[child].first(nodes[child].size() - 1), node)) ++child;
    while (rule < added_.size() && before(added_[rule].source, node)) ++rule;
    layer_.push_back({node.empty() ? kUnknown : node.back(), child, rule});
  }
  layer_.push_back({kUnknown, static_cast<std::uint32_t>(nodes.size()), static_cast<std::uint32_t>(added_.size())});
}

LayeredTable::LayeredTable(std::shared_ptr<const RuleTable> base) : base_(std::move(base)) {}

WordId LayeredTable::intern_source(std::string_view word) {
  const std::lock_guard guard(lock_);
  if (!base_->source_words().find(word)) source_words_.intern(word);
  return layered_id(base_->source_words(), source_words_.view(), word);
}

WordId LayeredTable::intern_target(std::string_view word) {
  const std::lock_guard guard(lock_);
  if (!base_->target_words().find(word)) target_words_.intern(word);
  return layered_id(base_->target_words(), target_words_.view(), word);
}

void LayeredTable::add(RuleList::Draft rule) {
  RuleList check(base_->columns());  // the same checks as for any other rule
  check.add(rule);
  const std::lock_guard guard(lock_);
  Key key{rule.source, rule.target};
  added_.insert_or_assign(std::move(key), std::move(rule));
  view_ = nullptr;
}

bool LayeredTable::drop(Phrase source, Phrase target) {
  const std::lock_guard guard(lock_);
  const bool dropped = added_.erase({{source.begin(), source.end()}, {target.begin(), target.end()}}) != 0;
  if (dropped) view_ = nullptr;
  return dropped;
}

void LayeredTable::hide(RuleId rule) {
  const std::lock_guard guard(lock_);
  if (rule >= base_->rules()) throw InputError("no such rule in the table");
  hidden_.insert(rule);
  view_ = nullptr;
}

void LayeredTable::unhide(RuleId rule) {
  const std::lock_guard guard(lock_);
  hidden_.erase(rule);
  view_ = nullptr;
}

std::shared_ptr<const LayeredView> LayeredTable::view() {
  const std::lock_guard guard(lock_);
  if (view_) return view_;
  auto made = std::make_shared<LayeredView>(base_);
  made->source_words_ = source_words_;
  made->target_words_ = target_words_;
  made->hidden_.assign(hidden_.begin(), hidden_.end());
  for (const auto& [key, rule] : added_) {
    made->added_.push_back(rule);
    made->depth_ = std::max(made->depth_, static_cast<int>(rule.source.size()));
  }
  std::stable_sort(made->added_.begin(), made->added_.end(), [](const auto& a, const auto& b) {
    return compare(a.source, b.source, PhraseOrder::kBreadthFirst) < 0;
  });
  made->index_layer();
  view_ = std::move(made);
  return view_;
}

void LayeredTable::write(const std::filesystem::path& path, const std::string& metadata, int threads) {
  const auto view = this->view();
  RuleList list(base_->columns());
  std::vector<WordId> source;
  std::vector<float> values(base_->columns().size());
  const auto words = [&](Phrase phrase, bool is_source, std::vector<WordId>& out) {
    out.clear();
    for (const WordId symbol : phrase) {
      if (is_nonterminal(symbol)) {
        const std::uint32_t label = label_of(symbol);
        const WordId name = label == kGapLabel ? 0 : list.labels.intern(base_->labels().word(label));
        out.push_back(nonterminal(name, index_of(symbol)));
      } else {
        out.push_back(is_source ? list.source_words.intern(view->source_word(symbol))
                                : list.target_words.intern(view->target_word(symbol)));
      }
    }
  };
  const auto copy = [&](RuleId rule, Phrase from) {
    RuleList::Draft draft;
    words(from, true, draft.source);
    words(view->target(rule), false, draft.target);
    const auto links = view->links(rule);
    draft.links.assign(links.begin(), links.end());
    view->values(rule, values);
    draft.values = values;
    const RuleCounts counts = view->counts(rule);
    draft.target_count = counts.target;
    draft.source_count = counts.source;
    draft.joint_count = counts.joint;
    if (!view->is_added(rule)) {
      if (const WordId label = base_->left_hand_side(rule); label != 0)
        draft.left_hand_side = list.labels.intern(base_->labels().word(label));
      for (const SparseValue value : base_->sparse(rule))
        draft.sparse.push_back({list.features.intern(base_->features().word(value.feature)), value.value});
    }
    list.add(draft);
  };
  for (NodeId node = 0; node < base_->nodes(); ++node) {
    if (base_->rules_of(node).empty()) continue;
    base_->source(node, source);
    view->visible(base_->rules_of(node), [&](RuleRange rules) {
      for (RuleId rule = rules.first; rule < rules.last; ++rule) copy(rule, source);
    });
  }
  for (std::size_t i = 0; i < view->added(); ++i) {
    const auto rule = static_cast<RuleId>(base_->rules() + i);
    copy(rule, view->added_rule(rule).source);
  }
  list.write(path, metadata, false, threads, path.string());
}

}  // namespace dragoman::grammar
