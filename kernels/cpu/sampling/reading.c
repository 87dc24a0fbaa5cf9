/* Reading rows of mappings that may be cut or written over meanwhile. */
#include "kernels/cpu/sampling/rows.h"

#include "support/memory.h"
#include "support/system/guarded_reads.h"

enum qn_rows_outcome qn_sampling_read_guarded(const struct qn_sampling_edges *edges,
                                              void (*read)(void *argument), void *argument,
                                              struct qn_row_reader *reader) {
  const struct qn_sampling_rows *rows = &edges->rows, *numbered = &edges->numbered;
  const bool plain = rows->column_indices && (numbered->column_indices || !numbered->row_offsets);
  enum qn_rows_outcome outcome = QN_ROWS_READ;
  *reader = (struct qn_row_reader){0};
  if (!plain && qn_alloc(&reader->tile, 1, sizeof *reader->tile, "a tile", NULL))
    return QN_ROWS_STARVED;
  if (!qn_guarded_read(read, argument))
    outcome = QN_ROWS_CUT;
  else if (reader->damaged)
    outcome = QN_ROWS_DAMAGED;
  qn_free(reader->tile);
  return outcome;
}

enum qn_status qn_sampling_read_status(enum qn_rows_outcome worst, struct qn_error *error) {
  switch (worst) {
  case QN_ROWS_DAMAGED:
    return qn_fail(error, QN_INVALID,
                   "a row or an edge does not lie within the graph: it is damaged");
  case QN_ROWS_STARVED:
    return qn_fail_memory(error, "a tile", sizeof(struct qn_packed_tile));
  case QN_ROWS_CUT:
    return qn_fail(error, QN_SYSTEM,
                   "the file was cut while it was in use; write a new file and rename it instead");
  default:
    return QN_OK;
  }
}
