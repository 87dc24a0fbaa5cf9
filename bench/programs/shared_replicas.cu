/* What replicas of accumulators in shared memory are worth (Garaph, section 4.1, figures 8 and 9):
 * the gather of PageRank on shards with R copies of each accumulator, R = 1 to 32, and beside it
 * what Quern does instead: runs of edges with one destination are added up in registers first, as
 * the edges of a shard lie by destination.
 *
 *   shared-replicas SHARDS.qrn [REPETITIONS]
 *
 * Shards must have at most so many vertices that 32 copies fit the device's shared memory
 * (quern-shard
 * --shard-vertices 1536), so that nothing but R differs. Copies of a vertex lie side by side and
 * are those of the lanes, so that neither banks nor addresses conflict at R = 32; they are merged
 * in halves, two by two. Prints one JSON object: for every way the median seconds, and by how much
 * its sums differ from the host's at most. */
#include <algorithm>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "kernels/cuda/device/block.cuh"
#include "kernels/cuda/device/memory.cuh"
#include <quern/shards.h>

namespace {

#define THREADS 512
#define TASK_EDGES 65536 /* of a shard at most are a block's */
#define RUN_EDGES 8      /* consecutive ones of a thread that adds up in registers */

struct qn_error error;
struct qn_cuda_memory memory;

[[noreturn]] void give_up() {
  char text[1280];
  fprintf(stderr, "shared-replicas: %s\n", qn_error_text(&error, text, sizeof text));
  exit(error.status);
}

void check(enum qn_status status) {
  if (status)
    give_up();
}

void check(cudaError_t result) {
  check(qn_cuda_status(result, "a CUDA call", &error));
}

/* Edges of one shard that a block gathers. */
struct task {
  uint64_t begin, end;
  uint32_t first_vertex, num_vertices;
};

struct gathering {
  const struct task *tasks;
  const uint32_t *sources;
  const uint16_t *offsets; /* of destinations in their shard */
  const float *messages;   /* [V] */
  float *sums;             /* [V] zero */
};

/* Copies by halves: the first of each vertex has the sum in the end. Then to global memory. */
QN_DEVICE_INLINE void merge(const struct gathering &all, const struct task &task, float *copies,
                            uint32_t replicas) {
  __syncthreads();
  for (uint32_t half = replicas / 2; half > 0; half /= 2) {
    for (uint32_t i = threadIdx.x; i < task.num_vertices * half; i += blockDim.x)
      copies[i / half * replicas + i % half] += copies[i / half * replicas + i % half + half];
    __syncthreads();
  }
  for (uint32_t v = threadIdx.x; v < task.num_vertices; v += blockDim.x)
    if (copies[v * replicas] != 0)
      atomicAdd(&all.sums[task.first_vertex + v], copies[v * replicas]);
}

QN_DEVICE_INLINE void clear(const struct task &task, float *copies, uint32_t replicas) {
  for (uint32_t i = threadIdx.x; i < task.num_vertices * replicas; i += blockDim.x)
    copies[i] = 0;
  __syncthreads();
}

__global__ void __launch_bounds__(THREADS)
    gather_replicated(const struct gathering all, uint32_t replicas) {
  QN_SHARED_DYNAMIC(float, copies);
  const struct task task = all.tasks[blockIdx.x];
  clear(task, copies, replicas);
  for (uint64_t edge = task.begin + threadIdx.x; edge < task.end; edge += blockDim.x)
    atomicAdd(&copies[all.offsets[edge] * replicas + qn_lane() % replicas],
              all.messages[all.sources[edge]]);
  merge(all, task, copies, replicas);
}

__global__ void __launch_bounds__(THREADS)
    gather_runs(const struct gathering all, uint32_t replicas) {
  QN_SHARED_DYNAMIC(float, copies);
  const struct task task = all.tasks[blockIdx.x];
  clear(task, copies, replicas);
  for (uint64_t first = task.begin + threadIdx.x * RUN_EDGES; first < task.end;
       first += blockDim.x * RUN_EDGES) {
    uint32_t current = all.offsets[first];
    float sum = 0;
    for (uint64_t edge = first; edge < first + RUN_EDGES && edge < task.end; edge++) {
      const uint32_t offset = all.offsets[edge];
      if (offset != current) {
        atomicAdd(&copies[current * replicas], sum);
        current = offset;
        sum = 0;
      }
      sum += all.messages[all.sources[edge]];
    }
    atomicAdd(&copies[current * replicas], sum);
  }
  merge(all, task, copies, replicas);
}

typedef void (*gather_kernel)(const struct gathering, uint32_t);

std::vector<struct task> tasks_of(const struct qn_shards *view) {
  std::vector<struct task> tasks;
  for (uint64_t shard = 0; shard < view->num_shards; shard++) {
    const uint32_t first = view->vertex_offsets[shard];
    const uint64_t end = qn_sh_edge(view, shard + 1);
    for (uint64_t begin = qn_sh_edge(view, shard); begin < end; begin += TASK_EDGES)
      tasks.push_back({begin, std::min<uint64_t>(end, begin + TASK_EDGES), first,
                       view->vertex_offsets[shard + 1] - first});
  }
  return tasks;
}

/* Messages that float adds up exactly enough to compare. */
std::vector<float> messages_for(uint64_t num_vertices) {
  std::vector<float> messages(num_vertices);
  for (uint64_t v = 0; v < num_vertices; v++)
    messages[v] = 1.0f / (float)(1 + v % 1021);
  return messages;
}

/* The largest share by which a row's sum is another than the host's. */
double worst_of(const struct qn_shards *view, const std::vector<float> &messages,
                const std::vector<float> &sums) {
  double worst = 0;
#pragma omp parallel for schedule(dynamic, 1024) reduction(max : worst)
  for (uint64_t v = 0; v < view->num_vertices; v++) {
    double sum = 0;
    for (uint64_t edge = view->in.row_offsets[v]; edge < view->in.row_offsets[v + 1]; edge++)
      sum += messages[view->in.column_indices[edge]];
    worst = std::max(worst, fabs(sum - sums[v]) / std::max(sum, 1e-30));
  }
  return worst;
}

struct measured {
  double seconds, worst;
};

struct measured measure(const struct qn_shards *view, const struct gathering &all,
                        const std::vector<float> &messages, uint64_t num_tasks,
                        gather_kernel kernel, uint32_t replicas, int repetitions) {
  const uint32_t shared = (uint32_t)(view->max_shard_vertices * replicas * sizeof(float));
  std::vector<float> sums(view->num_vertices);
  std::vector<double> times;
  cudaEvent_t begin, end;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  for (int i = -1; i < repetitions; i++) { /* the first warms up */
    float milliseconds = 0;
    check(cudaMemsetAsync(all.sums, 0, view->num_vertices * sizeof(float), NULL));
    check(cudaEventRecord(begin, NULL));
    if (kernel == gather_runs)
      QN_LAUNCH(gather_runs, (unsigned)num_tasks, THREADS, shared, NULL, all, replicas);
    else
      QN_LAUNCH(gather_replicated, (unsigned)num_tasks, THREADS, shared, NULL, all, replicas);
    check(cudaEventRecord(end, NULL));
    check(cudaEventSynchronize(end));
    check(cudaGetLastError());
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    if (i >= 0)
      times.push_back(1e-3 * milliseconds);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  check(
      qn_cuda_download(&memory, sums.data(), all.sums, sums.size(), sizeof(float), "sums", &error));
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], worst_of(view, messages, sums)};
}

