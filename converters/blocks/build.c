#include "converters/blocks/build.h"

#include "converters/blocks/rows.h"
#include "converters/blocks/state.h"
#include "converters/edges/spill.h"
#include "formats/set/blocks.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/temp_file.h"
#include "support/threads.h"

bool qn_blocks_are_needed(const struct qn_edge_list *list, const struct qn_build *build,
                          uint64_t most_vertices) {
  const uint64_t num_ids = 2 * list->num_edges + build->num_extra_ids;
  const uint64_t largest = qn_id_map_largest(list, build);
  const bool declared = build->num_vertices != QN_VERTICES_FROM_EDGES;
  if (build->names || build->rows)
    return false;
  if (qn_id_map_keeps(build, num_ids > 0, largest))
    return declared ? build->num_vertices > most_vertices : num_ids && largest >= most_vertices;
  return (largest >= most_vertices && num_ids > most_vertices) ||
         (list->spill && list->spill->ids && list->spill->ids->full);
}

/* ---- What blocks are of ----------------------------------------------------------------- */

/* A block's rows, and how its edges count. */
struct counted {
  uint64_t num_edges, fingerprint, reverse_fingerprint;
  uint64_t self_loops; /* that are left */
  uint64_t parallel;   /* edges of an undirected graph with the ends of one before them */
};

static enum qn_status build_rows(const struct qn_blocks *blocks, uint64_t index, bool take,
                                 struct qn_block_rows *rows, struct qn_error *error) {
  const uint64_t num_edges = qn_block_spill_count(blocks->edges, index);
  const unsigned words = qn_block_edge_words(blocks->sender.weight_type);
  uint64_t *edges = NULL;
  enum qn_status status = qn_block_rows_create(&blocks->set->parts[index], num_edges,
                                               blocks->sender.weight_type, rows, error);
  if (!status)
    status = qn_bulk_alloc(&edges, num_edges, words * sizeof *edges, "edges of a block", error);
  if (!status)
    status = take ? qn_block_spill_take(blocks->edges, index, edges, error)
                  : qn_block_spill_look(blocks->edges, index, edges, error);
  if (!status)
    status = qn_block_rows_fill(rows, edges, error);
  qn_pages_free(edges, num_edges, words * sizeof *edges);
  return status;
}

/* What vertices are called. */
static struct qn_ids ids_of(const struct qn_blocks *blocks) {
  const struct qn_ids *given = blocks->job->build->names;
  return given ? *given : qn_numbering_ids(&blocks->numbering);
}

/* What messages call the ends of an edge. */
struct shown {
  char ends[2][64];
};

static struct shown ends_of(const struct qn_blocks *blocks, uint64_t index, uint64_t row,
                            uint32_t column) {
  const struct qn_set_part *block = &blocks->set->parts[index];
  const struct qn_ids ids = ids_of(blocks);
  const uint64_t vertices[2] = {block->begin + row, block->columns_begin + column};
  struct shown shown;
  for (unsigned i = 0; i < 2; i++) {
    char number[32];
    uint64_t length;
    const char *text = qn_ids_text(&ids, vertices[i ^ blocks->turned], number, &length);
    snprintf(shown.ends[i], sizeof shown.ends[i], "%.*s", (int)length, text);
  }
  return shown;
}

static enum qn_status refuse_repeated(const struct qn_blocks *blocks, uint64_t index,
                                      const struct qn_block_rows *rows, struct qn_error *error) {
  uint32_t column = 0;
  const uint64_t row = qn_block_rows_repeated(rows, &column);
  if (row == rows->num_rows)
    return QN_OK;
  const struct shown shown = ends_of(blocks, index, row, column);
  return qn_fail(error, QN_INVALID,
                 "the edge from %s to %s occurs more than once, which the format forbids; "
                 "--duplicates=keep, remove, min or sum accepts it",
                 shown.ends[0], shown.ends[1]);
}

static enum qn_status merge(const struct qn_blocks *blocks, uint64_t index,
                            struct qn_block_rows *rows, struct qn_error *error) {
  const enum qn_weight_type type = blocks->sender.weight_type;
  uint64_t row = 0;
  uint32_t column = 0;
  if (qn_block_rows_merge(rows, blocks->job->build->duplicates, &row, &column))
    return QN_OK;
  const struct shown shown = ends_of(blocks, index, row, column);
  return qn_fail(error, QN_INVALID,
                 "the weights of the edges from %s to %s sum to more than %s can hold%s",
                 shown.ends[0], shown.ends[1], qn_weight_type_name(type),
                 type == QN_WEIGHT_U32   ? "; use --weights=i64"
                 : type == QN_WEIGHT_F64 ? ""
                                         : "; use --weights=f64");
}

