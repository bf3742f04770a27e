#include "forest/forest_file.hpp"

#include <cstring>
#include <limits>

#include "forest/combine.hpp"

namespace dragoman::forest {
namespace {

constexpr std::size_t kSections = 2 + 2 * VocabularyView::kSections;

// A forest begins with these sizes; its arrays follow, each padded to eight bytes.
struct Counts {
  std::uint32_t nodes, coverage_words, edges, tails, symbols, features, links, source;
};

template <typename T>
std::uint64_t padded(std::span<const T> values) {
  return (values.size_bytes() + 7) / 8 * 8;
}

// Takes arrays off the front of a forest's bytes.
class Cursor {
 public:
  Cursor(const BinaryFile& file, std::span<const std::byte> bytes) : file_(file), bytes_(bytes) {}

  template <typename T>
  std::vector<T> take(std::uint64_t count) {
    const std::uint64_t left = bytes_.size() - position_;
    file_.require(count <= left / sizeof(T), "a forest is larger than its place");
    std::vector<T> values(count);
    if (count != 0) std::memcpy(values.data(), bytes_.data() + position_, count * sizeof(T));
    const std::uint64_t step = (count * sizeof(T) + 7) / 8 * 8;
    file_.require(step <= left, "a forest is larger than its place");
    position_ += step;
    return values;
  }
  template <typename T>
  Rows<T> take_rows(std::uint64_t rows, std::uint64_t count) {
    const std::vector<std::uint32_t> starts = take<std::uint32_t>(rows + 1);
    const std::vector<T> values = take<T>(count);
    file_.require(starts.front() == 0 && starts.back() == count, "rows of a forest do not fit its arrays");
    Rows<T> result;
    result.reserve(rows, count);
    for (std::size_t row = 0; row < rows; ++row) {
      file_.require(starts[row] <= starts[row + 1] && starts[row + 1] <= count, "rows of a forest are out of order");
      result.push_back({values.data() + starts[row], static_cast<std::size_t>(starts[row + 1] - starts[row])});
    }
    return result;
  }
  [[nodiscard]] bool at_end() const noexcept { return position_ == bytes_.size(); }

 private:
  const BinaryFile& file_;
  std::span<const std::byte> bytes_;
  std::uint64_t position_ = 0;
};

}  // namespace

ForestWriter::ForestWriter(const std::filesystem::path& path) : writer_(path, kForestFormat, kSections) {
  writer_.begin(1);
}

void ForestWriter::add(const Forest& original, VocabularyView words, VocabularyView features,
                       std::span<const std::string_view> source) {
  const Forest forest = renamed(original, words, words_, features, features_);
  std::vector<WordId> tokens;
  for (const std::string_view token : source) tokens.push_back(words_.intern(token));
  const Structure& parts = forest.structure();
  const auto narrow = [](std::size_t size) { return static_cast<std::uint32_t>(size); };
  const Counts counts{narrow(forest.nodes()),
                      parts.coverage_words,
                      narrow(forest.edges()),
                      narrow(parts.tails.values().size()),
                      narrow(parts.targets.values().size()),
                      narrow(parts.features.values().size()),
                      narrow(parts.links.values().size()),
                      narrow(tokens.size())};
  const auto put = [&]<typename T>(std::span<const T> values) {
    static constexpr std::uint64_t zeros = 0;
    writer_.append(values);
    writer_.append(&zeros, padded(values) - values.size_bytes());
    position_ += padded(values);
  };
  const auto put_rows = [&]<typename T>(const Rows<T>& rows) {
    put(rows.starts());
    put(rows.values());
  };
  put(std::span<const Counts>(&counts, 1));
  put(std::span<const NodeLabel>(parts.labels));
  put(std::span<const std::uint64_t>(parts.coverage));
  put(std::span<const NodeId>(parts.heads));
  put_rows(parts.tails);
  put(std::span<const RuleId>(parts.rules));
  put(std::span<const SourceSpan>(parts.spans));
  put_rows(parts.targets);
  put_rows(parts.features);
  put(std::span<const double>(parts.values));
  put_rows(parts.links);
  put(forest.scores());
  put(std::span<const WordId>(tokens));
  ends_.push_back(position_);
}

void ForestWriter::finish() {
  writer_.section(ends_);
  words_.view().write(writer_);
  features_.view().write(writer_);
  writer_.finish();
}

ForestFile::ForestFile(const std::filesystem::path& path)
    : file_(path, kForestFormat, kSections),
      bytes_(file_.section<std::byte>(0)),
      ends_(file_.section<std::uint64_t>(1)),
      words_(VocabularyView::read(file_, 2)),
      features_(VocabularyView::read(file_, 2 + VocabularyView::kSections)) {
  std::uint64_t before = 0;
  for (const std::uint64_t end : ends_) {
    file_.require(end >= before && end <= bytes_.size(), "forests lie outside the file");
    before = end;
  }
  file_.require(before == bytes_.size(), "bytes that belong to no forest");
}

Forest ForestFile::forest(std::size_t index, std::vector<WordId>& source) const {
  const std::uint64_t start = index == 0 ? 0 : ends_[index - 1];
  Cursor cursor(file_, bytes_.subspan(start, ends_[index] - start));
  const Counts counts = cursor.take<Counts>(1)[0];
  auto parts = std::make_shared<Structure>();
  parts->labels = cursor.take<NodeLabel>(counts.nodes);
  parts->coverage_words = counts.coverage_words;
  parts->coverage = cursor.take<std::uint64_t>(std::uint64_t{counts.nodes} * counts.coverage_words);
  parts->heads = cursor.take<NodeId>(counts.edges);
  parts->tails = cursor.take_rows<NodeId>(counts.edges, counts.tails);
  parts->rules = cursor.take<RuleId>(counts.edges);
  parts->spans = cursor.take<SourceSpan>(counts.edges);
  parts->targets = cursor.take_rows<WordId>(counts.edges, counts.symbols);
  parts->features = cursor.take_rows<FeatureId>(counts.edges, counts.features);
  parts->values = cursor.take<double>(counts.features);
  parts->links = cursor.take_rows<Link>(counts.edges, counts.links);
  std::vector<double> scores = cursor.take<double>(counts.edges);
  source = cursor.take<WordId>(counts.source);
  file_.require(cursor.at_end(), "a forest is smaller than its place");

  for (const WordId word : source) file_.require(word < words_.size(), "a source word is unknown");
  for (const WordId symbol : parts->targets.values())
    file_.require(is_tail(symbol) || symbol < words_.size(), "a target word is unknown");
  for (const FeatureId id : parts->features.values()) file_.require(id < features_.size(), "a feature is unknown");
  parts->first_edge.assign(std::size_t{counts.nodes} + 1, 0);
  const Forest forest(parts, std::move(scores));
  for (EdgeId edge = 0; edge < counts.edges; ++edge) {
    const NewEdge parts_of_edge = forest.edge(edge);
    const char* problem = edge_problem(parts_of_edge, counts.nodes);
    if (problem != nullptr) file_.require(false, problem);
    file_.require(edge == 0 || parts->heads[edge - 1] <= parts_of_edge.head, "edges are not sorted by head");
    for (const NodeId tail : parts_of_edge.tails)
      file_.require(tail < parts_of_edge.head, "a tail does not come before its head");
    ++parts->first_edge[parts_of_edge.head + 1];
  }
  for (std::size_t node = 0; node < counts.nodes; ++node) {
    file_.require(parts->first_edge[node + 1] != 0, "a node has no edge");
    parts->first_edge[node + 1] += parts->first_edge[node];
  }
  return forest;
}

}  // namespace dragoman::forest
