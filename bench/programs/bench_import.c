/* How fast and with how much memory quern-import turns raw text into containers.
 *
 * The input is an R-MAT graph (Graph500's parameters, shuffled vertices) as an unsorted text
 * edge list, made once. For every number of threads the tool runs several times, once as
 * the edges are (directed) and once cleaned (undirected, without loops and duplicates), into
 * a new file each time, without syncing it. Printed are medians; parsing alone is the tool's
 * reading stage of the directed runs: mapping, parsing with all checks, hashing the input. */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/memory.h"
#include "support/options.h"
#include "support/sizes.h"
#include "support/threads.h"
#include <quern/error.h>

enum { MAX_RUNS = 99 };

struct options {
  uint64_t scale, degree, repeats, max_threads;
  const char *tool, *folder, *json;
};

static void give_up(const struct qn_error *error) {
  fprintf(stderr, "bench_import: %s\n", error->message);
  exit(QN_SYSTEM);
}

/* ---- The input ------------------------------------------------------------ */

static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* A permutation of [0, 2^scale): rounds that can each be undone. */
static uint64_t shuffle(uint64_t vertex, unsigned scale) {
  uint64_t mask = ((uint64_t)1 << scale) - 1;
  for (unsigned round = 0; round < 4; round++) {
    vertex = (vertex * UINT64_C(0x9e3779b97f4a7c15) + round) & mask;
    vertex ^= vertex >> (scale / 2 + 1);
  }
  return vertex;
}

static char *write_number(char *out, uint64_t number) {
  char digits[20];
  int n = 0;
  do {
    digits[n++] = (char)('0' + number % 10);
    number /= 10;
  } while (number);
  while (n)
    *out++ = digits[--n];
  return out;
}

static char *write_edge(char *out, uint64_t edge, unsigned scale) {
  uint64_t source = 0, destination = 0;
  for (unsigned level = 0; level < scale; level++) {
    uint64_t random = mix(edge * 64 + level) >> 32;
    unsigned quadrant = (random >= 2448131358) + (random >= 3264175145) + (random >= 4080218931);
    source = source << 1 | quadrant >> 1;
    destination = destination << 1 | (quadrant & 1);
  }
  out = write_number(out, shuffle(source, scale));
  *out++ = '\t';
  out = write_number(out, shuffle(destination, scale));
  *out++ = '\n';
  return out;
}

static void make_input(const char *path, const struct options *options) {
  enum { BATCH = 1 << 16, LINE = 48 };
  uint64_t num_edges = options->degree << options->scale;
  struct qn_error error;
  char temporary[4300], *text;
  struct stat about;
  if (stat(path, &about) == 0)
    return;
  snprintf(temporary, sizeof temporary, "%s.part", path);
  FILE *file = fopen(temporary, "wb");
  if (qn_pages_alloc(&text, (uint64_t)BATCH * LINE, 1, "a batch of lines", &error))
    give_up(&error);
  for (uint64_t edge = 0; file && edge < num_edges;) {
    char *out = text;
    for (uint64_t end = edge + BATCH; edge < end && edge < num_edges; edge++)
      out = write_edge(out, edge, (unsigned)options->scale);
    fwrite(text, 1, (size_t)(out - text), file);
  }
  qn_pages_free(text, (uint64_t)BATCH * LINE, 1);
  if (!file || ferror(file) | fclose(file) || rename(temporary, path)) {
    qn_fail_errno(&error, "cannot write %s", path);
    give_up(&error);
  }
}

/* ---- Runs ----------------------------------------------------------------- */

struct run {
  double read;   /* seconds of the reading stage */
  double wall;   /* seconds of the whole process */
  double memory; /* most bytes beyond the page cache */
};

static uint64_t anonymous_bytes(pid_t process) {
  char path[64], line[256];
  uint64_t kib = 0;
  snprintf(path, sizeof path, "/proc/%d/status", (int)process);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "RssAnon: %" SCNu64, &kib) == 1)
      break;
  if (file)
    fclose(file);
  return kib << 10;
}