/* Edges stay as they are left, for when the block is written. */
static enum qn_status put_back(const struct qn_blocks *blocks, uint64_t index,
                               struct qn_block_spill *merged, const struct qn_block_rows *rows,
                               struct qn_error *error) {
  const unsigned words = qn_block_edge_words(blocks->sender.weight_type);
  uint64_t *edges;
  enum qn_status status =
      qn_bulk_alloc(&edges, rows->num_edges, words * sizeof *edges, "edges of a block", error);
  if (status)
    return status;
  qn_block_rows_list(rows, edges);
  status = qn_block_spill_put(merged, index, edges, rows->num_edges, error);
  qn_pages_free(edges, rows->num_edges, words * sizeof *edges);
  return status;
}

/* Loops, and of parallel edges those from a vertex to no lower one. */
static void count_pairs(const struct qn_set_part *block, const struct qn_block_rows *rows,
                        struct counted *counted) {
  uint64_t loops = 0, parallel = 0;
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : loops, parallel) if (qn_block_rows_are_many(rows))
  for (uint64_t r = 0; r < rows->num_rows; r++) {
    const uint64_t row = block->begin + r;
    for (uint64_t e = rows->offsets[r]; e < rows->offsets[r + 1]; e++) {
      const uint64_t column = block->columns_begin + rows->columns[e];
      loops += row == column;
      parallel += column >= row && e > rows->offsets[r] && rows->columns[e] == rows->columns[e - 1];
    }
  }
  counted->self_loops += loops;
  counted->parallel += parallel;
}

/* ---- Counting ------------------------------------------------------------------------------ */

/* The out-degrees of one range of vertices. */
struct strip {
  uint64_t *degrees; /* [width] */
  uint64_t begin;    /* vertex */
};

static void count_degrees(const struct qn_blocks *blocks, const struct qn_block_rows *rows,
                          uint64_t *degrees) {
  if (blocks->turned) {
#pragma omp parallel for schedule(static) if (qn_block_rows_are_many(rows))
    for (uint64_t e = 0; e < rows->num_edges; e++)
      __atomic_fetch_add(&degrees[rows->columns[e]], 1, __ATOMIC_RELAXED);
    return;
  }
#pragma omp parallel for schedule(static) if (qn_block_rows_are_many(rows))
  for (uint64_t r = 0; r < rows->num_rows; r++)
    if (rows->offsets[r + 1] > rows->offsets[r]) /* pages of others take no memory */
      degrees[r] += rows->offsets[r + 1] - rows->offsets[r];
}

static enum qn_status count_block(struct qn_blocks *blocks, uint64_t index,
                                  struct qn_block_spill *merged, uint64_t *degrees,
                                  struct counted *counted, struct qn_error *error) {
  const struct qn_build *build = blocks->job->build;
  struct qn_set_part *block = &blocks->set->parts[index];
  struct qn_block_rows rows = {0};
  enum qn_status status = qn_context_check(error);
  if (!status)
    status = build_rows(blocks, index, merged != NULL, &rows, error);
  if (!status && build->unique)
    status = refuse_repeated(blocks, index, &rows, error);
  if (!status && merged)
    status = merge(blocks, index, &rows, error);
  if (!status && merged)
    status = put_back(blocks, index, merged, &rows, error);
  if (!status) {
    const struct qn_csr csr = qn_block_rows_csr(&rows);
    block->num_edges = rows.num_edges;
    counted->num_edges += rows.num_edges;
    counted->fingerprint += qn_set_block_fingerprint(block, &csr, blocks->turned);
    if (build->check_symmetric)
      counted->reverse_fingerprint += qn_set_block_fingerprint(block, &csr, !blocks->turned);
    if (!blocks->directed)
      count_pairs(block, &rows, counted);
    count_degrees(blocks, &rows, degrees);
    qn_progress_add(rows.num_edges);
  }
  qn_block_rows_free(&rows);
  return status;
}

static void fill_degrees(const void *context, uint64_t begin, uint64_t end, uint64_t *degrees) {
  const struct strip *strip = context;
#pragma omp parallel for schedule(static) if (end - begin > QN_TEAM_LEAST)
  for (uint64_t v = begin; v < end; v++)
    if (strip->degrees[v - strip->begin])
      degrees[v - begin] = strip->degrees[v - strip->begin];
}

/* What qn_set_write_vertices asks. */
struct asked {
  struct strip strip; /* first: fill_degrees is given it */
  const struct qn_blocks_job *job;
};

