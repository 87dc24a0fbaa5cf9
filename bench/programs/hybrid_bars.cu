/* The bars of HPGraph's figure 6, and the optimisations that it describes (section 3.2), each added
 * to the one before: generalized SpMV on plain CSR, a thread a row; then values in separate arrays;
 * loads by the read-only path (and, in BFS, bits of active vertices); ELL and COO; and in BFS the
 * bottom-up search, which skips visited rows and ends a row with its first active neighbour.
 *
 *   hybrid-bars GRAPH.qrn HYBRID.qrn [REPETITIONS]
 *
 * GRAPH has its in-edges, or is undirected; HYBRID is made of it by quern-hybrid. PageRank is one
 * gather, of ranks over out-degrees that are divided at every edge, as `gather` sees a vertex's
 * properties; BFS is a whole search from the vertex of the most edges. Prints one JSON object: of
 * every way the median seconds, and by how much its sums differ from the host's at most; of BFS
 * "worst" is 1 if a level is not the host's. */
#include "bench/programs/single_kernels.cuh"
#include <quern/graph.h>
#include <quern/hybrid.h>

namespace {

#define THREADS 256
#define COO_EDGES 8 /* consecutive ones of a thread */
#define UNREACHED UINT32_MAX

struct properties {
  float rank;
  uint32_t degree;
};

struct csr {
  const uint64_t *offsets;
  const uint32_t *columns;
  uint64_t num_rows;
};

/* In ELL entry i of row v is at i x pitch + v. */
struct hybrid {
  const uint32_t *ell, *coo_rows, *coo_columns;
  uint64_t num_rows, width, pitch, num_coo;
};

/* By the path of what no kernel writes, or as any other memory. */
template <bool read_only, class T> QN_DEVICE_INLINE T load(const T *at) {
  return read_only ? __ldg(at) : *(const volatile T *)at;
}

/* ---- PageRank: what a vertex gathers ------------------------------------------------ */

struct together { /* a vertex's properties are neighbours in memory */
  const struct properties *of;
  template <bool read_only> __device__ float gather(uint32_t u) const {
    const uint64_t both = load<read_only>(reinterpret_cast<const unsigned long long *>(of + u));
    return __uint_as_float((uint32_t)both) / (float)(uint32_t)(both >> 32);
  }
};

struct apart {
  const float *rank;
  const uint32_t *degree;
  template <bool read_only> __device__ float gather(uint32_t u) const {
    return load<read_only>(rank + u) / (float)load<read_only>(degree + u);
  }
};

template <bool read_only, class Values>
__global__ void __launch_bounds__(THREADS)
    gather_rows(const struct csr csr, const Values values, float *sums) {
  const uint64_t row = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
  if (row >= csr.num_rows)
    return;
  const uint64_t begin = load<read_only>(csr.offsets + row);
  const uint64_t end = load<read_only>(csr.offsets + row + 1);
  float sum = 0;
  for (uint64_t edge = begin; edge < end; edge++)
    sum += values.template gather<read_only>(load<read_only>(csr.columns + edge));
  sums[row] = sum;
}

__global__ void __launch_bounds__(THREADS)
    gather_ell(const struct hybrid hybrid, const struct apart values, float *sums) {
  const uint64_t row = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
  if (row >= hybrid.num_rows)
    return;
  float sum = 0;
  for (uint64_t i = 0; i < hybrid.width; i++) {
    const uint32_t column = __ldg(hybrid.ell + i * hybrid.pitch + row);
    if (column == QN_HYBRID_PADDING)
      break;
    sum += values.gather<true>(column);
  }
  sums[row] = sum;
}

/* A thread adds up what it has of a row. */
__global__ void __launch_bounds__(THREADS)
    gather_coo(const struct hybrid hybrid, const struct apart values, float *sums) {
  const uint64_t first = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) * COO_EDGES;
  if (first >= hybrid.num_coo)
    return;
  uint32_t row = __ldg(hybrid.coo_rows + first);
  float sum = 0;
  for (uint64_t edge = first; edge < first + COO_EDGES && edge < hybrid.num_coo; edge++) {
    const uint32_t next = __ldg(hybrid.coo_rows + edge);
    if (next != row) {
      atomicAdd(&sums[row], sum);
      row = next;
      sum = 0;
    }
    sum += values.gather<true>(__ldg(hybrid.coo_columns + edge));
  }
  atomicAdd(&sums[row], sum);
}

