/* The bars of GraphCage's figures 6 and 7 beside which the paper puts its own: the sums of
 * PageRank, and with weights of SpMV, pulled
 *
 *   base            a thread a row of plain CSR
 *   VWC of W        a virtual warp of W lanes a row (Hong et al., 2011)
 *   naive blocking  the edges cut by their source: a thread a row of every block, whether it has
 *                   edges there or not, whose sum it adds to what lies in memory
 *   local rows      the paper's blocks (TOCAB): rows that have edges in the block, their partial
 *                   sums written side by side and added up in shared memory at the end. A thread
 * has a row, a warp or a block of threads a long one (section 3.2).
 *
 *   cage-bars GRAPH.qrn BLOCKS.qrn [REPETITIONS]
 *
 * GRAPH has its in-edges, or is undirected; BLOCKS is made of it by quern-block --direction pull.
 * Prints one JSON object: of every way the median seconds, and by how much its sums differ from the
 * host's at most. */
#include "bench/programs/single_kernels.cuh"
#include <quern/blocked_csr.h>
#include <quern/graph.h>

namespace {

#define THREADS 256
#define WARP_ROW 32    /* edges from which a warp takes a row */
#define BLOCK_ROW 2048 /* and a block */

/* Rows of one block, or of all of plain CSR. */
template <class Offset> struct rows {
  const Offset *offsets; /* [num_rows + 1] */
  const uint32_t *columns;
  const float *weights; /* NULL: none */
  uint32_t num_rows;
};

template <bool weighted, class Offset>
QN_DEVICE_INLINE float sum_of(const struct rows<Offset> &rows, const float *messages, Offset begin,
                              Offset end, uint32_t first, uint32_t step) {
  float sum = 0;
  for (Offset edge = begin + first; edge < end; edge += step)
    sum += messages[rows.columns[edge]] * (weighted ? rows.weights[edge] : 1.0f);
  return sum;
}

/* W = 1 is the base. */
template <bool weighted, uint32_t width>
__global__ void __launch_bounds__(THREADS)
    pull_rows(const struct rows<uint64_t> rows, const float *messages, float *sums) {
  const uint64_t row = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) / width;
  float sum = 0;
  if (row < rows.num_rows)
    sum = sum_of<weighted>(rows, messages, rows.offsets[row], rows.offsets[row + 1],
                           threadIdx.x % width, width);
  for (uint32_t step = width / 2; step > 0; step /= 2)
    sum += __shfl_xor_sync(QN_FULL_WARP, sum, step);
  if (row < rows.num_rows && threadIdx.x % width == 0)
    sums[row] = sum;
}

template <bool weighted>
__global__ void __launch_bounds__(THREADS)
    pull_naive(const struct rows<uint32_t> rows, const float *messages, float *sums) {
  const uint64_t row = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
  if (row >= rows.num_rows)
    return;
  const uint32_t begin = rows.offsets[row], end = rows.offsets[row + 1];
  if (begin < end)
    sums[row] += sum_of<weighted>(rows, messages, begin, end, 0, 1);
}

/* Every thread of the warp has a row [begin, end), perhaps an empty one: long ones are taken by all
 * of its lanes, one after the other. */
template <bool weighted>
QN_DEVICE_INLINE float warp_sums(const struct rows<uint32_t> &rows, const float *messages,
                                 uint32_t begin, uint32_t end, bool is_long) {
  float own = is_long ? 0 : sum_of<weighted>(rows, messages, begin, end, 0, 1);
  for (unsigned left = __ballot_sync(QN_FULL_WARP, is_long); left; left &= left - 1) {
    const int lane = __ffs((int)left) - 1;
    const uint32_t first = __shfl_sync(QN_FULL_WARP, begin, lane);
    const uint32_t last = __shfl_sync(QN_FULL_WARP, end, lane);
    float sum = sum_of<weighted>(rows, messages, first, last, qn_lane(), 32);
    for (int step = 16; step > 0; step /= 2)
      sum += __shfl_xor_sync(QN_FULL_WARP, sum, step);
    if ((int)qn_lane() == lane)
      own = sum;
  }
  return own;
}

template <bool weighted>
__global__ void __launch_bounds__(THREADS)
    pull_local(const struct rows<uint32_t> rows, const float *messages, float *partial_sums) {
  QN_SHARED(uint32_t, hubs, THREADS);
  QN_SHARED(uint32_t, num_hubs, 1);
  if (threadIdx.x == 0)
    num_hubs[0] = 0;
  __syncthreads();
  const uint64_t row = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
  uint32_t begin = 0, end = 0;
  if (row < rows.num_rows) {
    begin = rows.offsets[row];
    end = rows.offsets[row + 1];
  }
  const bool is_hub = end - begin >= BLOCK_ROW;
  if (is_hub)
    hubs[atomicAdd(&num_hubs[0], 1u)] = (uint32_t)row;
  const float own = warp_sums<weighted>(rows, messages, begin, is_hub ? begin : end,
                                        !is_hub && end - begin >= WARP_ROW);
  if (row < rows.num_rows && !is_hub)
    partial_sums[row] = own;
  __syncthreads();
  for (uint32_t i = 0; i < num_hubs[0]; i++) {
    const uint32_t hub = hubs[i];
    const float sum = qn_block_sum(sum_of<weighted>(rows, messages, rows.offsets[hub],
                                                    rows.offsets[hub + 1], threadIdx.x, THREADS));
    if (threadIdx.x == 0)
      partial_sums[hub] = sum;
  }
}