static enum qn_status write_metadata(const void *context, struct qn_writer *writer,
                                     struct qn_error *error) {
  const struct qn_blocks_job *job = ((const struct asked *)context)->job;
  return job->write_metadata(job->context, writer, error);
}

static enum qn_status write_vertices(struct qn_blocks *blocks, uint64_t range, uint64_t *degrees,
                                     struct qn_error *error) {
  struct qn_set *set = blocks->set;
  const struct qn_ids ids = ids_of(blocks);
  static const struct qn_properties none;
  const struct asked asked = {.strip = {degrees, set->ranges[range].begin}, .job = blocks->job};
  const struct qn_set_vertices vertices = {.ids = &ids,
                                           .properties = &none,
                                           .fill_degrees = fill_degrees,
                                           .write_metadata = write_metadata,
                                           .context = &asked};
  const char *path;
  enum qn_status status =
      qn_set_writer_vertices(blocks->writer, range, set->num_ranges, &path, error);
  return status ? status : qn_set_write_vertices(set, range, &vertices, path, error);
}

static enum qn_status end_ledger(struct qn_blocks *blocks, const struct counted *counted,
                                 struct qn_error *error) {
  const struct qn_build *build = blocks->job->build;
  struct qn_ledger *ledger = blocks->sender.ledger;
  if (build->check_symmetric && counted->fingerprint != counted->reverse_fingerprint)
    return qn_fail(error, QN_INVALID,
                   "the input calls its graph undirected, but some edge lacks its reverse");
  blocks->set->num_edges = counted->num_edges;
  blocks->set->fingerprint = counted->fingerprint;
  ledger->edges_written = counted->num_edges;
  ledger->duplicates_removed =
      ledger->edges_read + ledger->edges_added - ledger->self_loops_removed - ledger->edges_written;
  if (!blocks->directed) {
    ledger->undirected_edges = (counted->num_edges + counted->self_loops) / 2;
    if (build->undirected && build->duplicates == QN_DUPLICATES_KEEP && !build->unique)
      ledger->parallel_edges = counted->parallel;
  }
  return qn_ledger_check(ledger, error);
}

/* A range's out-edges are in a row of blocks or, where rows have in-edges, in a column. The first
 * range comes last: its file has the metadata, and in them what became of all edges. */
static enum qn_status count_all(struct qn_blocks *blocks, struct qn_block_spill *merged,
                                struct qn_error *error) {
  const uint64_t cuts = blocks->num_cuts;
  struct counted counted = {0};
  enum qn_status status = QN_OK;
  for (uint64_t i = 1; !status && i <= cuts; i++) {
    const uint64_t range = i % cuts;
    const struct qn_vertex_range *vertices = &blocks->set->ranges[range];
    uint64_t *degrees;
    status = qn_bulk_alloc(&degrees, vertices->end - vertices->begin, sizeof *degrees,
                           "the degrees of vertices", error);
    for (uint64_t k = 0; !status && k < cuts; k++)
      status = count_block(blocks, blocks->turned ? k * cuts + range : range * cuts + k, merged,
                           degrees, &counted, error);
    if (!status && range == 0)
      status = end_ledger(blocks, &counted, error);
    if (!status)
      status = write_vertices(blocks, range, degrees, error);
    qn_pages_free(degrees, vertices->end - vertices->begin, sizeof *degrees);
  }
  return status ? status : qn_set_identity(blocks->set, &blocks->set->identity, error);
}

/* Blocks whose edges are merged have fewer when they are written. */
static enum qn_status count_blocks(struct qn_blocks *blocks, struct qn_error *error) {
  const unsigned words = qn_block_edge_words(blocks->sender.weight_type);
  struct qn_block_spill *merged = NULL;
  enum qn_status status = QN_OK;
  if (blocks->job->build->duplicates != QN_DUPLICATES_KEEP)
    status = qn_block_spill_create(blocks->set->num_parts, words, &merged, error);
  qn_progress_begin("sorting", "edges", 0);
  if (!status)
    status = count_all(blocks, merged, error);
  qn_progress_end();
  if (merged) {
    qn_block_spill_destroy(blocks->edges);
    blocks->edges = merged;
  }
  return status;
}

/* ---- Files ------------------------------------------------------------------------------------
 */

static enum qn_status write_block(struct qn_blocks *blocks, uint64_t index,
                                  struct qn_error *error) {
  struct qn_block_rows rows = {0};
  const char *path;
  enum qn_status status = build_rows(blocks, index, true, &rows, error);
  if (!status)
    status = qn_set_writer_part(blocks->writer, index, &path, error);
  if (!status)
    status = qn_block_rows_write(&rows, blocks->set, index, blocks->job->builder, path, error);
  qn_block_rows_free(&rows);
  return status ? status : qn_context_check(error);
}

