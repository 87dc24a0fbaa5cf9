/* Look-ups in sessions. What is prepared once is read without the lock afterwards. */
#include <quern/lookup.h>

#include <inttypes.h>
#include <string.h>

#include "formats/container/figures.h"
#include "library/call.h"
#include "library/far_ids.h"
#include "library/session.h"
#include "support/sizes.h"
#include <quern/remote.h>

/* Look-ups of ids, and of degrees, that take less time than giving work to other threads. */
#define FEW 65536
/* Of ids that are looked up on a server one by one. */
#define FEW_FAR 64
#define FEW_DEGREES ((uint64_t)1 << 18)
/* Those that a thread takes at a time. */
#define PIECE ((uint64_t)4096)
/* How far ahead offsets are fetched that lie anywhere: a line of the cache each, as many at a time
 * as a core waits for. */
#define AHEAD 32

/* ---- Rows ----------------------------------------------------------------- */

struct preparing {
  struct qn_session *session;
  enum qn_rows which;
};

static enum qn_status prepare(void *argument, struct qn_error *error) {
  const struct preparing *preparing = argument;
  const struct qn_csr *in;
  return preparing->which == QN_ROWS_OUT
             ? qn_session_ensure_graph(preparing->session, QN_VERIFY_STRUCTURE, error)
             : qn_session_ensure_in_edges(preparing->session, &in, error);
}

static enum qn_status rows_of(struct qn_session *session, enum qn_rows which,
                              const struct qn_csr **rows, struct qn_error *error) {
  struct preparing preparing = {session, which};
  *rows = NULL;
  if (which != QN_ROWS_OUT && which != QN_ROWS_IN)
    return qn_fail(error, QN_USAGE, "there are no rows called %d", (int)which);
  *rows = __atomic_load_n(&session->rows[which], __ATOMIC_ACQUIRE);
  if (*rows)
    return QN_OK;
  enum qn_status status =
      qn_session_has_rows(session, which) ? QN_OK : qn_call(NULL, prepare, &preparing, error);
  if (status)
    return status;
  *rows = qn_session_rows(session, which);
  __atomic_store_n(&session->rows[which], *rows, __ATOMIC_RELEASE);
  return QN_OK;
}

static enum qn_status no_vertex(const struct qn_csr *rows, uint64_t vertex,
                                struct qn_error *error) {
  return qn_fail(error, QN_USAGE, "there is not a vertex %" PRIu64 " in a graph of %" PRIu64,
                 vertex, rows->num_vertices);
}

static bool is_within(const struct qn_csr *rows, uint64_t vertex) {
  const uint64_t *offset = &rows->row_offsets[vertex];
  return offset[0] <= offset[1] && offset[1] <= rows->num_edges;
}

static enum qn_status out_of_bounds(uint64_t vertex, struct qn_error *error) {
  return qn_fail(error, QN_INVALID,
                 "the row of vertex %" PRIu64 " does not lie within the graph: it is damaged",
                 vertex);
}

/* ---- Rows on a server ------------------------------------------------------- */

struct far_row {
  struct qn_session *session;
  const struct qn_csr *rows;
  uint64_t vertex;
};

/* Are these rows stored on a server, and not all here? */
static bool are_far(struct qn_session *session, enum qn_rows which) {
  return qn_container_is_remote(session->container) &&
         session->input.info->layout == QN_LAYOUT_GRAPH &&
         (which == QN_ROWS_OUT || (which == QN_ROWS_IN && session->graph.has_transpose)) &&
         !__atomic_load_n(&session->rows[which], __ATOMIC_ACQUIRE);
}

/* Its offsets, by which its edges and weights are found. */
static enum qn_status bring_row(void *argument, struct qn_error *error) {
  const struct far_row *far = argument;
  const struct qn_container *container = far->session->container;
  const uint64_t *offsets = far->rows->row_offsets + far->vertex;
  enum qn_status status = qn_container_need(container, offsets, offsets + 2, error);
  if (status)
    return status;
  if (!is_within(far->rows, far->vertex))
    return out_of_bounds(far->vertex, error);
  const uint32_t *columns = far->rows->column_indices;
  const char *weights = far->rows->weights.data;
  const unsigned bytes = qn_weight_bytes(far->rows->weights.type);
  struct qn_needed_bytes needed[] = {{columns + offsets[0], columns + offsets[1]}, {NULL, NULL}};
  if (weights)
    needed[1] =
        (struct qn_needed_bytes){weights + offsets[0] * bytes, weights + offsets[1] * bytes};
  return qn_container_need_together(container, needed, 2, error);
}

