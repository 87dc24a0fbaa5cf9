#include "library/training/rows.h"

#include <inttypes.h>

#include "formats/properties/row_source.h"
#include "formats/set/set.h"
#include "library/call.h"
#include "library/session.h"
#include "support/memory.h"

/* Numbers that are read, and cached, together. */
#define LINE_BYTES 64

struct qn_sampler_rows {
  struct qn_session *session; /* NULL: of a set */
  uint64_t *offsets[2]; /* of rows that have none themselves: of these, and what numbers them */
  uint64_t num_offsets[2];
  /* Of a set. */
  struct qn_set *set;
  uint64_t num_parts;
  struct qn_set_open_part *parts;   /* [num_parts] */
  struct qn_packed *packed;         /* [num_parts] */
  uint64_t **part_offsets;          /* [num_parts] of packed rows */
  struct qn_sampling_block *blocks; /* [num_parts] */
  /* Of rows that are read. */
  struct qn_row_source sources[2]; /* offsets, columns */
  struct qn_sampling_reads reads;
};

/* ---- Of sessions ------------------------------------------------------------- */

/* The rows as a packed container stores them; NULL: it does not, or it is not one. */
static const struct qn_packed_rows *packed_rows(const struct qn_session *session,
                                                enum qn_rows which) {
  const struct qn_packed *packed = session->input.view;
  if (session->input.info->layout != QN_LAYOUT_PACKED)
    return NULL;
  const bool both = packed->directedness == QN_UNDIRECTED;
  if (which == QN_ROWS_OUT)
    return packed->has_out ? &packed->out : both ? &packed->in : NULL;
  return packed->has_in ? &packed->in : both ? &packed->out : NULL;
}

struct offsetting {
  struct qn_session *session;
  const struct qn_packed_rows *packed;
  struct qn_sampling_rows *rows;
  uint64_t **offsets;
};

static enum qn_status find_offsets(void *argument, struct qn_error *error) {
  const struct offsetting *offsetting = argument;
  enum qn_status status =
      offsetting->session->trusted
          ? QN_OK
          : qn_session_ensure_verified(offsetting->session, QN_VERIFY_STRUCTURE, error);
  return status ? status
                : qn_sampling_rows_unpack_offsets(offsetting->packed, offsetting->rows,
                                                  offsetting->offsets, error);
}

/* Packed rows are left as they are, and others that are not plain are put together. */
static enum qn_status prepare_rows(struct qn_sampler_rows *own, enum qn_rows which, int place,
                                   const struct qn_job *job, struct qn_sampling_rows *rows,
                                   struct qn_error *error) {
  struct qn_session *session = own->session;
  struct qn_edge_rows prepared = {.size = sizeof prepared};
  struct offsetting offsetting = {session, packed_rows(session, which), rows, &own->offsets[place]};
  if (offsetting.packed) {
    own->num_offsets[place] = offsetting.packed->num_vertices + 1;
    return qn_call(job, find_offsets, &offsetting, error);
  }
  enum qn_status status = which == QN_ROWS_OUT
                              ? qn_session_out_edges(session, job, &prepared, error)
                              : qn_session_in_edges(session, job, &prepared, error);
  if (!status)
    *rows = (struct qn_sampling_rows){.num_vertices = prepared.num_vertices,
                                      .num_edges = prepared.num_edges,
                                      .row_offsets = prepared.row_offsets,
                                      .column_indices = prepared.column_indices};
  return status;
}

static enum qn_status open_session(struct qn_sampler_rows *own,
                                   const struct qn_sampler_edges *given, bool numbered,
                                   const struct qn_job *job, struct qn_sampling_edges *edges,
                                   uint64_t *num_vertices, struct qn_error *error) {
  struct qn_session_info info = {.size = sizeof info};
  own->session = qn_session_refer(given->session);
  qn_session_info(given->session, &info);
  *num_vertices = info.num_vertices;
  enum qn_status status = prepare_rows(own, given->rows, 0, job, &edges->rows, error);
  if (!status && numbered && given->rows == QN_ROWS_IN && info.directed)
    status = prepare_rows(own, QN_ROWS_OUT, 1, job, &edges->numbered, error);
  return status;
}

/* ---- Of sets ------------------------------------------------------------------ */

