/* Threads that use libquern at once, for ThreadSanitizer: sessions of their own, and one of each
 * kind that all share. A barrier before each step lets all threads take it together. Argument: a
 * program of the user's own, or none. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <quern/quern.h>

enum { THREADS = 4, VERTICES = 400, EDGES = 3000 };

static uint32_t sources[EDGES], targets[EDGES], weights[EDGES], ages[VERTICES];
static const char *program;
static pthread_barrier_t together;
static struct {
  struct qn_session *graph, *pages, *archive;
  struct qn_placed *placed;
  struct qn_result *result;
} shared;

#define ALL_WELL(call)                                                                             \
  do {                                                                                             \
    struct qn_error error;                                                                         \
    if (call) {                                                                                    \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, error.message);                           \
      _exit(1);                                                                                    \
    }                                                                                              \
  } while (0)

static void demand(bool condition, int line) {
  if (!condition) {
    fprintf(stderr, "%s:%d: not as it must be\n", __FILE__, line);
    _exit(1);
  }
}

static void make_edges(void) {
  uint64_t x = 1;
  for (int i = 0; i < EDGES; i++) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    sources[i] = (uint32_t)(x >> 33) % VERTICES;
    targets[i] = (uint32_t)(x >> 43) % VERTICES;
    weights[i] = 1 + (uint32_t)(x >> 53) % 9;
  }
}

/* ---- Steps ------------------------------------------------------------------- */

static struct qn_session *imported(void) {
  const struct qn_edge_arrays edges = {.size = sizeof edges,
                                       .num_edges = EDGES,
                                       .id_type = QN_TYPE_U32,
                                       .sources = sources,
                                       .targets = targets,
                                       .weight_type = QN_TYPE_U32,
                                       .weights = weights,
                                       .has_num_vertices = true,
                                       .num_vertices = VERTICES};
  struct qn_session *graph;
  ALL_WELL(qn_import_arrays(&edges, NULL, 0, NULL, NULL, &graph, &error));
  return graph;
}

static void verify(void) {
  ALL_WELL(qn_session_verify(shared.graph, QN_VERIFY_ALL, NULL, &error));
  ALL_WELL(qn_session_verify(shared.pages, QN_VERIFY_STRUCTURE, NULL, &error));
}

static void look(void) {
  struct qn_session *const sessions[] = {shared.graph, shared.pages, shared.archive};
  for (int i = 0; i < 3; i++) {
    struct qn_edge_rows out = {.size = sizeof out}, in = {.size = sizeof in};
    struct qn_session_info info = {.size = sizeof info};
    struct qn_id_arrays ids = {.size = sizeof ids};
    struct qn_section_array section = {.size = sizeof section};
    const char *name = "7";
    uint32_t vertex;
    char *json;
    qn_session_info(sessions[i], &info);
    demand(info.num_edges == EDGES, __LINE__);
    ALL_WELL(qn_session_out_edges(sessions[i], NULL, &out, &error));
    ALL_WELL(qn_session_in_edges(sessions[i], NULL, &in, &error));
    uint64_t sum = 0;
    for (uint64_t e = 0; e < EDGES; e++)
      sum += out.column_indices[e] + in.column_indices[e];
    demand(sum > 0 && out.row_offsets[VERTICES] == in.row_offsets[VERTICES], __LINE__);
    ALL_WELL(qn_session_ids(sessions[i], &ids, &error));
    ALL_WELL(qn_session_find(sessions[i], &name, 1, &vertex, NULL, &error));
    ALL_WELL(qn_session_section(sessions[i], 0, &section, &error));
    ALL_WELL(qn_session_describe(sessions[i], &json, &error));
    qn_text_free(json);
  }
}

static void read_properties(void) {
  uint64_t of_vertices, of_edges;
  struct qn_property_array age = {.size = sizeof age};
  ALL_WELL(qn_session_properties(shared.graph, &of_vertices, &of_edges, &error));
  demand(of_vertices == 1 && of_edges == 0, __LINE__);
  ALL_WELL(qn_session_property(shared.graph, false, 0, &age, &error));
  demand(age.count == VERTICES && ((const uint32_t *)age.values)[5] == ages[5], __LINE__);
}

static void run(struct qn_session *graph, const char *algorithm, const char *option,
                const char *value) {
  const struct qn_option given = {option, value};
  struct qn_result *result;
  char *json;
  ALL_WELL(qn_session_run(graph, algorithm, &given, 1, NULL, &result, &error));
  ALL_WELL(qn_result_summary(result, &json, &error));
  qn_text_free(json);
  qn_result_close(result);
}

