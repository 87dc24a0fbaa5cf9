/* Samplers: what kernels/cpu/sampling does, on sessions. The memory of batches that were closed
 * serves those that come. */
#include <quern/sample.h>

#include <inttypes.h>
#include <math.h>
#include <pthread.h>

#include "kernels/cpu/sampling/rows.h"
#include "library/call.h"
#include "library/sized.h"
#include "library/training/rows.h"
#include "support/memory.h"
#include "support/system/guarded_reads.h"

#define MOST_HOPS 255
#define MOST_TYPES 65536
/* What is kept of what is done. */
#define MOST_IDLE 64

struct qn_batch {
  struct qn_sampler *sampler;
  struct qn_sampled sampled;
  bool has_trees; /* induced ones have none */
};

struct qn_sampler {
  unsigned references; /* by __atomic functions: the caller's, and those of batches */
  struct qn_sampling sampling;
  uint64_t *num_vertices;
  const int64_t **times;
  struct qn_sampling_edges *edges;
  int64_t **own_times;           /* [num_edge_types] in the order of rows, where that is another */
  struct qn_sampler_rows **rows; /* [num_edge_types] */
  int64_t *fanouts;
  /* Only tried: a child may be forked while another thread has it. */
  pthread_mutex_t lock;
  struct qn_batch *batches[MOST_IDLE];
  unsigned num_batches;
  struct qn_sampling_scratch *scratches[MOST_IDLE];
  unsigned num_scratches;
};

static void destroy_batch(struct qn_batch *batch) {
  qn_sampled_release(&batch->sampled);
  qn_free(batch);
}

static void destroy(struct qn_sampler *sampler) {
  for (unsigned i = 0; i < sampler->num_batches; i++)
    destroy_batch(sampler->batches[i]);
  for (unsigned i = 0; i < sampler->num_scratches; i++)
    qn_sampling_scratch_destroy(sampler->scratches[i]);
  for (uint32_t t = 0; t < sampler->sampling.num_edge_types; t++) {
    qn_sampler_rows_close(sampler->rows[t]);
    qn_free(sampler->own_times[t]);
  }
  qn_free(sampler->num_vertices);
  qn_free(sampler->times);
  qn_free(sampler->edges);
  qn_free(sampler->own_times);
  qn_free(sampler->rows);
  qn_free(sampler->fanouts);
  pthread_mutex_destroy(&sampler->lock);
  qn_free(sampler);
}

void qn_sampler_close(struct qn_sampler *sampler) {
  if (sampler && __atomic_sub_fetch(&sampler->references, 1, __ATOMIC_ACQ_REL) == 0)
    destroy(sampler);
}

/* ---- Making one ------------------------------------------------------------ */

struct creating {
  struct qn_sampler *sampler;
  uint32_t edge_type;
  const int64_t *times;
};

struct timing {
  const struct qn_sampling_edges *edges;
  const int64_t *by_number;
  int64_t *by_place;
  uint64_t row, end;
  struct qn_row_reader reader;
};

static void time_rows(void *argument) {
  struct timing *timing = argument;
  struct qn_row_reader *reader = &timing->reader;
  struct qn_sampling_row row;
  for (uint64_t v = timing->row; v < timing->end; v++) {
    if (!qn_row_of(&timing->edges->rows, v, &row))
      reader->damaged = true;
    for (uint64_t e = row.first; e < row.first + row.length; e++) {
      const int64_t number = qn_edge_number(timing->edges, &row, e, reader);
      reader->damaged = reader->damaged || number < 0;
      timing->by_place[e] = number < 0 ? 0 : timing->by_number[number];
    }
  }
}