static enum qn_status far_rows(struct qn_session *session, enum qn_rows which, uint64_t vertex,
                               const struct qn_csr **rows, struct qn_error *error) {
  struct far_row far = {session, qn_session_rows(session, which), vertex};
  *rows = far.rows;
  return vertex < far.rows->num_vertices ? qn_call(NULL, bring_row, &far, error) : QN_OK;
}

enum qn_status qn_session_row(struct qn_session *session, enum qn_rows which, uint32_t vertex,
                              struct qn_row *row, struct qn_error *error) {
  const struct qn_csr *rows;
  enum qn_status status = are_far(session, which) ? far_rows(session, which, vertex, &rows, error)
                                                  : rows_of(session, which, &rows, error);
  if (status)
    return status;
  if (vertex >= rows->num_vertices)
    return no_vertex(rows, vertex, error);
  if (!is_within(rows, vertex))
    return out_of_bounds(vertex, error);
  const uint64_t first = rows->row_offsets[vertex];
  const struct qn_row found = {
      .num_edges = rows->row_offsets[vertex + (uint64_t)1] - first,
      .first = first,
      .columns = rows->column_indices + first,
      .weights = rows->weights.data ? (const char *)rows->weights.data +
                                          first * qn_weight_bytes(rows->weights.type)
                                    : NULL,
  };
  qn_sized_copy(row, &found, sizeof found);
  return QN_OK;
}

/* ---- Degrees --------------------------------------------------------------- */

/* A degree of a vertex that lies anywhere moves 4 bytes of its number, a line of 64 of offsets (of
 * every eighth two) and 8 of itself: 84 MB for a million, of which 12 are in order. */

struct counting {
  const struct qn_csr *rows;
  const uint32_t *vertices; /* NULL: the first */
  uint64_t count;
  uint64_t *degrees;
};

static uint64_t vertex_at(const struct counting *counting, uint64_t i) {
  return counting->vertices ? counting->vertices[i] : i;
}

/* Those from `first` to before `end`. Returns the first without a row, UINT64_MAX if each has one.
 */
static uint64_t count_piece(const struct counting *counting, uint64_t first, uint64_t end) {
  const uint64_t *offsets = counting->rows->row_offsets;
  uint64_t bad = UINT64_MAX;
  for (uint64_t i = first; i < end; i++) {
    const uint64_t vertex = vertex_at(counting, i);
    if (counting->vertices && i + AHEAD < end &&
        counting->vertices[i + AHEAD] < counting->rows->num_vertices)
      __builtin_prefetch(&offsets[counting->vertices[i + AHEAD]]);
    if (vertex < counting->rows->num_vertices && is_within(counting->rows, vertex))
      counting->degrees[i] = offsets[vertex + 1] - offsets[vertex];
    else
      bad = i < bad ? i : bad;
  }
  return bad;
}

static enum qn_status end_count(const struct counting *counting, uint64_t bad,
                                struct qn_error *error) {
  if (bad == UINT64_MAX)
    return QN_OK;
  const uint64_t vertex = vertex_at(counting, bad);
  return vertex < counting->rows->num_vertices ? out_of_bounds(vertex, error)
                                               : no_vertex(counting->rows, vertex, error);
}

static enum qn_status count_many(void *argument, struct qn_error *error) {
  const struct counting *counting = argument;
  uint64_t bad = UINT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (uint64_t first = 0; first < counting->count; first += PIECE) {
    uint64_t left = counting->count - first;
    uint64_t found = count_piece(counting, first, first + (left < PIECE ? left : PIECE));
    bad = found < bad ? found : bad;
  }
  return end_count(counting, bad, error);
}

enum qn_status qn_session_degrees(struct qn_session *session, enum qn_rows which,
                                  const uint32_t *vertices, uint64_t count, uint64_t *degrees,
                                  struct qn_error *error) {
  struct counting counting = {.vertices = vertices, .count = count, .degrees = degrees};
  enum qn_status status = rows_of(session, which, &counting.rows, error);
  if (status)
    return status;
  return count > FEW_DEGREES ? qn_call(NULL, count_many, &counting, error)
                             : end_count(&counting, count_piece(&counting, 0, count), error);
}

/* ---- Ids ------------------------------------------------------------------- */

static enum qn_status prepare_ids(void *session, struct qn_error *error) {
  return qn_session_ensure_ids(session, error);
}

static enum qn_status ids_of(struct qn_session *session, struct qn_error *error) {
  return __atomic_load_n(&session->has_order, __ATOMIC_ACQUIRE)
             ? QN_OK
             : qn_call(NULL, prepare_ids, session, error);
}

/* One of texts and numbers is there. */
struct finding {
  struct qn_session *session;
  const struct qn_run_input *input;
  const char *const *texts;
  const uint64_t *numbers;
  uint64_t count;
  uint32_t *vertices;
  bool *found;
};

