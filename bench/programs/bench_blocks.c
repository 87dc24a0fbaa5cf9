/* bench_blocks SET WHAT [ARRAY.npy] [SOURCE | DAMPING]: is a result on a directed set of blocks
 * right? By definitions alone, which share nothing with the kernels but how blocks are read, one at
 * a time:
 *
 *   hops      from SOURCE: no edge leads further than one hop, every vertex that was reached has an
 *             edge from one that is a hop nearer, and no other vertex is at 0
 *   parents   ARRAY.npy is of parents, and HOPS.npy in place of SOURCE: each is a hop nearer, and
 *             there is the edge
 *   ranks     sum to 1, and one more iteration, in double, changes them by so much in sum
 *   labels    components by a union-find of its own; with an array, both ends of each edge have the
 *             same label, and as many vertices are their own
 *
 * One line of JSON; exit code 1 if something is wrong. */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/set/set.h"
#include "support/memory.h"
#include "support/threads.h"
#include "support/tool.h"

struct array {
  const char *data;
  unsigned width;
};

/* Of NumPy's form, little-endian. */
static struct array map_array(const char *path) {
  struct stat about;
  const int descriptor = open(path, O_RDONLY);
  if (descriptor < 0 || fstat(descriptor, &about) != 0 || about.st_size < 128) {
    fprintf(stderr, "bench_blocks: %s: no array\n", path);
    exit(2);
  }
  const char *file = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_SHARED, descriptor, 0);
  const char *type = file == MAP_FAILED ? NULL : memmem(file, 128, "'descr': '<", 11);
  close(descriptor);
  if (!type) {
    fprintf(stderr, "bench_blocks: %s: no array\n", path);
    exit(2);
  }
  return (struct array){file + 10 + (uint8_t)file[8] + 256 * (uint8_t)file[9],
                        (unsigned)(type[12] - '0')};
}

/* Whole numbers; UINT64_MAX: none. */
static uint64_t whole_at(const struct array *array, uint64_t v) {
  const uint32_t narrow = array->width == 4 ? ((const uint32_t *)array->data)[v] : 0;
  if (array->width == 4)
    return narrow == UINT32_MAX ? UINT64_MAX : narrow;
  return ((const uint64_t *)array->data)[v];
}

struct job {
  const struct qn_set *set;
  struct array values, hops;
  uint64_t source;
  double damping;
  uint64_t *bits;    /* [V / 64 + 1] vertices for which an edge was found */
  uint64_t *parent;  /* [V] of the union-find */
  uint32_t *degrees; /* [V] out-degrees, counted here */
  double *sums;      /* [rows of a block] */
  uint64_t wrong;    /* edges */
};

/* What is done along the edge u -> v. */
typedef void edge_function(struct job *job, uint64_t u, uint64_t v);

static enum qn_status walk_block(struct job *job, uint64_t index, edge_function *along,
                                 struct qn_error *error) {
  const struct qn_set_part *block = &job->set->parts[index];
  struct qn_set_open_part part;
  enum qn_status status = qn_set_part_open(job->set, index, QN_SET_CHECK_ROWS, &part, error);
  if (status)
    return status;
  const struct qn_csr *rows = &part.rows;
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t row = 0; row < block->end - block->begin; row++)
    for (uint64_t e = rows->row_offsets[row]; e < rows->row_offsets[row + 1]; e++) {
      const uint64_t own = block->begin + row,
                     other = block->columns_begin + rows->column_indices[e];
      if (job->set->rows == QN_SET_ROWS_IN)
        along(job, other, own);
      else
        along(job, own, other);
    }
  qn_set_part_close(&part);
  return QN_OK;
}

static enum qn_status walk(struct job *job, edge_function *along, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < job->set->num_parts; i++)
    status = walk_block(job, i, along, error);
  return status;
}

static void add_wrong(struct job *job) {
  __atomic_fetch_add(&job->wrong, 1, __ATOMIC_RELAXED);
}

static void mark(struct job *job, uint64_t v) {
  __atomic_fetch_or(&job->bits[v / 64], (uint64_t)1 << v % 64, __ATOMIC_RELAXED);
}

static bool is_marked(const struct job *job, uint64_t v) {
  return job->bits[v / 64] >> v % 64 & 1;
}

/* ---- Searches ---------------------------------------------------------------------------------
 */

static void see_hops(struct job *job, uint64_t u, uint64_t v) {
  const uint64_t from = whole_at(&job->values, u), to = whole_at(&job->values, v);
  if (from != UINT64_MAX && to > from + 1)
    add_wrong(job);
  if (from != UINT64_MAX && to == from + 1)
    mark(job, v);
}

