/* Frontier programs with a priority on CSR: delta-stepping. Part of engine.h.
 *
 * Vertices that wait to send are kept in buckets of width delta by priority, and the lowest
 * bucket sends until it stays empty (Meyer, Sanders: Delta-stepping: a parallelizable shortest
 * path algorithm, 2003). Each thread keeps buckets of its own, and goes on alone with its
 * share of the current bucket while that is small, which saves most of the barriers of a
 * graph of large diameter (Zhang, Brahmakshatriya, Chen, Dhulipala, Kamil, Amarasinghe, Shun:
 * Optimizing Ordered Graph Algorithms with GraphIt, CGO 2020, "bucket fusion").
 *
 * Stale entries are told by their priority: it has become lower than the bucket's. */
#pragma once

#include <omp.h>

#include "kernels/cpu/csr/view.h"

#include "kernels/cpu/csr/priority_buckets.h"
#include "kernels/cpu/loop/combine.h"
#include "kernels/cpu/loop/state.h"

/* A thread shares its part of the current bucket with the others once it is larger. */
#define FUSED_VERTICES 1000

struct engine_work {
  double inverse_delta;
  struct qn_buckets **buckets; /* [threads] */
  unsigned threads;
  uint32_t *frontier; /* the current bucket's members of all threads */
  uint64_t count, capacity;
  uint64_t *offsets;          /* [threads + 1] where each thread's members go in `frontier` */
  uint64_t bucket;            /* the current one */
  struct qn_frontier pending; /* its bitmap: who is in a bucket, as the run begins or is kept */
  enum qn_status status;
  struct qn_error error;
};

static inline uint64_t bucket_of(const struct engine_state *state, const struct engine_work *work,
                                 program_value value) {
  double bucket = program_priority(&state->context, value) * work->inverse_delta;
  return bucket < 0x1p62 ? (uint64_t)bucket : (uint64_t)1 << 62;
}

static inline void priority_fail(struct engine_work *work, const struct qn_error *error) {
#pragma omp critical(qn_priority_fail)
  if (!work->status) {
    work->status = error->status;
    work->error = *error;
  }
}

/* Send from `u` if it belongs to the current bucket still. */
static inline void priority_send(struct engine_state *state, struct engine_work *work,
                                 struct qn_buckets *buckets, uint32_t u) {
  const struct qn_csr *out = &state->view->out;
  const uint32_t *destinations = out->column_indices;
  const struct qn_weights weights = out->weights;
  program_value *values = state->values;
  program_value value = program_load_atomic(&values[u]);
  if (bucket_of(state, work, value) < work->bucket)
    return;
  program_message message = program_send(&state->context, value, sweep_out_degree(state->view, u));
  uint64_t end = out->row_offsets[u + 1];
  for (uint64_t edge = out->row_offsets[u]; edge < end; edge++) {
    uint32_t v = destinations[edge];
    program_accumulator offer =
        program_gather(&state->context, message, engine_weight(&weights, edge));
    struct qn_error error;
    if (program_combine_atomic(&values[v], offer) &&
        qn_buckets_push(buckets, bucket_of(state, work, offer), v, &error))
      priority_fail(work, &error);
  }
}

/* The current bucket's members of this thread, as long as they are few. */
static inline void priority_fuse(struct engine_state *state, struct engine_work *work,
                                 struct qn_buckets *buckets) {
  struct qn_bucket_list *list = qn_buckets_list(buckets, work->bucket);
  uint32_t members[FUSED_VERTICES];
  while (list->count > 0 && list->count <= FUSED_VERTICES && !work->status) {
    uint64_t count = list->count;
    memcpy(members, list->vertices, count * sizeof *members);
    list->count = 0;
    for (uint64_t i = 0; i < count; i++)
      priority_send(state, work, buckets, members[i]);
  }
}

