#include "lm/bounds.hpp"

#include <algorithm>

namespace dragoman::lm {
namespace {

constexpr std::uint64_t kBoundSpare = 5;
constexpr std::size_t kBoundsSections =
    2 * kMaxOrder - 1;  // a header, and values and words of orders 1 to kMaxOrder - 1

// One direction: `Better` compares, so that the maximum and the minimum are the same code.
template <typename Better>
class Pass {
 public:
  Pass(const ClosedNgrams& ngrams, const std::vector<std::vector<Found>>& values, Better better)
      : ngrams_(ngrams), values_(values), better_(better) {}

  void run() {
    const int top = ngrams_.order();
    slack.resize(static_cast<std::size_t>(top) + 1);
    bound.resize(static_cast<std::size_t>(top) + 1);
    for (int n = top; n >= 1; --n) {
      slack[static_cast<std::size_t>(n)].assign(level(n).size(), 0.0);
      bound[static_cast<std::size_t>(n)].resize(level(n).size());
    }
    // The longest n-grams are no contexts and cannot be extended.
    for (std::size_t i = 0; i < level(top).size(); ++i) bound[static_cast<std::size_t>(top)][i] = value(top, i).logprob;
    for (int n = top - 1; n >= 1; --n) {
      slacks(n);
      bounds(n);
    }
  }

  std::vector<std::vector<double>> slack, bound;  // by order, then entry

 private:
  struct Extension {
    double gain;  // back-off weight and slack of the longer context
    WordId oldest;
  };

  [[nodiscard]] const ClosedNgrams::Level& level(int n) const {
    return ngrams_.levels[static_cast<std::size_t>(n) - 1];
  }
  [[nodiscard]] const Found& value(int n, std::size_t i) const { return values_[static_cast<std::size_t>(n) - 1][i]; }
  void improve(double& current, double candidate) const {
    if (better_(candidate, current)) current = candidate;
  }
  [[nodiscard]] double gain(int n, std::size_t i) const {
    return static_cast<double>(value(n, i).backoff) + slack[static_cast<std::size_t>(n)][i];
  }
  [[nodiscard]] std::uint32_t suffix(int n, std::size_t i) const {
    const auto ngram = ngrams_.ngram(n, i);
    return level(n - 1).entry(ngram.first(ngram.size() - 1));
  }

  // m(Z) = best of 1 and, over all xZ, b(xZ) m(xZ); contexts have at most order - 1 words.
  void slacks(int n) {
    if (n + 1 >= ngrams_.order()) return;
    for (std::size_t i = 0; i < level(n + 1).size(); ++i)
      improve(slack[static_cast<std::size_t>(n)][suffix(n + 1, i)], gain(n + 1, i));
  }

  // q(Pz) = best of p(z|P), of q(xPz) where xPz is listed, and of p(z|P) b(xP) m(xP) where xP is listed and xPz is not.
  void bounds(int n) {
    auto& q = bound[static_cast<std::size_t>(n)];
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = value(n, i).logprob;
    for (std::size_t i = 0; i < level(n + 1).size(); ++i)
      improve(q[suffix(n + 1, i)], bound[static_cast<std::size_t>(n) + 1][i]);
    // For each context P its longer forms xP, best first: the walk below passes over an xP only because xPz is listed,
    // so that all walks together are no longer than the list of n-grams.
    const std::size_t contexts = n == 1 ? 1 : level(n - 1).size();
    std::vector<std::size_t> starts(contexts + 1);
    std::vector<Extension> extensions(level(n).size());
    const auto context_of_extension = [&](std::size_t i) -> std::size_t { return n == 1 ? 0 : suffix(n, i); };
    for (std::size_t i = 0; i < level(n).size(); ++i) ++starts[context_of_extension(i) + 1];
    for (std::size_t c = 0; c < contexts; ++c) starts[c + 1] += starts[c];
    std::vector<std::size_t> fill(starts.begin(), starts.end() - 1);
    for (std::size_t i = 0; i < level(n).size(); ++i)
      extensions[fill[context_of_extension(i)]++] = {gain(n, i), ngrams_.ngram(n, i).back()};
    for (std::size_t c = 0; c < contexts; ++c)
      std::sort(extensions.begin() + static_cast<std::ptrdiff_t>(starts[c]),
                extensions.begin() + static_cast<std::ptrdiff_t>(starts[c + 1]),
                [&](const Extension& a, const Extension& b) {
                  return a.gain != b.gain ? better_(a.gain, b.gain) : a.oldest < b.oldest;
                });
    for (std::size_t i = 0; i < q.size(); ++i) {
      const auto ngram = ngrams_.ngram(n, i);
      const std::size_t context = n == 1 ? 0 : level(n - 1).entry(ngram.subspan(1));
      WordId longer[kMaxOrder];
      std::copy(ngram.begin(), ngram.end(), longer);
      const double logprob = value(n, i).logprob;
      for (std::size_t e = starts[context]; e < starts[context + 1]; ++e) {
        const double candidate = logprob + extensions[e].gain;
        if (!better_(candidate, q[i])) break;
        longer[n] = extensions[e].oldest;
        if (!level(n + 1).ngrams.find({longer, static_cast<std::size_t>(n) + 1})) {
          q[i] = candidate;
          break;
        }
      }
    }
  }

