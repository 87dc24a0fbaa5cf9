/* Where an allocation fails, a call of the library says that memory ran out, and nothing else: it
 * does not end its host, crash, call what is sound damaged, or leave a file behind. Each call is
 * made in forked children; in the n-th of them the n-th allocation fails. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/scratch.h"
#include "helpers/test.h"
#include <quern/quern.h>

/* ---- Allocations that fail -------------------------------------------------- */

static atomic_uint_least64_t countdown; /* to the one that fails; 0: none does */

/* Sanitizers have allocators of their own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIPPED true
#else
#define SKIPPED false

/* libgomp ends the process when it gets no memory. A call looks beforehand whether there is some
 * (library/call.c), which one failure among many successes does not show. */
static bool is_libgomp(const void *caller) {
  Dl_info library;
  return dladdr(caller, &library) && strstr(library.dli_fname, "libgomp");
}

static bool fails(const void *caller) {
  return atomic_load(&countdown) > 0 && !is_libgomp(caller) && atomic_fetch_sub(&countdown, 1) == 1;
}

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);

void *malloc(size_t bytes) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, bytes);
}
#endif

/* ---- Calls ------------------------------------------------------------------ */

static const struct qn_job job = {.size = sizeof job, .threads = 2};
static struct qn_error error;
static char *input, *output;
static struct qn_session *opened;

static enum qn_status make(struct qn_session **out) {
  static const uint32_t sources[] = {0, 0, 2, 3}, targets[] = {1, 2, 0, 1};
  const struct qn_edge_arrays edges = {.size = sizeof edges,
                                       .num_edges = 4,
                                       .id_type = QN_TYPE_U32,
                                       .sources = sources,
                                       .targets = targets};
  return qn_import_arrays(&edges, NULL, 0, NULL, &job, out, &error);
}

static enum qn_status import(void) {
  struct qn_session *session = NULL;
  enum qn_status status = make(&session);
  qn_session_close(session);
  return status;
}

static enum qn_status open_file(void) {
  struct qn_session *session = NULL;
  enum qn_status status = qn_session_open(input, 0, &job, &session, &error);
  qn_session_close(session);
  return status;
}

static enum qn_status describe(void) {
  char *json = NULL;
  enum qn_status status = qn_session_describe(opened, &json, &error);
  qn_text_free(json);
  return status;
}

/* A text that lacks something would be wrong. */
static enum qn_status list(void) {
  static char *whole;
  char *json = NULL;
  enum qn_status status = qn_list(QN_LIST_LAYOUTS, &json, &error);
  if (!status && !whole && atomic_load(&countdown) == 0)
    whole = json;
  else if (!status && whole && strcmp(whole, json) != 0)
    status = qn_fail(&error, QN_NEGATIVE, "another list");
  if (json != whole)
    qn_text_free(json);
  return status;
}

static enum qn_status run(void) {
  struct qn_result *result = NULL;
  char *json = NULL;
  enum qn_status status = qn_session_run(opened, "wcc", NULL, 0, &job, &result, &error);
  if (!status)
    status = qn_result_summary(result, &json, &error);
  qn_text_free(json);
  qn_result_close(result);
  return status;
}

static enum qn_status build(void) {
  return qn_session_build(opened, "packed", NULL, 0, output, &job, NULL, &error);
}

static enum qn_status save_archive(void) {
  const struct qn_option archive = {"archive", NULL};
  return qn_session_save(opened, &archive, 1, output, &job, &error);
}

static enum qn_status export_graphml(void) {
  return qn_session_export(opened, "graphml", NULL, 0, output, &job, &error);
}

static enum qn_status attach(void) {
  static const double loads[] = {0.5, 1.5, 2.5, 3.5};
  const struct qn_property_array load = {
      .size = sizeof load, .name = "load", .type_name = "f64", .count = 4, .values = loads};
  struct qn_session *session = NULL;
  enum qn_status status =
      qn_session_attach(opened, &load, 1, NULL, 0, NULL, 0, output, &job, &session, &error);
  qn_session_close(session);
  return status;
}

/* ---- Children --------------------------------------------------------------- */

/* How children end: none of these is what libraries end a process with. */
enum { DONE = 10, NOT_REACHED, OUT_OF_MEMORY, LEFT_A_FILE, ANOTHER_ERROR };

static int outcome(enum qn_status (*call)(void), uint64_t n) {
  atomic_store(&countdown, n);
  enum qn_status status = call();
  bool reached = atomic_exchange(&countdown, 0) == 0;
  if (status == QN_OK)
    return reached ? DONE : NOT_REACHED;
  if (status != QN_SYSTEM || !error.message[0]) {
    fprintf(stderr, "status %d: %s\n", (int)status, error.message);
    return ANOTHER_ERROR;
  }
  return access(output, F_OK) == 0 ? LEFT_A_FILE : OUT_OF_MEMORY;
}

/* Returns the child's exit code, or minus its signal. */
static int outcome_in_child(enum qn_status (*call)(void), uint64_t n) {
  int status;
  fflush(NULL);
  pid_t process = fork();
  if (process == 0)
    _exit(outcome(call, n));
  assert_true(process > 0 && waitpid(process, &status, 0) == process);
  unlink(output);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void every_allocation(const char *name, enum qn_status (*call)(void)) {
  unsigned failures = 0, softly = 0;
  if (SKIPPED)
    skip();
  assert_int_equal(call(), QN_OK);
  unlink(output);
  for (uint64_t n = 1;; n++) {
    int ended = outcome_in_child(call, n);
    if (ended == NOT_REACHED)
      break;
    softly += ended == OUT_OF_MEMORY;
    if (ended == DONE || ended == OUT_OF_MEMORY)
      continue;
    fprintf(stderr, "%s, allocation %d: ended with %d\n", name, (int)n, ended);
    assert_true(++failures < 200);
  }
  assert_int_equal(failures, 0);
  assert_true(softly > 0);
}

#define FAIL_EVERY_ALLOCATION(call)                                                                \
  TEST(test_##call) {                                                                              \
    every_allocation(#call, call);                                                                 \
  }
FAIL_EVERY_ALLOCATION(import)
FAIL_EVERY_ALLOCATION(open_file)
FAIL_EVERY_ALLOCATION(describe)
FAIL_EVERY_ALLOCATION(list)
FAIL_EVERY_ALLOCATION(run)
FAIL_EVERY_ALLOCATION(build)
FAIL_EVERY_ALLOCATION(save_archive)
FAIL_EVERY_ALLOCATION(export_graphml)
FAIL_EVERY_ALLOCATION(attach)

static int set_up(void **state) {
  struct qn_session *session;
  if (scratch_create(state))
    return -1;
  input = strdup(scratch_path("in.qrn"));
  output = strdup(scratch_path("out"));
  if (make(&session) || qn_session_save(session, NULL, 0, input, &job, &error))
    return -1;
  qn_session_close(session);
  return qn_session_open(input, 0, &job, &opened, &error) ? -1 : 0;
}

static int tear_down(void **state) {
  qn_session_close(opened);
  free(input);
  free(output);
  return scratch_remove(state);
}

TEST_MAIN(set_up, tear_down)