template <class T> const T *upload(const T *from, uint64_t count, const char *what) {
  T *device;
  check(qn_cuda_copy_of(&memory, &device, from, count, 0, sizeof(T), what, &error));
  return device;
}

} /* namespace */

int main(int argc, char **argv) {
  struct qn_shards view;
  if (argc < 2) {
    fprintf(stderr, "usage: shared-replicas SHARDS.qrn [REPETITIONS]\n");
    return QN_USAGE;
  }
  const int repetitions = argc > 2 ? std::max(1, atoi(argv[2])) : 5;
  memset(&memory, 0, sizeof memory);
  qn_error_clear(&error);
  check(qn_shards_map(argv[1], &view, &error));
  check(qn_shards_check(view.container, &view, &error));
  check(qn_cuda_memory_create(&memory, 0, 0, &error));
  const std::vector<struct task> tasks = tasks_of(&view);
  const std::vector<float> messages = messages_for(view.num_vertices);
  struct gathering all;
  all.tasks = upload(tasks.data(), tasks.size(), "tasks");
  all.sources = upload(view.in.column_indices, view.num_edges, "sources");
  all.offsets = upload(view.destination_offsets, view.num_edges, "destination offsets");
  all.messages = upload(messages.data(), messages.size(), "messages");
  check(qn_cuda_alloc(&memory, &all.sums, view.num_vertices, sizeof(float), "sums", &error));
  printf("{\"vertices\": %llu, \"edges\": %llu, \"ways\": [", (unsigned long long)view.num_vertices,
         (unsigned long long)view.num_edges);
  for (uint32_t replicas = 1; !tasks.empty() && replicas <= QN_SH_MAX_REPLICATION; replicas *= 2) {
    const struct measured result =
        measure(&view, all, messages, tasks.size(), gather_replicated, replicas, repetitions);
    printf("{\"replicas\": %u, \"seconds\": %.9g, \"worst\": %.3g}, ", replicas, result.seconds,
           result.worst);
  }
  const struct measured runs =
      tasks.empty() ? measured{0, 0}
                    : measure(&view, all, messages, tasks.size(), gather_runs, 1, repetitions);
  printf("{\"replicas\": 0, \"seconds\": %.9g, \"worst\": %.3g}]}\n", runs.seconds, runs.worst);
  qn_cuda_memory_destroy(&memory);
  qn_shards_unmap(&view);
  return 0;
}
