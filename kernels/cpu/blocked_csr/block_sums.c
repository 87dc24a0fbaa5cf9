/* A level with a good part of the vertices is worth a walk over all blocks; the
 * rows of a thin one are looked up one by one, or a search of a long path would take
 * time of the order of its length times E. */
#include "kernels/cpu/blocked_csr/block_sums.h"

#include "support/memory.h"
#include "support/search.h"
#include "support/threads.h"

enum qn_status qn_block_sums_create(struct qn_block_sums *sums, const struct qn_blocking *blocking,
                                    bool rows_receive, struct qn_error *error) {
  *sums = (struct qn_block_sums){.blocking = blocking, .rows_receive = rows_receive};
  if (!rows_receive)
    return QN_OK;
  enum qn_status status = qn_block_tasks_create(&sums->tasks, blocking, error);
  if (!status)
    status = qn_pages_alloc(&sums->partials, sums->blocking->num_rows, sizeof *sums->partials,
                            "partial sums", error);
  return status;
}

void qn_block_sums_destroy(struct qn_block_sums *sums) {
  if (sums->partials)
    qn_pages_free(sums->partials, sums->blocking->num_rows, sizeof *sums->partials);
  qn_block_tasks_destroy(&sums->tasks);
  *sums = (struct qn_block_sums){0};
}

/* What one collection works on. */
struct collection {
  const struct qn_block_sums *sums;
  const struct qn_blocking *blocking;
  const uint32_t *level_of;
  uint32_t from, to;
  const uint32_t *givers, *takers; /* the vertices of the two levels */
  uint64_t num_givers, num_takers;
  const double *offer;
  double *sum;
};

/* The local row of `vertex` in a block; false if it has none. Ranges make it a search among 1024.
 */
static bool find_row(const struct qn_blocking *blocking, uint64_t block, uint32_t vertex,
                     uint32_t *row) {
  const uint32_t *starts = qn_block_ranges(blocking, block) + vertex / QN_RANGE_VERTICES;
  const uint32_t *ids = blocking->id_map + blocking->block_rows[block];
  *row = (uint32_t)qn_lower_bound_u32(ids, starts[0], starts[1], vertex);
  return *row < starts[1] && ids[*row] == vertex;
}

/* About as many steps as looking `count` vertices up takes, against visiting all rows. */
static bool is_thin(const struct qn_blocking *blocking, uint64_t count) {
  return count * blocking->num_blocks * 8 < blocking->num_rows;
}

/* ---- Rows receive ----------------------------------------------------------- */

static double row_sum(const struct collection *work, uint64_t block, uint64_t row) {
  const uint32_t *offsets = qn_block_offsets(work->blocking, block);
  const uint32_t *columns = work->blocking->columns + work->blocking->block_edges[block];
  double sum = 0;
  for (uint64_t edge = offsets[row]; edge < offsets[row + 1]; edge++)
    sum += work->offer[columns[edge]];
  return sum;
}

static void gather_thin(const struct collection *work) {
#pragma omp parallel for schedule(dynamic, 64) if (work->num_takers > 256)
  for (uint64_t i = 0; i < work->num_takers; i++) {
    double sum = 0;
    uint32_t row;
    for (uint64_t block = 0; block < work->blocking->num_blocks; block++)
      if (find_row(work->blocking, block, work->takers[i], &row))
        sum += row_sum(work, block, row);
    work->sum[work->takers[i]] = sum;
  }
}

static void gather_task(const struct collection *work, const struct qn_block_task *task) {
  for (uint64_t row = task->begin; row < task->end; row++)
    if (work->level_of[work->blocking->id_map[task->first_row + row]] == work->to)
      work->sums->partials[task->first_row + row] = row_sum(work, task->block, row);
}

