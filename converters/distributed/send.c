/* Edges to the ranks that have the rows which they are of, where memory is limited and what comes
 * goes to disk. In rounds: each rank takes some blocks of its list, turns their ids into vertices,
 * puts the edges side by side by where they go, and all exchange them. The order of the list is
 * kept. */
#include <string.h>

#include "converters/build/list_source.h"
#include "converters/distributed/state.h"
#include "converters/edges/spill.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/temp_file.h"
#include "support/threads.h"

/* Ranges of rows are cut at multiples of a power of two, of which there are at most so many. */
#define MOST_GROUPS ((uint64_t)1 << 16)

/* Of so many blocks the edges are counted, to share the rows out evenly. */
#define COUNTED_BLOCKS 64

/* Blocks that a rank sends in a round, of 64 KiB. What a round takes is new memory once, and may
 * still be in the cache when it is sent. */
#define BLOCKS_AT_ONCE 64

/* Are reverses to be added? Those of a list on disk have been. */
static bool adds_reverses(const struct qn_distributed *distributed) {
  return distributed->build->undirected && !distributed->sender.list->spill;
}

/* ---- Which rows a rank has ------------------------------------------------------ */

static void count_block(const struct qn_distributed *distributed, struct qn_edge_block *block,
                        struct qn_row_groups *groups) {
  const uint64_t *pairs = qn_edge_block_ids(block);
  const bool both = adds_reverses(distributed);
  for (uint32_t i = 0; i < block->count; i++) {
    uint32_t source = (uint32_t)pairs[i], destination = (uint32_t)(pairs[i] >> 32);
    groups->edges[(distributed->turned ? destination : source) >> groups->shift]++;
    if (both)
      groups->edges[destination >> groups->shift]++;
  }
}

/* Blocks in memory are copied, as their ids are turned into vertices only once. */
static enum qn_status count_some(const struct qn_distributed *distributed,
                                 const struct qn_list_source *source, struct qn_row_groups *groups,
                                 struct qn_error *error) {
  struct qn_loaded_block loaded = {0};
  struct qn_block_pool *pool = source->list->pool;
  uint64_t step = source->num_blocks / COUNTED_BLOCKS + 1, ignored = 0;
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < source->num_blocks && !status; i += step) {
    struct qn_edge_block *block;
    void *copy = loaded.raw;
    status = qn_list_source_load(source, i, &loaded, &block, error);
    if (!status && block != loaded.block) {
      status = qn_loaded_block_room(pool, &copy, error);
      loaded.raw = copy;
      if (!status)
        block = memcpy(copy, block, QN_BLOCK_BYTES);
    }
    if (!status) {
      qn_build_prepare_block(&distributed->sender, block, &ignored);
      count_block(distributed, block, groups);
    }
  }
  qn_loaded_block_free(pool, &loaded);
  return status;
}

/* Edges are counted of a part of all blocks; they are weighed as if of all. */
static uint64_t weigh(const struct qn_distributed *distributed, struct qn_row_groups *groups,
                      uint64_t num_edges) {
  enum qn_set_balance balance = distributed->job->set->balance;
  uint64_t counted = 0, total = 0;
  for (uint64_t g = 0; g < groups->count; g++)
    counted += groups->edges[g];
  double scale = counted ? (double)num_edges / (double)counted : 0;
  for (uint64_t g = 0; g < groups->count; g++) {
    uint64_t begin = g << groups->shift, end = begin + ((uint64_t)1 << groups->shift);
    uint64_t rows = (end < distributed->num_vertices ? end : distributed->num_vertices) - begin;
    uint64_t edges = (uint64_t)((double)groups->edges[g] * scale);
    groups->edges[g] = total;
    total += (balance == QN_SET_BY_EDGES ? 0 : rows) + (balance == QN_SET_BY_VERTICES ? 0 : edges);
  }
  groups->edges[groups->count] = total;
  return total;
}

