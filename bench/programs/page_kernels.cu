/* GTS's kernels for small pages and for large ones (section 3.2, appendix B), each for its own
 * pages, beside one kernel for both, as Quern has it: the sums of PageRank, pushed along slotted
 * pages.
 *
 *   page-kernels PAGES.qrn [REPETITIONS]
 *
 * The ways: one kernel, pages in their order; small pages before large ones, as in the paper, and
 * the other way about; both at once, in two streams. A few blocks of threads share a page, virtual
 * warps take its slots, as wide as the page is dense, and blocks the longest: what the kernels do
 * with a page is the same. Prints one JSON object: of every way the median seconds, and by how much
 * its sums differ from the host's at most. */
#include "bench/programs/single_kernels.cuh"
#include "kernels/cuda/slotted_pages/device.cuh"

namespace {

/* As kernels/cuda/slotted_pages/engine.cuh has them. */
#define THREADS 256
#define PAGE_BLOCKS 4
#define LONG_SLOT 1024
#define MAX_LONG_SLOTS 512

struct pushing {
  struct device_pages pages;
  const float *messages;
  float *sums;
};

QN_DEVICE_INLINE void push_record(const struct pushing &all, const struct device_record &record,
                                  float message, uint32_t first, uint32_t step) {
  for (uint32_t edge = first; edge < record.num_edges; edge += step)
    atomicAdd(&all.sums[load_target(all.pages, record, edge).vertex], message);
}

QN_DEVICE_INLINE void push_small(const struct pushing &all, uint32_t page) {
  QN_SHARED(uint32_t, long_slots, MAX_LONG_SLOTS);
  QN_SHARED(uint32_t, num_long, 1);
  if (threadIdx.x == 0)
    num_long[0] = 0;
  __syncthreads();
  const uint32_t first = all.pages.start_vids[page];
  const uint32_t num_slots = all.pages.start_vids[page + 1] - first;
  const uint32_t width = virtual_warp(all.pages, page), at_once = THREADS / width;
  for (uint32_t slot = blockIdx.y * at_once + threadIdx.x / width; slot < num_slots;
       slot += gridDim.y * at_once) {
    const struct device_record record = load_record(all.pages, page, slot);
    if (record.num_edges < LONG_SLOT) {
      push_record(all, record, all.messages[first + slot], threadIdx.x % width, width);
    } else if (threadIdx.x % width == 0) {
      const uint32_t place = atomicAdd(&num_long[0], 1u);
      if (place < MAX_LONG_SLOTS)
        long_slots[place] = slot;
      else
        push_record(all, record, all.messages[first + slot], 0, 1);
    }
  }
  __syncthreads();
  for (uint32_t i = 0; i < num_long[0] && i < MAX_LONG_SLOTS; i++)
    push_record(all, load_record(all.pages, page, long_slots[i]),
                all.messages[first + long_slots[i]], threadIdx.x, THREADS);
}

/* It is one vertex's. */
QN_DEVICE_INLINE void push_large(const struct pushing &all, uint32_t page) {
  push_record(all, load_record(all.pages, page, 0), all.messages[all.pages.start_vids[page]],
              blockIdx.y * THREADS + threadIdx.x, gridDim.y * THREADS);
}

__global__ void __launch_bounds__(THREADS) push_pages(const struct pushing all) {
  if (all.pages.lp_ranges[blockIdx.x] == QN_SMALL_PAGE)
    push_small(all, blockIdx.x);
  else
    push_large(all, blockIdx.x);
}

__global__ void __launch_bounds__(THREADS)
    push_small_pages(const struct pushing all, const uint32_t *pages) {
  push_small(all, pages[blockIdx.x]);
}

__global__ void __launch_bounds__(THREADS)
    push_large_pages(const struct pushing all, const uint32_t *pages) {
  push_large(all, pages[blockIdx.x]);
}

/* ---- The host ---------------------------------------------------------------------- */

struct bench {
  struct pushing all;
  std::vector<double> expected;
  std::vector<uint32_t> small, large;
  const uint32_t *small_pages, *large_pages; /* on the device */
  std::vector<measured_way> ways;
};

/* What arrives along the edges of all records, read by the host as the layout's page says. */
std::vector<double> sums_of_pages(const struct qn_slotted_pages *view,
                                  const std::vector<float> &messages) {
  struct qn_graph graph;
  std::vector<double> sums(view->num_vertices);
  check(qn_slotted_pages_restore(view->container, &graph, &error));
  for (uint64_t v = 0; v < view->num_vertices; v++)
    for (uint64_t edge = graph.out.row_offsets[v]; edge < graph.out.row_offsets[v + 1]; edge++)
      sums[graph.out.column_indices[edge]] += messages[v];
  qn_graph_unmap(&graph);
  return sums;
}

template <class Work> void measure(struct bench *bench, const char *name, Work work) {
  const uint64_t count = bench->expected.size();
  const double seconds = seconds_of(
      [&] { check(cudaMemsetAsync(bench->all.sums, 0, count * sizeof(float), NULL)); }, work);
  bench->ways.push_back(
      {name, seconds, worst_of(bench->expected, download(bench->all.sums, count, "sums")), ""});
}

void push_small_ones(const struct bench *bench, cudaStream_t stream) {
  if (!bench->small.empty())
    QN_LAUNCH(push_small_pages, dim3((unsigned)bench->small.size(), PAGE_BLOCKS), THREADS, 0,
              stream, bench->all, bench->small_pages);
}

void push_large_ones(const struct bench *bench, cudaStream_t stream) {
  if (!bench->large.empty())
    QN_LAUNCH(push_large_pages, dim3((unsigned)bench->large.size(), PAGE_BLOCKS), THREADS, 0,
              stream, bench->all, bench->large_pages);
}

void measure_all(struct bench *bench) {
  cudaStream_t streams[2]; /* which wait for the default stream, and it for them */
  for (cudaStream_t &stream : streams)
    check(cudaStreamCreate(&stream));
  measure(bench, "one kernel, pages in their order", [&] {
    QN_LAUNCH(push_pages, dim3(bench->all.pages.num_pages, PAGE_BLOCKS), THREADS, 0, NULL,
              bench->all);
  });
  measure(bench, "small pages before large ones, a kernel for each", [&] {
    push_small_ones(bench, NULL);
    push_large_ones(bench, NULL);
  });
  measure(bench, "large pages before small ones, a kernel for each", [&] {
    push_large_ones(bench, NULL);
    push_small_ones(bench, NULL);
  });
  measure(bench, "both kernels at once", [&] {
    push_small_ones(bench, streams[0]);
    push_large_ones(bench, streams[1]);
  });
  for (cudaStream_t stream : streams)
    cudaStreamDestroy(stream);
}

} /* namespace */

