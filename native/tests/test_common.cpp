#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <vector>

#include "common/binary_file.hpp"
#include "common/output_file.hpp"
#include "common/parallel.hpp"
#include "common/random.hpp"
#include "common/sampled_time.hpp"
#include "common/variety.hpp"
#include "common/vocabulary.hpp"
#include "tests/check.hpp"

using namespace dragoman;

namespace {

std::filesystem::path temporary(const char* name) {
  return std::filesystem::temp_directory_path() / (std::string("dragoman_native_") + name);
}

}  // namespace

TEST("a binary file gives back its sections") {
  const auto path = temporary("sections");
  const std::vector<std::uint32_t> numbers{1, 2, 3};
  const std::vector<double> values{0.5};
  {
    BinaryWriter writer(path, {"TEST", 3}, 2);
    writer.section(numbers);
    writer.begin(sizeof(double));
    writer.append(std::span<const double>(values));
    writer.finish();
  }
  const BinaryFile file(path, {"TEST", 3}, 2);
  const auto back = file.section<std::uint32_t>(0);
  CHECK(std::vector<std::uint32_t>(back.begin(), back.end()) == numbers);
  CHECK(file.section<double>(1)[0] == 0.5);
  CHECK_THROWS(FormatError, (void)file.section<std::uint16_t>(0));
  CHECK_THROWS(FormatError, BinaryFile(path, {"ELSE", 3}, 2));
  CHECK_THROWS(FormatError, BinaryFile(path, {"TEST", 4}, 2));
  CHECK(describe_binary_file(path, true).kind == "TEST");
  std::filesystem::remove(path);
}

TEST("every truncation and every damaged byte of a binary file is noticed") {
  const auto path = temporary("damage");
  {
    BinaryWriter writer(path, {"TEST", 1}, 1);
    writer.section(std::vector<std::uint64_t>{7, 8, 9});
    writer.finish();
  }
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> whole((std::istreambuf_iterator<char>(in)), {});
  const auto write = [&](const std::vector<char>& bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    CHECK_THROWS(FormatError, BinaryFile(path, {"TEST", 1}, 1));
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    auto bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    write(bytes);
    CHECK_THROWS(FormatError, (void)describe_binary_file(path, true));
  }
  std::filesystem::remove(path);
}

TEST("damage is named by the section that has it") {
  const auto path = temporary("section_damage");
  {
    BinaryWriter writer(path, {"TEST", 1}, 3);
    for (const std::uint64_t value : {7, 8, 9}) writer.section(std::vector<std::uint64_t>{value});
    writer.finish();
  }
  const auto second = describe_binary_file(path, true).sections.at(1).offset;
  for (const auto at : {second, second - 1}) {  // the section, and the zeros before it
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(static_cast<std::streamoff>(at));
    const char was = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(was ^ 1)).flush();
    try {
      (void)describe_binary_file(path, true);
      CHECK(false);
    } catch (const FormatError& error) {
      CHECK(std::string(error.what()).find("section 2 of 3") != std::string::npos);
    }
    file.seekp(static_cast<std::streamoff>(at));
    file.put(was).flush();
    CHECK(describe_binary_file(path, true).sections.size() == 3);
  }
  std::filesystem::remove(path);
}

TEST("an abandoned writer leaves no file") {
  const auto path = temporary("abandoned");
  {
    BinaryWriter writer(path, {"TEST", 1}, 1);
  }
  CHECK(!std::filesystem::exists(path));
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path()))
    CHECK(entry.path().filename().string().find(path.filename().string()) == std::string::npos);
}