static void run_all(void) {
  static const char *const others[] = {"scc", "hits", "lcc", "cdlp", "walk", "closeness", "katz"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    run(i % 2 ? shared.pages : shared.graph, others[i], "device", "cpu");
  run(shared.graph, "bfs", "source", "3");
  run(shared.graph, "pagerank", "iterations", "5");
  run(shared.pages, "cc", "device", "cpu");
  run(shared.archive, "sssp", "source", "0");
}

static void run_placed(void) {
  const struct qn_option source = {"source", "9"};
  struct qn_result *result;
  ALL_WELL(qn_placed_run(shared.placed, "bfs", &source, 1, NULL, &result, &error));
  qn_result_close(result);
}

static void read_result(void) {
  struct qn_result_info info = {.size = sizeof info};
  float ranks[VERTICES];
  char *json;
  qn_result_info(shared.result, &info);
  ALL_WELL(qn_result_copy(shared.result, 0, ranks, sizeof ranks, &error));
  ALL_WELL(qn_result_summary(shared.result, &json, &error));
  qn_text_free(json);
}

static bool is_enough(void *user) {
  return ++*(int *)user > 1;
}

static void watch(void *user, const struct qn_progress *progress) {
  demand(user && progress->what, __LINE__);
}

static void hear(void *user, const char *text) {
  demand(user && *text, __LINE__);
}

/* It would go on for hours. */
static void cancel(void) {
  const struct qn_option forever[] = {{"tolerance", "0"}, {"iterations", "4294967295"}};
  int asked = 0;
  const struct qn_job job = {.size = sizeof job,
                             .threads = 2,
                             .progress = watch,
                             .cancelled = is_enough,
                             .notice = hear,
                             .user = &asked};
  struct qn_result *result;
  struct qn_error error;
  demand(qn_session_run(shared.graph, "pagerank", forever, 2, &job, &result, &error) ==
             QN_INTERRUPTED,
         __LINE__);
}

static void make(void) {
  const struct qn_option symmetrize = {"symmetrize", NULL};
  struct qn_session *own = imported(), *other;
  char path[64], *json;
  snprintf(path, sizeof path, "%lx.qrn", (unsigned long)pthread_self());
  ALL_WELL(qn_session_build(shared.graph, "shards", NULL, 0, NULL, NULL, &other, &error));
  qn_session_close(other);
  ALL_WELL(qn_session_transform(shared.pages, &symmetrize, 1, path, NULL, &other, &error));
  qn_session_close(other);
  ALL_WELL(qn_session_open(path, QN_OPEN_VERIFY, NULL, &other, &error));
  qn_session_close(other);
  unlink(path);
  const struct qn_option parts = {"parts", "3"}; /* in a folder */
  ALL_WELL(qn_session_export(own, "csv", &parts, 1, path, NULL, &error));
  strcat(path, ".csv");
  ALL_WELL(qn_session_export(own, "csv", NULL, 0, path, NULL, &error));
  unlink(path);
  run(own, "degree", "device", "cpu");
  ALL_WELL(qn_list(QN_LIST_ALGORITHMS, &json, &error));
  qn_text_free(json);
  qn_session_close(own);
}

static void fail(void) {
  struct qn_session *none;
  struct qn_result *result;
  struct qn_error error;
  demand(qn_session_open("none.qrn", 0, NULL, &none, &error) == QN_SYSTEM, __LINE__);
  demand(qn_session_run(shared.graph, "nothing", NULL, 0, NULL, &result, &error) != QN_OK,
         __LINE__);
}

/* All compile the same. */
static void run_program(void) {
  if (program)
    run(shared.graph, NULL, "program", program);
}

static void (*const steps[])(void) = {verify,     look,        read_properties, run_all,
                                      run_placed, read_result, cancel,          make,
                                      fail,       look,        run_program};

static void *work(void *unused) {
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    pthread_barrier_wait(&together);
    steps[i]();
  }
  return unused;
}

/* ---- What is shared ------------------------------------------------------------ */

static void share(void) {
  const struct qn_property_array age = {
      .size = sizeof age, .name = "age", .type_name = "u32", .count = VERTICES, .values = ages};
  const struct qn_option archive = {"archive", NULL};
  struct qn_session *plain = imported(), *pages;
  ALL_WELL(qn_session_attach(plain, &age, 1, NULL, 0, NULL, 0, "shared.qrn", NULL, &pages, &error));
  qn_session_close(pages);
  ALL_WELL(qn_session_save(plain, &archive, 1, "shared.qrnz", NULL, &error));
  ALL_WELL(qn_session_open("shared.qrn", 0, NULL, &shared.graph, &error));
  ALL_WELL(qn_session_open("shared.qrnz", 0, NULL, &shared.archive, &error));
  ALL_WELL(qn_session_build(plain, "slotted-pages", NULL, 0, NULL, NULL, &shared.pages, &error));
  ALL_WELL(qn_session_place(shared.graph, NULL, 0, NULL, &shared.placed, &error));
  ALL_WELL(qn_session_run(plain, "pagerank", NULL, 0, NULL, &shared.result, &error));
  qn_session_close(plain);
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  program = argc > 1 ? argv[1] : NULL;
  make_edges();
  share();
  pthread_barrier_init(&together, NULL, THREADS);
  for (int i = 0; i < THREADS; i++)
    demand(!pthread_create(&threads[i], NULL, work, NULL), __LINE__);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  qn_result_close(shared.result);
  qn_placed_close(shared.placed);
  qn_session_close(shared.archive);
  qn_session_close(shared.pages);
  qn_session_close(shared.graph);
  return 0;
}