int main(int argc, char **argv) {
  struct qn_slotted_pages view;
  struct bench bench;
  if (argc < 2) {
    fprintf(stderr, "usage: page-kernels PAGES.qrn [REPETITIONS]\n");
    return QN_USAGE;
  }
  begin_bench(argc > 2 ? argv[2] : NULL);
  check(qn_slotted_pages_map(argv[1], &view, &error));
  check(qn_slotted_pages_check(view.container, &view, &error));
  const std::vector<float> messages = messages_for(view.num_vertices);
  bench.all = {};
  bench.expected = sums_of_pages(&view, messages);
  for (uint32_t page = 0; page < view.num_pages; page++)
    (view.lp_ranges[page] == QN_SMALL_PAGE ? bench.small : bench.large).push_back(page);
  check(upload_pages(&memory, &view, &bench.all.pages, &error));
  bench.small_pages = upload(bench.small.data(), bench.small.size(), "small pages");
  bench.large_pages = upload(bench.large.data(), bench.large.size(), "large pages");
  bench.all.messages = upload(messages.data(), messages.size(), "messages");
  bench.all.sums = allocate<float>(messages.size(), "sums");
  if (view.num_edges > 0)
    measure_all(&bench);
  char more[96];
  snprintf(more, sizeof more, ", \"small_pages\": %zu, \"large_pages\": %zu", bench.small.size(),
           bench.large.size());
  for (struct measured_way &way : bench.ways)
    way.more = more;
  print_ways(view.num_vertices, view.num_edges, bench.ways);
  qn_cuda_memory_destroy(&memory);
  qn_slotted_pages_unmap(&view);
  return 0;
}
