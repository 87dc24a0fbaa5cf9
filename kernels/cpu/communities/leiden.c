#include "kernels/cpu/communities/leiden.h"

#include "support/memory.h"
#include "support/random.h"

/* An iteration that gains less is the last. */
#define LEAST_GAIN 1e-7

struct work {
  const struct qn_leiden_options *options;
  uint64_t stage;        /* of moves and refinements, each with random numbers of its own */
  uint32_t *vertex;      /* [V of the first level] the vertex of the level at hand that it is in */
  uint32_t *communities; /* [V of the level] */
  uint32_t *refined;     /* [V of the level] */
  uint32_t *scratch;     /* [V] */
};

static uint64_t next_key(struct work *work) {
  return qn_random_key(work->options->seed, work->stage++);
}

/* Each sub-community becomes a vertex, which is of the community of all its members. */
static enum qn_status coarsen(struct work *work, const struct qn_level *level, uint32_t num_coarse,
                              struct qn_level *coarse, struct qn_error *error) {
  enum qn_status status = qn_level_aggregate(level, work->refined, num_coarse, coarse, error);
  if (status)
    return status;
  for (uint32_t v = 0; v < level->num_vertices; v++)
    work->scratch[work->refined[v]] = work->communities[v];
  uint32_t *communities = work->scratch;
  work->scratch = work->communities;
  work->communities = communities;
  return QN_OK;
}

/* From a level on to coarser ones, until communities are single vertices. `level` is destroyed,
 * unless it is the first. */
static enum qn_status descend(struct work *work, const struct qn_level *first,
                              struct qn_error *error) {
  struct qn_level level = *first, coarse;
  enum qn_status status = QN_OK;
  for (uint64_t depth = 0; !status; depth++) {
    const uint32_t num_vertices = level.num_vertices;
    status =
        qn_leiden_move(&level, work->options->resolution, next_key(work), work->communities, error);
    const uint32_t num_communities =
        status ? 0
               : qn_labels_compact(work->communities, num_vertices, num_vertices, work->scratch);
    if (status || num_communities == num_vertices)
      break;
    status = qn_leiden_refine(&level, work->options->resolution, next_key(work), work->communities,
                              work->refined, error);
    const uint32_t num_refined =
        status ? 0 : qn_labels_compact(work->refined, num_vertices, num_vertices, work->scratch);
    if (status || num_refined == num_vertices)
      break;
    status = coarsen(work, &level, num_refined, &coarse, error);
    if (status)
      break;
    for (uint32_t v = 0; v < first->num_vertices; v++)
      work->vertex[v] = work->refined[work->vertex[v]];
    if (depth > 0)
      qn_level_destroy(&level);
    level = coarse;
  }
  if (level.owns_arrays)
    qn_level_destroy(&level);
  return status;
}

/* One iteration, from the communities in `community` to better ones. */
static enum qn_status improve(struct work *work, const struct qn_level *level, uint32_t *community,
                              struct qn_error *error) {
  for (uint32_t v = 0; v < level->num_vertices; v++) {
    work->vertex[v] = v;
    work->communities[v] = community[v];
  }
  enum qn_status status = descend(work, level, error);
  for (uint32_t v = 0; v < level->num_vertices && !status; v++)
    community[v] = work->communities[work->vertex[v]];
  return status;
}

static enum qn_status iterate(struct work *work, const struct qn_level *level, uint32_t *community,
                              struct qn_leiden_result *result, struct qn_error *error) {
  const double resolution = work->options->resolution;
  enum qn_status status =
      qn_level_modularity(level, community, resolution, &result->modularity, error);
  while (!status && !result->converged && result->iterations < work->options->max_iterations) {
    double modularity;
    status = improve(work, level, community, error);
    if (!status)
      status = qn_level_modularity(level, community, resolution, &modularity, error);
    if (status)
      break;
    result->converged = !(modularity - result->modularity >= LEAST_GAIN); /* nor a number */
    result->modularity = modularity;
    result->iterations++;
  }
  return status;
}

enum qn_status qn_leiden(const struct qn_level *level, const struct qn_leiden_options *options,
                         uint32_t *community, struct qn_leiden_result *result,
                         struct qn_error *error) {
  const uint64_t num_vertices = level->num_vertices;
  struct work work = {.options = options};
  *result = (struct qn_leiden_result){.converged = level->total == 0};
  enum qn_status status =
      qn_pages_alloc(&work.vertex, num_vertices, sizeof *work.vertex, "vertices", error);
  if (!status)
    status = qn_pages_alloc(&work.communities, num_vertices, sizeof *work.communities,
                            "communities", error);
  if (!status)
    status =
        qn_pages_alloc(&work.refined, num_vertices, sizeof *work.refined, "sub-communities", error);
  if (!status)
    status = qn_pages_alloc(&work.scratch, num_vertices, sizeof *work.scratch, "labels", error);
  for (uint32_t v = 0; v < num_vertices; v++)
    community[v] = v;
  if (!status)
    status = iterate(&work, level, community, result, error);
  qn_pages_free(work.vertex, num_vertices, sizeof *work.vertex);
  qn_pages_free(work.communities, num_vertices, sizeof *work.communities);
  qn_pages_free(work.refined, num_vertices, sizeof *work.refined);
  qn_pages_free(work.scratch, num_vertices, sizeof *work.scratch);
  return status;
}
