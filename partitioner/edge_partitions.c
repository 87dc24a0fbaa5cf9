/* Builds the edge-partitions layout.
 *
 * Both renamings keep the order of the sources, so the edge list needs no sorting: edge e of the
 * graph and edge e of the layout belong to the same source. Within a row the renamed destinations
 * are sorted by moving those without out-edges behind the others. */
#include "partitioner/edge_partitions.h"

#include <inttypes.h>
#include <omp.h>
#include <string.h>

#include "formats/graph/csr_shares.h"
#include "partitioner/edge_partitions_cut.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/threads.h"
#include <quern/inline.h>

#define VERTICES_AT_ONCE ((uint64_t)1 << 14)
#define EDGES_AT_ONCE ((uint64_t)1 << 16)
#define HUB_EDGES ((uint64_t)1 << 18) /* rows of more are shared by all threads */
#define WAITING_WORDS (3 * HUB_EDGES) /* of a thread: ids, and weights of 8 bytes at most */

/* What the build needs to know while it goes on. */
struct build {
  const struct qn_csr *csr;
  uint64_t num_sources;
  uint32_t *ids; /* [V] dense numbers at first, then ids */
  uint64_t capacity;
  struct qn_edge_cut_size size;
  struct qn_edge_partitions_arrays arrays;
  uint32_t first_sink; /* P x range_size: ids from here on have no out-edges */
};

/* ---- Round 1: vertices with out-edges first -------------------------------- */

static uint64_t count_sources(const uint64_t *offsets, uint64_t begin, uint64_t end) {
  uint64_t count = 0;
  for (uint64_t v = begin; v < end; v++)
    count += offsets[v] != offsets[v + 1];
  return count;
}

/* The dense number of every vertex. */
static void number_vertices(struct build *build) {
  const uint64_t *offsets = build->csr->row_offsets;
  uint64_t num_vertices = build->csr->num_vertices;
  uint64_t before[QN_MAX_THREADS + 1] = {0}; /* sources before each thread's part */
  unsigned parts = qn_threads();
#pragma omp parallel for schedule(static, 1)
  for (unsigned part = 0; part < parts; part++) {
    uint64_t begin, end;
    qn_part_of(num_vertices, parts, part, &begin, &end);
    before[part + 1] = count_sources(offsets, begin, end);
  }
  for (unsigned part = 0; part < parts; part++)
    before[part + 1] += before[part];
  uint64_t num_sources = before[parts];
#pragma omp parallel for schedule(static, 1)
  for (unsigned part = 0; part < parts; part++) {
    uint64_t begin, end, source = before[part];
    qn_part_of(num_vertices, parts, part, &begin, &end);
    uint64_t sink = num_sources + begin - source;
    for (uint64_t v = begin; v < end; v++)
      build->ids[v] = (uint32_t)(offsets[v] != offsets[v + 1] ? source++ : sink++);
  }
  build->num_sources = num_sources;
}

/* ---- Round 2: the same range of ids for every partition --------------------- */

static void write_partitions(struct build *build) {
  struct qn_edge_cutter cutter =
      qn_edge_cutter(build->csr, build->ids, build->num_sources, build->capacity);
  struct qn_edge_cut cut;
  uint64_t unused = 0, p = 0;
  build->arrays.edge_offsets[0] = 0;
  build->arrays.prefix_offsets[0] = 0;
  while (p < build->size.num_partitions && qn_edge_cutter_next(&cutter, &cut)) {
    unused += build->size.range_size - cut.num_sources;
    p++;
    build->arrays.edge_offsets[p] = cut.end;
    build->arrays.prefix_offsets[p] = (uint32_t)unused;
  }
}

static uint64_t first_dense(const struct build *build, uint64_t partition) {
  return partition * build->size.range_size - build->arrays.prefix_offsets[partition];
}

/* The partition that the source of this dense number begins in: the last one that begins with it
 * or before. */
static uint64_t partition_of_dense(const struct build *build, uint64_t dense) {
  uint64_t low = 0, high = build->size.num_partitions;
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if (first_dense(build, middle) <= dense)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Dense numbers become ids, and are noted in new_to_old. */
static void rename_vertices(struct build *build) {
  uint64_t num_vertices = build->csr->num_vertices, num_partitions = build->size.num_partitions;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t begin = 0; begin < num_vertices; begin += VERTICES_AT_ONCE) {
    uint64_t end =
        begin + VERTICES_AT_ONCE < num_vertices ? begin + VERTICES_AT_ONCE : num_vertices;
    uint64_t partition = UINT64_MAX;
    for (uint64_t v = begin; v < end; v++) {
      uint32_t dense = build->ids[v];
      uint64_t shift_of = num_partitions;
      if (dense < build->num_sources) {
        if (partition == UINT64_MAX)
          partition = partition_of_dense(build, dense);
        while (partition + 1 < num_partitions && first_dense(build, partition + 1) <= dense)
          partition++;
        shift_of = partition;
      }
      build->arrays.new_to_old[dense] = (uint32_t)v;
      build->ids[v] = dense + build->arrays.prefix_offsets[shift_of];
    }
  }
}

