#include "runtime/list.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "runtime/arguments.h"
#include "support/tool.h"
#include <quern/layouts.h>

static json_t *weight_names(uint32_t weight_types) {
  json_t *names = json_array();
  for (uint32_t type = QN_WEIGHT_NONE; type < QN_WEIGHT_TYPES; type++)
    if (weight_types & (1u << type))
      json_array_append_new(names, json_string(qn_weight_type_name(type)));
  return names;
}

static json_t *kernel_json(const struct qn_kernel *kernel) {
  const struct qn_algorithm *algorithm = kernel->algorithm;
  char alias[64] = "";
  if (algorithm->aliases)
    snprintf(alias, sizeof alias, "%.*s", (int)strcspn(algorithm->aliases, ","),
             algorithm->aliases);
  return json_pack("{s:s, s:s?, s:s, s:s, s:s, s:s, s:s, s:b, s:o}", "algorithm", algorithm->name,
                   "alias", *alias ? alias : NULL, "title", algorithm->title, "purpose",
                   qn_purpose_name(algorithm->purpose), "layout", qn_layout_name(kernel->layout),
                   "device", qn_processor_name(kernel->processor), "kernel", kernel->name,
                   "several_devices", kernel->traits & QN_KERNEL_DEVICES || qn_sharing_find(kernel),
                   "weights", weight_names(kernel->weight_types));
}

static bool comes_before(const struct qn_kernel *a, const struct qn_kernel *b) {
  if (a->algorithm->purpose != b->algorithm->purpose)
    return a->algorithm->purpose < b->algorithm->purpose;
  int order = strcmp(a->algorithm->name, b->algorithm->name);
  if (order)
    return order < 0;
  if (a->layout != b->layout)
    return a->layout < b->layout;
  if (a->processor != b->processor)
    return a->processor < b->processor;
  return a->weight_types < b->weight_types;
}

static json_t *algorithms_json(void) {
  json_t *list = json_array();
  for (const struct qn_algorithm *const *algorithm = qn_algorithms(); *algorithm; algorithm++)
    json_array_append_new(list, qn_algorithm_json(*algorithm));
  return list;
}

/* Selection by rank: as there are some hundred kernels, the square of that is nothing. */
json_t *qn_kernel_list(void) {
  json_t *list = json_array();
  const struct qn_kernel *last = NULL;
  for (;;) {
    const struct qn_kernel *next = NULL;
    for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++)
      if (!((*kernel)->traits & QN_KERNEL_SHARES_ROWS) && (!last || comes_before(last, *kernel)) &&
          (!next || comes_before(*kernel, next)))
        next = *kernel;
    if (!next)
      return json_pack("{s:o, s:o}", "kernels", list, "algorithms", algorithms_json());
    json_array_append_new(list, kernel_json(next));
    last = next;
  }
}
