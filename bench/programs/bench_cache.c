/* bench_cache BLOCKS.qrn CACHE_BYTES WARPS: what GraphCage's figures 9 and 10 show, and HPGraph's
 * table 3, counted by a model where a device's counters cannot be read: of the sums of PageRank, as
 * bench/programs/cage_bars.cu pulls them, how many accesses reach the L2 cache, how many of them
 * miss, how many the memory behind it has, and how many lanes of a warp have an edge at each step.
 *
 * The model: WARPS warps are resident, and each does one step in turn; one that has ended is
 * replaced by the next of its launch. The lanes' accesses of a step to one sector of 32 bytes are
 * one. A lane keeps the sector of columns that it read last, as the L1 cache would; all else goes
 * to the L2 cache, which is 16-way associative and evicts what was used least recently. What is
 * written whole is not read before, and is written back when it is evicted.
 *
 * BLOCKS has pull and push blocks and out-edges, of an undirected graph. One line of JSON for each
 * way; exit code 1 if one does not walk each edge once. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include "support/tool.h"
#include <quern/blocked_csr.h>

#define SECTOR 32
#define WAYS 16
#define LANES 32
#define WARP_ROW 32 /* edges from which a warp takes a row of a block */
#define TILE_STEPS 8

/* ---- The cache ------------------------------------------------------------------- */

enum kind { READ, WRITE, ADD }; /* ADD: an atomic, which reads what it misses */

struct cache {
  uint64_t num_sets;
  uint64_t *tags; /* [sets x WAYS] sector x 2 + dirty, most recently used first; UINT64_MAX: none */
  uint64_t accesses, misses, reads, writes;
};

static void cache_access(struct cache *cache, uint64_t sector, enum kind kind) {
  uint64_t *set = cache->tags + sector * UINT64_C(0x9e3779b97f4a7c15) % cache->num_sets * WAYS;
  unsigned way = 0;
  while (way < WAYS - 1 && set[way] / 2 != sector)
    way++;
  const uint64_t found = set[way];
  const bool hits = found / 2 == sector;
  cache->accesses++;
  cache->misses += !hits;
  cache->reads += !hits && kind != WRITE;
  cache->writes += !hits && found != UINT64_MAX && found % 2;
  memmove(set + 1, set, way * sizeof *set);
  set[0] = sector * 2 + ((hits && found % 2) || kind != READ);
}

/* What is still to be written back. */
static void cache_flush(struct cache *cache) {
  for (uint64_t i = 0; i < cache->num_sets * WAYS; i++) {
    cache->writes += cache->tags[i] != UINT64_MAX && cache->tags[i] % 2;
    cache->tags[i] = UINT64_MAX;
  }
}

/* ---- A launch --------------------------------------------------------------------- */

/* Arrays lie far from one another. */
enum array { MESSAGES = 1, SUMS, OFFSETS, COLUMNS, PARTIAL, ID_MAP };

static uint64_t sector_of(enum array array, uint64_t index, uint64_t bytes) {
  return (((uint64_t)array << 48) + index * bytes) / SECTOR;
}

struct lanes {
  unsigned count;
  uint64_t sectors[2 * LANES];
};

static void lanes_add(struct lanes *lanes, uint64_t sector) {
  for (unsigned i = lanes->count; i-- > 0;) /* neighbours are alike most often */
    if (lanes->sectors[i] == sector)
      return;
  lanes->sectors[lanes->count++] = sector;
}

static void lanes_access(struct cache *cache, const struct lanes *lanes, enum kind kind) {
  for (unsigned i = 0; i < lanes->count; i++)
    cache_access(cache, lanes->sectors[i], kind);
}

enum results { TO_SUMS, ADDED_TO_SUMS, TO_PARTIAL, PUSHED };

/* Rows that a warp's lanes take. */
struct launch {
  uint64_t num_rows;
  const uint64_t *wide;   /* [num_rows + 1] or NULL: */
  const uint32_t *narrow; /* the same, of a block */
  const uint32_t *ids;    /* [num_rows] vertices of the rows; NULL: their numbers */
  const uint32_t *columns;
  uint64_t first_offset, first_edge, first_row; /* of the block */
  unsigned width;                               /* lanes a row */
  bool shares_long, tiles;                      /* long rows are a warp's; rows do not matter */
  enum results results;
};

struct warp {
  uint64_t number; /* of the launch */
  uint64_t next[LANES], end[LANES], kept[LANES];
  uint64_t long_rows[LANES];
  unsigned step, num_long;
  bool ended;
};

struct model {
  struct cache cache;
  uint64_t num_warps;
  struct warp *warps;
  uint64_t edges, steps; /* lanes that had an edge; of all lanes */
};