enum qn_status qn_distributed_share_rows(struct qn_distributed *distributed,
                                         struct qn_row_groups *groups, uint64_t num_edges,
                                         struct qn_error *error) {
  const unsigned num_ranks = distributed->ranks->num_ranks;
  uint64_t group = 0;
  enum qn_status status = qn_alloc(&distributed->first_rows, (uint64_t)num_ranks + 1,
                                   sizeof *distributed->first_rows, "the shares of ranks", error);
  if (!status)
    status = distributed->ranks->combine(groups->edges, groups->count, QN_COMBINE_SUM, error);
  if (status)
    return status;
  const uint64_t total = weigh(distributed, groups, num_edges);
  for (unsigned r = 0; r <= num_ranks; r++) {
    double share = (double)qn_distributed_first_part(distributed, r) /
                   (double)qn_distributed_num_parts(distributed);
    while (group < groups->count && (double)groups->edges[group] < (double)total * share)
      group++;
    uint64_t row = group << groups->shift;
    distributed->first_rows[r] = row < distributed->num_vertices ? row : distributed->num_vertices;
  }
  distributed->first_rows[0] = 0;
  distributed->first_rows[num_ranks] = distributed->num_vertices;
  return QN_OK;
}

static unsigned group_shift(const struct qn_distributed *distributed) {
  unsigned shift = 0;
  while (distributed->num_vertices >> shift > MOST_GROUPS - 1)
    shift++;
  return shift;
}

static enum qn_status choose_rows(struct qn_distributed *distributed,
                                  const struct qn_list_source *source, struct qn_error *error) {
  struct qn_row_groups groups = {.shift = group_shift(distributed)};
  uint64_t num_edges = distributed->sender.list->num_edges;
  groups.count = (distributed->num_vertices >> groups.shift) + 1;
  enum qn_status status = qn_alloc_zeroed(&groups.edges, groups.count + 1, sizeof *groups.edges,
                                          "the shares of ranks", error);
  if (!status)
    status = count_some(distributed, source, &groups, error);
  if (!status)
    status = distributed->ranks->combine(&num_edges, 1, QN_COMBINE_SUM, error);
  if (!status)
    status = qn_distributed_share_rows(distributed, &groups,
                                       num_edges * (distributed->build->undirected ? 2 : 1), error);
  qn_free(groups.edges);
  return status;
}

/* ---- A round --------------------------------------------------------------------- */

struct sending {
  struct qn_distributed *distributed;
  struct qn_list_source source;
  struct qn_edge_stream *streams; /* [P]: what comes from each rank */
  uint16_t *owners;               /* of each group of rows */
  unsigned shift;
  unsigned weight_bytes;
  uint64_t at_once;               /* blocks */
  struct qn_loaded_block *loaded; /* [at_once] */
  struct qn_edge_block **blocks;  /* [at_once] */
  const void **weights;           /* [at_once] */
  uint64_t *counts;               /* [at_once][P]: then where they go, in edges of that rank */
  uint64_t *num_for;              /* [P] edges */
  uint64_t *num_from;             /* [P] */
  uint64_t *sizes, *begins;       /* [P] bytes, and their places */
  uint64_t *received_sizes;       /* [P] */
  const char **from_ranks;        /* [P]: what came from each rank */
  char *data, *received;
  uint64_t capacity, received_capacity;
  uint64_t self_loops;
};

/* An edge as the builder wants it: its row, then its column. */
static inline uint64_t turn(uint64_t pair) {
  return pair >> 32 | pair << 32;
}

static inline bool is_loop(uint64_t pair) {
  return (uint32_t)pair == pair >> 32;
}

static void count_for_ranks(const struct sending *sending, struct qn_edge_block *block,
                            uint64_t *counts) {
  const uint64_t *pairs = qn_edge_block_ids(block);
  const bool both = adds_reverses(sending->distributed), turned = sending->distributed->turned;
  for (uint32_t i = 0; i < block->count; i++) {
    uint64_t pair = turned ? turn(pairs[i]) : pairs[i];
    counts[sending->owners[(uint32_t)pair >> sending->shift]]++;
    if (both && !is_loop(pair))
      counts[sending->owners[pair >> 32 >> sending->shift]]++;
  }
}

/* Pairs of one rank lie together, its weights behind them, at a multiple of 8 bytes. */
static inline void put(const struct sending *sending, uint64_t *places, uint64_t pair,
                       const void *weights, uint32_t i) {
  uint16_t owner = sending->owners[(uint32_t)pair >> sending->shift];
  char *begin = sending->data + sending->begins[owner];
  uint64_t place = places[owner]++;
  ((uint64_t *)begin)[place] = pair;
  if (weights)
    qn_weight_copy(begin + sending->num_for[owner] * sizeof pair, place, weights, i,
                   sending->weight_bytes);
}

