#include "search/left_to_right_space.hpp"

#include <algorithm>

namespace dragoman::search {

bool LeftToRightSpaceWriter::add_piece(LeftToRightSentence& sentence, std::uint32_t offset, FeatureId height,
                                       double height_weight, const SpaceLimits& limits) {
  sentence_ = &sentence;
  offset_ = offset;
  height_ = height;
  height_weight_ = height_weight;
  watch_.begin(limits);
  const std::uint32_t length = sentence.length();
  const forest::NodeId goal = add_goal(offset, length);
  if (length == 0) return true;
  find_spans();
  for (const auto& spans : spans_)
    for (const Span span : spans) expand(span);
  const Heights& whole = nodes({0, static_cast<std::uint16_t>(length)});
  for (const auto& [unused, node] : whole) {
    tails_.assign(1, node);
    target_.assign(1, forest::tail_symbol(0));
    links_.clear();
    values_.clear();
    forest::NewEdge edge;
    edge.head = goal;
    add_edge(edge);
  }
  return !whole.empty();
}

// From the sentence down: what is left open by something that may be done to a span that is found.
void LeftToRightSpaceWriter::find_spans() {
  const auto length = static_cast<std::uint16_t>(sentence_->length());
  nodes_.assign(std::size_t{length} * (length + 1u), {});
  spans_.assign(length + 1u, {});
  std::vector<bool> found(nodes_.size());
  std::vector<Span> open{{0, length}};
  while (!open.empty()) {
    const Span span = open.back();
    open.pop_back();
    spans_[static_cast<std::size_t>(span.end - span.start)].push_back(span);
    const auto [from, to] = sentence_->applications(span);
    watch_.check(to);
    for (std::uint32_t number = from; number < to; ++number)
      for (const Span part : sentence_->parts(sentence_->application(number))) {
        const std::size_t at = std::size_t{part.start} * (length + 1u) + part.end;
        if (!found[at]) open.push_back(part);
        found[at] = true;
      }
  }
}

void LeftToRightSpaceWriter::expand(Span span) {
  const auto [from, to] = sentence_->applications(span);
  for (std::uint32_t number = from; number < to; ++number) {
    const Application& application = sentence_->application(number);
    if (application.made_up) continue;
    watch_.check(edges_);
    tails_.clear();
    choose(application, 0, 0, 0);
  }
}

void LeftToRightSpaceWriter::choose(const Application& application, std::size_t part, std::uint32_t highest,
                                    double measured) {
  if (part == application.arity) return add_options(application, highest + 1, measured);
  for (const auto& [height, node] : nodes(sentence_->parts(application)[part])) {
    tails_.push_back(node);
    choose(application, part + 1, std::max(highest, height),
           part + 1u < application.arity ? measured + height : measured);
    tails_.pop_back();
  }
}

void LeftToRightSpaceWriter::add_options(const Application& application, std::uint32_t height, double measured) {
  const Span span = application.span;
  const auto width = static_cast<std::uint32_t>(span.end - span.start);
  const std::uint32_t key = height_ == kNoFeature ? 0 : height;
  const auto [place, fresh] = nodes(span).try_emplace(key, 0);
  if (fresh) place->second = builder_.add_node({offset_ + span.start, offset_ + span.end, width, key});
  for (std::uint32_t number = 0; number < application.options; ++number) {
    const Option& option = sentence_->options()[application.first_option + number];
    target_.clear();
    for (const WordId word : sentence_->target(option))
      target_.push_back(words_->intern(sentence_->spell_target(word)));
    for (std::size_t i = 0; i < application.arity; ++i) target_.push_back(forest::tail_symbol(i));
    sentence_->links_of(application, option, links_);
    values_.clear();
    sentence_->option_values(option, kNoFeature, values_);
    values_.emplace_back(sentence_->penalty(application), 1);
    sentence_->application_values(application, values_);
    if (key != 0 && measured != 0) values_.emplace_back(height_, measured);
    forest::NewEdge edge;
    edge.head = place->second;
    edge.rule = option.rule;
    edge.span = {offset_ + span.start, offset_ + span.end};
    edge.score = option.score + application.score + (key != 0 ? height_weight_ * measured : 0);
    add_edge(edge);
    ++edges_;
  }
}

}  // namespace dragoman::search
