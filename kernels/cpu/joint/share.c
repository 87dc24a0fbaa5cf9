#include "kernels/cpu/joint/share.h"

#include <sched.h>
#include <string.h>

#include "support/threads.h"

#define PROBED_STRETCHES 256

/* Send what the accelerator has told of; whichever thread comes first. */
static void receive_told(struct qn_joint_share *share) {
  if (__atomic_load_n(&share->received, __ATOMIC_RELAXED) == 0)
    return;
  uint64_t rows = __atomic_exchange_n(&share->received, 0, __ATOMIC_ACQ_REL);
  if (rows)
    share->kernel->share_receive(share->side, (uint32_t)rows, (uint32_t)(rows >> 32));
}

bool qn_joint_share_take(struct qn_joint_share *share, uint32_t *stretch) {
  receive_told(share);
  return qn_page_take_front(share->queue, 1, stretch) > 0;
}

void qn_joint_share_did(struct qn_joint_share *share, uint32_t stretch) {
  __atomic_fetch_add(&share->pages, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&share->done[stretch], 1, __ATOMIC_RELEASE);
}

static void do_share(void *argument) {
  struct qn_joint_share *share = argument;
  double begin = qn_seconds();
  share->kernel->share_begin(share->side, share->notify);
  __atomic_store_n(&share->begun, true, __ATOMIC_RELEASE);
  share->kernel->share_work(share->side, share);
  share->seconds = qn_seconds() - begin;
}

void qn_joint_share_begin(struct qn_joint_share *share, struct qn_joint_worker *worker) {
  memset(share->done, 0, share->num_stretches);
  share->begun = false;
  share->num_done = 0;
  share->received = 0;
  share->pages = 0;
  share->seconds = 0;
  qn_joint_worker_begin(worker, do_share, share);
}

void qn_joint_share_await_begin(struct qn_joint_share *share) {
  while (!__atomic_load_n(&share->begun, __ATOMIC_ACQUIRE))
    sched_yield();
}

uint32_t qn_joint_share_done(struct qn_joint_share *share) {
  while (share->num_done < share->num_stretches &&
         __atomic_load_n(&share->done[share->num_done], __ATOMIC_ACQUIRE))
    share->num_done++;
  return share->bounds[share->num_done];
}

void qn_joint_share_tell(struct qn_joint_share *share, uint32_t begin, uint32_t end) {
  uint64_t rows = __atomic_load_n(&share->received, __ATOMIC_ACQUIRE), more;
  do
    more = (rows ? rows >> 32 : end) << 32 | begin;
  while (!__atomic_compare_exchange_n(&share->received, &rows, more, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE));
}

/* ---- Single calls ---------------------------------------------------------------------- */

struct call {
  void (*function)(struct qn_joint_cpu *);
  const struct qn_joint_cpu_kernel *kernel;
  struct qn_joint_cpu *side;
  uint64_t num_stretches;
  bool answer;
  double seconds;
};

static void do_call(void *argument) {
  struct call *call = argument;
  call->function(call->side);
}

void qn_joint_call(struct qn_joint_worker *worker, void (*function)(struct qn_joint_cpu *),
                   struct qn_joint_cpu *side) {
  struct call call = {.function = function, .side = side};
  qn_joint_worker_begin(worker, do_call, &call);
  qn_joint_worker_wait(worker);
}

static void do_next_round(void *argument) {
  struct call *call = argument;
  call->answer = call->kernel->next_round(call->side);
}

bool qn_joint_next_round(struct qn_joint_worker *worker, const struct qn_joint_cpu_kernel *kernel,
                         struct qn_joint_cpu *side) {
  struct call call = {.kernel = kernel, .side = side};
  qn_joint_worker_begin(worker, do_next_round, &call);
  qn_joint_worker_wait(worker);
  return call.answer;
}

/* Some stretches wake the threads, others, which nobody has looked at yet, are measured. */
static void do_probe(void *argument) {
  struct call *call = argument;
  uint64_t step = call->num_stretches / PROBED_STRETCHES + 1;
  uint64_t first = step / 2, count = (call->num_stretches - first + step - 1) / step;
  call->kernel->probe(call->side, 0, step);
  call->seconds = call->kernel->probe(call->side, 0, 0);
  call->seconds +=
      call->kernel->probe(call->side, first, step) / (double)count * (double)call->num_stretches;
}

double qn_joint_probe(struct qn_joint_worker *worker, const struct qn_joint_cpu_kernel *kernel,
                      struct qn_joint_cpu *side, uint64_t num_stretches) {
  struct call call = {.kernel = kernel, .side = side, .num_stretches = num_stretches};
  qn_joint_worker_begin(worker, do_probe, &call);
  qn_joint_worker_wait(worker);
  return call.seconds;
}