static enum qn_status write_blocks(struct qn_blocks *blocks, struct qn_error *error) {
  enum qn_status status = QN_OK;
  qn_progress_begin("writing parts", "edges", 0);
  for (uint64_t i = 0; !status && i < blocks->set->num_parts; i++)
    status = write_block(blocks, i, error);
  qn_progress_end();
  return status;
}

/* ---- The whole ---------------------------------------------------------------------------------
 */

static enum qn_status describe(struct qn_blocks *blocks, struct qn_error *error) {
  struct qn_set *set = blocks->set;
  set->version = QN_SET_VERSION;
  set->num_vertices = blocks->numbering.num_vertices;
  set->weight_type = blocks->sender.weight_type;
  set->directedness = blocks->directed ? QN_DIRECTED : QN_UNDIRECTED;
  set->in_edges = blocks->directed && blocks->job->build->transpose;
  set->rows = blocks->directed ? blocks->job->set->rows : QN_SET_ROWS_OUT;
  set->layout = blocks->job->builder ? blocks->job->builder->layout : QN_LAYOUT_GRAPH;
  blocks->width = blocks->job->set->block_vertices;
  blocks->num_cuts = qn_set_num_cuts(set->num_vertices, blocks->width);
  return qn_set_cut(set, blocks->width, error);
}

/* The edges of the list, by blocks; then it has none. */
static enum qn_status take_list(struct qn_blocks *blocks, struct qn_error *error) {
  struct qn_edge_list *list = blocks->job->list;
  const struct qn_build *build = blocks->job->build;
  struct qn_list_source source = {0};
  if (list->spill && list->spill->division &&
      list->spill->division->options.both != build->undirected)
    return qn_fail(error, QN_USAGE,
                   "only the end of the input said that its edges go both ways: with --memory, "
                   "use --undirected too");
  qn_edge_marks_drop(&list->marks);
  enum qn_status status = qn_list_source_open(list, &source, error);
  if (!status)
    status = blocks->job->names
                 ? qn_numbering_create_names(blocks->job->names, blocks->job->names_may_be_numbers,
                                             &blocks->numbering, error)
                 : qn_numbering_create(&source, build, &blocks->numbering, error);
  if (!status)
    status = describe(blocks, error);
  if (!status)
    status = qn_block_spill_create(blocks->set->num_parts,
                                   qn_block_edge_words(blocks->sender.weight_type), &blocks->edges,
                                   error);
  if (!status)
    status = qn_blocks_spread(blocks, &source, error);
  qn_list_source_close(&source);
  if (list->spill) {
    qn_division_destroy(list->spill->division);
    list->spill->division = NULL;
  }
  return status ? status : qn_build_check_rounding(&blocks->sender, error);
}

static enum qn_status run(struct qn_blocks *blocks, struct qn_error *error) {
  const struct qn_blocks_job *job = blocks->job;
  enum qn_status status = qn_build_check(job->build, error);
  if (!status)
    status = qn_build_choose_weight_type(&blocks->sender, error);
  if (!status)
    status = take_list(blocks, error);
  if (!status)
    status = qn_set_writer_create(job->path, job->replace, &blocks->writer, error);
  if (!status)
    status = count_blocks(blocks, error);
  return status ? status : write_blocks(blocks, error);
}

enum qn_status qn_blocks_build(const struct qn_blocks_job *job, struct qn_ledger *ledger,
                               struct qn_set **out, struct qn_error *error) {
  const struct qn_build *build = job->build;
  struct qn_blocks blocks = {.job = job,
                             .sender = {.list = job->list, .build = build, .ledger = ledger},
                             .directed = !build->undirected && !build->already_symmetric};
  blocks.turned = job->set->rows == QN_SET_ROWS_IN && blocks.directed;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&blocks.set, 1, sizeof *blocks.set, "a set", error);
  if (!status)
    status = run(&blocks, error);
  qn_numbering_free(&blocks.numbering);
  qn_block_spill_destroy(blocks.edges);
  if (!status) {
    status = qn_set_writer_commit(blocks.writer, blocks.set,
                                  job->builder ? job->builder->tool : QN_SET_TOOL, error);
    blocks.writer = NULL;
  }
  qn_set_writer_abort(blocks.writer);
  if (status)
    qn_set_close(blocks.set);
  else
    *out = blocks.set;
  return status;
}