static void put_block(const struct sending *sending, struct qn_edge_block *block,
                      const void *weights, uint64_t *places) {
  const uint64_t *pairs = qn_edge_block_ids(block);
  const bool both = adds_reverses(sending->distributed), turned = sending->distributed->turned;
  for (uint32_t i = 0; i < block->count; i++) {
    uint64_t pair = turned ? turn(pairs[i]) : pairs[i];
    put(sending, places, pair, weights, i);
    if (both && !is_loop(pair))
      put(sending, places, turn(pair), weights, i);
  }
}

static enum qn_status prepare(struct sending *sending, uint64_t index, uint64_t slot,
                              uint64_t *self_loops, struct qn_error *error) {
  const struct qn_build_job *sender = &sending->distributed->sender;
  uint64_t *counts = sending->counts + slot * sending->distributed->ranks->num_ranks;
  struct qn_loaded_block *loaded = &sending->loaded[slot];
  memset(counts, 0, sending->distributed->ranks->num_ranks * sizeof *counts);
  enum qn_status status =
      qn_list_source_load(&sending->source, index, loaded, &sending->blocks[slot], error);
  if (status)
    return status;
  qn_build_prepare_block(sender, sending->blocks[slot], self_loops);
  if (qn_build_weights(sender, sending->blocks[slot], &loaded->weights, &sending->weights[slot]))
    return qn_block_pool_exhausted(sender->list->pool, error);
  count_for_ranks(sending, sending->blocks[slot], counts);
  return QN_OK;
}

static enum qn_status prepare_all(struct sending *sending, uint64_t first, uint64_t count,
                                  struct qn_error *error) {
  enum qn_status status = QN_OK;
  uint64_t self_loops = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : self_loops)
  for (uint64_t slot = 0; slot < count; slot++) {
    struct qn_error own;
    enum qn_status failed = prepare(sending, first + slot, slot, &self_loops, &own);
    if (failed) {
#pragma omp critical(spread_prepare)
      {
        status = failed;
        if (error)
          *error = own;
      }
    }
  }
  sending->self_loops += self_loops;
  return status;
}

static uint64_t message_bytes(const struct sending *sending, uint64_t edges) {
  return edges * sizeof(uint64_t) + (edges * sending->weight_bytes + 7) / 8 * 8;
}

/* Where each block's edges for each rank go. Those that stay are last, and are not sent. */
static uint64_t place(struct sending *sending, uint64_t count) {
  const unsigned num_ranks = sending->distributed->ranks->num_ranks,
                 own = sending->distributed->ranks->rank;
  uint64_t begin = 0;
  for (unsigned i = 0; i < num_ranks; i++) {
    unsigned r = i + 1 == num_ranks ? own : i + (i >= own);
    uint64_t edges = 0;
    for (uint64_t slot = 0; slot < count; slot++) {
      uint64_t here = sending->counts[slot * num_ranks + r];
      sending->counts[slot * num_ranks + r] = edges;
      edges += here;
    }
    sending->num_for[r] = edges;
    sending->sizes[r] = r == own ? 0 : message_bytes(sending, edges);
    sending->begins[r] = begin;
    begin += message_bytes(sending, edges);
  }
  return begin;
}

static void put_all(struct sending *sending, uint64_t first, uint64_t count) {
#pragma omp parallel for schedule(dynamic)
  for (uint64_t slot = 0; slot < count; slot++) {
    put_block(sending, sending->blocks[slot], sending->weights[slot],
              sending->counts + slot * sending->distributed->ranks->num_ranks);
    qn_list_source_drop(&sending->source, first + slot);
  }
}

/* Memory that is kept for later rounds. */
static enum qn_status room_for(char **memory, uint64_t *capacity, uint64_t bytes,
                               struct qn_error *error) {
  if (bytes <= *capacity)
    return QN_OK;
  qn_pages_free(*memory, *capacity, 1);
  *capacity = 0;
  uint64_t more = bytes + bytes / 4;
  enum qn_status status = qn_pages_alloc(memory, more, 1, "edges that are sent", error);
  *capacity = status ? 0 : more;
  return status;
}

