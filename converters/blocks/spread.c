/* Edges to the blocks that they are of. Where the ids of all vertices fit into memory an edge goes
 * straight to its block; else first to a pile by the range of its source's id, where that becomes a
 * vertex, then to one by the range of its destination's. */
#include "converters/blocks/rows.h"
#include "converters/blocks/state.h"
#include "converters/edges/spill.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"

/* An edge on its way: as words of a record, source and destination, and with a weight its number in
 * the input and the weight's bits. */
enum { SOURCE, DESTINATION, NUMBER, WEIGHT, WORDS };

enum stage { FROM_LIST, FROM_SOURCES, FROM_DESTINATIONS };

struct spreading {
  struct qn_blocks *blocks;
  const struct qn_list_source *source;
  uint64_t *first_numbers; /* [num_blocks] of the list: that of the first edge */
  uint64_t num_ranges;
  struct qn_id_range range;                          /* of the ids that become vertices */
  struct qn_block_spill *by_source, *by_destination; /* [num_ranges]; NULL: one range */
  bool both;                                         /* reverses are to be added */
  bool removes_loops;
  unsigned weight_bytes, words;
  uint64_t self_loops;
};

/* What a thread has. */
struct hand {
  struct spreading *spreading;
  struct qn_block_sorter *sorter;
  struct qn_loaded_block loaded;
  uint64_t *piece;
  uint64_t self_loops;
};

/* ---- To blocks ---------------------------------------------------------------------- */

static enum qn_status put_entry(struct hand *hand, uint64_t row, uint64_t column,
                                const uint64_t *edge, struct qn_error *error) {
  const struct qn_blocks *blocks = hand->spreading->blocks;
  const uint64_t block = row / blocks->width * blocks->num_cuts + column / blocks->width;
  uint64_t record[QN_BLOCK_WEIGHTED_WORDS] = {
      QN_BLOCK_EDGE(row % blocks->width, column % blocks->width)};
  if (hand->spreading->weight_bytes) {
    record[1] = edge[NUMBER];
    record[2] = edge[WEIGHT];
  }
  return qn_block_spill_add(hand->sorter, block, record, error);
}

/* An edge between vertices. */
static enum qn_status put_edge(struct hand *hand, const uint64_t *edge, struct qn_error *error) {
  const struct spreading *spreading = hand->spreading;
  const bool turned = spreading->blocks->turned;
  const uint64_t row = edge[turned ? DESTINATION : SOURCE],
                 column = edge[turned ? SOURCE : DESTINATION];
  enum qn_status status = put_entry(hand, row, column, edge, error);
  return status || !spreading->both || row == column ? status
                                                     : put_entry(hand, column, row, edge, error);
}

static enum qn_status put_pile(struct hand *hand, const uint64_t *edge, unsigned end,
                               struct qn_error *error) {
  const struct spreading *spreading = hand->spreading;
  const uint64_t pile =
      qn_numbering_range_of(&spreading->blocks->numbering, spreading->num_ranges, edge[end]);
  return qn_block_spill_add(hand->sorter, pile, edge, error);
}

/* An edge of the stage before goes on. */
static enum qn_status move_edge(struct hand *hand, enum stage stage, uint64_t *edge,
                                struct qn_error *error) {
  const struct qn_id_range *range = &hand->spreading->range;
  if (stage == FROM_LIST && hand->spreading->num_ranges > 1)
    return put_pile(hand, edge, SOURCE, error);
  if (stage != FROM_DESTINATIONS)
    edge[SOURCE] = qn_id_range_vertex(range, edge[SOURCE]);
  if (stage == FROM_SOURCES)
    return put_pile(hand, edge, DESTINATION, error);
  edge[DESTINATION] = qn_id_range_vertex(range, edge[DESTINATION]);
  return put_edge(hand, edge, error);
}

/* ---- From the list -------------------------------------------------------------------- */

