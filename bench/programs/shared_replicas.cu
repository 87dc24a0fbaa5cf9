/* What replicas of accumulators in shared memory are worth (Garaph, section 3.2, figures 8 and 9):
 * the gather of PageRank on shards with R copies of each accumulator, R = 1 to 32; with as many as
 * equation 2 asks for by each shard's mean degree; and beside these what Quern does instead: runs
 * of edges with one destination are added up in registers first, as the edges of a shard lie by
 * destination. And what messages of two bytes (FP16, section 3.1) gain.
 *
 *   shared-replicas SHARDS.qrn [REPETITIONS]
 *
 * Shards must have at most so many vertices that 32 copies fit the device's shared memory
 * (quern-shard --shard-vertices 1536), so that nothing but R differs. Copies of a vertex lie side
 * by side and are those of the lanes, so that neither banks nor addresses conflict at R = 32; they
 * are merged in halves, two by two. Shards of one R are a launch, in a stream of its own.
 *
 * Prints one JSON object: of every way the median seconds, and by how much its sums differ from the
 * host's at most. Where R is 1, by shard, and none, the slowest and the fastest of 33 pages, too
 * (figure 8), and how much faster than with R = 1 pages are, in the mean and at most; of messages
 * of two bytes, by how much sums differ from those of four at most ("loss"). */
#include "bench/programs/single_kernels.cuh"
#include <quern/shards.h>