static enum qn_status exchange(struct sending *sending, struct qn_error *error) {
  const struct qn_collective *ranks = sending->distributed->ranks;
  uint64_t total = 0;
  for (unsigned r = 0; r < ranks->num_ranks; r++)
    sending->received_sizes[r] = sizeof(uint64_t);
  enum qn_status status = ranks->exchange(sending->num_for, sending->received_sizes,
                                          sending->num_from, sending->received_sizes, error);
  for (unsigned r = 0; r < ranks->num_ranks && !status; r++) {
    const bool own = r == ranks->rank;
    sending->received_sizes[r] = own ? 0 : message_bytes(sending, sending->num_from[r]);
    total += sending->received_sizes[r];
  }
  if (!status)
    status = room_for(&sending->received, &sending->received_capacity, total, error);
  if (!status)
    status = ranks->exchange(sending->data, sending->sizes, sending->received,
                             sending->received_sizes, error);
  return status;
}

static void find_received(struct sending *sending) {
  const struct qn_collective *ranks = sending->distributed->ranks;
  uint64_t begin = 0;
  for (unsigned r = 0; r < ranks->num_ranks; r++) {
    sending->from_ranks[r] =
        r == ranks->rank ? sending->data + sending->begins[r] : sending->received + begin;
    begin += sending->received_sizes[r];
    qn_progress_add(sending->num_from[r]);
  }
}

static void push_all(struct sending *sending) {
  const enum qn_weight_type type = sending->distributed->sender.weight_type;
  find_received(sending);
#pragma omp parallel for schedule(dynamic, 1)
  for (unsigned r = 0; r < sending->distributed->ranks->num_ranks; r++) {
    const uint64_t num_edges = sending->num_from[r];
    const uint64_t *pairs = (const uint64_t *)sending->from_ranks[r];
    qn_edge_push_pairs(&sending->streams[r], pairs, type, pairs + num_edges, num_edges);
  }
}

static enum qn_status send_round(struct sending *sending, uint64_t round, struct qn_error *error) {
  uint64_t first = round * sending->at_once, left = sending->source.num_blocks;
  left = left > first ? left - first : 0;
  uint64_t count = left < sending->at_once ? left : sending->at_once;
  enum qn_status status = prepare_all(sending, first, count, error);
  uint64_t bytes = status ? 0 : place(sending, count);
  if (!status)
    status = room_for(&sending->data, &sending->capacity, bytes, error);
  if (!status) {
    put_all(sending, first, count);
    status = exchange(sending, error);
  }
  if (!status)
    push_all(sending);
  return status ? status : qn_context_check(error);
}

/* Streams in the order of ranks. */
static enum qn_status send_rounds(struct sending *sending, struct qn_error *error) {
  const unsigned num_ranks = sending->distributed->ranks->num_ranks;
  uint64_t rounds = (sending->source.num_blocks + sending->at_once - 1) / sending->at_once;
  enum qn_status status = sending->distributed->ranks->combine(&rounds, 1, QN_COMBINE_MOST, error);
  for (unsigned r = 0; r < num_ranks; r++)
    qn_edge_stream_open(&sending->streams[r], sending->distributed->received, r);
  for (uint64_t round = 0; round < rounds && !status; round++)
    status = send_round(sending, round, error);
  for (unsigned r = 0; r < num_ranks; r++) {
    enum qn_status closed = qn_edge_stream_close(&sending->streams[r], status ? NULL : error);
    status = status ? status : closed;
  }
  return status;
}

/* ---- The whole ------------------------------------------------------------------- */

/* What streams from all ranks take of memory that is limited. */
static unsigned piles_for(unsigned num_ranks) {
  uint64_t most = qn_memory_limit() / 8 / ((uint64_t)num_ranks * QN_BLOCK_BYTES);
  unsigned piles = QN_MAX_PILES;
  while (piles > 1 && piles > most)
    piles /= 2;
  return piles;
}

static enum qn_status create_received(struct qn_distributed *distributed, struct qn_error *error) {
  const struct qn_spill_options options = {.ids = QN_SPILL_IDS_IGNORE,
                                           .num_piles = piles_for(distributed->ranks->num_ranks)};
  return qn_edge_list_create_on_disk(&options, &distributed->received, error);
}

static uint64_t blocks_at_once(unsigned num_ranks) {
  const uint64_t limit = qn_memory_limit() / 16 / (4 * (uint64_t)num_ranks * QN_BLOCK_BYTES);
  if (!qn_memory_limit() || limit > BLOCKS_AT_ONCE) /* another rank has a limit */
    return BLOCKS_AT_ONCE;
  return limit ? limit : 1;
}

