#include "kernels/cpu/communities/leiden.h"

#include "support/memory.h"
#include "support/random.h"

/* A gain that rounding alone may make, as a part of a vertex's degree. */
#define NO_GAIN 1e-12
/* A vertex is looked at a few times. Where a file's edges have no reverse (G-9), or change
 * meanwhile, vertices could chase each other for ever: so often on the average, and no more. */
#define MOST_LOOKS ((uint64_t)1000)

enum qn_status qn_gathered_create(struct qn_gathered *gathered, uint32_t num_vertices,
                                  struct qn_error *error) {
  *gathered = (struct qn_gathered){0};
  enum qn_status status = qn_pages_alloc(&gathered->weight, num_vertices, sizeof *gathered->weight,
                                         "weights to communities", error);
  if (!status)
    status = qn_pages_alloc(&gathered->touched, num_vertices, sizeof *gathered->touched,
                            "communities beside a vertex", error);
  return status;
}

void qn_gathered_destroy(struct qn_gathered *gathered, uint32_t num_vertices) {
  qn_pages_free(gathered->weight, num_vertices, sizeof *gathered->weight);
  qn_pages_free(gathered->touched, num_vertices, sizeof *gathered->touched);
}

void qn_leiden_order(uint32_t *order, uint32_t count, uint64_t key) {
  for (uint32_t i = 0; i < count; i++)
    order[i] = i;
  for (uint32_t left = count; left > 1; left--) {
    const uint64_t pick = qn_random_below(qn_random_at(key, left), left);
    const uint32_t kept = order[pick];
    order[pick] = order[left - 1];
    order[left - 1] = kept;
  }
}

struct work {
  const struct qn_level *level;
  double scale; /* resolution / total: a community's pull is lessened by degree times that */
  uint32_t *community;
  double *degrees;  /* [V] of communities */
  uint32_t *sizes;  /* [V] of communities */
  uint32_t *unused; /* labels without members */
  uint32_t num_unused;
  uint32_t *queue;    /* [V] a ring of vertices to look at */
  uint8_t *is_queued; /* [V] */
  uint32_t head, num_queued;
  struct qn_gathered gathered;
};

static void enqueue(struct work *work, uint32_t v) {
  const uint32_t capacity = work->level->num_vertices, room = capacity - work->head;
  const uint32_t place =
      work->num_queued < room ? work->head + work->num_queued : work->num_queued - room;
  work->queue[place] = v;
  work->num_queued++;
  work->is_queued[v] = 1;
}

static uint32_t dequeue(struct work *work) {
  const uint32_t v = work->queue[work->head];
  work->head = work->head + 1 == work->level->num_vertices ? 0 : work->head + 1;
  work->num_queued--;
  work->is_queued[v] = 0;
  return v;
}

static void gather(struct work *work, uint32_t v) {
  const struct qn_level *level = work->level;
  for (uint64_t entry = level->begins[v]; entry < level->ends[v]; entry++)
    if (level->neighbors[entry] != v)
      qn_gathered_add(&work->gathered, work->community[level->neighbors[entry]],
                      qn_level_weight(level, entry));
}

/* What modularity gains, times half the total, if v, alone, joins the community. */
static double gain(const struct work *work, uint32_t v, uint32_t community) {
  return work->gathered.weight[community] -
         work->level->degrees[v] * work->degrees[community] * work->scale;
}

static void leave(struct work *work, uint32_t v) {
  const uint32_t community = work->community[v];
  work->degrees[community] -= work->level->degrees[v];
  if (--work->sizes[community] == 0) {
    work->degrees[community] = 0; /* of rounding, too */
    work->unused[work->num_unused++] = community;
  }
}

/* The best community for v, which has left its own: that one, unless another gains more; of several
 * the least label; a new one if all would lose. */
