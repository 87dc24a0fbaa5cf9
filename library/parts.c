/* Sets whose parts are written by several processes (quern/parts.h).
 *
 * While a set is made its folder has a manifest already, in which of the parts' files there are the
 * ranges, but neither bytes nor identities: from it those who write parts know what they are of. */
#include <quern/parts.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/set/blocks.h"
#include "formats/set/files.h"
#include "formats/set/manifest.h"
#include "formats/set/vertices.h"
#include "library/call.h"
#include "library/sized.h"
#include "support/memory.h"
#include "support/tool.h"
#include <quern/fingerprint.h>
#include <quern/metadata.h>

static enum qn_status weight_type_of(enum qn_type type, enum qn_weight_type *weights,
                                     struct qn_error *error) {
  switch (type) {
  case QN_TYPE_NONE:
    return *weights = QN_WEIGHT_NONE, QN_OK;
  case QN_TYPE_U32:
    return *weights = QN_WEIGHT_U32, QN_OK;
  case QN_TYPE_F32:
    return *weights = QN_WEIGHT_F32, QN_OK;
  case QN_TYPE_I64:
    return *weights = QN_WEIGHT_I64, QN_OK;
  case QN_TYPE_F64:
    return *weights = QN_WEIGHT_F64, QN_OK;
  default:
    return qn_fail(error, QN_USAGE, "weights of a part are u32, f32, i64 or f64");
  }
}

/* ---- Rows -------------------------------------------------------------------------- */

struct rows {
  struct qn_part_rows given;
  enum qn_weight_type weight_type;
  uint64_t num_edges;
};

/* What can be said of them without looking at columns. */
static enum qn_status take_rows(const struct qn_part_rows *given, struct rows *rows,
                                struct qn_error *error) {
  qn_sized_read(&rows->given, sizeof rows->given, given);
  const struct qn_part_rows *part = &rows->given;
  enum qn_status status = weight_type_of(part->weight_type, &rows->weight_type, error);
  if (status)
    return status;
  if (part->begin > part->end || part->end > UINT32_MAX || !part->row_offsets ||
      part->row_offsets[0] != 0)
    return qn_fail(error, QN_USAGE, "rows: expected a range of vertices, and offsets from 0 on");
  for (uint64_t i = 0; i < part->end - part->begin; i++)
    if (part->row_offsets[i] > part->row_offsets[i + 1])
      return qn_fail(error, QN_INVALID, "the offsets of row %" PRIu64 " decrease", part->begin + i);
  rows->num_edges = part->row_offsets[part->end - part->begin];
  if (rows->num_edges && (!part->columns || (rows->weight_type && !part->weights)))
    return qn_fail(error, QN_USAGE, "rows: the columns or the weights are missing");
  return QN_OK;
}

static uint64_t fingerprint_of(const struct rows *rows) {
  const struct qn_part_rows *part = &rows->given;
  const unsigned bytes = qn_weight_bytes(rows->weight_type);
  uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (uint64_t i = 0; i < part->end - part->begin; i++) {
    const uint32_t row = (uint32_t)(part->begin + i);
    for (uint64_t e = part->row_offsets[i]; e < part->row_offsets[i + 1]; e++) {
      const uint32_t source = part->rows_in ? part->columns[e] : row;
      const uint32_t destination = part->rows_in ? row : part->columns[e];
      sum += qn_mix_source(source) * qn_mix_destination(destination) *
             qn_mix_weight_at(part->weights, bytes, e);
    }
  }
  return sum;
}

struct fingerprinting {
  const struct qn_part_rows *rows;
  uint64_t *fingerprint;
};

static enum qn_status find_fingerprint(void *argument, struct qn_error *error) {
  const struct fingerprinting *finding = argument;
  struct rows rows;
  enum qn_status status = take_rows(finding->rows, &rows, error);
  if (!status)
    *finding->fingerprint = fingerprint_of(&rows);
  return status;
}