/* What a set stores is sampled, and what would have to be made of it is not. */
static enum qn_status check_set(const struct qn_set *set, const struct qn_sampler_edges *given,
                                bool numbered, struct qn_error *error) {
  const bool directed = set->directedness == QN_DIRECTED;
  if (set->num_edge_types || set->num_generations)
    return qn_fail(error, QN_UNSUPPORTED,
                   "%s: a set with %s is put together before it is sampled: open it as a graph",
                   given->set, set->num_edge_types ? "types" : "generations");
  if (set->num_vertices > UINT32_MAX)
    return qn_fail(error, QN_UNSUPPORTED, "%s: %" PRIu64 " vertices; a sampler counts to 2^32 - 1",
                   given->set, set->num_vertices);
  if (directed && (set->rows == QN_SET_ROWS_OUT) != (given->rows == QN_ROWS_OUT))
    return qn_fail(error, QN_UNSUPPORTED,
                   "%s: the set has rows of edges %s of vertices, and is sampled in that direction "
                   "where it lies; opened as a graph it is sampled in both",
                   given->set, set->rows == QN_SET_ROWS_OUT ? "out" : "in");
  if (directed && numbered && given->rows == QN_ROWS_IN)
    return qn_fail(error, QN_UNSUPPORTED,
                   "%s: edges of a set with rows \"in\" have no numbers and no times there; "
                   "opened as a graph they have",
                   given->set);
  return QN_OK;
}

/* Plain rows are not looked at, packed ones as in a session. */
static enum qn_status open_part(struct qn_sampler_rows *own, uint64_t index,
                                struct qn_error *error) {
  const struct qn_set *set = own->set;
  const struct qn_set_part *about = &set->parts[index];
  struct qn_set_open_part *part = &own->parts[index];
  struct qn_sampling_block *block = &own->blocks[index];
  enum qn_status status = qn_set_part_open(set, index, QN_SET_CHECK_FILE, part, error);
  if (status)
    return status;
  *block = (struct qn_sampling_block){.begin = about->begin,
                                      .end = about->end,
                                      .first_column = (uint32_t)about->columns_begin,
                                      .rows = {.num_vertices = about->end - about->begin,
                                               .num_edges = part->rows.num_edges,
                                               .row_offsets = part->rows.row_offsets,
                                               .column_indices = part->rows.column_indices}};
  if (set->layout == QN_LAYOUT_GRAPH)
    return QN_OK;
  if (set->version == 1)
    return qn_fail(error, QN_UNSUPPORTED,
                   "%s: version 1 of a set with packed parts; open it as a "
                   "graph",
                   set->path);
  status = qn_set_part_verify(part, error);
  if (!status)
    status = qn_packed_view(part->container, &own->packed[index], error);
  return status ? status
                : qn_sampling_rows_unpack_offsets(&own->packed[index].out, &block->rows,
                                                  &own->part_offsets[index], error);
}

static enum qn_status allocate_parts(struct qn_sampler_rows *own, struct qn_error *error) {
  const uint64_t count = own->set->num_parts;
  enum qn_status status =
      qn_alloc_zeroed(&own->parts, count, sizeof *own->parts, "parts of a set", error);
  if (!status)
    status = qn_alloc_zeroed(&own->packed, count, sizeof *own->packed, "parts of a set", error);
  if (!status)
    status = qn_alloc_zeroed(&own->part_offsets, count, sizeof *own->part_offsets, "rows", error);
  if (!status)
    status = qn_alloc_zeroed(&own->blocks, count, sizeof *own->blocks, "parts of a set", error);
  return status;
}

struct opening {
  struct qn_sampler_rows *own;
  const struct qn_sampler_edges *given;
  bool numbered;
  struct qn_sampling_edges *edges;
};

static enum qn_status open_set(void *argument, struct qn_error *error) {
  const struct opening *opening = argument;
  struct qn_sampler_rows *own = opening->own;
  enum qn_status status = qn_set_open(opening->given->set, &own->set, error);
  if (!status)
    status = check_set(own->set, opening->given, opening->numbered, error);
  if (!status)
    status = allocate_parts(own, error);
  for (; !status && own->num_parts < own->set->num_parts; own->num_parts++)
    status = open_part(own, own->num_parts, error);
  if (status)
    return status;
  own->num_offsets[0] = own->set->num_vertices + 1;
  return qn_sampling_rows_join(own->blocks, own->num_parts, own->set->num_vertices,
                               &opening->edges->rows, &own->offsets[0], error);
}

