/* Fuzz targets: each fuzz_NAME.c defines libFuzzer's entry point. Linked with replay.c it is an
 * ordinary test (a corpus and deterministic mutations of it), linked by clang with
 * -fsanitize=fuzzer an endless search. */
#ifndef QN_TESTS_FUZZ_FUZZ_H
#define QN_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as a file; gives its name. The same file every time, in the working folder. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* A promise of the code under test was broken: say which and abort. */
#define FUZZ_PROMISE(holds)                                                                        \
  do {                                                                                             \
    if (!(holds))                                                                                  \
      fuzz_broken(#holds, __FILE__, __LINE__);                                                     \
  } while (0)
_Noreturn void fuzz_broken(const char *promise, const char *file, int line);

#endif
