#include "converters/generate/blocks.h"

#include "converters/blocks/rows.h"
#include "converters/blocks/spill.h"
#include "formats/set/blocks.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/temp_file.h"
#include <quern/fingerprint.h>

/* Edge numbers that a thread takes at a time, and makes at once. */
#define PART_SLOTS ((uint64_t)1 << 18)
#define BATCH 512

struct making {
  const struct qn_generate_blocks_job *job;
  const struct qn_generator *generator;
  struct qn_generation *generation;
  struct qn_set *set;
  struct qn_set_writer *writer;
  struct qn_block_spill *spill;
  uint64_t width;    /* of a range of vertices */
  uint64_t num_cuts; /* ranges */
  uint32_t *degrees; /* [V] out-degrees */
};

bool qn_generate_takes_blocks(const struct qn_generate_options *options,
                              const struct qn_set_options *set) {
  const struct qn_build *build = &options->build;
  return set->block_vertices && options->generator.weights.type == QN_WEIGHT_NONE &&
         !build->undirected && build->self_loops == QN_SELF_LOOPS_KEEP &&
         build->duplicates == QN_DUPLICATES_KEEP && !build->count_parallel;
}

void qn_generate_blocks_estimate(const struct qn_generate_options *options,
                                 const struct qn_set_options *set, bool packed,
                                 struct qn_work_estimate *estimate) {
  const uint64_t num_vertices = options->build.num_vertices;
  const uint64_t width = set->block_vertices < num_vertices ? set->block_vertices : num_vertices;
  const uint64_t cuts = qn_set_num_cuts(num_vertices, set->block_vertices);
  const uint64_t edges = qn_generator_slots(&options->generator), rows = num_vertices * cuts;
  /* Degrees; rows twice, as they are built and as they are written, and edges with them. */
  const uint64_t fixed = 4 * num_vertices + 16 * width;
  estimate->usual = fixed + edges / cuts * 16;
  estimate->most = fixed + edges * 20;
  estimate->temporary = edges * sizeof(uint64_t) + estimate->usual;
  estimate->output = 2 * num_vertices + (packed ? rows / 4 + edges * 17 / 4 : rows * 8 + edges * 4);
}

/* ---- Edges to their blocks ------------------------------------------------------ */

/* What a thread has found. */
struct found {
  uint64_t num_edges, fingerprint;
  bool overflow; /* an out-degree needs more than 32 bits */
};

static enum qn_status take_edge(const struct making *making, const struct qn_generated *edge,
                                struct qn_block_sorter *sorter, struct found *found,
                                struct qn_error *error) {
  const bool rows_in = making->set->rows == QN_SET_ROWS_IN;
  const uint64_t row = rows_in ? edge->destination : edge->source;
  const uint64_t column = rows_in ? edge->source : edge->destination;
  const uint64_t block = row / making->width * making->num_cuts + column / making->width;
  found->num_edges++;
  found->fingerprint +=
      qn_mix_vertex(edge->source) * qn_mix_destination_of(qn_mix_vertex(edge->destination));
  found->overflow |=
      __atomic_fetch_add(&making->degrees[edge->source], 1, __ATOMIC_RELAXED) == UINT32_MAX;
  const uint64_t record = QN_BLOCK_EDGE(row % making->width, column % making->width);
  return qn_block_spill_add(sorter, block, &record, error);
}

static enum qn_status take_part(const struct making *making, uint64_t part,
                                struct qn_block_sorter *sorter, struct found *found,
                                struct qn_error *error) {
  const uint64_t slots = qn_generator_slots(making->generator);
  const uint64_t end = slots - part * PART_SLOTS < PART_SLOTS ? slots : (part + 1) * PART_SLOTS;
  struct qn_generated edges[BATCH];
  enum qn_status status = qn_context_check(error);
  for (uint64_t begin = part * PART_SLOTS; !status && begin < end; begin += BATCH) {
    const uint64_t next = end - begin < BATCH ? end : begin + BATCH;
    const uint64_t count = qn_generate(making->generation, begin, next, edges);
    for (uint64_t i = 0; !status && i < count; i++)
      status = take_edge(making, &edges[i], sorter, found, error);
  }
  qn_progress_add(end - part * PART_SLOTS);
  return status;
}

/* All edges, by all threads; the first failure is told. */
static enum qn_status take_edges(const struct making *making, struct found *found,
                                 struct qn_error *error) {
  const uint64_t slots = qn_generator_slots(making->generator);
  const uint64_t parts = slots / PART_SLOTS + (slots % PART_SLOTS != 0);
  enum qn_status status = QN_OK;
  qn_progress_begin("generating", "edges", slots);
#pragma omp parallel
  {
    struct qn_block_sorter *sorter = NULL;
    struct found own = {0};
    struct qn_error failure;
    enum qn_status mine = qn_block_sorter_open(making->spill, &sorter, &failure);
#pragma omp for schedule(dynamic)
    for (uint64_t part = 0; part < parts; part++)
      if (!mine)
        mine = take_part(making, part, sorter, &own, &failure);
    if (sorter)
      mine = qn_block_sorter_finish(sorter, mine, &failure);
#pragma omp critical(qn_generate_found)
    {
      found->num_edges += own.num_edges;
      found->fingerprint += own.fingerprint;
      found->overflow |= own.overflow;
      if (mine && !status) {
        status = mine;
        *error = failure;
      }
    }
  }
  qn_progress_end();
  if (!status && found->overflow)
    status = qn_fail(error, QN_UNSUPPORTED, "a vertex would have more than 2^32 - 1 out-edges");
  return status;
}