static void exec_tool(const struct options *options, const char *input, const char *output,
                      const char *report, uint64_t threads, bool clean) {
  char count[32];
  const char *arguments[16] = {options->tool, input, "-o", output, "--json", "-q", "-T", count};
  int n = 8;
  snprintf(count, sizeof count, "%" PRIu64, threads);
  if (clean) {
    arguments[n++] = "--undirected";
    arguments[n++] = "--self-loops=remove";
    arguments[n++] = "--duplicates=remove";
  }
  setenv("QUERN_NO_SYNC", "1", 1);
  if (freopen(report, "w", stdout))
    execv(options->tool, (char **)arguments);
  perror(options->tool);
  _exit(127);
}

static double number_of(const json_t *object, const char *key) {
  return json_number_value(json_object_get(object, key));
}

static struct run run_once(const struct options *options, const char *input, uint64_t threads,
                           bool clean) {
  char output[4200], report[4200];
  struct run run = {0};
  struct qn_error error;
  int state = 0;
  snprintf(output, sizeof output, "%s/bench-import.qrn", options->folder);
  snprintf(report, sizeof report, "%s/bench-import.json", options->folder);
  unlink(output);
  fflush(stdout); /* or the child would print it again */
  double begun = qn_seconds();
  pid_t process = fork();
  if (process == 0)
    exec_tool(options, input, output, report, threads, clean);
  while (process > 0 && waitpid(process, &state, WNOHANG) == 0) {
    double memory = (double)anonymous_bytes(process);
    run.memory = memory > run.memory ? memory : run.memory;
    usleep(1000);
  }
  run.wall = qn_seconds() - begun;
  json_t *json = json_load_file(report, 0, NULL);
  if (process < 0 || state != 0 || !json) {
    qn_fail(&error, QN_SYSTEM, "%s failed on %s", options->tool, input);
    give_up(&error);
  }
  const json_t *seconds = json_object_get(json, "seconds");
  run.read = number_of(seconds, "read");
  json_decref(json);
  unlink(output);
  unlink(report);
  return run;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(const struct run *runs, uint64_t count, size_t field) {
  double values[MAX_RUNS];
  for (uint64_t i = 0; i < count; i++)
    values[i] = *(const double *)((const char *)&runs[i] + field);
  qsort(values, count, sizeof *values, by_value);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* ---- Report --------------------------------------------------------------- */

struct subject {
  const char *path;
  uint64_t bytes, lines;
};

static json_t *report_row(const struct subject *subject, const char *what, uint64_t threads,
                          double seconds, double memory) {
  char size[16] = "";
  if (memory > 0)
    qn_size_text((uint64_t)memory, size, sizeof size);
  printf("%-28s %7" PRIu64 " %9.3f %9.0f %9.1f   %s\n", what, threads, seconds,
         (double)subject->bytes / 1e6 / seconds, (double)subject->lines / 1e6 / seconds, size);
  fflush(stdout);
  return json_pack("{s:s, s:I, s:f, s:f, s:f, s:f}", "task", what, "threads", (json_int_t)threads,
                   "seconds", seconds, "megabytes_per_second",
                   (double)subject->bytes / 1e6 / seconds, "million_edges_per_second",
                   (double)subject->lines / 1e6 / seconds, "peak_memory_bytes", memory);
}

static void measure(const struct options *options, const struct subject *subject, uint64_t threads,
                    json_t *rows) {
  struct run runs[MAX_RUNS];
  for (int clean = 0; clean < 2; clean++) {
    for (uint64_t i = 0; i < options->repeats; i++)
      runs[i] = run_once(options, subject->path, threads, clean);
    double memory = median(runs, options->repeats, offsetof(struct run, memory));
    if (!clean)
      json_array_append_new(
          rows, report_row(subject, "parse", threads,
                           median(runs, options->repeats, offsetof(struct run, read)), 0));
    json_array_append_new(
        rows, report_row(subject, clean ? "import, clean undirected" : "import, directed", threads,
                         median(runs, options->repeats, offsetof(struct run, wall)), memory));
  }
}

static const struct argp_option argp_options[] = {
    {"scale", 's', "N", 0, "2^N vertices (default: 20)", 0},
    {"degree", 'd', "N", 0, "N edges a vertex (default: 16)", 0},
    {"repeats", 'r', "N", 0, "Median of N runs (default: 5)", 0},
    {"threads", 'T', "N", 0, "Up to N threads, in powers of two (default: all cores)", 0},
    {"tool", 't', "FILE", 0, "The quern-import to run (default: build/bin/quern-import)", 0},
    {"folder", 'f', "DIR", 0, "Where the input is kept and outputs go (default: $TMPDIR, /tmp)", 0},
    {"json", 'j', "FILE", 0, "Write the table as JSON too", 0},
    {0}};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case 's':
    options->scale = qn_option_number(state, "--scale", argument, 1, 30);
    return 0;
  case 'd':
    options->degree = qn_option_number(state, "--degree", argument, 1, 1024);
    return 0;
  case 'r':
    options->repeats = qn_option_number(state, "--repeats", argument, 1, MAX_RUNS);
    return 0;
  case 'T':
    options->max_threads = qn_option_number(state, "-T", argument, 1, QN_MAX_THREADS);
    return 0;
  case 't':
    options->tool = argument;
    return 0;
  case 'f':
    options->folder = argument;
    return 0;
  case 'j':
    options->json = argument;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

int main(int argc, char **argv) {
  static const struct argp argp = {
      argp_options, parse_option, NULL, "Benchmark of quern-import on an R-MAT text edge list.",
      NULL,         NULL,         NULL};
  const char *temporary = getenv("TMPDIR");
  struct options options = {.scale = 20,
                            .degree = 16,
                            .repeats = 5,
                            .max_threads = qn_threads_set(0),
                            .tool = "build/bin/quern-import",
                            .folder = temporary ? temporary : "/tmp"};
  argp_parse(&argp, argc, argv, 0, NULL, &options);
  char path[4200], size[16];
  struct stat about;
  snprintf(path, sizeof path, "%s/rmat-%" PRIu64 "-%" PRIu64 ".txt", options.folder, options.scale,
           options.degree);
  make_input(path, &options);
  if (stat(path, &about)) {
    perror(path);
    return QN_SYSTEM;
  }
  struct subject subject = {path, (uint64_t)about.st_size, options.degree << options.scale};
  printf("R-MAT scale %" PRIu64 ", degree %" PRIu64 ": %" PRIu64 " lines, %s; medians of %" PRIu64
         " runs\n\n",
         options.scale, options.degree, subject.lines,
         qn_size_text(subject.bytes, size, sizeof size), options.repeats);
  printf("%-28s %7s %9s %9s %9s   %s\n", "task", "threads", "seconds", "MB/s", "M edges/s",
         "peak memory");
  json_t *rows = json_array();
  for (uint64_t threads = 1; threads < options.max_threads; threads *= 2)
    measure(&options, &subject, threads, rows);
  measure(&options, &subject, options.max_threads, rows);
  json_t *report =
      json_pack("{s:s, s:I, s:I, s:I, s:I, s:o}", "benchmark", "import", "scale",
                (json_int_t)options.scale, "degree", (json_int_t)options.degree, "bytes",
                (json_int_t)subject.bytes, "repeats", (json_int_t)options.repeats, "rows", rows);
  bool failed = options.json && json_dump_file(report, options.json, JSON_INDENT(2));
  if (failed)
    fprintf(stderr, "bench_import: cannot write %s\n", options.json);
  json_decref(report);
  return failed ? QN_SYSTEM : QN_OK;
}