  const ClosedNgrams& ngrams_;
  const std::vector<std::vector<Found>>& values_;
  Better better_;
};

// The values that queries will see: those of the list as 32-bit floats, or what quantisation made of them.
std::vector<std::vector<Found>> stored_values(const ClosedNgrams& ngrams, const Model& model) {
  const auto refuse = [] {
    throw InputError("the model does not have the n-grams of this list", "", "build it from the same list");
  };
  const auto counts = model.counts();
  if (ngrams.levels.size() != counts.size()) refuse();
  if (model.header().layout == Layout::hashed && fingerprint(ngrams) != model.header().fingerprint) refuse();
  std::vector<std::vector<Found>> values(ngrams.levels.size());
  for (int n = 1; n <= ngrams.order(); ++n) {
    const auto at = static_cast<std::size_t>(n) - 1;
    const auto& level = ngrams.levels[at];
    if (level.size() != counts[at]) refuse();
    values[at].resize(level.size());
    for (std::size_t i = 0; i < level.size(); ++i) {
      values[at][i] = {level.logprob[i], level.backoff[i], level.extends_left[i] != 0};
      const auto ngram = ngrams.ngram(n, i);
      model.with_tables([&](const auto& tables) {
        if constexpr (std::is_same_v<std::decay_t<decltype(tables)>, Compact>) {
          Node node = tables.start(ngram[0], values[at][i]);
          for (int k = 2; k <= n; ++k)
            if (!tables.extend(k, node, ngram[static_cast<std::size_t>(k) - 1], values[at][i])) refuse();
        }
      });
    }
  }
  return values;
}

std::uint64_t key_of_ngram(std::span<const WordId> newest_first) noexcept {
  return usable_key(hash_bytes(newest_first.data(), newest_first.size_bytes()));
}

struct Image {
  std::vector<std::uint64_t> header;
  std::vector<std::vector<BoundEntry>> entries;
  std::vector<std::vector<WordId>> words;
};

}  // namespace

Bounds Bounds::of(const ClosedNgrams& ngrams, const Model& model) {
  const int top = ngrams.order();
  const auto values = stored_values(ngrams, model);
  Pass upper(ngrams, values, [](double a, double b) { return a > b; });
  Pass lower(ngrams, values, [](double a, double b) { return a < b; });
  upper.run();
  lower.run();
  const auto image = std::make_shared<Image>();
  image->header = {model.header().fingerprint, static_cast<std::uint64_t>(top)};
  for (int n = 1; n < top; ++n) {
    const auto& level = ngrams.levels[static_cast<std::size_t>(n) - 1];
    std::vector<BoundEntry> entries(level.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto at = static_cast<std::size_t>(n);
      entries[i] = {key_of_ngram(ngrams.ngram(n, i)), upper.bound[at][i], lower.bound[at][i], upper.slack[at][i],
                    lower.slack[at][i]};
    }
    image->header.push_back(entries.size());
    std::vector<std::uint32_t> slots;
    image->entries.push_back(lay_out<BoundEntry>(entries, {kFreeKey, 0, 0, 0, 0}, kBoundSpare, slots));
    auto& words = image->words.emplace_back(image->entries.back().size() * static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < slots.size(); ++i)
      std::ranges::copy(ngrams.ngram(n, i), words.begin() + static_cast<std::ptrdiff_t>(slots[i]) * n);
  }
  Bounds bounds;
  std::vector<Table> tables;
  for (std::size_t i = 0; i < image->entries.size(); ++i) tables.push_back({image->entries[i], image->words[i]});
  bounds.attach(image->header, tables, "the bounds");
  bounds.owner_ = image;
  return bounds;
}

void Bounds::attach(std::span<const std::uint64_t> header, std::span<const Table> tables, const std::string& name) {
  const auto require = [&](bool fact) {
    if (!fact) throw FormatError("damaged: sizes do not fit", name, "build it again");
  };
  require(header.size() >= 2 && header[1] >= 1 && header[1] <= kMaxOrder && header.size() == header[1] + 1);
  require(tables.size() + 1 >= header[1]);
  header_.assign(header.begin(), header.end());
  for (std::size_t n = 1; n < header[1]; ++n) {
    const Table table = tables[n - 1];
    require(header[n + 1] <= table.entries.size() && slots_for(header[n + 1], kBoundSpare) <= table.entries.size());
    require(table.words.size() == table.entries.size() * n);
    places_.emplace_back(table.entries, slots_for(header[n + 1], kBoundSpare));
    tables_.push_back(table);
    bytes_ += table.entries.size_bytes() + table.words.size_bytes();
  }
}

Bounds Bounds::open(const std::filesystem::path& file, const Model& model) {
  const auto mapped = std::make_shared<const BinaryFile>(file, kBoundsFormat, kBoundsSections);
  std::vector<Table> tables;
  for (std::size_t i = 1; i < kBoundsSections; i += 2)
    tables.push_back({mapped->section<BoundEntry>(i), mapped->section<WordId>(i + 1)});
  Bounds bounds;
  bounds.attach(mapped->section<std::uint64_t>(0), tables, file.string());
  if (bounds.header_[0] != model.header().fingerprint || bounds.header_[1] != model.header().order)
    throw FormatError("these are the bounds of another model", file.string(),
                      "make them again with `dragoman lm bounds`");
  bounds.owner_ = mapped;
  return bounds;
}

void Bounds::save(const std::filesystem::path& path) const {
  BinaryWriter writer(path, kBoundsFormat, kBoundsSections);
  writer.section(header_);
  for (std::size_t i = 0; i + 1 < kMaxOrder; ++i) {
    const Table table = i < tables_.size() ? tables_[i] : Table();
    writer.section(table.entries);
    writer.section(table.words);
  }
  writer.finish();
}

const BoundEntry* Bounds::find(std::span<const WordId> newest_first) const noexcept {
  const std::size_t order = newest_first.size();
  const WordId* const words = tables_[order - 1].words.data();
  return places_[order - 1].find(key_of_ngram(newest_first), [&](std::uint64_t slot) {
    return std::equal(newest_first.begin(), newest_first.end(), words + slot * order);
  });
}

Bounds::Range Bounds::range(const Model& model, std::span<const WordId> context, WordId word) const noexcept {
  const std::size_t most = tables_.size();  // order - 1
  if (context.size() > most) context = context.last(most);
  WordId words[kMaxOrder];
  words[0] = word;
  for (std::size_t i = 0; i < context.size(); ++i) words[i + 1] = context[context.size() - 1 - i];
  if (context.size() < most) {
    if (const BoundEntry* entry = find({words, context.size() + 1})) return {entry->lower, entry->upper};
  }
  // Not listed, or nothing left to know: the model's own value, and what longer contexts can add.
  State state, next;
  for (const WordId known : context) {
    const State before = state;
    (void)model.score(before, known, state);
  }
  const double logprob = model.score(state, word, next);
  if (context.empty() || context.size() == most) return {logprob, logprob};
  const BoundEntry* slack = find({words + 1, context.size()});
  if (slack == nullptr) return {logprob, logprob};
  return {logprob + slack->lower_slack, logprob + slack->upper_slack};
}

bool Bounds::is_open(std::span<const WordId> context) const noexcept {
  if (context.size() >= tables_.size()) return false;
  if (context.empty()) return true;
  WordId words[kMaxOrder];
  std::reverse_copy(context.begin(), context.end(), words);
  return find({words, context.size()}) != nullptr;
}

}  // namespace dragoman::lm
