/* The names of the sections of a packed container, by direction. */
#pragma once

struct qn_packed_sections {
  const char *name; /* of the direction, for messages */
  const char *tile_rows;
  const char *tile_edges;
  const char *tile_starts;
  const char *words;
  const char *weights;
};

extern const struct qn_packed_sections qn_packed_in_sections, qn_packed_out_sections;
