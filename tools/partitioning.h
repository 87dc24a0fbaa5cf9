/* quern-transform --partition and --parts-by. */
#pragma once

#include "converters/partition/run.h"
#include "formats/set/project.h"
#include "support/tool.h"

struct qn_partitioning {
  const struct qn_partition_options *options; /* no parts: a column is there */
  const char *cut_by;                         /* this column; NULL: no set is made */
  const struct qn_set_options *set;           /* which rows it has */
  const struct qn_memory_options *memory;
  const struct qn_set_selection *types; /* of a set with types */
  const struct qn_tool_options *shared;
  const char *input, *output;
};

/* Write the output, and tell of it. */
enum qn_status qn_partitioning_run(const struct qn_partitioning *partitioning,
                                   struct qn_error *error);
