/* How alike the neighbours of two vertices are, of rows of CSR, on a device: the numbers of
 * kernels/cpu/csr/kernel_similarity.c to the last bit, as only whole numbers are added up.
 *
 * A warp takes a pair: its lanes look up the vertices of the shorter row in the longer. Pairs come
 * in rounds, so that they need not fit into the device's memory beside the rows.
 *
 * Bytes: a pair moves 16 of its own and 48 of offsets and sizes, and for each edge of the shorter
 * row 4 and as many random reads of 4 as the longer one's length has bits, most of them from L2. */
#include "kernels/cuda/edges/fit_or_read.cuh"
#include "kernels/cuda/edges/run_with.cuh"
#include "kernels/similar_pairs.h"
#include "kernels/standalone_kernel.h"
#include "support/context.h"

extern "C" const struct qn_kernel qn_kernel_similarity_csr_cuda;

#define LEAST_PAIRS ((uint64_t)4096) /* of a round, if there are as many */
#ifndef ROUND_PAIRS
#define ROUND_PAIRS ((uint64_t)1 << 22)
#endif
#define PAIR_WARPS (QN_QUEUE_THREADS / 32)

namespace {

struct pairs_at_hand {
  struct qn_csr csr;
  enum qn_measure measure;
  const uint32_t *sizes; /* [V] */
  uint64_t count;
  uint32_t *first, *second; /* [count] */
  double *values;           /* [count] */
};

__global__ void compare(const struct pairs_at_hand pairs) {
  const uint64_t *offsets = pairs.csr.row_offsets;
  for (uint64_t i = (uint64_t)blockIdx.x * PAIR_WARPS + qn_warp(); i < pairs.count;
       i += (uint64_t)gridDim.x * PAIR_WARPS) {
    const uint32_t u = pairs.first[i], v = pairs.second[i];
    const bool is_shorter = offsets[u + 1] - offsets[u] < offsets[v + 1] - offsets[v];
    const uint32_t row = is_shorter ? u : v, other = is_shorter ? v : u;
    uint32_t common = 0;
    for (uint64_t edge = offsets[row] + qn_lane(); edge < offsets[row + 1]; edge += 32)
      common += !qn_is_repeated(&pairs.csr, offsets[row], edge) &&
                qn_row_contains(&pairs.csr, other, pairs.csr.column_indices[edge]);
    for (int step = 16; step > 0; step /= 2)
      common += __shfl_xor_sync(QN_FULL_WARP, common, step);
    if (qn_lane() == 0)
      pairs.values[i] = qn_similarity(pairs.measure, pairs.sizes[u], pairs.sizes[v], common);
  }
}

struct similarity_work {
  const struct qn_run_request *request;
  struct qn_cuda_memory *memory;
  struct qn_run_result *result;
  struct qn_similar_pairs pairs;
  struct pairs_at_hand round;
  uint64_t round_pairs;
  double *values; /* [num_pairs] */
};

/* Of a round: they take half of what is left beside the vertices at most, unless that is so little
 * that rounds would take longer than their pairs. */
uint64_t pairs_at_once(const struct qn_cuda_memory *memory, uint64_t num_pairs, uint64_t fixed) {
  const uint64_t room = qn_cuda_plannable_bytes(&memory->device, memory->cap);
  const uint64_t fitting = room > fixed ? (room - fixed) / 32 : 0;
  uint64_t count = num_pairs < ROUND_PAIRS ? num_pairs : ROUND_PAIRS;
  const uint64_t least = count < LEAST_PAIRS ? count : LEAST_PAIRS;
  return count < fitting ? count : fitting > least ? fitting : least;
}

enum qn_status create(struct similarity_work *work, struct qn_error *error) {
  const struct qn_run_request *request = work->request;
  const struct qn_csr *csr = &((const struct qn_graph *)request->view)->out;
  struct qn_cuda_memory *memory = work->memory;
  struct pairs_at_hand *round = &work->round;
  const uint64_t V = csr->num_vertices;
  enum qn_status status = qn_similar_pairs_create(request, &work->pairs, error);
  if (status)
    return status;
  const uint64_t num_pairs = work->pairs.num_pairs, fixed = 8 * (V + 1) + 4 * V + 64;
  work->round_pairs = pairs_at_once(memory, num_pairs, fixed);
  round->measure = work->pairs.measure;
  status = qn_run_fit_or_read(memory, request, "similarity",
                              fixed + 4 * csr->num_edges + 16 * work->round_pairs,
                              4 * csr->num_edges, 0, error);
  if (!status)
    status = qn_pages_alloc(&work->values, num_pairs, sizeof *work->values, "similarities", error);
  if (!status)
    status = qn_run_rows_of(memory, csr, &round->csr, error);
  if (!status)
    status = qn_cuda_copy_of(memory, &round->sizes, work->pairs.sizes, V, 0, sizeof *round->sizes,
                             "sizes of rows", error);
  if (status)
    return status;
  status =
      qn_cuda_alloc(memory, &round->first, work->round_pairs, sizeof *round->first, "pairs", error);
  if (!status)
    status = qn_cuda_alloc(memory, &round->second, work->round_pairs, sizeof *round->second,
                           "pairs", error);
  if (!status)
    status = qn_cuda_alloc(memory, &round->values, work->round_pairs, sizeof *round->values,
                           "similarities", error);
  return status;
}

/* Pairs [first, first + the round's count). */
enum qn_status compare_round(struct similarity_work *work, uint64_t first, struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  const struct pairs_at_hand &round = work->round;
  enum qn_status status = qn_cuda_upload(memory, round.first, work->pairs.first + first,
                                         round.count, sizeof *round.first, "pairs", error);
  if (!status)
    status = qn_cuda_upload(memory, round.second, work->pairs.second + first, round.count,
                            sizeof *round.second, "pairs", error);
  if (status)
    return status;
  QN_LAUNCH(compare, qn_grid(round.count, PAIR_WARPS, memory->device.multiprocessors, 8),
            QN_QUEUE_THREADS, 0, NULL, round);
  status = qn_cuda_launched("comparing rows", error);
  return status ? status
                : qn_cuda_download(memory, work->values + first, round.values, round.count,
                                   sizeof *round.values, "similarities", error);
}

enum qn_status compare_all(struct similarity_work *work, struct qn_error *error) {
  const uint64_t num_pairs = work->pairs.num_pairs;
  enum qn_status status = QN_OK;
  for (uint64_t first = 0; !status && first < num_pairs; first += work->round_pairs) {
    const uint64_t left = num_pairs - first;
    work->round.count = left < work->round_pairs ? left : work->round_pairs;
    status = qn_context_check(error);
    if (!status)
      status = compare_round(work, first, error);
  }
  return status;
}

enum qn_status finish(struct similarity_work *work, enum qn_status status, struct qn_error *) {
  work->result->stats.iterations = 1;
  work->result->stats.converged = true;
  if (!status)
    qn_similar_pairs_give(&work->pairs, &work->values, work->result);
  qn_pages_free(work->values, work->pairs.num_pairs, sizeof *work->values);
  qn_similar_pairs_destroy(&work->pairs);
  return status;
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  return qn_run_with(request, create, compare_all, finish, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_similarity_csr_cuda =
    QN_SIMILARITY_KERNEL("csr, a warp a pair", QN_LAYOUT_GRAPH, QN_CUDA, run);
