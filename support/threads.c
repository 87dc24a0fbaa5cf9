#include "support/threads.h"

#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <time.h>

#include "support/context.h"
#include "support/memory.h"

unsigned qn_threads_set(unsigned requested) {
  unsigned chosen = requested ? requested : (unsigned)omp_get_num_procs();
  if (chosen > QN_MAX_THREADS)
    chosen = QN_MAX_THREADS;
  omp_set_dynamic(0);
  omp_set_num_threads((int)chosen);
  if (!qn_context_is_process()) /* threads that join the team have entered none */
    qn_context_enter(qn_context());
  return chosen;
}

unsigned qn_threads(void) {
  unsigned threads = (unsigned)omp_get_max_threads();
  return threads > QN_MAX_THREADS ? QN_MAX_THREADS : threads;
}

void qn_part_of(uint64_t total, uint64_t parts, uint64_t index, uint64_t *begin, uint64_t *end) {
  uint64_t size = total / parts;
  uint64_t larger = total % parts;
  *begin = index * size + (index < larger ? index : larger);
  *end = *begin + size + (index < larger);
}

struct start {
  void *(*run)(void *argument);
  void *argument;
  struct qn_context *context;
};

static void *begin_thread(void *argument) {
  struct start start = *(struct start *)argument;
  qn_free(argument);
  qn_context_set(start.context);
  return start.run(start.argument);
}

int qn_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument) {
  struct start *start;
  sigset_t others, before;
  if (qn_alloc(&start, 1, sizeof *start, "a thread", NULL))
    return ENOMEM;
  *start = (struct start){run, argument, qn_context_is_process() ? NULL : qn_context()};
  sigfillset(&others);
  sigdelset(&others, SIGBUS);
  sigdelset(&others, SIGSEGV);
  pthread_sigmask(SIG_SETMASK, &others, &before);
  int failure = pthread_create(thread, NULL, begin_thread, start);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (failure)
    qn_free(start);
  return failure;
}

double qn_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