static uint64_t offset_of(const struct launch *launch, uint64_t row) {
  return launch->wide ? launch->wide[row] : launch->narrow[row];
}

static void read_offsets(struct model *model, const struct launch *launch, uint64_t row,
                         uint64_t count) {
  struct lanes lanes = {0};
  const uint64_t bytes = launch->wide ? 8 : 4;
  for (uint64_t i = 0; i <= count; i++)
    lanes_add(&lanes, sector_of(OFFSETS, launch->first_offset + row + i, bytes));
  lanes_access(&model->cache, &lanes, READ);
}

/* A tile is TILE_STEPS times 32 consecutive edges; the offsets and sums that belong to it are read
 * and written once in all. */
static uint64_t warps_of(const struct launch *launch) {
  const uint64_t rows = LANES / launch->width, tile = LANES * TILE_STEPS;
  const uint64_t num_edges = offset_of(launch, launch->num_rows);
  return launch->tiles ? (num_edges + tile - 1) / tile : (launch->num_rows + rows - 1) / rows;
}

static void begin_tile(const struct launch *launch, struct warp *warp) {
  const uint64_t num_edges = offset_of(launch, launch->num_rows);
  const uint64_t begin = warp->number * LANES * TILE_STEPS;
  const uint64_t end =
      begin + LANES * TILE_STEPS < num_edges ? begin + LANES * TILE_STEPS : num_edges;
  warp->step = LANES;
  for (unsigned lane = 0; lane < LANES; lane++) {
    warp->next[lane] = begin + lane;
    warp->end[lane] = end;
  }
}

static void begin_rows(struct model *model, const struct launch *launch, struct warp *warp) {
  const uint64_t rows = LANES / launch->width, first = warp->number * rows;
  const uint64_t count = launch->num_rows - first < rows ? launch->num_rows - first : rows;
  read_offsets(model, launch, first, count);
  warp->step = launch->width;
  for (unsigned lane = 0; lane < LANES; lane++) {
    const uint64_t row = first + lane / launch->width;
    warp->next[lane] = warp->end[lane] = 0;
    if (row >= launch->num_rows)
      continue;
    if (launch->shares_long && offset_of(launch, row + 1) - offset_of(launch, row) >= WARP_ROW) {
      warp->long_rows[warp->num_long++] = row;
      continue;
    }
    warp->next[lane] = offset_of(launch, row) + lane % launch->width;
    warp->end[lane] = offset_of(launch, row + 1);
  }
}

static void begin_warp(struct model *model, const struct launch *launch, struct warp *warp,
                       uint64_t number) {
  memset(warp, 0, sizeof *warp);
  memset(warp->kept, 0xff, sizeof warp->kept);
  warp->number = number;
  if (launch->tiles)
    begin_tile(launch, warp);
  else
    begin_rows(model, launch, warp);
}

/* All lanes take a long row that is left; false: none is. */
static bool begin_long(const struct launch *launch, struct warp *warp) {
  if (warp->num_long == 0)
    return false;
  const uint64_t row = warp->long_rows[--warp->num_long];
  warp->step = LANES;
  for (unsigned lane = 0; lane < LANES; lane++) {
    warp->next[lane] = offset_of(launch, row) + lane;
    warp->end[lane] = offset_of(launch, row + 1);
  }
  return true;
}

/* An edge for each lane that has one; false: none has. */
static bool do_step(struct model *model, const struct launch *launch, struct warp *warp) {
  struct lanes columns = {0}, values = {0};
  unsigned busy = 0;
  for (unsigned lane = 0; lane < LANES; lane++) {
    if (warp->next[lane] >= warp->end[lane])
      continue;
    const uint64_t edge = launch->first_edge + warp->next[lane];
    const uint64_t sector = sector_of(COLUMNS, edge, 4);
    if (warp->kept[lane] != sector)
      lanes_add(&columns, sector);
    warp->kept[lane] = sector;
    lanes_add(&values,
              sector_of(launch->results == PUSHED ? SUMS : MESSAGES, launch->columns[edge], 4));
    warp->next[lane] += warp->step;
    busy++;
  }
  lanes_access(&model->cache, &columns, READ);
  lanes_access(&model->cache, &values, launch->results == PUSHED ? ADD : READ);
  model->edges += busy;
  model->steps += busy ? LANES : 0;
  return busy > 0;
}