/* ---- Edges ------------------------------------------------------------------ */

struct row {
  uint64_t begin, end;
};

/* Within the edges, whatever the file has become. */
static struct row row_of(const struct qn_csr *csr, uint64_t v) {
  uint64_t begin = csr->row_offsets[v], end = csr->row_offsets[v + 1];
  end = end < csr->num_edges ? end : csr->num_edges;
  return (struct row){begin < end ? begin : end, end};
}

/* Destinations without out-edges and their weights, waiting for the end of their row. */
struct sinks {
  uint32_t *ids; /* [HUB_EDGES] */
  void *weights; /* [HUB_EDGES] */
};

/* Both branches write and one counts: which vertices have out-edges cannot be predicted. */
QN_ALWAYS_INLINE void rename_row_of(const struct build *build, uint64_t v, struct row row,
                                    unsigned weight_bytes, struct sinks *sinks) {
  const struct qn_csr *csr = build->csr;
  uint32_t *destinations = build->arrays.destinations;
  uint64_t place = row.begin, waiting = 0;
  for (uint64_t e = row.begin; e < row.end; e++) {
    uint32_t id = build->ids[csr->column_indices[e]];
    bool sink = id >= build->first_sink;
    build->arrays.sources[e] = build->ids[v];
    destinations[place] = sinks->ids[waiting] = id;
    if (weight_bytes) {
      qn_weight_copy(build->arrays.weights, place, csr->weights.data, e, weight_bytes);
      qn_weight_copy(sinks->weights, waiting, csr->weights.data, e, weight_bytes);
    }
    place += !sink;
    waiting += sink;
  }
  memcpy(destinations + place, sinks->ids, waiting * sizeof *destinations);
  if (weight_bytes)
    memcpy((char *)build->arrays.weights + place * weight_bytes, sinks->weights,
           waiting * weight_bytes);
}

static void rename_row(const struct build *build, uint64_t v, struct row row, struct sinks *sinks) {
  switch (qn_weight_bytes(build->csr->weights.type)) {
  case 0:
    rename_row_of(build, v, row, 0, sinks);
    break;
  case 4:
    rename_row_of(build, v, row, 4, sinks);
    break;
  default:
    rename_row_of(build, v, row, 8, sinks);
  }
}

/* All rows but hubs. */
static enum qn_status rename_rows(struct build *build, struct qn_error *error) {
  const struct qn_csr *csr = build->csr;
  unsigned threads = qn_threads();
  uint32_t *waiting;
  enum qn_status status = qn_pages_alloc(&waiting, WAITING_WORDS * threads, sizeof *waiting,
                                         "destinations of a row", error);
  if (status)
    return status;
#pragma omp parallel num_threads(threads)
  {
    struct sinks sinks;
    sinks.ids = waiting + WAITING_WORDS * (uint64_t)omp_get_thread_num();
    sinks.weights = sinks.ids + HUB_EDGES;
#pragma omp for schedule(dynamic, 1)
    for (uint64_t begin = 0; begin < csr->num_edges; begin += EDGES_AT_ONCE) {
      uint64_t end = begin + EDGES_AT_ONCE;
      uint64_t last = end < csr->num_edges ? qn_csr_row_at(csr, end) : csr->num_vertices;
      for (uint64_t v = qn_csr_row_at(csr, begin); v < last; v++) {
        struct row row = row_of(csr, v);
        if (row.end - row.begin < HUB_EDGES)
          rename_row(build, v, row, &sinks);
      }
    }
  }
  qn_pages_free(waiting, WAITING_WORDS * threads, sizeof *waiting);
  return QN_OK;
}

static uint64_t count_sinks(const struct build *build, uint64_t begin, uint64_t end) {
  uint64_t count = 0;
  for (uint64_t e = begin; e < end; e++)
    count += build->ids[build->csr->column_indices[e]] >= build->first_sink;
  return count;
}

/* A hub's row by all threads: count the destinations without out-edges in each piece, then place.
 */
