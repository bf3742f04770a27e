#include "grammar/bitext.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace dragoman::grammar {
namespace {

constexpr BinaryFormat kFormat{"BTXT", 4};

template <typename T>
std::vector<T> copied(const BinaryFile& file, std::size_t section) {
  const auto values = file.section<T>(section);
  return {values.begin(), values.end()};
}

}  // namespace

void parse_links(std::string_view line, const std::string& where, std::vector<SentenceLink>& links) {
  links.clear();
  for_each_token(line, [&](std::string_view token) {
    const char* const end = token.data() + token.size();
    unsigned source = 0, target = 0;
    auto [dash, first] = std::from_chars(token.data(), end, source);
    bool fine = first == std::errc{} && dash != end && *dash == '-';
    if (fine) {
      const auto [rest, second] = std::from_chars(dash + 1, end, target);
      fine = second == std::errc{} && rest == end;
    }
    if (!fine)
      throw FormatError("'" + std::string(token.substr(0, 40)) + "' is not a link", where,
                        "write links as source-target, from 0, such as 0-0 1-2");
    if (source >= kLongestSentence || target >= kLongestSentence)
      throw InputError("link " + std::string(token) + " lies outside any sentence", where,
                       "does the alignment belong to these files?");
    links.push_back({static_cast<std::uint16_t>(source), static_cast<std::uint16_t>(target)});
  });
}

Skipped Bitext::add(std::span<const WordId> source, std::span<const WordId> target, std::vector<SentenceLink>& links,
                    std::uint32_t domains, int longest, const std::string& where) {
  for (const SentenceLink link : links) {
    const bool source_outside = link.source >= source.size();
    if (source_outside || link.target >= target.size())
      throw InputError("link " + std::to_string(link.source) + "-" + std::to_string(link.target) + " points outside: " +
                           (source_outside ? "the source has " + std::to_string(source.size())
                                           : "the target has " + std::to_string(target.size())) +
                           " tokens",
                       where, "does the alignment belong to these files?");
  }
  const auto limit = static_cast<std::size_t>(std::min(longest, kLongestSentence));
  const Skipped why = source.empty()                                   ? Skipped::kEmptySource
                      : target.empty()                                 ? Skipped::kEmptyTarget
                      : std::max(source.size(), target.size()) > limit ? Skipped::kTooLong
                      : links.empty()                                  ? Skipped::kNoLinks
                                                                       : Skipped::kNo;
  if (why == Skipped::kNo || why == Skipped::kNoLinks) {
    std::sort(links.begin(), links.end());
    links.erase(std::unique(links.begin(), links.end()), links.end());
    source_.insert(source_.end(), source.begin(), source.end());
    target_.insert(target_.end(), target.begin(), target.end());
    links_.insert(links_.end(), links.begin(), links.end());
  }
  source_ends_.push_back(source_.size());
  target_ends_.push_back(target_.size());
  link_ends_.push_back(links_.size());
  head_ends_.push_back(heads_.size());
  label_ends_.push_back(labels_.size());
  domains_.push_back(domains);
  return why;
}

SentencePair Bitext::operator[](std::size_t i) const noexcept {
  const auto piece = [i](const auto& values, const std::vector<std::uint64_t>& ends) {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    return std::span(values).subspan(begin, ends[i] - begin);
  };
  return {piece(source_, source_ends_), piece(target_, target_ends_), piece(links_, link_ends_),
          piece(heads_, head_ends_), piece(labels_, label_ends_)};
}

void Bitext::set_tree(std::span<const std::int32_t> heads) {
  heads_.insert(heads_.end(), heads.begin(), heads.end());
  head_ends_.back() = heads_.size();
}

void Bitext::set_labels(std::span<const StretchLabel> labels) {
  labels_.insert(labels_.end(), labels.begin(), labels.end());
  label_ends_.back() = labels_.size();
}

void Bitext::renumber(std::span<const WordId> source_ids, std::span<const WordId> target_ids) {
  const auto apply = [](std::vector<WordId>& words, std::span<const WordId> ids) {
    for (WordId& word : words) {
      if (word >= ids.size()) throw InputError("a word that the vocabulary does not have");
      word = ids[word];
    }
  };
  apply(source_, source_ids);
  apply(target_, target_ids);
}

void Bitext::save(const std::filesystem::path& path) const {
  BinaryWriter writer(path, kFormat, 12, 0, Durability::kScratch);
  writer.section(std::vector<std::uint64_t>{first_line_});
  writer.section(source_);
  writer.section(source_ends_);
  writer.section(target_);
  writer.section(target_ends_);
  writer.section(links_);
  writer.section(link_ends_);
  writer.section(domains_);
  writer.section(heads_);
  writer.section(head_ends_);
  writer.section(labels_);
  writer.section(label_ends_);
  writer.finish();
}

Bitext Bitext::load(const std::filesystem::path& path) {
  const BinaryFile file(path, kFormat, 12);
  const auto first = file.section<std::uint64_t>(0);
  file.require(first.size() == 1, "first line");
  Bitext bitext(first[0]);
  bitext.source_ = copied<WordId>(file, 1);
  bitext.source_ends_ = copied<std::uint64_t>(file, 2);
  bitext.target_ = copied<WordId>(file, 3);
  bitext.target_ends_ = copied<std::uint64_t>(file, 4);
  bitext.links_ = copied<SentenceLink>(file, 5);
  bitext.link_ends_ = copied<std::uint64_t>(file, 6);
  bitext.domains_ = copied<std::uint32_t>(file, 7);
  bitext.heads_ = copied<std::int32_t>(file, 8);
  bitext.head_ends_ = copied<std::uint64_t>(file, 9);
  bitext.labels_ = copied<StretchLabel>(file, 10);
  bitext.label_ends_ = copied<std::uint64_t>(file, 11);
  const std::size_t size = bitext.source_ends_.size();
  file.require(bitext.target_ends_.size() == size && bitext.link_ends_.size() == size &&
                   bitext.domains_.size() == size && bitext.head_ends_.size() == size &&
                   bitext.label_ends_.size() == size,
               "sentence counts differ");
  const auto check = [&](const std::vector<std::uint64_t>& ends, std::size_t items) {
    file.require(std::is_sorted(ends.begin(), ends.end()) && (ends.empty() || ends.back() <= items), "sentence ends");
  };
  check(bitext.source_ends_, bitext.source_.size());
  check(bitext.target_ends_, bitext.target_.size());
  check(bitext.link_ends_, bitext.links_.size());
  check(bitext.head_ends_, bitext.heads_.size());
  check(bitext.label_ends_, bitext.labels_.size());
  for (std::size_t i = 0; i < size; ++i) {
    const SentencePair pair = bitext[i];
    for (const SentenceLink link : pair.links)
      file.require(link.source < pair.source.size() && link.target < pair.target.size(), "links");
    file.require(
        pair.heads.empty() || pair.heads.size() == pair.source.size() || pair.heads.size() == pair.target.size(),
        "heads");
    for (const std::int32_t head : pair.heads)
      file.require(head < static_cast<std::int64_t>(pair.heads.size()), "heads");
  }
  return bitext;
}

Renumbering in_byte_order(VocabularyView words) {
  std::vector<WordId> order(words.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin() + 1, order.end(), [&](WordId a, WordId b) { return words.word(a) < words.word(b); });
  Renumbering result;
  result.ids.resize(words.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    result.ids[order[i]] = i == 0 ? kUnknown : result.words.intern(words.word(order[i]));
  return result;
}

}  // namespace dragoman::grammar
