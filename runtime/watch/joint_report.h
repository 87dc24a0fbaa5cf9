/* What the CPU and the device did in a run that they shared (kernels/joint.h). */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "kernels/device_run.h"

struct qn_joint_entry {
  uint32_t iteration;
  double seconds;
  struct qn_joint_figures figures;
};

/* Zero it before use. Iterations may take microseconds, so they are kept as they are. */
struct qn_joint_report {
  bool asynchronous;
  struct qn_joint_figures sums; /* of pages, seconds and bytes */
  uint64_t iterations[QN_JOINT_CHOICES];
  struct qn_joint_entry *entries; /* [num_entries] */
  uint64_t num_entries, capacity;
};

/* Forget what was added. */
void qn_joint_report_begin(struct qn_joint_report *report, bool asynchronous);
/* A zeroed report is allowed. */
void qn_joint_report_end(struct qn_joint_report *report);
/* Left out of the list if there is no memory for it. */
void qn_joint_report_add(struct qn_joint_report *report, const struct qn_iteration *iteration);

/* {"mode": "synchronous", "cpu_iterations", "device_iterations", "both_iterations": how many were
 * done by whom, "cpu_pages", "cpu_seconds", "device_pages", "device_seconds", "exchange_seconds",
 * "exchanged_bytes": sums, "iterations": [{"iteration", "choice": "cpu", "device" or "both",
 * "active_share", "alpha", the same figures, "seconds"}]}; NULL if nothing was shared. */
json_t *qn_joint_report_json(const struct qn_joint_report *report);
