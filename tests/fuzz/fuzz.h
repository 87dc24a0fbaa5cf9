/* Fuzz targets. A family of them is one way to use an input, for several kinds of things: the
 * readers, say, and each format. fuzz_NAME.c defines the family NAME, whose corpus is corpus/NAME;
 * families.c lists them. replay.c makes an ordinary test of a corpus, search.c a search with
 * libFuzzer of one target.
 *
 * What they link stands in for what would only cost time or hide what lies behind it: files in
 * memory (memory_file.c), inputs in memory (memory_input.c), and checksums that always fit
 * (no_checksums.c). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fuzz_family {
  const char *name;
  const char *const *kinds; /* NULL behind the last */
  /* Use an input as one of that kind. True if it was taken, false if it was refused. */
  bool (*run)(unsigned kind, const uint8_t *data, size_t size);
};

/* Ended by NULL. */
extern const struct fuzz_family *const fuzz_families[];

/* Call once, before the first input. */
void fuzz_begin(void);

/* Rarely, in a search: for what takes long, so that the rest is done more often. Always where a
 * corpus is replayed. */
bool fuzz_sometimes(const uint8_t *data, size_t size);
extern bool fuzz_searching;

/* A number that varies with the content, the same for the same content. */
unsigned fuzz_choices(const uint8_t *data, size_t size);

/* A file in memory with these bytes, which are borrowed until the next call. Returns its name,
 * which open() of the code under test knows. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* What qn_input_open gives from now on: under `name` these bytes, in blocks of whole lines of about
 * `block` bytes if that is not 0; under other names the bytes `beside`, if there are any. All are
 * borrowed. */
struct fuzz_input {
  const char *name;
  const uint8_t *data;
  size_t size;
  size_t block;
  const uint8_t *beside;
  size_t beside_size;
};
void fuzz_inputs(const struct fuzz_input *input);

/* Ends the process if it does not hold: libFuzzer then saves the input. */
#define FUZZ_PROMISE(holds)                                                                        \
  do {                                                                                             \
    if (!(holds))                                                                                  \
      fuzz_broken(#holds, __FILE__, __LINE__);                                                     \
  } while (0)
_Noreturn void fuzz_broken(const char *promise, const char *file, int line);