/* Times of edges in the order of rows of destinations. */
static enum qn_status order_times(void *argument, struct qn_error *error) {
  const struct creating *creating = argument;
  struct qn_sampler *sampler = creating->sampler;
  struct qn_sampling_edges *edges = &sampler->edges[creating->edge_type];
  int64_t **own = &sampler->own_times[creating->edge_type];
  const uint64_t num_rows = edges->rows.num_vertices, piece = 4096;
  enum qn_rows_outcome worst = QN_ROWS_READ;
  enum qn_status status =
      qn_alloc_zeroed(own, edges->rows.num_edges, sizeof **own, "times of edges", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 1) reduction(max : worst)
  for (uint64_t row = 0; row < num_rows; row += piece) {
    struct timing timing = {.edges = edges,
                            .by_number = creating->times,
                            .by_place = *own,
                            .row = row,
                            .end = num_rows - row < piece ? num_rows : row + piece};
    const enum qn_rows_outcome found =
        qn_sampling_read_guarded(edges, time_rows, &timing, &timing.reader);
    worst = found > worst ? found : worst;
  }
  edges->times = *own;
  return qn_sampling_read_status(worst, error);
}

/* Are vertices `first` and those after it, as many as the type has, among `count`? */
static enum qn_status check_range(const struct qn_sampler *sampler, uint32_t type, uint64_t first,
                                  uint64_t count, struct qn_error *error) {
  const uint64_t wanted = sampler->num_vertices[type];
  return wanted <= count && first <= count - wanted
             ? QN_OK
             : qn_fail(error, QN_USAGE,
                       "type %" PRIu32 " has %" PRIu64 " vertices, from %" PRIu64
                       " on; the graph has %" PRIu64,
                       type, wanted, first, count);
}

static enum qn_status take_fanouts(struct qn_sampler *sampler, uint32_t type,
                                   const int64_t *fanouts, struct qn_error *error) {
  const uint32_t hops = sampler->sampling.num_hops;
  int64_t *own = sampler->fanouts + (uint64_t)type * hops;
  if (hops && !fanouts)
    return qn_fail(error, QN_USAGE, "edge type %" PRIu32 " has no fan-outs", type);
  for (uint32_t hop = 0; hop < hops; hop++) {
    if (fanouts[hop] < QN_ALL_NEIGHBORS || fanouts[hop] > UINT32_MAX)
      return qn_fail(error, QN_USAGE,
                     "a fan-out of %" PRId64 "; expected 0 to 4294967295, or -1 for all",
                     fanouts[hop]);
    own[hop] = fanouts[hop];
  }
  sampler->edges[type].fanouts = own;
  return QN_OK;
}

static enum qn_status take_edges(struct qn_sampler *sampler, uint32_t type,
                                 const struct qn_sampler_edges *given, const struct qn_job *job,
                                 struct qn_error *error) {
  struct qn_sampling_edges *edges = &sampler->edges[type];
  struct creating creating = {sampler, type, given->times};
  const uint32_t types = sampler->sampling.num_vertex_types;
  uint64_t num_vertices = 0;
  if (!given->session == !given->set || given->center_type >= types ||
      given->neighbor_type >= types || (given->rows != QN_ROWS_OUT && given->rows != QN_ROWS_IN))
    return qn_fail(error, QN_USAGE,
                   "edge type %" PRIu32
                   ": expected a session or a set, its rows, and two of %" PRIu32
                   " types of vertices",
                   type, types);
  edges->center_type = given->center_type;
  edges->neighbor_type = given->neighbor_type;
  edges->first_row = given->first_center;
  edges->first_column = given->first_neighbor;
  enum qn_status status =
      qn_sampler_rows_open(given, sampler->sampling.numbers || given->times, job, edges,
                           &num_vertices, &sampler->rows[type], error);
  if (!status)
    status = check_range(sampler, given->center_type, given->first_center, edges->rows.num_vertices,
                         error);
  if (!status)
    status = check_range(sampler, given->neighbor_type, given->first_neighbor, num_vertices, error);
  if (!status)
    status = take_fanouts(sampler, type, given->fanouts, error);
  edges->times = given->times;
  return status || !given->times || !edges->numbered.row_offsets
             ? status
             : qn_call(job, order_times, &creating, error);
}