struct local_rows {
  const uint32_t *range_starts; /* [num_blocks x (num_ranges + 1)] */
  const uint32_t *id_map;       /* [L] */
  const uint64_t *block_rows;   /* [num_blocks + 1] */
  const float *partial_sums;    /* [L] */
  uint32_t num_blocks, num_ranges, num_vertices;
};

/* Figure 5: a block of threads a range. */
__global__ void __launch_bounds__(THREADS)
    add_up_local(const struct local_rows local, float *sums) {
  QN_SHARED(float, range, QN_RANGE_VERTICES);
  const uint32_t first = blockIdx.x * QN_RANGE_VERTICES;
  for (uint32_t i = threadIdx.x; i < QN_RANGE_VERTICES; i += THREADS)
    range[i] = 0;
  for (uint32_t block = 0; block < local.num_blocks; block++) {
    const uint32_t *starts =
        local.range_starts + (uint64_t)block * (local.num_ranges + 1) + blockIdx.x;
    __syncthreads(); /* the vertices of a block's rows are different ones */
    for (uint64_t row = local.block_rows[block] + starts[0] + threadIdx.x;
         row < local.block_rows[block] + starts[1]; row += THREADS)
      range[local.id_map[row] - first] += local.partial_sums[row];
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < QN_RANGE_VERTICES && first + i < local.num_vertices;
       i += THREADS)
    sums[first + i] = range[i];
}

/* ---- The host ---------------------------------------------------------------------- */

struct bench {
  const struct qn_csr *in;
  const struct qn_blocking *blocking;
  const float *messages; /* on the device */
  float *sums;
  std::vector<double> expected;
  std::vector<measured_way> ways;
};

unsigned blocks_for(uint64_t threads) {
  return (unsigned)((threads + THREADS - 1) / THREADS);
}

template <class Work> void measure(struct bench *bench, const std::string &name, Work work) {
  const uint64_t count = bench->in->num_vertices;
  const double seconds = seconds_of(
      [&] { check(cudaMemsetAsync(bench->sums, 0, count * sizeof(float), NULL)); }, work);
  bench->ways.push_back(
      {name, seconds, worst_of(bench->expected, download(bench->sums, count, "sums")), ""});
}

const float *weights_of(const struct qn_weights *weights, uint64_t count) {
  return weights->type == QN_WEIGHT_F32 ? upload(weights->f32, count, "weights") : NULL;
}

template <bool weighted, uint32_t width>
void measure_rows(struct bench *bench, const struct rows<uint64_t> &rows) {
  measure(bench, width == 1 ? "base" : "VWC of " + std::to_string(width), [&] {
    QN_LAUNCH((pull_rows<weighted, width>), blocks_for(bench->in->num_vertices * width), THREADS, 0,
              NULL, rows, bench->messages, bench->sums);
  });
}

template <bool weighted> void measure_plain(struct bench *bench) {
  const struct qn_csr *in = bench->in;
  struct rows<uint64_t> rows;
  rows.offsets = upload(in->row_offsets, in->num_vertices + 1, "row offsets");
  rows.columns = upload(in->column_indices, in->num_edges, "columns");
  rows.weights = weights_of(&in->weights, in->num_edges);
  rows.num_rows = (uint32_t)in->num_vertices;
  measure_rows<weighted, 1>(bench, rows);
  measure_rows<weighted, 4>(bench, rows);
  measure_rows<weighted, 8>(bench, rows);
  measure_rows<weighted, 16>(bench, rows);
  measure_rows<weighted, 32>(bench, rows);
  qn_cuda_release(&memory, (void *)rows.offsets);
  qn_cuda_release(&memory, (void *)rows.columns);
  qn_cuda_release(&memory, (void *)rows.weights);
}

/* The rows of all vertices in a block, from those that it has. */
std::vector<uint32_t> naive_offsets(const struct bench *bench, uint64_t block) {
  const struct qn_blocking *blocking = bench->blocking;
  const uint64_t num_rows = blocking->block_rows[block + 1] - blocking->block_rows[block];
  const uint32_t *ids = blocking->id_map + blocking->block_rows[block];
  const uint32_t *local = qn_block_offsets(blocking, block);
  std::vector<uint32_t> offsets(bench->in->num_vertices + 1);
  uint64_t next = 0;
  for (uint64_t v = 0; v <= bench->in->num_vertices; v++) {
    offsets[v] = local[next];
    if (next < num_rows && ids[next] == v)
      next++;
  }
  return offsets;
}

