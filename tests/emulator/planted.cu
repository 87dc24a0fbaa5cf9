#include "planted.h"

#include "emulator.h"
#include "kernels/cuda/device/launch.cuh"

#include <cstdio>
#include <vector>

namespace {

template <class T> struct device_array {
  T *data = nullptr;
  explicit device_array(size_t count, bool zeroed = true) {
    cudaMalloc(&data, count * sizeof(T));
    if (zeroed)
      cudaMemset(data, 0, count * sizeof(T));
  }
  ~device_array() { cudaFree(data); }
  std::vector<T> read(size_t count) const {
    std::vector<T> host(count);
    cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
  }
};

void reset(uint64_t seed, int devices = 1) {
  emulator_options options = emulator_defaults();
  options.seed = seed;
  options.devices = devices;
  emulator_reset(&options);
}

/* Kernels with a bug */

__global__ void two_barriers(int *out) {
  if (threadIdx.x < 40) {
    out[threadIdx.x] = 1;
    __syncthreads();
  } else {
    out[threadIdx.x] = 2;
    __syncthreads();
  }
}

__global__ void barrier_and_warp() {
  if (threadIdx.x == 3)
    __syncthreads();
  else
    __syncwarp();
}

__global__ void lane_has_ended(int *out) {
  if (threadIdx.x == 5)
    return;
  out[threadIdx.x] = __shfl_sync(QN_FULL_WARP, int(threadIdx.x), 0);
}

__global__ void mask_without_self(int *out) {
  out[threadIdx.x] = __shfl_sync(0x1u, int(threadIdx.x), 0);
}

__global__ void read_past(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i + 1];
}

__global__ void write_before(int *out) {
  out[int(threadIdx.x) - 1] = 1;
}

__global__ void copy_one(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x];
}

__global__ void read_words(const char *in, int *out) {
  out[0] = *reinterpret_cast<const int *>(in + 1);
}