static enum qn_status check_shape(const struct qn_sampler_shape *shape, struct qn_error *error) {
  const unsigned known = QN_SAMPLER_REPLACE | QN_SAMPLER_DISJOINT | QN_SAMPLER_NUMBERS;
  if (!shape->num_vertex_types || !shape->num_vertices || !shape->num_edge_types || !shape->edges ||
      shape->num_vertex_types > MOST_TYPES || shape->num_edge_types > MOST_TYPES)
    return qn_fail(error, QN_USAGE, "a sampler has 1 to %d types of vertices, and as many of edges",
                   MOST_TYPES);
  if (shape->num_hops > MOST_HOPS)
    return qn_fail(error, QN_USAGE, "%" PRIu32 " hops; a sampler has at most %d", shape->num_hops,
                   MOST_HOPS);
  if (shape->flags & ~known)
    return qn_fail(error, QN_USAGE, "unknown flags: 0x%" PRIx32, shape->flags);
  for (uint32_t t = 0; t < shape->num_vertex_types; t++)
    if (shape->num_vertices[t] > UINT32_MAX)
      return qn_fail(error, QN_USAGE, "type %" PRIu32 " has more than 2^32 - 1 vertices", t);
  return QN_OK;
}

/* Memory of the shape, all zero. */
static enum qn_status create(const struct qn_sampler_shape *shape, struct qn_sampler **out,
                             struct qn_error *error) {
  const uint64_t vertex_types = shape->num_vertex_types, edge_types = shape->num_edge_types;
  struct qn_sampler *sampler;
  enum qn_status status = qn_alloc_zeroed(out, 1, sizeof **out, "a sampler", error);
  if (status)
    return status;
  sampler = *out;
  sampler->references = 1;
  pthread_mutex_init(&sampler->lock, NULL);
  status = qn_alloc(&sampler->num_vertices, vertex_types, sizeof(uint64_t), "a sampler", error);
  if (!status)
    status = qn_alloc_zeroed(&sampler->times, vertex_types, sizeof(int64_t *), "times", error);
  if (!status)
    status = qn_alloc_zeroed(&sampler->edges, edge_types, sizeof *sampler->edges, "edges", error);
  if (!status)
    status = qn_alloc_zeroed(&sampler->own_times, edge_types, sizeof(int64_t *), "times", error);
  if (!status)
    status = qn_alloc_zeroed(&sampler->rows, edge_types, sizeof(void *), "rows", error);
  if (!status)
    status = qn_alloc_zeroed(&sampler->fanouts, edge_types * shape->num_hops, sizeof(int64_t),
                             "fan-outs", error);
  sampler->sampling = (struct qn_sampling){.num_vertex_types = shape->num_vertex_types,
                                           .num_edge_types = status ? 0 : shape->num_edge_types,
                                           .num_hops = shape->num_hops,
                                           .num_vertices = sampler->num_vertices,
                                           .times = sampler->times,
                                           .edges = sampler->edges,
                                           .seed = shape->seed,
                                           .replace = shape->flags & QN_SAMPLER_REPLACE,
                                           .disjoint = shape->flags & QN_SAMPLER_DISJOINT,
                                           .numbers = shape->flags & QN_SAMPLER_NUMBERS};
  return status;
}

enum qn_status qn_sampler_create(const struct qn_sampler_shape *given, const struct qn_job *job,
                                 struct qn_sampler **out, struct qn_error *error) {
  struct qn_sampler_shape shape;
  struct qn_sampler *sampler = NULL;
  *out = NULL;
  qn_sized_read(&shape, sizeof shape, given);
  enum qn_status status = check_shape(&shape, error);
  if (!status)
    status = create(&shape, &sampler, error);
  bool timed = false;
  for (uint32_t t = 0; t < shape.num_vertex_types && !status; t++) {
    sampler->num_vertices[t] = shape.num_vertices[t];
    sampler->times[t] = shape.times ? shape.times[t] : NULL;
    timed = timed || sampler->times[t];
  }
  qn_guard_reads();
  const uint64_t stride = status ? 0 : shape.edges->size;
  for (uint32_t t = 0; t < shape.num_edge_types && !status; t++) {
    struct qn_sampler_edges edges;
    qn_sized_read(&edges, sizeof edges, (const char *)shape.edges + t * stride);
    status = take_edges(sampler, t, &edges, job, error);
    timed = timed || edges.times;
  }
  if (!status && timed && !sampler->sampling.disjoint)
    status = qn_fail(error, QN_USAGE, "with times trees are disjoint: QN_SAMPLER_DISJOINT");
  if (status && sampler)
    destroy(sampler);
  *out = status ? NULL : sampler;
  return status;
}

