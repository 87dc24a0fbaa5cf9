/* Communities by modularity on CSR: the Leiden algorithm (kernels/cpu/communities/leiden.h), on
 * undirected graphs, with weights if there are any.
 *
 * A kernel of its own because a vertex weighs communities against each other, of which every move
 * changes two, and because the graph itself shrinks from level to level. */
#include "kernels/cpu/communities/leiden.h"
#include "kernels/cpu/loop/labels.h"
#include "kernels/standalone_kernel.h"
#include "support/memory.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_leiden_csr_cpu;

static enum qn_status find_communities(const struct qn_run_request *request,
                                       const struct qn_level *level, uint32_t *community,
                                       struct qn_leiden_result *found, struct qn_error *error) {
  const struct qn_leiden_options options = {.resolution = qn_argument(request, "resolution").real,
                                            .seed = qn_argument(request, "seed").whole,
                                            .max_iterations = request->limits.max_iterations};
  enum qn_status status = qn_leiden(level, &options, community, found, error);
  if (!status)
    status = qn_label_by_position(community, level->num_vertices, request->positions, error);
  return status;
}

/* Labels of communities are below V, but need not be their own members. */
static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  struct qn_level level;
  struct qn_leiden_result found;
  uint32_t *community = NULL;
  double begin = qn_seconds();
  *result = (struct qn_run_result){0};
  enum qn_status status = qn_level_create(request->view, &level, error);
  if (status)
    return status;
  status = qn_pages_alloc(&community, level.num_vertices, sizeof *community, "communities", error);
  const double prepared = qn_seconds();
  if (!status)
    status = find_communities(request, &level, community, &found, error);
  if (status)
    qn_pages_free(community, level.num_vertices, sizeof *community);
  else
    *result = (struct qn_run_result){.type = QN_RESULT_U32,
                                     .num_values = level.num_vertices,
                                     .values = community,
                                     .score = {"modularity", found.modularity},
                                     .stats.iterations = found.iterations,
                                     .stats.converged = found.converged,
                                     .stats.prepare_seconds = prepared - begin,
                                     .stats.kernel_seconds = qn_seconds() - prepared};
  qn_level_destroy(&level);
  return status;
}

const struct qn_kernel qn_kernel_leiden_csr_cpu =
    QN_LEIDEN_KERNEL("csr, Leiden", QN_LAYOUT_GRAPH, QN_CPU, run);
