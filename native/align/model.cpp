#include "align/model.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "common/binary_file.hpp"

namespace dragoman::align {

namespace {

constexpr std::size_t kAlignedPerShard = 128;
constexpr std::size_t kSections = 2 + 2 * 6 + 5;

// Work on sentence pairs whose results have different sizes: shards fill their own lists, joined in order.
template <typename Part, typename Work>
std::vector<Part> in_shards(std::size_t items, int threads, const StopCallback& stop, const Work& work) {
  std::vector<Part> parts(shard_count(items, kAlignedPerShard));
  parallel_shards(
      parts.size(), threads,
      [&](std::size_t shard) {
        work(shard * kAlignedPerShard, std::min(items, (shard + 1) * kAlignedPerShard), parts[shard]);
      },
      stop);
  return parts;
}

void append_links(const Workspace::Half& half, bool forward, Alignments& out) {
  const std::size_t first = out.links.size();
  for (std::int32_t j = 0; j < half.sentence.generated; ++j) {
    const std::int32_t i = half.links[static_cast<std::size_t>(j)];
    if (i != kNoLink) out.links.push_back(forward ? Link{i, j} : Link{j, i});
  }
  std::sort(out.links.begin() + static_cast<std::ptrdiff_t>(first), out.links.end());
}

// The links of one pair whose probability reaches the threshold, source by target.
void append_likely(const Workspace& work, const Threshold& threshold, std::vector<Link>& links) {
  const auto rows = static_cast<std::size_t>(work.halves[0].sentence.given);
  const auto columns = static_cast<std::size_t>(work.halves[1].sentence.given);
  std::vector<float> both(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const float one = work.halves[0].posterior[j * rows + i], other = work.halves[1].posterior[i * columns + j];
      both[i * columns + j] = threshold.product ? std::sqrt(one * other) : (one + other) / 2;
    }
  const auto least = static_cast<float>(threshold.least);
  // Along a line of cells `step` apart, links must reach its most probable cell without a gap.
  std::vector<char> kept(both.size(), 1);
  const auto compete = [&](std::size_t first, std::size_t count, std::size_t step) {
    std::size_t best = 0;
    for (std::size_t at = 1; at < count; ++at)
      if (both[first + at * step] > both[first + best * step]) best = at;
    bool joined = true;
    for (std::size_t at = best; at < count; ++at)
      if (!(joined = joined && both[first + at * step] >= least)) kept[first + at * step] = 0;
    joined = true;
    for (std::size_t at = best + 1; at-- > 0;)
      if (!(joined = joined && both[first + at * step] >= least)) kept[first + at * step] = 0;
  };
  if (threshold.competitive) {
    for (std::size_t i = 0; i < rows; ++i) compete(i * columns, columns, 1);
    for (std::size_t j = 0; j < columns; ++j) compete(j, rows, columns);
  }
  for (std::size_t at = 0; at < both.size(); ++at)
    if (kept[at] != 0 && both[at] >= least)
      links.push_back({static_cast<std::int32_t>(at / columns), static_cast<std::int32_t>(at % columns)});
}

Alignments join(const std::vector<TwoAlignments>& parts, Alignments TwoAlignments::* side) {
  Alignments all;
  for (const TwoAlignments& part : parts) {
    const auto offset = static_cast<std::int64_t>(all.links.size());
    all.links.insert(all.links.end(), (part.*side).links.begin(), (part.*side).links.end());
    for (const std::int64_t end : (part.*side).ends) all.ends.push_back(offset + end);
  }
  return all;
}

}  // namespace

void Workspace::search(const Bitext& bitext, std::size_t k, const PairIndex& pairs, std::vector<Slot>& slots) const {
  slots.clear();
  for (const WordId source : bitext.source(k))
    for (const WordId target : bitext.target(k)) slots.push_back(pairs.find(source, target));
}

namespace {

// Words that anchors leave nothing to be linked to go without them.
void relax(WorkspaceHalf& half, bool links_to_null) {
  const std::size_t given = half.sentence.given_words.size();
  for (std::size_t j = 0; j < half.sentence.generated_words.size(); ++j) {
    const auto row = half.emission.begin() + static_cast<std::ptrdiff_t>(j * given);
    if (std::any_of(row, row + static_cast<std::ptrdiff_t>(given), [](float value) { return value > 0; })) continue;
    if (links_to_null && half.null_emission[j] > 0) continue;
    std::copy_n(half.plain.begin() + static_cast<std::ptrdiff_t>(j * given), given, row);
    half.null_emission[j] = half.plain_null[j];
    ++half.relaxed;
  }
}

}  // namespace

void Workspace::load(const Bitext& bitext, std::size_t k, std::span<const Slot> slots, const Model& model,
                     const PairAnchors& anchors, PriorForm form, std::span<const std::vector<float>> slot_priors,
                     bool jump_prior) {
  const auto source = bitext.source(k), target = bitext.target(k);
  for (int d = 0; d < 2; ++d) {
    const bool forward = d == 0;
    Half& half = halves[static_cast<std::size_t>(d)];
    const Lexicon& lexicon = model.directions[static_cast<std::size_t>(d)].lexicon;
    Sentence& sentence = half.sentence;
    sentence.given_words = forward ? source : target;
    sentence.generated_words = forward ? target : source;
    const std::size_t given = sentence.given_words.size(), generated = sentence.generated_words.size();
    sentence.given = static_cast<int>(given);
    sentence.generated = static_cast<int>(generated);
    half.emission.resize(given * generated);
    half.null_emission.resize(generated);
    half.posterior.resize(given * generated);
    half.null_posterior.resize(generated);
    half.links.resize(generated);
    if (forward) {  // slots are source by target: transposed here, straight there
      for (std::size_t i = 0; i < given; ++i)
        for (std::size_t j = 0; j < generated; ++j) half.emission[j * given + i] = lexicon.at(slots[i * generated + j]);
    } else {
      for (std::size_t at = 0; at < slots.size(); ++at) half.emission[at] = lexicon.at(slots[at]);
    }
    for (std::size_t j = 0; j < generated; ++j) half.null_emission[j] = lexicon.null_at(sentence.generated_words[j]);
    half.prior.clear();
    half.plain.clear();
    half.relaxed = 0;
    sentence.free_given = 0;
    const bool table = !slot_priors.empty();
    if (!anchors.empty() || table || form == PriorForm::paper) {  // the paper weighs sentences without anchors too
      fill_prior(anchors, forward, sentence.given, sentence.generated, form, half.prior, half.null_prior);
      if (table)
        for (std::size_t i = 0; i < given; ++i)
          for (std::size_t j = 0; j < generated; ++j) {
            const Slot slot = slots[forward ? i * generated + j : j * given + i];
            if (slot != kAbsent) half.prior[j * given + i] *= slot_priors[static_cast<std::size_t>(d)][slot];
          }
      if (form == PriorForm::posterior) {
        half.plain = half.emission;
        half.plain_null = half.null_emission;
        for (std::size_t at = 0; at < half.prior.size(); ++at) half.emission[at] *= half.prior[at];
        for (std::size_t j = 0; j < generated; ++j) half.null_emission[j] *= half.null_prior[j];
        half.prior.clear();
        const auto& position = model.directions[static_cast<std::size_t>(d)].position;
        relax(half, position == nullptr || position->links_to_null());
      }
      if (jump_prior) {
        std::vector<char> anchored(given);
        for (const Anchor& anchor : anchors.anchors)
          anchored[static_cast<std::size_t>(forward ? anchor.source : anchor.target)] = 1;
        sentence.free_given = static_cast<int>(std::count(anchored.begin(), anchored.end(), 0));
      }
    }
    sentence.emission = half.emission.data();
    sentence.null_emission = half.null_emission.data();
    sentence.posterior = half.posterior.data();
    sentence.null_posterior = half.null_posterior.data();
  }
}

void Workspace::forget_anchors() {
  for (Half& half : halves) {
    if (half.plain.empty()) continue;
    half.emission = half.plain;
    half.null_emission = half.plain_null;
    half.sentence.emission = half.emission.data();
    half.sentence.null_emission = half.null_emission.data();
  }
}

void Workspace::recall(std::span<const LinkMemory::Entry> entries) {
  const auto rows = static_cast<std::size_t>(halves[0].sentence.given);
  const auto columns = static_cast<std::size_t>(halves[1].sentence.given);
  for (Half& half : halves) {
    std::fill(half.posterior.begin(), half.posterior.end(), 0.0F);
    std::fill(half.null_posterior.begin(), half.null_posterior.end(), 1.0F);
  }
  for (const LinkMemory::Entry& entry : entries) {
    const std::size_t i = entry.cell / columns, j = entry.cell % columns;
    const auto one = static_cast<float>(entry.forward / LinkMemory::kUnits);
    const auto other = static_cast<float>(entry.reverse / LinkMemory::kUnits);
    halves[0].posterior[j * rows + i] = one;
    halves[0].null_posterior[j] -= one;
    halves[1].posterior[i * columns + j] = other;
    halves[1].null_posterior[i] -= other;
  }
}

void Workspace::decide(Half& half) {
  for (int j = 0; j < half.sentence.generated; ++j) {
    const float* row = half.sentence.posterior_row(j);
    const float* best = std::max_element(row, row + half.sentence.given);
    half.links[static_cast<std::size_t>(j)] =
        *best > half.null_posterior[static_cast<std::size_t>(j)] ? static_cast<int>(best - row) : kNoLink;
  }
}

std::array<std::vector<double>, 2> Model::evidence() const {
  std::array<std::vector<double>, 2> buffers;
  for (std::size_t d = 0; d < 2; ++d) buffers[d].resize(directions[d].position->evidence_size());
  return buffers;
}

std::optional<std::span<const LinkMemory::Entry>> Model::recollect(const Bitext& bitext, std::size_t k,
                                                                   const PairAnchors& anchors) const {
  const auto known = memory.find(bitext.source(k), bitext.target(k));
  if (!known) return known;
  // The pair may have been trained without these anchors: then its links have to be found anew.
  const auto columns = static_cast<std::uint32_t>(bitext.target(k).size());
  for (const Anchor& anchor : anchors.anchors) {
    const std::uint32_t cell =
        static_cast<std::uint32_t>(anchor.source) * columns + static_cast<std::uint32_t>(anchor.target);
    const auto entry =
        std::find_if(known->begin(), known->end(), [&](const LinkMemory::Entry& each) { return each.cell == cell; });
    const auto least = static_cast<double>(anchor.confidence) * 0.999 * LinkMemory::kUnits;
    if (entry == known->end() || entry->forward < least || entry->reverse < least) return std::nullopt;
  }
  return known;
}

std::array<double, 2> Model::judge(const Bitext& bitext, std::size_t k, const PairAnchors& anchors, Workspace& work,
                                   std::vector<Slot>& slots, std::array<std::vector<double>, 2>& evidence) const {
  work.search(bitext, k, pairs, slots);
  work.load(bitext, k, slots, *this, anchors, PriorForm::posterior, {}, false);
  std::array<double, 2> logprob{};
  const auto run = [&] {
    for (std::size_t d = 0; d < 2; ++d)
      logprob[d] = directions[d].position->expect(work.halves[d].sentence, evidence[d]);
    return std::isfinite(logprob[0]) && std::isfinite(logprob[1]);
  };
  if (!run()) {
    work.forget_anchors();
    run();
  }
  if (const auto known = recollect(bitext, k, anchors)) work.recall(*known);
  return logprob;
}

TwoAlignments Model::viterbi(const Bitext& bitext, const Anchors& anchors, int threads,
                             const StopCallback& stop) const {
  anchors.check(bitext);
  const auto parts =
      in_shards<TwoAlignments>(bitext.size(), threads, stop, [&](std::size_t begin, std::size_t end, auto& part) {
        Workspace work;
        std::vector<Slot> slots;
        for (std::size_t k = begin; k < end; ++k) {
          if (bitext.usable(k)) {
            work.search(bitext, k, pairs, slots);
            work.load(bitext, k, slots, *this, anchors.of(k), PriorForm::posterior, {}, false);
            const auto known = recollect(bitext, k, anchors.of(k));
            if (known) work.recall(*known);
            for (std::size_t d = 0; d < 2; ++d) {
              auto& half = work.halves[d];
              if (known)
                Workspace::decide(half);
              else
                directions[d].position->viterbi(half.sentence, half.links);
              append_links(half, d == 0, d == 0 ? part.forward : part.reverse);
            }
          }
          part.forward.ends.push_back(static_cast<std::int64_t>(part.forward.links.size()));
          part.reverse.ends.push_back(static_cast<std::int64_t>(part.reverse.links.size()));
        }
      });
  return {join(parts, &TwoAlignments::forward), join(parts, &TwoAlignments::reverse)};
}

LinkPosteriors Model::posteriors(const Bitext& bitext, const Anchors& anchors, int threads,
                                 const StopCallback& stop) const {
  anchors.check(bitext);
  LinkPosteriors all;
  all.ends.resize(bitext.size());
  std::int64_t cells = 0;
  for (std::size_t k = 0; k < bitext.size(); ++k)
    all.ends[k] = cells += static_cast<std::int64_t>(bitext.usable(k) ? bitext.cells(k) : 0);
  all.forward.resize(static_cast<std::size_t>(cells));
  all.reverse.resize(static_cast<std::size_t>(cells));
  all.forward_logprob.resize(bitext.size());
  all.reverse_logprob.resize(bitext.size());
  parallel_ranges(
      bitext.size(), kAlignedPerShard, threads,
      [&](std::size_t begin, std::size_t end) {
        Workspace work;
        std::vector<Slot> slots;
        auto buffers = evidence();
        for (std::size_t k = begin; k < end; ++k) {
          if (!bitext.usable(k)) continue;
          const auto logprob = judge(bitext, k, anchors.of(k), work, slots, buffers);
          all.forward_logprob[k] = logprob[0];
          all.reverse_logprob[k] = logprob[1];
          const std::size_t offset = static_cast<std::size_t>(all.ends[k]) - bitext.cells(k);
          const std::size_t rows = bitext.source(k).size(), columns = bitext.target(k).size();
          for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < columns; ++j)
              all.forward[offset + i * columns + j] = work.halves[0].posterior[j * rows + i];
          std::copy_n(work.halves[1].posterior.begin(), rows * columns,
                      all.reverse.begin() + static_cast<std::ptrdiff_t>(offset));
        }
      },
      stop);
  return all;
}

