/* What the shared library loads when it is needed, instead of being linked with it: CUDA,
 * HDF5 and libcurl.
 *
 * A module is a shared library beside libquern.so.0. It uses what that exports to its own version
 * alone (exports.map.in), and has a function that gives its table, which begins with the version
 * that it was built as: another than the library's is refused. */
#pragma once

#include "converters/arrays/hdf5_file.h"
#include "kernels/cuda/device/device.h"
#include "kernels/device_run.h"
#include "support/remote/http.h"

/* Load the module of a file name, once in the process, and find its table. QN_UNSUPPORTED if it is
 * not installed or is of another version, as the message says: "WHAT needs FILE ...: ADVICE". */
enum qn_status qn_module_load(const char *what, const char *file, const char *advice,
                              const char *entry, const void **table, struct qn_error *error);

/* ---- libquern-hdf5.so.0 ---------------------------------------------------- */

/* The functions of converters/arrays/hdf5_file.h. */
struct qn_hdf5_module {
  const char *version;
  enum qn_status (*open)(const char *name, const struct qn_whole_input *whole, uint64_t max_bytes,
                         struct qn_hdf5 **out, struct qn_error *error);
  void (*close)(struct qn_hdf5 *file);
  enum qn_status (*text)(struct qn_hdf5 *file, const char *name, char **text,
                         struct qn_error *error);
  enum qn_status (*shape_of)(struct qn_hdf5 *file, const char *name, struct qn_hdf5_shape *shape,
                             struct qn_error *error);
  enum qn_status (*read)(struct qn_hdf5 *file, const char *name, unsigned most_dimensions,
                         struct qn_number_array *array, struct qn_error *error);
  enum qn_status (*create)(struct qn_hdf5 **out, struct qn_error *error);
  enum qn_status (*put_text)(struct qn_hdf5 *file, const char *name, const char *text,
                             struct qn_error *error);
  enum qn_status (*put)(struct qn_hdf5 *file, const char *name, enum qn_number_class kind,
                        unsigned width, uint64_t count, qn_hdf5_filler fill, void *context,
                        struct qn_error *error);
  enum qn_status (*give)(struct qn_hdf5 *file, struct qn_text_output *output,
                         struct qn_error *error);
};

const struct qn_hdf5_module *qn_hdf5_module(void);

/* ---- libquern-curl.so.0 ---------------------------------------------------- */

/* The functions of support/remote/http.h. */
struct qn_curl_module {
  const char *version;
  enum qn_status (*create)(struct qn_http **out, struct qn_error *error);
  void (*destroy)(struct qn_http *http);
  enum qn_http_end (*get)(struct qn_http *http, const struct qn_http_request *request,
                          char message[QN_HTTP_MESSAGE]);
};

const struct qn_curl_module *qn_curl_module(void);

/* ---- libquern-cuda.so.0 ---------------------------------------------------- */

struct qn_cuda_module {
  const char *version;
  /* Of the structs that it shares. */
  uint64_t kernel_bytes, request_bytes, result_bytes, device_run_bytes;
  const struct qn_kernel *const *(*kernels)(void); /* of devices, as kernels/registry.h has them */
  const struct qn_kernel *const *(*followers)(void);
  enum qn_status (*count)(int *count, struct qn_error *error);
  enum qn_status (*open)(int index, struct qn_cuda_device *device, struct qn_error *error);
  /* The functions of kernels/store.h. */
  enum qn_status (*store_create)(struct qn_store **out, struct qn_error *error);
  enum qn_status (*store_add)(struct qn_store *store, const void *begin, uint64_t bytes,
                              struct qn_error *error);
  void (*store_destroy)(struct qn_store *store);
  enum qn_status (*values_download)(const struct qn_device_values *values, void *to,
                                    struct qn_error *error);
  void (*values_free)(struct qn_device_values *values);
  /* The functions of kernels/cuda/device/start.h. */
  void (*start)(int index);
  double (*start_seconds)(void);
  void (*end)(void);
  void (*leave)(int code);
};

const struct qn_cuda_module *qn_cuda_module(void);

/* The lists that the build generates. */
const struct qn_kernel *const *qn_cpu_kernels(void);
const struct qn_kernel *const *qn_cpu_derived_kernels(void);
const struct qn_kernel *const *qn_cuda_kernels(void);
const struct qn_kernel *const *qn_cuda_derived_kernels(void);