enum qn_status qn_part_fingerprint(const struct qn_part_rows *rows, const struct qn_job *job,
                                   uint64_t *fingerprint, struct qn_error *error) {
  struct fingerprinting finding = {rows, fingerprint};
  *fingerprint = 0;
  return qn_call(job, find_fingerprint, &finding, error);
}

/* ---- Beginning ------------------------------------------------------------------------ */

struct qn_set_draft {
  struct qn_set_writer *writer;
  struct qn_set *set; /* being made */
};

struct beginning {
  const char *path;
  bool replace;
  struct qn_set_shape shape;
  struct qn_ids ids;
  struct qn_set_draft *draft;
};

static enum qn_status take_names(struct beginning *beginning, struct qn_error *error) {
  const struct qn_set_shape *shape = &beginning->shape;
  struct qn_ids *ids = &beginning->ids;
  struct qn_id_arrays names;
  *ids =
      (struct qn_ids){.kind = QN_IDS_DENSE, .num_vertices = shape->num_vertices, .ascending = true};
  if (!shape->names)
    return QN_OK;
  qn_sized_read(&names, sizeof names, shape->names);
  if (names.num_vertices != shape->num_vertices)
    return qn_fail(error, QN_USAGE, "there are %" PRIu64 " names for %" PRIu64 " vertices",
                   names.num_vertices, shape->num_vertices);
  if (names.form == QN_ID_FORM_DENSE)
    return QN_OK;
  ids->kind = names.form == QN_ID_FORM_NUMBERS ? QN_IDS_NUMBERS : QN_IDS_STRINGS;
  ids->numbers = names.numbers;
  ids->string_offsets = names.offsets;
  ids->string_bytes = names.bytes;
  if (names.num_vertices &&
      (ids->kind == QN_IDS_NUMBERS ? !names.numbers : !names.offsets || !names.bytes))
    return qn_fail(error, QN_USAGE, "names: expected numbers, or offsets and bytes of texts");
  if (qn_ids_check(NULL, ids, NULL) == QN_OK)
    return QN_OK;
  ids->ascending = false;
  return qn_ids_check(NULL, ids, error);
}

/* Parts of whole rows end where the shape says. */
static enum qn_status take_ends(const struct qn_set_shape *shape, struct qn_set *set,
                                struct qn_error *error) {
  enum qn_status status = qn_set_one_range(set, error);
  if (!status)
    status =
        qn_alloc_zeroed(&set->parts, shape->num_parts, sizeof *set->parts, "parts of a set", error);
  for (; !status && set->num_parts < shape->num_parts; set->num_parts++) {
    struct qn_set_part *part = &set->parts[set->num_parts];
    part->begin = set->num_parts ? part[-1].end : 0;
    part->end = shape->ends[set->num_parts];
    part->columns_end = shape->num_vertices;
    if (part->end < part->begin || part->end > shape->num_vertices)
      return qn_fail(error, QN_INVALID, "the range of part %" PRIu64 " cannot be", set->num_parts);
  }
  if (!status && set->parts[set->num_parts - 1].end != shape->num_vertices)
    status = qn_fail(error, QN_INVALID, "the ranges of the parts do not end with the last vertex");
  return status;
}

static enum qn_status take_blocks(const struct qn_set_shape *shape, struct qn_set *set,
                                  struct qn_error *error) {
  enum qn_status status = qn_set_cut(set, shape->block_vertices, error);
  if (status || set->num_parts == shape->num_parts)
    return status;
  return qn_fail(error, QN_INVALID,
                 "blocks of %" PRIu64 " vertices are %" PRIu64 " parts, not %" PRIu64,
                 shape->block_vertices, set->num_parts, shape->num_parts);
}

