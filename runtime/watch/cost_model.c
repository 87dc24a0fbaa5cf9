#include "runtime/watch/cost_model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/sizes.h"

uint64_t qn_bytes_from_storage(void) {
  FILE *told = fopen("/proc/self/io", "re");
  char line[128];
  uint64_t bytes = 0;
  while (told && fgets(line, sizeof line, told))
    if (sscanf(line, "read_bytes: %" SCNu64, &bytes) == 1)
      break;
  if (told)
    fclose(told);
  return bytes;
}

void qn_cost_model_begin(struct qn_cost_model *model, unsigned num_files) {
  *model = (struct qn_cost_model){.num_files = num_files};
}

void qn_cost_model_plan(struct qn_cost_model *model, const struct qn_stream_plan *plan,
                        double disk_rate, uint64_t read) {
  model->bus_rate = plan->copy_rate;
  model->disk_rate = disk_rate;
  model->read_before = read;
}

void qn_cost_model_event(struct qn_cost_model *model, const struct qn_stream_event *event) {
  if (strcmp(event->what, "copy") == 0 && event->end > model->copied)
    model->copied = event->end;
  if (strcmp(event->what, "kernel") != 0)
    return;
  model->kernels += event->end - event->begin;
  if (event->end < model->last_end)
    return;
  model->last_end = event->end;
  model->last_begin = event->begin;
}

/* Of the kernel that ended last, what came after the last copy. */
static double exposed_kernel(const struct qn_cost_model *model) {
  const double begin = fmax(model->last_begin, model->copied);
  return fmax(model->last_end - begin, 0);
}

static void add_storage(struct qn_cost_model *model, uint64_t moved_bytes, uint64_t read) {
  const uint64_t bytes = read > model->read_before ? read - model->read_before : 0;
  const double transfer = model->bus_rate > 0 ? (double)moved_bytes / model->bus_rate : 0;
  model->read_before = read;
  model->read_bytes += bytes;
  if (model->disk_rate > 0)
    model->storage += fmax((double)bytes / model->disk_rate - transfer, 0);
}

void qn_cost_model_iteration(struct qn_cost_model *model, const struct qn_iteration *iteration,
                             uint64_t read) {
  const struct qn_device_iteration device = qn_iteration_on_devices(iteration);
  const struct qn_shared_iteration *shared = device.shared;
  uint64_t bytes = shared ? 0 : device.moved.moved_bytes;
  uint64_t batches = shared ? 0 : device.moved.batches;
  for (unsigned i = 0; shared && i < shared->num_devices; i++) {
    const struct qn_stream_figures *moved = &shared->moved[i];
    bytes = moved->moved_bytes > bytes ? moved->moved_bytes : bytes;
    batches = moved->batches > batches ? moved->batches : batches;
  }
  model->num_devices = shared ? shared->num_devices : 1;
  model->sync += shared ? shared->merge_seconds : 0;
  model->moved_bytes += device.moved.moved_bytes;
  model->most_bytes += bytes;
  model->batches += batches;
  model->measured += iteration->seconds;
  model->last_kernels += exposed_kernel(model);
  add_storage(model, bytes, read);
  model->copied = model->last_begin = model->last_end = 0;
}

json_t *qn_cost_model_json(const struct qn_cost_model *model, const struct qn_stream_plan *plan) {
  const double rate = plan->copy_rate > 0 ? plan->copy_rate : 1;
  const double transfer = (double)model->most_bytes / rate;
  const double calls = (double)model->batches * plan->call_seconds;
  const double hidden = transfer + model->storage;
  const double terms[] = {transfer, model->storage, fmax(calls - hidden, 0), model->last_kernels,
                          model->sync};
  static const char *const names[] = {"transfer", "storage", "calls", "last_kernels", "sync"};
  json_t *json = json_object();
  double total = 0;
  unsigned largest = 0;
  for (unsigned i = 0; i < sizeof terms / sizeof terms[0]; i++) {
    json_object_set_new(json, names[i], json_real(terms[i]));
    total += terms[i];
    largest = terms[i] > terms[largest] ? i : largest;
  }
  json_object_set_new(json, "attributes", json_real(2 * (double)plan->attribute_bytes / rate));
  json_object_set_new(json, "kernels", json_real(model->kernels));
  json_object_set_new(json, "model", json_real(total));
  json_object_set_new(json, "measured", json_real(model->measured));
  json_object_set_new(json, "bound", json_string(names[largest]));
  const double even =
      (double)model->moved_bytes / (double)(model->num_devices + !model->num_devices);
  json_object_set_new(json, "skew",
                      json_real(model->most_bytes ? even / (double)model->most_bytes : 1));
  json_object_set_new(json, "bytes_per_second", json_real(plan->copy_rate));
  const double read_rate = model->measured > 0 ? (double)model->read_bytes / model->measured : 0;
  json_object_set_new(json, "files", json_integer(model->num_files));
  json_object_set_new(json, "storage_bytes", json_integer((json_int_t)model->read_bytes));
  json_object_set_new(json, "storage_bytes_per_second", json_real(read_rate));
  json_object_set_new(json, "disk_bytes_per_second", json_real(model->disk_rate));
  return json;
}