static void reduce_range(const struct collection *work, uint64_t range) {
  const struct qn_blocking *blocking = work->blocking;
  for (uint64_t block = 0; block < blocking->num_blocks; block++) {
    const uint32_t *starts = qn_block_ranges(blocking, block) + range;
    uint64_t first = blocking->block_rows[block];
    for (uint64_t row = first + starts[0]; row < first + starts[1]; row++) {
      uint32_t vertex = blocking->id_map[row];
      if (work->level_of[vertex] == work->to)
        work->sum[vertex] += work->sums->partials[row];
    }
  }
}

static void gather_all(const struct collection *work) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (uint64_t i = 0; i < work->num_takers; i++)
      work->sum[work->takers[i]] = 0;
#pragma omp for schedule(dynamic, 1)
    for (uint64_t task = 0; task < work->sums->tasks.count; task++)
      gather_task(work, &work->sums->tasks.tasks[task]);
#pragma omp for schedule(dynamic, 4)
    for (uint64_t range = 0; range < work->blocking->num_ranges; range++)
      reduce_range(work, range);
  }
}

/* ---- Rows give -------------------------------------------------------------- */

/* Give to the columns [first, last) of a row, which belong to this thread. */
static void give_row(const struct collection *work, uint64_t block, uint64_t row, uint64_t first,
                     uint64_t last) {
  const uint32_t *offsets = qn_block_offsets(work->blocking, block);
  const uint32_t *columns = work->blocking->columns + work->blocking->block_edges[block];
  double offer = work->offer[work->blocking->id_map[work->blocking->block_rows[block] + row]];
  for (uint64_t edge = offsets[row]; edge < offsets[row + 1]; edge++) {
    uint32_t column = columns[edge];
    if (column >= first && column < last && work->level_of[column] == work->to)
      work->sum[column] += offer;
  }
}

static void give_part(const struct collection *work, uint64_t block, uint64_t part, uint64_t parts,
                      bool thin) {
  const struct qn_blocking *blocking = work->blocking;
  uint64_t base = block * blocking->block_vertices, first, last;
  qn_part_of(blocking->block_vertices, parts, part, &first, &last);
  if (thin) {
    uint32_t row;
    for (uint64_t i = 0; i < work->num_givers; i++)
      if (find_row(blocking, block, work->givers[i], &row))
        give_row(work, block, row, base + first, base + last);
    return;
  }
  uint64_t first_row = blocking->block_rows[block];
  uint64_t rows = blocking->block_rows[block + 1] - first_row;
  for (uint64_t row = 0; row < rows; row++)
    if (work->level_of[blocking->id_map[first_row + row]] == work->from)
      give_row(work, block, row, base + first, base + last);
}

/* As in the engine: a block's columns, or a share of them, belong to one thread. */
static void give_all(const struct collection *work) {
  uint64_t blocks = work->blocking->num_blocks, threads = qn_threads();
  bool thin = is_thin(work->blocking, work->num_givers);
  uint64_t parts = blocks < threads && blocks ? (threads + blocks - 1) / blocks : 1;
  if (thin && work->num_givers < 256)
    parts = 1;
  for (uint64_t i = 0; i < work->num_takers; i++)
    work->sum[work->takers[i]] = 0;
#pragma omp parallel for schedule(dynamic, 1) if (!thin || work->num_givers >= 256)
  for (uint64_t i = 0; i < blocks * parts; i++)
    give_part(work, i / parts, i % parts, parts, thin);
}

void qn_block_sums_collect(const struct qn_block_sums *sums, const struct brandes_step *step) {
  struct collection work = {
      .sums = sums,
      .blocking = sums->blocking,
      .level_of = step->hops,
      .from = step->from,
      .to = step->to,
      .offer = step->offer,
      .sum = step->into,
  };
  work.givers = brandes_level(step->levels, step->from, &work.num_givers);
  work.takers = brandes_level(step->levels, step->to, &work.num_takers);
  if (!sums->rows_receive)
    give_all(&work);
  else if (is_thin(sums->blocking, work.num_takers))
    gather_thin(&work);
  else
    gather_all(&work);
}
