/* What the ranks of a run tell each other: messages from device to device where MPI can,
 * all else through the host's memory. Where there is one process nothing is told. Part of
 * engine.cuh.
 *
 * All-active programs: a message a vertex. Frontier programs: the numbers and the messages of the
 * vertices that send, in any order, since each is of one vertex. */
#pragma once

#include "kernels/cuda/edges/row_queue.cuh"
#include "kernels/cuda/sweep/sweeps.cuh"
#include "kernels/set_view.h"

/* Where what a rank tells begins: messages are aligned. */
#define TOLD_ALIGNMENT ((uint64_t)16)

namespace {

/* Zero it before use. */
struct set_exchange {
  const struct qn_set_view *view;
  bool may_push; /* pushes.cuh */
  struct sweep_run *run;
  uint64_t *counts;       /* [num_ranks] of active vertices */
  uint64_t *offsets;      /* [num_ranks + 1] where what each rank tells begins, in bytes */
  char *host;             /* what all ranks tell, [told_most] */
  char *device;           /* the same, in frontier programs */
  uint32_t *packed;       /* how many were, on the device */
  uint32_t *told;         /* there, FIRST_SUFFICES: bits of vertices that need not be told again */
  struct qn_parcel in;    /* what other ranks push to this one */
  struct qn_error *error; /* of the iterations, for those who are not given one */
};

inline unsigned num_ranks(const struct qn_set_view *view) {
  return view->exchange ? view->exchange->num_ranks : 1;
}

inline unsigned own_rank(const struct qn_set_view *view) {
  return view->exchange ? view->exchange->rank : 0;
}

inline struct unit_vertices own_vertices(const struct qn_set_view *view) {
  if (!view->exchange)
    return {0, (uint32_t)view->num_vertices};
  const uint64_t *firsts = view->first_vertices + view->exchange->rank;
  return {(uint32_t)firsts[0], (uint32_t)firsts[1]};
}

/* Of `count` senders. */
inline uint64_t told_bytes(uint64_t count) {
  const uint64_t bytes = count * (sizeof(program_message) + sizeof(uint32_t));
  return (bytes + TOLD_ALIGNMENT - 1) / TOLD_ALIGNMENT * TOLD_ALIGNMENT;
}

/* What is pushed to a vertex of another rank. */
struct pushed {
  program_accumulator sum;
  uint32_t vertex;
};

/* Of all vertices, whoever holds them. */
inline uint64_t told_most(const struct set_exchange *exchange) {
  const struct qn_set_view *view = exchange->view;
  const uint64_t sent = told_bytes(view->num_vertices) + num_ranks(view) * TOLD_ALIGNMENT;
  const uint64_t most = view->num_vertices * sizeof(struct pushed);
  return exchange->may_push && most > sent ? most : sent;
}

/* Words of `told`. */
inline uint64_t told_words(const struct set_exchange *exchange) {
  return PROGRAM_FIRST_SUFFICES && exchange->may_push ? exchange->view->num_vertices / 32 + 1 : 0;
}

inline uint64_t exchange_device_bytes(const struct set_exchange *exchange) {
  return exchange->view->exchange && SWEEP_FRONTIER
             ? qn_cuda_rounded(told_most(exchange)) + qn_cuda_rounded(sizeof *exchange->packed) +
                   qn_cuda_rounded(told_words(exchange) * sizeof *exchange->told)
             : 0;
}

inline enum qn_status exchange_create(struct set_exchange *exchange, struct qn_error *error) {
  const struct qn_set_view *view = exchange->view;
  const uint64_t ranks = num_ranks(view);
  enum qn_status status =
      qn_alloc_zeroed(&exchange->counts, ranks, sizeof *exchange->counts, "counts of ranks", error);
  if (!status)
    status = qn_alloc_zeroed(&exchange->offsets, ranks + 1, sizeof *exchange->offsets,
                             "offsets of ranks", error);
  if (!status && view->exchange)
    status = qn_pages_alloc(&exchange->host, told_most(exchange), 1, "what ranks tell", error);
  if (!status && view->exchange && SWEEP_FRONTIER)
    status = qn_cuda_alloc(&exchange->run->memory, &exchange->device, told_most(exchange), 1,
                           "what ranks tell", error);
  if (!status && view->exchange && SWEEP_FRONTIER)
    status = qn_cuda_alloc(&exchange->run->memory, &exchange->packed, 1, sizeof *exchange->packed,
                           "a counter", error);
  if (!status && view->exchange && told_words(exchange) > 0)
    status = qn_cuda_alloc(&exchange->run->memory, &exchange->told, told_words(exchange),
                           sizeof *exchange->told, "vertices that were told", error);
  return !status && exchange->told
             ? qn_cuda_status(
                   cudaMemset(exchange->told, 0, told_words(exchange) * sizeof *exchange->told),
                   "vertices that were told", error)
             : status;
}

inline void exchange_destroy(struct set_exchange *exchange) {
  qn_free(exchange->counts);
  qn_free(exchange->offsets);
  qn_pages_free(exchange->host, told_most(exchange), 1);
  if (exchange->view->exchange)
    exchange->view->exchange->drop(&exchange->in);
}

/* ---- Items of ranks ----------------------------------------------------------------------- */

/* One item of each rank, in `items` [num_ranks]. */
template <class Item>
enum qn_status share_items(struct set_exchange *exchange, Item *items, struct qn_error *error) {
  const struct qn_set_view *view = exchange->view;
  if (!view->exchange)
    return QN_OK;
  for (unsigned rank = 0; rank <= num_ranks(view); rank++)
    exchange->offsets[rank] = rank * sizeof *items;
  return view->exchange->gather(items, exchange->offsets, error);
}

/* `combine(&all, of a rank)` in the order of ranks. */
template <class Combine>
enum qn_status share_number(struct set_exchange *exchange, double *number, Combine combine,
                            struct qn_error *error) {
  const unsigned ranks = num_ranks(exchange->view);
  double *numbers;
  enum qn_status status = qn_alloc(&numbers, ranks, sizeof *numbers, "numbers of ranks", error);
  if (status)
    return status;
  numbers[own_rank(exchange->view)] = *number;
  status = share_items(exchange, numbers, error);
  *number = numbers[0];
  for (unsigned rank = 1; !status && rank < ranks; rank++)
    combine(number, numbers[rank]);
  qn_free(numbers);
  return status;
}

inline enum qn_status share_sum(struct set_exchange *exchange, double *sum,
                                struct qn_error *error) {
  return share_number(
      exchange, sum, [](double *all, double one) { *all += one; }, error);
}

/* So many vertices of this rank are active; how many of all are. */
inline enum qn_status share_count(struct set_exchange *exchange, uint64_t count, uint64_t *all,
                                  struct qn_error *error) {
  exchange->counts[own_rank(exchange->view)] = count;
  enum qn_status status = share_items(exchange, exchange->counts, error);
  *all = 0;
  for (unsigned rank = 0; !status && rank < num_ranks(exchange->view); rank++)
    *all += exchange->counts[rank];
  return status;
}

/* From device to device, where that can be. */
inline enum qn_status gather_on_device(const struct set_exchange *exchange, void *all,
                                       struct qn_error *error) {
  enum qn_status status = qn_cuda_status(cudaStreamSynchronize(NULL), "packing messages", error);
  return status ? status
                : exchange->view->exchange->gather_on_device(all, exchange->offsets, error);
}

/* ---- Messages ----------------------------------------------------------------------------- */

#if SWEEP_FRONTIER

__global__ void pack_senders(const struct sweep_state state, program_message *messages,
                             uint32_t *numbers, uint32_t *packed) {
  sweep_words(state.held, [&](uint32_t v, bool valid) {
    const bool sends = valid && sweep_is_active(state, v);
    const uint32_t place = qn_warp_reserve(packed, sends);
    if (!sends)
      return;
    messages[place] = state.messages[v];
    numbers[place] = v;
  });
}

__global__ void unpack_senders(const struct sweep_state state, uint64_t count,
                               const program_message *messages, const uint32_t *numbers,
                               uint32_t *told) {
  qn_grid_steps(count, [&](uint64_t i) {
    const uint32_t v = numbers[i];
    state.messages[v] = messages[i];
    atomicOr(&state.active[v / 32], 1u << v % 32);
    if (told)
      atomicOr(&told[v / 32], 1u << v % 32);
  });
}

inline uint32_t *told_numbers(char *told, uint64_t count) {
  return reinterpret_cast<uint32_t *>(told + count * sizeof(program_message));
}

/* What this rank's active vertices send, to the host if need be. */
inline enum qn_status pack_own(struct set_exchange *exchange, struct qn_error *error) {
  struct sweep_run *run = exchange->run;
  const unsigned own = own_rank(exchange->view);
  const uint64_t count = exchange->counts[own];
  enum qn_status status = qn_cuda_status(
      cudaMemsetAsync(exchange->packed, 0, sizeof *exchange->packed, NULL), "a counter", error);
  if (status || count == 0)
    return status;
  char *told = exchange->device + exchange->offsets[own];
  QN_LAUNCH(pack_senders, run->blocks, SWEEP_THREADS, 0, NULL, run->state,
            reinterpret_cast<program_message *>(told), told_numbers(told, count), exchange->packed);
  if (exchange->view->exchange->gather_on_device)
    return qn_cuda_launched("packing messages", error);
  return sweep_read(run, exchange->host + exchange->offsets[own], told,
                    count * (sizeof(program_message) + sizeof(uint32_t)), 1, error);
}

/* What all ranks' active vertices send. */
inline enum qn_status gather_senders(struct set_exchange *exchange, struct qn_error *error) {
  const struct qn_exchange *with = exchange->view->exchange;
  if (with->gather_on_device)
    return gather_on_device(exchange, exchange->device, error);
  enum qn_status status = with->gather(exchange->host, exchange->offsets, error);
  return status ? status
                : qn_cuda_upload(&exchange->run->memory, exchange->device, exchange->host,
                                 exchange->offsets[with->num_ranks], 1, "what ranks tell", error);
}

inline enum qn_status unpack_all(struct set_exchange *exchange, struct qn_error *error) {
  struct sweep_run *run = exchange->run;
  const unsigned ranks = num_ranks(exchange->view);
  enum qn_status status = qn_cuda_status(
      cudaMemsetAsync(run->state.active, 0,
                      (run->context.num_vertices / 32 + 1) * sizeof *run->state.active, NULL),
      "clearing bits", error);
  for (unsigned rank = 0; !status && rank < ranks; rank++) {
    const uint64_t count = exchange->counts[rank];
    char *told = exchange->device + exchange->offsets[rank];
    if (count > 0)
      QN_LAUNCH(unpack_senders, run->blocks, SWEEP_THREADS, 0, NULL, run->state, count,
                reinterpret_cast<const program_message *>(told), told_numbers(told, count),
                exchange->told);
  }
  return status ? status : qn_cuda_launched("taking what ranks tell", error);
}

/* All ranks learn who sends, and what. */
inline enum qn_status tell_messages(struct set_exchange *exchange, struct qn_error *error) {
  const struct qn_set_view *view = exchange->view;
  exchange->offsets[0] = 0;
  for (unsigned rank = 0; rank < num_ranks(view); rank++)
    exchange->offsets[rank + 1] = exchange->offsets[rank] + told_bytes(exchange->counts[rank]);
  enum qn_status status = pack_own(exchange, error);
  if (!status)
    status = gather_senders(exchange, error);
  return status ? status : unpack_all(exchange, error);
}

#else

/* All ranks have the messages of all vertices. */
inline enum qn_status tell_messages(struct set_exchange *exchange, struct qn_error *error) {
  const struct qn_set_view *view = exchange->view;
  struct sweep_run *run = exchange->run;
  program_message *messages = reinterpret_cast<program_message *>(exchange->host);
  const struct unit_vertices own = run->state.held;
  for (unsigned rank = 0; rank <= num_ranks(view); rank++)
    exchange->offsets[rank] = view->first_vertices[rank] * sizeof *messages;
  if (view->exchange->gather_on_device)
    return gather_on_device(exchange, run->state.messages, error);
  enum qn_status status = sweep_read(run, messages + own.begin, run->state.messages + own.begin,
                                     own.end - own.begin, sizeof *messages, error);
  if (!status)
    status = view->exchange->gather(messages, exchange->offsets, error);
  if (!status)
    status = qn_cuda_upload(&run->memory, run->state.messages, messages, own.begin,
                            sizeof *messages, "messages", error);
  return status ? status
                : qn_cuda_upload(&run->memory, run->state.messages + own.end, messages + own.end,
                                 view->num_vertices - own.end, sizeof *messages, "messages", error);
}

#endif

} /* namespace */