static enum qn_status take_edges(const struct qn_set_shape *shape, struct qn_set *set,
                                 struct qn_error *error) {
  uint64_t degrees = 0;
  for (uint64_t i = 0; i < set->num_parts; i++) {
    char name[32];
    if (shape->part_edges[i] > UINT64_MAX / 64 - set->num_edges)
      return qn_fail(error, QN_INVALID, "the edges of part %" PRIu64 " cannot be", i);
    set->parts[i].num_edges = shape->part_edges[i];
    set->num_edges += shape->part_edges[i];
    qn_set_part_name(i, name);
    set->parts[i].file.name = strdup(name);
    if (!set->parts[i].file.name)
      return qn_fail_memory(error, "a file's name", sizeof name);
  }
  for (uint64_t v = 0; v < shape->num_vertices; v++)
    degrees += shape->out_degrees[v];
  return degrees == set->num_edges ? QN_OK
                                   : qn_fail(error, QN_INVALID,
                                             "the out-degrees add up to %" PRIu64
                                             " edges, those of the parts to %" PRIu64,
                                             degrees, set->num_edges);
}

static enum qn_status describe(const struct qn_set_shape *shape, struct qn_set *set,
                               struct qn_error *error) {
  if (shape->num_vertices > UINT32_MAX || shape->num_parts == 0 ||
      shape->num_parts > QN_SET_MAX_PARTS || !shape->ends == !shape->block_vertices ||
      !shape->part_edges || (shape->num_vertices && !shape->out_degrees) ||
      (shape->undirected && shape->rows_in))
    return qn_fail(error, QN_USAGE,
                   "a set has 1 to %d parts, at most 2^32 - 1 vertices, ranges or blocks, numbers "
                   "of edges and out-degrees; rows of an undirected one are \"out\"",
                   QN_SET_MAX_PARTS);
  set->version = QN_SET_VERSION;
  set->num_vertices = shape->num_vertices;
  set->directedness = shape->undirected ? QN_UNDIRECTED : QN_DIRECTED;
  set->rows = shape->rows_in ? QN_SET_ROWS_IN : QN_SET_ROWS_OUT;
  set->layout = QN_LAYOUT_GRAPH;
  set->fingerprint = shape->fingerprint;
  enum qn_status status = weight_type_of(shape->weight_type, &set->weight_type, error);
  if (!status)
    status = shape->block_vertices ? take_blocks(shape, set, error) : take_ends(shape, set, error);
  return status ? status : take_edges(shape, set, error);
}

static void fill_degrees(const void *context, uint64_t begin, uint64_t end, uint64_t *degrees) {
  const struct qn_set_shape *shape = &((const struct beginning *)context)->shape;
  if (begin < end)
    memcpy(degrees, shape->out_degrees + begin, (end - begin) * sizeof *degrees);
}

static enum qn_status write_metadata(const void *context, struct qn_writer *writer,
                                     struct qn_error *error) {
  (void)context;
  json_t *metadata = json_pack("{s:s, s:s}", "tool", "libquern", "version", QN_VERSION);
  enum qn_status status = qn_writer_metadata(writer, metadata, error);
  json_decref(metadata);
  return status;
}

static enum qn_status write_vertices(struct beginning *beginning, struct qn_error *error) {
  struct qn_set_draft *draft = beginning->draft;
  const struct qn_set_vertices vertices = {.ids = &beginning->ids,
                                           .fill_degrees = fill_degrees,
                                           .write_metadata = write_metadata,
                                           .context = beginning};
  const char *path;
  enum qn_status status = qn_set_write_all_vertices(draft->set, &vertices, draft->writer, error);
  if (!status)
    status = qn_set_identity(draft->set, &draft->set->identity, error);
  /* Whatever others write is known here, and taken away if it comes to that. */
  for (uint64_t i = 0; !status && i < draft->set->num_parts; i++)
    status = qn_set_writer_part(draft->writer, i, &path, error);
  return status;
}

static enum qn_status begin(void *argument, struct qn_error *error) {
  struct beginning *beginning = argument;
  struct qn_set_draft *draft = beginning->draft;
  enum qn_status status = take_names(beginning, error);
  if (!status)
    status = qn_alloc_zeroed(&draft->set, 1, sizeof *draft->set, "a set", error);
  if (!status)
    status = describe(&beginning->shape, draft->set, error);
  if (!status)
    status = qn_set_writer_create(beginning->path, beginning->replace, &draft->writer, error);
  if (!status)
    status = write_vertices(beginning, error);
  if (!status)
    status = qn_set_writer_draft(draft->writer, draft->set, QN_SET_TOOL, error);
  return status;
}