/* ---- BFS: a level ------------------------------------------------------------------- */

struct search {
  uint32_t *levels;  /* [V] UNREACHED at first */
  uint32_t *labels;  /* [V] 1: active */
  uint32_t *active;  /* [V / 32 + 1] the same in bits */
  uint32_t *found;   /* [V / 32 + 1] rows with an active neighbour */
  uint32_t *changed; /* is there a next level? */
  uint32_t num_vertices;
};

QN_DEVICE_INLINE bool has_bit(const uint32_t *bits, uint32_t v) {
  return __ldg(bits + v / 32) >> v % 32 & 1;
}

/* All vertices of a warp call, of which those that found are `is_found`. */
QN_DEVICE_INLINE void tell_found(const struct search &search, uint64_t row, bool is_found) {
  const unsigned word = __ballot_sync(QN_FULL_WARP, is_found);
  if (qn_lane() == 0 && word)
    search.found[row / 32] = word;
}

template <bool bits, bool from_below>
__global__ void __launch_bounds__(THREADS)
    search_rows(const struct csr csr, const struct search search) {
  const uint64_t row = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
  bool is_found = false;
  if (row < csr.num_rows && !(from_below && search.levels[row] != UNREACHED)) {
    const uint64_t begin = load<bits>(csr.offsets + row), end = load<bits>(csr.offsets + row + 1);
    for (uint64_t edge = begin; edge < end && !(from_below && is_found); edge++) {
      const uint32_t column = load<bits>(csr.columns + edge);
      is_found |= bits ? has_bit(search.active, column) : load<false>(search.labels + column) != 0;
    }
  }
  tell_found(search, row, is_found);
}

template <bool from_below>
__global__ void __launch_bounds__(THREADS)
    search_ell(const struct hybrid hybrid, const struct search search) {
  const uint64_t row = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
  bool is_found = false;
  if (row < hybrid.num_rows && !(from_below && search.levels[row] != UNREACHED)) {
    for (uint64_t i = 0; i < hybrid.width && !(from_below && is_found); i++) {
      const uint32_t column = __ldg(hybrid.ell + i * hybrid.pitch + row);
      if (column == QN_HYBRID_PADDING)
        break;
      is_found |= has_bit(search.active, column);
    }
  }
  tell_found(search, row, is_found);
}

template <bool from_below>
__global__ void __launch_bounds__(THREADS)
    search_coo(const struct hybrid hybrid, const struct search search) {
  const uint64_t first = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) * COO_EDGES;
  for (uint64_t edge = first; edge < first + COO_EDGES && edge < hybrid.num_coo; edge++) {
    const uint32_t row = __ldg(hybrid.coo_rows + edge), bit = 1u << row % 32;
    if (from_below && search.levels[row] != UNREACHED)
      continue;
    if (has_bit(search.active, __ldg(hybrid.coo_columns + edge)))
      atomicOr(&search.found[row / 32], bit);
  }
}

/* APPLY: rows that were found, and have no level yet, are the next active ones. */
__global__ void __launch_bounds__(THREADS) apply(const struct search search, uint32_t level) {
  const uint64_t v = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
  bool is_new = false;
  if (v < search.num_vertices) {
    is_new = search.found[v / 32] >> v % 32 & 1 && search.levels[v] == UNREACHED;
    search.labels[v] = is_new;
    if (is_new)
      search.levels[v] = level;
  }
  const unsigned word = __ballot_sync(QN_FULL_WARP, is_new);
  if (qn_lane() == 0 && v <= search.num_vertices) {
    search.active[v / 32] = word;
    search.found[v / 32] = 0;
    if (word)
      *search.changed = level;
  }
}

__global__ void begin_search(const struct search search, uint32_t source) {
  search.levels[source] = 0;
  search.labels[source] = 1;
  search.active[source / 32] = 1u << source % 32;
}

/* ---- The host ---------------------------------------------------------------------- */

struct bench {
  struct csr csr;
  struct hybrid hybrid;
  struct search search;
  uint32_t source;
  std::vector<uint32_t> levels; /* the host's */
  std::vector<double> expected;
  float *sums;
  std::vector<measured_way> ways;
};

unsigned blocks_for(uint64_t threads) {
  return (unsigned)((threads + THREADS - 1) / THREADS);
}

unsigned coo_blocks(const struct hybrid &hybrid) {
  return blocks_for((hybrid.num_coo + COO_EDGES - 1) / COO_EDGES);
}

