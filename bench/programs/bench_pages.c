/* bench_pages FOLDER: how fast this machine fills pages that nobody has had yet: memory's, and
 * those of a file in FOLDER. What makes a new file cannot be faster. And how fast it hashes what
 * stays in the nearest cache: more threads than that is faster with make nothing faster, as where
 * two share a core. A table of GB/s, or JSON with --json. */
#include <argp.h>
#include <fcntl.h>
#include <jansson.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "formats/container/prefault.h"
#include "support/options.h"
#include "support/threads.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { STEP = 8 << 20, BUFFER = 1 << 20, NEAR = 16 << 10, MAX_COUNTS = 16, TRIALS = 2 };

struct options {
  const char *folder;
  uint64_t bytes;
  unsigned counts[MAX_COUNTS], num_counts;
  bool json;
};

static void give_up(const char *what) {
  perror(what);
  exit(5);
}

static int make_file(const struct options *options, uint64_t bytes) {
  int file = open(options->folder, O_TMPFILE | O_RDWR, 0600);
  if (file < 0 || ftruncate(file, (off_t)bytes))
    give_up(options->folder);
  return file;
}

static char *map(int file, uint64_t bytes) {
  char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED, file, 0);
  if (memory == MAP_FAILED)
    give_up("mmap");
  if (file < 0)
    madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

static void fill(char *memory, uint64_t bytes) {
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t begin = 0; begin < bytes; begin += STEP)
    memset(memory + begin, 1, STEP);
}

static void reserve(int file, uint64_t begin) {
  if (fallocate(file, 0, (off_t)begin, STEP))
    give_up("fallocate");
}

/* ---- Ways of filling ---------------------------------------------------------- */

static void fill_memory(const struct options *options, int file, char *memory) {
  (void)file;
  fill(memory, options->bytes);
}

/* One reserves, the others map what is there, as a container's writer does it. */
static void fill_reserved(const struct options *options, int file, char *memory) {
  uint64_t reserved = 0;
#pragma omp parallel
  {
#pragma omp master
    for (uint64_t begin = 0; begin < options->bytes; begin += STEP) {
      reserve(file, begin);
      __atomic_store_n(&reserved, begin + STEP, __ATOMIC_RELEASE);
    }
#pragma omp for schedule(dynamic, 1) nowait
    for (uint64_t begin = 0; begin < options->bytes; begin += STEP) {
      while (__atomic_load_n(&reserved, __ATOMIC_ACQUIRE) < begin + STEP)
        qn_prefault_pause();
      madvise(memory + begin, STEP, MADV_POPULATE_WRITE);
      memset(memory + begin, 1, STEP);
    }
  }
}

static void write_step(int file, uint64_t begin, const char *buffer) {
  for (uint64_t at = begin; at < begin + STEP; at += BUFFER)
    if (pwrite(file, buffer, BUFFER, (off_t)at) != BUFFER)
      give_up("pwrite");
}

static void write_alone(const struct options *options, int file, char *memory) {
  char *buffer = malloc(BUFFER);
  (void)memory;
  if (!buffer)
    give_up("malloc");
  memset(buffer, 1, BUFFER);
  for (uint64_t begin = 0; begin < options->bytes; begin += STEP)
    write_step(file, begin, buffer);
  free(buffer);
}

static void reserve_alone(const struct options *options, int file, char *memory) {
  (void)memory;
  for (uint64_t begin = 0; begin < options->bytes; begin += STEP)
    reserve(file, begin);
}

static void hash_near(const struct options *options, int file, char *memory) {
  (void)file;
  uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    const char *near = memory + (uint64_t)omp_get_thread_num() * STEP % options->bytes;
#pragma omp for schedule(static)
    for (uint64_t begin = 0; begin < options->bytes; begin += NEAR)
      sum += XXH3_64bits_withSeed(near, NEAR, begin);
  }
  *(volatile char *)memory = (char)sum;
}

