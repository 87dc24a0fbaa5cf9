/* How fast a device decodes packed rows, when nothing else is done with the columns than to add
 * them up, and how fast when 4 bytes are gathered by each of them.
 *
 *   packed-decoding PACKED.qrn [REPETITIONS]
 *
 * Prints one JSON object; seconds are the least of the repetitions, timed by events on the device.
 * The exit code is 1 if the columns are not those that a CPU decodes. */
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QN_KERNEL qn_kernel_packed_decoding /* not made: a program completes what is included */
#include "kernels/programs/indegree.h"

#include "formats/layouts/packed_tile.h"
#include "kernels/cuda/packed/decode.cuh"
#include "kernels/engine.h"

namespace {

struct qn_error error;
struct qn_cuda_memory memory;

void check(enum qn_status status) {
  char text[1280];
  if (!status)
    return;
  fprintf(stderr, "packed-decoding: %s\n", qn_error_text(&error, text, sizeof text));
  exit(status);
}

void check(cudaError_t result) {
  check(qn_cuda_status(result, "a CUDA call", &error));
}

template <class T> const T *upload(const T *host, uint64_t count) {
  const T *device;
  check(qn_cuda_copy_of(&memory, &device, host, count, 0, sizeof(T), "tiles", &error));
  return device;
}

/* Depends on every column and its place. */
QN_DEVICE_INLINE uint32_t packed_weigh(uint32_t sum, uint64_t edge, uint32_t column) {
  return sum + column * (2 * (uint32_t)edge + 1);
}

template <bool gathers>
__global__ void __launch_bounds__(PACKED_THREADS, 6)
    decode_tiles(const struct packed_tiles tiles, const float *values, uint32_t *sums) {
  const uint64_t tile = blockIdx.x;
  struct packed_edges edges;
  packed_decode(tiles.num_vertices, packed_place_of(tiles, tile), &edges);
  const uint64_t first = tiles.edges[tile] + threadIdx.x * PACKED_ITEMS;
  uint32_t sum = 0;
  float gathered = 0;
  QN_UNROLL
  for (uint32_t i = 0; i < PACKED_ITEMS; i++) {
    if (gathers)
      gathered += values[edges.columns[i]];
    else if (i < edges.count)
      sum = packed_weigh(sum, first + i, edges.columns[i]);
  }
  for (int step = 16; step > 0 && !gathers; step /= 2)
    sum += __shfl_xor_sync(QN_FULL_WARP, sum, step);
  if (gathers ? gathered != 0 : qn_lane() == 0)
    atomicAdd(&sums[tile % 1024], sum + gathers);
}

/* The least of some. */
template <class Launch> double seconds_of(int repetitions, Launch launch) {
  cudaEvent_t begin, end;
  double least = 1e9;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  for (int i = 0; i <= repetitions; i++) { /* the first warms up */
    float milliseconds;
    check(cudaEventRecord(begin, NULL));
    launch();
    check(cudaEventRecord(end, NULL));
    check(cudaEventSynchronize(end));
    check(cudaGetLastError());
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    least = i > 0 ? std::min(least, milliseconds * 1e-3) : least;
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return least;
}

uint32_t expected_sum(const struct qn_packed_rows *rows) {
  struct qn_packed_tile *tile = (struct qn_packed_tile *)malloc(sizeof *tile);
  uint32_t sum = 0;
  for (uint64_t i = 0; tile && i < rows->num_tiles; i++) {
    qn_packed_decode(rows, i, tile);
    for (uint32_t edge = 0; edge < tile->num_edges; edge++)
      sum += tile->columns[edge] * (2 * (uint32_t)(tile->first_edge + edge) + 1);
  }
  free(tile);
  return sum;
}

} /* namespace */

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "usage: packed-decoding PACKED.qrn [REPETITIONS]\n");
    return QN_USAGE;
  }
  const int repetitions = argc > 2 ? std::max(1, atoi(argv[2])) : 10;
  struct qn_packed view;
  struct packed_tiles tiles;
  float *values;
  uint32_t *sums, parts[1024], sum = 0;
  memset(&tiles, 0, sizeof tiles);
  check(qn_packed_map(argv[1], &view, &error));
  const struct qn_packed_rows *rows = view.has_out ? &view.out : &view.in;
  if (rows->num_edges == 0)
    check(qn_fail(&error, QN_USAGE, "%s has no edges", argv[1]));
  const unsigned blocks = (unsigned)rows->num_tiles;
  check(qn_cuda_memory_create(&memory, 0, 0, &error));
  tiles.num_vertices = rows->num_vertices;
  tiles.num_tiles = rows->num_tiles;
  tiles.rows = upload(rows->tile_rows, rows->num_tiles + 1);
  tiles.edges = upload(rows->tile_edges, rows->num_tiles + 1);
  tiles.starts = upload(rows->tile_starts, rows->num_tiles + 1);
  tiles.words = upload(rows->words, rows->num_words);
  tiles.num_words = rows->num_words - QN_PACKED_PADDING;
  check(
      qn_cuda_alloc_zeroed(&memory, &values, rows->num_vertices, sizeof *values, "values", &error));
  check(qn_cuda_alloc_zeroed(&memory, &sums, 1024, sizeof *sums, "sums", &error));
  const double decoding = seconds_of(repetitions, [&] {
    QN_LAUNCH((decode_tiles<false>), blocks, PACKED_THREADS, 0, NULL, tiles, values, sums);
  });
  check(qn_cuda_download(&memory, parts, sums, 1024, sizeof *parts, "sums", &error));
  const double gathering = seconds_of(repetitions, [&] {
    QN_LAUNCH((decode_tiles<true>), blocks, PACKED_THREADS, 0, NULL, tiles, values, sums);
  });
  for (uint32_t part : parts)
    sum += part;
  const bool right = sum == expected_sum(rows) * (uint32_t)(repetitions + 1);
  printf("{\"edges\": %llu, \"bits_per_edge\": %.2f, \"decoding_seconds\": %.6g, "
         "\"gathering_seconds\": %.6g, \"right\": %s}\n",
         (unsigned long long)rows->num_edges,
         32.0 * (double)rows->num_words / (double)rows->num_edges, decoding, gathering,
         right ? "true" : "false");
  qn_cuda_memory_destroy(&memory);
  qn_packed_unmap(&view);
  return right ? 0 : QN_NEGATIVE;
}