template <class Work> void measure_sums(struct bench *bench, const char *name, Work work) {
  const double seconds = seconds_of([] {}, work);
  const std::vector<float> sums = download(bench->sums, bench->csr.num_rows, "sums");
  bench->ways.push_back({name, seconds, worst_of(bench->expected, sums), ""});
}

/* In-edges' rows and ranks over out-degrees that are not zero where somebody gathers them. */
void measure_pagerank(struct bench *bench, const struct qn_csr *in, const struct qn_csr *out) {
  const std::vector<float> ranks = messages_for(in->num_vertices);
  std::vector<uint32_t> degrees(ranks.size());
  std::vector<struct properties> both(ranks.size());
  std::vector<float> messages(ranks.size());
  for (size_t v = 0; v < ranks.size(); v++) {
    degrees[v] = (uint32_t)(out->row_offsets[v + 1] - out->row_offsets[v]);
    both[v] = {ranks[v], degrees[v]};
    messages[v] = degrees[v] ? ranks[v] / (float)degrees[v] : 0;
  }
  bench->expected = sums_of(in, messages.data(), NULL);
  const struct together close = {upload(both.data(), both.size(), "properties")};
  const struct apart separate = {upload(ranks.data(), ranks.size(), "ranks"),
                                 upload(degrees.data(), degrees.size(), "degrees")};
  const unsigned blocks = blocks_for(bench->csr.num_rows);
  measure_sums(bench, "PageRank: plain CSR", [&] {
    QN_LAUNCH((gather_rows<false, struct together>), blocks, THREADS, 0, NULL, bench->csr, close,
              bench->sums);
  });
  measure_sums(bench, "PageRank: and separate arrays", [&] {
    QN_LAUNCH((gather_rows<false, struct apart>), blocks, THREADS, 0, NULL, bench->csr, separate,
              bench->sums);
  });
  measure_sums(bench, "PageRank: and the read-only path", [&] {
    QN_LAUNCH((gather_rows<true, struct apart>), blocks, THREADS, 0, NULL, bench->csr, separate,
              bench->sums);
  });
  measure_sums(bench, "PageRank: and ELL and COO", [&] {
    QN_LAUNCH(gather_ell, blocks, THREADS, 0, NULL, bench->hybrid, separate, bench->sums);
    if (bench->hybrid.num_coo > 0)
      QN_LAUNCH(gather_coo, coo_blocks(bench->hybrid), THREADS, 0, NULL, bench->hybrid, separate,
                bench->sums);
  });
}

template <class Level> void measure_search(struct bench *bench, const char *name, Level step) {
  const struct search &search = bench->search;
  const uint64_t count = search.num_vertices, words = count / 32 + 1;
  auto prepare = [&] {
    check(cudaMemsetAsync(search.levels, 0xff, count * 4, NULL));
    check(cudaMemsetAsync(search.labels, 0, count * 4, NULL));
    check(cudaMemsetAsync(search.active, 0, words * 4, NULL));
    check(cudaMemsetAsync(search.found, 0, words * 4, NULL));
    check(cudaMemsetAsync(search.changed, 0, 4, NULL));
    QN_LAUNCH(begin_search, 1, 1, 0, NULL, search, bench->source);
  };
  const double seconds = seconds_of(prepare, [&] {
    uint32_t changed = 0;
    for (uint32_t level = 1; changed == level - 1; level++) {
      step();
      QN_LAUNCH(apply, blocks_for(count + 1), THREADS, 0, NULL, search, level);
      check(cudaMemcpy(&changed, search.changed, 4, cudaMemcpyDeviceToHost));
    }
  });
  const bool right = download(search.levels, count, "levels") == bench->levels;
  bench->ways.push_back({name, seconds, right ? 0.0 : 1.0, ""});
}

template <bool from_below> void search_hybrid(const struct bench *bench) {
  QN_LAUNCH((search_ell<from_below>), blocks_for(bench->hybrid.num_rows), THREADS, 0, NULL,
            bench->hybrid, bench->search);
  if (bench->hybrid.num_coo > 0)
    QN_LAUNCH((search_coo<from_below>), coo_blocks(bench->hybrid), THREADS, 0, NULL, bench->hybrid,
              bench->search);
}

