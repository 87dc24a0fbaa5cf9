/* Watching a run: the plan it streams by, what every iteration moved, a line on the terminal while
 * it runs, a timeline, a cost model. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "kernels/device_run.h"

struct qn_watch;

struct qn_watch_options {
  const char *trace; /* file of a timeline, or NULL */
  bool explain;      /* measure rates, for a cost model */
};

/* Begins the timeline's file. Owned until qn_watch_destroy. */
enum qn_status qn_watch_create(const struct qn_watch_options *options, bool replace,
                               struct qn_watch **out, struct qn_error *error);
/* Drops what is not committed; NULL is allowed. */
void qn_watch_destroy(struct qn_watch *watch);

/* What a run's graph lies in. */
struct qn_watched_files {
  unsigned count;
  const void *largest; /* section, mapped, of so many bytes; NULL: nothing that could be read */
  uint64_t bytes;
};

/* Let the run that is asked for tell of itself. `edges_walked`
 * of every iteration, if it is the same for all, else 0. `ends_itself`: it catches SIGINT and
 * SIGTERM and ends in order; else they end the process after an iteration, if a timeline is to be
 * kept. A later call forgets the run before. */
void qn_watch_attach(struct qn_watch *watch, struct qn_run_request *request,
                     const struct qn_watched_files *files, uint64_t num_vertices,
                     uint64_t edges_walked, bool ends_itself);

/* The streamed run so far; NULL if all was resident:
 *   {"attribute_bytes", "topology_bytes", "units", "unit_bytes", "streams", "batch_bytes",
 *    "staging_bytes", "readers", "pin_bytes", "pin_refusal", "cache_units", "cache_bytes",
 *    "active_units", "cache_hits", "moved_units", "moved_bytes", "direct_bytes": sums,
 *    "iterations": [{"iteration", "active_vertices", "active_units", "cache_hits", "moved_units",
 *                    "moved_bytes", "direct_bytes", "seconds"; of several devices also
 * "moved_bytes_by_device" and "merge_seconds"}], "cost_model": {...} with --explain (cost_model.h)}
 */
json_t *qn_watch_json(const struct qn_watch *watch);
/* The run that the CPU and a device shared (joint_report.h); NULL if they did not. */
json_t *qn_watch_joint_json(const struct qn_watch *watch);
/* Of a graph that exceeds memory: the rates of the storage that it is read from, as --explain or
 * --trace ask for, and how many iterations notified or pulled; NULL if they were not measured. */
json_t *qn_watch_storage_json(const struct qn_watch *watch);

/* The timeline appears: of a run that was interrupted, too. */
enum qn_status qn_watch_commit(struct qn_watch *watch, struct qn_error *error);
