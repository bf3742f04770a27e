#include <exception>

#include "tests/check.hpp"

int main() {
  using namespace dragoman::testing;
  int passed = 0, failed = 0;
  for (const Test& test : tests()) {
    const int before = failures();
    try {
      test.run();
    } catch (const std::exception& error) {
      ++failures();
      std::printf("%s: threw %s\n", test.name, error.what());
    }
    failures() == before ? ++passed : ++failed;
    if (failures() != before) std::printf("FAILED %s\n", test.name);
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
