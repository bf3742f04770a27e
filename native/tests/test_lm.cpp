#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "common/random.hpp"
#include "lm/arpa.hpp"
#include "lm/bounds.hpp"
#include "lm/chart.hpp"
#include "lm/classes.hpp"
#include "lm/estimate.hpp"
#include "lm/hashed.hpp"
#include "lm/score.hpp"
#include "tests/check.hpp"

using namespace dragoman;

namespace {

std::vector<std::string> random_text(std::size_t sentences, std::uint64_t seed) {
  std::vector<std::string> text;
  for (std::size_t i = 0; i < sentences; ++i) {
    RandomStream random(seed, i);
    std::string line;
    for (std::uint32_t length = random.below(12); length > 0; --length)
      line += "w" + std::to_string(random.below(1 + random.below(60))) + " ";
    text.push_back(line);
  }
  return text;
}

lm::Ngrams estimated(const std::vector<std::string>& text, int order, std::size_t memory, int threads) {
  lm::EstimateSettings settings;
  settings.order = order;
  settings.budget.bytes = memory;
  lm::Estimator estimator(settings);
  const std::vector<std::string_view> views(text.begin(), text.end());
  estimator.add_sentences(views, 1);
  estimator.count();
  estimator.normalize(threads);
  for (int n = 1; n <= order; ++n) estimator.interpolate(n);
  return estimator.take();
}

std::string arpa(const lm::Ngrams& ngrams) {
  lm::ArpaWriter writer(ngrams);
  std::string all;
  for (std::string block = writer.next(); !block.empty(); block = writer.next()) all += block;
  return all;
}

}  // namespace

TEST("a sorter gives the same order with and without files") {
  for (const std::size_t budget : {std::size_t{1}, std::size_t{1} << 30}) {
    lm::RecordSorter sorter(3, 2, {budget, {}});
    RandomStream random(3, 3);
    for (std::uint32_t i = 0; i < 50000; ++i) {
      const std::uint32_t record[3] = {random.below(50), random.below(50), i};
      sorter.append(record);
    }
    std::uint32_t last[3] = {0, 0, 0};
    std::size_t seen = 0;
    sorter.drain([&](const std::uint32_t* record) {
      CHECK(seen == 0 || std::lexicographical_compare(last, last + 3, record, record + 3));
      std::copy(record, record + 3, last);
      ++seen;
    });
    CHECK(seen == 50000);
  }
}

TEST("estimation does not depend on memory or threads") {
  const auto text = random_text(4000, 1);
  const std::string whole = arpa(estimated(text, 4, std::size_t{1} << 30, 1));
  CHECK(whole.size() > 100000);
  CHECK(arpa(estimated(text, 4, 1, 2)) == whole);
  CHECK(arpa(estimated(text, 4, std::size_t{1} << 18, 7)) == whole);
}

TEST("batches, steps, phrases and joined cells agree in both layouts") {
  auto ngrams = estimated(random_text(2000, 2), 4, std::size_t{1} << 30, 2);
  const auto closed = lm::close_ngrams(ngrams);
  const auto test = random_text(300, 9);
  const std::vector<std::string_view> views(test.begin(), test.end());
  std::vector<double> first;
  for (const lm::Layout layout : {lm::Layout::hashed, lm::Layout::compact}) {
    const lm::Model model(lm::build(closed, {layout, lm::kExactBits, lm::kExactBits}));
    const auto scores = lm::score_sentences(model, views, {true, true, 3}).logprob;
    if (first.empty()) first = scores;
    for (std::size_t i = 0; i < views.size(); ++i) {
      CHECK(std::abs(scores[i] - first[i]) < 1e-9);
      std::vector<WordId> words;
      for_each_token(views[i], [&](std::string_view token) { words.push_back(model.id(token)); });
      lm::State state;
      const double phrase = model.score_phrase(model.begin_state(), words, state);
      CHECK(std::abs(phrase + model.score_end(state) - scores[i]) < 1e-9);
      // Three pieces, joined in the middle first.
      model.with_tables([&](const auto& tables) {
        using Tables = std::decay_t<decltype(tables)>;
        RandomStream random(5, i);
        const auto a = random.below(static_cast<std::uint32_t>(words.size() + 1));
        const auto b = a + random.below(static_cast<std::uint32_t>(words.size() - a + 1));
        lm::Joiner<Tables> left(tables), middle(tables), right(tables), inner(tables), whole(tables);
        for (std::size_t k = 0; k < a; ++k) left.word(words[k]);
        for (std::size_t k = a; k < b; ++k) middle.word(words[k]);
        for (std::size_t k = b; k < words.size(); ++k) right.word(words[k]);
        inner.cell(middle.cell());
        inner.cell(right.cell());
        whole.begin(model.begin_state());
        whole.cell(left.cell());
        whole.cell(inner.cell());
        whole.word(model.header().end);
        const double total = left.score() + middle.score() + right.score() + inner.score() + whole.score();
        CHECK(std::abs(total - scores[i]) < 1e-6);
      });
    }
  }
}

TEST("classes do not depend on threads") {
  const auto text = random_text(500, 4);
  const std::vector<std::string_view> views(text.begin(), text.end());
  std::vector<std::uint32_t> first;
  for (const int threads : {1, 2, 7}) {
    lm::ClassTrainer trainer(1);
    trainer.add_sentences(views);
    trainer.start(8, 1);
    double before = trainer.objective();
    for (int i = 0; i < 9; ++i) {
      trainer.iterate(threads, {});
      CHECK(trainer.objective() >= before - 1e-6);
      before = trainer.objective();
    }
    const std::vector<std::uint32_t> classes(trainer.classes().begin(), trainer.classes().end());
    if (first.empty()) first = classes;
    CHECK(classes == first);
  }
}

TEST("entries with the same key are told apart by who looks for them") {
  struct Numbered {
    std::uint64_t key;
    std::uint32_t number, unused;
  };
  const std::vector<Numbered> entries{{5, 0, 0}, {7, 1, 0}, {5, 2, 0}, {5, 3, 0}};
  std::vector<std::uint32_t> slots;
  const auto laid_out = lm::lay_out<Numbered>(entries, {lm::kFreeKey, 0, 0}, 2, slots);
  const lm::HashTable<Numbered> table(laid_out, lm::slots_for(entries.size(), 2));
  for (const Numbered& sought : entries) {
    const Numbered* found =
        table.find(sought.key, [&](std::uint64_t slot) { return laid_out[slot].number == sought.number; });
    CHECK(found != nullptr && found->number == sought.number && found->key == sought.key);
  }
  CHECK(table.find(5, [](std::uint64_t) { return false; }) == nullptr);
}

TEST("a bucket with one tag four times leads to none but its own arcs") {
  lm::ArcBucket bucket{};  // as nobody writes it, but somebody may craft it
  for (std::size_t i = 0; i < 4; ++i) bucket.numbers[lm::kTag + i] = 7;
  for (std::size_t i = 0; i < 4; ++i) bucket.numbers[lm::kLogprob + i] = 7;
  const lm::ArcRegion region{0, 1};
  const lm::Hashed hashed(2, 4, 8, {&bucket, 1}, {&region, 1});
  const lm::Hashed::Look found = hashed.look({0, 7});
  CHECK(found.found && found.arc < lm::kBucketArcs);
}
