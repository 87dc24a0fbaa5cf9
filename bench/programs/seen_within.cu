/* What it is worth that an all-active program sees new values within an iteration (Garaph, section
 * 2.2) on a device alone: PageRank of plain CSR, pulled until an iteration changes ranks by less
 * than a millionth in sum, where vertices without out-edges give nothing (the papers' form, whose
 * ranks do not depend on the order).
 *
 *   seen-within GRAPH.qrn [REPETITIONS]
 *
 * The ways: what vertices send is made anew when all have received (synchronous); each sends its
 * new rank at once, while others are still to receive; and so by 33 pages, one after the other, as
 * in the paper. Prints one JSON object: of every way the median seconds, "iterations", and by how
 * much ranks, whose sum is 1 at most, differ from the host's in sum ("worst"). */
#include "bench/programs/single_kernels.cuh"
#include <quern/graph.h>

namespace {

#define THREADS 256
#define WIDTH 8 /* lanes a row */
#define PAGES 33
#define DAMPING 0.85
#define TOLERANCE 1e-6
#define MOST_ITERATIONS 1000

struct ranking {
  const uint64_t *offsets;
  const uint32_t *columns;
  const uint32_t *degrees;
  float *ranks;
  const float *seen; /* what vertices send: rank / out-degree */
  float *sent;       /* the same array if new values are seen at once */
  double *change;    /* of ranks, in sum */
  uint64_t num_vertices;
};

/* Others may be writing it. */
QN_DEVICE_INLINE float now(const float *value) {
  return *(const volatile float *)value;
}

/* Rows [first, end). */
__global__ void __launch_bounds__(THREADS)
    receive(const struct ranking all, uint64_t first, uint64_t end) {
  const uint64_t row = first + ((uint64_t)blockIdx.x * THREADS + threadIdx.x) / WIDTH;
  const uint32_t lane = threadIdx.x % WIDTH;
  double sum = 0, change = 0;
  if (row < end)
    for (uint64_t edge = all.offsets[row] + lane; edge < all.offsets[row + 1]; edge += WIDTH)
      sum += (double)now(&all.seen[all.columns[edge]]);
  for (uint32_t step = WIDTH / 2; step > 0; step /= 2)
    sum += __shfl_xor_sync(QN_FULL_WARP, sum, step);
  if (row < end && lane == 0) {
    const double rank = (1 - DAMPING) / (double)all.num_vertices + DAMPING * sum;
    change = fabs(rank - (double)all.ranks[row]);
    all.ranks[row] = (float)rank;
    *(volatile float *)&all.sent[row] = all.degrees[row] ? (float)(rank / all.degrees[row]) : 0.0f;
  }
  change = qn_block_sum(change);
  if (threadIdx.x == 0 && change > 0)
    atomicAdd(all.change, change);
}

/* ---- The host ---------------------------------------------------------------------- */

struct bench {
  struct ranking ranking;
  float *messages[2];
  std::vector<float> first_ranks, first_messages;
  std::vector<double> expected;
  std::vector<measured_way> ways;
};

void receive_rows(const struct ranking &ranking, uint64_t pages) {
  const uint64_t each = (ranking.num_vertices + pages - 1) / pages;
  for (uint64_t first = 0; first < ranking.num_vertices; first += each) {
    const uint64_t end = std::min(first + each, ranking.num_vertices);
    QN_LAUNCH(receive, (unsigned)(((end - first) * WIDTH + THREADS - 1) / THREADS), THREADS, 0,
              NULL, ranking, first, end);
  }
}

void measure(struct bench *bench, const char *name, bool at_once, uint64_t pages) {
  const uint64_t count = bench->ranking.num_vertices;
  struct ranking ranking = bench->ranking;
  uint64_t iterations = 0;
  auto prepare = [&] {
    check(qn_cuda_upload(&memory, ranking.ranks, bench->first_ranks.data(), count, sizeof(float),
                         "ranks", &error));
    check(qn_cuda_upload(&memory, bench->messages[0], bench->first_messages.data(), count,
                         sizeof(float), "messages", &error));
    iterations = 0;
  };
  const double seconds = seconds_of(prepare, [&] {
    for (double change = 1; change > TOLERANCE && iterations < MOST_ITERATIONS; iterations++) {
      ranking.seen = bench->messages[at_once ? 0 : iterations % 2];
      ranking.sent = bench->messages[at_once ? 0 : 1 - iterations % 2];
      check(cudaMemsetAsync(ranking.change, 0, sizeof change, NULL));
      receive_rows(ranking, pages);
      check(cudaMemcpy(&change, ranking.change, sizeof change, cudaMemcpyDeviceToHost));
    }
  });
  const std::vector<float> ranks = download(ranking.ranks, count, "ranks");
  double worst = 0;
  for (uint64_t v = 0; v < count; v++)
    worst += fabs(bench->expected[v] - ranks[v]);
  bench->ways.push_back({name, seconds, worst, ", \"iterations\": " + std::to_string(iterations)});
}

/* By the definition, until it hardly changes any more. */
std::vector<double> ranks_of(const struct qn_csr *in, const std::vector<uint32_t> &degrees) {
  const uint64_t count = in->num_vertices;
  std::vector<double> ranks(count, 1.0 / (double)count), sent(count);
  double change = 1;
  while (change > 1e-3 * TOLERANCE) {
    change = 0;
    for (uint64_t v = 0; v < count; v++)
      sent[v] = degrees[v] ? ranks[v] / degrees[v] : 0;
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : change)
    for (uint64_t v = 0; v < count; v++) {
      double sum = 0;
      for (uint64_t edge = in->row_offsets[v]; edge < in->row_offsets[v + 1]; edge++)
        sum += sent[in->column_indices[edge]];
      sum = (1 - DAMPING) / (double)count + DAMPING * sum;
      change += fabs(sum - ranks[v]);
      ranks[v] = sum;
    }
  }
  return ranks;
}

