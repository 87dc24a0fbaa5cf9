/* bench_restoring FOLDER: what restoring the archive of a web graph cannot do without, each by
 * itself, in processor time: reading symbols behind adaptive models, one after the other as they
 * depend on each other, and writing a new file in FOLDER. JSON. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "formats/archive/symbols.h"
#include "support/random.h"

/* A frame's worth of symbols at a time. */
enum { SYMBOLS = 1 << 17, FRAMES = 128, CHUNK = 1 << 20, CHUNKS = 512, CONTEXTS = 16 };

static void give_up(const char *what) {
  perror(what);
  exit(5);
}

static void *allocate(size_t bytes) {
  void *memory = calloc(1, bytes);
  if (!memory)
    give_up("malloc");
  return memory;
}

static double processor_seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

/* Half of them 0, half of the others 1: two bits each, as those of rows are about. */
static unsigned symbol_at(uint64_t i) {
  return (unsigned)__builtin_ctzll(qn_random_at(7, i) | 1 << 15);
}

static uint64_t encode(uint8_t *bytes, uint64_t room) {
  struct qn_symbol_model *models = allocate(CONTEXTS * sizeof *models);
  struct qn_symbols_out out = {.items = allocate(SYMBOLS * sizeof *out.items)};
  unsigned before = 0;
  qn_symbol_models_reset(models, CONTEXTS);
  for (uint64_t i = 0; i < SYMBOLS; i++) {
    const unsigned symbol = symbol_at(i);
    qn_put_symbol(&out, &models[before], symbol);
    before = symbol;
  }
  const uint64_t length = qn_symbols_finish(&out, bytes, room);
  free(out.items);
  free(models);
  return length;
}

/* Each symbol's model is by the one before, as gaps' are. */
static double seconds_of_symbol(void) {
  static uint8_t bytes[2 * SYMBOLS];
  struct qn_symbol_model *models = allocate(CONTEXTS * sizeof *models);
  const uint64_t length = encode(bytes, sizeof bytes);
  const double begin = processor_seconds();
  for (unsigned frame = 0; frame < FRAMES; frame++) {
    struct qn_symbols_in in;
    unsigned before = 0;
    qn_symbol_models_reset(models, CONTEXTS);
    if (!qn_symbols_begin(&in, bytes, length))
      give_up("symbols");
    for (uint64_t i = 0; i < SYMBOLS; i++)
      before = qn_get_symbol(&in, &models[before]);
    if (!qn_symbols_at_end(&in) || before != symbol_at(SYMBOLS - 1))
      give_up("symbols");
  }
  free(models);
  return (processor_seconds() - begin) / ((double)SYMBOLS * FRAMES);
}

/* From a buffer in the cache. */
static double seconds_of_byte(const char *folder) {
  const int file = open(folder, O_TMPFILE | O_RDWR, 0600);
  char *buffer = allocate(CHUNK);
  if (file < 0)
    give_up(folder);
  memset(buffer, 1, CHUNK);
  const double begin = processor_seconds();
  for (unsigned i = 0; i < CHUNKS; i++)
    if (pwrite(file, buffer, CHUNK, (off_t)i * CHUNK) != CHUNK)
      give_up("pwrite");
  const double seconds = processor_seconds() - begin;
  close(file);
  free(buffer);
  return seconds / ((double)CHUNK * CHUNKS);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fputs("usage: bench_restoring FOLDER\n", stderr);
    return 2;
  }
  printf("{\"ns_a_symbol\": %.3f, \"ns_a_byte\": %.4f}\n", 1e9 * seconds_of_symbol(),
         1e9 * seconds_of_byte(argv[1]));
  return 0;
}
