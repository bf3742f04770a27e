#include "search/left_to_right.hpp"

#include <algorithm>

#include "common/parallel.hpp"

namespace dragoman::search {

void LeftToRightSearch::run(const LeftToRightSettings& settings, double height_weight, LeftToRightSentence& sentence,
                            Extender& extender) {
  settings_ = &settings;
  height_weight_ = height_weight;
  sentence_ = &sentence;
  extender_ = &extender;
  forced_ = !sentence.references().empty();
  reference_state_ = extender.states();
  height_state_ = reference_state_ + (forced_ ? 1 : 0);
  width_ = height_state_ + (settings.reordering_features ? 1 : 0);
  compared_ = settings.exact_height ? width_ : height_state_;
  watch_.begin(settings.space);
  reset();
  seed();
  if (!sentence.prefix().empty()) {
    kept_.clear();
    stack_begins_.assign({0, 0});
    if (sentence.length() == 0 || !write_prefix()) {
      stack_begins_.assign(sentence.length() + 2, 0);
      return;
    }
  }
  for (std::uint32_t covered = 1; covered <= sentence.length(); ++covered) {
    stop_if_interrupted();
    spread_grids(covered - 1);
    const bool by_cube = settings.algorithm == LeftToRightSettings::Algorithm::kCube && !forced_;
    recombination_.clear(by_cube ? settings.pop_limit : settings.beam);
    if (covered < seeds_.size())
      for (const NodeId id : seeds_[covered]) insert(id);
    if (by_cube)
      fill_by_cube(covered);
    else
      fill_exhaustively(covered);
    grids_[covered].clear();
    close();
  }
}

void LeftToRightSearch::reset() {
  nodes_.clear();
  states_.clear();
  lists_.clear();
  heights_.clear();
  kept_.clear();
  stack_begins_.assign(1, 0);
  grids_.resize(sentence_->length() + 1);
  for (auto& grids : grids_) grids.clear();
  seeds_.clear();
  statistics_ = {};
}

void LeftToRightSearch::seed() {
  states_.resize(width_);
  extender_->start(states_.data());
  if (forced_) states_[reference_state_] = ReferencePrefixes::kStart;
  if (settings_->reordering_features) states_[height_state_] = heights_.start();
  ListId spans = SpanLists::kEmpty;
  double priority = 0;
  if (const auto length = static_cast<std::uint16_t>(sentence_->length()); length > 0) {
    spans = lists_.push({0, length}, spans, sentence_->future({0, length}));
    priority = lists_.future(spans);
  } else {
    priority = extender_->finish(states_.data());
  }
  nodes_.push_back({0, priority, kNone, kNone, kNone, spans, kNone});
  const bool allowed =
      sentence_->length() > 0 || !forced_ || sentence_->references().is_complete(states_[reference_state_]);
  if (allowed) kept_.push_back(0);
  stack_begins_.push_back(static_cast<std::uint32_t>(kept_.size()));
  statistics_.kept += kept_.size();
}

std::uint64_t LeftToRightSearch::bundle(ListId list) const noexcept {
  if (settings_->grouping == LeftToRightSettings::Grouping::kAllSpans) return list;
  const Span first = lists_.first(list);
  return std::uint64_t{first.start} << 16 | first.end;
}

void LeftToRightSearch::spread_grids(std::uint32_t covered) {
  const std::uint32_t stop = stack_begins_[covered + 1];
  for (std::uint32_t first = stack_begins_[covered]; first < stop;) {
    const ListId list = nodes_[kept_[first]].spans;
    std::uint32_t last = first + 1;
    while (last < stop && bundle(nodes_[kept_[last]].spans) == bundle(list)) ++last;
    const auto [from, to] = sentence_->applications(lists_.first(list));
    for (std::uint32_t number = from; number < to; ++number)
      if (!sentence_->application(number).made_up)
        grids_[covered + sentence_->application(number).terminals].push_back({first, last - first, number});
    first = last;
  }
}

void LeftToRightSearch::fill_by_cube(std::uint32_t covered) {
  const std::vector<Grid>& grids = grids_[covered];
  const CubeMerge::Limits limits{settings_->pop_limit, settings_->queue_diversity, settings_->queue_patience};
  const auto count = static_cast<std::uint32_t>(grids.size());
  const auto size = [&](std::uint32_t grid) {
    return CubeSize{grids[grid].nodes, sentence_->application(grids[grid].application).options};
  };
  const auto score = [&](std::uint32_t grid, std::uint32_t row, std::uint32_t column) {
    const NodeId id = build(grids[grid], row, column);
    return std::pair{nodes_[id].priority, id};
  };
  const auto take = [&](NodeId id) { insert(id); };
  if (settings_->lazy)
    merge_.run_lazily(
        count, limits, size,
        [&](std::uint32_t grid, std::uint32_t row, std::uint32_t column) {
          const Application& application = sentence_->application(grids[grid].application);
          const Node& node = nodes_[kept_[grids[grid].first_node + row]];
          return node.score + lists_.future(lists_.rest(node.spans)) + application.future + application.score +
                 sentence_->options()[application.first_option + column].estimate;
        },
        score, take);
  else
    merge_.run(count, limits, size, score, take);
  statistics_.queued += merge_.queued();
}

bool LeftToRightSearch::write_prefix() {
  const TargetPrefix& prefix = sentence_->prefix();
  const auto expand = [&](NodeId id, std::uint32_t written, PrefixBeams::Means means) {
    const Node node = nodes_[id];
    if (node.spans == SpanLists::kEmpty) return;
    const ListId rest = lists_.rest(node.spans);
    const auto [from, to] = sentence_->applications(lists_.first(node.spans));
    for (std::uint32_t number = from; number < to; ++number) {
      const Application& application = sentence_->application(number);
      if (application.made_up != (means == PrefixBeams::Means::kMadeUp)) continue;
      const bool complete = application.arity == 0 && rest == SpanLists::kEmpty;
      for (std::uint32_t option = application.first_option; option < application.first_option + application.options;
           ++option) {
        const auto target = sentence_->target(sentence_->options()[option]);
        if (!prefix.fits(written, target)) continue;
        const std::uint32_t after = prefix.after(written, target);
        if (complete && after < prefix.length()) continue;  // nothing is left to write it
        ++statistics_.queued;
        beams_.add(after, {node.score + sentence_->options()[option].estimate + application.score + application.future +
                               lists_.future(rest),
                           id, number, option});
      }
    }
  };
  const auto take = [&](const PrefixBeams::Candidate& found) { insert(make(found.node, found.place, found.option)); };
  const auto close = [&](std::vector<NodeId>& kept) {
    rank();
    for (const RankedNode& ranked : ranked_) kept.push_back(ranked.node);
    recombination_.clear(settings_->pop_limit);
  };
  recombination_.clear(settings_->pop_limit);
  if (!beams_.run(0, prefix.length(), settings_->pop_limit, expand, take, close)) return false;
  seeds_.assign(sentence_->length() + 1, {});
  for (const NodeId id : beams_.written()) {
    std::uint32_t covered = sentence_->length();
    for (ListId list = nodes_[id].spans; list != SpanLists::kEmpty; list = lists_.rest(list))
      covered -= static_cast<std::uint32_t>(lists_.first(list).end - lists_.first(list).start);
    seeds_[covered].push_back(id);
  }
  return true;
}

void LeftToRightSearch::fill_exhaustively(std::uint32_t covered) {
  for (const Grid& grid : grids_[covered])
    for (std::uint32_t row = 0; row < grid.nodes; ++row) {
      watch_.check(nodes_.size());
      for (std::uint32_t column = 0; column < sentence_->application(grid.application).options; ++column)
        if (const NodeId id = build(grid, row, column); id != kNone) insert(id);
    }
}

NodeId LeftToRightSearch::build(const Grid& grid, std::uint32_t row, std::uint32_t column) {
  const std::uint32_t first = sentence_->application(grid.application).first_option;
  return make(kept_[grid.first_node + row], grid.application, first + column);
}

NodeId LeftToRightSearch::make(NodeId previous, std::uint32_t number, std::uint32_t option_id) {
  const Application& application = sentence_->application(number);
  const Option& option = sentence_->options()[option_id];
  ReferencePrefixes::Prefix prefix = ReferencePrefixes::kStart;
  if (forced_) {
    prefix = sentence_->references().extend(states(previous)[reference_state_], sentence_->target(option));
    if (prefix == ReferencePrefixes::kNoPrefix) return kNone;
  }
  const Node from = nodes_[previous];
  const ListId rest = lists_.rest(from.spans);
  const bool complete = application.arity == 0 && rest == SpanLists::kEmpty;
  if (forced_ && complete && !sentence_->references().is_complete(prefix)) return kNone;

  ++statistics_.built;
  const auto id = static_cast<NodeId>(nodes_.size());
  states_.resize(states_.size() + width_);
  StateId* const to = states_.data() + id * width_;
  double score = from.score + option.score + application.score + extender_->extend(states(previous), option, {}, to);
  if (forced_) to[reference_state_] = prefix;
  if (settings_->reordering_features) {
    const Heights::Step step = heights_.extend(states(previous)[height_state_], application.arity);
    score += height_weight_ * step.more;
    to[height_state_] = step.next;
  }
  const double to_come = complete ? extender_->finish(to) : application.future + lists_.future(rest);
  nodes_.push_back({score, score + to_come, previous, option_id, number, SpanLists::kEmpty, kNone});
  return id;
}

double LeftToRightSearch::height_of_step(NodeId id) {
  if (!settings_->reordering_features) return 0;
  const Node& node = nodes_[id];
  return heights_.extend(states(node.previous)[height_state_], sentence_->application(node.application).arity).more;
}

// Only now is the list of spans made: most nodes that are built are never taken.
void LeftToRightSearch::insert(NodeId id) {
  Node& fresh = nodes_[id];
  fresh.spans = lists_.rest(nodes_[fresh.previous].spans);
  const auto parts = sentence_->parts(sentence_->application(fresh.application));
  for (std::size_t i = parts.size(); i-- > 0;)
    fresh.spans = lists_.push(parts[i], fresh.spans, sentence_->future(parts[i]));
  const bool known = recombine(
      recombination_, nodes_, id, [this](NodeId node) { return nodes_[node].spans; },
      [this](NodeId node) { return states(node); }, compared_);
  statistics_.recombined += known ? 1 : 0;
}

// The stack is complete: keep the best nodes, bundle by bundle, best first within each.
void LeftToRightSearch::close() {
  rank();
  for (const RankedNode& ranked : ranked_) kept_.push_back(ranked.node);
  stack_begins_.push_back(static_cast<std::uint32_t>(kept_.size()));
}

void LeftToRightSearch::rank() {
  ranked_.clear();
  for (const auto& winner : recombination_.winners())
    ranked_.push_back({nodes_[winner.node].priority, bundle(nodes_[winner.node].spans), winner.node});
  statistics_.pruned += prune(ranked_, settings_->beam, settings_->threshold);
  std::sort(ranked_.begin(), ranked_.end(), RankedNode::by_bundle);
  statistics_.kept += ranked_.size();
}

}  // namespace dragoman::search