/* What the rows [first, first + count) read of their own, or write. */
static void touch_rows(struct model *model, const struct launch *launch, uint64_t first,
                       uint64_t count) {
  struct lanes ids = {0}, lanes = {0};
  const bool partial = launch->results == TO_PARTIAL;
  for (uint64_t row = first; row < first + count; row++) {
    if (launch->results == ADDED_TO_SUMS && offset_of(launch, row) == offset_of(launch, row + 1))
      continue;
    const uint64_t vertex = launch->ids && !partial ? launch->ids[row] : launch->first_row + row;
    if (launch->results == PUSHED)
      lanes_add(&ids, sector_of(ID_MAP, launch->first_row + row, 4));
    lanes_add(&lanes, sector_of(launch->results == PUSHED ? MESSAGES
                                : partial                 ? PARTIAL
                                                          : SUMS,
                                vertex, 4));
  }
  lanes_access(&model->cache, &ids, READ);
  if (launch->results == ADDED_TO_SUMS)
    lanes_access(&model->cache, &lanes, READ);
  lanes_access(&model->cache, &lanes, launch->results == PUSHED ? READ : WRITE);
}

static void end_warp(struct model *model, const struct launch *launch, const struct warp *warp) {
  const uint64_t rows = LANES / launch->width, first = warp->number * rows;
  if (!launch->tiles)
    touch_rows(model, launch, first,
               launch->num_rows - first < rows ? launch->num_rows - first : rows);
}

static void run(struct model *model, const struct launch *launch) {
  const uint64_t num_warps = warps_of(launch);
  uint64_t begun = 0, running = 0;
  for (; begun < num_warps && begun < model->num_warps; begun++, running++)
    begin_warp(model, launch, &model->warps[begun], begun);
  for (uint64_t all = begun; running > 0;)
    for (uint64_t i = 0; i < all; i++) {
      struct warp *warp = &model->warps[i];
      if (warp->ended || do_step(model, launch, warp) || begin_long(launch, warp))
        continue;
      end_warp(model, launch, warp);
      warp->ended = begun == num_warps;
      running -= warp->ended;
      if (!warp->ended)
        begin_warp(model, launch, warp, begun++);
    }
  for (uint64_t row = 0; launch->tiles && row < launch->num_rows; row += LANES) {
    const uint64_t count = launch->num_rows - row < LANES ? launch->num_rows - row : LANES;
    read_offsets(model, launch, row, count);
    touch_rows(model, launch, row, count);
  }
}

/* ---- The ways ---------------------------------------------------------------------- */

/* Partial sums of all blocks, range by range, to the sums. */
static void add_up(struct model *model, const struct qn_blocking *blocking, uint64_t num_vertices) {
  for (uint64_t range = 0; range < blocking->num_ranges; range++) {
    for (uint64_t block = 0; block < blocking->num_blocks; block++) {
      const uint32_t *starts = qn_block_ranges(blocking, block) + range;
      const uint64_t first = blocking->block_rows[block];
      for (uint64_t row = starts[0]; row < starts[1]; row += 8) {
        cache_access(&model->cache, sector_of(PARTIAL, first + row, 4), READ);
        cache_access(&model->cache, sector_of(ID_MAP, first + row, 4), READ);
      }
    }
    for (uint64_t v = range * QN_RANGE_VERTICES;
         v < (range + 1) * QN_RANGE_VERTICES && v < num_vertices; v += SECTOR / 4)
      cache_access(&model->cache, sector_of(SUMS, v, 4), WRITE);
  }
}

static void run_blocks(struct model *model, const struct qn_blocking *blocking,
                       enum results results, bool tiles) {
  for (uint64_t block = 0; block < blocking->num_blocks; block++) {
    const uint64_t first = blocking->block_rows[block];
    const struct launch launch = {.num_rows = blocking->block_rows[block + 1] - first,
                                  .narrow = qn_block_offsets(blocking, block),
                                  .ids = blocking->id_map + first,
                                  .columns = blocking->columns,
                                  .first_offset = first + block,
                                  .first_edge = blocking->block_edges[block],
                                  .first_row = first,
                                  .width = 1,
                                  .shares_long = true,
                                  .tiles = tiles,
                                  .results = results};
    run(model, &launch);
  }
}

/* Every vertex is a row of every block. */
static enum qn_status run_naive(struct model *model, const struct qn_blocking *blocking,
                                uint64_t num_vertices, struct qn_error *error) {
  uint32_t *offsets;
  enum qn_status status =
      qn_alloc(&offsets, num_vertices + 1, sizeof *offsets, "row offsets", error);
  for (uint64_t block = 0; block < blocking->num_blocks && !status; block++) {
    const uint32_t *local = qn_block_offsets(blocking, block);
    const uint64_t num_rows = blocking->block_rows[block + 1] - blocking->block_rows[block];
    const uint32_t *ids = blocking->id_map + blocking->block_rows[block];
    for (uint64_t v = 0, next = 0; v <= num_vertices; v++) {
      offsets[v] = local[next];
      next += next < num_rows && ids[next] == v;
    }
    const struct launch launch = {.num_rows = num_vertices,
                                  .narrow = offsets,
                                  .columns = blocking->columns,
                                  .first_offset = block * (num_vertices + 1),
                                  .first_edge = blocking->block_edges[block],
                                  .width = 1,
                                  .results = ADDED_TO_SUMS};
    run(model, &launch);
  }
  qn_free(status ? NULL : offsets);
  return status;
}