/* ---- What is kept ---------------------------------------------------------- */

static struct qn_sampling_scratch *idle_scratch(struct qn_sampler *sampler) {
  struct qn_sampling_scratch *scratch = NULL;
  if (pthread_mutex_trylock(&sampler->lock) != 0)
    return NULL;
  if (sampler->num_scratches)
    scratch = sampler->scratches[--sampler->num_scratches];
  pthread_mutex_unlock(&sampler->lock);
  return scratch;
}

static void keep_scratch(struct qn_sampler *sampler, struct qn_sampling_scratch *scratch) {
  if (scratch && pthread_mutex_trylock(&sampler->lock) == 0) {
    if (sampler->num_scratches < MOST_IDLE) {
      sampler->scratches[sampler->num_scratches++] = scratch;
      scratch = NULL;
    }
    pthread_mutex_unlock(&sampler->lock);
  }
  qn_sampling_scratch_destroy(scratch);
}

static struct qn_batch *idle_batch(struct qn_sampler *sampler) {
  struct qn_batch *batch = NULL;
  if (pthread_mutex_trylock(&sampler->lock) != 0)
    return NULL;
  if (sampler->num_batches)
    batch = sampler->batches[--sampler->num_batches];
  pthread_mutex_unlock(&sampler->lock);
  return batch;
}

static enum qn_status new_batch(struct qn_sampler *sampler, struct qn_batch **out,
                                struct qn_error *error) {
  enum qn_status status = QN_OK;
  struct qn_batch *batch = idle_batch(sampler);
  if (batch) {
    qn_sampled_clear(&sampler->sampling, &batch->sampled);
  } else {
    status = qn_alloc_zeroed(&batch, 1, sizeof *batch, "a batch", error);
    if (!status)
      status = qn_sampled_create(&sampler->sampling, &batch->sampled, error);
    if (status) {
      qn_free(batch);
      return status;
    }
  }
  batch->sampler = sampler;
  __atomic_add_fetch(&sampler->references, 1, __ATOMIC_RELAXED);
  *out = batch;
  return QN_OK;
}

void qn_batch_close(struct qn_batch *batch) {
  if (!batch)
    return;
  struct qn_sampler *sampler = batch->sampler;
  if (pthread_mutex_trylock(&sampler->lock) == 0) {
    if (sampler->num_batches < MOST_IDLE) {
      sampler->batches[sampler->num_batches++] = batch;
      batch = NULL;
    }
    pthread_mutex_unlock(&sampler->lock);
  }
  if (batch)
    destroy_batch(batch);
  qn_sampler_close(sampler);
}

/* ---- Sampling -------------------------------------------------------------- */

struct asking {
  struct qn_sampler *sampler;
  enum qn_sample_kind kind;
  const struct qn_batch_seeds *asked;
  uint64_t count;
  struct qn_batch **batches;
};

static enum qn_status read_seeds(const struct qn_sampler *sampler,
                                 const struct qn_batch_seeds *asked,
                                 struct qn_sampling_seeds *seeds, struct qn_error *error) {
  struct qn_seeds given;
  if (!asked->seeds)
    return qn_fail(error, QN_USAGE, "a batch needs seeds of each type of vertices");
  for (uint32_t t = 0; t < sampler->sampling.num_vertex_types; t++) {
    qn_sized_read(&given, sizeof given,
                  (const char *)asked->seeds + (uint64_t)t * asked->seeds->size);
    if (given.count && !given.vertices)
      return qn_fail(error, QN_USAGE, "the seeds of type %" PRIu32 " are missing", t);
    seeds[t] = (struct qn_sampling_seeds){given.vertices, given.times, given.count};
  }
  return QN_OK;
}