static const struct way {
  const char *name;
  void (*fill)(const struct options *options, int file, char *memory);
  const char *fills; /* fresh pages of a file or of memory, or nothing fresh */
  bool in_file, again, alone;
} ways[] = {
    {"hashing in the nearest cache, by all threads", hash_near, "nothing", false, true, false},
    {"memory, by all threads", fill_memory, "memory", false, false, false},
    {"the same memory again", fill_memory, "nothing", false, true, false},
    {"a mapped file, by faults of all threads", fill_memory, "file", true, false, false},
    {"a mapped file, reserved by one thread, filled by the others", fill_reserved, "file", true,
     false, false},
    {"a mapped file, reserved by one thread alone, not filled", reserve_alone, "nothing", true,
     false, true},
    {"a file, written by one thread", write_alone, "file", true, false, true},
};

static double rate_of(const struct options *options, const struct way *way) {
  double least = 1e30;
  for (int trial = 0; trial < TRIALS; trial++) {
    int file = way->in_file ? make_file(options, options->bytes) : -1;
    char *memory = map(file, options->bytes);
    if (way->again)
      fill(memory, options->bytes);
    double begin = qn_seconds();
    way->fill(options, file, memory);
    double seconds = qn_seconds() - begin;
    least = seconds < least ? seconds : least;
    munmap(memory, options->bytes);
    if (file >= 0)
      close(file);
  }
  return (double)options->bytes / least;
}

/* ---- Command line --------------------------------------------------------------- */

enum { KEY_BYTES = 0x100, KEY_JSON };

static const struct argp_option argp_options[] = {
    {"bytes", KEY_BYTES, "SIZE", 0, "Fill so many each time (default: 1G)", 0},
    {"threads", 'T', "N,...", 0, "With so many threads (default: 2,8,16)", 0},
    {"json", KEY_JSON, NULL, 0, "Print JSON", 0},
    {0}};

static void parse_counts(struct argp_state *state, struct options *options, char *list) {
  char *rest = NULL;
  options->num_counts = 0;
  for (char *each = strtok_r(list, ",", &rest); each && options->num_counts < MAX_COUNTS;
       each = strtok_r(NULL, ",", &rest))
    options->counts[options->num_counts++] =
        (unsigned)qn_option_number(state, "--threads", each, 1, QN_MAX_THREADS);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case KEY_BYTES:
    options->bytes = qn_option_size(state, "--bytes", argument, STEP) / STEP * STEP;
    return 0;
  case 'T':
    return parse_counts(state, options, argument), 0;
  case KEY_JSON:
    options->json = true;
    return 0;
  case ARGP_KEY_ARG:
    if (options->folder)
      argp_error(state, "one folder at a time");
    options->folder = argument;
    return 0;
  case ARGP_KEY_NO_ARGS:
    argp_error(state, "name a folder");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

int main(int argc, char **argv) {
  static const struct argp argp = {
      argp_options, parse, "FOLDER", "How fast pages are filled that nobody has had yet.",
      NULL,         NULL,  NULL};
  struct options options = {.bytes = (uint64_t)1 << 30, .counts = {2, 8, 16}, .num_counts = 3};
  argp_parse(&argp, argc, argv, 0, NULL, &options);
  json_t *rows = json_array();
  for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
    for (unsigned i = 0; i < options.num_counts && (i == 0 || !ways[w].alone); i++) {
      const int threads = ways[w].alone ? 1 : (int)options.counts[i];
      omp_set_num_threads(threads);
      const double rate = rate_of(&options, &ways[w]);
      json_array_append_new(rows,
                            json_pack("{s:s, s:s, s:i, s:f}", "way", ways[w].name, "fills",
                                      ways[w].fills, "threads", threads, "bytes_per_second", rate));
      if (!options.json)
        printf("%-60s %3d threads %7.2f GB/s\n", ways[w].name, threads, 1e-9 * rate);
    }
  }
  if (options.json && (json_dumpf(rows, stdout, JSON_INDENT(2)) || puts("") < 0))
    give_up("standard output");
  json_decref(rows);
  return 0;
}