void measure_bfs(struct bench *bench) {
  const unsigned blocks = blocks_for(bench->csr.num_rows);
  measure_search(bench, "BFS: plain CSR", [&] {
    QN_LAUNCH((search_rows<false, false>), blocks, THREADS, 0, NULL, bench->csr, bench->search);
  });
  measure_search(bench, "BFS: and bits, the read-only path", [&] {
    QN_LAUNCH((search_rows<true, false>), blocks, THREADS, 0, NULL, bench->csr, bench->search);
  });
  measure_search(bench, "BFS: and ELL and COO", [&] { search_hybrid<false>(bench); });
  measure_search(bench, "BFS: and bottom-up", [&] { search_hybrid<true>(bench); });
  measure_search(bench, "BFS: plain CSR with all but ELL and COO", [&] {
    QN_LAUNCH((search_rows<true, true>), blocks, THREADS, 0, NULL, bench->csr, bench->search);
  });
}

/* Along out-edges, as the definition has it. */
std::vector<uint32_t> levels_of(const struct qn_csr *out, uint32_t source) {
  std::vector<uint32_t> levels(out->num_vertices, UNREACHED), queue = {source};
  levels[source] = 0;
  for (size_t next = 0; next < queue.size(); next++)
    for (uint64_t edge = out->row_offsets[queue[next]]; edge < out->row_offsets[queue[next] + 1];
         edge++) {
      const uint32_t v = out->column_indices[edge];
      if (levels[v] != UNREACHED)
        continue;
      levels[v] = levels[queue[next]] + 1;
      queue.push_back(v);
    }
  return levels;
}

uint32_t vertex_of_most_edges(const struct qn_csr *out) {
  uint32_t best = 0;
  for (uint32_t v = 0; v < out->num_vertices; v++)
    if (out->row_offsets[v + 1] - out->row_offsets[v] >
        out->row_offsets[best + 1] - out->row_offsets[best])
      best = v;
  return best;
}

void upload_all(struct bench *bench, const struct qn_csr *in,
                const struct qn_hybrid_matrix *matrix) {
  const uint64_t count = in->num_vertices, words = count / 32 + 1;
  bench->csr = {upload(in->row_offsets, count + 1, "row offsets"),
                upload(in->column_indices, in->num_edges, "columns"), count};
  bench->hybrid = {upload(matrix->ell_columns, matrix->width * matrix->pitch, "ELL"),
                   upload(matrix->coo_rows, matrix->num_coo, "COO's rows"),
                   upload(matrix->coo_columns, matrix->num_coo, "COO's columns"),
                   count,
                   matrix->width,
                   matrix->pitch,
                   matrix->num_coo};
  bench->search = {allocate<uint32_t>(count, "levels"), allocate<uint32_t>(count, "labels"),
                   allocate<uint32_t>(words, "active"), allocate<uint32_t>(words, "found"),
                   allocate<uint32_t>(1, "changed"),    (uint32_t)count};
  bench->sums = allocate<float>(count, "sums");
}

} /* namespace */

int main(int argc, char **argv) {
  struct qn_graph graph;
  struct qn_hybrid hybrid;
  struct bench bench;
  if (argc < 3) {
    fprintf(stderr, "usage: hybrid-bars GRAPH.qrn HYBRID.qrn [REPETITIONS]\n");
    return QN_USAGE;
  }
  begin_bench(argc > 3 ? argv[3] : NULL);
  check(qn_graph_map(argv[1], &graph, &error));
  check(qn_graph_check(graph.container, &graph, &error));
  check(qn_hybrid_map(argv[2], &hybrid, &error));
  check(qn_hybrid_check(hybrid.container, &hybrid, &error));
  if (!graph.has_transpose || !hybrid.has_in || hybrid.num_vertices != graph.in.num_vertices ||
      hybrid.num_edges != graph.in.num_edges)
    check(qn_fail(&error, QN_INVALID, "in-edges of one graph are needed"));
  if (graph.in.num_edges > 0) {
    upload_all(&bench, &graph.in, &hybrid.in);
    bench.source = vertex_of_most_edges(&graph.out);
    bench.levels = levels_of(&graph.out, bench.source);
    measure_pagerank(&bench, &graph.in, &graph.out);
    measure_bfs(&bench);
  }
  print_ways(graph.in.num_vertices, graph.in.num_edges, bench.ways);
  qn_cuda_memory_destroy(&memory);
  qn_hybrid_unmap(&hybrid);
  qn_graph_unmap(&graph);
  return 0;
}
