/* A graph in a set by bands: the edges at some vertices in both directions, gathered out of the
 * parts that have them. For kernels that need all edges of a vertex at once; memory is for one
 * band at a time. */
#pragma once

#include "kernels/set_view.h"

struct qn_band {
  uint64_t begin, end;   /* its vertices */
  struct qn_csr rows;    /* [end - begin] their rows in the set's parts; columns are vertices */
  struct qn_csr columns; /* of a directed graph: the rows in which they are columns, in any order */
};

struct qn_bands {
  const struct qn_set_view *view;
  uint64_t num_bands;
  uint64_t *bounds;    /* [num_bands + 1] vertices */
  struct qn_band made; /* the one at hand */
};

/* Rows of parts stay together; as many bands as memory asks for. Owned until destroyed. */
enum qn_status qn_bands_create(const struct qn_set_view *view, struct qn_bands *bands,
                               struct qn_error *error);
void qn_bands_destroy(struct qn_bands *bands);

/* Make one of them, in place of the one before. */
enum qn_status qn_bands_take(struct qn_bands *bands, uint64_t index, struct qn_error *error);