static void see_parent(struct job *job, uint64_t u, uint64_t v) {
  if (whole_at(&job->values, v) == u)
    mark(job, v);
}

static enum qn_status check_hops(struct job *job, json_t *said, struct qn_error *error) {
  uint64_t reached = 0, alone = 0, deepest = 0;
  enum qn_status status = walk(job, see_hops, error);
#pragma omp parallel for schedule(static) reduction(+ : reached, alone) reduction(max : deepest)
  for (uint64_t v = 0; v < job->set->num_vertices; v++) {
    const uint64_t hops = whole_at(&job->values, v);
    const bool is_reached = hops != UINT64_MAX;
    reached += is_reached;
    deepest = is_reached && hops > deepest ? hops : deepest;
    alone += v == job->source ? hops != 0 : is_reached && (hops == 0 || !is_marked(job, v));
  }
  job->wrong += alone;
  json_object_set_new(said, "reached", json_integer((json_int_t)reached));
  json_object_set_new(said, "deepest", json_integer((json_int_t)deepest));
  return status;
}

static enum qn_status check_parents(struct job *job, json_t *said, struct qn_error *error) {
  uint64_t wrong = 0, found = 0;
  enum qn_status status = walk(job, see_parent, error);
#pragma omp parallel for schedule(static) reduction(+ : wrong, found)
  for (uint64_t v = 0; v < job->set->num_vertices; v++) {
    const uint64_t parent = whole_at(&job->values, v), hops = whole_at(&job->hops, v);
    found += parent != UINT64_MAX;
    if (hops == UINT64_MAX || parent == UINT64_MAX)
      wrong += hops != parent;
    else if (hops == 0)
      wrong += parent != v;
    else
      wrong += !is_marked(job, v) || whole_at(&job->hops, parent) + 1 != hops;
  }
  job->wrong += wrong;
  json_object_set_new(said, "parents", json_integer((json_int_t)found));
  return status;
}

/* ---- Ranks ------------------------------------------------------------------------------------
 */

static void count_edge(struct job *job, uint64_t u, uint64_t v) {
  (void)v;
  __atomic_fetch_add(&job->degrees[u], 1, __ATOMIC_RELAXED);
}

static double rank_of(const struct job *job, uint64_t v) {
  return job->values.width == 4 ? (double)((const float *)job->values.data)[v]
                                : ((const double *)job->values.data)[v];
}

/* Rows of in-edges: each is one thread's. */
static void add_rank(struct job *job, uint64_t u, uint64_t v) {
  job->sums[v] += rank_of(job, u) / job->degrees[u];
}

static enum qn_status check_ranks(struct job *job, json_t *said, struct qn_error *error) {
  const uint64_t num_vertices = job->set->num_vertices;
  double sum = 0, dangling = 0, change = 0;
  enum qn_status status = walk(job, count_edge, error);
#pragma omp parallel for schedule(static) reduction(+ : sum, dangling)
  for (uint64_t v = 0; v < num_vertices; v++) {
    sum += rank_of(job, v);
    dangling += job->degrees[v] ? 0 : rank_of(job, v);
  }
  const double base = (1 - job->damping + job->damping * dangling) / (double)num_vertices;
  /* The blocks of a row of blocks follow one another: sums of their rows are enough at a time. */
  double *const sums = job->sums;
  for (uint64_t i = 0; !status && i < job->set->num_parts; i++) {
    const struct qn_set_part *block = &job->set->parts[i];
    const uint64_t begin = block->begin, count = block->end - begin;
    job->sums = sums - begin;
    if (block->columns_begin == 0)
      memset(sums, 0, count * sizeof *sums);
    status = walk_block(job, i, add_rank, error);
    if (block->columns_end < num_vertices)
      continue;
#pragma omp parallel for schedule(static) reduction(+ : change)
    for (uint64_t row = 0; row < count; row++)
      change += fabs(base + job->damping * sums[row] - rank_of(job, begin + row));
  }
  job->sums = sums;
  json_object_set_new(said, "sum", json_real(sum));
  json_object_set_new(said, "change", json_real(change));
  job->wrong += !(fabs(sum - 1) < 1e-4) + !(change < 1e-3);
  return status;
}

/* ---- Components -------------------------------------------------------------------------------
 */