static enum qn_status rename_hub(struct build *build, uint64_t v, struct row row,
                                 struct qn_error *error) {
  const struct qn_csr *csr = build->csr;
  unsigned weight_bytes = qn_weight_bytes(csr->weights.type);
  uint64_t row_begin = row.begin, row_end = row.end;
  uint64_t pieces = (row_end - row_begin + EDGES_AT_ONCE - 1) / EDGES_AT_ONCE;
  uint64_t *sinks_before;
  enum qn_status status = qn_alloc_zeroed(&sinks_before, pieces + 1, sizeof *sinks_before,
                                          "counts of a hub's destinations", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t piece = 0; piece < pieces; piece++) {
    uint64_t begin, end;
    qn_part_of(row_end - row_begin, pieces, piece, &begin, &end);
    sinks_before[piece + 1] = count_sinks(build, row_begin + begin, row_begin + end);
  }
  for (uint64_t piece = 0; piece < pieces; piece++)
    sinks_before[piece + 1] += sinks_before[piece];
  uint64_t sinks_begin = row_end - sinks_before[pieces];
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t piece = 0; piece < pieces; piece++) {
    uint64_t begin, end;
    qn_part_of(row_end - row_begin, pieces, piece, &begin, &end);
    uint64_t place = row_begin + begin - sinks_before[piece];
    uint64_t sink_place = sinks_begin + sinks_before[piece];
    for (uint64_t e = row_begin + begin; e < row_begin + end; e++) {
      uint32_t id = build->ids[csr->column_indices[e]];
      uint64_t to = id >= build->first_sink ? sink_place++ : place++;
      if (to >= row_end) /* more than were counted: the file is being overwritten */
        break;
      build->arrays.sources[e] = build->ids[v];
      build->arrays.destinations[to] = id;
      if (weight_bytes)
        qn_weight_copy(build->arrays.weights, to, csr->weights.data, e, weight_bytes);
    }
  }
  qn_free(sinks_before);
  return QN_OK;
}

static enum qn_status rename_hubs(struct build *build, struct qn_error *error) {
  const struct qn_csr *csr = build->csr;
  enum qn_status status = QN_OK;
  /* A hub spans the place of some multiple of HUB_EDGES, so looking there finds all of them. */
  uint64_t next = 0;
  for (uint64_t edge = 0; edge < csr->num_edges && !status; edge += HUB_EDGES) {
    uint64_t after = qn_csr_row_at(csr, edge + 1);
    uint64_t v = after == 0 ? 0 : after - 1;
    if (v < next)
      continue;
    next = v + 1;
    struct row row = row_of(csr, v);
    if (row.end - row.begin >= HUB_EDGES)
      status = rename_hub(build, v, row, error);
  }
  return status;
}

/* ---- How large partitions are ------------------------------------------------ */

static enum qn_status refuse_bytes(const struct build *build,
                                   const struct qn_edge_partitions_options *options,
                                   uint64_t edge_bytes, uint64_t max_ids, struct qn_error *error) {
  uint64_t fit = qn_edge_cut_fit(build->csr, build->ids, build->num_sources,
                                 options->partition_bytes / edge_bytes, UINT64_MAX, max_ids);
  return qn_fail(error, QN_USAGE,
                 "partitions of %" PRIu64 " bytes would need %" PRIu64 " vertex ids, %" PRIu64
                 " more than the %" PRIu64 " that there are: use --partition-bytes %" PRIu64
                 " or more",
                 options->partition_bytes, build->size.num_ids, build->size.num_ids - max_ids,
                 max_ids, fit * edge_bytes);
}

/* The largest partitions that the device works off side by side. */
static enum qn_status capacity_of_device(const struct build *build, uint64_t memory,
                                         uint64_t edge_bytes, uint64_t *capacity,
                                         struct qn_error *error) {
  const uint64_t vertices = build->csr->num_vertices * QN_EP_VERTEX_MEMORY;
  const uint64_t edges = memory > vertices ? (memory - vertices) / edge_bytes : 0;
  *capacity = edges / QN_EP_DEFAULT_PARTITIONS;
  if (*capacity > 0)
    return QN_OK;
  return qn_fail(error, QN_USAGE,
                 "a device's memory of %" PRIu64 " bytes has no room for %d partitions beside %d "
                 "bytes for each of %" PRIu64 " vertices: use --device-memory %" PRIu64 " or more",
                 memory, QN_EP_DEFAULT_PARTITIONS, QN_EP_VERTEX_MEMORY, build->csr->num_vertices,
                 vertices + QN_EP_DEFAULT_PARTITIONS * edge_bytes);
}