static enum qn_status move_list_block(struct hand *hand, uint64_t index, struct qn_error *error) {
  const struct spreading *spreading = hand->spreading;
  const struct qn_build_job *sender = &spreading->blocks->sender;
  struct qn_edge_block *block;
  const void *weights = NULL;
  enum qn_status status = qn_context_check(error);
  if (!status)
    status = qn_list_source_load(spreading->source, index, &hand->loaded, &block, error);
  if (!status && qn_build_weights(sender, block, &hand->loaded.weights, &weights))
    status = qn_block_pool_exhausted(sender->list->pool, error);
  for (uint32_t i = 0; !status && i < block->count; i++) {
    const struct qn_edge_ends ends = qn_edge_block_ends(block, i);
    uint64_t edge[WORDS] = {ends.source, ends.destination};
    const bool is_loop = ends.source == ends.destination;
    hand->self_loops += is_loop;
    if (is_loop && spreading->removes_loops)
      continue;
    if (weights) {
      edge[NUMBER] = spreading->first_numbers[index] + i;
      edge[WEIGHT] = qn_weight_load(weights, spreading->weight_bytes, i);
    }
    status = move_edge(hand, FROM_LIST, edge, error);
  }
  if (!status)
    qn_progress_add(block->count);
  qn_list_source_drop(spreading->source, index);
  return status;
}

/* ---- From piles -------------------------------------------------------------------------- */

static enum qn_status move_piece(struct hand *hand, enum stage stage, uint64_t pile, uint64_t index,
                                 struct qn_error *error) {
  const struct spreading *spreading = hand->spreading;
  const struct qn_block_spill *from =
      stage == FROM_SOURCES ? spreading->by_source : spreading->by_destination;
  uint64_t count;
  enum qn_status status = qn_context_check(error);
  if (!status)
    status = qn_block_spill_take_piece(from, pile, index, hand->piece, &count, error);
  for (uint64_t i = 0; !status && i < count; i++) {
    uint64_t edge[WORDS];
    for (unsigned w = 0; w < spreading->words; w++)
      edge[w] = hand->piece[i * spreading->words + w];
    status = move_edge(hand, stage, edge, error);
  }
  return status;
}

/* ---- By all threads ------------------------------------------------------------------------ */

static enum qn_status hand_open(struct spreading *spreading, struct qn_block_spill *to,
                                enum stage stage, struct hand *hand, struct qn_error *error) {
  enum qn_status status = QN_OK;
  *hand = (struct hand){.spreading = spreading};
  if (stage != FROM_LIST)
    status = qn_alloc(&hand->piece, qn_block_spill_piece_room(spreading->by_source) + 1,
                      spreading->words * sizeof *hand->piece, "edges", error);
  return status ? status : qn_block_sorter_open(to, &hand->sorter, error);
}

static enum qn_status hand_close(struct hand *hand, enum qn_status status, struct qn_error *error) {
  if (hand->sorter)
    status = qn_block_sorter_finish(hand->sorter, status, error);
  qn_loaded_block_free(hand->spreading->source->list->pool, &hand->loaded);
  qn_free(hand->piece);
  return status;
}

/* Blocks of the list, or pieces of a pile, to `to`; the first failure is told. */
static enum qn_status move_all(struct spreading *spreading, struct qn_block_spill *to,
                               enum stage stage, uint64_t pile, uint64_t count,
                               struct qn_error *error) {
  enum qn_status status = QN_OK;
#pragma omp parallel
  {
    struct hand hand;
    struct qn_error failure;
    enum qn_status mine = hand_open(spreading, to, stage, &hand, &failure);
#pragma omp for schedule(dynamic)
    for (uint64_t i = 0; i < count; i++)
      if (!mine)
        mine = stage == FROM_LIST ? move_list_block(&hand, i, &failure)
                                  : move_piece(&hand, stage, pile, i, &failure);
    mine = hand_close(&hand, mine, &failure);
#pragma omp critical(qn_blocks_spread_failed)
    {
      spreading->self_loops += hand.self_loops;
      if (mine && !status) {
        status = mine;
        *error = failure;
      }
    }
  }
  return status;
}