Alignments Model::likely(const Bitext& bitext, const Anchors& anchors, const Threshold& threshold, int threads,
                         const StopCallback& stop) const {
  anchors.check(bitext);
  const auto parts =
      in_shards<TwoAlignments>(bitext.size(), threads, stop, [&](std::size_t begin, std::size_t end, auto& part) {
        Workspace work;
        std::vector<Slot> slots;
        auto buffers = evidence();
        for (std::size_t k = begin; k < end; ++k) {
          if (bitext.usable(k)) {
            const auto known = recollect(bitext, k, anchors.of(k));
            if (known) {
              slots.assign(bitext.cells(k), kAbsent);
              work.load(bitext, k, slots, *this, {}, PriorForm::posterior, {}, false);
              work.recall(*known);
            } else {
              judge(bitext, k, anchors.of(k), work, slots, buffers);
            }
            append_likely(work, threshold, part.forward.links);
          }
          part.forward.ends.push_back(static_cast<std::int64_t>(part.forward.links.size()));
        }
      });
  return join(parts, &TwoAlignments::forward);
}

void Model::compact() {
  std::vector<std::uint64_t> starts{0};
  std::vector<WordId> targets;
  std::array<std::vector<float>, 2> kept;
  for (WordId source = 0; source < pairs.source_words(); ++source) {
    const auto row = pairs.row(source);
    for (std::size_t at = 0; at < row.size(); ++at) {
      const Slot slot = pairs.slot(pairs.start(source) + at);
      if (directions[0].lexicon.probability[slot] <= kFloor && directions[1].lexicon.probability[slot] <= kFloor)
        continue;
      targets.push_back(row[at]);
      for (std::size_t d = 0; d < 2; ++d) kept[d].push_back(directions[d].lexicon.probability[slot]);
    }
    starts.push_back(targets.size());
  }
  pairs = PairIndex(std::move(starts), std::move(targets));
  for (std::size_t d = 0; d < 2; ++d) directions[d].lexicon.probability = std::move(kept[d]);
}

