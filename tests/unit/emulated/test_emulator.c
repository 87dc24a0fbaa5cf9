/* The emulator finds every planted bug, computes what CUDA would, and plays the
 * runtime's part: streams, events, budgets, failures, several devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include "emulator.h"
#include "emulator/planted.h"
#include "helpers/test.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_HOOKS 0
#else
#define HAS_HOOKS 1
#endif

#define SEEDS 6

static void reset(void) {
  struct emulator_options options = emulator_defaults();
  emulator_reset(&options);
}

/* Run in a child process; returns its exit code and what it wrote to stderr. */
static int in_child(void (*run)(void), char *text, size_t size) {
  int pipe_ends[2];
  assert_int_equal(pipe(pipe_ends), 0);
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    dup2(pipe_ends[1], 2);
    close(pipe_ends[0]);
    run();
    _exit(0);
  }
  close(pipe_ends[1]);
  size_t length = 0;
  for (ssize_t got; (got = read(pipe_ends[0], text + length, size - 1 - length)) > 0;)
    length += (size_t)got;
  text[length] = 0;
  close(pipe_ends[0]);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(finds_planted_bugs) {
  reset();
  static char text[1 << 16];
  for (const struct planted *bug = planted_bugs; bug->name; bug++) {
    if (bug->needs_hooks && !HAS_HOOKS)
      continue;
    int code = in_child(bug->run, text, sizeof text);
    const char *expected = !HAS_HOOKS && bug->sanitizer ? bug->sanitizer : bug->report;
    if (code == 0 || !strstr(text, expected))
      fail_msg("%s: exit code %d, expected \"%s\", got: %s", bug->name, code, expected, text);
    if (expected == bug->report)
      assert_int_equal(code, EMULATOR_EXIT_CODE);
  }
}

TEST(computes_what_cuda_would) {
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    assert_true(sound_warp_functions(seed));
    for (unsigned block = 32; block <= 1024; block *= 2)
      assert_true(sound_barriers(seed, block));
    assert_true(sound_atomics(seed));
    assert_true(sound_shared(seed));
    assert_true(sound_grid(seed));
  }
}

TEST(seeds_bring_out_order) {
  uint64_t first = first_come_order(0);
  uint32_t lost_updates = 0, orders = 0, winners = 0;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    orders += first_come_order(seed) != first;
    lost_updates += racy_counter(seed) != 2048;
    winners |= unordered_streams(seed);
    assert_int_equal(unsynchronised_read(seed), 0);
    assert_int_equal(first_come_order(seed), first_come_order(seed)); /* a seed is repeatable */
  }
  assert_int_equal(orders, 12);
  assert_int_equal(winners, 3); /* both streams won once */
  if (HAS_HOOKS)
    assert_true(lost_updates > 0);
  assert_int_equal(racy_counter(0), 2048);
}

TEST(memory_is_a_budget) {
  struct emulator_options options = emulator_defaults();
  options.device_memory = 1 << 20;
  emulator_reset(&options);
  void *first, *second;
  size_t free_bytes, total;
  assert_int_equal(cudaMalloc(&first, 600 << 10), cudaSuccess);
  assert_int_equal(cudaMemGetInfo(&free_bytes, &total), cudaSuccess);
  assert_int_equal(total, 1 << 20);
  assert_int_equal(free_bytes, (1 << 20) - (600 << 10));
  assert_int_equal(cudaMalloc(&second, 600 << 10), cudaErrorMemoryAllocation);
  assert_null(second);
  assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
  assert_int_equal(cudaGetLastError(), cudaSuccess);
  assert_int_equal(cudaFree(first), cudaSuccess);
  assert_int_equal(cudaFree(first), cudaErrorInvalidValue);
  assert_int_equal(cudaMalloc(&second, 600 << 10), cudaSuccess);
  assert_int_equal(cudaFree(second), cudaSuccess);
  assert_int_equal(emulator_peak_bytes(), 600 << 10);
  assert_int_equal(emulator_live(), 0);
}

TEST(any_call_can_fail) {
  struct emulator_options options = emulator_defaults();
  options.fail_nth = 3;
  emulator_reset(&options);
  void *memory[4] = {NULL};
  for (int i = 0; i < 4; i++)
    assert_int_equal(cudaMalloc(&memory[i], 16), i == 2 ? cudaErrorMemoryAllocation : cudaSuccess);
  assert_int_equal(emulator_calls(), 4);
  assert_int_equal(emulator_live(), 3);
  for (int i = 0; i < 4; i++)
    cudaFree(memory[i]);
  options.fail_nth = 1;
  strcpy(options.fail_name, "cudaStreamCreateWithFlags");
  emulator_reset(&options);
  cudaStream_t stream;
  assert_int_equal(cudaMalloc(&memory[0], 16), cudaSuccess);
  assert_int_not_equal(cudaStreamCreate(&stream), cudaSuccess);
  assert_int_equal(cudaFree(memory[0]), cudaSuccess);
}