static bool find_one(const struct finding *finding, uint64_t i) {
  const struct qn_run_input *input = finding->input;
  uint32_t *vertex = &finding->vertices[i];
  const bool found = finding->numbers ? qn_ids_lookup_number(&input->ids, input->order,
                                                             finding->numbers[i], vertex)
                                      : qn_ids_lookup(&input->ids, input->order, finding->texts[i],
                                                      strlen(finding->texts[i]), vertex);
  if (!found)
    *vertex = UINT32_MAX;
  if (finding->found)
    finding->found[i] = found;
  return found;
}

static enum qn_status end_search(const struct finding *finding, uint64_t missing,
                                 struct qn_error *error) {
  uint32_t vertex;
  if (finding->found || missing == UINT64_MAX)
    return QN_OK;
  return finding->numbers
             ? qn_fail(error, QN_USAGE, "no vertex has the id '%" PRIu64 "'",
                       finding->numbers[missing])
             : qn_ids_find(&finding->input->ids, finding->texts[missing], &vertex, error);
}

/* Numbers from `first` on, by the index of those that ascend. Returns the first that is none. */
static uint64_t find_piece(const struct finding *finding, const struct qn_id_index *index,
                           uint64_t first) {
  uint64_t left = finding->count - first, count = left < PIECE ? left : PIECE;
  uint32_t *vertices = finding->vertices + first;
  uint64_t missing = qn_id_index_find(index, finding->numbers + first, count, vertices);
  for (uint64_t i = 0; finding->found && i < count; i++)
    finding->found[first + i] = vertices[i] != UINT32_MAX;
  return missing < count ? first + missing : UINT64_MAX;
}

static enum qn_status find_indexed(const struct finding *finding, const struct qn_id_index *index,
                                   struct qn_error *error) {
  uint64_t missing = UINT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : missing)
  for (uint64_t first = 0; first < finding->count; first += PIECE) {
    uint64_t found = find_piece(finding, index, first);
    missing = found < missing ? found : missing;
  }
  return end_search(finding, missing, error);
}

static enum qn_status find_many(void *argument, struct qn_error *error) {
  const struct finding *finding = argument;
  uint64_t missing = UINT64_MAX;
  if (finding->numbers) {
    enum qn_status status = qn_session_ensure_index(finding->session, error);
    if (status)
      return status;
    if (__atomic_load_n(&finding->session->has_index, __ATOMIC_ACQUIRE))
      return find_indexed(finding, &finding->session->index, error);
  }
#pragma omp parallel for schedule(static) reduction(min : missing)
  for (uint64_t i = 0; i < finding->count; i++)
    if (!find_one(finding, i) && i < missing)
      missing = i;
  return end_search(finding, missing, error);
}

/* On the calling thread, where no region may begin (call.h). */
static enum qn_status find_few(const struct finding *finding, struct qn_error *error) {
  uint64_t missing = UINT64_MAX;
  for (uint64_t i = 0; i < finding->count; i++)
    if (!find_one(finding, i) && i < missing)
      missing = i;
  return end_search(finding, missing, error);
}

/* ---- Ids on a server -------------------------------------------------------- */

static enum qn_status missing_id(const struct finding *finding, uint64_t i,
                                 struct qn_error *error) {
  return finding->numbers
             ? qn_fail(error, QN_USAGE, "no vertex has the id '%" PRIu64 "'", finding->numbers[i])
             : qn_fail(error, QN_USAGE, "no vertex has the id '%.64s'", finding->texts[i]);
}

static enum qn_status find_far(void *argument, struct qn_error *error) {
  const struct finding *finding = argument;
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < finding->count && !status; i++) {
    bool found;
    status = finding->numbers ? qn_far_ids_find_number(finding->session, finding->numbers[i],
                                                       &finding->vertices[i], &found, error)
                              : qn_far_ids_find_text(finding->session, finding->texts[i],
                                                     &finding->vertices[i], &found, error);
    if (status)
      return status;
    if (!found)
      finding->vertices[i] = UINT32_MAX;
    if (finding->found)
      finding->found[i] = found;
    else if (!found)
      status = missing_id(finding, i, error);
  }
  return status;
}

/* ---- Finding ------------------------------------------------------------------ */

static enum qn_status find(struct qn_session *session, struct finding finding,
                           struct qn_error *error) {
  finding.session = session;
  finding.input = &session->input;
  if (finding.count && finding.count <= FEW_FAR && qn_far_ids_are_searched(session))
    return qn_call(NULL, find_far, &finding, error);
  enum qn_status status = ids_of(session, error);
  if (status)
    return status;
  return finding.count > FEW ? qn_call(NULL, find_many, &finding, error)
                             : find_few(&finding, error);
}

