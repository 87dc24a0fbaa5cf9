/* The names of the sections of a hybrid container, by direction. */
#pragma once

struct qn_hybrid_sections {
  const char *name; /* of the direction, for messages */
  const char *ell_columns;
  const char *ell_weights;
  const char *coo_starts;
  const char *coo_rows;
  const char *coo_columns;
  const char *coo_weights;
};

extern const struct qn_hybrid_sections qn_in_sections, qn_out_sections;
