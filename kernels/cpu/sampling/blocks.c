/* Rows of a set: blocks, each with the edges of some rows from some columns on. Those of a row are
 * numbered from block to block, as in the graph that the set is of. */
#include "kernels/cpu/sampling/rows.h"

#include "support/memory.h"

/* The first block that may have the row. */
static uint64_t find_block(const struct qn_sampling_rows *rows, uint64_t number) {
  uint64_t low = 0, high = rows->num_blocks;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (rows->blocks[middle].end <= number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

uint32_t qn_block_column(const struct qn_sampling_rows *rows, const struct qn_sampling_row *row,
                         uint64_t edge, struct qn_row_reader *reader) {
  uint64_t before = row->first;
  for (uint64_t b = find_block(rows, row->number);
       b < rows->num_blocks && rows->blocks[b].begin <= row->number; b++) {
    const struct qn_sampling_block *block = &rows->blocks[b];
    struct qn_sampling_row part;
    if (!qn_row_of(&block->rows, row->number - block->begin, &part))
      return UINT32_MAX;
    if (edge - before < part.length) {
      const uint64_t at = part.first + (edge - before);
      const uint32_t column = qn_column_of(&block->rows, &part, at, reader);
      return column == UINT32_MAX ? column : column + block->first_column;
    }
    before += part.length;
  }
  return UINT32_MAX;
}

/* ---- Where rows begin ----------------------------------------------------------- */

struct counting {
  const struct qn_sampling_block *block;
  uint64_t *lengths;
  struct qn_row_reader reader;
};

static void count_block(void *argument) {
  struct counting *counting = argument;
  const struct qn_sampling_block *block = counting->block;
  for (uint64_t number = block->begin; number < block->end; number++) {
    struct qn_sampling_row row;
    if (!qn_row_of(&block->rows, number - block->begin, &row))
      counting->reader.damaged = true;
    counting->lengths[number] += row.length;
  }
}

enum qn_status qn_sampling_rows_join(const struct qn_sampling_block *blocks, uint64_t num_blocks,
                                     uint64_t num_rows, struct qn_sampling_rows *rows,
                                     uint64_t **offsets, struct qn_error *error) {
  enum qn_status status = qn_pages_alloc(offsets, num_rows + 1, sizeof **offsets, "rows", error);
  if (status)
    return status;
  *rows = (struct qn_sampling_rows){.num_vertices = num_rows,
                                    .row_offsets = *offsets,
                                    .blocks = blocks,
                                    .num_blocks = num_blocks};
  const struct qn_sampling_edges edges = {.rows = *rows};
  for (uint64_t b = 0; b < num_blocks && !status; b++) {
    struct counting counting = {.block = &blocks[b], .lengths = *offsets + 1};
    status = qn_sampling_read_status(
        qn_sampling_read_guarded(&edges, count_block, &counting, &counting.reader), error);
  }
  for (uint64_t v = 0; v < num_rows && !status; v++)
    (*offsets)[v + 1] += (*offsets)[v];
  rows->num_edges = (*offsets)[num_rows];
  return status;
}
