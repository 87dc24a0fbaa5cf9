/* What a program of tests is made of: TEST(name) { ... } for each test, which lists itself, and
 * TEST_MAIN at the end. They run in the order of the file. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct CMUnitTest listed_tests[64];
static size_t num_listed_tests;

static inline void list_test(struct CMUnitTest test) {
  if (num_listed_tests == sizeof listed_tests / sizeof *listed_tests)
    abort();
  listed_tests[num_listed_tests++] = test;
}

/* For a main that has to do something before: its exit code. */
static inline int run_listed_tests(CMFixtureFunction set_up, CMFixtureFunction tear_down) {
  return _cmocka_run_group_tests("tests", listed_tests, num_listed_tests, set_up, tear_down);
}

/* The functions are called before and after the test. */
#define TEST_BETWEEN(name, set_up, tear_down)                                                      \
  static void name(void **state);                                                                  \
  __attribute__((constructor)) static void list_##name(void) {                                     \
    list_test((struct CMUnitTest){#name, name, set_up, tear_down, NULL});                          \
  }                                                                                                \
  static void name(__attribute__((unused)) void **state)

#define TEST(name) TEST_BETWEEN(name, NULL, NULL)

/* The functions are called before and after all tests; NULL for none. */
#define TEST_MAIN(set_up, tear_down)                                                               \
  int main(void) {                                                                                 \
    return run_listed_tests(set_up, tear_down);                                                    \
  }
