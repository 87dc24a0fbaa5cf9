/* Pairs of vertices that no edge joins, by trying random ones. */
#include "kernels/cpu/sampling/rows.h"

#include "support/random.h"

#define STREAM_NON_EDGES 0x4E0E
#define PIECE ((uint64_t)1024)
#define MOST_TRIES 128

struct pairing {
  const struct qn_sampling *sampling;
  const struct qn_sampling_edges *edges;
  const int64_t *given; /* centers; NULL: random ones */
  uint64_t key;
  int64_t *centers, *others;
};

struct piece {
  const struct pairing *pairing;
  uint64_t begin, end;
  struct qn_row_reader reader;
};

static bool are_joined(const struct qn_sampling_edges *edges, int64_t center, int64_t other,
                       struct qn_row_reader *reader) {
  struct qn_sampling_row row;
  if (!qn_row_of(&edges->rows, edges->first_row + (uint64_t)center, &row))
    reader->damaged = true;
  return qn_row_has(&edges->rows, &row, (uint32_t)(edges->first_column + (uint64_t)other), reader);
}

static void pair(const struct pairing *pairing, uint64_t i, struct qn_row_reader *reader) {
  const struct qn_sampling_edges *edges = pairing->edges;
  const uint64_t *num_vertices = pairing->sampling->num_vertices;
  const uint64_t key = qn_random_at(pairing->key, i);
  int64_t center = -1, other = -1;
  bool joined = true;
  for (uint64_t try = 0; joined && try < MOST_TRIES; try++) {
    center = pairing->given ? pairing->given[i]
                            : (int64_t)qn_random_below(qn_random_at(key, 2 * try),
                                                       num_vertices[edges->center_type]);
    other = (int64_t)qn_random_below(qn_random_at(key, 2 * try + 1),
                                     num_vertices[edges->neighbor_type]);
    joined = are_joined(edges, center, other, reader);
  }
  pairing->centers[i] = center;
  pairing->others[i] = joined ? -1 : other;
}

static void pair_piece(void *argument) {
  struct piece *piece = argument;
  for (uint64_t i = piece->begin; i < piece->end; i++)
    pair(piece->pairing, i, &piece->reader);
}

static enum qn_status check(const struct pairing *pairing, uint64_t count, struct qn_error *error) {
  const uint64_t centers = pairing->sampling->num_vertices[pairing->edges->center_type];
  if (count && (!centers || !pairing->sampling->num_vertices[pairing->edges->neighbor_type]))
    return qn_fail(error, QN_USAGE, "there are no pairs of vertices in a graph without vertices");
  for (uint64_t i = 0; pairing->given && i < count; i++)
    if ((uint64_t)pairing->given[i] >= centers)
      return qn_not_a_vertex(pairing->given[i], centers, error);
  return QN_OK;
}

enum qn_status qn_sample_non_edges(const struct qn_sampling *sampling, uint32_t edge_type,
                                   const int64_t *given, uint64_t count, uint64_t number,
                                   int64_t *centers, int64_t *others, struct qn_error *error) {
  const struct pairing pairing = {
      .sampling = sampling,
      .edges = &sampling->edges[edge_type],
      .given = given,
      .key = qn_random_at(qn_random_key(sampling->seed, STREAM_NON_EDGES + edge_type), number),
      .centers = centers,
      .others = others};
  enum qn_rows_outcome worst = QN_ROWS_READ;
  enum qn_status status = check(&pairing, count, error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 1) reduction(max : worst)
  for (uint64_t begin = 0; begin < count; begin += PIECE) {
    struct piece piece = {
        .pairing = &pairing, .begin = begin, .end = count - begin < PIECE ? count : begin + PIECE};
    const enum qn_rows_outcome found =
        qn_sampling_read_guarded(pairing.edges, pair_piece, &piece, &piece.reader);
    worst = found > worst ? found : worst;
  }
  return qn_sampling_read_status(worst, error);
}
