/* New values, and which vertices are active, between the host and the device: a range of rows each
 * way, both at once, and only to who needs them. */
#pragma once

#include "kernels/cuda/joint/state.cuh"

namespace {

inline uint64_t first_word(struct row_range rows) {
  return rows.begin / 32;
}

inline uint64_t range_words(struct row_range rows) {
  return (rows.end + 31) / 32 - rows.begin / 32;
}

/* Begin to copy values of rows between the host and the device. */
inline cudaError_t send_values(struct joint_run *joint, struct row_range rows, bool upwards) {
  program_value *here = (program_value *)joint->side->values + rows.begin;
  program_value *there = joint->run->state.values + rows.begin;
  if (rows.begin >= rows.end)
    return cudaSuccess;
  const uint64_t bytes = (rows.end - rows.begin) * sizeof *here;
  joint->figures.exchanged_bytes += bytes;
  return upwards ? cudaMemcpyAsync(there, here, bytes, cudaMemcpyHostToDevice, joint->up)
                 : cudaMemcpyAsync(here, there, bytes, cudaMemcpyDeviceToHost, joint->down);
}

/* And the words of their bits; NULL: there are none. */
inline cudaError_t send_bits(struct joint_run *joint, struct row_range rows, uint64_t *bits,
                             uint32_t *device_bits, bool upwards) {
  if (!bits || rows.begin >= rows.end)
    return cudaSuccess;
  uint32_t *here = (uint32_t *)bits + first_word(rows), *there = device_bits + first_word(rows);
  const uint64_t bytes = range_words(rows) * sizeof *here;
  joint->figures.exchanged_bytes += bytes;
  return upwards ? cudaMemcpyAsync(there, here, bytes, cudaMemcpyHostToDevice, joint->up)
                 : cudaMemcpyAsync(here, there, bytes, cudaMemcpyDeviceToHost, joint->down);
}

/* Until what was sent both ways has arrived, if it could be sent. */
inline enum qn_status sent_has_arrived(struct joint_run *joint, cudaError_t sent,
                                       struct qn_error *error) {
  const cudaError_t ended[] = {cudaStreamSynchronize(joint->down),
                               cudaStreamSynchronize(joint->up)};
  for (int i = 0; i < 2 && sent == cudaSuccess; i++)
    sent = ended[i];
  return qn_cuda_status(sent, "exchanging values with the device", error);
}

/* Both ways at once; what was launched in the default stream has ended. */
inline enum qn_status exchange(struct joint_run *joint, struct row_range down, struct row_range up,
                               uint64_t *bits, uint32_t *device_bits, struct qn_error *error) {
  const double begin = qn_seconds();
  cudaError_t result = cudaDeviceSynchronize();
  if (result == cudaSuccess)
    result = send_values(joint, down, false);
  if (result == cudaSuccess)
    result = send_bits(joint, down, bits, device_bits, false);
  if (result == cudaSuccess)
    result = send_values(joint, up, true);
  if (result == cudaSuccess)
    result = send_bits(joint, up, bits, device_bits, true);
  const enum qn_status status = sent_has_arrived(joint, result, error);
  joint->figures.exchange_seconds += qn_seconds() - begin;
  return status;
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