enum qn_status qn_session_find(struct qn_session *session, const char *const *texts, uint64_t count,
                               uint32_t *vertices, bool *found, struct qn_error *error) {
  return find(
      session,
      (struct finding){.texts = texts, .count = count, .vertices = vertices, .found = found},
      error);
}

enum qn_status qn_session_find_numbers(struct qn_session *session, const uint64_t *ids,
                                       uint64_t count, uint32_t *vertices, bool *found,
                                       struct qn_error *error) {
  if (session->input.ids.kind == QN_IDS_STRINGS)
    return qn_fail(error, QN_USAGE, "ids of this graph are texts, not numbers");
  return find(
      session,
      (struct finding){.numbers = ids, .count = count, .vertices = vertices, .found = found},
      error);
}

struct naming {
  struct qn_session *session;
  const uint32_t *vertices;
  uint64_t count;
};

static enum qn_status bring_ids(void *argument, struct qn_error *error) {
  const struct naming *naming = argument;
  if (!qn_container_is_remote(naming->session->container))
    return qn_session_check_ids(naming->session, error);
  return qn_far_ids_bring(naming->session, naming->vertices, naming->count, error);
}

/* Before ids of vertices are read where they lie. */
static enum qn_status begin_naming(struct naming naming, struct qn_error *error) {
  const struct qn_ids *ids = &naming.session->input.ids;
  for (uint64_t i = 0; i < naming.count; i++)
    if (naming.vertices[i] >= ids->num_vertices)
      return qn_fail(error, QN_USAGE, "there is not a vertex %" PRIu32 " in a graph of %" PRIu64,
                     naming.vertices[i], ids->num_vertices);
  const bool are_there = !qn_container_is_remote(naming.session->container) &&
                         __atomic_load_n(&naming.session->has_checked_ids, __ATOMIC_ACQUIRE);
  return ids->kind == QN_IDS_DENSE || are_there ? QN_OK : qn_call(NULL, bring_ids, &naming, error);
}

enum qn_status qn_session_numbers_of(struct qn_session *session, const uint32_t *vertices,
                                     uint64_t count, uint64_t *numbers, struct qn_error *error) {
  const struct qn_ids *ids = &session->input.ids;
  if (ids->kind == QN_IDS_STRINGS)
    return qn_fail(error, QN_USAGE, "ids of this graph are texts, not numbers");
  enum qn_status status = begin_naming((struct naming){session, vertices, count}, error);
  for (uint64_t i = 0; i < count && !status; i++)
    numbers[i] = ids->kind == QN_IDS_NUMBERS ? ids->numbers[vertices[i]] : vertices[i];
  return status;
}

enum qn_status qn_session_texts_of(struct qn_session *session, const uint32_t *vertices,
                                   uint64_t count, const char **texts, uint64_t *lengths,
                                   struct qn_error *error) {
  const struct qn_ids *ids = &session->input.ids;
  if (ids->kind != QN_IDS_STRINGS)
    return qn_fail(error, QN_USAGE, "ids of this graph are numbers, not texts");
  enum qn_status status = begin_naming((struct naming){session, vertices, count}, error);
  for (uint64_t i = 0; i < count && !status; i++) {
    status = qn_far_ids_text(ids, vertices[i], &texts[i], &lengths[i], error);
    if (status)
      qn_error_in_file(error, session->path);
  }
  return status;
}

/* ---- Edges ----------------------------------------------------------------- */

/* A loop is stored once, every other edge in both directions. */
static uint64_t count_loops(const struct qn_csr *rows) {
  uint64_t loops = 0;
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : loops)
  for (uint64_t v = 0; v < rows->num_vertices; v++)
    for (uint64_t e = rows->row_offsets[v]; e < rows->row_offsets[v + 1]; e++)
      loops += rows->column_indices[e] == v;
  return loops;
}

static enum qn_status count_once(void *argument, struct qn_error *error) {
  struct qn_session *session = argument;
  enum qn_status status = qn_session_ensure_graph(session, QN_VERIFY_STRUCTURE, error);
  if (!status)
    session->num_edges = (session->graph.out.num_edges + count_loops(&session->graph.out)) / 2;
  return status;
}

enum qn_status qn_session_count_edges(struct qn_session *session, const struct qn_job *job,
                                      uint64_t *num_edges, struct qn_error *error) {
  const struct qn_container_info *info = session->input.info;
  enum qn_status status = QN_OK;
  *num_edges = info->num_edges;
  if (info->directedness != QN_UNDIRECTED || !info->num_edges)
    return QN_OK;
  *num_edges = qn_undirected_edges(session->container, info->num_edges);
  if (!*num_edges) {
    status = qn_call(job, count_once, session, error);
    *num_edges = session->num_edges;
  }
  return status;
}
