/* The names of the sections of a blocked-csr container, by direction. */
#pragma once

struct qn_blocking_sections {
  const char *block_rows;
  const char *block_edges;
  const char *id_map;
  const char *row_offsets;
  const char *range_starts;
  const char *columns;
  const char *weights;
};

extern const struct qn_blocking_sections qn_pull_sections, qn_push_sections;