static enum qn_status sending_create(struct sending *sending, struct qn_error *error) {
  const uint64_t num_ranks = sending->distributed->ranks->num_ranks;
  const uint64_t groups = (sending->distributed->num_vertices >> sending->shift) + 1;
  uint64_t **numbers[] = {&sending->num_for, &sending->num_from, &sending->sizes, &sending->begins,
                          &sending->received_sizes};
  sending->at_once = blocks_at_once((unsigned)num_ranks);
  enum qn_status status = QN_OK;
  for (int i = 0; i < 5 && !status; i++)
    status = qn_alloc_zeroed(numbers[i], num_ranks, sizeof **numbers[i], "sizes", error);
  if (!status)
    status = qn_alloc_zeroed(&sending->loaded, sending->at_once, sizeof *sending->loaded,
                             "edges that are sent", error);
  if (!status)
    status = qn_alloc_zeroed(&sending->blocks, sending->at_once, sizeof *sending->blocks,
                             "edges that are sent", error);
  if (!status)
    status = qn_alloc_zeroed(&sending->weights, sending->at_once, sizeof *sending->weights,
                             "edges that are sent", error);
  if (!status)
    status = qn_alloc(&sending->counts, sending->at_once * num_ranks, sizeof *sending->counts,
                      "edges that are sent", error);
  if (!status)
    status =
        qn_alloc(&sending->owners, groups, sizeof *sending->owners, "the shares of ranks", error);
  if (!status)
    status = qn_alloc(&sending->from_ranks, num_ranks, sizeof *sending->from_ranks, "sizes", error);
  if (!status)
    status = qn_alloc_zeroed(&sending->streams, num_ranks, sizeof *sending->streams,
                             "edges that are sent", error);
  for (uint64_t g = 0, r = 0; g < groups && !status; g++) {
    while (r + 1 < num_ranks && g << sending->shift >= sending->distributed->first_rows[r + 1])
      r++;
    sending->owners[g] = (uint16_t)r;
  }
  return status;
}

static void sending_destroy(struct sending *sending) {
  for (uint64_t i = 0; sending->loaded && i < sending->at_once; i++)
    qn_loaded_block_free(sending->source.list->pool, &sending->loaded[i]);
  void *const memory[] = {sending->num_for, sending->num_from,       sending->sizes,
                          sending->begins,  sending->received_sizes, (void *)sending->from_ranks,
                          sending->loaded,  sending->blocks,         (void *)sending->weights,
                          sending->counts,  sending->owners,         sending->streams};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
    qn_free(memory[i]);
  qn_list_source_close(&sending->source);
  qn_pages_free(sending->data, sending->capacity, 1);
  qn_pages_free(sending->received, sending->received_capacity, 1);
}

/* All edges are sent, and received. */
static enum qn_status send_all(struct sending *sending, struct qn_error *error) {
  enum qn_status status = sending_create(sending, error);
  if (!status)
    status = create_received(sending->distributed, error);
  if (status)
    return status;
  qn_progress_begin("exchanging", "edges", 0);
  status = send_rounds(sending, error);
  qn_progress_end();
  return status;
}

enum qn_status qn_distributed_send(struct qn_distributed *distributed, struct qn_error *error) {
  struct qn_edge_list *list = distributed->sender.list;
  const bool chosen = distributed->first_rows != NULL;
  struct sending sending = {.distributed = distributed,
                            .shift = group_shift(distributed),
                            .weight_bytes = qn_weight_bytes(distributed->sender.weight_type)};
  if (distributed->ranks->num_ranks > UINT16_MAX)
    return qn_fail(error, QN_UNSUPPORTED, "more than %d ranks", UINT16_MAX);
  enum qn_status status = QN_OK;
  if (list->spill && list->spill->division &&
      list->spill->division->options.both != distributed->build->undirected)
    status = qn_fail(error, QN_USAGE,
                     "only the end of the input said that its edges go both ways: with --memory, "
                     "use --undirected too");
  qn_edge_marks_drop(&list->marks);
  if (!status)
    status = qn_list_source_open(list, &sending.source, error);
  if (!status && !chosen)
    status = choose_rows(distributed, &sending.source, error);
  if (!status)
    status = send_all(&sending, error);
  sending_destroy(&sending);
  qn_build_count_read(&distributed->sender,
                      list->spill ? list->spill->self_loops : sending.self_loops);
  if (list->spill) {
    qn_division_destroy(list->spill->division);
    list->spill->division = NULL;
  }
  return status;
}
