#pragma once
// Native unit tests: TEST registers a function, CHECK counts failures with their place. Enough for what the Python
// tests cannot see (sanitizers, hostile bytes, thread schedules); everything else is tested through the bindings.
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace dragoman::testing {

struct Test {
  const char* name;
  std::function<void()> run;
};
inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}
inline int& failures() {
  static int count = 0;
  return count;
}
// What a test throws that lacks something of the system it runs on.
struct Skipped {
  std::string reason;
};
struct Register {
  Register(const char* name, std::function<void()> run) { tests().push_back({name, std::move(run)}); }
};

}  // namespace dragoman::testing

#define DRAGOMAN_JOIN_(a, b) a##b
#define DRAGOMAN_JOIN(a, b) DRAGOMAN_JOIN_(a, b)
#define TEST(name)                                                                                                   \
  static void DRAGOMAN_JOIN(test_, __LINE__)();                                                                      \
  static const dragoman::testing::Register DRAGOMAN_JOIN(register_, __LINE__)(name, DRAGOMAN_JOIN(test_, __LINE__)); \
  static void DRAGOMAN_JOIN(test_, __LINE__)()
#define CHECK(fact)                                                    \
  do {                                                                 \
    if (!(fact)) {                                                     \
      ++dragoman::testing::failures();                                 \
      std::printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #fact); \
    }                                                                  \
  } while (false)
#define CHECK_THROWS(type, statement)                                                      \
  do {                                                                                     \
    bool thrown = false;                                                                   \
    try {                                                                                  \
      statement;                                                                           \
    } catch (const type&) {                                                                \
      thrown = true;                                                                       \
    }                                                                                      \
    if (!thrown) {                                                                         \
      ++dragoman::testing::failures();                                                     \
      std::printf("%s:%d: did not throw " #type ": %s\n", __FILE__, __LINE__, #statement); \
    }                                                                                      \
  } while (false)
