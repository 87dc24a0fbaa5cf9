/* Runs a fuzz target on files and on mutations of them, as a test:
 *
 *   quern-replay FAMILY [--mutations N] FILE...
 *
 * prints TAP, a test a file, which all kinds of the family's targets are given. Mutation k of a
 * file is the same in every run. A file called sound-NAME must be taken by some kind. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

#define ROOM 4096 /* by which mutations may grow an input */

struct bytes {
  uint8_t *data;
  size_t size;
};

static uint64_t random_next(uint64_t *state) { /* xorshift64* */
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 0x2545F4914F6CDD1DULL;
}

static size_t random_below(uint64_t *state, size_t limit) {
  return limit ? (size_t)(random_next(state) % limit) : 0;
}

/* What has broken parsers before. */
static const char *const tokens[] = {"-1",
                                     "4294967295",
                                     "4294967296",
                                     "18446744073709551615",
                                     "18446744073709551616",
                                     "1e999",
                                     "nan",
                                     "inf",
                                     "0x10",
                                     "\r\n",
                                     "\n\n",
                                     "\t",
                                     "%",
                                     "#",
                                     " ",
                                     "\xEF\xBB\xBF",
                                     "\xFF",
                                     "1.5e-3",
                                     ",",
                                     ";",
                                     "\"",
                                     "general",
                                     "99999999999999999999",
                                     "+7"};

static void flip_bit(struct bytes *bytes, uint64_t *state) {
  if (bytes->size)
    bytes->data[random_below(state, bytes->size)] ^= (uint8_t)(1u << random_below(state, 8));
}

/* One of the values at which arithmetic turns over, 1 to 8 bytes wide. */
static void set_number(struct bytes *bytes, uint64_t *state) {
  static const uint64_t values[] = {0,          1,          0x7f,      0xff,
                                    0x7fffffff, 0xffffffff, INT64_MAX, UINT64_MAX};
  size_t width = (size_t)1 << random_below(state, 4);
  if (bytes->size < width)
    return;
  uint64_t value = values[random_below(state, sizeof values / sizeof values[0])];
  size_t at = random_below(state, bytes->size - width + 1);
  at = random_below(state, 2) ? at & ~(width - 1) : at;
  for (size_t i = 0; i < width; i++)
    bytes->data[at + i] = (uint8_t)(value >> (8 * i));
}

static void insert(struct bytes *bytes, size_t at, const void *what, size_t size) {
  memmove(bytes->data + at + size, bytes->data + at, bytes->size - at);
  memcpy(bytes->data + at, what, size);
  bytes->size += size;
}

static void insert_token(struct bytes *bytes, uint64_t *state) {
  const char *token = tokens[random_below(state, sizeof tokens / sizeof tokens[0])];
  insert(bytes, random_below(state, bytes->size + 1), token, strlen(token));
}

static void repeat_piece(struct bytes *bytes, uint64_t *state) {
  uint8_t piece[256];
  size_t size = random_below(state, bytes->size < sizeof piece ? bytes->size : sizeof piece);
  memcpy(piece, bytes->data + random_below(state, bytes->size - size + 1), size);
  insert(bytes, random_below(state, bytes->size + 1), piece, size);
}

static void remove_piece(struct bytes *bytes, uint64_t *state) {
  size_t at = random_below(state, bytes->size);
  size_t size = random_below(state, bytes->size - at < 64 ? bytes->size - at : 64);
  memmove(bytes->data + at, bytes->data + at + size, bytes->size - at - size);
  bytes->size -= size;
}

static void cut(struct bytes *bytes, uint64_t *state) {
  bytes->size = random_below(state, bytes->size + 1);
}

static void mutate(struct bytes *bytes, uint64_t seed) {
  static void (*const ways[])(struct bytes *, uint64_t *) = {
      flip_bit, flip_bit, set_number, set_number, insert_token, repeat_piece, remove_piece, cut};
  uint64_t state = seed * 0x9E3779B97F4A7C15ULL + 1;
  for (size_t left = 1 + random_below(&state, 4); left > 0; left--)
    ways[random_below(&state, sizeof ways / sizeof ways[0])](bytes, &state);
}

/* libFuzzer gives exact allocations, so that reading past the end is seen; so does this. True if
 * some kind took it. */
static bool run_exactly(const struct fuzz_family *family, const struct bytes *bytes) {
  bool taken = false;
  uint8_t *copy = malloc(bytes->size ? bytes->size : 1);
  if (!copy)
    exit(5);
  memcpy(copy, bytes->data, bytes->size);
  for (unsigned kind = 0; family->kinds[kind]; kind++)
    taken |= family->run(kind, copy, bytes->size);
  free(copy);
  return taken;
}

static bool read_whole(const char *path, struct bytes *bytes) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0)
    return false;
  long size = ftell(file);
  rewind(file);
  bytes->data = malloc((size_t)size + 1);
  bytes->size = (size_t)size;
  bool whole = bytes->data && fread(bytes->data, 1, bytes->size, file) == bytes->size;
  fclose(file);
  return whole;
}

/* NULL if all is well, else why not. */
static const char *replay(const struct fuzz_family *family, const char *path, const char *name,
                          uint64_t mutations) {
  struct bytes original, copy;
  if (!read_whole(path, &original))
    return "cannot be read";
  bool taken = run_exactly(family, &original);
  copy.data = malloc(original.size + ROOM);
  if (!copy.data)
    return "out of memory";
  for (uint64_t k = 1; k <= mutations; k++) {
    memcpy(copy.data, original.data, original.size);
    copy.size = original.size;
    mutate(&copy, k);
    run_exactly(family, &copy);
  }
  free(copy.data);
  free(original.data);
  return taken || strncmp(name, "sound-", 6) != 0 ? NULL : "is sound, but was refused";
}

static const struct fuzz_family *find(const char *name) {
  for (const struct fuzz_family *const *each = fuzz_families; *each; each++)
    if (strcmp((*each)->name, name) == 0)
      return *each;
  return NULL;
}

int main(int argc, char **argv) {
  const struct fuzz_family *family = argc > 1 ? find(argv[1]) : NULL;
  uint64_t mutations = 0;
  int first = 2;
  if (!family) {
    fprintf(stderr, "usage: quern-replay FAMILY [--mutations N] FILE...\n");
    return 2;
  }
  if (argc > 3 && strcmp(argv[2], "--mutations") == 0) {
    mutations = strtoull(argv[3], NULL, 10);
    first = 4;
  }
  fuzz_begin();
  int failed = 0;
  printf("1..%d\n", argc - first);
  for (int i = first; i < argc; i++) {
    const char *slash = strrchr(argv[i], '/'), *name = slash ? slash + 1 : argv[i];
    const char *why = replay(family, argv[i], name, mutations);
    failed += why != NULL;
    printf("%s %d - %s, %" PRIu64 " mutations\n", why ? "not ok" : "ok", i - first + 1, name,
           mutations);
    if (why)
      printf("# %s\n", why);
    fflush(stdout);
  }
  return failed > 0;
}
