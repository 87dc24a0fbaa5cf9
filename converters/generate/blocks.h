/* A generated graph straight into a set of blocks, of any number of vertices: edges are kept on
 * disk by blocks, and built into one after another, so that no more than one block is in memory. */
#pragma once

#include "converters/generate/run.h"
#include "formats/set/files.h"

/* Can this be done block by block? It is for directed graphs without weights, of which all edges
 * are kept; others are built as whole graphs, of at most 2^QN_MAX_SCALE vertices. */
bool qn_generate_takes_blocks(const struct qn_generate_options *options,
                              const struct qn_set_options *set);

/* What it takes, with packed blocks or plain ones, into `estimate`, which knows what edges on disk
 * take at least and how long they take. */
void qn_generate_blocks_estimate(const struct qn_generate_options *options,
                                 const struct qn_set_options *set, bool packed,
                                 struct qn_work_estimate *estimate);

/* `write_metadata` is of the graph, when the ledger is known. */
struct qn_generate_blocks_job {
  const struct qn_generate_options *options;
  const struct qn_set_options *set;
  const struct qn_set_builder *builder; /* of the layout that blocks get; NULL: plain rows */
  const char *path;
  bool replace;
  enum qn_status (*write_metadata)(const void *context, struct qn_writer *writer,
                                   struct qn_error *error);
  const void *context;
};

/* `*out` describes the set that was made: owned until qn_set_close. */
enum qn_status qn_generate_blocks(const struct qn_generate_blocks_job *job,
                                  struct qn_ledger *ledger, struct qn_set **out,
                                  struct qn_error *error);
