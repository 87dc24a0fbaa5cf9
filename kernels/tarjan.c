#include "kernels/tarjan.h"

#include "support/memory.h"

struct tarjan {
  const struct qn_csr *out;
  uint32_t *component; /* [V] */
  uint32_t *number;    /* [V] in order of discovery, from 1; 0: not seen */
  uint32_t *lowest;    /* [V] the smallest number that is reached from below and still open */
  uint64_t *cursor;    /* [V] the edge to look at next */
  uint32_t *path;      /* from the root of the search to the vertex at hand */
  uint32_t *open;      /* seen, and not yet in a component */
  uint32_t num_seen;   /* of all roots */
  uint64_t path_length, num_open;
};

static void enter(struct tarjan *tarjan, uint32_t v) {
  tarjan->number[v] = tarjan->lowest[v] = ++tarjan->num_seen;
  tarjan->cursor[v] = tarjan->out->row_offsets[v];
  tarjan->path[tarjan->path_length++] = v;
  tarjan->open[tarjan->num_open++] = v;
}

static void take_lower(struct tarjan *tarjan, uint32_t v, uint32_t number) {
  if (number < tarjan->lowest[v])
    tarjan->lowest[v] = number;
}

/* All of v's edges were looked at: it goes back to the vertex before, or closes a component. */
static void leave(struct tarjan *tarjan, uint32_t v) {
  tarjan->path_length--;
  if (tarjan->path_length > 0)
    take_lower(tarjan, tarjan->path[tarjan->path_length - 1], tarjan->lowest[v]);
  if (tarjan->lowest[v] != tarjan->number[v])
    return;
  uint32_t member;
  do {
    member = tarjan->open[--tarjan->num_open];
    tarjan->component[member] = v;
  } while (member != v);
}

/* A vertex that is in a component already is not in one with any that is open. */
static void search_from(struct tarjan *tarjan, uint32_t root) {
  const struct qn_csr *out = tarjan->out;
  enter(tarjan, root);
  while (tarjan->path_length > 0) {
    const uint32_t v = tarjan->path[tarjan->path_length - 1];
    if (tarjan->cursor[v] == out->row_offsets[v + 1]) {
      leave(tarjan, v);
      continue;
    }
    const uint32_t other = out->column_indices[tarjan->cursor[v]++];
    if (tarjan->component[other] != QN_NO_COMPONENT)
      continue;
    if (tarjan->number[other])
      take_lower(tarjan, v, tarjan->number[other]);
    else
      enter(tarjan, other);
  }
}

enum qn_status qn_tarjan(const struct qn_csr *out, uint32_t *component, struct qn_error *error) {
  const uint64_t num_vertices = out->num_vertices;
  struct tarjan tarjan = {.out = out, .component = component};
  enum qn_status status =
      qn_pages_alloc(&tarjan.number, num_vertices, sizeof *tarjan.number, "numbers", error);
  if (!status)
    status = qn_pages_alloc(&tarjan.lowest, num_vertices, sizeof *tarjan.lowest, "numbers", error);
  if (!status)
    status = qn_pages_alloc(&tarjan.cursor, num_vertices, sizeof *tarjan.cursor, "cursors", error);
  if (!status)
    status = qn_pages_alloc(&tarjan.path, num_vertices, sizeof *tarjan.path, "a path", error);
  if (!status)
    status =
        qn_pages_alloc(&tarjan.open, num_vertices, sizeof *tarjan.open, "open vertices", error);
  for (uint64_t v = 0; v < num_vertices && !status; v++)
    if (component[v] == QN_NO_COMPONENT)
      search_from(&tarjan, (uint32_t)v);
  qn_pages_free(tarjan.number, num_vertices, sizeof *tarjan.number);
  qn_pages_free(tarjan.lowest, num_vertices, sizeof *tarjan.lowest);
  qn_pages_free(tarjan.cursor, num_vertices, sizeof *tarjan.cursor);
  qn_pages_free(tarjan.path, num_vertices, sizeof *tarjan.path);
  qn_pages_free(tarjan.open, num_vertices, sizeof *tarjan.open);
  return status;
}
