/* What the hardware can do, so that a kernel's speed can be told as a share of it:
 * copying, gathering 4 bytes at random places by the size of the array, atomics in shared and
 * global memory, and copies between pinned host memory and the device.
 *
 *   cuda-limits [--json] [--small] [--device N]
 *
 * Every figure is the median of some repetitions, timed by events on the device. */
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "kernels/cuda/device/memory.cuh"

#include "kernels/cuda/device/block.cuh"

namespace {

#define THREADS 256
#define GATHERS_EACH 8

struct settings {
  bool json, small;
  int device;
};

struct figure {
  const char *group;
  uint64_t bytes; /* of the array */
  double value;
  const char *unit;
};

struct bench {
  struct qn_cuda_memory memory;
  struct qn_error error;
  int repetitions;
  std::vector<figure> figures;
};

[[noreturn]] void give_up(const struct bench *bench) {
  char text[1280];
  fprintf(stderr, "cuda-limits: %s\n", qn_error_text(&bench->error, text, sizeof text));
  exit(bench->error.status);
}

void check(struct bench *bench, cudaError_t result, const char *what) {
  if (qn_cuda_status(result, what, &bench->error))
    give_up(bench);
}

template <class T> T *allocate(struct bench *bench, uint64_t count) {
  T *array;
  if (qn_cuda_alloc_zeroed(&bench->memory, &array, count, sizeof(T), "an array", &bench->error))
    give_up(bench);
  return array;
}

/* Median seconds of `work`, which enqueues in the default stream. */
template <class Work> double seconds_of(struct bench *bench, Work work) {
  std::vector<double> times;
  cudaEvent_t begin, end;
  check(bench, cudaEventCreate(&begin), "creating an event");
  check(bench, cudaEventCreate(&end), "creating an event");
  for (int i = -1; i < bench->repetitions; i++) { /* the first warms up */
    float milliseconds = 0;
    check(bench, cudaEventRecord(begin, NULL), "recording an event");
    work();
    check(bench, cudaEventRecord(end, NULL), "recording an event");
    check(bench, cudaEventSynchronize(end), "a measurement");
    check(bench, cudaGetLastError(), "a measurement");
    check(bench, cudaEventElapsedTime(&milliseconds, begin, end), "reading the time");
    if (i >= 0)
      times.push_back(milliseconds * 1e-3);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::sort(times.begin(), times.end());
  return std::max(times[times.size() / 2], 1e-9);
}

QN_DEVICE_INLINE uint32_t hash(uint32_t x) { /* Mueller's integer hash */
  x = (x >> 16 ^ x) * 0x45d9f3bu;
  x = (x >> 16 ^ x) * 0x45d9f3bu;
  return x >> 16 ^ x;
}

__global__ void copy_words(const uint4 *from, uint4 *to, uint64_t count) {
  for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += (uint64_t)gridDim.x * blockDim.x)
    to[i] = from[i];
}

__global__ void read_words(const uint4 *from, uint64_t count, uint32_t *out) {
  uint32_t sum = 0;
  for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += (uint64_t)gridDim.x * blockDim.x) {
    const uint4 word = from[i];
    sum += word.x ^ word.y ^ word.z ^ word.w;
  }
  if (sum == 12345)
    *out = sum;
}

__global__ void fill_indices(uint32_t *indices, uint64_t count, uint32_t limit) {
  for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += (uint64_t)gridDim.x * blockDim.x)
    indices[i] = (uint32_t)(((uint64_t)hash((uint32_t)i) * limit) >> 32);
}

/* As a pull does: 4 bytes of index read in order, then 4 bytes from there; several at a time. */
__global__ void gather_words(const uint32_t *indices, uint64_t count, const uint32_t *values,
                             uint32_t *out) {
  uint32_t sum = 0;
  for (uint64_t first = (uint64_t)blockIdx.x * THREADS * GATHERS_EACH; first < count;
       first += (uint64_t)gridDim.x * THREADS * GATHERS_EACH) {
    uint32_t places[GATHERS_EACH];
    QN_UNROLL
    for (int i = 0; i < GATHERS_EACH; i++)
      places[i] = __ldcs(&indices[first + threadIdx.x + i * THREADS]);
    QN_UNROLL
    for (int i = 0; i < GATHERS_EACH; i++)
      sum += values[places[i]];
  }
  if (sum == 12345)
    *out = sum;
}

