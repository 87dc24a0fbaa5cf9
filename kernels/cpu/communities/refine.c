#include "kernels/cpu/communities/leiden.h"

#include <math.h>

#include "kernels/work_division/chunks.h"
#include "support/memory.h"
#include "support/random.h"

/* How much chance has to say among sub-communities with a gain: theta of the paper. */
#define RANDOMNESS 0.01
/* What gains less than the most by so many times that is never chosen. */
#define HOPELESS 50

struct work {
  const struct qn_level *level;
  double scale; /* resolution / total */
  const uint32_t *community;
  uint32_t *refined;
  uint64_t key;
  double *community_degrees; /* [V] by community */
  double *degrees;           /* [V] by sub-community */
  double *outside;           /* [V] by sub-community: weight to the rest of its community */
  uint8_t *is_alone;         /* [V] is the vertex its sub-community still? */
  uint32_t *order;
  double *gains; /* [V] of what a vertex's gathered weights are to */
  struct qn_gathered gathered;
};

/* Is a part of a community with so many degrees and so much weight to the rest of it connected with
 * that at least as well as chance would have it? */
static bool is_well_connected(const struct work *work, double outside, double degrees,
                              double community_degrees) {
  return outside >= degrees * (community_degrees - degrees) * work->scale;
}

static void gather(struct work *work, uint32_t v) {
  const struct qn_level *level = work->level;
  for (uint64_t entry = level->begins[v]; entry < level->ends[v]; entry++) {
    const uint32_t other = level->neighbors[entry];
    if (other != v && work->community[other] == work->community[v])
      qn_gathered_add(&work->gathered, work->refined[other], qn_level_weight(level, entry));
  }
}

/* What modularity gains if v joins the sub-community; -INFINITY if that is not well connected. */
static double gain(const struct work *work, uint32_t v, uint32_t target) {
  const double degrees = work->community_degrees[work->community[v]];
  if (!is_well_connected(work, work->outside[target], work->degrees[target], degrees))
    return -INFINITY;
  return work->gathered.weight[target] -
         work->level->degrees[v] * work->degrees[target] * work->scale;
}

static double likelihood(double gain, double most) {
  const double below = (gain - most) / RANDOMNESS;
  return gain >= 0 && below > -HOPELESS ? exp(below) : 0;
}

/* A sub-community for v, by chance among those with a gain, which favours the larger ones strongly;
 * v itself if there is none. */
static uint32_t choose(const struct work *work, uint32_t v) {
  const struct qn_gathered *gathered = &work->gathered;
  double most = 0;
  for (uint32_t i = 0; i < gathered->num_touched; i++) {
    work->gains[i] = gain(work, v, gathered->touched[i]);
    most = fmax(most, work->gains[i]);
  }
  double sum = likelihood(0, most); /* of staying alone */
  for (uint32_t i = 0; i < gathered->num_touched; i++)
    sum += work->gains[i] = likelihood(work->gains[i], most);
  double left = sum * ((double)(qn_random_at(work->key, v) >> 11) * 0x1p-53);
  for (uint32_t i = 0; i < gathered->num_touched; i++) {
    left -= work->gains[i];
    if (left < 0)
      return gathered->touched[i];
  }
  return v;
}

static void merge(struct work *work, uint32_t v, uint32_t target) {
  work->degrees[target] += work->level->degrees[v];
  work->outside[target] += work->outside[v] - 2 * work->gathered.weight[target];
  work->is_alone[target] = 0;
  work->refined[v] = target;
}

static void refine_vertex(struct work *work, uint32_t v) {
  if (!work->is_alone[v] || !is_well_connected(work, work->outside[v], work->level->degrees[v],
                                               work->community_degrees[work->community[v]]))
    return;
  gather(work, v);
  const uint32_t target = choose(work, v);
  if (target != v)
    merge(work, v, target);
  qn_gathered_clear(&work->gathered);
}

static void begin(struct work *work) {
  const struct qn_level *level = work->level;
  for (uint32_t v = 0; v < level->num_vertices; v++)
    work->community_degrees[work->community[v]] += level->degrees[v];
#pragma omp parallel for schedule(dynamic, 1024) if (level->num_vertices > QN_SWEEP_VERTICES)
  for (uint32_t v = 0; v < level->num_vertices; v++) {
    work->refined[v] = v;
    work->degrees[v] = level->degrees[v];
    work->is_alone[v] = 1;
    for (uint64_t entry = level->begins[v]; entry < level->ends[v]; entry++) {
      const uint32_t other = level->neighbors[entry];
      if (other != v && work->community[other] == work->community[v])
        work->outside[v] += qn_level_weight(level, entry);
    }
  }
}

enum qn_status qn_leiden_refine(const struct qn_level *level, double resolution, uint64_t key,
                                const uint32_t *community, uint32_t *refined,
                                struct qn_error *error) {
  const uint32_t num_vertices = level->num_vertices;
  struct work work = {.level = level,
                      .scale = resolution / level->total,
                      .community = community,
                      .refined = refined,
                      .key = key};
  enum qn_status status =
      qn_pages_alloc(&work.community_degrees, num_vertices, sizeof *work.community_degrees,
                     "degrees of communities", error);
  if (!status)
    status = qn_pages_alloc(&work.degrees, num_vertices, sizeof *work.degrees,
                            "degrees of communities", error);
  if (!status)
    status = qn_pages_alloc(&work.outside, num_vertices, sizeof *work.outside,
                            "weights within communities", error);
  if (!status)
    status = qn_pages_alloc(&work.is_alone, num_vertices, sizeof *work.is_alone, "marks", error);
  if (!status)
    status = qn_pages_alloc(&work.order, num_vertices, sizeof *work.order, "an order", error);
  if (!status)
    status = qn_pages_alloc(&work.gains, num_vertices, sizeof *work.gains, "gains", error);
  if (!status)
    status = qn_gathered_create(&work.gathered, num_vertices, error);
  if (!status) {
    begin(&work);
    qn_leiden_order(work.order, num_vertices, key);
    for (uint32_t i = 0; i < num_vertices; i++)
      refine_vertex(&work, work.order[i]);
  }
  qn_pages_free(work.community_degrees, num_vertices, sizeof *work.community_degrees);
  qn_pages_free(work.degrees, num_vertices, sizeof *work.degrees);
  qn_pages_free(work.outside, num_vertices, sizeof *work.outside);
  qn_pages_free(work.is_alone, num_vertices, sizeof *work.is_alone);
  qn_pages_free(work.order, num_vertices, sizeof *work.order);
  qn_pages_free(work.gains, num_vertices, sizeof *work.gains);
  qn_gathered_destroy(&work.gathered, num_vertices);
  return status;
}