/* ---- Reads -------------------------------------------------------------------- */

static enum qn_status read_offsets(void *context, const int64_t *places, uint64_t count,
                                   uint64_t *out, struct qn_error *error) {
  struct qn_sampler_rows *own = context;
  return qn_rows_gather(&own->sources[0], places, count, out, error);
}

static enum qn_status read_columns(void *context, const int64_t *places, uint64_t count,
                                   uint32_t *out, struct qn_error *error) {
  struct qn_sampler_rows *own = context;
  return qn_rows_gather(&own->sources[1], places, count, out, error);
}

/* Offsets get as much of the cache as they need, at most half: those of vertices with many
 * neighbours are asked for all the time, while of edges one is asked for as often as any other. */
static enum qn_status prepare_reads(struct qn_sampler_rows *own,
                                    const struct qn_sampler_edges *given,
                                    struct qn_sampling_rows *rows, struct qn_error *error) {
  const uint64_t most = given->cache_bytes / 2, all = 2 * sizeof(uint64_t) * rows->num_vertices;
  const uint64_t of_offsets = all < most ? all : most;
  if (!rows->column_indices && rows->num_edges)
    return qn_fail(error, QN_UNSUPPORTED,
                   "rows that are read are those of a plain graph, neither packed nor of a set");
  enum qn_status status =
      qn_row_source_create(&own->sources[0], rows->row_offsets, rows->num_vertices + 1,
                           sizeof *rows->row_offsets, LINE_BYTES, true, of_offsets, error);
  if (!status)
    status = qn_row_source_create(&own->sources[1], rows->column_indices, rows->num_edges,
                                  sizeof *rows->column_indices, LINE_BYTES, true,
                                  given->cache_bytes - of_offsets, error);
  own->reads = (struct qn_sampling_reads){read_offsets, read_columns, own};
  rows->reads = &own->reads;
  return status;
}

/* ---- All of it ---------------------------------------------------------------- */

enum qn_status qn_sampler_rows_open(const struct qn_sampler_edges *given, bool numbered,
                                    const struct qn_job *job, struct qn_sampling_edges *edges,
                                    uint64_t *num_vertices, struct qn_sampler_rows **out,
                                    struct qn_error *error) {
  struct qn_sampler_rows *own;
  enum qn_status status = qn_alloc_zeroed(out, 1, sizeof **out, "rows of a sampler", error);
  if (status)
    return status;
  own = *out;
  qn_row_source_clear(&own->sources[0]);
  qn_row_source_clear(&own->sources[1]);
  if (given->session) {
    status = open_session(own, given, numbered, job, edges, num_vertices, error);
  } else {
    struct opening opening = {own, given, numbered, edges};
    status = qn_call(job, open_set, &opening, error);
    *num_vertices = status ? 0 : own->set->num_vertices;
  }
  if (!status && given->read)
    status = prepare_reads(own, given, &edges->rows, error);
  return status;
}

void qn_sampler_rows_close(struct qn_sampler_rows *own) {
  if (!own)
    return;
  for (int i = 0; i < 2; i++) {
    qn_row_source_destroy(&own->sources[i]);
    qn_pages_free(own->offsets[i], own->num_offsets[i], sizeof(uint64_t));
  }
  for (uint64_t i = 0; own->blocks && i < own->set->num_parts; i++) {
    qn_pages_free(own->part_offsets[i], own->blocks[i].rows.num_vertices + 1, sizeof(uint64_t));
    qn_set_part_close(&own->parts[i]);
  }
  qn_free(own->parts);
  qn_free(own->packed);
  qn_free(own->part_offsets);
  qn_free(own->blocks);
  qn_set_close(own->set);
  qn_session_close(own->session);
  qn_free(own);
}

enum qn_status qn_sampler_rows_unchanged(const struct qn_sampler_rows *own,
                                         struct qn_error *error) {
  enum qn_status status =
      own->session ? qn_container_unchanged(own->session->container, error) : QN_OK;
  for (uint64_t i = 0; i < own->num_parts && !status; i++)
    status = qn_container_unchanged(own->parts[i].container, error);
  return status;
}