__global__ void add_global(uint32_t *values, uint32_t limit, uint32_t each) {
  const uint32_t self = blockIdx.x * blockDim.x + threadIdx.x;
  for (uint32_t i = 0; i < each; i++)
    atomicAdd(&values[(uint32_t)(((uint64_t)hash(self * each + i) * limit) >> 32)], 1u);
}

__global__ void add_shared(uint32_t *out, uint32_t limit, uint32_t each) {
  QN_SHARED(uint32_t, bins, 8192);
  for (uint32_t i = threadIdx.x; i < 8192; i += blockDim.x)
    bins[i] = 0;
  __syncthreads();
  uint32_t state = hash(blockIdx.x * blockDim.x + threadIdx.x) | 1;
  for (uint32_t i = 0; i < each; i++) {
    state = state * 1664525u + 1013904223u;
    atomicAdd(&bins[(state >> 8) % limit], 1u);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = bins[blockIdx.x % limit];
}

unsigned full_grid(const struct bench *bench) {
  return (unsigned)bench->memory.device.multiprocessors * 8;
}

void measure_streams(struct bench *bench, uint64_t bytes) {
  uint4 *from = allocate<uint4>(bench, bytes / 16), *to = allocate<uint4>(bench, bytes / 16);
  const double copy = seconds_of(bench, [&] {
    QN_LAUNCH(copy_words, full_grid(bench), THREADS, 0, NULL, from, to, bytes / 16);
  });
  bench->figures.push_back(
      {"device copy, read + written", bytes, 2e-9 * (double)bytes / copy, "GB/s"});
  const double read = seconds_of(bench, [&] {
    QN_LAUNCH(read_words, full_grid(bench), THREADS, 0, NULL, from, bytes / 16, (uint32_t *)to);
  });
  bench->figures.push_back({"device read", bytes, 1e-9 * (double)bytes / read, "GB/s"});
  qn_cuda_release(&bench->memory, from);
  qn_cuda_release(&bench->memory, to);
}

void measure_gathers(struct bench *bench, uint64_t count, uint64_t least, uint64_t most) {
  uint32_t *indices = allocate<uint32_t>(bench, count);
  for (uint64_t bytes = least; bytes <= most; bytes *= 2) {
    uint32_t *values = allocate<uint32_t>(bench, bytes / 4);
    QN_LAUNCH(fill_indices, full_grid(bench), THREADS, 0, NULL, indices, count,
              (uint32_t)(bytes / 4));
    const double seconds = seconds_of(bench, [&] {
      QN_LAUNCH(gather_words, full_grid(bench), THREADS, 0, NULL, indices, count, values, values);
    });
    bench->figures.push_back({"random gather", bytes, 1e-9 * (double)count / seconds, "G/s"});
    qn_cuda_release(&bench->memory, values);
  }
  qn_cuda_release(&bench->memory, indices);
}

void measure_atomics(struct bench *bench, uint32_t each, uint64_t most) {
  const double threads = (double)full_grid(bench) * THREADS;
  for (uint64_t bytes = 4096; bytes <= most; bytes *= 64) {
    uint32_t *values = allocate<uint32_t>(bench, bytes / 4);
    const double seconds = seconds_of(bench, [&] {
      QN_LAUNCH(add_global, full_grid(bench), THREADS, 0, NULL, values, (uint32_t)(bytes / 4),
                each);
    });
    bench->figures.push_back(
        {"global atomic add, random", bytes, 1e-9 * threads * each / seconds, "G/s"});
    qn_cuda_release(&bench->memory, values);
  }
  uint32_t *out = allocate<uint32_t>(bench, full_grid(bench));
  for (uint32_t limit = 1; limit <= 8192; limit *= 8192 / 32 / (limit == 1 ? 8 : 1)) {
    const double seconds = seconds_of(bench, [&] {
      QN_LAUNCH(add_shared, full_grid(bench), THREADS, 0, NULL, out, limit, each);
    });
    bench->figures.push_back(
        {"shared atomic add, random", limit * 4, 1e-9 * threads * each / seconds, "G/s"});
  }
  qn_cuda_release(&bench->memory, out);
}

void measure_bus(struct bench *bench, uint64_t bytes) {
  char *device = allocate<char>(bench, bytes);
  char *host;
  check(bench, cudaHostAlloc((void **)&host, bytes, cudaHostAllocDefault), "pinned memory");
  const double up = seconds_of(bench, [&] {
    check(bench, cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, NULL), "copying");
  });
  const double down = seconds_of(bench, [&] {
    check(bench, cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, NULL), "copying");
  });
  bench->figures.push_back({"pinned host to device", bytes, 1e-9 * (double)bytes / up, "GB/s"});
  bench->figures.push_back({"device to pinned host", bytes, 1e-9 * (double)bytes / down, "GB/s"});
  cudaFreeHost(host);
  qn_cuda_release(&bench->memory, device);
}

