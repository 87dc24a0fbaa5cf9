#include "converters/edges/edge_map.h"

#include "converters/edges/edge_blocks.h"
#include "converters/edges/spill.h"

static void renumber(struct qn_edge_block *block, const void *context) {
  const uint32_t *new_of_old = context;
  uint64_t *pairs = qn_edge_block_ids(block), largest = 0;
  for (uint32_t i = 0; i < block->count; i++) {
    uint64_t source = new_of_old[(uint32_t)pairs[i]], destination = new_of_old[pairs[i] >> 32];
    pairs[i] = source | destination << 32;
    largest = source > largest ? source : largest;
    largest = destination > largest ? destination : largest;
  }
  block->largest = largest;
  block->ascending = false;
}

/* Edges of a view stay with the list from now on. */
static bool renumber_listed(struct qn_edge_list *list, uint64_t index, const uint32_t *new_of_old) {
  struct qn_edge_block *scratch = NULL, *block = qn_edge_list_load(list, index, &scratch);
  if (!block) {
    if (scratch)
      qn_block_give(list->pool, scratch);
    return false;
  }
  if (block == scratch) {
    qn_edge_list_drop(list, index);
    list->blocks[index] = block;
  }
  renumber(block, new_of_old);
  return true;
}

enum qn_status qn_edge_list_renumber(struct qn_edge_list *list, const uint32_t *new_of_old,
                                     struct qn_error *error) {
  if (list->spill)
    return qn_spill_change(list, renumber, new_of_old, error);
  int failed = 0;
  qn_edge_marks_drop(&list->marks);
#pragma omp parallel for schedule(dynamic) reduction(| : failed)
  for (uint64_t b = 0; b < list->num_blocks; b++)
    failed |= !renumber_listed(list, b, new_of_old);
  return failed ? qn_edge_list_load_failed(list, error) : QN_OK;
}
