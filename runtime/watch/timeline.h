/* A timeline in the Trace Event format, which Perfetto (ui.perfetto.dev) and chrome://tracing show:
 * one row for iterations, one for each stream, counters for what moved. Several devices are one
 * process each: the first has the iterations, too. */
#pragma once

#include <stdio.h>

#include "kernels/device_run.h"
#include "support/atomic_file.h"

/* Zero it before use. */
struct qn_timeline {
  struct qn_atomic_file *file;
  FILE *out;
  uint64_t num_events;
  uint64_t named_streams[QN_MAX_DEVICES]; /* sets of bits */
  unsigned named_sides;                   /* set of bits */
  double begin, end; /* of this iteration's events, seconds; end < begin: there were none */
  double clock;      /* where the last iteration ended */
};

/* Begin the file; QN_USAGE if it exists and `replace` is false. */
enum qn_status qn_timeline_create(struct qn_timeline *timeline, const char *path, bool replace,
                                  struct qn_error *error);
/* Drop what is not committed; a zeroed timeline is allowed. */
void qn_timeline_abort(struct qn_timeline *timeline);

/* Name the process of one of several devices, counted from 0. */
void qn_timeline_device(struct qn_timeline *timeline, unsigned device);
void qn_timeline_event(struct qn_timeline *timeline, const struct qn_stream_event *event);
/* The iteration that the events since the last call belong to. */
void qn_timeline_iteration(struct qn_timeline *timeline, const struct qn_iteration *iteration);

enum qn_status qn_timeline_commit(struct qn_timeline *timeline, struct qn_error *error);