void print_json(const struct bench *bench) {
  const struct qn_cuda_device *device = &bench->memory.device;
  printf(
      "{\"device\": \"%s\", \"compute\": \"%d.%d\", \"multiprocessors\": %d, \"l2_bytes\": %llu, "
      "\"memory_bytes\": %llu, \"limits\": [",
      device->name, device->compute_major, device->compute_minor, device->multiprocessors,
      (unsigned long long)device->l2_bytes, (unsigned long long)device->total_bytes);
  const char *comma = "";
  for (const figure &f : bench->figures) {
    printf("%s\n  {\"what\": \"%s\", \"bytes\": %llu, \"value\": %.4g, \"unit\": \"%s\"}", comma,
           f.group, (unsigned long long)f.bytes, f.value, f.unit);
    comma = ",";
  }
  printf("\n]}\n");
}

void print_table(const struct bench *bench) {
  const struct qn_cuda_device *device = &bench->memory.device;
  printf("%s, compute capability %d.%d, %d multiprocessors, %.1f MiB of L2\n", device->name,
         device->compute_major, device->compute_minor, device->multiprocessors,
         (double)device->l2_bytes / (1 << 20));
  for (const figure &f : bench->figures)
    printf("%-30s %12.1f KiB %10.2f %s\n", f.group, (double)f.bytes / 1024, f.value, f.unit);
}

struct settings parse(int argc, char **argv) {
  struct settings settings = {false, false, 0};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--json") == 0) {
      settings.json = true;
    } else if (strcmp(argv[i], "--small") == 0) {
      settings.small = true;
    } else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc) {
      settings.device = atoi(argv[++i]);
    } else {
      fprintf(stderr, "usage: cuda-limits [--json] [--small] [--device N]\n");
      exit(QN_USAGE);
    }
  }
  return settings;
}

} /* namespace */

int main(int argc, char **argv) {
  const struct settings settings = parse(argc, argv);
  struct bench bench;
  memset(&bench.memory, 0, sizeof bench.memory);
  qn_error_clear(&bench.error);
  bench.repetitions = settings.small ? 1 : 7;
  if (qn_cuda_memory_create(&bench.memory, settings.device, 0, &bench.error))
    give_up(&bench);
  const unsigned shift = settings.small ? 14 : 0; /* enough to try the program out */
  measure_streams(&bench, (uint64_t)1 << (30 - shift));
  measure_gathers(&bench, (uint64_t)1 << (27 - shift), (uint64_t)1 << (20 - shift),
                  (uint64_t)1 << (30 - shift));
  measure_atomics(&bench, settings.small ? 4 : 1024, (uint64_t)1 << (30 - shift));
  measure_bus(&bench, (uint64_t)1 << (28 - shift));
  if (settings.json)
    print_json(&bench);
  else
    print_table(&bench);
  qn_cuda_memory_destroy(&bench.memory);
  return 0;
}