/* Halves the path on its way. */
static uint64_t find(uint64_t *parent, uint64_t v) {
  for (;;) {
    uint64_t above = __atomic_load_n(&parent[v], __ATOMIC_RELAXED);
    const uint64_t further = __atomic_load_n(&parent[above], __ATOMIC_RELAXED);
    if (above == further)
      return above;
    __atomic_compare_exchange_n(&parent[v], &above, further, true, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    v = further;
  }
}

static void unite(struct job *job, uint64_t u, uint64_t v) {
  if (job->values.data && whole_at(&job->values, u) != whole_at(&job->values, v))
    add_wrong(job);
  for (;;) {
    uint64_t one = find(job->parent, u), other = find(job->parent, v);
    if (one == other)
      return;
    if (one < other) {
      const uint64_t kept = one;
      one = other;
      other = kept;
    }
    uint64_t expected = one; /* the larger root goes below the smaller one, if it is one still */
    if (__atomic_compare_exchange_n(&job->parent[one], &expected, other, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return;
  }
}

static enum qn_status check_labels(struct job *job, json_t *said, struct qn_error *error) {
  const uint64_t num_vertices = job->set->num_vertices;
  uint64_t count = 0, own = 0, largest = 0;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    job->parent[v] = v;
  enum qn_status status = walk(job, unite, error);
#pragma omp parallel for schedule(dynamic, 65536) reduction(+ : count, own)
  for (uint64_t v = 0; v < num_vertices; v++) {
    count += find(job->parent, v) == v;
    own += job->values.data && whole_at(&job->values, v) == v;
  }
  uint64_t root = 0;
  for (uint64_t v = 0; v < num_vertices && root == 0; v++) /* of the first that is not alone */
    root = job->parent[v] != v ? find(job->parent, v) : 0;
#pragma omp parallel for schedule(dynamic, 65536) reduction(+ : largest)
  for (uint64_t v = 0; v < num_vertices; v++)
    largest += find(job->parent, v) == root;
  job->wrong += job->values.data && own != count;
  json_object_set_new(said, "count", json_integer((json_int_t)count));
  json_object_set_new(said, "of_first_edge", json_integer((json_int_t)largest));
  return status;
}

/* ---- The whole --------------------------------------------------------------------------------
 */

static enum qn_status check(struct job *job, const char *what, json_t *said,
                            struct qn_error *error) {
  const uint64_t num_vertices = job->set->num_vertices;
  const bool is_search = strcmp(what, "hops") == 0 || strcmp(what, "parents") == 0;
  const bool is_ranks = strcmp(what, "ranks") == 0;
  uint64_t most = 0;
  for (uint64_t i = 0; i < job->set->num_parts; i++) {
    const uint64_t rows = job->set->parts[i].end - job->set->parts[i].begin;
    most = rows > most ? rows : most;
  }
  enum qn_status status = qn_pages_alloc(&job->bits, is_search ? num_vertices / 64 + 1 : 0,
                                         sizeof *job->bits, "marks", error);
  if (!status)
    status = qn_pages_alloc(&job->degrees, is_ranks ? num_vertices : 0, sizeof *job->degrees,
                            "degrees", error);
  if (!status)
    status = qn_pages_alloc(&job->sums, is_ranks ? most : 0, sizeof *job->sums, "sums", error);
  if (!status)
    status = qn_pages_alloc(&job->parent, is_search || is_ranks ? 0 : num_vertices,
                            sizeof *job->parent, "trees", error);
  if (status)
    return status;
  return strcmp(what, "hops") == 0      ? check_hops(job, said, error)
         : strcmp(what, "parents") == 0 ? check_parents(job, said, error)
         : is_ranks                     ? check_ranks(job, said, error)
                                        : check_labels(job, said, error);
}

int main(int argc, char **argv) {
  struct job job = {0};
  struct qn_set *set;
  struct qn_error error;
  if (argc < 3 || (strcmp(argv[2], "labels") != 0 && argc < 5)) {
    fprintf(stderr, "Usage: bench_blocks SET hops HOPS.npy SOURCE | parents PARENTS.npy HOPS.npy | "
                    "ranks RANKS.npy DAMPING | labels [LABELS.npy]\n");
    return 2;
  }
  if (argc > 3)
    job.values = map_array(argv[3]);
  if (strcmp(argv[2], "hops") == 0)
    job.source = strtoull(argv[4], NULL, 10);
  else if (strcmp(argv[2], "parents") == 0)
    job.hops = map_array(argv[4]);
  else if (strcmp(argv[2], "ranks") == 0)
    job.damping = strtod(argv[4], NULL);
  enum qn_status status = qn_set_open(argv[1], &set, &error);
  json_t *said = json_object();
  job.set = set;
  if (!status)
    status = check(&job, argv[2], said, &error);
  if (status)
    return qn_tool_exit(status, &error);
  json_object_set_new(said, "wrong", json_integer((json_int_t)job.wrong));
  json_dumpf(said, stdout, JSON_COMPACT);
  putchar('\n');
  json_decref(said);
  qn_set_close(set);
  return job.wrong != 0; /* what was allocated goes with the process */
}
