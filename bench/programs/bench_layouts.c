/* bench_layouts GRAPH...: how long each builder takes to turn a graph container into its layout,
 * the input's checks and the output's checksums included, how large the result is against plain
 * CSR, and the peak of resident memory: a table, or JSON with --json. bench_kernels
 * times the engines on the results. */
#include <stdio.h>
#include <unistd.h>

#include "bench/programs/trials.h"
#include "formats/container/figures.h"
#include "partitioner/blocked_csr.h"
#include "partitioner/edge_partitions.h"
#include "partitioner/hybrid.h"
#include "partitioner/packed.h"
#include "partitioner/shards.h"
#include "partitioner/slotted_pages.h"
#include "support/threads.h"

static const struct qn_blocked_csr_options pull = {.directions = QN_BLOCKED_PULL};
static const struct qn_blocked_csr_options push = {.directions = QN_BLOCKED_PUSH};
static const struct qn_blocked_csr_options small_blocks = {.directions = QN_BLOCKED_PULL,
                                                           .block_vertices = 1 << 17};
static const struct qn_hybrid_options in_edges = {QN_HYBRID_IN, QN_HYBRID_AUTO_WIDTH};
static const struct qn_hybrid_options out_edges = {QN_HYBRID_OUT, QN_HYBRID_AUTO_WIDTH};
static const struct qn_edge_partitions_options partitions = {0};
static const struct qn_page_options pages = {0};
static const struct qn_shards_options shards = {0};
static const struct qn_packed_options packed = {.directions = QN_PACKED_OUT};

/* One row a builder and its options. */
static const struct {
  const char *name;
  struct qn_builder builder;
} benches[] = {
    {"pull",
     {.tool = "quern-block",
      .layout = QN_LAYOUT_BLOCKED_CSR,
      .build = qn_blocked_csr_build,
      .options = &pull}},
    {"pull, 128 Ki a block",
     {.tool = "quern-block",
      .layout = QN_LAYOUT_BLOCKED_CSR,
      .build = qn_blocked_csr_build,
      .options = &small_blocks}},
    {"push",
     {.tool = "quern-block",
      .layout = QN_LAYOUT_BLOCKED_CSR,
      .build = qn_blocked_csr_build,
      .options = &push}},
    {"default",
     {.tool = "quern-partition",
      .layout = QN_LAYOUT_EDGE_PARTITIONS,
      .build = qn_edge_partitions_build,
      .options = &partitions}},
    {"default",
     {.tool = "quern-page",
      .layout = QN_LAYOUT_SLOTTED_PAGES,
      .build = qn_slotted_pages_build,
      .options = &pages}},
    {"default",
     {.tool = "quern-shard",
      .layout = QN_LAYOUT_SHARDS,
      .build = qn_shards_build,
      .options = &shards}},
    {"in",
     {.tool = "quern-hybrid",
      .layout = QN_LAYOUT_HYBRID,
      .build = qn_hybrid_build,
      .options = &in_edges}},
    {"out",
     {.tool = "quern-hybrid",
      .layout = QN_LAYOUT_HYBRID,
      .build = qn_hybrid_build,
      .options = &out_edges}},
    {"out",
     {.tool = "quern-pack",
      .layout = QN_LAYOUT_PACKED,
      .build = qn_packed_build,
      .options = &packed}},
};

struct options {
  struct trials trials;
  const char *tools; /* comma-separated; NULL: all */
  const char *scratch;
};

enum key { KEY_TOOLS = KEY_FREE, KEY_SCRATCH };

static const struct argp_option option_list[] = {
    TRIALS_OPTIONS,
    {"tools", KEY_TOOLS, "quern-A,...", 0, "Only these builders", 0},
    {"scratch", KEY_SCRATCH, "FILE", 0, "Where to build (default: bench_layouts.qrn)", 0},
    {0}};

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case KEY_TOOLS:
    options->tools = argument;
    return 0;
  case KEY_SCRATCH:
    options->scratch = argument;
    return 0;
  default:
    return trials_parse(key, argument, state, &options->trials);
  }
}

/* Begin a new peak of resident memory; read it, in bytes (0 where the system does not tell). */
static void reset_peak(void) {
  FILE *file = fopen("/proc/self/clear_refs", "w");
  if (!file)
    return;
  fputs("5", file);
  fclose(file);
}

