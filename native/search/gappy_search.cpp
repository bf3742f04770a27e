#include "search/gappy_search.hpp"

#include <algorithm>
#include <cmath>

#include "common/parallel.hpp"

namespace dragoman::search {

void GappySearch::run(const GappySettings& settings, const GappyModel& model, std::span<const double> weights,
                      const GappySentence& sentence, Extender& extender) {
  const auto weight = [&](FeatureId id) { return id < weights.size() ? weights[id] : 0; };
  settings_ = &settings;
  sentence_ = &sentence;
  extender_ = &extender;
  distortion_weight_ = weight(model.distortion);
  gap_weight_ = weight(model.target_gap_words);
  size_weight_ = weight(model.target_sizes);
  widest_gap_ = model.target_size_columns.empty() ? 1 : grammar::kLargeGap;
  source_crossing_weight_ = weight(model.source_crossings);
  target_crossing_weight_ = weight(model.target_crossings);
  contained_weight_ = weight(model.contained);
  width_ = extender.states();
  most_runs_ = settings.max_pending * sentence.most_later();
  reset();
  seed();
  const std::size_t stacks = grids_.size();
  for (std::size_t stack = most_runs_; stack < stacks; ++stack) {  // the start is in the last stack of no coverage
    stop_if_interrupted();
    if (stack > most_runs_) {
      fill(stack);
      close(stack);
    }
    if (stack + 1 < stacks) spread(stack);
  }
}

void GappySearch::reset() {
  nodes_.clear();
  states_.clear();
  places_.clear();
  future_of_.clear();
  kept_.clear();
  goals_.clear();
  grids_.resize((sentence_->length() + std::size_t{1}) * (most_runs_ + 1));
  kept_of_.resize(grids_.size());
  for (auto& grids : grids_) grids.clear();
  for (auto& kept : kept_of_) kept.clear();
  statistics_ = {};
}

void GappySearch::seed() {
  states_.resize(width_);
  extender_->start(states_.data());
  const std::uint32_t place = intern({});
  const bool complete = sentence_->length() == 0;
  const double to_come = complete ? extender_->finish(states_.data()) : future_of_[place];
  nodes_.push_back({0, to_come, kNone, kNone, place, kNone});
  kept_of_[most_runs_].push_back(0);
  ++statistics_.kept;
  if (complete) goals_.push_back(0);
}

std::uint32_t GappySearch::runs(const GappyPlace& place) noexcept {
  std::uint32_t sum = 0;
  for (const PendingPhrase& each : place.pending) sum += each.runs;
  return sum;
}

std::size_t GappySearch::stack_of(const GappyPlace& place) const noexcept {
  return std::size_t{place.coverage.count()} * (most_runs_ + 1) + (most_runs_ - runs(place));
}

std::uint32_t GappySearch::intern(const GappyPlace& place) {
  return places_.intern(place, place.hash(), [&](std::uint32_t) {
    double future = sentence_->future(place.coverage);
    for (const PendingPhrase& each : place.pending)
      for (std::uint32_t run = 0; run < each.runs; ++run) future += sentence_->option(each.next + run).estimate;
    future_of_.push_back(future);
  });
}

double GappySearch::jump(const GappyPlace& from, std::uint32_t to) const noexcept {
  const double first = std::abs(static_cast<double>(to) - from.first_end);
  const double last = std::abs(static_cast<double>(to) - from.last_end);
  switch (settings_->jump) {
    case GappySettings::Jump::kFirst:
      return first;
    case GappySettings::Jump::kNearest:
      return std::min(first, last);
    case GappySettings::Jump::kAverage:
      return (first + last) / 2;
    case GappySettings::Jump::kLast:
      break;
  }
  return last;
}

bool GappySearch::pass(GappyPlace& place, std::uint32_t words, std::size_t but) const noexcept {
  for (std::size_t i = 0; i < place.pending.size(); ++i) {
    PendingPhrase& each = place.pending[i];
    if (i == but) continue;
    each.since = static_cast<std::uint16_t>(each.since + words);
    each.gap = static_cast<std::uint16_t>(std::min(each.gap + words, widest_gap_));
    // Every run that is left needs a word before it that is not its own.
    const std::uint32_t between = each.runs - (each.gap > 0 ? 1 : 0);
    if (each.since + sentence_->words_left(each.next) + between > settings_->max_target_span) return false;
  }
  return true;
}

GappyOrder GappySearch::order(const GappyPlace& from, const GappyGroup& group) const noexcept {
  if (!settings_->order_features) return {};
  GappyOrder found;
  found.contained =
      from.first_end < from.last_end && group.span.start >= from.first_end && group.span.end <= from.last_end;
  for (const Span span : from.open) {
    std::uint32_t inside = 0;
    for (std::uint32_t at = std::max(span.start, group.span.start); at < std::min(span.end, group.span.end); ++at)
      inside += static_cast<std::uint32_t>(group.some >> (at - group.span.start) & 1);
    if (inside > 0 && inside < group.covered) ++found.source_crossings;
  }
  return found;
}

// Gaps that the group leaves open, with those that were open before and are not filled.
void GappySearch::open_gaps(GappyPlace& place, const GappyGroup& group) const {
  if (!settings_->order_features) return;
  if (group.covered < group.span.end - group.span.start) place.open.push_back(group.span);
  std::erase_if(place.open, [&](Span span) {
    for (std::uint32_t at = span.start; at < span.end; ++at)
      if (!place.coverage.covers(at)) return false;
    return true;
  });
}

void GappySearch::spread(std::size_t stack) {
  const auto& kept = kept_of_[stack];
  const auto offset = static_cast<std::uint32_t>(kept_.size());
  kept_.insert(kept_.end(), kept.begin(), kept.end());
  for (std::uint32_t first = 0; first < kept.size();) {
    std::uint32_t last = first + 1;
    while (last < kept.size() && nodes_[kept[last]].place == nodes_[kept[first]].place) ++last;
    spread_bundle(offset + first, offset + last);
    first = last;
  }
}

void GappySearch::spread_bundle(std::uint32_t first, std::uint32_t last) {
  const GappyPlace from = places_[nodes_[kept_[first]].place];
  for (std::size_t i = 0; i < from.pending.size(); ++i) {
    if (from.pending[i].gap == 0) continue;
    const std::uint32_t later = from.pending[i].next;
    const auto words = static_cast<std::uint32_t>(sentence_->target(sentence_->option(later)).size());
    GappyPlace to = from;
    if (!pass(to, words, i)) continue;
    double more = size_weight_ * sentence_->target_size(later, from.pending[i].gap) -
                  gap_weight_ * words * static_cast<double>(from.pending.size() - 1);
    if (settings_->order_features) more += score({0, static_cast<std::uint32_t>(from.pending.size() - 1 - i), false});
    PendingPhrase& own = to.pending[i];
    ++own.next;
    --own.runs;
    own.since = static_cast<std::uint16_t>(own.since + words);
    own.gap = 0;
    if (own.runs == 0) to.pending.erase(to.pending.begin() + static_cast<std::ptrdiff_t>(i));
    add_grid(first, last, later, 1, to, more);
  }
  const Coverage& coverage = from.coverage;
  const int limit = settings_->distortion.limit;
  const std::uint32_t length = sentence_->length();
  const std::uint32_t stop =
      limit < 0 ? length : std::min(length, coverage.first_gap + static_cast<std::uint32_t>(limit) + 1);
  for (std::uint32_t start = coverage.first_gap; start < stop; ++start) {
    if (coverage.covers(start)) continue;
    for (const GappyGroup& group : sentence_->groups_at(start)) {
      if (!coverage.admits(group.span, group.some) ||
          !features::within_limit(settings_->distortion, coverage, static_cast<int>(from.last_end), group.span))
        continue;
      if (group.later > 0 && from.pending.size() >= settings_->max_pending) continue;
      GappyPlace to = from;
      to.coverage = coverage.with(group.span, group.some);
      to.first_end = group.first_end;
      to.last_end = group.span.end;
      if (!pass(to, group.written, from.pending.size())) continue;
      if (group.later > 0) {
        if (group.written + sentence_->words_left(group.first_later) + group.later > settings_->max_target_span)
          continue;
        to.pending.push_back({group.first_later, group.later, group.written, 0});
      }
      open_gaps(to, group);
      const double more = -distortion_weight_ * jump(from, group.span.start) -
                          gap_weight_ * group.written * static_cast<double>(from.pending.size()) +
                          score(order(from, group));
      add_grid(first, last, group.first_option, group.options, to, more);
    }
  }
}

void GappySearch::add_grid(std::uint32_t first, std::uint32_t last, std::uint32_t option, std::uint32_t options,
                           const GappyPlace& place, double score) {
  grids_[stack_of(place)].push_back({first, last - first, option, options, intern(place), score});
}

void GappySearch::fill(std::size_t stack) {
  const std::vector<Grid>& grids = grids_[stack];
  recombination_.clear(settings_->pop_limit);
  merge_.run(
      static_cast<std::uint32_t>(grids.size()), {settings_->pop_limit},
      [&](std::uint32_t grid) { return CubeSize{grids[grid].nodes, grids[grid].options}; },
      [&](std::uint32_t grid, std::uint32_t row, std::uint32_t column) {
        const Grid& of = grids[grid];
        const NodeId id = make(kept_[of.first_node + row], of.first_option + column, of.place, of.score);
        return std::pair{nodes_[id].priority, id};
      },
      [&](NodeId id) { insert(id); });
  statistics_.queued += merge_.queued();
}

NodeId GappySearch::make(NodeId previous, std::uint32_t number, std::uint32_t place, double more) {
  ++statistics_.built;
  const auto id = static_cast<NodeId>(nodes_.size());
  states_.resize(states_.size() + width_);
  StateId* const to = states_.data() + id * width_;
  const Option& option = sentence_->option(number);
  const Node from = nodes_[previous];
  const double score =
      from.score + option.score + more + extender_->extend(states(previous), option, places_[from.place].coverage, to);
  double priority = score + future_of_[place];
  const GappyPlace& at = places_[place];
  if (at.coverage.first_gap == sentence_->length() && at.pending.empty()) {
    priority += extender_->finish(to);
    if (settings_->distortion.final_jump) priority -= distortion_weight_ * jump(at, sentence_->length());
  }
  nodes_.push_back({score, priority, previous, number, place, kNone});
  return id;
}

void GappySearch::insert(NodeId id) {
  if (settings_->recombine == GappySettings::Recombine::kNumber) return insert_by_number(id);
  const bool known = recombine(
      recombination_, nodes_, id, [this](NodeId node) { return nodes_[node].place; },
      [this](NodeId node) { return states(node); }, width_);
  statistics_.recombined += known ? 1 : 0;
}

// What is pending is only counted. The better of two partial translations stays; the other is an alternative to it only
// if the same runs are pending, for otherwise what follows the one would not complete the other.
void GappySearch::insert_by_number(NodeId id) {
  const GappyPlace& at = places_[nodes_[id].place];
  const StateId* const own = states(id);
  std::uint64_t hash = combine(combine(combine(at.coverage.hash(), at.first_end), at.last_end), at.pending.size());
  for (std::size_t i = 0; i < width_; ++i) hash = combine(hash, own[i]);
  NodeId& winner = recombination_.find(hash, id, [&](NodeId other) {
    const GappyPlace& there = places_[nodes_[other].place];
    return there.coverage == at.coverage && there.first_end == at.first_end && there.last_end == at.last_end &&
           there.pending.size() == at.pending.size() && std::equal(own, own + width_, states(other));
  });
  if (winner == id) return;
  ++statistics_.recombined;
  const bool alike = nodes_[winner].place == nodes_[id].place;
  if (nodes_[id].priority > nodes_[winner].priority) {
    nodes_[id].arc = alike ? winner : kNone;
    winner = id;
  } else if (alike) {
    nodes_[id].arc = nodes_[winner].arc;
    nodes_[winner].arc = id;
  }
}

void GappySearch::close(std::size_t stack) {
  const bool complete = stack + 1 == grids_.size();
  ranked_.clear();
  for (const auto& winner : recombination_.winners()) {
    const Node& node = nodes_[winner.node];
    ranked_.push_back({node.priority, complete ? 0 : node.place, winner.node});
  }
  statistics_.pruned += prune(ranked_, settings_->beam, settings_->threshold);
  std::sort(ranked_.begin(), ranked_.end(), RankedNode::by_bundle);
  for (const RankedNode& ranked : ranked_) kept_of_[stack].push_back(ranked.node);
  statistics_.kept += ranked_.size();
  grids_[stack].clear();
  if (complete) goals_ = kept_of_[stack];
}

double GappySearch::jump_of_step(NodeId id) const noexcept {
  const Node& node = nodes_[id];
  if (sentence_->is_later(node.option)) return 0;
  return jump(places_[nodes_[node.previous].place], sentence_->option(node.option).span.start);
}

std::uint32_t GappySearch::gap_words_of_step(NodeId id) const noexcept {
  const Node& node = nodes_[id];
  const auto open = static_cast<std::uint32_t>(places_[nodes_[node.previous].place].pending.size());
  const auto words = static_cast<std::uint32_t>(sentence_->target(sentence_->option(node.option)).size());
  return words * (sentence_->is_later(node.option) ? open - 1 : open);
}

GappyOrder GappySearch::order_of_step(NodeId id) const noexcept {
  const Node& node = nodes_[id];
  const GappyPlace& from = places_[nodes_[node.previous].place];
  if (!settings_->order_features) return {};
  if (!sentence_->is_later(node.option)) return order(from, sentence_->group_of(node.option));
  const auto own = std::ranges::find(from.pending, node.option, &PendingPhrase::next);
  return {0, static_cast<std::uint32_t>(from.pending.end() - own - 1), false};
}

double GappySearch::gap_size_of_step(NodeId id) const noexcept {
  const Node& node = nodes_[id];
  if (!sentence_->is_later(node.option)) return 0;
  const auto& pending = places_[nodes_[node.previous].place].pending;
  return sentence_->target_size(node.option, std::ranges::find(pending, node.option, &PendingPhrase::next)->gap);
}

double GappySearch::final_jump(NodeId id) const noexcept {
  return settings_->distortion.final_jump ? jump(places_[nodes_[id].place], sentence_->length()) : 0;
}

}  // namespace dragoman::search
