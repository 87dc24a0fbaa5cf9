/* Edges that were read into a set of blocks, of any number of vertices: ids are numbered on disk
 * (numbering.h), edges go to the blocks that they are of, on disk, too (spill.h), and one block
 * after the other is built (rows.h). So memory is for a block, and bytes depend on neither memory
 * nor threads; they are those that a graph of fewer vertices has from whoever builds it as a whole.
 */
#pragma once

#include "converters/build/build.h"
#include "formats/set/files.h"

struct qn_string_map;

struct qn_blocks_job {
  struct qn_edge_list *list; /* what it has is used up */
  const struct qn_build *build;
  /* Names of vertices in runs, whose numbers are the ids in `list`; NULL: ids are numbers. */
  struct qn_string_map *names;
  bool names_may_be_numbers;
  const struct qn_set_options *set;
  const struct qn_set_builder *builder; /* of the layout that blocks get; NULL: plain rows */
  const char *path;
  bool replace;
  /* Write the metadata of the graph, whose ledger is complete. */
  enum qn_status (*write_metadata)(void *context, struct qn_writer *writer, struct qn_error *error);
  void *context;
};

/* Must a set of these edges be built so, as it may have more than `most_vertices` vertices, or as
 * the ids of edges on disk do not fit into memory? */
bool qn_blocks_are_needed(const struct qn_edge_list *list, const struct qn_build *build,
                          uint64_t most_vertices);

/* Build, and let the set appear. `ledger` has what was read. `*out` describes the set: owned until
 * qn_set_close. */
enum qn_status qn_blocks_build(const struct qn_blocks_job *job, struct qn_ledger *ledger,
                               struct qn_set **out, struct qn_error *error);