static enum qn_status choose_capacity(struct build *build,
                                      const struct qn_edge_partitions_options *options,
                                      struct qn_error *error) {
  const struct qn_csr *csr = build->csr;
  uint64_t edge_bytes = 8 + qn_weight_bytes(csr->weights.type);
  uint64_t max_ids = options->max_ids ? options->max_ids : QN_EP_MAX_IDS;
  uint64_t wanted = options->num_partitions ? options->num_partitions : QN_EP_DEFAULT_PARTITIONS;
  if (options->device_memory) {
    uint64_t fits = 0;
    enum qn_status status =
        capacity_of_device(build, options->device_memory, edge_bytes, &fits, error);
    if (status)
      return status;
    const uint64_t least = csr->num_edges / fits + (csr->num_edges % fits != 0);
    wanted = least > wanted ? least : wanted;
  }
  if (options->partition_bytes) {
    build->capacity = options->partition_bytes / edge_bytes;
    if (build->capacity == 0)
      return qn_fail(error, QN_USAGE,
                     "a partition of %" PRIu64 " bytes holds no edge, which takes %" PRIu64
                     ": use --partition-bytes %" PRIu64 " or more",
                     options->partition_bytes, edge_bytes, edge_bytes);
  } else {
    uint64_t share = csr->num_edges / wanted + (csr->num_edges % wanted != 0);
    build->capacity =
        qn_edge_cut_fit(csr, build->ids, build->num_sources, share ? share : 1, wanted, UINT64_MAX);
  }
  build->size = qn_edge_cut_size(csr, build->ids, build->num_sources, build->capacity);
  if (build->size.num_ids <= max_ids)
    return QN_OK;
  if (options->partition_bytes)
    return refuse_bytes(build, options, edge_bytes, max_ids, error);
  uint64_t too_small = build->capacity;
  build->capacity =
      qn_edge_cut_fit(csr, build->ids, build->num_sources, too_small, wanted, max_ids);
  build->size = qn_edge_cut_size(csr, build->ids, build->num_sources, build->capacity);
  qn_note(QN_NOTE_FEWER_PARTITIONS,
          "partitions of %" PRIu64 " edges would need more than the %" PRIu64
          " vertex ids that there are: taking %" PRIu64 " of up to %" PRIu64 " edges",
          too_small, max_ids, build->size.num_partitions, build->capacity);
  return QN_OK;
}

/* ---- The whole ---------------------------------------------------------------- */

static json_t *used_options(const struct qn_edge_partitions_options *options,
                            const struct build *build) {
  json_t *used = json_object();
  if (options->device_memory)
    json_object_set_new(used, "device_memory", json_integer((json_int_t)options->device_memory));
  else if (!options->partition_bytes)
    json_object_set_new(
        used, "partitions",
        json_integer((json_int_t)(options->num_partitions ? options->num_partitions
                                                          : QN_EP_DEFAULT_PARTITIONS)));
  else
    json_object_set_new(used, "partition_bytes",
                        json_integer((json_int_t)options->partition_bytes));
  json_object_set_new(used, "capacity_edges", json_integer((json_int_t)build->capacity));
  return used;
}

/* Seconds since *begin, which becomes now. */
static void note_step(json_t *steps, const char *step, double *begin) {
  const double now = qn_seconds();
  if (steps)
    json_object_set_new(steps, step, json_real(now - *begin));
  *begin = now;
}

static enum qn_status write_layout(struct build *build, struct qn_writer *writer, json_t *steps,
                                   struct qn_error *error) {
  uint64_t *parameters = qn_writer_info(writer)->parameters;
  parameters[QN_EP_NUM_PARTITIONS] = build->size.num_partitions;
  parameters[QN_EP_RANGE_SIZE] = build->size.range_size;
  parameters[QN_EP_NUM_SOURCES] = build->num_sources;
  parameters[QN_EP_CAPACITY] = build->capacity;
  enum qn_status status = qn_edge_partitions_write(writer, &build->arrays, error);
  if (status)
    return status;
  double begin = qn_seconds();
  write_partitions(build);
  build->first_sink = (uint32_t)(build->size.num_partitions * build->size.range_size);
  rename_vertices(build);
  note_step(steps, "second_renaming", &begin);
  status = rename_rows(build, error);
  if (!status)
    status = rename_hubs(build, error);
  note_step(steps, "renaming_edges", &begin);
  return status;
}

enum qn_status qn_edge_partitions_build(struct qn_source *source, const void *options,
                                        struct qn_writer *writer, json_t **used,
                                        struct qn_error *error) {
  struct build build = {.csr = &source->graph.out};
  uint64_t num_vertices = build.csr->num_vertices;
  enum qn_status status =
      qn_pages_alloc(&build.ids, num_vertices, sizeof *build.ids, "vertex ids", error);
  if (status)
    return status;
  double begin = qn_seconds();
  number_vertices(&build);
  note_step(source->steps, "first_renaming", &begin);
  status = choose_capacity(&build, options, error);
  note_step(source->steps, "choosing_a_size", &begin);
  if (!status)
    status = write_layout(&build, writer, source->steps, error);
  if (!status)
    *used = used_options(options, &build);
  qn_pages_free(build.ids, num_vertices, sizeof *build.ids);
  return status;
}
