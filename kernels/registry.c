#include "kernels/registry.h"

#include <string.h>

#include "kernels/sample.h"
#include "support/memory.h"

static bool suits(const struct qn_kernel *kernel, enum qn_layout layout,
                  enum qn_processor processor, enum qn_weight_type weight_type) {
  return kernel->layout == layout && kernel->processor == processor &&
         (kernel->weight_types & (1u << weight_type)) && !(kernel->traits & QN_KERNEL_BLOCKS);
}

const struct qn_kernel *qn_kernel_find(const char *algorithm, enum qn_layout layout,
                                       enum qn_processor processor,
                                       enum qn_weight_type weight_type) {
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++)
    if (suits(*kernel, layout, processor, weight_type) &&
        !((*kernel)->traits & QN_KERNEL_STANDS_IN) &&
        strcmp((*kernel)->algorithm->name, algorithm) == 0)
      return *kernel;
  return NULL;
}

/* Of the kernels that stand in for this one that with this trait of two, or with neither. */
static const struct qn_kernel *find_stand_in(const struct qn_kernel *kernel, uint32_t trait) {
  const uint32_t traits = QN_KERNEL_MULTI_SOURCE | QN_KERNEL_SHARES_ROWS;
  for (const struct qn_kernel *const *other = qn_kernels(); *other; other++)
    if ((*other)->traits & QN_KERNEL_STANDS_IN && (*other)->layout == kernel->layout &&
        (*other)->processor == kernel->processor && ((*other)->traits & traits) == trait &&
        (*other)->weight_types & kernel->weight_types && (*other)->algorithm == kernel->algorithm)
      return *other;
  return NULL;
}

const struct qn_kernel *qn_stand_in_find(const struct qn_kernel *kernel) {
  return find_stand_in(kernel, 0);
}

const struct qn_kernel *qn_multi_source_find(const struct qn_kernel *kernel) {
  return find_stand_in(kernel, QN_KERNEL_MULTI_SOURCE);
}

const struct qn_kernel *qn_sharing_find(const struct qn_kernel *kernel) {
  return find_stand_in(kernel, QN_KERNEL_SHARES_ROWS);
}

const struct qn_kernel *qn_derived_find(const char *algorithm, enum qn_layout layout,
                                        enum qn_processor processor,
                                        enum qn_weight_type weight_type) {
  for (const struct qn_kernel *const *kernel = qn_derived_kernels(); *kernel; kernel++)
    if (suits(*kernel, layout, processor, weight_type) &&
        strcmp((*kernel)->algorithm->follows, algorithm) == 0)
      return *kernel;
  return NULL;
}

static const struct qn_kernel *find_blocks(const struct qn_kernel *const *kernels,
                                           const struct qn_kernel *kernel) {
  for (; *kernels; kernels++)
    if ((*kernels)->traits & QN_KERNEL_BLOCKS && (*kernels)->layout == kernel->layout &&
        (*kernels)->processor == kernel->processor && (*kernels)->algorithm == kernel->algorithm)
      return *kernels;
  return NULL;
}

const struct qn_kernel *qn_blocks_find(const struct qn_kernel *kernel) {
  const struct qn_kernel *found = find_blocks(qn_kernels(), kernel);
  return found ? found : find_blocks(qn_derived_kernels(), kernel);
}

/* Is the name one of a list with commas? */
static bool is_listed(const char *list, const char *name) {
  const size_t length = strlen(name);
  for (const char *rest = list; rest; rest = strchr(rest, ',')) {
    rest += *rest == ',';
    if (strncmp(rest, name, length) == 0 && (rest[length] == ',' || rest[length] == '\0'))
      return length > 0;
  }
  return false;
}

const struct qn_algorithm *qn_algorithm_find(const char *name) {
  for (const struct qn_algorithm *const *algorithm = qn_algorithms(); *algorithm; algorithm++)
    if (strcmp((*algorithm)->name, name) == 0 || is_listed((*algorithm)->aliases, name))
      return *algorithm;
  return NULL;
}

const char *qn_purpose_name(enum qn_purpose purpose) {
  static const char *const names[] = {
      [QN_FOR_PATHS] = "Paths and distances",
      [QN_FOR_RANKING] = "Centrality and ranking",
      [QN_FOR_STRUCTURE] = "Components and structure",
      [QN_FOR_NUMBERS] = "Linear algebra and simulation",
      [QN_FOR_OTHER] = "Walks, samples and others",
  };
  return names[purpose];
}

struct qn_run_request qn_run_request_for(const struct qn_kernel *kernel, const void *view) {
  const struct qn_arguments arguments = qn_arguments_default(kernel->algorithm);
  struct qn_run_request request = {.view = view,
                                   .algorithm = kernel->algorithm,
                                   .limits = {.tolerance = kernel->algorithm->tolerance,
                                              .max_iterations = kernel->algorithm->iterations}};
  qn_request_take(&request, &arguments);
  return request;
}

void qn_run_result_destroy(struct qn_run_result *result) {
  if (result->values)
    qn_pages_free(result->values, result->num_values * qn_result_width(result),
                  qn_result_bytes(result->type));
  if (result->shape == QN_SHAPE_PAIRS) {
    qn_pages_free(result->pairs.first, result->num_values, sizeof *result->pairs.first);
    qn_pages_free(result->pairs.second, result->num_values, sizeof *result->pairs.second);
  } else if (result->shape == QN_SHAPE_PATH) {
    qn_pages_free(result->path, result->num_values, sizeof *result->path);
  } else if (result->shape == QN_SHAPE_SAMPLE) {
    qn_sample_destroy(result->sample);
  }
  *result = (struct qn_run_result){0};
}

const char *qn_processor_name(enum qn_processor processor) {
  return processor == QN_CUDA ? "cuda" : processor == QN_JOINT ? "both" : "cpu";
}

uint32_t qn_result_bytes(enum qn_result_type type) {
  return type == QN_RESULT_U64 || type == QN_RESULT_F64 ? 8 : 4;
}
