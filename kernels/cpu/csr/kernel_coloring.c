/* A colouring on CSR: neighbours have different colours, numbers from 0. Greedily, those of high
 * degree first, each the smallest that its neighbours before it leave (Welsh, Powell 1967, by
 * by_priority.h): at most one more than the highest degree, and mostly far fewer. Loops are
 * ignored.
 *
 * A kernel of its own because the smallest colour that is left is no combination of messages. */
#include "kernels/cpu/csr/by_priority.h"
#include "kernels/standalone_kernel.h"
#include "support/memory.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_coloring_csr_cpu;

struct work {
  struct qn_priorities priorities;
  uint32_t *colors; /* [V] */
  uint64_t *taken;  /* [threads][words] colours of neighbours as bits, zero between uses */
  uint64_t words;
};

/* Colours that neighbours before v have are below the number of these. */
static uint64_t take_colors(const struct work *work, uint32_t v, uint64_t *taken) {
  const struct qn_csr *csr = work->priorities.csr;
  uint64_t used_words = 0;
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++) {
    const uint32_t other = csr->column_indices[edge];
    if (!qn_comes_before(&work->priorities, other, v))
      continue;
    const uint32_t color = work->colors[other];
    taken[color / 64] |= (uint64_t)1 << (color % 64);
    used_words = color / 64 >= used_words ? color / 64 + 1 : used_words;
  }
  return used_words;
}

static void visit(void *user, uint32_t v, unsigned thread) {
  const struct work *work = user;
  uint64_t *taken = work->taken + thread * work->words;
  const uint64_t used_words = take_colors(work, v, taken);
  uint64_t word = 0;
  while (word < used_words && taken[word] == UINT64_MAX)
    word++;
  const unsigned bit = word < used_words ? (unsigned)__builtin_ctzll(~taken[word]) : 0;
  work->colors[v] = (uint32_t)(word * 64 + bit);
  for (uint64_t used = 0; used < used_words; used++)
    taken[used] = 0;
}

/* The highest degree, and one more, as colours go up to there. */
static uint64_t most_colors(const struct qn_csr *csr) {
  uint64_t most = 0;
  for (uint64_t v = 0; v < csr->num_vertices; v++) {
    const uint64_t degree = csr->row_offsets[v + 1] - csr->row_offsets[v];
    most = degree > most ? degree : most;
  }
  return (most < csr->num_vertices ? most : csr->num_vertices) + 1;
}

static enum qn_status create_arrays(const struct qn_run_request *request, struct work *work,
                                    struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  work->words = most_colors(&graph->out) / 64 + 1;
  enum qn_status status =
      qn_priorities_create(&graph->out, request->positions, true, &work->priorities, error);
  if (!status)
    status = qn_pages_alloc(&work->colors, graph->out.num_vertices, sizeof *work->colors, "colours",
                            error);
  if (!status)
    status = qn_pages_alloc(&work->taken, qn_threads() * work->words, sizeof *work->taken,
                            "colours of neighbours", error);
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  const uint64_t num_vertices = graph->out.num_vertices;
  struct work work = {0};
  double begin = qn_seconds();
  *result = (struct qn_run_result){0};
  enum qn_status status = create_arrays(request, &work, error);
  const double prepared = qn_seconds();
  if (!status)
    status = qn_visit_by_priority(&work.priorities, visit, &work, error);
  qn_priorities_destroy(&work.priorities);
  qn_pages_free(work.taken, qn_threads() * work.words, sizeof *work.taken);
  if (status) {
    qn_pages_free(work.colors, num_vertices, sizeof *work.colors);
    return status;
  }
  *result = (struct qn_run_result){.type = QN_RESULT_U32,
                                   .num_values = num_vertices,
                                   .values = work.colors,
                                   .stats.iterations = 1,
                                   .stats.converged = true,
                                   .stats.prepare_seconds = prepared - begin,
                                   .stats.kernel_seconds = qn_seconds() - prepared};
  return QN_OK;
}

const struct qn_kernel qn_kernel_coloring_csr_cpu =
    QN_COLORING_KERNEL("csr, greedy by degree", QN_LAYOUT_GRAPH, QN_CPU, run);