__global__ void shared_unwritten(int *out) {
  QN_SHARED(int, box, 64);
  if (threadIdx.x < 63)
    box[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = box[threadIdx.x];
}

__global__ void shared_past(int *out) {
  QN_SHARED(int, box, 64);
  QN_SHARED(int, other, 64);
  box[threadIdx.x] = 1;
  other[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = box[threadIdx.x + 1];
}

__global__ void dynamic_past(int *out) {
  QN_SHARED_DYNAMIC(int, box);
  box[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = box[threadIdx.x];
}

__global__ void missing_barrier(int *out) {
  QN_SHARED(int, box, 64);
  box[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = threadIdx.x < 32 ? 0 : box[threadIdx.x - 32];
}

__global__ void missing_syncwarp(int *out) {
  QN_SHARED(int, box, 32);
  box[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = box[threadIdx.x & 30];
}

__global__ void missing_second_barrier(int *out) {
  QN_SHARED(int, total, 1);
  for (int round = 0; round < 2; round++) {
    if (threadIdx.x == 0)
      total[0] = round;
    __syncthreads();
    out[threadIdx.x] = total[0];
  }
}

__global__ void two_writers(int *out) {
  QN_SHARED(int, box, 1);
  box[0] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = box[0];
}

__global__ void counter_read_early(int *out) {
  QN_SHARED(int, counter, 1);
  if (threadIdx.x == 0)
    counter[0] = 0;
  __syncthreads();
  atomicAdd(&counter[0], 1);
  out[threadIdx.x] = counter[0];
}

__global__ void foreign_stack(int *out) {
  QN_SHARED(int *, pointer, 1);
  int mine = threadIdx.x;
  if (threadIdx.x == 0)
    pointer[0] = &mine;
  __syncthreads();
  out[threadIdx.x] = *pointer[0];
  __syncthreads();
  out[threadIdx.x] += mine;
}

/* Their launches */

void run_two_barriers() {
  device_array<int> out(64);
  QN_LAUNCH(two_barriers, 1, 64, 0, nullptr, out.data);
  cudaDeviceSynchronize();
}
void run_barrier_and_warp() {
  QN_LAUNCH(barrier_and_warp, 1, 32, 0, nullptr);
  cudaDeviceSynchronize();
}
void run_lane_has_ended() {
  device_array<int> out(32);
  QN_LAUNCH(lane_has_ended, 1, 32, 0, nullptr, out.data);
  cudaDeviceSynchronize();
}
void run_mask_without_self() {
  device_array<int> out(32);
  QN_LAUNCH(mask_without_self, 1, 32, 0, nullptr, out.data);
  cudaDeviceSynchronize();
}
void run_read_past() {
  device_array<int> in(100), out(100);
  QN_LAUNCH(read_past, 4, 32, 0, nullptr, in.data, out.data, 100);
  cudaDeviceSynchronize();
}
void run_write_before() {
  device_array<int> out(32);
  QN_LAUNCH(write_before, 1, 32, 0, nullptr, out.data);
  cudaDeviceSynchronize();
}
void run_use_after_free() {
  device_array<int> out(32);
  int *in;
  cudaMalloc(&in, 128);
  cudaMemset(in, 0, 128);
  cudaFree(in);
  QN_LAUNCH(copy_one, 1, 32, 0, nullptr, in, out.data);
  cudaDeviceSynchronize();
}
void run_device_unwritten() {
  device_array<int> in(32, false), out(32);
  QN_LAUNCH(copy_one, 1, 32, 0, nullptr, in.data, out.data);
  cudaDeviceSynchronize();
}
void run_host_pointer() {
  device_array<int> out(32);
  std::vector<int> in(32);
  QN_LAUNCH(copy_one, 1, 32, 0, nullptr, in.data(), out.data);
  cudaDeviceSynchronize();
}
void run_device_pointer_on_host() {
  device_array<int> in(32);
  cudaDeviceSynchronize();
  volatile int *data = in.data;
  std::printf("%d\n", data[3]);
}
void run_misaligned() {
  device_array<char> in(32);
  device_array<int> out(1);
  QN_LAUNCH(read_words, 1, 1, 0, nullptr, in.data, out.data);
  cudaDeviceSynchronize();
}
void run_other_device() {
  reset(0, 2);
  device_array<int> in(32);
  cudaSetDevice(1);
  device_array<int> out(32);
  QN_LAUNCH(copy_one, 1, 32, 0, nullptr, in.data, out.data);
  cudaDeviceSynchronize();
}
template <class Kernel> void run_shared(Kernel kernel, unsigned threads, size_t dynamic = 0) {
  device_array<int> out(threads);
  QN_LAUNCH(kernel, 1, threads, dynamic, nullptr, out.data);
  cudaDeviceSynchronize();
}
void run_shared_unwritten() {
  run_shared(shared_unwritten, 64);
}
void run_shared_past() {
  run_shared(shared_past, 64);
}
void run_dynamic_past() {
  run_shared(dynamic_past, 64, 63 * sizeof(int));
}
void run_missing_barrier() {
  run_shared(missing_barrier, 64);
}
void run_missing_syncwarp() {
  run_shared(missing_syncwarp, 32);
}
void run_missing_second_barrier() {
  run_shared(missing_second_barrier, 64);
}
void run_two_writers() {
  run_shared(two_writers, 64);
}
void run_counter_read_early() {
  run_shared(counter_read_early, 64);
}
void run_foreign_stack() {
  run_shared(foreign_stack, 64);
}
void run_leak() {
  int *lost;
  cudaMalloc(&lost, 400);
  std::exit(0);
}
/* Sound kernels */

__global__ void warp_functions(uint32_t *errors, uint32_t salt) {
  const unsigned lane = threadIdx.x % 32;
  uint32_t value = (threadIdx.x + 1) * 2654435761u + salt;
  unsigned wrong = 0;
  auto of = [=](unsigned l) { return ((threadIdx.x & ~31u) + l + 1) * 2654435761u + salt; };
  wrong += __shfl_sync(QN_FULL_WARP, value, 7) != of(7);
  wrong += __shfl_sync(QN_FULL_WARP, value, 3, 8) != of((lane & 24) + 3);
  wrong += __shfl_up_sync(QN_FULL_WARP, value, 3) != of(lane < 3 ? lane : lane - 3);
  wrong +=
      __shfl_down_sync(QN_FULL_WARP, value, 5, 16) != of((lane & 15) + 5 < 16 ? lane + 5 : lane);
  wrong += __shfl_xor_sync(QN_FULL_WARP, value, 9) != of(lane ^ 9);
  wrong += __shfl_xor_sync(QN_FULL_WARP, double(lane), 1) != double(lane ^ 1);
  wrong += __ballot_sync(QN_FULL_WARP, lane % 3 == 0) != 0x49249249u;
  wrong += __any_sync(QN_FULL_WARP, lane == 31) != 1;
  wrong += __all_sync(QN_FULL_WARP, lane < 31) != 0;
  wrong += __match_any_sync(QN_FULL_WARP, lane / 4) != 0xfu << (lane / 4 * 4);
  int equal;
  wrong += __match_all_sync(QN_FULL_WARP, 17u, &equal) != QN_FULL_WARP || !equal;
  wrong += __match_all_sync(QN_FULL_WARP, lane / 16, &equal) != 0 || equal;
  wrong += __reduce_add_sync(QN_FULL_WARP, lane) != 496;
  wrong += __reduce_min_sync(QN_FULL_WARP, int(lane) - 16) != -16;
  wrong += __reduce_max_sync(QN_FULL_WARP, int(lane) - 40) != -9;
  wrong += __reduce_and_sync(QN_FULL_WARP, lane | 64) != 64;
  wrong += __reduce_or_sync(QN_FULL_WARP, lane) != 31;
  wrong += __reduce_xor_sync(QN_FULL_WARP, lane + 1) != 32;
  if (lane % 2 == 0) /* half the lanes among themselves */
    wrong += __reduce_add_sync(0x55555555u, 1u) != 16;
  else
    wrong += __shfl_sync(0xaaaaaaaau, lane, 31) != 31;
  __syncwarp();
  unsigned alone = __activemask();
  wrong += !(alone >> lane & 1u);
  if (wrong)
    atomicAdd(errors, wrong);
}

__global__ void barriers(uint32_t *errors) {
  const unsigned n = blockDim.x;
  if (threadIdx.x == n - 1)
    return; /* a thread that has ended is not waited for */
  uint32_t wrong = 0;
  for (int round = 0; round < 3; round++) {
    wrong += __syncthreads_count(threadIdx.x % 2 == 0) != int(n / 2);
    wrong += __syncthreads_or(threadIdx.x == 1000000) != 0;
    wrong += __syncthreads_or(threadIdx.x == 1) == 0;
    wrong += __syncthreads_and(threadIdx.x < n) == 0;
    wrong += __syncthreads_and(threadIdx.x > 0) != 0;
  }
  if (wrong)
    atomicAdd(errors, wrong);
}

__global__ void atomics(uint32_t *words, unsigned long long *wides, float *real,
                        double *wide_real) {
  const uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&words[0], id);
  atomicMin(&words[1], 1000 - id);
  atomicMax(&words[2], id);
  atomicOr(&words[3], 1u << id % 32);
  atomicAnd(&words[4], ~(1u << id % 16));
  uint32_t seen = words[5], expected;
  do { /* a sum by compare-and-swap */
    expected = seen;
    seen = atomicCAS(&words[5], expected, expected + id);
  } while (seen != expected);
  atomicXor(&words[6], id);
  atomicSub(&words[7], 1u);
  atomicAdd(&wides[0], (unsigned long long)id << 32);
  atomicMax(&wides[1], (unsigned long long)id << 40);
  atomicExch(&wides[2], 99ull);
  atomicAdd(real, 1.0f);
  atomicAdd(wide_real, 0.5);
}

/* Every synchronised use of shared memory, and two writers of the same value. */
__global__ void shared_sums(const uint32_t *in, uint32_t *out) {
  QN_SHARED(uint32_t, parts, 4);
  QN_SHARED(uint32_t, flag, 1);
  QN_SHARED_DYNAMIC(uint32_t, copy);
  copy[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  flag[0] = 7;
  __syncthreads();
  uint32_t value = copy[blockDim.x - 1 - threadIdx.x] + flag[0] - 7;
  __syncthreads();
  copy[threadIdx.x] = value;
  __syncwarp();
  value = copy[threadIdx.x ^ 1];
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync(QN_FULL_WARP, value, step);
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = parts[0] + parts[1] + parts[2] + parts[3];
}

__global__ void cover(uint32_t *visits, dim3 grid, dim3 block) {
  uint64_t b = (uint64_t(blockIdx.z) * grid.y + blockIdx.y) * grid.x + blockIdx.x;
  uint64_t t = (uint64_t(threadIdx.z) * block.y + threadIdx.y) * block.x + threadIdx.x;
  visits[b * block.x * block.y * block.z + t] += 1;
}

__global__ void add_without_atomic(uint32_t *counter) {
  uint32_t seen = counter[0];
  counter[0] = seen + 1;
}

__global__ void come(uint32_t *count, uint32_t *order) {
  order[atomicAdd(count, 1u)] = threadIdx.x + blockIdx.x * blockDim.x;
}

__global__ void store(uint32_t *out, uint32_t value) {
  *out = value;
}

} /* namespace */

const struct planted planted_bugs[] = {
    {"two barriers", run_two_barriers, "barrier divergence", false, nullptr},
    {"barrier against warp function", run_barrier_and_warp, "barrier divergence", false, nullptr},
    {"lane has ended", run_lane_has_ended, "names lane 5, which has ended", false, nullptr},
    {"mask without self", run_mask_without_self, "leaves out the calling lane 1", false, nullptr},
    {"read past the end", run_read_past,
     "thread (3,0,0): out of bounds: reads 4 bytes 0 bytes past", false, "use-after-poison"},
    {"write before the start", run_write_before, "out of bounds: writes 4 bytes", false,
     "AddressSanitizer"},
    {"use after free", run_use_after_free, "freed or never allocated", false, "use-after-poison"},
    {"device memory nobody wrote", run_device_unwritten, "reads device memory that nobody wrote",
     true, nullptr},
    {"host pointer in a kernel", run_host_pointer, "reads host memory", true, nullptr},
    {"device pointer on the host", run_device_pointer_on_host, "host code dereferences", false,
     nullptr},
    {"misaligned", run_misaligned, "misaligned read of 4 bytes", false, "misaligned address"},
    {"another device's memory", run_other_device, "without peer access", true, nullptr},
    {"shared memory nobody wrote", run_shared_unwritten,
     "reads shared memory that nobody wrote, at byte", true, nullptr},
    {"past a shared array", run_shared_past, "outside every array", false, "out of bounds"},
    {"past dynamic shared memory", run_dynamic_past, "outside every array", false,
     "use-after-poison"},
    {"missing barrier", run_missing_barrier, "race in shared memory", true, nullptr},
    {"missing syncwarp", run_missing_syncwarp, "race in shared memory", true, nullptr},
    {"missing second barrier", run_missing_second_barrier, "race in shared memory", true, nullptr},
    {"two writers", run_two_writers, "race in shared memory", true, nullptr},
    {"counter read early", run_counter_read_early, "race in shared memory", true, nullptr},
    {"another thread's stack", run_foreign_stack, "reads host memory", true, nullptr},
    {"leak", run_leak, "were not given back", false, nullptr},
    {nullptr, nullptr, nullptr, false, nullptr}};

bool sound_warp_functions(uint64_t seed) {
  reset(seed);
  device_array<uint32_t> errors(1);
  QN_LAUNCH(warp_functions, 3, 96, 0, nullptr, errors.data, uint32_t(seed));
  return errors.read(1)[0] == 0;
}

bool sound_barriers(uint64_t seed, unsigned block) {
  reset(seed);
  device_array<uint32_t> errors(1);
  QN_LAUNCH(barriers, 5, block, 0, nullptr, errors.data);
  return errors.read(1)[0] == 0;
}

bool sound_atomics(uint64_t seed) {
  reset(seed);
  const uint32_t n = 512, words_at_first[8] = {0, UINT32_MAX, 0, 0, UINT32_MAX, 0, 0, n};
  device_array<uint32_t> words(8);
  device_array<unsigned long long> wides(3);
  device_array<float> real(1);
  device_array<double> wide_real(1);
  cudaMemcpy(words.data, words_at_first, sizeof words_at_first, cudaMemcpyHostToDevice);
  QN_LAUNCH(atomics, 4, 128, 0, nullptr, words.data, wides.data, real.data, wide_real.data);
  std::vector<uint32_t> w = words.read(8);
  std::vector<unsigned long long> l = wides.read(3);
  const uint32_t sum = n * (n - 1) / 2;
  return w[0] == sum && w[1] == 1000 - (n - 1) && w[2] == n - 1 && w[3] == UINT32_MAX &&
         w[4] == 0xffff0000u && w[5] == sum && w[6] == 0 && w[7] == 0 &&
         l[0] == (unsigned long long)sum << 32 && l[1] == 511ull << 40 && l[2] == 99 &&
         real.read(1)[0] == 512.0f && wide_real.read(1)[0] == 256.0;
}

bool sound_shared(uint64_t seed) {
  reset(seed);
  const unsigned blocks = 6, threads = 128;
  std::vector<uint32_t> in(blocks * threads);
  for (size_t i = 0; i < in.size(); i++)
    in[i] = uint32_t(i * i);
  device_array<uint32_t> device_in(in.size()), out(blocks);
  cudaMemcpy(device_in.data, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
  QN_LAUNCH(shared_sums, blocks, threads, threads * 4, nullptr, device_in.data, out.data);
  std::vector<uint32_t> sums = out.read(blocks);
  for (unsigned block = 0; block < blocks; block++) {
    uint32_t expected = 0;
    for (unsigned i = 0; i < threads; i++)
      expected += in[block * threads + i];
    if (sums[block] != expected)
      return false;
  }
  return true;
}

bool sound_grid(uint64_t seed) {
  reset(seed);
  const dim3 grid(3, 2, 4), block(8, 3, 2);
  const size_t count = 24 * 48;
  device_array<uint32_t> visits(count);
  QN_LAUNCH(cover, grid, block, 0, nullptr, visits.data, grid, block);
  for (uint32_t visit : visits.read(count))
    if (visit != 1)
      return false;
  return true;
}

uint32_t racy_counter(uint64_t seed) {
  reset(seed);
  device_array<uint32_t> counter(1);
  QN_LAUNCH(add_without_atomic, 8, 256, 0, nullptr, counter.data);
  return counter.read(1)[0];
}

uint64_t first_come_order(uint64_t seed) {
  reset(seed);
  device_array<uint32_t> count(1), order(256);
  QN_LAUNCH(come, 4, 64, 0, nullptr, count.data, order.data);
  uint64_t hash = 0;
  for (uint32_t id : order.read(256))
    hash = hash * 0x100000001b3ull + id;
  return hash;
}

uint32_t unsynchronised_read(uint64_t seed) {
  reset(seed);
  uint32_t *host;
  cudaHostAlloc(&host, sizeof *host, cudaHostAllocDefault);
  *host = 0;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  device_array<uint32_t> out(1);
  QN_LAUNCH(store, 1, 1, 0, stream, out.data, 5u);
  cudaMemcpyAsync(host, out.data, sizeof *host, cudaMemcpyDeviceToHost, stream);
  uint32_t early = *host;
  cudaStreamSynchronize(stream);
  uint32_t late = *host;
  cudaStreamDestroy(stream);
  cudaFreeHost(host);
  return early == 5 || late != 5;
}

uint32_t unordered_streams(uint64_t seed) {
  reset(seed);
  cudaStream_t streams[2];
  device_array<uint32_t> out(1);
  cudaDeviceSynchronize();
  for (uint32_t i = 0; i < 2; i++) {
    cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
    QN_LAUNCH(store, 1, 1, 0, streams[i], out.data, i + 1);
  }
  cudaDeviceSynchronize();
  uint32_t last = out.read(1)[0];
  cudaStreamDestroy(streams[0]);
  cudaStreamDestroy(streams[1]);
  return last;
}
