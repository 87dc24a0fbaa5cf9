/* What Graphie's use of shared memory is worth (section III, figure 7's OPT1), in one step of a
 * search on edge partitions: each edge with an active source lowers the value of its destination.
 *
 *   values of sources   loaded into shared memory by the block of threads that takes up to 4096
 *                       edges of a partition, or read from global memory at every edge
 *   flags of partitions of which a vertex has changed: by a scan of the vertices' bitmap when the
 *                       step has ended (as Quern does), set in global memory at every change, or in
 *                       shared memory, from where each block copies those that it has set (Graphie)
 *
 *   graphie-sources PARTITIONS.qrn [REPETITIONS]
 *
 * The bitmap of changed vertices is made in every way: the next step asks it. Prints one JSON
 * object: of every way the median seconds where all vertices are active, and where one in 64 is
 * ("sparse_seconds"); "worst" is 1 if values or flags are not the host's. */
#include "bench/programs/single_kernels.cuh"
#include <quern/edge_partitions.h>

namespace {

#define THREADS 256
#define TASK_EDGES 4096
#define SPARSE 64
#define MOST_SHARED_FLAGS 65536

enum flags_way { BY_SCAN, IN_GLOBAL, IN_SHARED };

/* Consecutive edges of one partition. */
struct task {
  uint64_t begin;
  uint32_t num_edges, first_id, first_dense, num_sources;
};

struct step {
  const struct task *tasks;
  const uint32_t *sources, *destinations; /* [E] ids */
  const uint32_t *prefix_offsets;         /* [P + 1] */
  const uint32_t *active;                 /* [V / 32 + 1] bits, by dense number as all others */
  const uint32_t *before;                 /* [V] */
  uint32_t *values;                       /* [V] the same, to be lowered */
  uint32_t *changed;                      /* [V / 32 + 1] */
  uint8_t *flags;                         /* [P] */
  struct qn_ep_divider divider;
  uint32_t num_partitions, range_size;
};

QN_DEVICE_INLINE bool is_active(const struct step &step, uint32_t dense) {
  return step.active[dense / 32] >> dense % 32 & 1;
}

/* Lower the value of the vertex `id`, and set the flag of its partition, of which `own_flags` are
 * the block's, in bits. */
template <flags_way way>
QN_DEVICE_INLINE void lower(const struct step &step, uint32_t id, uint32_t value,
                            uint32_t *own_flags) {
  uint64_t partition = qn_ep_divide(step.divider, id);
  if (partition > step.num_partitions)
    partition = step.num_partitions;
  const uint32_t dense = id - step.prefix_offsets[partition];
  if (value >= step.values[dense] || value >= atomicMin(&step.values[dense], value))
    return;
  const uint32_t bit = 1u << dense % 32;
  if (!(step.changed[dense / 32] & bit))
    atomicOr(&step.changed[dense / 32], bit);
  if (way == BY_SCAN || partition >= step.num_partitions)
    return;
  if (way == IN_SHARED)
    atomicOr(&own_flags[partition / 32], 1u << partition % 32);
  else if (!step.flags[partition])
    step.flags[partition] = 1;
}

/* The task's values, one more than before, and which of them are sent. Is one? */
QN_DEVICE_INLINE bool load_sources(const struct step &step, const struct task &task,
                                   uint32_t *values, uint8_t *active) {
  bool any = false;
  for (uint32_t i = threadIdx.x; i < task.num_sources; i += THREADS) {
    active[i] = is_active(step, task.first_dense + i);
    values[i] = step.before[task.first_dense + i] + 1;
    any = any || active[i];
  }
  return __syncthreads_or(any);
}

template <bool shared_values, flags_way way>
QN_DEVICE_INLINE void walk(const struct step &step, const struct task &task, uint32_t *own_flags) {
  QN_SHARED(uint32_t, values, shared_values ? TASK_EDGES : 1);
  QN_SHARED(uint8_t, active, shared_values ? TASK_EDGES : 1);
  if (shared_values && !load_sources(step, task, values, active))
    return;
  for (uint64_t edge = task.begin + threadIdx.x; edge < task.begin + task.num_edges;
       edge += THREADS) {
    const uint32_t source = step.sources[edge] - task.first_id, dense = task.first_dense + source;
    if (shared_values ? active[source] : is_active(step, dense))
      lower<way>(step, step.destinations[edge],
                 shared_values ? values[source] : step.before[dense] + 1, own_flags);
  }
}

template <bool shared_values, flags_way way>
__global__ void __launch_bounds__(THREADS) walk_tasks(const struct step step) {
  QN_SHARED_DYNAMIC(uint32_t, own_flags);
  const struct task task = step.tasks[blockIdx.x];
  const uint32_t words = (step.num_partitions + 31) / 32;
  if (way == IN_SHARED) {
    for (uint32_t i = threadIdx.x; i < words; i += THREADS)
      own_flags[i] = 0;
    __syncthreads();
  }
  walk<shared_values, way>(step, task, own_flags);
  if (way == IN_SHARED) {
    __syncthreads();
    for (uint32_t p = threadIdx.x; p < step.num_partitions; p += THREADS)
      if (own_flags[p / 32] >> p % 32 & 1)
        step.flags[p] = 1;
  }
}

/* A block of threads a partition. */
__global__ void __launch_bounds__(THREADS) scan_changes(const struct step step) {
  const uint32_t p = blockIdx.x;
  const uint64_t first = (uint64_t)p * step.range_size - step.prefix_offsets[p];
  const uint64_t end = (uint64_t)(p + 1) * step.range_size - step.prefix_offsets[p + 1];
  bool any = false;
  for (uint64_t word = first / 32 + threadIdx.x; word * 32 < end; word += THREADS) {
    uint32_t bits = step.changed[word];
    if (word == first / 32)
      bits &= ~0u << first % 32;
    if (word == end / 32)
      bits &= (1u << end % 32) - 1;
    any = any || bits;
  }
  if (__syncthreads_or(any) && threadIdx.x == 0)
    step.flags[p] = 1;
}

/* ---- The host ---------------------------------------------------------------------- */

struct expected_step {
  std::vector<uint32_t> active, values;
  std::vector<uint8_t> flags;
};

struct bench {
  const struct qn_edge_partitions *view;
  std::vector<struct task> tasks;
  std::vector<uint32_t> before;
  struct expected_step dense, sparse;
  struct step step;
  std::vector<measured_way> ways;
};

std::vector<struct task> tasks_of(const struct qn_edge_partitions *view) {
  const struct qn_ep_divider divider = qn_ep_divider(view->range_size);
  std::vector<struct task> tasks;
  for (uint64_t p = 0; p < view->num_partitions; p++)
    for (uint64_t begin = view->edge_offsets[p]; begin < view->edge_offsets[p + 1];
         begin += TASK_EDGES) {
      const uint64_t end = std::min<uint64_t>(begin + TASK_EDGES, view->edge_offsets[p + 1]);
      const uint32_t first = view->sources[begin];
      tasks.push_back({begin, (uint32_t)(end - begin), first, qn_ep_dense(view, divider, first),
                       view->sources[end - 1] - first + 1});
    }
  return tasks;
}

/* The step by the definition; every `one_in`-th vertex is active. */
struct expected_step step_of(const struct bench *bench, uint32_t one_in) {
  const struct qn_edge_partitions *view = bench->view;
  const struct qn_ep_divider divider = qn_ep_divider(view->range_size);
  struct expected_step step = {std::vector<uint32_t>(view->num_vertices / 32 + 1), bench->before,
                               std::vector<uint8_t>(view->num_partitions)};
  for (uint64_t v = 0; v < view->num_vertices; v += one_in)
    step.active[v / 32] |= 1u << v % 32;
  for (uint64_t edge = 0; edge < view->num_edges; edge++) {
    const uint32_t source = qn_ep_dense(view, divider, view->sources[edge]);
    const uint32_t id = view->destinations[edge];
    uint32_t *value = &step.values[qn_ep_dense(view, divider, id)];
    if (source % one_in || bench->before[source] + 1 >= *value)
      continue;
    *value = bench->before[source] + 1;
    if (qn_ep_divide(divider, id) < view->num_partitions)
      step.flags[qn_ep_divide(divider, id)] = 1;
  }
  return step;
}

template <bool shared_values, flags_way way>
double seconds_of_step(const struct bench *bench, const struct expected_step &expected,
                       bool *right) {
  const uint64_t num_vertices = bench->view->num_vertices, words = num_vertices / 32 + 1;
  const struct step &step = bench->step;
  const unsigned partitions = step.num_partitions;
  check(qn_cuda_upload(&memory, (void *)step.active, expected.active.data(), words, 4, "active",
                       &error));
  auto prepare = [&] {
    check(cudaMemcpyAsync(step.values, step.before, num_vertices * 4, cudaMemcpyDeviceToDevice,
                          NULL));
    check(cudaMemsetAsync(step.changed, 0, words * 4, NULL));
    check(cudaMemsetAsync(step.flags, 0, partitions, NULL));
  };
  const double seconds = seconds_of(prepare, [&] {
    QN_LAUNCH((walk_tasks<shared_values, way>), (unsigned)bench->tasks.size(), THREADS,
              way == IN_SHARED ? (partitions + 31) / 32 * 4 : 0, NULL, step);
    if (way == BY_SCAN)
      QN_LAUNCH(scan_changes, partitions, THREADS, 0, NULL, step);
  });
  *right = *right && download(step.values, num_vertices, "values") == expected.values &&
           download(step.flags, partitions, "flags") == expected.flags;
  return seconds;
}

template <bool shared_values, flags_way way> void measure(struct bench *bench, const char *name) {
  bool right = true;
  const double all = seconds_of_step<shared_values, way>(bench, bench->dense, &right);
  const double few = seconds_of_step<shared_values, way>(bench, bench->sparse, &right);
  char more[64];
  snprintf(more, sizeof more, ", \"sparse_seconds\": %.9g", few);
  bench->ways.push_back({name, all, right ? 0.0 : 1.0, more});
}

void upload_step(struct bench *bench) {
  const struct qn_edge_partitions *view = bench->view;
  const uint64_t words = view->num_vertices / 32 + 1;
  bench->step = {upload(bench->tasks.data(), bench->tasks.size(), "tasks"),
                 upload(view->sources, view->num_edges, "sources"),
                 upload(view->destinations, view->num_edges, "destinations"),
                 upload(view->prefix_offsets, view->num_partitions + 1, "prefix offsets"),
                 allocate<uint32_t>(words, "active"),
                 upload(bench->before.data(), bench->before.size(), "values"),
                 allocate<uint32_t>(view->num_vertices, "values"),
                 allocate<uint32_t>(words, "changed"),
                 allocate<uint8_t>(view->num_partitions, "flags"),
                 qn_ep_divider(view->range_size),
                 (uint32_t)view->num_partitions,
                 (uint32_t)view->range_size};
}

void measure_all(struct bench *bench) {
  measure<true, BY_SCAN>(bench, "sources in shared memory, flags by a scan");
  measure<true, IN_GLOBAL>(bench, "sources in shared memory, flags in global memory");
  if (bench->view->num_partitions <= MOST_SHARED_FLAGS)
    measure<true, IN_SHARED>(bench, "sources in shared memory, flags in shared memory");
  measure<false, BY_SCAN>(bench, "sources in global memory, flags by a scan");
  measure<false, IN_GLOBAL>(bench, "sources in global memory, flags in global memory");
  if (bench->view->num_partitions <= MOST_SHARED_FLAGS)
    measure<false, IN_SHARED>(bench, "sources in global memory, flags in shared memory");
}

} /* namespace */

int main(int argc, char **argv) {
  struct qn_edge_partitions view;
  struct bench bench;
  if (argc < 2) {
    fprintf(stderr, "usage: graphie-sources PARTITIONS.qrn [REPETITIONS]\n");
    return QN_USAGE;
  }
  begin_bench(argc > 2 ? argv[2] : NULL);
  check(qn_edge_partitions_map(argv[1], &view, &error));
  check(qn_edge_partitions_check(view.container, &view, &error));
  bench.view = &view;
  if (view.num_edges > 0) {
    bench.tasks = tasks_of(&view);
    for (uint64_t v = 0; v < view.num_vertices; v++) /* as of a search that has come some way */
      bench.before.push_back((uint32_t)(v * 2654435761u >> 20) % 1000);
    bench.dense = step_of(&bench, 1);
    bench.sparse = step_of(&bench, SPARSE);
    upload_step(&bench);
    measure_all(&bench);
  }
  print_ways(view.num_vertices, view.num_edges, bench.ways);
  qn_cuda_memory_destroy(&memory);
  qn_edge_partitions_unmap(&view);
  return 0;
}