/* ---- Blocks of edges -------------------------------------------------------------- */

static enum qn_status build_rows(const struct making *making, uint64_t index,
                                 struct qn_block_rows *rows, struct qn_error *error) {
  const struct qn_set_part *block = &making->set->parts[index];
  uint64_t *edges = NULL;
  enum qn_status status =
      qn_block_rows_create(block, block->num_edges, QN_WEIGHT_NONE, rows, error);
  if (!status)
    status = qn_bulk_alloc(&edges, block->num_edges, sizeof *edges, "edges of a block", error);
  if (!status)
    status = qn_block_spill_take(making->spill, index, edges, error);
  if (!status)
    status = qn_block_rows_fill(rows, edges, error);
  qn_pages_free(edges, block->num_edges, sizeof *edges);
  return status;
}

static enum qn_status write_block(const struct making *making, uint64_t index,
                                  struct qn_error *error) {
  struct qn_block_rows rows = {0};
  const char *path;
  enum qn_status status = build_rows(making, index, &rows, error);
  if (!status)
    status = qn_set_writer_part(making->writer, index, &path, error);
  if (!status)
    status = qn_block_rows_write(&rows, making->set, index, making->job->builder, path, error);
  qn_block_rows_free(&rows);
  return status ? status : qn_context_check(error);
}

/* ---- The set ------------------------------------------------------------------------ */

static void fill_degrees(const void *context, uint64_t begin, uint64_t end, uint64_t *degrees) {
  const uint32_t *from = ((const struct making *)context)->degrees;
#pragma omp parallel for schedule(static)
  for (uint64_t v = begin; v < end; v++)
    degrees[v - begin] = from[v];
}

static enum qn_status write_metadata(const void *context, struct qn_writer *writer,
                                     struct qn_error *error) {
  const struct qn_generate_blocks_job *job = ((const struct making *)context)->job;
  return job->write_metadata(job->context, writer, error);
}

static enum qn_status write_vertices(struct making *making, struct qn_error *error) {
  struct qn_set *set = making->set;
  const struct qn_ids ids = {
      .kind = QN_IDS_DENSE, .num_vertices = set->num_vertices, .ascending = true};
  const struct qn_set_vertices vertices = {.ids = &ids,
                                           .fill_degrees = fill_degrees,
                                           .write_metadata = write_metadata,
                                           .context = making};
  enum qn_status status = qn_set_write_all_vertices(set, &vertices, making->writer, error);
  return status ? status : qn_set_identity(set, &set->identity, error);
}

static void describe(const struct making *making) {
  const struct qn_generate_options *options = making->job->options;
  struct qn_set *set = making->set;
  set->version = QN_SET_VERSION;
  set->num_vertices = options->build.num_vertices;
  set->weight_type = QN_WEIGHT_NONE;
  set->directedness = QN_DIRECTED;
  set->in_edges = options->build.transpose;
  set->rows = making->job->set->rows;
  set->layout = making->job->builder ? making->job->builder->layout : QN_LAYOUT_GRAPH;
}

static enum qn_status begin(struct making *making, struct qn_error *error) {
  const struct qn_set_options *options = making->job->set;
  struct qn_set *set = making->set;
  describe(making);
  making->width = options->block_vertices;
  making->num_cuts = qn_set_num_cuts(set->num_vertices, making->width);
  enum qn_status status = qn_set_cut(set, making->width, error);
  if (!status)
    status = qn_set_writer_create(making->job->path, making->job->replace, &making->writer, error);
  if (!status)
    status = qn_block_spill_create(set->num_parts, QN_BLOCK_PLAIN_WORDS, &making->spill, error);
  return status ? status
                : qn_bulk_alloc(&making->degrees, set->num_vertices, sizeof *making->degrees,
                                "the degrees of vertices", error);
}

static enum qn_status make(struct making *making, struct qn_ledger *ledger,
                           struct qn_error *error) {
  struct qn_set *set = making->set;
  struct found found = {0};
  enum qn_status status = begin(making, error);
  if (!status)
    status = take_edges(making, &found, error);
  for (uint64_t i = 0; !status && i < set->num_parts; i++)
    set->parts[i].num_edges = qn_block_spill_count(making->spill, i);
  set->num_edges = found.num_edges;
  set->fingerprint = found.fingerprint;
  ledger->records = ledger->edges_read = ledger->edges_written = found.num_edges;
  if (!status)
    status = qn_ledger_check(ledger, error);
  if (!status)
    status = write_vertices(making, error);
  qn_progress_begin("writing parts", "edges", set->num_edges);
  for (uint64_t i = 0; !status && i < set->num_parts; i++)
    status = write_block(making, i, error);
  qn_progress_end();
  return status;
}

enum qn_status qn_generate_blocks(const struct qn_generate_blocks_job *job,
                                  struct qn_ledger *ledger, struct qn_set **out,
                                  struct qn_error *error) {
  struct making making = {.job = job, .generator = &job->options->generator};
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&making.set, 1, sizeof *making.set, "a set", error);
  if (status)
    return status;
  status = qn_generation_create(making.generator, &making.generation, error);
  if (!status)
    status = make(&making, ledger, error);
  qn_generation_destroy(making.generation);
  qn_pages_free(making.degrees, making.set->num_vertices, sizeof *making.degrees);
  qn_block_spill_destroy(making.spill);
  if (!status)
    status = qn_set_writer_commit(making.writer, making.set,
                                  job->builder ? job->builder->tool : QN_SET_TOOL, error);
  else
    qn_set_writer_abort(making.writer);
  if (status)
    qn_set_close(making.set);
  else
    *out = making.set;
  return status;
}