static uint64_t read_peak(void) {
  char line[256];
  unsigned long long kib = 0;
  FILE *file = fopen("/proc/self/status", "r");
  if (!file)
    return 0;
  while (fgets(line, sizeof line, file) && sscanf(line, "VmHWM: %llu", &kib) != 1)
    ;
  fclose(file);
  return kib * 1024;
}

struct measurement {
  double seconds; /* median */
  uint64_t bytes; /* of the container */
  uint64_t peak;  /* resident, input and output included where they are mapped */
};

static enum qn_status measure(const struct options *options, const char *input,
                              const struct qn_builder *builder, struct measurement *measured,
                              struct qn_error *error) {
  double seconds[MAX_TRIALS];
  enum qn_status status = QN_OK;
  reset_peak();
  for (uint64_t trial = 0; trial < options->trials.count && !status; trial++) {
    struct qn_source source;
    unlink(options->scratch); /* giving the old file's pages back is not the builder's work */
    double begin = qn_seconds();
    status = qn_source_open(input, &source, error);
    if (!status)
      status = qn_builder_run(builder, &source, options->scratch, true, NULL, error);
    qn_source_close(&source);
    seconds[trial] = qn_seconds() - begin;
  }
  if (status)
    return status;
  measured->seconds = median(seconds, options->trials.count);
  measured->peak = read_peak();
  struct qn_container *container;
  status = qn_container_map(options->scratch, 0, &container, error);
  if (!status)
    measured->bytes = qn_container_info(container)->file_bytes;
  qn_container_unmap(container);
  return status;
}

static void report(const struct options *options, const char *input, const char *tool,
                   const char *name, const struct qn_container_info *info,
                   const struct measurement *measured, json_t *rows) {
  double edges = (double)info->num_edges;
  double rate = edges / measured->seconds, against_csr;
  against_csr = (double)measured->bytes / (double)qn_csr_bytes(info);
  trials_table(&options->trials, "%-16s %-22s %9.3f %10.1f %10.2f %8.2f %10.1f\n", tool, name,
               measured->seconds, rate / 1e6, edges > 0 ? (double)measured->bytes / edges : 0,
               against_csr, (double)measured->peak / 1048576);
  json_array_append_new(rows,
                        json_pack("{s:s, s:s, s:s, s:I, s:f, s:f, s:I, s:f, s:I, s:i}", "file",
                                  input, "tool", tool, "options", name, "edges",
                                  (json_int_t)info->num_edges, "seconds", measured->seconds,
                                  "edges_per_second", rate, "bytes", (json_int_t)measured->bytes,
                                  "size_against_csr", against_csr, "peak_resident_bytes",
                                  (json_int_t)measured->peak, "threads", (int)qn_threads()));
}

static enum qn_status bench_file(const void *given, const char *input, json_t *rows,
                                 struct qn_error *error) {
  const struct options *options = given;
  struct qn_container *container;
  enum qn_status status = qn_container_map(input, 0, &container, error);
  if (status)
    return status;
  struct qn_container_info info = *qn_container_info(container);
  qn_container_unmap(container);
  trials_table(&options->trials,
               "\n%s: %llu vertices, %llu edges, %u threads\n%-16s %-22s %9s %10s %10s %8s %10s\n",
               input, (unsigned long long)info.num_vertices, (unsigned long long)info.num_edges,
               qn_threads(), "tool", "options", "seconds", "M edges/s", "bytes/edge", "x CSR",
               "peak MiB");
  for (size_t i = 0; i < sizeof benches / sizeof benches[0] && !status; i++) {
    struct measurement measured = {0};
    const struct qn_builder *builder = &benches[i].builder;
    if (options->tools && !strstr(options->tools, builder->tool))
      continue;
    status = measure(options, input, builder, &measured, error);
    if (!status)
      report(options, input, builder->tool, benches[i].name, &info, &measured, rows);
  }
  unlink(options->scratch);
  return status;
}

int main(int argc, char **argv) {
  static const struct argp_child children[] = {{&qn_tool_argp, 0, NULL, 0}, {0}};
  static const struct argp argp = {
      option_list,
      parse,
      "GRAPH...",
      "Time the builders of all layouts on graph containers. Set QUERN_NO_SYNC=1 to leave out the "
      "disk.",
      children,
      NULL,
      NULL};
  struct options options = {.scratch = "bench_layouts.qrn"};
  qn_tool_parse("bench_layouts", &argp, argc, argv, &options, &options.trials.shared);
  return trials_run(&options.trials, &options, bench_file);
}
