#include "kernels/cpu/side_share.h"

#include "support/threads.h"

#define PROBED_STRETCHES 4

static void receive_told(struct qn_side_share *share) {
  uint64_t rows = __atomic_exchange_n(&share->received, 0, __ATOMIC_ACQ_REL);
  if (rows)
    share->kernel->share_receive(share->side, (uint32_t)rows, (uint32_t)(rows >> 32));
}

static void do_share(void *argument) {
  struct qn_side_share *share = argument;
  double begin = qn_seconds();
  uint32_t stretch;
  share->kernel->share_begin(share->side, share->notify);
  while (qn_page_take_back(share->queue, 1, &stretch)) {
    receive_told(share);
    share->kernel->share_stretch(share->side, stretch);
    share->pages++;
    __atomic_store_n(&share->done, share->bounds[stretch], __ATOMIC_RELEASE);
  }
  share->seconds = qn_seconds() - begin;
}

void qn_side_share_begin(struct qn_side_share *share, struct qn_side_worker *worker,
                         uint32_t num_rows) {
  share->done = num_rows;
  share->received = 0;
  share->pages = 0;
  share->seconds = 0;
  qn_side_worker_begin(worker, do_share, share);
}

uint32_t qn_side_share_done(const struct qn_side_share *share) {
  return __atomic_load_n(&share->done, __ATOMIC_ACQUIRE);
}

void qn_side_share_tell(struct qn_side_share *share, uint32_t begin, uint32_t end) {
  uint64_t rows = __atomic_load_n(&share->received, __ATOMIC_ACQUIRE), more;
  do
    more = (uint64_t)end << 32 | (rows ? (uint32_t)rows : begin);
  while (!__atomic_compare_exchange_n(&share->received, &rows, more, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE));
}

/* ---- Single calls ---------------------------------------------------------------------- */

struct call {
  void (*function)(struct qn_side *);
  const struct qn_side_kernel *kernel;
  struct qn_side *side;
  uint64_t num_stretches;
  bool answer;
  double seconds;
};

static void do_call(void *argument) {
  struct call *call = argument;
  call->function(call->side);
}

void qn_side_call(struct qn_side_worker *worker, void (*function)(struct qn_side *),
                  struct qn_side *side) {
  struct call call = {.function = function, .side = side};
  qn_side_worker_begin(worker, do_call, &call);
  qn_side_worker_wait(worker);
}

static void do_next_round(void *argument) {
  struct call *call = argument;
  call->answer = call->kernel->next_round(call->side);
}

bool qn_side_next_round(struct qn_side_worker *worker, const struct qn_side_kernel *kernel,
                        struct qn_side *side) {
  struct call call = {.kernel = kernel, .side = side};
  qn_side_worker_begin(worker, do_next_round, &call);
  qn_side_worker_wait(worker);
  return call.answer;
}

/* Stretches are of about equal cost. The first one wakes the threads. */
static void do_probe(void *argument) {
  struct call *call = argument;
  uint64_t count = call->num_stretches < PROBED_STRETCHES ? call->num_stretches : PROBED_STRETCHES;
  double pulled = 0;
  call->kernel->probe(call->side, 0);
  call->seconds = call->kernel->probe(call->side, QN_SIDE_NO_STRETCH);
  for (uint64_t i = 0; i < count; i++)
    pulled += call->kernel->probe(call->side, (2 * i + 1) * call->num_stretches / (2 * count));
  call->seconds += pulled / (double)count * (double)call->num_stretches;
}

double qn_side_probe(struct qn_side_worker *worker, const struct qn_side_kernel *kernel,
                     struct qn_side *side, uint64_t num_stretches) {
  struct call call = {.kernel = kernel, .side = side, .num_stretches = num_stretches};
  qn_side_worker_begin(worker, do_probe, &call);
  qn_side_worker_wait(worker);
  return call.seconds;
}
