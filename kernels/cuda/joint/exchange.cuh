/* New values, and which vertices are active, between the host and the device: a range of rows each
 * way, both at once, and only to who needs them. */
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
inline cudaError_t start_exchange(struct joint_run *joint, struct row_range rows, uint64_t *bits,
                                  uint32_t *device_bits, bool upwards) {
  const struct sweep_state *state = &joint->run->state;
  program_value *values = (program_value *)joint->side->values + rows.begin;
  const uint64_t bytes = (rows.end - rows.begin) * sizeof *values;
  if (rows.begin >= rows.end)
    return cudaSuccess;
  joint->figures.exchanged_bytes += bytes;
  cudaError_t result = upwards ? cudaMemcpyAsync(state->values + rows.begin, values, bytes,
                                                 cudaMemcpyHostToDevice, joint->up)
                               : cudaMemcpyAsync(values, state->values + rows.begin, bytes,
                                                 cudaMemcpyDeviceToHost, joint->down);
  if (result != cudaSuccess || !bits)
    return result;
  uint32_t *words = (uint32_t *)bits + first_word(rows);
  const uint64_t word_bytes = range_words(rows) * sizeof *words;
  device_bits += first_word(rows);
  joint->figures.exchanged_bytes += word_bytes;
  return upwards
             ? cudaMemcpyAsync(device_bits, words, word_bytes, cudaMemcpyHostToDevice, joint->up)
             : cudaMemcpyAsync(words, device_bits, word_bytes, cudaMemcpyDeviceToHost, joint->down);
}

/* Both ways at once; what was launched in the default stream has ended. */
inline enum qn_status exchange(struct joint_run *joint, struct row_range down, struct row_range up,
                               uint64_t *bits, uint32_t *device_bits, struct qn_error *error) {
  const double begin = qn_seconds();
  cudaError_t result = cudaDeviceSynchronize();
  if (result == cudaSuccess)
    result = start_exchange(joint, down, bits, device_bits, false);
  if (result == cudaSuccess)
    result = start_exchange(joint, up, bits, device_bits, true);
  const cudaError_t ended[] = {cudaStreamSynchronize(joint->down),
                               cudaStreamSynchronize(joint->up)};
  for (int i = 0; i < 2 && result == cudaSuccess; i++)
    result = ended[i];
  joint->figures.exchange_seconds += qn_seconds() - begin;
  return qn_cuda_status(result, "exchanging values with the device", error);
}

/* Make the values valid where the choice needs them. */
inline enum qn_status bring_to_host(struct joint_run *joint, struct qn_error *error) {
  const struct row_range all = {0, joint->run->context.num_vertices}, none = {0, 0};
  if (joint->on_host)
    return QN_OK;
  enum qn_status status = exchange(joint, all, none, SWEEP_FRONTIER ? joint->side->active : NULL,
                                   joint->run->state.active, error);
  if (!status) {
    joint->side->context = joint->run->context;
    qn_joint_call(&joint->worker, QN_JOINT_CPU.adopt, joint->side);
    joint->on_host = true;
  }
  return status;
}

/* The device knows of no waiting, nor do checkpoints; vertices wait since an iteration of the CPU
 * alone, if any. */
inline void wake_all(struct joint_run *joint) {
  if (joint->on_host && !joint->on_device)
    qn_joint_call(&joint->worker, QN_JOINT_CPU.wake_all, joint->side);
}

inline enum qn_status bring_to_device(struct joint_run *joint, struct qn_error *error) {
  const struct row_range all = {0, joint->run->context.num_vertices}, none = {0, 0};
  if (joint->on_device)
    return QN_OK;
  wake_all(joint);
  enum qn_status status = exchange(joint, none, all, SWEEP_FRONTIER ? joint->side->active : NULL,
                                   joint->run->state.active, error);
  joint->on_device = !status;
  return status;
}

} /* namespace */

#endif