struct rows<uint32_t> block_of(const struct bench *bench, uint64_t block, const uint32_t *offsets,
                               const uint32_t *columns, const float *weights, uint64_t num_rows) {
  const uint64_t first = bench->blocking->block_edges[block];
  return {offsets, columns + first, weights ? weights + first : NULL, (uint32_t)num_rows};
}

template <bool weighted>
void measure_blocks(struct bench *bench) {
  const struct qn_blocking *blocking = bench->blocking;
  const uint64_t num_vertices = bench->in->num_vertices, num_blocks = blocking->num_blocks;
  const uint32_t *columns = upload(blocking->columns, blocking->num_edges, "columns");
  const float *weights = weights_of(&blocking->weights, blocking->num_edges);
  const uint32_t *offsets =
      upload(blocking->row_offsets, blocking->num_rows + num_blocks, "row offsets");
  float *partial_sums = allocate<float>(blocking->num_rows, "partial sums");
  const struct local_rows local = {
      upload(blocking->range_starts, num_blocks * (blocking->num_ranges + 1), "range starts"),
      upload(blocking->id_map, blocking->num_rows, "rows"),
      upload(blocking->block_rows, num_blocks + 1, "blocks"),
      partial_sums,
      (uint32_t)num_blocks,
      (uint32_t)blocking->num_ranges,
      (uint32_t)num_vertices};
  measure(bench, "local rows", [&] {
    for (uint64_t block = 0; block < num_blocks; block++) {
      const uint64_t first = blocking->block_rows[block];
      const uint64_t num_rows = blocking->block_rows[block + 1] - first;
      if (num_rows > 0)
        QN_LAUNCH((pull_local<weighted>), blocks_for(num_rows), THREADS, 0, NULL,
                  block_of(bench, block, offsets + first + block, columns, weights, num_rows),
                  bench->messages, partial_sums + first);
    }
    QN_LAUNCH(add_up_local, (unsigned)blocking->num_ranges, THREADS, 0, NULL, local, bench->sums);
  });
  uint32_t *all = allocate<uint32_t>(num_blocks * (num_vertices + 1), "row offsets of all blocks");
  for (uint64_t block = 0; block < num_blocks; block++)
    check(qn_cuda_upload(&memory, all + block * (num_vertices + 1),
                         naive_offsets(bench, block).data(), num_vertices + 1, sizeof(uint32_t),
                         "row offsets", &error));
  measure(bench, "naive blocking", [&] {
    for (uint64_t block = 0; block < num_blocks; block++)
      QN_LAUNCH(
          (pull_naive<weighted>), blocks_for(num_vertices), THREADS, 0, NULL,
          block_of(bench, block, all + block * (num_vertices + 1), columns, weights, num_vertices),
          bench->messages, bench->sums);
  });
}

template <bool weighted> void measure_all(struct bench *bench) {
  measure_plain<weighted>(bench);
  measure_blocks<weighted>(bench);
}

} /* namespace */

int main(int argc, char **argv) {
  struct qn_graph graph;
  struct qn_blocked_csr blocks;
  struct bench bench;
  if (argc < 3) {
    fprintf(stderr, "usage: cage-bars GRAPH.qrn BLOCKS.qrn [REPETITIONS]\n");
    return QN_USAGE;
  }
  begin_bench(argc > 3 ? argv[3] : NULL);
  check(qn_graph_map(argv[1], &graph, &error));
  check(qn_graph_check(graph.container, &graph, &error));
  check(qn_blocked_csr_map(argv[2], &blocks, &error));
  check(qn_blocked_csr_check(blocks.container, &blocks, &error));
  if (!graph.has_transpose || !blocks.has_pull || blocks.num_vertices != graph.in.num_vertices ||
      blocks.num_edges != graph.in.num_edges)
    check(qn_fail(&error, QN_INVALID, "pull blocks and in-edges of one graph are needed"));
  const std::vector<float> messages = messages_for(graph.in.num_vertices);
  bench.in = &graph.in;
  bench.blocking = &blocks.pull;
  bench.messages = upload(messages.data(), messages.size(), "messages");
  bench.sums = allocate<float>(messages.size(), "sums");
  const bool is_weighted = graph.in.weights.type == QN_WEIGHT_F32;
  bench.expected = sums_of(&graph.in, messages.data(), is_weighted ? graph.in.weights.f32 : NULL);
  if (graph.in.num_edges > 0 && is_weighted)
    measure_all<true>(&bench);
  else if (graph.in.num_edges > 0)
    measure_all<false>(&bench);
  print_ways(graph.in.num_vertices, graph.in.num_edges, bench.ways);
  qn_cuda_memory_destroy(&memory);
  qn_blocked_csr_unmap(&blocks);
  qn_graph_unmap(&graph);
  return 0;
}
