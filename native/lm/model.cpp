#include "lm/model.hpp"

#include <array>

#include "common/utf8.hpp"

namespace dragoman::lm {
namespace {

constexpr std::size_t kFirstLevel = 7, kSections = kFirstLevel + kMaxOrder - 1;

bool fits(std::uint64_t entries, std::uint64_t spare, std::uint64_t available) noexcept {
  return entries <= available && slots_for(entries, spare) <= available;
}

}  // namespace

struct Model::Parts {
  std::span<const std::uint32_t> ends;
  std::span<const char> letters;
  std::span<const WordEntry> table;
  std::span<const ArcBucket> arcs;
  std::span<const std::uint8_t> unigrams;
  std::span<const float> books;
  std::array<std::span<const std::uint8_t>, kMaxOrder - 1> levels;
};

void ModelImage::save(const std::filesystem::path& path) const {
  BinaryWriter writer(path, kLanguageModelFormat, kSections);
  writer.section(std::span<const ModelHeader>(&header, 1));
  writer.section(ends);
  writer.section(letters);
  writer.section(table);
  writer.section(arcs);
  writer.section(unigrams);
  writer.section(books);
  for (const auto& level : levels) writer.section(level);
  writer.finish();
}

Model Model::open(const std::filesystem::path& file) {
  const auto mapped = std::make_shared<const BinaryFile>(file, kLanguageModelFormat, kSections);
  Model model;
  const auto header = mapped->section<ModelHeader>(0);
  mapped->require(header.size() == 1, "no header");
  model.header_ = header[0];
  Parts parts{mapped->section<std::uint32_t>(1),
              mapped->section<char>(2),
              mapped->section<WordEntry>(3),
              mapped->section<ArcBucket>(4),
              mapped->section<std::uint8_t>(5),
              mapped->section<float>(6),
              {}};
  for (std::size_t i = 0; i < parts.levels.size(); ++i)
    parts.levels[i] = mapped->section<std::uint8_t>(kFirstLevel + i);
  model.attach(parts, file.string());
  model.bytes_ = mapped->bytes();
  model.path_ = file;
  model.owner_ = mapped;
  return model;
}

Model::Model(ModelImage image) {
  const auto kept = std::make_shared<const ModelImage>(std::move(image));
  header_ = kept->header;
  Parts parts{kept->ends, kept->letters, kept->table, kept->arcs, kept->unigrams, kept->books, {}};
  bytes_ = sizeof(ModelHeader) + parts.ends.size_bytes() + parts.letters.size() + parts.table.size_bytes() +
           parts.arcs.size_bytes() + parts.unigrams.size() + parts.books.size_bytes();
  for (std::size_t i = 0; i < parts.levels.size(); ++i) {
    parts.levels[i] = kept->levels[i];
    bytes_ += parts.levels[i].size();
  }
  attach(parts, "the model");
  image_ = kept.get();
  owner_ = kept;
}

// Checks sizes and the vocabulary: offsets and ids inside the other sections are checked where they are used, so that
// opening never reads the whole file.
void Model::attach(const Parts& parts, const std::string& name) {
  const auto require = [&](bool fact, const char* what) {
    if (!fact) throw FormatError(std::string("damaged: ") + what, name, "build it again");
  };
  require(header_.order >= 1 && header_.order <= kMaxOrder, "impossible order");
  require(header_.layout == Layout::hashed || header_.layout == Layout::compact, "unknown layout");
  const std::uint64_t words = header_.counts[0];
  require(words >= 1 && words == parts.ends.size() && words < ~WordId{0}, "vocabulary size");
  require(fits(words, kWordSpare, parts.table.size()), "vocabulary table");
  require(header_.begin < words && header_.end < words, "sentence marks");
  std::uint64_t previous = 0;
  for (const std::uint32_t end : parts.ends) {
    require(end >= previous && end <= parts.letters.size(), "vocabulary offsets");
    require(is_utf8({parts.letters.data() + previous, end - previous}), "a word is not UTF-8");
    previous = end;
  }
  words_ = WordTable(header_.seed, parts.ends, parts.letters, parts.table);
  const int top = order();
  if (header_.layout == Layout::hashed) {
    require(header_.key_bits >= 2 && header_.key_bits <= 62, "width of keys");
    require(parts.arcs.size() * kBucketArcs >= words && parts.arcs.size() < std::uint64_t{1} << 28, "n-gram table");
    hashed_ = Hashed(top, words, static_cast<int>(header_.key_bits), parts.arcs, {header_.regions, header_.order});
    return;
  }
  const auto usable = [](std::uint32_t bits) { return bits == kExactBits || (bits >= 2 && bits <= 16); };
  require(usable(header_.logprob_bits) && usable(header_.backoff_bits), "quantisation");
  require(parts.unigrams.size() == (words + 1) * sizeof(CompactUnigram), "unigrams");
  compact_ = Compact(top, {reinterpret_cast<const CompactUnigram*>(parts.unigrams.data()), words + 1});
  std::size_t book = 0;
  const auto next_book = [&](std::uint32_t bits) -> std::span<const float> {
    if (bits == kExactBits) return {};
    const std::size_t size = std::size_t{1} << bits;
    require(parts.books.size() - book >= size, "code books");
    book += size;
    return parts.books.subspan(book - size, size);
  };
  for (int n = 2; n <= top; ++n) {
    const auto level = parts.levels[static_cast<std::size_t>(n) - 2];
    const std::uint64_t count = header_.counts[n - 1];
    require(count <= std::uint64_t{1} << 48, "n-gram level");
    const LevelFormat format =
        level_format(n, counts(), static_cast<int>(header_.logprob_bits), static_cast<int>(header_.backoff_bits));
    require(level.size() == format.bytes(count) && format.child_bits <= 56, "n-gram level");
    const auto logprobs = next_book(header_.logprob_bits);
    const auto backoffs = n < top ? next_book(header_.backoff_bits) : std::span<const float>();
    compact_.set_level(n, {level.data(), count, format, logprobs, backoffs});
  }
}

void Model::save(const std::filesystem::path& path) const {
  if (image_ != nullptr) return image_->save(path);
  std::error_code failed;
  if (std::filesystem::equivalent(path, path_, failed)) return;
  const MappedFile from(path_);
  OutputFile to(path, Durability::kDurable);
  to.write(from.bytes().data(), from.bytes().size());
  to.finish();
}

std::vector<WordId> Model::map_words(const VocabularyView& others) const {
  std::vector<WordId> ids(others.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = id(others.word(static_cast<WordId>(i)));
  return ids;
}

State Model::begin_state() const noexcept {
  if (header_.begin == kUnknown) return {};
  return with_tables([&](const auto& tables) { return tables.after(header_.begin); });
}

}  // namespace dragoman::lm
