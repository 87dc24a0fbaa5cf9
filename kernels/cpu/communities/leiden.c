#include "kernels/cpu/communities/leiden.h"

#include <string.h>

#include "support/memory.h"
#include "support/random.h"

/* An iteration that gains less is the last: those behind it gain a little at a time, for long. */
#define LEAST_GAIN 2e-4
/* Iterations of a start anew. */
#define ANEW 2

struct work {
  const struct qn_leiden_options *options;
  uint64_t num_vertices; /* of the level that an iteration begins with, the first one */
  bool is_coarse;        /* is that a level of a coarser graph already? */
  uint64_t stage;        /* of moves and refinements, each with random numbers of its own */
  uint32_t *vertex;      /* [V of the first level] the vertex of the level at hand that it is in */
  uint32_t *communities; /* [V of the level] */
  uint32_t *refined;     /* [V of the level] */
  uint32_t *scratch;     /* [V] */
};

static enum qn_status work_create(struct work *work, struct qn_error *error) {
  const uint64_t num_vertices = work->num_vertices;
  enum qn_status status =
      qn_pages_alloc(&work->vertex, num_vertices, sizeof *work->vertex, "vertices", error);
  if (!status)
    status = qn_pages_alloc(&work->communities, num_vertices, sizeof *work->communities,
                            "communities", error);
  if (!status)
    status = qn_pages_alloc(&work->refined, num_vertices, sizeof *work->refined, "sub-communities",
                            error);
  if (!status)
    status = qn_pages_alloc(&work->scratch, num_vertices, sizeof *work->scratch, "labels", error);
  return status;
}

static void work_destroy(struct work *work) {
  qn_pages_free(work->vertex, work->num_vertices, sizeof *work->vertex);
  qn_pages_free(work->communities, work->num_vertices, sizeof *work->communities);
  qn_pages_free(work->refined, work->num_vertices, sizeof *work->refined);
  qn_pages_free(work->scratch, work->num_vertices, sizeof *work->scratch);
}

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

static enum qn_status improve(struct work *work, const struct qn_level *level, uint32_t *community,
                              struct qn_error *error);

static void start_alone(uint32_t *community, uint64_t num_vertices) {
  for (uint64_t v = 0; v < num_vertices; v++)
    community[v] = (uint32_t)v;
}

static enum qn_status improve_both(struct work *work, const struct qn_level *level,
                                   uint32_t *community, uint32_t *anew, struct qn_error *error) {
  const double resolution = work->options->resolution;
  double of_old = 0, of_new = 0;
  enum qn_status status = improve(work, level, community, error);
  start_alone(anew, level->num_vertices);
  for (int i = 0; !status && i < ANEW; i++)
    status = improve(work, level, anew, error);
  if (!status)
    status = qn_level_modularity(level, community, resolution, &of_old, error);
  if (!status)
    status = qn_level_modularity(level, anew, resolution, &of_new, error);
  if (of_new > of_old)
    memcpy(community, anew, level->num_vertices * sizeof *anew);
  return status;
}

/* The communities of the first coarse level improved, or others in their place that are better:
 * made there anew, of vertices that are each alone. What joined others early hardly leaves them by
 * single moves, and on this level, of a fraction of the vertices, a second look is cheap. */
static enum qn_status improve_or_replace(struct work *work, const struct qn_level *level,
                                         struct qn_error *error) {
  struct work inner = {.options = work->options,
                       .num_vertices = level->num_vertices,
                       .is_coarse = true,
                       .stage = work->stage};
  uint32_t *anew = NULL;
  enum qn_status status = work_create(&inner, error);
  if (!status)
    status = qn_pages_alloc(&anew, inner.num_vertices, sizeof *anew, "communities", error);
  if (!status)
    status = improve_both(&inner, level, work->communities, anew, error);
  qn_pages_free(anew, inner.num_vertices, sizeof *anew);
  work_destroy(&inner);
  work->stage = inner.stage;
  return status;
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
    if (!work->is_coarse) {
      status = improve_or_replace(work, &level, error);
      break;
    }
  }
  if (level.begins != first->begins)
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
  struct work work = {.options = options, .num_vertices = level->num_vertices};
  *result = (struct qn_leiden_result){.converged = level->total == 0};
  enum qn_status status = work_create(&work, error);
  start_alone(community, level->num_vertices);
  if (!status)
    status = iterate(&work, level, community, result, error);
  work_destroy(&work);
  return status;
}
