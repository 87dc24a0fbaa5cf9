/* CUDA in the shared library: its kernels are those of the CPU, and from the first question for a
 * device on those of a module too, if it is installed. */
#include <pthread.h>
#include <string.h>

#include "kernels/cuda/device/device.h"
#include "kernels/cuda/device/start.h"
#include "library/modules/modules.h"
#include "support/memory.h"

typedef const struct qn_kernel *const *qn_kernel_array;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct qn_cuda_module *module; /* under the lock */
static struct qn_error failure;             /* why there is none, once it was looked for */
/* By __atomic functions; NULL: the CPU's alone. */
static qn_kernel_array all_kernels, all_derived;

qn_kernel_array qn_kernels(void) {
  qn_kernel_array all = __atomic_load_n(&all_kernels, __ATOMIC_ACQUIRE);
  return all ? all : qn_cpu_kernels();
}

qn_kernel_array qn_derived_kernels(void) {
  qn_kernel_array all = __atomic_load_n(&all_derived, __ATOMIC_ACQUIRE);
  return all ? all : qn_cpu_derived_kernels();
}

static uint64_t count_of(qn_kernel_array kernels) {
  uint64_t count = 0;
  while (kernels[count])
    count++;
  return count;
}

/* A list that stays as long as the process. */
static enum qn_status join_lists(qn_kernel_array few, qn_kernel_array more, qn_kernel_array *out,
                                 struct qn_error *error) {
  const struct qn_kernel **all;
  uint64_t count = count_of(few), others = count_of(more);
  enum qn_status status =
      qn_alloc(&all, count + others + 1, sizeof *all, "a list of kernels", error);
  if (status)
    return status;
  memcpy(all, few, count * sizeof *all);
  memcpy(all + count, more, (others + 1) * sizeof *all);
  __atomic_store_n(out, all, __ATOMIC_RELEASE);
  return QN_OK;
}

static enum qn_status load(struct qn_error *error) {
  const void *table;
  if (module)
    return QN_OK;
  if (failure.status) {
    if (error)
      *error = failure;
    return failure.status;
  }
  enum qn_status status =
      qn_module_load("a CUDA device", "libquern-cuda.so.0",
                     "build it with the CUDA Toolkit (scons cuda=yes), or use --device cpu",
                     "qn_cuda_module", &table, &failure);
  const struct qn_cuda_module *found = status ? NULL : table;
  if (found && (found->kernel_bytes != sizeof(struct qn_kernel) ||
                found->request_bytes != sizeof(struct qn_run_request) ||
                found->result_bytes != sizeof(struct qn_run_result) ||
                found->device_run_bytes != sizeof(struct qn_device_run)))
    status = qn_fail(&failure, QN_UNSUPPORTED,
                     "libquern-cuda.so.0 was not built together with libquern.so.0");
  if (!status)
    status = join_lists(qn_cpu_derived_kernels(), found->followers(), &all_derived, &failure);
  if (!status)
    status = join_lists(qn_cpu_kernels(), found->kernels(), &all_kernels, &failure);
  failure.status = status ? QN_DEVICE : QN_OK;
  if (!status)
    module = found;
  else if (error)
    *error = failure;
  return failure.status;
}

static enum qn_status load_once(struct qn_error *error) {
  pthread_mutex_lock(&lock);
  enum qn_status status = load(error);
  pthread_mutex_unlock(&lock);
  return status;
}

enum qn_status qn_cuda_count(int *count, struct qn_error *error) {
  *count = 0;
  enum qn_status status = load_once(error);
  return status ? status : module->count(count, error);
}

enum qn_status qn_cuda_open(int index, struct qn_cuda_device *device, struct qn_error *error) {
  int count;
  enum qn_status status = qn_cuda_count(&count, error);
  return status ? status : module->open(index, device, error);
}

/* ---- What stays on devices: there is nothing before the module is loaded ------- */

static const struct qn_cuda_module *loaded(void) {
  pthread_mutex_lock(&lock);
  const struct qn_cuda_module *found = module;
  pthread_mutex_unlock(&lock);
  return found;
}

void qn_cuda_start(int index) {
  if (!load_once(NULL))
    module->start(index);
}

double qn_cuda_start_seconds(void) {
  return loaded() ? module->start_seconds() : 0;
}

void qn_cuda_end(void) {
  if (loaded())
    module->end();
}

void qn_cuda_leave(int code) {
  if (loaded())
    module->leave(code);
}

enum qn_status qn_store_create(struct qn_store **out, struct qn_error *error) {
  *out = NULL;
  return loaded() ? module->store_create(out, error) : QN_OK;
}

enum qn_status qn_store_add(struct qn_store *store, const void *begin, uint64_t bytes,
                            struct qn_error *error) {
  return store ? module->store_add(store, begin, bytes, error) : QN_OK;
}

void qn_store_destroy(struct qn_store *store) {
  if (store)
    module->store_destroy(store);
}

enum qn_status qn_device_values_download(const struct qn_device_values *values, void *to,
                                         struct qn_error *error) {
  return module->values_download(values, to, error);
}

void qn_device_values_free(struct qn_device_values *values) {
  if (values->data)
    module->values_free(values);
}
