/* bench_kernels FILE...: the median time of every algorithm that this build has for each
 * container's layout: a table, or JSON with --json; --json-file FILE writes the JSON beside the
 * table. */
#include <time.h>

#include "bench/programs/trials.h"
#include "runtime/run.h"
#include "support/threads.h"

struct options {
  struct trials trials;
  struct qn_run_options run;
  const char *algorithms; /* comma-separated; NULL: all */
};

/* Seconds of each trial, and what the trials have in common. */
struct timing {
  double kernel[MAX_TRIALS];
  double whole[MAX_TRIALS];     /* preparation included */
  double processor[MAX_TRIALS]; /* of all threads, preparation included */
  uint64_t iterations;
};

enum key { KEY_ALGORITHMS = KEY_FREE, KEY_SOURCE, KEY_SOURCES, KEY_DELTA };

static const struct argp_option option_list[] = {
    TRIALS_OPTIONS,
    {"algorithms", KEY_ALGORITHMS, "A,B,...", 0, "Only these", 0},
    {"source", KEY_SOURCE, "ID", 0, "Source (default: as quern-run)", 0},
    {"sources", KEY_SOURCES, "FILE", 0, "Sources, one a line: a column each, where there are any",
     0},
    {"delta", KEY_DELTA, "W", 0, "Width of a bucket of sssp", 0},
    {0}};

static void say(struct options *options, const char *name, const char *value,
                struct argp_state *state) {
  struct qn_error error;
  if (qn_run_options_say(&options->run, name, value, &error))
    argp_error(state, "%s", error.message);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case KEY_ALGORITHMS:
    options->algorithms = argument;
    return 0;
  case KEY_SOURCE:
    say(options, "source", argument, state);
    return 0;
  case KEY_SOURCES:
    say(options, "sources", argument, state);
    return 0;
  case KEY_DELTA:
    say(options, "delta", argument, state);
    return 0;
  default:
    return trials_parse(key, argument, state, &options->trials);
  }
}

static bool is_selected(const struct options *options, const char *algorithm) {
  size_t length = strlen(algorithm);
  if (!options->algorithms)
    return true;
  for (const char *at = options->algorithms; (at = strstr(at, algorithm)); at++)
    if ((at == options->algorithms || at[-1] == ',') && (at[length] == ',' || !at[length]))
      return true;
  return false;
}

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Some kernels are for several sources, and stand in for others that are for one. */
static bool is_for_sources(const struct options *options, const struct qn_kernel *kernel) {
  const bool several = qn_run_options_said(&options->run, "sources");
  if (kernel->traits & QN_KERNEL_MULTI_SOURCE)
    return several;
  return !several || !qn_multi_source_find(kernel);
}

static enum qn_status time_kernel(const struct options *options, const struct qn_run_input *input,
                                  const struct qn_kernel *kernel, struct timing *timing,
                                  struct qn_error *error) {
  struct qn_run_options asked = options->run;
  asked.algorithm = kernel->algorithm->name;
  asked.skips_others = true;
  for (uint64_t trial = 0; trial < options->trials.count; trial++) {
    struct qn_run run;
    const double begin = processor_seconds();
    enum qn_status status = qn_run_start(input, &asked, &run, error);
    if (status)
      return status;
    timing->processor[trial] = processor_seconds() - begin;
    timing->kernel[trial] = run.result.stats.kernel_seconds;
    timing->whole[trial] = run.result.stats.kernel_seconds + run.result.stats.prepare_seconds;
    timing->iterations = run.result.stats.iterations;
    qn_run_destroy(&run);
  }
  return QN_OK;
}

static void report(const struct options *options, const struct qn_run_input *input,
                   const char *file, const struct qn_kernel *kernel, const struct timing *timing,
                   json_t *rows) {
  double seconds = median(timing->kernel, options->trials.count);
  double whole = median(timing->whole, options->trials.count);
  double processor = median(timing->processor, options->trials.count);
  double walks = kernel->traits & QN_KERNEL_ALL_ACTIVE ? (double)timing->iterations : 1;
  double rate = seconds > 0 ? (double)input->info->num_edges * walks / seconds : 0;
  trials_table(&options->trials, "%-10s %-28s %10.2f %10.2f %10.2f %6llu %12.1f\n",
               kernel->algorithm->name, kernel->name, 1e3 * seconds, 1e3 * whole, 1e3 * processor,
               (unsigned long long)timing->iterations, rate / 1e6);
  json_array_append_new(
      rows,
      json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:i, s:I}", "file",
                file, "layout", qn_layout_name(kernel->layout), "algorithm",
                kernel->algorithm->name, "device", qn_processor_name(kernel->processor), "kernel",
                kernel->name, "vertices", (json_int_t)input->info->num_vertices, "edges",
                (json_int_t)input->info->num_edges, "iterations", (json_int_t)timing->iterations,
                "kernel_seconds", seconds, "kernel_and_prepare_seconds", whole, "processor_seconds",
                processor, "edges_per_second", rate, "threads", (int)qn_threads(), "trials",
                (json_int_t)options->trials.count));
}

static enum qn_status measure(const struct options *options, const struct qn_run_input *input,
                              const char *file, const struct qn_kernel *kernel, json_t *rows,
                              struct qn_error *error) {
  struct timing timing = {0};
  enum qn_status status = time_kernel(options, input, kernel, &timing, error);
  if (!status)
    report(options, input, file, kernel, &timing, rows);
  if (!options->algorithms && (status == QN_USAGE || status == QN_UNSUPPORTED)) {
    trials_table(&options->trials, "%-10s passed over: %s\n", kernel->algorithm->name,
                 error->message);
    return QN_OK;
  }
  return status;
}

static enum qn_status bench_file(const void *user, const char *file, json_t *rows,
                                 struct qn_error *error) {
  const struct options *options = user;
  struct qn_run_input input;
  enum qn_status status = qn_run_input_open(file, false, &input, error);
  if (status)
    return status;
  trials_table(
      &options->trials,
      "\n%s: %s, %llu vertices, %llu edges, %u threads\n%-10s %-28s %10s %10s %10s %6s %12s\n",
      file, qn_layout_name(input.info->layout), (unsigned long long)input.info->num_vertices,
      (unsigned long long)input.info->num_edges, qn_threads(), "algorithm", "kernel", "kernel ms",
      "whole ms", "proc. ms", "iter", "M edges/s");
  enum qn_processor wanted = options->run.device == QN_DEVICE_CUDA ? QN_CUDA : QN_CPU;
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel && !status; kernel++) {
    bool suits =
        (*kernel)->layout == input.info->layout && (*kernel)->processor == wanted &&
        ((*kernel)->weight_types & (1u << input.info->weight_type)) &&
        (!((*kernel)->traits & QN_KERNEL_SYMMETRIC) || input.info->directedness == QN_UNDIRECTED);
    if (!suits || !is_selected(options, (*kernel)->algorithm->name) ||
        !is_for_sources(options, *kernel))
      continue;
    status = measure(options, &input, file, *kernel, rows, error);
  }
  qn_run_input_close(&input);
  return status;
}

int main(int argc, char **argv) {
  static const struct argp_child children[] = {{&qn_tool_argp, 0, NULL, 0}, {0}};
  static const struct argp argp = {
      option_list, parse, "FILE...", "Time the kernels of this build on containers.",
      children,    NULL,  NULL};
  struct options options = {0};
  qn_run_options_begin(&options.run);
  options.run.device = QN_DEVICE_CPU;
  qn_tool_parse("bench_kernels", &argp, argc, argv, &options, &options.trials.shared);
  return trials_run(&options.trials, &options, bench_file);
}