namespace {

#define THREADS 512
#define TASK_EDGES 65536 /* of a shard at most are a block's */
#define RUN_EDGES 8      /* consecutive ones of a thread that adds up in registers */
#define PAGES 33         /* of figure 8 */
#define CHOICES 6        /* of R: 1 to 32 */
#define BY_SHARD 0       /* in the place of a fixed R */

/* Edges of one shard that a block gathers. */
struct task {
  uint64_t begin, end;
  uint32_t first_vertex, num_vertices;
  uint32_t replicas; /* by equation 2 */
};

template <class Message> struct gathering {
  const struct task *tasks;
  const uint32_t *sources;
  const uint16_t *offsets; /* of destinations in their shard */
  const Message *messages; /* [V] not negative */
  float *sums;             /* [V] zero */
};

QN_DEVICE_INLINE float value_of(float message) {
  return message;
}

/* Of IEEE's binary16: its exponent is biased by 15, not by 127. */
static __host__ __device__ inline float half_value(uint16_t message) {
  const uint32_t bits = (uint32_t)message << 13;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value * 5.192296858534828e33f; /* 2^112 */
}

QN_DEVICE_INLINE float value_of(uint16_t message) {
  return half_value(message);
}

/* The nearest of the normal ones; of two the even one. */
uint16_t half_of(float value) {
  const float scaled = value / 5.192296858534828e33f;
  uint32_t bits;
  memcpy(&bits, &scaled, sizeof bits);
  return (uint16_t)((bits + 0xfff + (bits >> 13 & 1)) >> 13);
}

/* Copies by halves: the first of each vertex has the sum in the end. Then to global memory. */
QN_DEVICE_INLINE void merge(float *sums, const struct task &task, float *copies,
                            uint32_t replicas) {
  __syncthreads();
  for (uint32_t half = replicas / 2; half > 0; half /= 2) {
    for (uint32_t i = threadIdx.x; i < task.num_vertices * half; i += blockDim.x)
      copies[i / half * replicas + i % half] += copies[i / half * replicas + i % half + half];
    __syncthreads();
  }
  for (uint32_t v = threadIdx.x; v < task.num_vertices; v += blockDim.x)
    if (copies[v * replicas] != 0)
      atomicAdd(&sums[task.first_vertex + v], copies[v * replicas]);
}

QN_DEVICE_INLINE void clear(const struct task &task, float *copies, uint32_t replicas) {
  for (uint32_t i = threadIdx.x; i < task.num_vertices * replicas; i += blockDim.x)
    copies[i] = 0;
  __syncthreads();
}

template <class Message>
__global__ void __launch_bounds__(THREADS)
    gather_replicated(const struct gathering<Message> all, uint32_t replicas) {
  QN_SHARED_DYNAMIC(float, copies);
  const struct task task = all.tasks[blockIdx.x];
  clear(task, copies, replicas);
  for (uint64_t edge = task.begin + threadIdx.x; edge < task.end; edge += blockDim.x)
    atomicAdd(&copies[all.offsets[edge] * replicas + qn_lane() % replicas],
              value_of(all.messages[all.sources[edge]]));
  merge(all.sums, task, copies, replicas);
}

template <class Message>
__global__ void __launch_bounds__(THREADS) gather_runs(const struct gathering<Message> all) {
  QN_SHARED_DYNAMIC(float, copies);
  const struct task task = all.tasks[blockIdx.x];
  clear(task, copies, 1);
  for (uint64_t first = task.begin + threadIdx.x * RUN_EDGES; first < task.end;
       first += blockDim.x * RUN_EDGES) {
    uint32_t current = all.offsets[first];
    float sum = 0;
    for (uint64_t edge = first; edge < first + RUN_EDGES && edge < task.end; edge++) {
      const uint32_t offset = all.offsets[edge];
      if (offset != current) {
        atomicAdd(&copies[current], sum);
        current = offset;
        sum = 0;
      }
      sum += value_of(all.messages[all.sources[edge]]);
    }
    atomicAdd(&copies[current], sum);
  }
  merge(all.sums, task, copies, 1);
}

/* ---- The host ---------------------------------------------------------------------- */

std::vector<struct task> tasks_of(const struct qn_shards *view) {
  std::vector<struct task> tasks;
  for (uint64_t shard = 0; shard < view->num_shards; shard++) {
    const uint32_t first = view->vertex_offsets[shard];
    const uint32_t num_vertices = view->vertex_offsets[shard + 1] - first;
    const uint64_t whole = qn_sh_edge(view, shard), end = qn_sh_edge(view, shard + 1);
    for (uint64_t begin = whole; begin < end; begin += TASK_EDGES)
      tasks.push_back({begin, std::min<uint64_t>(end, begin + TASK_EDGES), first, num_vertices,
                       qn_sh_replication(end - whole, num_vertices)});
  }
  return tasks;
}

/* Tasks [begins[i], begins[i + 1]) have 2^i copies. */
struct page {
  const struct task *tasks; /* on the device */
  uint32_t begins[CHOICES + 1];
};

/* Consecutive tasks, those of one R side by side. */
struct page page_of(std::vector<struct task> tasks) {
  struct page page;
  std::stable_sort(tasks.begin(), tasks.end(), [](const struct task &a, const struct task &b) {
    return a.replicas < b.replicas;
  });
  page.tasks = upload(tasks.data(), tasks.size(), "tasks");
  for (uint32_t choice = 0; choice <= CHOICES; choice++)
    page.begins[choice] =
        (uint32_t)std::count_if(tasks.begin(), tasks.end(), [choice](const struct task &task) {
          return task.replicas < 1u << choice;
        });
  return page;
}

struct bench {
  const struct qn_shards *view;
  std::vector<double> expected;
  struct page whole;
  std::vector<struct page> pages;
  std::vector<double> seconds_without; /* of the pages, with one copy each */
  cudaStream_t streams[CHOICES];       /* each waits for the default stream */
  std::vector<measured_way> ways;
};

struct way {
  bool runs;
  uint32_t replicas; /* or BY_SHARD */
};

uint32_t shared_bytes(const struct bench *bench, uint32_t replicas) {
  return (uint32_t)(bench->view->max_shard_vertices * replicas * sizeof(float));
}

template <class Message>
void gather(const struct bench *bench, struct gathering<Message> all, const struct page &page,
            const struct way &way) {
  all.tasks = page.tasks;
  if (way.runs) {
    QN_LAUNCH((gather_runs<Message>), page.begins[CHOICES], THREADS, shared_bytes(bench, 1), NULL,
              all);
  } else if (way.replicas != BY_SHARD) {
    QN_LAUNCH((gather_replicated<Message>), page.begins[CHOICES], THREADS,
              shared_bytes(bench, way.replicas), NULL, all, way.replicas);
  } else {
    for (uint32_t choice = 0; choice < CHOICES; choice++) {
      const uint32_t count = page.begins[choice + 1] - page.begins[choice];
      all.tasks = page.tasks + page.begins[choice];
      if (count > 0)
        QN_LAUNCH((gather_replicated<Message>), count, THREADS, shared_bytes(bench, 1u << choice),
                  bench->streams[choice], all, 1u << choice);
    }
  }
}

template <class Message>
double seconds_of_page(const struct bench *bench, const struct gathering<Message> &all,
                       const struct page &page, const struct way &way) {
  auto empty = [&] {
    check(cudaMemsetAsync(all.sums, 0, bench->view->num_vertices * sizeof(float), NULL));
  };
  return seconds_of(empty, [&] { gather(bench, all, page, way); });
}

/* Figure 8. */
template <class Message>
std::string pages_of(struct bench *bench, const struct gathering<Message> &all,
                     const struct way &way) {
  std::vector<double> seconds, gains;
  for (size_t i = 0; i < bench->pages.size(); i++) {
    seconds.push_back(seconds_of_page(bench, all, bench->pages[i], way));
    if (bench->seconds_without.size() == bench->pages.size())
      gains.push_back(bench->seconds_without[i] / seconds[i]);
  }
  if (gains.empty()) {
    bench->seconds_without = seconds;
    gains.assign(seconds.size(), 1);
  }
  double sum = 0;
  for (double gain : gains)
    sum += gain;
  char text[256];
  snprintf(text, sizeof text,
           ", \"slowest_page\": %.9g, \"fastest_page\": %.9g, \"mean_gain\": %.4g, "
           "\"most_gain\": %.4g",
           *std::max_element(seconds.begin(), seconds.end()),
           *std::min_element(seconds.begin(), seconds.end()), sum / (double)gains.size(),
           *std::max_element(gains.begin(), gains.end()));
  return text;
}

template <class Message>
void measure(struct bench *bench, const struct gathering<Message> &all, const std::string &name,
             const struct way &way, const std::vector<double> &expected) {
  const bool is_half = sizeof(Message) == sizeof(uint16_t);
  const double seconds = seconds_of_page(bench, all, bench->whole, way);
  const std::vector<float> sums = download(all.sums, bench->view->num_vertices, "sums");
  struct measured_way result = {name, seconds, worst_of(expected, sums), ""};
  if (is_half)
    result.more = ", \"loss\": " + std::to_string(worst_of(bench->expected, sums));
  else if (way.runs || way.replicas <= 1)
    result.more = pages_of(bench, all, way);
  bench->ways.push_back(result);
}

template <class Message> void allow_copies(const struct bench *bench) {
  const int bytes = (int)shared_bytes(bench, QN_SH_MAX_REPLICATION);
  check(cudaFuncSetAttribute(gather_replicated<Message>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

void measure_all(struct bench *bench) {
  const struct qn_shards *view = bench->view;
  const std::vector<float> messages = messages_for(view->num_vertices);
  std::vector<uint16_t> halves(messages.size());
  std::vector<float> rounded(messages.size());
  for (size_t v = 0; v < messages.size(); v++) {
    halves[v] = half_of(messages[v]);
    rounded[v] = half_value(halves[v]);
  }
  struct gathering<float> all = {
    NULL, upload(view->in.column_indices, view->num_edges, "sources"),
        upload(view->destination_offsets, view->num_edges, "destinations"),
        upload(messages.data(), messages.size(), "messages"),
        allocate<float>(messages.size(), "sums")
  };
  const struct gathering<uint16_t> small = {
    NULL, all.sources, all.offsets, upload(halves.data(), halves.size(), "messages"), all.sums
  };
  bench->expected = sums_of(&view->in, messages.data(), NULL);
  const std::vector<double> expected = sums_of(&view->in, rounded.data(), NULL);
  allow_copies<float>(bench);
  allow_copies<uint16_t>(bench);
  for (uint32_t replicas = 1; replicas <= QN_SH_MAX_REPLICATION; replicas *= 2)
    measure(bench, all, "R = " + std::to_string(replicas), {false, replicas}, bench->expected);
  measure(bench, all, "R by shard", {false, BY_SHARD}, bench->expected);
  measure(bench, all, "runs added up in registers", {true, 0}, bench->expected);
  measure(bench, small, "R by shard, values of two bytes", {false, BY_SHARD}, expected);
  measure(bench, small, "runs added up in registers, values of two bytes", {true, 0}, expected);
}

void make_pages(struct bench *bench) {
  std::vector<struct task> tasks = tasks_of(bench->view);
  bench->whole = page_of(tasks);
  const size_t each = (tasks.size() + PAGES - 1) / PAGES;
  for (size_t begin = 0; begin < tasks.size(); begin += each)
    bench->pages.push_back(page_of(
        {tasks.begin() + (long)begin, tasks.begin() + (long)std::min(begin + each, tasks.size())}));
}

} /* namespace */

int main(int argc, char **argv) {
  struct qn_shards view;
  struct bench bench;
  if (argc < 2) {
    fprintf(stderr, "usage: shared-replicas SHARDS.qrn [REPETITIONS]\n");
    return QN_USAGE;
  }
  begin_bench(argc > 2 ? argv[2] : NULL);
  check(qn_shards_map(argv[1], &view, &error));
  check(qn_shards_check(view.container, &view, &error));
  bench.view = &view;
  for (cudaStream_t &stream : bench.streams)
    check(cudaStreamCreate(&stream));
  if (view.num_edges > 0) {
    make_pages(&bench);
    measure_all(&bench);
  }
  print_ways(view.num_vertices, view.num_edges, bench.ways);
  for (cudaStream_t stream : bench.streams)
    cudaStreamDestroy(stream);
  qn_cuda_memory_destroy(&memory);
  qn_shards_unmap(&view);
  return 0;
}
