#include "features/sequence.hpp"

#include <algorithm>

#include "common/vocabulary.hpp"
#include "grammar/bitext.hpp"

namespace dragoman::features {
namespace {

constexpr std::uint32_t kUnread = ~std::uint32_t{0};

// The source words that a target position is linked to. Links are sorted by source.
template <typename Link>
void linked_words(std::span<const Link> links, std::size_t target, std::span<const std::string_view> source,
                  std::vector<std::string_view>& found) {
  found.clear();
  for (const Link& link : links)
    if (link.target == target && link.source < source.size()) found.push_back(source[link.source]);
}

}  // namespace

void write_pair(std::string_view target, std::span<const std::string_view> source, std::string& out) {
  out.append(target);
  for (const std::string_view word : source) out.append("|").append(word);
}

std::string paired_words(std::string_view source, std::string_view target, std::string_view links,
                         const std::string& where) {
  std::vector<std::string_view> source_words, target_words, linked;
  for_each_token(source, [&](std::string_view word) { source_words.push_back(word); });
  for_each_token(target, [&](std::string_view word) { target_words.push_back(word); });
  std::vector<grammar::SentenceLink> read;
  grammar::parse_links(links, where, read);
  std::ranges::sort(read);
  for (const grammar::SentenceLink& link : read)
    if (link.source >= source_words.size() || link.target >= target_words.size())
      throw InputError("link " + std::to_string(link.source) + "-" + std::to_string(link.target) + " points outside",
                       where, "does the alignment belong to these files?");
  std::string line;
  for (std::size_t at = 0; at < target_words.size(); ++at) {
    if (at > 0) line.push_back(' ');
    linked_words<grammar::SentenceLink>(read, at, source_words, linked);
    write_pair(target_words[at], linked, line);
  }
  return line;
}

void SequenceFeature::begin(const SentenceView& sentence, std::span<const OptionView> options) {
  sentence_ = &sentence;
  phrases_.assign(options.size(), {kUnread, 0});
  words_.clear();
  states_.clear();
}

std::span<const WordId> SequenceFeature::phrase(const OptionView& option) {
  if (phrases_.size() <= option.id) phrases_.resize(option.id + 1, {kUnread, 0});
  auto& [begin, end] = phrases_[option.id];
  if (begin == kUnread) {
    begin = static_cast<std::uint32_t>(words_.size());
    spelt_.clear();
    sentence_->spell_source(option, spelt_);
    const std::span<const grammar::Link> links = sentence_->links(option);
    for (std::size_t at = 0; at < option.target.size(); ++at) {
      linked_words(links, at, spelt_, linked_);
      pair_.clear();
      write_pair(sentence_->spell_target(option.target[at]), linked_, pair_);
      words_.push_back(use_.model->id(pair_));
    }
    end = static_cast<std::uint32_t>(words_.size());
  }
  return std::span(words_).subspan(begin, end - begin);
}

StateId SequenceFeature::extend(StateId from, const OptionView& option, Fire& fire) {
  lm::State after;
  fire(use_.feature, use_.model->score_phrase(states_[from], phrase(option), after));
  return intern(after);
}

void SequenceFeature::finish(StateId from, Fire& fire) { fire(use_.feature, use_.model->score_end(states_[from])); }

double SequenceFeature::isolated(const OptionView& option) {
  const std::span<const double> weights = sentence_->weights();
  const double weight = use_.feature < weights.size() ? weights[use_.feature] : 0;
  if (weight == 0) return 0;
  lm::State after;
  return weight * use_.model->score_phrase(lm::State{}, phrase(option), after);
}

}  // namespace dragoman::features
