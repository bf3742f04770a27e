// A plain mutation loop for machines without libFuzzer: starts from the seed files, mutates, and calls the target; the
// sanitizers do the judging. With clang, link the same targets with -fsanitize=fuzzer instead of this file.
//     FUZZ_RUNS=20000 fuzz_x SEED_DIRECTORY
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "common/random.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> seeds(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> all{{}};
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    all.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return all;
}

Bytes mutated(const std::vector<Bytes>& pool, dragoman::RandomStream& random) {
  const auto pick = [&](std::size_t bound) { return random.below(static_cast<std::uint32_t>(bound)); };
  Bytes bytes = pool[pick(pool.size())];
  for (std::uint32_t rounds = 1 + pick(6); rounds > 0; --rounds) {
    const std::size_t at = bytes.empty() ? 0 : pick(bytes.size());
    const auto here = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (pick(7)) {
      case 0:
        if (!bytes.empty()) *here = static_cast<std::uint8_t>(random());
        break;
      case 1:
        if (!bytes.empty()) *here = static_cast<std::uint8_t>(*here ^ (1u << pick(8)));
        break;
      case 2:
        bytes.insert(here, static_cast<std::uint8_t>(random()));
        break;
      case 3:
        bytes.resize(at);
        break;
      case 4:
        if (!bytes.empty()) bytes.erase(here, here + 1 + static_cast<std::ptrdiff_t>(pick(bytes.size() - at)));
        break;
      case 5: {  // splice in a piece of another seed
        const Bytes& other = pool[pick(pool.size())];
        if (other.empty()) break;
        const std::size_t from = pick(other.size());
        const Bytes piece(other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
        bytes.insert(here, piece.begin(), piece.end());
        break;
      }
      default:  // interesting numbers
        for (std::size_t i = 0; i < 8 && at + i < bytes.size(); ++i) bytes[at + i] = pick(2) != 0 ? 0xff : 0x00;
    }
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const char* const wanted = std::getenv("FUZZ_RUNS");
  const std::uint64_t runs = wanted == nullptr ? 20000 : std::strtoull(wanted, nullptr, 10);
  constexpr double kMostSeconds = 20;
  const std::vector<Bytes> pool = seeds(argv[1]);
  for (const Bytes& seed : pool) LLVMFuzzerTestOneInput(seed.data(), seed.size());
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t run = 0;
  for (; run < runs; ++run) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > kMostSeconds) break;
    dragoman::RandomStream random(1, run);
    const Bytes bytes = mutated(pool, random);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%llu inputs from %zu seeds\n", static_cast<unsigned long long>(run), pool.size() - 1);
}
