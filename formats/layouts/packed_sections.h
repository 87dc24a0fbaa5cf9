/* The names of the sections of a packed container, by direction. */
#ifndef QN_FORMATS_LAYOUTS_PACKED_SECTIONS_H
#define QN_FORMATS_LAYOUTS_PACKED_SECTIONS_H

struct qn_packed_sections {
  const char *name; /* of the direction, for messages */
  const char *tile_rows;
  const char *tile_edges;
  const char *tile_starts;
  const char *words;
  const char *weights;
};

extern const struct qn_packed_sections qn_packed_in_sections, qn_packed_out_sections;

#endif
