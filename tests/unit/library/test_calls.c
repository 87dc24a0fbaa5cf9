/* Where the work of calls is done: callbacks, cancelling, threads side by side, forked children. */
#include "helpers/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <quern/quern.h>

static struct qn_error error;

enum { EDGES = 300000, VERTICES = 20000 };
static uint32_t sources[EDGES], targets[EDGES];

static void make_edges(void) {
  uint64_t x = 1;
  for (int i = 0; i < EDGES; i++) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    sources[i] = (uint32_t)(x >> 33) % VERTICES;
    x = x * 6364136223846793005u + 1442695040888963407u;
    targets[i] = (uint32_t)(x >> 33) % VERTICES;
  }
}

static struct qn_session *imported(const struct qn_job *job) {
  struct qn_edge_arrays edges = {.size = sizeof edges,
                                 .num_edges = EDGES,
                                 .id_type = QN_TYPE_U32,
                                 .sources = sources,
                                 .targets = targets,
                                 .has_num_vertices = true,
                                 .num_vertices = VERTICES};
  struct qn_session *session;
  return qn_import_arrays(&edges, NULL, 0, NULL, job, &session, &error) ? NULL : session;
}

/* ---- Callbacks --------------------------------------------------------------- */

struct told {
  pthread_t thread; /* that called */
  unsigned progress, asked, notices, elsewhere;
  unsigned patience; /* how often it is not cancelled */
  char notice[256];
};

static void note_progress(void *user, const struct qn_progress *progress) {
  struct told *told = user;
  told->progress++;
  told->elsewhere += !pthread_equal(told->thread, pthread_self());
  assert_non_null(progress->what);
  assert_non_null(progress->unit);
}

static bool is_cancelled(void *user) {
  struct told *told = user;
  told->elsewhere += !pthread_equal(told->thread, pthread_self());
  return ++told->asked > told->patience;
}

static void note(void *user, const char *text) {
  struct told *told = user;
  told->notices++;
  told->elsewhere += !pthread_equal(told->thread, pthread_self());
  strncat(told->notice, text, sizeof told->notice - 1 - strlen(told->notice));
}

static struct qn_job job_of(struct told *told) {
  told->thread = pthread_self();
  return (struct qn_job){.size = sizeof(struct qn_job),
                         .threads = 2,
                         .progress = note_progress,
                         .cancelled = is_cancelled,
                         .notice = note,
                         .user = told};
}

/* Without a limit it would go on for hours. */
TEST(runs_are_cancelled) {
  static const char *const algorithms[] = {"pagerank", "heat"};
  const struct qn_option forever[] = {{"tolerance", "0"}, {"iterations", "4294967295"}};
  struct qn_session *session = imported(NULL);
  assert_non_null(session);
  for (int i = 0; i < 2; i++) {
    struct told told = {.patience = 2};
    struct qn_job job = job_of(&told);
    struct qn_result *result;
    bool has_tolerance = i == 0;
    assert_int_equal(qn_session_run(session, algorithms[i], has_tolerance ? forever : forever + 1,
                                    has_tolerance ? 2 : 1, &job, &result, &error),
                     QN_INTERRUPTED);
    assert_null(result);
    assert_string_equal(error.message, "the call was cancelled");
    assert_true(told.asked >= 3);
    assert_true(told.progress > 0);
    assert_int_equal(told.elsewhere, 0);
  }
  struct told told = {.patience = UINT32_MAX};
  struct qn_job job = job_of(&told);
  struct qn_result *result;
  assert_int_equal(qn_session_run(session, "bfs", NULL, 0, &job, &result, &error), QN_OK);
  qn_result_close(result);
  qn_session_close(session);
}

