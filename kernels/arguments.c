/* The arguments of a run: their defaults, and how kernels look at them. */
#include <assert.h>
#include <stdlib.h>

#include "kernels/registry.h"

/* "15,10": the default of a parameter that is a list. */
static void take_default_list(const char *words, struct qn_arguments *arguments) {
  for (const char *rest = words; *rest && arguments->list_length < QN_MAX_LIST;) {
    char *end;
    arguments->list[arguments->list_length++] = (uint32_t)strtoul(rest, &end, 10);
    rest = end + (*end == ',');
  }
}

struct qn_arguments qn_arguments_default(const struct qn_algorithm *algorithm) {
  struct qn_arguments arguments = {.list_length = 0};
  for (uint32_t i = 0; i < algorithm->num_parameters; i++) {
    const struct qn_parameter *parameter = &algorithm->parameters[i];
    arguments.of[i] = qn_argument_of(parameter->value);
    if (parameter->type == QN_PARAMETER_LIST)
      take_default_list(parameter->words, &arguments);
  }
  return arguments;
}

struct qn_argument qn_argument(const struct qn_run_request *request, const char *name) {
  const uint32_t index = qn_parameter_find(request->algorithm, name);
  assert(index < request->algorithm->num_parameters);
  return request->arguments.of[index];
}

void qn_request_take(struct qn_run_request *request, const struct qn_arguments *arguments) {
  const struct qn_algorithm *algorithm = request->algorithm;
  request->arguments = *arguments;
  for (uint32_t i = 0; i < algorithm->num_parameters; i++) {
    const char *name = algorithm->parameters[i].name;
    if (strcmp(name, "iterations") == 0 || strcmp(name, "hops") == 0)
      request->limits.max_iterations = (uint32_t)arguments->of[i].whole;
    else if (strcmp(name, "tolerance") == 0)
      request->limits.tolerance = arguments->of[i].real;
    else if (strcmp(name, "delta") == 0)
      request->delta = arguments->of[i].real;
  }
}

void qn_request_set(struct qn_run_request *request, const char *name, double value) {
  const uint32_t index = qn_parameter_find(request->algorithm, name);
  assert(index < request->algorithm->num_parameters);
  request->arguments.of[index] = qn_argument_of(value);
  const struct qn_arguments arguments = request->arguments;
  qn_request_take(request, &arguments);
}
