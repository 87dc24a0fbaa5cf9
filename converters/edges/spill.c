#include "converters/edges/spill.h"

#include "support/memory.h"
#include "support/threads.h"

enum qn_status qn_spill_create(const struct qn_spill_options *options, struct qn_spill **out,
                               struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(out, 1, sizeof **out, "a list of edges on disk", error);
  if (!status)
    (*out)->options = *options;
  return status;
}

void qn_spill_destroy(struct qn_spill *spill) {
  if (!spill)
    return;
  qn_division_destroy(spill->division);
  qn_id_collector_destroy(spill->ids);
  qn_free(spill);
}

unsigned qn_spill_piles(const struct qn_spill *spill) {
  if (spill->options.num_piles)
    return spill->options.num_piles;
  uint64_t most = qn_memory_limit() / 8 / (qn_threads() * QN_BLOCK_BYTES);
  unsigned piles = QN_MAX_PILES;
  while (piles > 4 && piles > most)
    piles /= 2;
  return piles;
}

/* What is known when the first edges come decides how they are kept. */
static enum qn_status begin(struct qn_edge_list *list, struct qn_error *error) {
  struct qn_spill *spill = list->spill;
  const struct qn_spill_options *options = &spill->options;
  struct qn_division_options division = {
      .by = QN_BY_SOURCE,
      .num_piles = qn_spill_piles(spill),
      .both = options->undirected || (options->symmetric && *options->symmetric),
  };
  bool declared = options->num_vertices && *options->num_vertices != QN_SPILL_NOT_DECLARED;
  bool collect = options->ids == QN_SPILL_IDS_COLLECT ||
                 (options->ids == QN_SPILL_IDS_UNLESS_DECLARED && !declared);
  enum qn_status status = QN_OK;
  if (collect)
    status = qn_id_collector_create(qn_memory_limit(), &spill->ids, error);
  return status ? status : qn_division_create(list->pool, &division, &spill->division, error);
}

static uint64_t count_self_loops(struct qn_edge_block *block) {
  const uint64_t *ids = qn_edge_block_ids(block);
  uint64_t loops = 0;
  for (uint64_t i = 0; i < block->count; i++)
    loops += block->wide ? ids[2 * i] == ids[2 * i + 1] : (uint32_t)ids[i] == ids[i] >> 32;
  return loops;
}

enum qn_status qn_spill_block(struct qn_edge_list *list, struct qn_edge_stream *stream,
                              struct qn_edge_block *block, struct qn_error *error) {
  struct qn_spill *spill = list->spill;
  enum qn_status status = QN_OK;
  uint64_t self_loops = count_self_loops(block);
  pthread_mutex_lock(&list->mutex);
  if (!spill->division)
    status = begin(list, error);
  spill->self_loops += self_loops;
  pthread_mutex_unlock(&list->mutex);
  if (!status && spill->ids)
    status = qn_id_collector_add(spill->ids, block, error);
  if (!status && !stream->divider) {
    stream->divider = qn_divider_open(spill->division, stream->sequence);
    if (!stream->divider)
      status = qn_fail_memory(error, "a divider of edges", qn_divider_bytes(QN_MAX_PILES));
  }
  return status ? status : qn_divider_add(stream->divider, block, error);
}

/* ---- Changing ------------------------------------------------------------- */

static enum qn_status gather_blocks(const struct qn_division *division,
                                    struct qn_pile_block **blocks, uint64_t *num_blocks,
                                    struct qn_error *error) {
  uint64_t total = 0;
  for (unsigned p = 0; p < QN_MAX_PILES; p++)
    total += division->piles[p].num_blocks;
  enum qn_status status =
      qn_alloc(blocks, total, sizeof **blocks, "the list of edge blocks", error);
  for (unsigned p = 0; p < QN_MAX_PILES && !status; p++)
    for (uint64_t i = 0; i < division->piles[p].num_blocks; i++)
      (*blocks)[(*num_blocks)++] = division->piles[p].blocks[i];
  return status;
}

enum qn_status qn_spill_change(struct qn_edge_list *list,
                               void (*change)(struct qn_edge_block *block, const void *context),
                               const void *context, struct qn_error *error) {
  struct qn_division *from = list->spill->division, *to = NULL;
  struct qn_pile_block *blocks = NULL;
  uint64_t num_blocks = 0;
  if (!from)
    return QN_OK;
  struct qn_division_options options = from->options;
  options.both = false; /* reverses are there already */
  enum qn_status status = qn_division_flush(from, error);
  if (!status)
    status = gather_blocks(from, &blocks, &num_blocks, error);
  if (!status)
    status = qn_division_create(list->pool, &options, &to, error);
  if (!status)
    status = qn_division_refill(to, from, blocks, num_blocks, change, context, error);
  qn_free(blocks);
  if (status) {
    qn_division_destroy(to);
    return status;
  }
  to->options.both = from->options.both;
  list->spill->division = to;
  qn_division_destroy(from);
  return QN_OK;
}
