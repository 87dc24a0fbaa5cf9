/* The whole of an export: a graph as a file or a folder of another system's format. */
#pragma once

#include "converters/format.h"
#include "converters/output/losses.h"
#include "support/options.h"

struct qn_export_options {
  struct qn_write_options write;
  const struct qn_graph_writer *writer;
  uint64_t num_parts; /* 0: one file */
  const char *path;   /* "-": standard output */
  bool replace;
  const char *column; /* of formats of partitions, which the Python package writes */
};

/* By the names of quern-export's options, but "format". */
extern const struct qn_setting qn_export_settings[];

/* Nothing is asked for; the format is edges. Notes are an array that the caller gives back. */
void qn_export_options_begin(struct qn_export_options *options);
/* When all is said: QN_USAGE if some of it does not go together. */
enum qn_status qn_export_options_settle(const struct qn_export_options *options,
                                        struct qn_error *error);

struct qn_export_report {
  uint64_t edges, bytes;
};

/* Write a checked graph, with the properties of the verified container that it is of (NULL: there
 * are none). */
enum qn_status qn_export_graph(const struct qn_export_options *options,
                               const struct qn_graph *graph, const struct qn_container *container,
                               struct qn_export_report *report, struct qn_error *error);