/* Move the window to the lowest bucket behind it; false if all threads' buckets are empty. */
static inline bool move_window(struct engine_state *state, struct engine_work *work) {
  uint64_t lowest = QN_NO_BUCKET;
  for (unsigned thread = 0; thread < work->threads; thread++) {
    const struct qn_bucket_list *behind = &work->buckets[thread]->lists[QN_BUCKET_WINDOW];
    for (uint64_t i = 0; i < behind->count; i++) {
      uint64_t bucket = bucket_of(state, work, state->values[behind->vertices[i]]);
      /* A lower one than the window's last has been sent from the window already. */
      if (bucket >= work->buckets[thread]->first + QN_BUCKET_WINDOW && bucket < lowest)
        lowest = bucket;
    }
  }
  if (lowest == QN_NO_BUCKET)
    return false;
  for (unsigned thread = 0; thread < work->threads; thread++) {
    struct qn_buckets *buckets = work->buckets[thread];
    struct qn_bucket_list behind = buckets->lists[QN_BUCKET_WINDOW];
    struct qn_error error;
    buckets->lists[QN_BUCKET_WINDOW] = (struct qn_bucket_list){0};
    buckets->first = lowest;
    for (uint64_t i = 0; i < behind.count && !work->status; i++) {
      uint64_t bucket = bucket_of(state, work, state->values[behind.vertices[i]]);
      if (bucket >= lowest && qn_buckets_push(buckets, bucket, behind.vertices[i], &error))
        priority_fail(work, &error);
    }
    qn_free(behind.vertices);
  }
  return !work->status;
}

/* Choose the lowest bucket and collect the places for its members; false at the end. */
static inline bool next_bucket(struct engine_state *state, struct engine_work *work) {
  uint64_t lowest;
  do {
    lowest = QN_NO_BUCKET;
    for (unsigned thread = 0; thread < work->threads; thread++) {
      struct qn_buckets *buckets = work->buckets[thread];
      uint64_t from = work->bucket > buckets->first ? work->bucket : buckets->first;
      uint64_t next = qn_buckets_next(buckets, from);
      lowest = next < lowest ? next : lowest;
    }
  } while (lowest == QN_NO_BUCKET && move_window(state, work));
  if (lowest == QN_NO_BUCKET || work->status)
    return false;
  work->bucket = lowest;
  work->count = 0;
  for (unsigned thread = 0; thread < work->threads; thread++) {
    work->offsets[thread] = work->count;
    work->count += qn_buckets_list(work->buckets[thread], lowest)->count;
  }
  if (work->count <= work->capacity)
    return true;
  uint64_t capacity = 2 * work->count;
  work->status =
      qn_realloc(&work->frontier, capacity, sizeof *work->frontier, "bucket", &work->error);
  work->capacity = work->status ? work->capacity : capacity;
  return !work->status;
}

static inline void priority_step(struct engine_state *state, struct engine_work *work) {
#pragma omp parallel num_threads((int)work->threads) if (work->count > FUSED_VERTICES / 8)
  {
    /* With one thread in the region it has to do the part of all. */
    unsigned thread = (unsigned)omp_get_thread_num(), step = (unsigned)omp_get_num_threads();
    for (unsigned share = thread; share < work->threads; share += step) {
      struct qn_bucket_list *list = qn_buckets_list(work->buckets[share], work->bucket);
      if (list->count > 0)
        memcpy(work->frontier + work->offsets[share], list->vertices,
               list->count * sizeof *list->vertices);
      list->count = 0;
    }
#pragma omp barrier
#pragma omp for schedule(dynamic, 64) nowait
    for (uint64_t i = 0; i < work->count; i++)
      priority_send(state, work, work->buckets[thread], work->frontier[i]);
    priority_fuse(state, work, work->buckets[thread]);
  }
}