static enum qn_status fill(const struct asking *asking, uint64_t index,
                           struct qn_sampling_scratch *scratch, struct qn_batch *batch,
                           struct qn_error *error) {
  const struct qn_sampling *sampling = &asking->sampler->sampling;
  struct qn_batch_seeds asked;
  struct qn_sampling_seeds *seeds;
  qn_sized_read(&asked, sizeof asked, (const char *)asking->asked + index * asking->asked->size);
  enum qn_status status =
      qn_alloc(&seeds, sampling->num_vertex_types, sizeof *seeds, "seeds", error);
  if (!status)
    status = read_seeds(asking->sampler, &asked, seeds, error);
  batch->has_trees = sampling->disjoint && asking->kind == QN_SAMPLE_NEIGHBORS;
  if (!status)
    status =
        asking->kind == QN_SAMPLE_NEIGHBORS
            ? qn_sample_neighbors(sampling, scratch, seeds, asked.number, &batch->sampled, error)
            : qn_sample_induced(sampling, scratch, seeds, &batch->sampled, error);
  qn_free(seeds);
  return status;
}

static enum qn_status make_batch(const struct asking *asking, uint64_t index,
                                 struct qn_error *error) {
  struct qn_sampler *sampler = asking->sampler;
  struct qn_sampling_scratch *scratch = idle_scratch(sampler);
  enum qn_status status =
      scratch ? QN_OK : qn_sampling_scratch_create(&sampler->sampling, &scratch, error);
  if (!status)
    status = new_batch(sampler, &asking->batches[index], error);
  if (!status)
    status = fill(asking, index, scratch, asking->batches[index], error);
  keep_scratch(sampler, scratch);
  return status;
}

static enum qn_status check_files(const struct qn_sampler *sampler, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint32_t t = 0; t < sampler->sampling.num_edge_types && !status; t++)
    status = qn_sampler_rows_unchanged(sampler->rows[t], error);
  return status;
}

static bool reads_rows(const struct qn_sampler *sampler) {
  bool reads = false;
  for (uint32_t t = 0; t < sampler->sampling.num_edge_types; t++)
    reads = reads || sampler->edges[t].rows.reads;
  return reads;
}

/* Of several failures the first one's is told. */
static enum qn_status make_batches(void *argument, struct qn_error *error) {
  const struct asking *asking = argument;
  enum qn_status first = QN_OK;
  uint64_t first_index = UINT64_MAX;
  const bool reads = reads_rows(asking->sampler); /* by all threads for each batch */
  qn_guard_reads();
#pragma omp parallel for schedule(dynamic, 1) if (asking->count > 1 && !reads)
  for (uint64_t i = 0; i < asking->count; i++) {
    struct qn_error problem;
    const enum qn_status status = make_batch(asking, i, &problem);
    if (!status)
      continue;
#pragma omp critical(qn_first_failure)
    if (i < first_index) {
      first_index = i;
      first = status;
      *error = problem;
    }
  }
  return first ? first : check_files(asking->sampler, error);
}

enum qn_status qn_sampler_sample(struct qn_sampler *sampler, enum qn_sample_kind kind,
                                 const struct qn_batch_seeds *asked, uint64_t count,
                                 const struct qn_job *job, struct qn_batch **batches,
                                 struct qn_error *error) {
  struct asking asking = {sampler, kind, asked, count, batches};
  for (uint64_t i = 0; i < count; i++)
    batches[i] = NULL;
  if (kind != QN_SAMPLE_NEIGHBORS && kind != QN_SAMPLE_INDUCED)
    return qn_fail(error, QN_USAGE, "there is no sampling called %d", (int)kind);
  enum qn_status status = count ? qn_call(job, make_batches, &asking, error) : QN_OK;
  for (uint64_t i = 0; i < count && status; i++) {
    qn_batch_close(batches[i]);
    batches[i] = NULL;
  }
  return status;
}

enum qn_status qn_batch_vertices(const struct qn_batch *batch, uint32_t type,
                                 struct qn_batch_vertices *out, struct qn_error *error) {
  if (type >= batch->sampled.num_vertex_types)
    return qn_fail(error, QN_USAGE, "there is no type %" PRIu32 " of vertices", type);
  const struct qn_sampled_vertices *vertices = &batch->sampled.vertices[type];
  const struct qn_batch_vertices found = {.count = vertices->count,
                                          .vertices = vertices->vertices,
                                          .trees = batch->has_trees ? vertices->trees : NULL,
                                          .hops = vertices->hops};
  qn_sized_copy(out, &found, sizeof found);
  return QN_OK;
}