static uint32_t best_community(const struct work *work, uint32_t v) {
  const double least = NO_GAIN * work->level->degrees[v];
  uint32_t best = work->community[v];
  double best_gain = gain(work, v, best) + least;
  for (uint32_t i = 0; i < work->gathered.num_touched; i++) {
    const uint32_t community = work->gathered.touched[i];
    const double this_gain = gain(work, v, community);
    if (this_gain > best_gain || (this_gain == best_gain && community < best)) {
      best = community;
      best_gain = this_gain;
    }
  }
  return best_gain < 0 ? work->unused[work->num_unused - 1] : best;
}

static void join(struct work *work, uint32_t v, uint32_t community) {
  if (work->sizes[community]++ == 0) {
    /* A label without members is unused: the last one, or v's own, which it has just left. */
    work->num_unused--;
  }
  work->degrees[community] += work->level->degrees[v];
  work->community[v] = community;
}

static void enqueue_neighbors(struct work *work, uint32_t v) {
  const struct qn_level *level = work->level;
  for (uint64_t entry = level->begins[v]; entry < level->ends[v]; entry++) {
    const uint32_t other = level->neighbors[entry];
    if (!work->is_queued[other] && other != v && work->community[other] != work->community[v])
      enqueue(work, other);
  }
}

static void move_all(struct work *work) {
  uint64_t left = MOST_LOOKS * work->level->num_vertices;
  while (work->num_queued > 0 && left-- > 0) {
    const uint32_t v = dequeue(work), before = work->community[v];
    gather(work, v);
    leave(work, v);
    const uint32_t best = best_community(work, v);
    join(work, v, best);
    qn_gathered_clear(&work->gathered);
    if (best != before)
      enqueue_neighbors(work, v);
  }
}

static void begin(struct work *work, uint64_t key) {
  const uint32_t num_vertices = work->level->num_vertices;
  for (uint32_t v = 0; v < num_vertices; v++) {
    work->degrees[work->community[v]] += work->level->degrees[v];
    work->sizes[work->community[v]]++;
    work->is_queued[v] = 1;
  }
  for (uint32_t label = num_vertices; label-- > 0;)
    if (work->sizes[label] == 0)
      work->unused[work->num_unused++] = label;
  qn_leiden_order(work->queue, num_vertices, key);
  work->num_queued = num_vertices;
}

enum qn_status qn_leiden_move(const struct qn_level *level, double resolution, uint64_t key,
                              uint32_t *community, struct qn_error *error) {
  const uint32_t num_vertices = level->num_vertices;
  struct work work = {.level = level, .scale = resolution / level->total, .community = community};
  enum qn_status status = qn_pages_alloc(&work.degrees, num_vertices, sizeof *work.degrees,
                                         "degrees of communities", error);
  if (!status)
    status = qn_pages_alloc(&work.sizes, num_vertices, sizeof *work.sizes, "sizes", error);
  if (!status)
    status = qn_pages_alloc(&work.unused, (uint64_t)num_vertices + 1, sizeof *work.unused,
                            "unused labels", error);
  if (!status)
    status = qn_pages_alloc(&work.queue, num_vertices, sizeof *work.queue, "a queue", error);
  if (!status)
    status =
        qn_pages_alloc(&work.is_queued, num_vertices, sizeof *work.is_queued, "a queue", error);
  if (!status)
    status = qn_gathered_create(&work.gathered, num_vertices, error);
  if (!status) {
    begin(&work, key);
    move_all(&work);
  }
  qn_pages_free(work.degrees, num_vertices, sizeof *work.degrees);
  qn_pages_free(work.sizes, num_vertices, sizeof *work.sizes);
  qn_pages_free(work.unused, (uint64_t)num_vertices + 1, sizeof *work.unused);
  qn_pages_free(work.queue, num_vertices, sizeof *work.queue);
  qn_pages_free(work.is_queued, num_vertices, sizeof *work.is_queued);
  qn_gathered_destroy(&work.gathered, num_vertices);
  return status;
}