/* The vertices that have still to send: stale entries are left out. */
static inline void find_pending(const struct engine_state *state, struct engine_work *work) {
  qn_frontier_clear(&work->pending);
  for (unsigned thread = 0; thread < work->threads; thread++)
    for (uint64_t slot = 0; slot <= QN_BUCKET_WINDOW; slot++) {
      const struct qn_bucket_list *list = &work->buckets[thread]->lists[slot];
      for (uint64_t i = 0; i < list->count; i++)
        if (bucket_of(state, work, state->values[list->vertices[i]]) >= work->bucket)
          qn_frontier_insert(&work->pending, list->vertices[i]);
    }
}

static inline enum qn_status work_step(struct engine_state *state, struct engine_work *work,
                                       struct engine_step *step, struct qn_error *error) {
  step->is_over = !next_bucket(state, work);
  if (!step->is_over) {
    priority_step(state, work);
    step->mode = "bucket";
    step->num_active = step->num_next = work->count;
  }
  if (work->status && error)
    *error = work->error;
  return work->status;
}

#define WEIGHT_SAMPLES 65536

/* The average of a sample of weights, spread evenly over the edges. */
static inline double average_weight(const struct qn_csr *csr) {
  double sum = 0;
  uint64_t count = csr->num_edges < WEIGHT_SAMPLES ? csr->num_edges : WEIGHT_SAMPLES;
  for (uint64_t sample = 0; sample < count; sample++) {
    uint64_t begin, end;
    qn_part_of(csr->num_edges, count, sample, &begin, &end);
    sum += (double)engine_weight(&csr->weights, begin);
  }
  return count ? sum / (double)count : 1;
}

/* A vertex of many edges improves its neighbours by much at once, so only narrow buckets keep
 * them from sending too early; one of few edges does not, and wide buckets keep the
 * threads busy. 16 W / D^2 for an average weight W and degree D is close to the best
 * width for R-MAT and uniform graphs of degree 32 (W / 64) and for roads (2 W). */
static inline double choose_delta(const struct engine_state *state) {
  const struct qn_csr *out = &state->view->out;
  if (state->request->delta > 0)
    return state->request->delta;
  double weight = average_weight(out);
  double degree = (double)out->num_edges / (double)(out->num_vertices ? out->num_vertices : 1);
  double delta = 16 * weight / fmax(1, degree * degree);
  if (!engine_lane_is_real())
    delta = fmax(1, delta);
  return delta > 0 ? delta : 1;
}

static inline enum qn_status work_create(struct engine_state *state, struct engine_work *work,
                                         struct qn_error *error) {
  work->inverse_delta = 1 / choose_delta(state);
  work->threads = qn_threads();
  enum qn_status status =
      qn_alloc_zeroed(&work->buckets, work->threads, sizeof *work->buckets, "buckets", error);
  if (!status)
    status =
        qn_alloc(&work->offsets, work->threads, sizeof *work->offsets, "bucket offsets", error);
  for (unsigned thread = 0; thread < work->threads && !status; thread++)
    status = qn_buckets_create(&work->buckets[thread], error);
  if (!status)
    status = qn_frontier_create(&work->pending, state->context.num_vertices, error);
  state->frontier = &work->pending;
  state->find_frontier = find_pending;
  return status;
}

static inline enum qn_status work_begin(struct engine_state *state, struct engine_work *work,
                                        struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < work->pending.count && !status; i++) {
    uint32_t u = work->pending.queue[i];
    if (!(program_priority(&state->context, state->values[u]) >= 0))
      status = qn_fail(error, QN_INVALID, "the checkpoint has a value that %s cannot have",
                       PROGRAM_NAME);
    else
      status =
          qn_buckets_push(work->buckets[0], bucket_of(state, work, state->values[u]), u, error);
  }
  return status;
}

static inline void work_destroy(const struct engine_state *state, struct engine_work *work) {
  (void)state;
  for (unsigned thread = 0; work->buckets && thread < work->threads; thread++)
    qn_buckets_destroy(work->buckets[thread]);
  qn_free(work->buckets);
  qn_free(work->offsets);
  qn_free(work->frontier);
  qn_frontier_destroy(&work->pending);
}