enum qn_status qn_batch_edges(const struct qn_batch *batch, uint32_t type,
                              struct qn_batch_edges *out, struct qn_error *error) {
  if (type >= batch->sampled.num_edge_types)
    return qn_fail(error, QN_USAGE, "there is no type %" PRIu32 " of edges", type);
  const struct qn_sampled_edges *edges = &batch->sampled.edges[type];
  const struct qn_batch_edges found = {.count = edges->count,
                                       .neighbors = edges->neighbors,
                                       .centers = edges->centers,
                                       .numbers =
                                           batch->sampler->sampling.numbers ? edges->numbers : NULL,
                                       .hops = edges->hops};
  qn_sized_copy(out, &found, sizeof found);
  return QN_OK;
}

/* ---- Walks and pairs -------------------------------------------------------- */

struct walking {
  struct qn_sampler *sampler;
  struct qn_sampling_walks asked;
  uint64_t number;
  int64_t *walks;
};

static enum qn_status walk(void *argument, struct qn_error *error) {
  const struct walking *walking = argument;
  qn_guard_reads();
  enum qn_status status = qn_sample_walks(&walking->sampler->sampling, &walking->asked,
                                          walking->number, walking->walks, error);
  return status ? status : check_files(walking->sampler, error);
}

static bool is_positive(double number) {
  return isfinite(number) && number > 0;
}

enum qn_status qn_sampler_walk(struct qn_sampler *sampler, const struct qn_walks *given,
                               const struct qn_job *job, int64_t *walks, struct qn_error *error) {
  struct qn_walks asked;
  qn_sized_read(&asked, sizeof asked, given);
  asked.p = asked.p == 0 ? 1 : asked.p;
  asked.q = asked.q == 0 ? 1 : asked.q;
  if (sampler->sampling.num_vertex_types != 1)
    return qn_fail(error, QN_USAGE, "walks are of a sampler with one type of vertices");
  if (asked.count && !asked.starts)
    return qn_fail(error, QN_USAGE, "walks need starts");
  if (asked.length > UINT32_MAX)
    return qn_fail(error, QN_USAGE, "a walk of %" PRIu64 " steps; expected less than 2^32",
                   asked.length);
  if (!(asked.restart >= 0 && asked.restart <= 1) || !is_positive(asked.p) || !is_positive(asked.q))
    return qn_fail(error, QN_USAGE,
                   "walks: the probability of a restart is from 0 to 1, p and q are positive");
  struct walking walking = {
      sampler,
      {asked.starts, asked.count, asked.length, asked.restart, asked.p, asked.q},
      asked.number,
      walks};
  return asked.count ? qn_call(job, walk, &walking, error) : QN_OK;
}

struct pairing {
  struct qn_sampler *sampler;
  uint32_t edge_type;
  const int64_t *given;
  uint64_t count, number;
  int64_t *centers, *others;
};

static enum qn_status pair(void *argument, struct qn_error *error) {
  const struct pairing *pairing = argument;
  qn_guard_reads();
  enum qn_status status = qn_sample_non_edges(&pairing->sampler->sampling, pairing->edge_type,
                                              pairing->given, pairing->count, pairing->number,
                                              pairing->centers, pairing->others, error);
  return status ? status : check_files(pairing->sampler, error);
}

enum qn_status qn_sampler_non_edges(struct qn_sampler *sampler, uint32_t edge_type, uint64_t number,
                                    const int64_t *centers, uint64_t count,
                                    const struct qn_job *job, int64_t *found_centers,
                                    int64_t *found_neighbors, struct qn_error *error) {
  struct pairing pairing = {sampler, edge_type,     centers,        count,
                            number,  found_centers, found_neighbors};
  if (edge_type >= sampler->sampling.num_edge_types)
    return qn_fail(error, QN_USAGE, "there is no type %" PRIu32 " of edges", edge_type);
  return count ? qn_call(job, pair, &pairing, error) : QN_OK;
}
