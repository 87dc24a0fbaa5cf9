#include "support/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/atomic_file.h"
#include "support/json_text.h"
#include "support/options.h"
#include "support/output_stream.h"
#include "support/progress.h"
#include "support/suggest.h"
#include "support/system/processors.h"
#include "support/text/help.h"
#include "support/text/terminal.h"
#include "support/threads.h"
#include "support/used_files.h"

static const char *tool_name = "quern";
static bool json_errors;

/* What argp says of a wrong command line, with --json. */
static char *usage_text;
static size_t usage_bytes;
static FILE *usage_stream;

enum { KEY_JSON = 0x2001, KEY_USAGE };

static void print_version(void) {
  if (json_errors)
    printf("{\"tool\": \"%s\", \"version\": \"%s\"}\n", tool_name, QN_VERSION);
  else
    printf("%s (Quern) %s\n", tool_name, QN_VERSION);
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct qn_tool_options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    if (usage_stream)
      state->err_stream = usage_stream;
    return 0;
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
  case 'h':
  case '?':
    qn_help_print(tool_name, state->root_argp, qn_terminal_width() - 1, stdout);
    exit(fflush(stdout) == 0 ? 0 : QN_SYSTEM);
  case KEY_USAGE:
    qn_help_print_usage(tool_name, state->root_argp, qn_terminal_width() - 1, stdout);
    exit(fflush(stdout) == 0 ? 0 : QN_SYSTEM);
  case 'v':
  case 'V':
    print_version();
    exit(fflush(stdout) == 0 ? 0 : QN_SYSTEM);
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

#define SHARED_OPTIONS                                                                             \
  {"threads", 'T', "N", 0, "Use N threads (default: all cores; one for small files)", 90},         \
      {"quiet", 'q', NULL, 0, "No progress, notices, notes or summary: only warnings", 90},        \
      {"json", KEY_JSON, NULL, 0, "Print one JSON object on standard output", 90},                 \
      {"help", 'h', NULL, 0, "Show this help", 99},                                                \
      {NULL, '?', NULL, OPTION_HIDDEN, "As --help", 99},                                           \
      {"usage", KEY_USAGE, NULL, 0, "Show the options alone", 99},                                 \
      {"version", 'v', NULL, 0, "Show the version", 99}, {                                         \
    NULL, 'V', NULL, OPTION_HIDDEN, "As --version", 99                                             \
  }

static const struct argp_option shared_options[] = {SHARED_OPTIONS, {0}};
static const struct argp_option output_options[] = {
    SHARED_OPTIONS, {"force", 'f', NULL, 0, "Replace an existing output file", 90}, {0}};

const struct argp qn_tool_argp = {.options = shared_options, .parser = parse_option};
const struct argp qn_tool_output_argp = {.options = output_options, .parser = parse_option};

/* In a signal handler: nothing but system calls. */
_Noreturn static void give_up(const char *message) {
  ssize_t written = write(STDERR_FILENO, message, strlen(message));
  (void)written;
  qn_atomic_files_remove();
  _exit(QN_SYSTEM);
}

/* A mapped input that shrinks while it is read is a SIGBUS: say so instead of crashing. */
static void input_vanished(int signal_number) {
  (void)signal_number;
  give_up("quern: an input file was truncated or became unreadable while it was in use\n");
}

#define OVERWRITTEN                                                                                \
  "an input file was overwritten while it was in use, so there is no result; write a new file "    \
  "and "                                                                                           \
  "rename it instead"

static struct sigaction before_segv;

/* What is read of a mapped input that is overwritten may lead anywhere, but only to where nothing
 * is lies nothing to be harmed (used_files.h). Of a fault with another cause the one takes care who
 * did before, when the instruction is run again. A signal that a process has sent does not come
 * again by itself, and this thread must not go on: it holds the lock of the names. */
static void input_overwritten(int signal_number, siginfo_t *about, void *context) {
  const bool is_fault = about->si_code > 0;
  (void)context;
  if (is_fault && qn_used_files_written())
    give_up("quern: " OVERWRITTEN "\n");
  if (before_segv.sa_handler == SIG_DFL)
    qn_atomic_files_remove();
  sigaction(signal_number, &before_segv, NULL);
  if (!is_fault)
    raise(signal_number); /* when this handler returns */
}

static void catch_changing_inputs(void) {
  struct sigaction action = {.sa_handler = input_vanished};
  sigfillset(&action.sa_mask);
  sigaction(SIGBUS, &action, NULL);
  action.sa_sigaction = input_overwritten;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &before_segv);
  /* A limit of file sizes, or a pipe that nobody reads, shall be an error of writing. */
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
}

