#include "kernels/cuda/device/start.h"

#include <cuda_runtime.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernels/cuda/device/stages.cuh"
#include "kernels/rates.h"
#include "support/threads.h"

/* ---- Buffers ------------------------------------------------------------------------------ */

enum { MOST_IDLE = 2 }; /* as many as a run takes */

static struct {
  pthread_mutex_t lock;
  bool stay;
  int count;
  void *stages[MOST_IDLE];
} idle = {PTHREAD_MUTEX_INITIALIZER, false, 0, {}};

void qn_stages_make(void) {
  pthread_mutex_lock(&idle.lock);
  idle.stay = true;
  while (idle.count < MOST_IDLE && cudaHostAlloc(&idle.stages[idle.count], QN_STAGE_BYTES,
                                                 cudaHostAllocPortable) == cudaSuccess)
    idle.count++;
  cudaGetLastError();
  pthread_mutex_unlock(&idle.lock);
}

void qn_stages_free(void) {
  pthread_mutex_lock(&idle.lock);
  idle.stay = false;
  while (idle.count > 0)
    cudaFreeHost(idle.stages[--idle.count]);
  pthread_mutex_unlock(&idle.lock);
}

cudaError_t qn_stage_take(void **stage) {
  pthread_mutex_lock(&idle.lock);
  *stage = idle.count > 0 ? idle.stages[--idle.count] : NULL;
  pthread_mutex_unlock(&idle.lock);
  return *stage ? cudaSuccess : cudaHostAlloc(stage, QN_STAGE_BYTES, cudaHostAllocPortable);
}

void qn_stage_give_back(void *stage) {
  pthread_mutex_lock(&idle.lock);
  const bool stays = stage && idle.stay && idle.count < MOST_IDLE;
  if (stays)
    idle.stages[idle.count++] = stage;
  pthread_mutex_unlock(&idle.lock);
  if (stage && !stays)
    cudaFreeHost(stage);
}

#ifdef QN_CUDA_EMULATOR
/* What is chosen by expected times takes it for the fastest device there is, unless a test says
 * otherwise. */
__attribute__((constructor)) static void be_fast(void) {
  const char *text = getenv("QUERN_EMULATOR_RATES");
  struct qn_device_rates *rates = &qn_device_rates;
  *rates = {0, INFINITY, INFINITY, 0, 0, 0};
  if (text)
    sscanf(text, "%lf %lf %lf %lf %lf %lf", &rates->start, &rates->copies, &rates->transfers,
           &rates->iteration, &rates->meetings, &rates->kernels);
}
#endif

/* ---- The device --------------------------------------------------------------------------- */

static struct {
  pthread_mutex_t lock;
  pthread_t thread;
  bool begun, runs;
  int index;
  double seconds;
} start = {PTHREAD_MUTEX_INITIALIZER, 0, false, false, 0, 0};

static void *start_device(void *unused) {
  const double begin = qn_seconds();
  int count = 0;
  (void)unused;
  if (cudaGetDeviceCount(&count) == cudaSuccess && start.index < count &&
      cudaSetDevice(start.index) == cudaSuccess && cudaFree(NULL) == cudaSuccess)
    qn_stages_make();
  cudaGetLastError();
  start.seconds = qn_seconds() - begin;
  return NULL;
}

void qn_cuda_start(int index) {
  start.index = index;
  start.runs = start.begun = qn_thread_start(&start.thread, start_device, NULL) == 0;
}

void qn_cuda_wait(void) {
  pthread_mutex_lock(&start.lock);
  if (start.runs)
    pthread_join(start.thread, NULL);
  start.runs = false;
  pthread_mutex_unlock(&start.lock);
}

double qn_cuda_start_seconds(void) {
  qn_cuda_wait();
  return start.seconds;
}

#ifdef QN_CUDA_EMULATOR
void qn_cuda_end(void) {}
#else
static void *end_device(void *unused) {
  if (cudaSetDevice(start.index) == cudaSuccess) /* a thread begins with the first one */
    cudaDeviceReset();
  return unused;
}

void qn_cuda_end(void) {
  pthread_t thread;
  if (start.begun && qn_thread_start(&thread, end_device, NULL) == 0)
    pthread_detach(thread);
}
#endif

void qn_cuda_leave(int code) {
  if (!start.begun)
    return;
#ifdef QN_CUDA_EMULATOR
  (void)code; /* it shows what was not given back */
  qn_cuda_wait();
  qn_stages_free();
#else
  _exit(code);
#endif
}
