/* bench_verifying FILE...: the median time of what quern-run does with a container before it uses
 * it: the rules alone, and the rules with the checksums beside them. A table, or JSON with --json;
 * --json-file FILE writes the JSON beside the table. --processor-time measures that. */
#include <time.h>

#include "bench/programs/trials.h"
#include "runtime/run_input.h"
#include "support/threads.h"
#include <quern/open.h>

struct options {
  struct trials trials;
  bool processor_time;
};

enum key { KEY_PROCESSOR_TIME = KEY_FREE };

static double now(const struct options *options) {
  struct timespec time;
  clock_gettime(options->processor_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Of a mapping of its own, as in a process of its own. */
static enum qn_status time_checks(const struct options *options, const char *file, bool checksums,
                                  double *seconds, struct qn_error *error) {
  struct qn_run_input input;
  struct qn_container *container;
  enum qn_status status = qn_container_open(file, 0, &container, error);
  if (status)
    return status;
  status = qn_run_input_view(container, &input, error);
  double begin = now(options);
  if (!status && checksums)
    status = qn_run_input_check(&input, error);
  else if (!status)
    status = input.layout->check(NULL, input.view, error);
  *seconds = now(options) - begin;
  qn_run_input_forget(&input);
  qn_container_unmap(container);
  return status;
}

static enum qn_status bench_file(const void *user, const char *file, json_t *rows,
                                 struct qn_error *error) {
  const struct options *options = user;
  const struct trials *trials = &options->trials;
  double rules[MAX_TRIALS], both[MAX_TRIALS];
  enum qn_status status = QN_OK;
  for (uint64_t trial = 0; trial < trials->count && !status; trial++) {
    status = time_checks(options, file, false, &rules[trial], error);
    if (!status)
      status = time_checks(options, file, true, &both[trial], error);
  }
  if (status)
    return status;
  double of_rules = median(rules, trials->count), of_both = median(both, trials->count);
  trials_table(trials, "%s: %u threads, rules %.2f ms, with checksums %.2f ms\n", file,
               qn_threads(), 1e3 * of_rules, 1e3 * of_both);
  json_array_append_new(rows, json_pack("{s:s, s:f, s:f, s:i, s:I}", "file", file, "rules_seconds",
                                        of_rules, "seconds", of_both, "threads", (int)qn_threads(),
                                        "trials", (json_int_t)trials->count));
  return QN_OK;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  if (key != KEY_PROCESSOR_TIME)
    return trials_parse(key, argument, state, &options->trials);
  options->processor_time = true;
  return 0;
}

int main(int argc, char **argv) {
  static const struct argp_option option_list[] = {
      TRIALS_OPTIONS,
      {"processor-time", KEY_PROCESSOR_TIME, NULL, 0, "Of all threads, not wall time", 0},
      {0}};
  static const struct argp_child children[] = {{&qn_tool_argp, 0, NULL, 0}, {0}};
  static const struct argp argp = {
      option_list, parse, "FILE...", "Time what is checked before a container is used.",
      children,    NULL,  NULL};
  struct options options = {0};
  qn_tool_parse("bench_verifying", &argp, argc, argv, &options, &options.trials.shared);
  return trials_run(&options.trials, &options, bench_file);
}
