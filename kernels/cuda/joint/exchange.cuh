/* New values, and which vertices are active, between the host and the device: a range of rows each
 * way, both at once, and only to who needs them. Part of shards.cuh. */
#ifndef QN_KERNELS_CUDA_JOINT_EXCHANGE_CUH
#define QN_KERNELS_CUDA_JOINT_EXCHANGE_CUH

#include "kernels/cuda/joint/state.cuh"

namespace {

/* Rows [begin, end), where begin is a multiple of 64, and end is one or V. */
struct row_range {
  uint64_t begin, end;
};

inline uint64_t first_word(struct row_range rows) {
  return rows.begin / 32;
}

inline uint64_t range_words(struct row_range rows) {
  return (rows.end + 31) / 32 - rows.begin / 32;
}

/* Values, and, unless `bits` is NULL, its words, between the host and the device, where the bits
 * are `device_bits`. */
inline cudaError_t start_exchange(struct beside_run *beside, struct row_range rows, uint64_t *bits,
                                  uint32_t *device_bits, bool upwards) {
  const struct sweep_state *state = &beside->run->state;
  program_value *values = (program_value *)beside->side->values + rows.begin;
  const uint64_t bytes = (rows.end - rows.begin) * sizeof *values;
  if (rows.begin >= rows.end)
    return cudaSuccess;
  beside->figures.exchanged_bytes += bytes;
  cudaError_t result = upwards ? cudaMemcpyAsync(state->values + rows.begin, values, bytes,
                                                 cudaMemcpyHostToDevice, beside->up)
                               : cudaMemcpyAsync(values, state->values + rows.begin, bytes,
                                                 cudaMemcpyDeviceToHost, beside->down);
  if (result != cudaSuccess || !bits)
    return result;
  uint32_t *words = (uint32_t *)bits + first_word(rows);
  const uint64_t word_bytes = range_words(rows) * sizeof *words;
  device_bits += first_word(rows);
  beside->figures.exchanged_bytes += word_bytes;
  return upwards
             ? cudaMemcpyAsync(device_bits, words, word_bytes, cudaMemcpyHostToDevice, beside->up)
             : cudaMemcpyAsync(words, device_bits, word_bytes, cudaMemcpyDeviceToHost,
                               beside->down);
}

/* Both ways at once; what was launched in the default stream has ended. */
inline enum qn_status exchange(struct beside_run *beside, struct row_range down,
                               struct row_range up, uint64_t *bits, uint32_t *device_bits,
                               struct qn_error *error) {
  const double begin = qn_seconds();
  cudaError_t result = cudaDeviceSynchronize();
  if (result == cudaSuccess)
    result = start_exchange(beside, down, bits, device_bits, false);
  if (result == cudaSuccess)
    result = start_exchange(beside, up, bits, device_bits, true);
  const cudaError_t ended[] = {cudaStreamSynchronize(beside->down),
                               cudaStreamSynchronize(beside->up)};
  for (int i = 0; i < 2 && result == cudaSuccess; i++)
    result = ended[i];
  beside->figures.exchange_seconds += qn_seconds() - begin;
  return qn_cuda_status(result, "exchanging values with the device", error);
}

/* Make the values valid where the choice needs them. */
inline enum qn_status bring_to_host(struct beside_run *beside, struct qn_error *error) {
  const struct row_range all = {0, beside->run->context.num_vertices}, none = {0, 0};
  if (beside->on_host)
    return QN_OK;
  enum qn_status status = exchange(beside, all, none, SWEEP_FRONTIER ? beside->side->active : NULL,
                                   beside->run->state.active, error);
  if (!status) {
    beside->side->context = beside->run->context;
    qn_side_call(&beside->worker, QN_SIDE.adopt, beside->side);
    beside->on_host = true;
  }
  return status;
}

/* The device knows of no waiting, nor do checkpoints; vertices wait since an iteration of the CPU
 * alone, if any. */
inline void wake_all(struct beside_run *beside) {
  if (beside->on_host && !beside->on_device)
    qn_side_call(&beside->worker, QN_SIDE.wake_all, beside->side);
}

inline enum qn_status bring_to_device(struct beside_run *beside, struct qn_error *error) {
  const struct row_range all = {0, beside->run->context.num_vertices}, none = {0, 0};
  if (beside->on_device)
    return QN_OK;
  wake_all(beside);
  enum qn_status status = exchange(beside, none, all, SWEEP_FRONTIER ? beside->side->active : NULL,
                                   beside->run->state.active, error);
  beside->on_device = !status;
  return status;
}

} /* namespace */

#endif