enum qn_status qn_set_begin(const char *path, bool replace, const struct qn_set_shape *shape,
                            const struct qn_job *job, struct qn_set_draft **out,
                            struct qn_error *error) {
  struct beginning beginning = {.path = path, .replace = replace};
  *out = NULL;
  qn_sized_read(&beginning.shape, sizeof beginning.shape, shape);
  enum qn_status status =
      qn_alloc_zeroed(&beginning.draft, 1, sizeof *beginning.draft, "a set", error);
  if (status)
    return status;
  status = qn_call(job, begin, &beginning, error);
  if (status)
    qn_set_abandon(beginning.draft);
  else
    *out = beginning.draft;
  return status;
}

const char *qn_set_draft_place(const struct qn_set_draft *draft) {
  return qn_set_writer_place(draft->writer);
}

void qn_set_abandon(struct qn_set_draft *draft) {
  if (!draft)
    return;
  qn_set_writer_abort(draft->writer);
  qn_set_close(draft->set);
  qn_free(draft);
}

/* ---- Parts ------------------------------------------------------------------------------- */

struct writing {
  const char *place;
  uint64_t index;
  const struct qn_part_rows *given;
  struct qn_part_file *file;
  struct qn_set *set; /* as the draft says */
  struct rows rows;
};

/* Are they rows of this part? */
static enum qn_status check_rows(const struct writing *writing, struct qn_error *error) {
  const struct qn_set *set = writing->set;
  const struct rows *rows = &writing->rows;
  if (writing->index >= set->num_parts)
    return qn_fail(error, QN_USAGE, "there is no part %" PRIu64 " of %" PRIu64, writing->index,
                   set->num_parts);
  const struct qn_set_part *part = &set->parts[writing->index];
  if (rows->given.begin != part->begin || rows->given.end != part->end ||
      rows->num_edges != part->num_edges || rows->weight_type != set->weight_type ||
      rows->given.rows_in != (set->rows == QN_SET_ROWS_IN))
    return qn_fail(error, QN_INVALID,
                   "part %" PRIu64 " has the rows [%" PRIu64 ", %" PRIu64 ") with %" PRIu64
                   " edges; given are [%" PRIu64 ", %" PRIu64 ") with %" PRIu64
                   ", or of other weights or directions",
                   writing->index, part->begin, part->end, part->num_edges, rows->given.begin,
                   rows->given.end, rows->num_edges);
  return QN_OK;
}

static enum qn_status check_columns(const struct writing *writing, struct qn_error *error) {
  const struct qn_part_rows *rows = &writing->rows.given;
  const struct qn_set_part *part = &writing->set->parts[writing->index];
  uint64_t bad = UINT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (uint64_t i = 0; i < rows->end - rows->begin; i++)
    for (uint64_t e = rows->row_offsets[i]; e < rows->row_offsets[i + 1]; e++) {
      bool sound = rows->columns[e] >= part->columns_begin &&
                   rows->columns[e] < part->columns_end &&
                   (e == rows->row_offsets[i] || rows->columns[e - 1] <= rows->columns[e]);
      if (writing->rows.weight_type == QN_WEIGHT_F32)
        sound = sound && __builtin_isfinite(((const float *)rows->weights)[e]);
      if (writing->rows.weight_type == QN_WEIGHT_F64)
        sound = sound && __builtin_isfinite(((const double *)rows->weights)[e]);
      if (!sound && e < bad)
        bad = e;
    }
  return bad == UINT64_MAX ? QN_OK
                           : qn_fail(error, QN_INVALID,
                                     "edge %" PRIu64
                                     " of the part: the column is not a vertex of it, or less than "
                                     "the one before it in its row, or the weight is not finite",
                                     bad);
}