static void run_plain(struct model *model, const struct qn_csr *csr, unsigned width, bool tiles) {
  const struct launch launch = {.num_rows = csr->num_vertices,
                                .wide = csr->row_offsets,
                                .columns = csr->column_indices,
                                .width = width,
                                .tiles = tiles};
  run(model, &launch);
}

/* One line for what was counted since the last; false if an edge was missed. */
static bool tell(struct model *model, const char *way, uint64_t num_edges) {
  struct cache *cache = &model->cache;
  const bool right = model->edges == num_edges;
  cache_flush(cache);
  printf(
      "{\"way\": \"%s\", \"edges\": %" PRIu64 ", \"accesses\": %" PRIu64 ", \"misses\": %" PRIu64
      ", \"memory_reads\": %" PRIu64 ", \"memory_writes\": %" PRIu64 ", \"lanes\": %" PRIu64 "}\n",
      way, model->edges, cache->accesses, cache->misses, cache->reads, cache->writes, model->steps);
  cache->accesses = cache->misses = cache->reads = cache->writes = 0;
  model->edges = model->steps = 0;
  return right;
}

static enum qn_status count_all(struct model *model, const struct qn_blocked_csr *blocked,
                                bool *right, struct qn_error *error) {
  const uint64_t num_vertices = blocked->num_vertices, num_edges = blocked->num_edges;
  static const unsigned widths[] = {1, 8, 32};
  static const char *const names[] = {"base", "VWC of 8", "VWC of 32"};
  for (unsigned i = 0; i < 3; i++) {
    run_plain(model, &blocked->out, widths[i], false);
    *right &= tell(model, names[i], num_edges);
  }
  run_plain(model, &blocked->out, 1, true);
  *right &= tell(model, "equal tiles of plain CSR", num_edges);
  enum qn_status status = run_naive(model, &blocked->pull, num_vertices, error);
  if (status)
    return status;
  *right &= tell(model, "naive blocking", num_edges);
  run_blocks(model, &blocked->pull, TO_PARTIAL, false);
  add_up(model, &blocked->pull, num_vertices);
  *right &= tell(model, "local rows", num_edges);
  run_blocks(model, &blocked->pull, TO_PARTIAL, true);
  add_up(model, &blocked->pull, num_vertices);
  *right &= tell(model, "equal tiles of blocks", num_edges);
  run_blocks(model, &blocked->push, PUSHED, false);
  *right &= tell(model, "pushed from local rows", num_edges);
  return QN_OK;
}

static enum qn_status model_create(struct model *model, uint64_t bytes, uint64_t num_warps,
                                   struct qn_error *error) {
  *model = (struct model){.num_warps = num_warps ? num_warps : 1};
  model->cache.num_sets = bytes / (SECTOR * WAYS) ? bytes / (SECTOR * WAYS) : 1;
  enum qn_status status = qn_alloc(&model->cache.tags, model->cache.num_sets * WAYS,
                                   sizeof *model->cache.tags, "the cache", error);
  if (!status)
    status = qn_alloc(&model->warps, model->num_warps, sizeof *model->warps, "warps", error);
  if (!status)
    memset(model->cache.tags, 0xff, model->cache.num_sets * WAYS * sizeof *model->cache.tags);
  return status;
}

int main(int argc, char **argv) {
  struct qn_blocked_csr blocked;
  struct qn_error error;
  struct model model;
  bool right = true;
  if (argc != 4) {
    fprintf(stderr, "usage: bench_cache BLOCKS.qrn CACHE_BYTES WARPS\n");
    return QN_USAGE;
  }
  qn_error_clear(&error);
  enum qn_status status = qn_blocked_csr_map(argv[1], &blocked, &error);
  if (status)
    return qn_tool_exit(status, &error);
  status = qn_blocked_csr_check(blocked.container, &blocked, &error);
  if (!status && (!blocked.has_pull || !blocked.has_push || !blocked.has_out ||
                  blocked.directedness != QN_UNDIRECTED))
    status = qn_fail(&error, QN_INVALID, "%s: not both kinds of blocks and out-edges, undirected",
                     argv[1]);
  if (!status)
    status = model_create(&model, strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), &error);
  if (!status)
    status = count_all(&model, &blocked, &right, &error);
  if (!status) {
    qn_free(model.cache.tags);
    qn_free(model.warps);
  }
  qn_blocked_csr_unmap(&blocked);
  return status ? qn_tool_exit(status, &error) : !right;
}