void make_ranking(struct bench *bench, const struct qn_graph *graph) {
  const struct qn_csr *in = &graph->in, *out = &graph->out;
  const uint64_t count = in->num_vertices;
  std::vector<uint32_t> degrees(count);
  bench->first_ranks.assign(count, 1.0f / (float)count);
  for (uint64_t v = 0; v < count; v++) {
    degrees[v] = (uint32_t)(out->row_offsets[v + 1] - out->row_offsets[v]);
    bench->first_messages.push_back(degrees[v] ? bench->first_ranks[v] / (float)degrees[v] : 0);
  }
  bench->expected = ranks_of(in, degrees);
  for (float *&messages : bench->messages)
    messages = allocate<float>(count, "messages");
  bench->ranking = {upload(in->row_offsets, count + 1, "row offsets"),
                    upload(in->column_indices, in->num_edges, "columns"),
                    upload(degrees.data(), count, "out-degrees"),
                    allocate<float>(count, "ranks"),
                    NULL,
                    NULL,
                    allocate<double>(1, "change"),
                    count};
}

} /* namespace */

int main(int argc, char **argv) {
  struct qn_graph graph;
  struct bench bench;
  if (argc < 2) {
    fprintf(stderr, "usage: seen-within GRAPH.qrn [REPETITIONS]\n");
    return QN_USAGE;
  }
  begin_bench(argc > 2 ? argv[2] : NULL);
  check(qn_graph_map(argv[1], &graph, &error));
  check(qn_graph_check(graph.container, &graph, &error));
  if (!graph.has_transpose)
    check(qn_fail(&error, QN_INVALID, "%s: in-edges are needed", argv[1]));
  if (graph.in.num_vertices > 0) {
    make_ranking(&bench, &graph);
    measure(&bench, "synchronous", false, 1);
    measure(&bench, "seen at once", true, 1);
    measure(&bench, "seen at once, by pages", true, PAGES);
  }
  print_ways(graph.in.num_vertices, graph.in.num_edges, bench.ways);
  qn_cuda_memory_destroy(&memory);
  qn_graph_unmap(&graph);
  return 0;
}
