/* What the benchmarks of single kernels have in common: arrays on the device, the median time of a
 * launch, how far sums are from the host's, and one JSON object of all ways that were measured. */
#pragma once

#include <algorithm>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <vector>

#include "kernels/cuda/device/block.cuh"
#include "kernels/cuda/device/memory.cuh"

namespace {

struct qn_error error;
struct qn_cuda_memory memory;
int repetitions;

[[noreturn]] void give_up() {
  char text[1280];
  fprintf(stderr, "%s\n", qn_error_text(&error, text, sizeof text));
  exit(error.status);
}

void check(enum qn_status status) {
  if (status)
    give_up();
}

void check(cudaError_t result) {
  check(qn_cuda_status(result, "a CUDA call", &error));
}

/* Open the device; the repetitions are an argument of the program. */
void begin_bench(const char *repetitions_wanted) {
  repetitions = repetitions_wanted ? std::max(1, atoi(repetitions_wanted)) : 5;
  memset(&memory, 0, sizeof memory);
  qn_error_clear(&error);
  check(qn_cuda_memory_create(&memory, 0, 0, &error));
}

template <class T> const T *upload(const T *from, uint64_t count, const char *what) {
  T *device;
  check(qn_cuda_copy_of(&memory, &device, from, count, 0, sizeof(T), what, &error));
  return device;
}

template <class T> T *allocate(uint64_t count, const char *what) {
  T *device;
  check(qn_cuda_alloc_zeroed(&memory, &device, count, sizeof(T), what, &error));
  return device;
}

template <class T> std::vector<T> download(const T *device, uint64_t count, const char *what) {
  std::vector<T> values(count);
  check(qn_cuda_download(&memory, values.data(), device, count, sizeof(T), what, &error));
  return values;
}

/* The median of the seconds of `work`, by the device's clock; `prepare` goes before each. Both
 * enqueue in the default stream, or in streams that wait for it. */
template <class Prepare, class Work> double seconds_of(Prepare prepare, Work work) {
  std::vector<double> times;
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  for (int i = -1; i < repetitions; i++) { /* the first warms up */
    float milliseconds = 0;
    prepare();
    check(cudaEventRecord(begin, NULL));
    work();
    check(cudaEventRecord(end, NULL));
    check(cudaEventSynchronize(end));
    check(cudaGetLastError());
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    if (i >= 0)
      times.push_back(1e-3 * milliseconds);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/* A value for each vertex that float adds up exactly enough to compare. */
std::vector<float> messages_for(uint64_t num_vertices) {
  std::vector<float> messages(num_vertices);
  for (uint64_t v = 0; v < num_vertices; v++)
    messages[v] = 1.0f / (float)(1 + v % 1021);
  return messages;
}

/* Each row's sum of its neighbours' messages, times weights [E] unless these are NULL. */
std::vector<double> sums_of(const struct qn_csr *rows, const float *messages,
                            const float *weights) {
  std::vector<double> sums(rows->num_vertices);
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t v = 0; v < rows->num_vertices; v++)
    for (uint64_t edge = rows->row_offsets[v]; edge < rows->row_offsets[v + 1]; edge++)
      sums[v] += (double)messages[rows->column_indices[edge]] * (weights ? weights[edge] : 1);
  return sums;
}

/* The largest share by which a sum is another than the host's. */
double worst_of(const std::vector<double> &expected, const std::vector<float> &found) {
  double worst = 0;
  for (uint64_t v = 0; v < expected.size(); v++)
    worst = std::max(worst, fabs(expected[v] - found[v]) / std::max(expected[v], 1e-30));
  return worst;
}

/* ---- What is printed ------------------------------------------------------------- */

struct measured_way {
  std::string name;
  double seconds;
  double worst;     /* of real sums; of exact results 0, or 1 if they are wrong */
  std::string more; /* further keys */
};

void print_ways(uint64_t num_vertices, uint64_t num_edges, const std::vector<measured_way> &ways) {
  printf("{\"vertices\": %llu, \"edges\": %llu, \"ways\": [", (unsigned long long)num_vertices,
         (unsigned long long)num_edges);
  for (size_t i = 0; i < ways.size(); i++)
    printf("%s\n {\"way\": \"%s\", \"seconds\": %.9g, \"worst\": %.3g%s}", i ? "," : "",
           ways[i].name.c_str(), ways[i].seconds, ways[i].worst, ways[i].more.c_str());
  printf("]}\n");
}

} /* namespace */