static enum qn_status write_file(const struct writing *writing, struct qn_error *error) {
  const struct qn_part_rows *rows = &writing->rows.given;
  const struct qn_set_piece piece = {.begin = rows->begin,
                                     .end = rows->end,
                                     .row_offsets = rows->row_offsets,
                                     .columns = rows->columns,
                                     .weights = rows->weights};
  struct qn_set_writer *writer;
  const char *path;
  enum qn_status status = qn_set_writer_join(writing->place, &writer, error);
  if (status)
    return status;
  status = qn_set_writer_part(writer, writing->index, &path, error);
  if (!status) /* another attempt may have made it, or be about to: of the same bytes */
    status = qn_set_write_part(writing->set, writing->index, &piece, 1, NULL, QN_SET_TOOL, path,
                               true, error);
  qn_set_writer_leave(writer);
  return status;
}

static enum qn_status write_part(void *argument, struct qn_error *error) {
  struct writing *writing = argument;
  const struct qn_set_file *file;
  enum qn_status status = take_rows(writing->given, &writing->rows, error);
  if (!status)
    status = qn_alloc_zeroed(&writing->set, 1, sizeof *writing->set, "a set", error);
  if (status)
    return status;
  writing->set->path = strdup(writing->place);
  status = writing->set->path ? qn_set_read_manifest(writing->set, error)
                              : qn_fail_memory(error, "a path", strlen(writing->place));
  if (!status)
    status = check_rows(writing, error);
  if (!status)
    status = check_columns(writing, error);
  if (!status)
    status = write_file(writing, error);
  if (!status) {
    file = &writing->set->parts[writing->index].file;
    *writing->file = (struct qn_part_file){.bytes = file->bytes,
                                           .identity = file->identity,
                                           .fingerprint = fingerprint_of(&writing->rows)};
  }
  qn_set_close(writing->set);
  return status;
}

enum qn_status qn_part_write(const char *place, uint64_t index, const struct qn_part_rows *rows,
                             const struct qn_job *job, struct qn_part_file *file,
                             struct qn_error *error) {
  struct writing writing = {.place = place, .index = index, .given = rows, .file = file};
  *file = (struct qn_part_file){0};
  return qn_call(job, write_part, &writing, error);
}

/* ---- The end --------------------------------------------------------------------------- */

/* Is every part there, and the one that was written? */
static enum qn_status check_files(const struct qn_set_draft *draft, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < draft->set->num_parts && !status; i++) {
    const struct qn_set_file *file = &draft->set->parts[i].file;
    struct qn_container *container = NULL;
    const char *path;
    status = qn_set_writer_part(draft->writer, i, &path, error);
    if (!status)
      status = qn_container_map(path, QN_MAP_RECTANGULAR, &container, error);
    const struct qn_container_info *info = status ? NULL : qn_container_info(container);
    if (!status && (info->header_checksum != file->identity || info->file_bytes != file->bytes)) {
      qn_fail(error, QN_INVALID, "this is not the part that was written here");
      status = qn_error_in_file(error, path);
    }
    qn_container_unmap(container);
  }
  return status;
}

enum qn_status qn_set_finish(struct qn_set_draft *draft, const struct qn_part_file *files,
                             struct qn_error *error) {
  struct qn_set *set = draft->set;
  uint64_t fingerprint = 0;
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < set->num_parts; i++) {
    set->parts[i].file.bytes = files[i].bytes;
    set->parts[i].file.identity = files[i].identity;
    fingerprint += files[i].fingerprint;
  }
  if (fingerprint != set->fingerprint)
    status = qn_fail(error, QN_INVALID,
                     "the parts that were written do not make up the graph that was begun: its "
                     "fingerprint differs");
  if (!status)
    status = check_files(draft, error);
  if (!status) {
    status = qn_set_writer_commit(draft->writer, set, QN_SET_TOOL, error);
    draft->writer = NULL;
  }
  qn_set_abandon(draft);
  return status;
}
