#include "runtime/list.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernels/registry.h"
#include <quern/layouts.h>

static json_t *weight_names(uint32_t weight_types) {
  json_t *names = json_array();
  for (uint32_t type = QN_WEIGHT_NONE; type <= QN_WEIGHT_F32; type++)
    if (weight_types & (1u << type))
      json_array_append_new(names, json_string(qn_weight_type_name(type)));
  return names;
}

static json_t *kernel_json(const struct qn_kernel *kernel) {
  return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "algorithm", kernel->algorithm, "title",
                   kernel->title, "layout", qn_layout_name(kernel->layout), "device",
                   qn_processor_name(kernel->processor), "kernel", kernel->name, "weights",
                   weight_names(kernel->weight_types));
}

static bool comes_before(const struct qn_kernel *a, const struct qn_kernel *b) {
  int order = strcmp(a->algorithm, b->algorithm);
  if (order)
    return order < 0;
  if (a->layout != b->layout)
    return a->layout < b->layout;
  if (a->processor != b->processor)
    return a->processor < b->processor;
  return a->weight_types < b->weight_types;
}

/* Selection by rank: as there are some hundred kernels, the square of that is nothing. */
json_t *qn_kernel_list(void) {
  json_t *list = json_array();
  const struct qn_kernel *last = NULL;
  for (;;) {
    const struct qn_kernel *next = NULL;
    for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++)
      if ((!last || comes_before(last, *kernel)) && (!next || comes_before(*kernel, next)))
        next = *kernel;
    if (!next)
      return json_pack("{s:o}", "kernels", list);
    json_array_append_new(list, kernel_json(next));
    last = next;
  }
}

static bool has_kernel(const char *algorithm, enum qn_layout layout, enum qn_processor processor) {
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++)
    if ((*kernel)->layout == layout && (*kernel)->processor == processor &&
        strcmp((*kernel)->algorithm, algorithm) == 0)
      return true;
  return false;
}

/* "cpu: every layout", or which; nothing without a kernel. */
static void print_processor(const char *algorithm, enum qn_processor processor,
                            const char *separator) {
  unsigned layouts = 0, with_kernel = 0;
  for (const struct qn_layout_operations *row = qn_layouts(); row->name; row++) {
    layouts += row->view != NULL;
    with_kernel += has_kernel(algorithm, row->layout, processor);
  }
  if (with_kernel == 0)
    return;
  printf("%s%s: ", separator, qn_processor_name(processor));
  if (with_kernel == layouts) {
    fputs("every layout", stdout);
    return;
  }
  for (const struct qn_layout_operations *row = qn_layouts(); row->name; row++)
    if (has_kernel(algorithm, row->layout, processor))
      printf("%s%s", row->name, --with_kernel ? ", " : "");
}

static void print_algorithm(const char *algorithm, const char *title) {
  printf("%-13s %s\n%14s", algorithm, title, "");
  print_processor(algorithm, QN_CPU, "");
  print_processor(algorithm, QN_CUDA, "; ");
  print_processor(algorithm, QN_JOINT, "; ");
  putchar('\n');
}

void qn_kernel_list_print(const json_t *list) {
  size_t index;
  const json_t *kernel;
  const char *last = "";
  json_array_foreach(json_object_get(list, "kernels"), index, kernel) {
    const char *algorithm = json_string_value(json_object_get(kernel, "algorithm"));
    if (strcmp(algorithm, last) != 0)
      print_algorithm(algorithm, json_string_value(json_object_get(kernel, "title")));
    last = algorithm;
  }
}