void Model::save(const std::filesystem::path& path) const {
  BinaryWriter writer(path, kAlignmentFormat, kSections);
  writer.section(pairs.starts());
  writer.section(pairs.targets());
  for (const Direction& direction : directions) {
    writer.section(direction.lexicon.probability);
    writer.section(direction.lexicon.null);
    writer.section(direction.lexicon.totals);
    writer.section(std::vector<double>{direction.lexicon.null_total});
    const std::string_view kind = direction.position->kind();
    writer.section(std::span<const char>(kind.data(), kind.size()));
    writer.section(direction.position->parameters());
  }
  writer.section(memory.parts().keys);
  writer.section(memory.parts().ends);
  writer.section(memory.parts().entries);
  writer.section(memory.parts().sides);
  writer.section(memory.parts().words);
  writer.finish();
}

Model Model::load(const std::filesystem::path& path) {
  const BinaryFile file(path, kAlignmentFormat, kSections);
  const auto starts = file.section<std::uint64_t>(0);
  const auto targets = file.section<WordId>(1);
  file.require(!starts.empty() && starts.front() == 0 && starts.back() == targets.size(), "rows of word pairs");
  file.require(targets.size() < kAbsent, "number of word pairs");
  for (std::size_t row = 1; row < starts.size(); ++row) {
    file.require(starts[row - 1] <= starts[row] && starts[row] <= targets.size(), "rows of word pairs");
    for (std::size_t at = starts[row - 1] + 1; at < starts[row]; ++at)
      file.require(targets[at - 1] < targets[at], "order of word pairs");
  }
  Model model;
  model.pairs = PairIndex({starts.begin(), starts.end()}, {targets.begin(), targets.end()});
  const auto probabilities = [&](std::span<const float> values) {
    for (const float value : values) file.require(value >= 0 && value <= 1, "a probability outside 0 to 1");
    return std::vector<float>(values.begin(), values.end());
  };
  for (std::size_t d = 0; d < 2; ++d) {
    Direction& direction = model.directions[d];
    const std::size_t first = 2 + 6 * d;
    direction.lexicon.probability = probabilities(file.section<float>(first));
    file.require(direction.lexicon.probability.size() == targets.size(), "number of probabilities");
    direction.lexicon.null = probabilities(file.section<float>(first + 1));
    const auto totals = file.section<double>(first + 2), null_total = file.section<double>(first + 3);
    file.require(null_total.size() == 1 && std::isfinite(null_total[0]), "expected counts");
    for (const double total : totals) file.require(std::isfinite(total) && total >= 0, "expected counts");
    direction.lexicon.totals.assign(totals.begin(), totals.end());
    direction.lexicon.null_total = null_total[0];
    const auto kind = file.section<char>(first + 4);
    try {
      direction.position = make_position_model({kind.data(), kind.size()}, {}, nullptr);
    } catch (const SettingError&) {
      file.require(false, "kind of position model");
    }
    direction.position->set_parameters(file.section<double>(first + 5));
  }
  const auto numbers = [&](std::size_t index) {
    const auto values = file.section<std::uint64_t>(index);
    return std::vector<std::uint64_t>(values.begin(), values.end());
  };
  const auto entries = file.section<LinkMemory::Entry>(16);
  const auto words = file.section<WordId>(18);
  try {
    model.memory = LinkMemory(
        {numbers(14), numbers(15), {entries.begin(), entries.end()}, numbers(17), {words.begin(), words.end()}});
  } catch (const InputError&) {
    file.require(false, "remembered links");
  }
  return model;
}

}  // namespace dragoman::align