TEST(a_copy_is_checked) {
  reset();
  char host[64] = {0};
  void *device;
  assert_int_equal(cudaMalloc(&device, 32), cudaSuccess);
  assert_int_equal(cudaMemcpy(device, host, 33, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  assert_int_equal(cudaMemcpy(device, host, 32, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  assert_int_equal(cudaMemcpy(host, host + 32, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  assert_int_equal(cudaMemset(device, 1, 33), cudaErrorInvalidValue);
  assert_int_equal(cudaMemset(device, 7, 32), cudaSuccess);
  assert_int_equal(cudaMemcpy(host, device, 32, cudaMemcpyDefault), cudaSuccess);
  assert_int_equal(host[31], 7);
  assert_int_equal(host[32], 0);
  cudaFree(device);
  cudaGetLastError();
}

TEST(streams_wait_for_events) {
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct emulator_options options = emulator_defaults();
    options.seed = seed;
    emulator_reset(&options);
    cudaStream_t producer, consumer;
    cudaEvent_t ready;
    int *device, *pinned;
    assert_int_equal(cudaStreamCreateWithFlags(&producer, cudaStreamNonBlocking), cudaSuccess);
    assert_int_equal(cudaStreamCreateWithFlags(&consumer, cudaStreamNonBlocking), cudaSuccess);
    assert_int_equal(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming), cudaSuccess);
    assert_int_equal(cudaMalloc((void **)&device, 4), cudaSuccess);
    assert_int_equal(cudaHostAlloc((void **)&pinned, 4, 0), cudaSuccess);
    *pinned = 0;
    cudaMemsetAsync(device, 1, 4, producer);
    cudaMemsetAsync(device, 2, 4, producer);
    cudaEventRecord(ready, producer);
    cudaMemsetAsync(device, 2, 4, producer);
    cudaStreamWaitEvent(consumer, ready, 0);
    cudaMemcpyAsync(pinned, device, 4, cudaMemcpyDeviceToHost, consumer);
    assert_int_equal(cudaStreamSynchronize(consumer), cudaSuccess);
    assert_int_equal(*pinned, 0x02020202);
    float milliseconds;
    assert_int_not_equal(cudaEventElapsedTime(&milliseconds, ready, ready), cudaSuccess);
    cudaStreamDestroy(producer);
    cudaStreamDestroy(consumer);
    cudaEventDestroy(ready);
    cudaFree(device);
    cudaFreeHost(pinned);
    cudaGetLastError();
  }
  assert_int_equal(emulator_live(), 0);
}

TEST(machines_differ) {
  struct emulator_options options = emulator_defaults();
  int count;
  options.driver = EMULATOR_DRIVER_NONE;
  emulator_reset(&options);
  assert_int_equal(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
  options.driver = EMULATOR_DRIVER_OK;
  options.devices = 0;
  emulator_reset(&options);
  assert_int_equal(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  options.devices = 3;
  options.multiprocessors = 5;
  emulator_reset(&options);
  assert_int_equal(cudaGetDeviceCount(&count), cudaSuccess);
  assert_int_equal(count, 3);
  struct cudaDeviceProp properties;
  assert_int_equal(cudaGetDeviceProperties(&properties, 2), cudaSuccess);
  assert_int_equal(properties.multiProcessorCount, 5);
  assert_int_equal(cudaGetDeviceProperties(&properties, 3), cudaErrorInvalidDevice);
  assert_int_equal(cudaSetDevice(3), cudaErrorInvalidDevice);
  void *here, *there;
  assert_int_equal(cudaMalloc(&here, 8), cudaSuccess);
  assert_int_equal(cudaSetDevice(2), cudaSuccess);
  assert_int_equal(cudaMalloc(&there, 8), cudaSuccess);
  assert_int_equal(cudaMemset(here, 3, 8), cudaSuccess);
  assert_int_equal(cudaMemcpyPeer(there, 2, here, 0, 8), cudaSuccess);
  char copy[8];
  assert_int_equal(cudaMemcpy(copy, there, 8, cudaMemcpyDeviceToHost), cudaSuccess);
  assert_int_equal(copy[7], 3);
  cudaFree(here);
  cudaFree(there);
  cudaSetDevice(0);
}

TEST_MAIN(NULL, NULL)
