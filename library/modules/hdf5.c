/* HDF5 in the shared library: what is asked of it is done by a module, loaded at the first
 * question. */
#include <pthread.h>

#include "library/modules/modules.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct qn_hdf5_module *module; /* NULL: not loaded yet. Under the lock */

static enum qn_status load(struct qn_error *error) {
  const void *table;
  if (module)
    return QN_OK;
  enum qn_status status =
      qn_module_load("the format binsparse", "libquern-hdf5.so.0", "build it with libhdf5-dev",
                     "qn_hdf5_module", &table, error);
  if (!status)
    module = table;
  return status;
}

enum qn_status qn_hdf5_open(const char *name, const struct qn_whole_input *whole,
                            uint64_t max_bytes, struct qn_hdf5 **out, struct qn_error *error) {
  *out = NULL;
  pthread_mutex_lock(&lock);
  enum qn_status status = load(error);
  if (!status)
    status = module->open(name, whole, max_bytes, out, error);
  pthread_mutex_unlock(&lock);
  return status;
}

enum qn_status qn_hdf5_create(struct qn_hdf5 **out, struct qn_error *error) {
  *out = NULL;
  pthread_mutex_lock(&lock);
  enum qn_status status = load(error);
  if (!status)
    status = module->create(out, error);
  pthread_mutex_unlock(&lock);
  return status;
}

/* ---- Of files that are open, so that the module is there ------------------- */

void qn_hdf5_close(struct qn_hdf5 *file) {
  if (!file)
    return;
  pthread_mutex_lock(&lock);
  module->close(file);
  pthread_mutex_unlock(&lock);
}

enum qn_status qn_hdf5_text(struct qn_hdf5 *file, const char *name, char **text,
                            struct qn_error *error) {
  pthread_mutex_lock(&lock);
  enum qn_status status = module->text(file, name, text, error);
  pthread_mutex_unlock(&lock);
  return status;
}

enum qn_status qn_hdf5_shape_of(struct qn_hdf5 *file, const char *name, struct qn_hdf5_shape *shape,
                                struct qn_error *error) {
  pthread_mutex_lock(&lock);
  enum qn_status status = module->shape_of(file, name, shape, error);
  pthread_mutex_unlock(&lock);
  return status;
}

enum qn_status qn_hdf5_read(struct qn_hdf5 *file, const char *name, unsigned most_dimensions,
                            struct qn_number_array *array, struct qn_error *error) {
  pthread_mutex_lock(&lock);
  enum qn_status status = module->read(file, name, most_dimensions, array, error);
  pthread_mutex_unlock(&lock);
  return status;
}

enum qn_status qn_hdf5_put_text(struct qn_hdf5 *file, const char *name, const char *text,
                                struct qn_error *error) {
  pthread_mutex_lock(&lock);
  enum qn_status status = module->put_text(file, name, text, error);
  pthread_mutex_unlock(&lock);
  return status;
}

enum qn_status qn_hdf5_put(struct qn_hdf5 *file, const char *name, enum qn_number_class kind,
                           unsigned width, uint64_t count, qn_hdf5_filler fill, void *context,
                           struct qn_error *error) {
  pthread_mutex_lock(&lock);
  enum qn_status status = module->put(file, name, kind, width, count, fill, context, error);
  pthread_mutex_unlock(&lock);
  return status;
}

enum qn_status qn_hdf5_give(struct qn_hdf5 *file, struct qn_text_output *output,
                            struct qn_error *error) {
  pthread_mutex_lock(&lock);
  enum qn_status status = module->give(file, output, error);
  pthread_mutex_unlock(&lock);
  return status;
}
