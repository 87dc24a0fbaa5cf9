#include "support/tool.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/atomic_file.h"
#include "support/options.h"
#include "support/progress.h"
#include "support/threads.h"

static const char *tool_name = "quern";

enum { KEY_JSON = 0x2001 };

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct qn_tool_options *options = state->input;
  switch (key) {
  case 'T':
    options->threads = (unsigned)qn_option_number(state, "-T", argument, 0, QN_MAX_THREADS);
    return 0;
  case 'q':
    options->quiet = true;
    return 0;
  case 'f':
    options->force = true;
    return 0;
  case KEY_JSON:
    options->json = true;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

#define SHARED_OPTIONS                                                                             \
  {"threads", 'T', "N", 0, "Use N threads (default: all cores)", 90},                              \
      {"quiet", 'q', NULL, 0, "No progress and no notices", 90}, {                                 \
    "json", KEY_JSON, NULL, 0, "Print one JSON object on standard output", 90                      \
  }

static const struct argp_option shared_options[] = {SHARED_OPTIONS, {0}};
static const struct argp_option output_options[] = {
    SHARED_OPTIONS, {"force", 'f', NULL, 0, "Replace an existing output file", 90}, {0}};

const struct argp qn_tool_argp = {.options = shared_options, .parser = parse_option};
const struct argp qn_tool_output_argp = {.options = output_options, .parser = parse_option};

static void print_version(FILE *stream, struct argp_state *state) {
  (void)state;
  fprintf(stream, "%s (Quern) %s\n", tool_name, QN_VERSION);
}

/* A mapped input that shrinks while it is read is a SIGBUS: say so instead of crashing. */
static void input_vanished(int signal_number) {
  static const char message[] =
      "quern: an input file was truncated or became unreadable while it was in use\n";
  (void)signal_number;
  if (write(STDERR_FILENO, message, sizeof message - 1) < 0)
    _exit(QN_SYSTEM);
  qn_atomic_files_remove();
  _exit(QN_SYSTEM);
}

static void catch_vanishing_inputs(void) {
  struct sigaction action = {.sa_handler = input_vanished};
  sigfillset(&action.sa_mask);
  sigaction(SIGBUS, &action, NULL);
  /* A limit of file sizes shall be an error of writing, which has a message. */
  signal(SIGXFSZ, SIG_IGN);
}

void qn_tool_parse(const char *name, const struct argp *argp, int argc, char **argv, void *input,
                   const struct qn_tool_options *options) {
  tool_name = name;
  argp_program_version_hook = print_version;
  argp_err_exit_status = QN_USAGE;
  char *called = argv[0];
  argv[0] = (char *)name;
  argp_parse(argp, argc, argv, 0, NULL, input);
  argv[0] = called;
  catch_vanishing_inputs();
  qn_progress_quiet(options->quiet);
  qn_threads_set(options->threads);
}

int qn_tool_exit(enum qn_status status, const struct qn_error *error) {
  if (status) {
    char text[1100];
    qn_progress_end();
    fprintf(stderr, "%s: %s\n", tool_name, qn_error_text(error, text, sizeof text));
  }
  if (fflush(stdout) != 0 && !status) {
    fprintf(stderr, "%s: cannot write to standard output\n", tool_name);
    return QN_SYSTEM;
  }
  return (int)status;
}