/* ---- Errors as JSON -------------------------------------------------------- */

static const char *status_word(enum qn_status status) {
  switch (status) {
  case QN_NEGATIVE:
    return "negative";
  case QN_USAGE:
    return "usage";
  case QN_INVALID:
    return "invalid";
  case QN_UNSUPPORTED:
    return "unsupported";
  case QN_DEVICE:
    return "device";
  case QN_INTERRUPTED:
    return "interrupted";
  default:
    return "system";
  }
}

static void print_json_error(enum qn_status status, const struct qn_error *error) {
  json_t *object = json_pack("{s:s, s:i, s:o}", "status", status_word(status), "exit_code",
                             (int)status, "message", qn_json_text(error->message));
  if (error->file[0])
    json_object_set_new(object, "file", qn_json_text(error->file));
  if (error->line)
    json_object_set_new(object, "line", json_integer((json_int_t)error->line));
  if (error->line && error->column)
    json_object_set_new(object, "column", json_integer((json_int_t)error->column));
  if (error->offset != QN_NO_OFFSET)
    json_object_set_new(object, "offset", json_integer((json_int_t)error->offset));
  json_t *report = json_pack("{s:o}", "error", object);
  if (report)
    json_dumpf(report, stdout, JSON_INDENT(2));
  putchar('\n');
  json_decref(report);
}

void qn_tool_print_json(json_t *report) {
  struct qn_error error;
  if (!report || json_object_set_new(report, "notes", qn_notes_json()))
    exit(qn_tool_exit(qn_fail_memory(&error, "the report", 0), &error));
  json_dumpf(report, stdout, JSON_INDENT(2));
  putchar('\n');
  json_decref(report);
}

/* argp ends the process: what it said is the first line, behind the tool's name. */
static void report_usage(void) {
  struct qn_error error;
  if (!usage_stream || fclose(usage_stream) || usage_bytes == 0)
    return;
  usage_stream = NULL;
  fputs(usage_text, stderr);
  const char *message = strstr(usage_text, ": ");
  message = message ? message + 2 : usage_text;
  qn_fail(&error, QN_USAGE, "%.*s", (int)strcspn(message, "\n"), message);
  print_json_error(QN_USAGE, &error);
  fflush(stdout);
}

static void begin_json_errors(void) {
  json_errors = true;
  usage_stream = open_memstream(&usage_text, &usage_bytes);
  if (usage_stream)
    atexit(report_usage);
}

/* ---- Options that there are not --------------------------------------------- */

/* What a command line says before argp parses it. */
struct command_line {
  bool json;           /* --json is among the options */
  const char *unknown; /* the first long option that `argp` does not know, with its "--"; or NULL */
  char best[64];       /* the option that may have been meant, without "--"; "" if none */
};

/* Called with every option of a parser and of its children; true ends it. */
typedef bool (*visitor)(const struct argp_option *option, void *context);

static bool visit_options(const struct argp *argp, visitor visit, void *context) {
  const struct argp_option *option = argp->options;
  for (; option && (option->name || option->key || option->doc || option->group); option++)
    if (visit(option, context))
      return true;
  for (const struct argp_child *child = argp->children; child && child->argp; child++)
    if (visit_options(child->argp, visit, context))
      return true;
  return false;
}

