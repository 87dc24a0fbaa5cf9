/* bench_edges GRAPH.qrn [TRIALS]: searches and components that look at every edge in every
 * iteration, by all threads of the CPU, as X-Stream does, with which Graphie compares itself (table
 * III, figure 6). X-Stream itself shuffles updates into partitions between two passes; here a
 * destination's value is lowered at once, which is one pass. The source is the vertex of the most
 * edges; real weights are added up in 4 bytes.
 *
 * One line of JSON for each: the median seconds and the iterations; exit code 1 if a result is not
 * what it is defined to be: values that no edge can lower, each of which some edge explains. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include "support/threads.h"
#include "support/tool.h"
#include <quern/graph.h>

#define NONE UINT32_MAX
#define MOST_TRIALS 25

enum search { BFS, SSSP, COMPONENTS };

struct job {
  const struct qn_csr *rows;
  uint32_t *sources; /* [E] */
  uint32_t *values;  /* [V] non-negative reals as their bits, which have the same order */
  uint8_t *active, *next;
  enum search search;
  uint32_t source;
};

static float real_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* What the edge offers its destination. */
static uint32_t offer(const struct job *job, uint32_t value, uint64_t edge) {
  const struct qn_weights *weights = &job->rows->weights;
  if (job->search == COMPONENTS)
    return value;
  if (job->search == BFS || weights->type == QN_WEIGHT_NONE)
    return value + 1;
  return weights->type == QN_WEIGHT_U32 ? value + weights->u32[edge]
                                        : bits_of(real_of(value) + weights->f32[edge]);
}

/* Did the value get less? */
static bool lower(uint32_t *value, uint32_t offered) {
  uint32_t old = __atomic_load_n(value, __ATOMIC_RELAXED);
  while (offered < old)
    if (__atomic_compare_exchange_n(value, &old, offered, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return true;
  return false;
}

static bool stream_edges(struct job *job) {
  const uint64_t num_edges = job->rows->num_edges;
  bool any = false;
#pragma omp parallel for schedule(static, 65536) reduction(|| : any)
  for (uint64_t edge = 0; edge < num_edges; edge++) {
    const uint32_t u = job->sources[edge], v = job->rows->column_indices[edge];
    if (!job->active[u])
      continue;
    const uint32_t value = __atomic_load_n(&job->values[u], __ATOMIC_RELAXED);
    if (!lower(&job->values[v], offer(job, value, edge)))
      continue;
    __atomic_store_n(&job->next[v], 1, __ATOMIC_RELAXED);
    any = true;
  }
  return any;
}

static uint64_t run(struct job *job) {
  const uint64_t num_vertices = job->rows->num_vertices;
  for (uint64_t v = 0; v < num_vertices; v++) {
    job->values[v] = job->search == COMPONENTS ? (uint32_t)v : v == job->source ? 0 : NONE;
    job->active[v] = job->values[v] != NONE;
    job->next[v] = 0;
  }
  uint64_t iterations = 0;
  for (bool any = true; any; iterations++) {
    any = stream_edges(job);
    uint8_t *last = job->active;
    job->active = job->next;
    job->next = last;
    memset(job->next, 0, num_vertices);
  }
  return iterations;
}

/* In order, with one thread: nothing can be lowered, and what is not a first value was offered. */
static bool is_right(const struct job *job) {
  const uint64_t num_vertices = job->rows->num_vertices;
  memset(job->next, 0, num_vertices);
  for (uint64_t edge = 0; edge < job->rows->num_edges; edge++) {
    const uint32_t u = job->sources[edge], v = job->rows->column_indices[edge];
    if (job->values[u] == NONE)
      continue;
    const uint32_t offered = offer(job, job->values[u], edge);
    if (offered < job->values[v])
      return false;
    job->next[v] |= offered == job->values[v] && u != v;
  }
  for (uint64_t v = 0; v < num_vertices; v++) {
    const uint32_t first = job->search == COMPONENTS ? (uint32_t)v : v == job->source ? 0 : NONE;
    if (job->values[v] != first && !job->next[v])
      return false;
    if (job->search == COMPONENTS && job->values[job->values[v]] != job->values[v])
      return false;
  }
  return true;
}

static int compare(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static bool bench(struct job *job, const char *name, int trials) {
  double seconds[MOST_TRIALS];
  uint64_t iterations = 0;
  bool right = true;
  for (int i = 0; i < trials; i++) {
    const double begin = qn_seconds();
    iterations = run(job);
    seconds[i] = qn_seconds() - begin;
    right = right && (i > 0 || is_right(job));
  }
  qsort(seconds, (size_t)trials, sizeof *seconds, compare);
  printf("{\"algorithm\": \"%s\", \"seconds\": %.9g, \"iterations\": %" PRIu64 ", \"right\": %s}\n",
         name, seconds[trials / 2], iterations, right ? "true" : "false");
  return right;
}

static enum qn_status job_create(const struct qn_graph *graph, struct job *job,
                                 struct qn_error *error) {
  const struct qn_csr *rows = &graph->out;
  *job = (struct job){.rows = rows};
  enum qn_status status =
      qn_alloc(&job->sources, rows->num_edges, sizeof *job->sources, "sources", error);
  if (!status)
    status = qn_alloc(&job->values, rows->num_vertices, sizeof *job->values, "values", error);
  if (!status)
    status = qn_alloc(&job->active, rows->num_vertices, 1, "active vertices", error);
  if (!status)
    status = qn_alloc(&job->next, rows->num_vertices, 1, "active vertices", error);
  for (uint64_t v = 0; v < rows->num_vertices && !status; v++) {
    const uint32_t most = job->source;
    for (uint64_t edge = rows->row_offsets[v]; edge < rows->row_offsets[v + 1]; edge++)
      job->sources[edge] = (uint32_t)v;
    if (rows->row_offsets[v + 1] - rows->row_offsets[v] >
        rows->row_offsets[most + 1] - rows->row_offsets[most])
      job->source = (uint32_t)v;
  }
  return status;
}

int main(int argc, char **argv) {
  struct qn_graph graph;
  struct qn_error error;
  struct job job = {0};
  bool right = true;
  if (argc < 2) {
    fprintf(stderr, "usage: bench_edges GRAPH.qrn [TRIALS]\n");
    return QN_USAGE;
  }
  const int wanted = argc > 2 ? atoi(argv[2]) : 5;
  const int trials = wanted < 1 ? 1 : wanted > MOST_TRIALS ? MOST_TRIALS : wanted;
  qn_error_clear(&error);
  enum qn_status status = qn_graph_map(argv[1], &graph, &error);
  if (status)
    return qn_tool_exit(status, &error);
  status = qn_graph_check(graph.container, &graph, &error);
  if (!status && qn_weight_bytes(graph.out.weights.type) == 8)
    status = qn_fail(&error, QN_UNSUPPORTED, "%s: weights of 8 bytes", argv[1]);
  if (!status)
    status = job_create(&graph, &job, &error);
  static const char *const names[] = {"bfs", "sssp", "cc"};
  const bool undirected = graph.directedness == QN_UNDIRECTED;
  for (int search = BFS; !status && search <= (undirected ? COMPONENTS : SSSP); search++) {
    job.search = (enum search)search;
    right = bench(&job, names[search], trials) && right;
  }
  qn_free(job.sources);
  qn_free(job.values);
  qn_free(job.active);
  qn_free(job.next);
  qn_graph_unmap(&graph);
  return status ? qn_tool_exit(status, &error) : !right;
}
