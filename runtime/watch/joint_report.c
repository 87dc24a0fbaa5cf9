#include "runtime/watch/joint_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/memory.h"
#include "support/arrays/reserve.h"
#include "support/sizes.h"

void qn_joint_report_begin(struct qn_joint_report *report, bool asynchronous) {
  qn_joint_report_end(report);
  report->asynchronous = asynchronous;
}

void qn_joint_report_end(struct qn_joint_report *report) {
  qn_free(report->entries);
  memset(report, 0, sizeof *report);
}

static void set_figures(json_t *object, const struct qn_joint_figures *figures) {
  json_object_set_new(object, "cpu_pages", json_integer((json_int_t)figures->cpu_pages));
  json_object_set_new(object, "cpu_seconds", json_real(figures->cpu_seconds));
  json_object_set_new(object, "device_pages", json_integer((json_int_t)figures->device_pages));
  json_object_set_new(object, "device_seconds", json_real(figures->device_seconds));
  json_object_set_new(object, "exchange_seconds", json_real(figures->exchange_seconds));
  json_object_set_new(object, "exchanged_bytes",
                      json_integer((json_int_t)figures->exchanged_bytes));
}

void qn_joint_report_add(struct qn_joint_report *report, const struct qn_iteration *iteration) {
  const struct qn_joint_figures *figures = iteration->device->joint;
  struct qn_joint_figures *sums = &report->sums;
  sums->cpu_pages += figures->cpu_pages;
  sums->cpu_seconds += figures->cpu_seconds;
  sums->device_pages += figures->device_pages;
  sums->device_seconds += figures->device_seconds;
  sums->exchange_seconds += figures->exchange_seconds;
  sums->exchanged_bytes += figures->exchanged_bytes;
  report->iterations[figures->choice]++;
  struct qn_error ignored;
  if (qn_reserve(&report->entries, &report->capacity, report->num_entries + 1,
                 sizeof *report->entries, "iterations", &ignored))
    return;
  report->entries[report->num_entries++] =
      (struct qn_joint_entry){iteration->iteration, iteration->seconds, *figures};
}

static json_t *entry_json(const struct qn_joint_entry *entry) {
  const struct qn_joint_figures *figures = &entry->figures;
  json_t *object = json_pack("{s:I, s:s, s:f}", "iteration", (json_int_t)entry->iteration, "choice",
                             qn_joint_name(figures->choice), "active_share", figures->active_share);
  json_object_set_new(object, "alpha",
                      isfinite(figures->alpha) ? json_real(figures->alpha) : json_null());
  set_figures(object, figures);
  json_object_set_new(object, "seconds", json_real(entry->seconds));
  return object;
}

json_t *qn_joint_report_json(const struct qn_joint_report *report) {
  if (report->num_entries == 0)
    return NULL;
  json_t *json = json_pack("{s:s, s:I, s:I, s:I}", "mode",
                           report->asynchronous ? "asynchronous" : "synchronous", "cpu_iterations",
                           (json_int_t)report->iterations[QN_CPU_ALONE], "device_iterations",
                           (json_int_t)report->iterations[QN_DEVICE_ALONE], "both_iterations",
                           (json_int_t)report->iterations[QN_BOTH]);
  set_figures(json, &report->sums);
  json_t *list = json_array();
  for (uint64_t i = 0; i < report->num_entries; i++)
    json_array_append_new(list, entry_json(&report->entries[i]));
  json_object_set_new(json, "iterations", list);
  return json;
}