struct search {
  const char *name; /* of a long option, `length` bytes; NULL: by key */
  size_t length;
  int key;
  const struct argp_option *found;
  uint32_t count; /* of names that begin so */
};

static bool match(const struct argp_option *option, void *context) {
  struct search *search = context;
  if (!search->name) {
    search->found = option->key == search->key ? option : NULL;
    return search->found != NULL;
  }
  if (!option->name || strncmp(option->name, search->name, search->length) != 0)
    return false;
  search->found = option;
  search->count++;
  return option->name[search->length] == '\0';
}

static bool offer(const struct argp_option *option, void *context) {
  if (option->name && !(option->flags & OPTION_HIDDEN))
    qn_suggestion_offer(context, option->name);
  return false;
}

static void remember_unknown(const struct argp *argp, const char *text, size_t length,
                             struct command_line *line) {
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)length, text + 2);
  struct qn_suggestion suggestion = qn_suggestion_for(name);
  visit_options(argp, offer, &suggestion);
  line->unknown = text;
  if (suggestion.best)
    snprintf(line->best, sizeof line->best, "%s", suggestion.best);
}

/* Does the next word belong to the option `text`, which begins with "--"? */
static bool look_at_long(const struct argp *argp, const char *text, struct command_line *line) {
  size_t length = strcspn(text + 2, "=");
  struct search search = {.name = text + 2, .length = length};
  visit_options(argp, match, &search);
  if (!search.found && !line->unknown)
    remember_unknown(argp, text, length, line);
  line->json |= search.found && strcmp(search.found->name, "json") == 0;
  return search.found && search.found->arg && !(search.found->flags & OPTION_ARG_OPTIONAL) &&
         text[2 + length] == '\0';
}

/* Of one-letter options: does the last one lack its value? */
static bool look_at_letters(const struct argp *argp, const char *text) {
  for (const char *p = text + 1; *p; p++) {
    struct search search = {.key = (unsigned char)*p};
    visit_options(argp, match, &search);
    if (search.found && search.found->arg)
      return p[1] == '\0';
  }
  return false;
}

static void look_at_command_line(const struct argp *argp, int argc, char **argv,
                                 struct command_line *line) {
  *line = (struct command_line){0};
  for (int i = 1; i < argc; i++) {
    const char *text = argv[i];
    if (text[0] != '-' || text[1] == '\0')
      continue;
    if (strcmp(text, "--") == 0)
      return;
    if (text[1] == '-' ? look_at_long(argp, text, line) : look_at_letters(argp, text))
      i++;
  }
}

/* Options that there are not get a better message than getopt's. */
static void look_at_options(const struct argp *argp, int argc, char **argv) {
  struct command_line line;
  look_at_command_line(argp, argc, argv, &line);
  if (line.json)
    begin_json_errors();
  if (!line.unknown)
    return;
  FILE *stream = usage_stream ? usage_stream : stderr;
  fprintf(stream, "%s: there is no option '%.*s'", tool_name, (int)strcspn(line.unknown, "="),
          line.unknown);
  if (line.best[0])
    fprintf(stream, "; did you mean '--%s'?", line.best);
  fprintf(stream, "\nTry `%s --help' for more information.\n", tool_name);
  exit(QN_USAGE);
}

static void tell_of_outputs(void) {
  if (qn_outputs_in_place())
    fprintf(stderr, "%s: what was written before is in place and whole\n", tool_name);
}

/* From parsing to qn_tool_exit nothing of ours ends the process, but libgomp does when it gets no
 * thread or no memory, and libarchive: they say why, and exit with 1, which means something else.
 */
static bool at_work;

static void library_gave_up(void) {
  if (!at_work)
    return;
  tell_of_outputs();
  qn_atomic_files_remove();
  _exit(QN_SYSTEM);
}

/* jansson does not survive everywhere that it gets no memory, and what it makes or reads then lacks
 * something: the process ends before that is used. */
