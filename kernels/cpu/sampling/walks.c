/* Random walks with restart (Tong, Faloutsos, Pan: Fast random walk with restart, ICDM 2006) and of
 * node2vec (Grover, Leskovec: Scalable feature learning for networks, KDD 2016), whose steps are
 * chosen by rejection: a neighbour is proposed, and taken with a probability. */
#include "kernels/cpu/sampling/rows.h"

#include "support/random.h"

#define STREAM_WALKS 0x57A1
/* Walks that a thread takes at a time, and random numbers that a step may use. */
#define PIECE ((uint64_t)256)
#define OF_STEP 1024

struct walking {
  const struct qn_sampling *sampling;
  const struct qn_sampling_edges *edges;
  const struct qn_sampling_walks *asked;
  uint64_t key;
  int64_t *walks;
};

struct piece {
  const struct walking *walking;
  uint64_t begin, end;
  struct qn_row_reader reader;
};

static double real_at(uint64_t key, uint64_t counter) {
  return (double)(qn_random_at(key, counter) >> 11) * 0x1p-53;
}

/* How likely a step to `next` is, relative to others, for a walk that came from `before`. */
static double chance_of(const struct walking *walking, int64_t before, int64_t next,
                        struct qn_row_reader *reader) {
  const struct qn_sampling_rows *rows = &walking->edges->rows;
  struct qn_sampling_row row;
  if (next == before)
    return 1 / walking->asked->back;
  return !qn_row_of(rows, (uint64_t)before, &row) || qn_row_has(rows, &row, (uint32_t)next, reader)
             ? 1
             : 1 / walking->asked->outside;
}

static double most_of(const struct qn_sampling_walks *asked) {
  double most = 1;
  most = 1 / asked->back > most ? 1 / asked->back : most;
  return 1 / asked->outside > most ? 1 / asked->outside : most;
}

/* From `vertex` on, which was reached from `before` (-1: from nowhere). -1: no edge leads on. */
static int64_t step(const struct walking *walking, int64_t vertex, int64_t before, uint64_t key,
                    struct qn_row_reader *reader) {
  const struct qn_sampling_rows *rows = &walking->edges->rows;
  const struct qn_sampling_walks *asked = walking->asked;
  const bool all_alike = before < 0 || (asked->back == 1 && asked->outside == 1);
  const double most = all_alike ? 1 : most_of(asked);
  struct qn_sampling_row row;
  int64_t next = -1;
  if (!qn_row_of(rows, (uint64_t)vertex, &row))
    reader->damaged = true;
  for (uint64_t draw = 1; row.length && draw < OF_STEP; draw += 2) {
    const uint64_t edge = row.first + qn_random_below(qn_random_at(key, draw), row.length);
    next = qn_column_of(rows, &row, edge, reader);
    if ((uint64_t)next >= walking->sampling->num_vertices[0]) {
      reader->damaged = true;
      return -1;
    }
    if (all_alike || real_at(key, draw + 1) * most < chance_of(walking, before, next, reader))
      break;
  }
  return next;
}

static void walk(const struct walking *walking, uint64_t number, struct qn_row_reader *reader) {
  const struct qn_sampling_walks *asked = walking->asked;
  const uint64_t key = qn_random_at(walking->key, number);
  int64_t *places = walking->walks + number * (asked->length + 1);
  int64_t vertex = asked->starts[number], before = -1;
  places[0] = vertex;
  for (uint64_t i = 1; i <= asked->length; i++) {
    const uint64_t of_step = qn_random_at(key, i);
    int64_t next = -1;
    if (vertex >= 0 && asked->restart > 0 && real_at(of_step, 0) < asked->restart) {
      next = places[0];
      before = -1;
    } else if (vertex >= 0) {
      next = step(walking, vertex, before, of_step, reader);
      before = vertex;
    }
    places[i] = vertex = next;
  }
}

static void walk_piece(void *argument) {
  struct piece *piece = argument;
  const struct walking *walking = piece->walking;
  for (uint64_t i = piece->begin; i < piece->end; i++) {
    if (i + QN_SAMPLING_AHEAD < piece->end)
      __builtin_prefetch(
          &walking->edges->rows.row_offsets[walking->asked->starts[i + QN_SAMPLING_AHEAD]]);
    walk(walking, i, &piece->reader);
  }
}

static enum qn_status check_starts(const struct walking *walking, struct qn_error *error) {
  const uint64_t num_vertices = walking->sampling->num_vertices[0];
  for (uint64_t i = 0; i < walking->asked->count; i++)
    if ((uint64_t)walking->asked->starts[i] >= num_vertices)
      return qn_not_a_vertex(walking->asked->starts[i], num_vertices, error);
  return QN_OK;
}

enum qn_status qn_sample_walks(const struct qn_sampling *sampling,
                               const struct qn_sampling_walks *asked, uint64_t number,
                               int64_t *walks, struct qn_error *error) {
  const struct walking walking = {
      .sampling = sampling,
      .edges = &sampling->edges[0],
      .asked = asked,
      .key = qn_random_at(qn_random_key(sampling->seed, STREAM_WALKS), number),
      .walks = walks};
  enum qn_rows_outcome worst = QN_ROWS_READ;
  enum qn_status status = check_starts(&walking, error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 1) reduction(max : worst)
  for (uint64_t begin = 0; begin < asked->count; begin += PIECE) {
    struct piece piece = {.walking = &walking,
                          .begin = begin,
                          .end = asked->count - begin < PIECE ? asked->count : begin + PIECE};
    const enum qn_rows_outcome found =
        qn_sampling_read_guarded(walking.edges, walk_piece, &piece, &piece.reader);
    worst = found > worst ? found : worst;
  }
  return qn_sampling_read_status(worst, error);
}