TEST("a file that outlives a job is compared with its checksum when it is opened") {
  const auto path = temporary("verified");
  Vocabulary words;
  for (const char* word : {"das", "kleine", "Haus"}) words.intern(word);
  const auto open = [&] { return BinaryFile(path, kVocabularyFormat, VocabularyView::kSections); };
  {
    BinaryWriter writer(path, kVocabularyFormat, VocabularyView::kSections);
    words.view().write(writer);
    writer.finish();
  }
  (void)open();
  std::vector<char> bytes;
  {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto at = std::string_view(bytes.data(), bytes.size()).find("Haus");
  bytes[at] = 'L';
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  CHECK_THROWS(FormatError, (void)open());
  verify_when_opened(false);
  CHECK(VocabularyView::read(open(), 0).word(3) == "Laus");
  verify_when_opened(true);
  CHECK_THROWS(FormatError, (void)open());
  std::filesystem::remove(path);
}

TEST("what is not a regular file is neither replaced nor followed") {
  const auto folder = temporary("outputs");
  std::filesystem::create_directories(folder / "inner");
  const auto write = [](const std::filesystem::path& path) {
    OutputFile file(path, Durability::kDurable);
    file.write("x", 1);
    file.finish();
  };
  CHECK_THROWS(FileError, write(folder / "inner"));
  CHECK(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK_THROWS(FileError, write(folder / "pipe"));
  CHECK(std::filesystem::is_fifo(folder / "pipe"));
  CHECK_THROWS(FileError, write(folder / "missing" / "file"));
  std::ofstream(folder / "victim") << "kept";
  std::filesystem::create_symlink(folder / "victim", folder / "out.partial");
  std::filesystem::create_symlink(folder / "victim", folder / "out");
  write(folder / "out");
  CHECK(std::filesystem::file_size(folder / "victim") == 4);
  CHECK(!std::filesystem::is_symlink(folder / "out") && std::filesystem::file_size(folder / "out") == 1);
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++entries;
  CHECK(entries == 5);  // inner, pipe, victim, out.partial, out
  std::filesystem::remove_all(folder);
}

TEST("a shard can be stopped while it lasts, whichever thread does it") {
  for (const std::size_t shards : {1, 2, 3}) {
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed = [&] { return std::chrono::steady_clock::now() - start; };
    const StopCallback stop = [&] { return elapsed() > std::chrono::milliseconds(100); };
    const auto long_work = [&](std::size_t shard) {
      if (shard + 1 < shards) return;  // the last one may fall to any thread
      while (elapsed() < std::chrono::seconds(30)) stop_if_interrupted();
    };
    CHECK_THROWS(Interrupted, parallel_shards(shards, 2, long_work, stop));
    CHECK(elapsed() < std::chrono::seconds(10));
  }
}

TEST("a vocabulary interns, finds and survives a file") {
  Vocabulary words;
  for (int i = 0; i < 5000; ++i) CHECK(words.intern("w" + std::to_string(i)) == static_cast<WordId>(i + 1));
  CHECK(words.intern("w17") == 18);
  CHECK(words.id("missing") == kUnknown);
  const auto path = temporary("words");
  {
    BinaryWriter writer(path, kVocabularyFormat, VocabularyView::kSections);
    words.view().write(writer);
    writer.finish();
  }
  const BinaryFile file(path, kVocabularyFormat, VocabularyView::kSections);
  const auto view = VocabularyView::read(file, 0);
  CHECK(view.size() == 5001 && view.word(18) == "w17" && view.id("w4999") == 5000 && !view.find("missing"));
  std::filesystem::remove(path);
}

TEST("shards run once each, and the lowest failure wins") {
  for (const int threads : {1, 2, 7}) {
    std::vector<int> hits(1000);
    parallel_shards(hits.size(), threads, [&](std::size_t shard) { ++hits[shard]; });
    CHECK(std::accumulate(hits.begin(), hits.end(), 0) == 1000);
    try {
      parallel_shards(100, threads, [](std::size_t shard) {
        if (shard >= 3) throw InputError(std::to_string(shard));
      });
      CHECK(false);
    } catch (const InputError& error) {
      CHECK(error.problem() == "3");
    }
    CHECK_THROWS(Interrupted, parallel_shards(100, threads, [](std::size_t) {}, [] { return true; }));
  }
}

TEST("rounds come one after the other, each with all its shards") {
  for (const int threads : {1, 2, 7}) {
    // What a round finds depends on what was done after the last one.
    std::vector<std::size_t> values(64, 1);
    const auto shards = [](std::size_t round) { return round % 5; };
    std::vector<std::size_t> seen;
    std::vector<std::size_t> sums(64);
    parallel_rounds(
        200, shards, threads, [&](std::size_t round, std::size_t shard) { sums[shard] = values[shard] + round; },
        [&](std::size_t round) {
          seen.push_back(round);
          for (std::size_t shard = 0; shard < shards(round); ++shard) values[shard] = sums[shard] % 1000 + 1;
        });
    std::vector<std::size_t> expected(64, 1);
    for (std::size_t round = 0; round < 200; ++round)
      for (std::size_t shard = 0; shard < shards(round); ++shard)
        expected[shard] = (expected[shard] + round) % 1000 + 1;
    CHECK(values == expected);
    CHECK(seen.size() == 200 && std::is_sorted(seen.begin(), seen.end()));
  }
}

TEST("rounds end with the lowest failure, a failure in between, or when they are stopped") {
  for (const int threads : {1, 2, 7}) {
    std::size_t after = 0;
    const auto ten = [](std::size_t) { return std::size_t{10}; };
    const auto count = [&](std::size_t) { ++after; };
    const auto fail = [](std::size_t round, std::size_t shard) {
      if (round == 3 && shard >= 4) throw InputError(std::to_string(shard));
    };
    try {
      parallel_rounds(9, ten, threads, fail, count);
      CHECK(false);
    } catch (const InputError& error) {
      CHECK(error.problem() == "4");
    }
    CHECK(after == 3);
    const auto nothing = [](std::size_t, std::size_t) {};
    const auto refuse = [](std::size_t) { throw InputError("in between"); };
    CHECK_THROWS(InputError, parallel_rounds(9, ten, threads, nothing, refuse));
    CHECK_THROWS(Interrupted, parallel_rounds(9, ten, threads, nothing, count, [] { return true; }));
    parallel_rounds(0, ten, threads, nothing, refuse);
  }
}

TEST("random streams differ by seed and item and stay in range") {
  std::set<std::uint64_t> draws;
  for (std::uint64_t item = 0; item < 100; ++item) draws.insert(RandomStream(1, item)());
  CHECK(draws.size() == 100);
  CHECK(RandomStream(1, 5)() == RandomStream(1, 5)());
  CHECK(RandomStream(1, 5)() != RandomStream(2, 5)());
  RandomStream stream(9, 9);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double u = stream.uniform();
    CHECK(u >= 0 && u < 1);
    CHECK(stream.below(7) < 7);
    sum += u;
  }
  CHECK(std::abs(sum / 10000 - 0.5) < 0.02);
}

TEST("sampled time stands for all calls, and hardly costs anything") {
  using Clock = std::chrono::steady_clock;
  SampledTime time;
  int calls = 0;
  const auto begin = Clock::now();
  for (int i = 0; i < 6100; ++i) {
    const int number = time([&] {
      for (const auto start = Clock::now(); Clock::now() - start < std::chrono::microseconds(2);) {
      }
      return ++calls;
    });
    CHECK(number == i + 1);
  }
  const double all = std::chrono::duration<double>(Clock::now() - begin).count();
  CHECK(calls == 6100);
  CHECK(time.seconds() > 0.006);  // of 0.0122; a busy machine makes few of them longer, and none shorter
  CHECK(time.seconds() < 2 * all);
  SampledTime interrupted;
  for (int i = 0; i < 61; ++i)
    interrupted([&] {
      for (const auto start = Clock::now(); Clock::now() - start < std::chrono::microseconds(150);) {
      }
      return 0;
    });
  CHECK(interrupted.seconds() == 0);
}

TEST("different values are counted: exactly if there are few, and nearly if there are many") {
  DistinctCount count;
  for (const std::uint64_t size : {100ULL, 4095ULL, 300'000ULL}) {
    for (int times = 0; times < 2; ++times)
      for (std::uint64_t value = 0; value < size; ++value) count.add(mix(value));
    const auto found = static_cast<double>(count.estimate()), wanted = static_cast<double>(size);
    CHECK(std::abs(found - wanted) <= (size < 4096 ? 0 : 0.05 * wanted));
  }
}

TEST("word pairs and n-grams of a text are counted once") {
  TextVariety text(3);
  for (int times = 0; times < 2; ++times) {
    text.add("a b a", "x y");
    text.add("a", "y  x y");
  }
  text.add("", "");
  CHECK(text.word_pairs() == 4);  // a and b with x and y
  // <s> x y </s>; <s>x xy y</s> <s>y yx <s></s>; <s>xy xy</s> <s>yx yxy
  CHECK(text.ngrams() == std::vector<std::uint64_t>({4, 6, 4}));
}