static void *json_memory(size_t bytes) {
  void *memory = malloc(bytes);
  if (memory)
    return memory;
  fprintf(stderr, "%s: out of memory: JSON needs %zu bytes\n", tool_name, bytes);
  tell_of_outputs();
  qn_atomic_files_remove();
  _exit(QN_SYSTEM);
}

/* A file that is opened while a standard descriptor is closed takes its number, and messages would
 * be written into it. What stands in for it refuses to be used: input that is not there is not
 * empty, and a result that nobody gets is not printed. */
static void open_standard_descriptors(void) {
  for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
    if (fcntl(i, F_GETFD) < 0 && errno == EBADF &&
        open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY) != i)
      _exit(QN_SYSTEM);
}

/* ---- Beginning and end ------------------------------------------------------ */

/* Before anything has begun. */
static _Noreturn void fail_early(const char *what) {
  fprintf(stderr, "%s: out of memory: %s\n", tool_name, what);
  _exit(QN_SYSTEM);
}

void qn_tool_parse(const char *name, const struct argp *argp, int argc, char **argv, void *input,
                   const struct qn_tool_options *options) {
  tool_name = name;
  open_standard_descriptors();
  qn_pages_leave_by_all_threads();
  json_set_alloc_funcs(json_memory, free);
  if (atexit(library_gave_up) != 0)
    fail_early("what is done at the end");
  if (!qn_terminal_guard(qn_terminal_speaks_utf8()))
    fail_early("the terminal");
  argp_err_exit_status = QN_USAGE;
  look_at_options(argp, argc, argv);
  char *called = argv[0];
  argv[0] = (char *)name;
  if (argp_parse(argp, argc, argv, ARGP_NO_HELP, NULL, input) != 0)
    fail_early("the command line");
  at_work = true;
  argv[0] = called;
  catch_changing_inputs();
  qn_atomic_files_catch_signals();
  qn_progress_show(options->quiet);
  qn_threads_set(options->threads ? options->threads : qn_processors_usual());
}

void qn_tool_spare_threads(const struct qn_tool_options *options, const char *const *inputs,
                           int num_inputs, uint64_t few, bool (*names_others)(const char *input)) {
  for (int i = 0; i < num_inputs; i++)
    if (names_others(inputs[i]))
      return;
  if (!options->threads && !qn_processors_are_given() &&
      qn_files_are_small(inputs, num_inputs, few))
    qn_threads_set(1);
}

void qn_tool_check_output(const struct qn_tool_options *options, const char *output,
                          struct argp_state *state) {
  if (options->json && qn_is_standard_output(output))
    argp_error(state, "--json and -o would both write to standard output");
}

void qn_tool_print_error(const struct qn_error *error) {
  char text[1100];
  qn_progress_end();
  fprintf(stderr, "%s: %s\n", tool_name, qn_error_text(error, text, sizeof text));
}

/* A tool that fails while its input is overwritten may find any fault in it. */
static bool is_overwriting(enum qn_status status) {
  return status && status != QN_SYSTEM && status != QN_INTERRUPTED && qn_used_files_written();
}

int qn_tool_exit(enum qn_status status, const struct qn_error *error) {
  struct qn_error cause;
  at_work = false;
  if (is_overwriting(status)) {
    status = qn_fail(&cause, QN_SYSTEM, OVERWRITTEN);
    error = &cause;
  }
  if (status && error && !qn_reader_has_gone())
    qn_tool_print_error(error);
  if (status && error && json_errors)
    print_json_error(status, error);
  if ((fflush(stdout) != 0 || ferror(stdout)) && !status) {
    status = QN_SYSTEM;
    if (!qn_standard_output_is_deaf())
      fprintf(stderr, "%s: cannot write to standard output\n", tool_name);
  }
  enum qn_status released = qn_outputs_release(status == QN_OK, &cause);
  if (released) {
    status = released;
    qn_tool_print_error(&cause);
  }
  if (status && (error || released))
    tell_of_outputs();
  return (int)status;
}