TEST(notices_come_to_the_caller) {
  const struct qn_option options[] = {{"symmetrize", NULL}};
  struct told told = {.patience = UINT32_MAX};
  struct qn_job job = job_of(&told);
  struct qn_session *session = imported(&job), *other;
  assert_non_null(session);
  assert_int_equal(qn_session_transform(session, options, 1, NULL, &job, &other, &error), QN_OK);
  assert_int_equal(qn_session_export(other, "csv", NULL, 0, "n.csv", &job, &error), QN_OK);
  assert_true(told.notices > 0);
  assert_non_null(strstr(told.notice, "note: "));
  assert_int_equal(told.elsewhere, 0);
  qn_session_close(other);
  qn_session_close(session);
}

/* ---- Side by side ------------------------------------------------------------ */

static float *ranks_of(struct qn_session *session) {
  struct qn_result *result;
  struct qn_error own;
  float *ranks = malloc(VERTICES * sizeof *ranks);
  if (qn_session_run(session, "pagerank", NULL, 0, NULL, &result, &own) ||
      qn_result_copy(result, 0, ranks, VERTICES * sizeof *ranks, &own)) {
    free(ranks);
    return NULL;
  }
  qn_result_close(result);
  return ranks;
}

/* Everything once more, on a session of its own and on one that others use too. */
static void *work_beside(void *shared) {
  struct qn_session *own = imported(NULL), *built;
  struct qn_error failure;
  char path[64];
  bool good = own != NULL;
  float *a = ranks_of(shared), *b = good ? ranks_of(own) : NULL;
  good = good && a && b && memcmp(a, b, VERTICES * sizeof *a) == 0;
  snprintf(path, sizeof path, "beside-%d-%lx.qrn", (int)getpid(), (unsigned long)pthread_self());
  good =
      good && !qn_session_build(shared, "edge-partitions", NULL, 0, path, NULL, &built, &failure);
  if (good)
    good = !qn_session_verify(built, QN_VERIFY_ALL, NULL, &failure);
  if (good)
    qn_session_close(built);
  free(a);
  free(b);
  qn_session_close(own);
  return good ? shared : NULL;
}

TEST(threads_side_by_side) {
  enum { THREADS = 6 };
  pthread_t threads[THREADS];
  struct qn_session *shared = imported(NULL);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, work_beside, shared), 0);
  for (int i = 0; i < THREADS; i++) {
    void *good;
    pthread_join(threads[i], &good);
    assert_ptr_equal(good, shared);
  }
  qn_session_close(shared);
}

/* ---- Children ---------------------------------------------------------------- */

/* OpenMP of gcc waits for ever in a child whose parent has used it: not here, and not in a child of
 * a child. */
TEST(children) {
  struct qn_session *session = imported(NULL);
  float *ranks = ranks_of(session);
  assert_non_null(ranks);
  for (int depth = 0; depth < 3; depth++) {
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      float *again = ranks_of(session);
      bool good = again && memcmp(ranks, again, VERTICES * sizeof *ranks) == 0;
      pid_t grandchild = fork();
      if (grandchild == 0) {
        alarm(60);
        _exit(work_beside(session) ? 0 : 1);
      }
      int how;
      waitpid(grandchild, &how, 0);
      _exit(good && how == 0 ? 0 : 1);
    }
    int how;
    waitpid(child, &how, 0);
    assert_int_equal(how, 0);
  }
  free(ranks);
  qn_session_close(session);
}

/* ---- Few threads -------------------------------------------------------------- */

/* libgomp ends the process when it gets no thread. In a child, which nobody else counts in. */
TEST(no_threads_to_get) {
  if (geteuid() == 0)
    skip(); /* whom no limit holds */
  pid_t child = fork();
  if (child == 0) {
    struct rlimit none = {0, 0};
    alarm(60);
    setrlimit(RLIMIT_NPROC, &none);
    _exit(!imported(NULL) && error.status == QN_SYSTEM ? 0 : 1);
  }
  int how;
  waitpid(child, &how, 0);
  assert_int_equal(how, 0);
}

int main(void) {
  make_edges();
  return run_listed_tests(NULL, NULL);
}