/* One pile after the other, as each needs the ids of a range. */
static enum qn_status move_piles(struct spreading *spreading, enum stage stage,
                                 struct qn_block_spill *from, struct qn_block_spill *to,
                                 struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t p = 0; !status && p < spreading->num_ranges; p++) {
    status = qn_id_range_open(&spreading->blocks->numbering, spreading->num_ranges, p,
                              &spreading->range, error);
    if (!status)
      status = move_all(spreading, to, stage, p, qn_block_spill_num_pieces(from, p), error);
    qn_id_range_close(&spreading->range);
  }
  return status;
}

static enum qn_status spread_by_ranges(struct spreading *spreading, uint64_t num_blocks,
                                       struct qn_error *error) {
  enum qn_status status =
      qn_block_spill_create(spreading->num_ranges, spreading->words, &spreading->by_source, error);
  if (!status)
    status = move_all(spreading, spreading->by_source, FROM_LIST, 0, num_blocks, error);
  if (!status)
    status = qn_block_spill_create(spreading->num_ranges, spreading->words,
                                   &spreading->by_destination, error);
  if (!status)
    status =
        move_piles(spreading, FROM_SOURCES, spreading->by_source, spreading->by_destination, error);
  if (!status)
    status = move_piles(spreading, FROM_DESTINATIONS, spreading->by_destination,
                        spreading->blocks->edges, error);
  qn_block_spill_destroy(spreading->by_source);
  qn_block_spill_destroy(spreading->by_destination);
  return status;
}

static enum qn_status spread_at_once(struct spreading *spreading, uint64_t num_blocks,
                                     struct qn_error *error) {
  enum qn_status status =
      qn_id_range_open(&spreading->blocks->numbering, 1, 0, &spreading->range, error);
  if (!status)
    status = move_all(spreading, spreading->blocks->edges, FROM_LIST, 0, num_blocks, error);
  qn_id_range_close(&spreading->range);
  return status;
}

static enum qn_status number_edges(struct spreading *spreading, struct qn_error *error) {
  const struct qn_list_source *source = spreading->source;
  enum qn_status status = qn_alloc(&spreading->first_numbers, source->num_blocks + 1,
                                   sizeof *spreading->first_numbers, "numbers of edges", error);
  for (uint64_t i = 0, sum = 0; !status && i < source->num_blocks; i++) {
    spreading->first_numbers[i] = sum;
    sum += qn_list_source_count(source, i);
  }
  return status;
}

enum qn_status qn_blocks_spread(struct qn_blocks *blocks, const struct qn_list_source *source,
                                struct qn_error *error) {
  const struct qn_build *build = blocks->job->build;
  const struct qn_spill *spill = source->list->spill;
  struct spreading spreading = {.blocks = blocks,
                                .source = source,
                                .num_ranges = qn_numbering_ranges(&blocks->numbering),
                                .both = build->undirected && !spill,
                                .removes_loops = build->self_loops == QN_SELF_LOOPS_REMOVE,
                                .weight_bytes = qn_weight_bytes(blocks->sender.weight_type)};
  spreading.words = spreading.weight_bytes ? WORDS : NUMBER;
  enum qn_status status = number_edges(&spreading, error);
  qn_progress_begin("distributing", "edges", source->list->num_edges);
  if (!status)
    status = spreading.num_ranges > 1 ? spread_by_ranges(&spreading, source->num_blocks, error)
                                      : spread_at_once(&spreading, source->num_blocks, error);
  qn_progress_end();
  qn_free(spreading.first_numbers);
  qn_build_count_read(&blocks->sender, spill ? spill->self_loops : spreading.self_loops);
  return status;
}
