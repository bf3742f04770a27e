#include <exception>

#include "tests/check.hpp"

int main() {
  using namespace dragoman::testing;
  int passed = 0, failed = 0, skipped = 0;
  for (const Test& test : tests()) {
    const int before = failures();
    try {
      test.run();
    } catch (const Skipped& without) {
      std::printf("skipped: %s: %s\n", test.name, without.reason.c_str());
      ++skipped;
      continue;
    } catch (const std::exception& error) {
      ++failures();
      std::printf("%s: threw %s\n", test.name, error.what());
    }
    failures() == before ? ++passed : ++failed;
    if (failures() != before) std::printf("FAILED %s\n", test.name);
  }
  std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed == 0 ? 0 : 1;
}
