/* Edges in memory to the ranks that have the rows which they are of. Each rank spreads its own over
 * buckets of rows, as the builder sorts them; then ranks trade buckets, in rounds of some
 * megabytes. What comes from a rank lies in a lane of its own, so that the order of edges is that
 * of ranks. */
#include <stdlib.h>
#include <string.h>

#include "converters/distributed/state.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/threads.h"

/* Bytes that a rank sends to all others together in a round, and to one of them at least. */
#define SENT_AT_ONCE ((uint64_t)8 << 20)
#define LEAST_AT_ONCE ((uint64_t)64 << 10)
#define WIDEST_RECORD 16

/* How far a rank has sent, or received, the records of buckets. */
struct cursor {
  uint64_t bucket, done; /* records of it */
  uint64_t left;         /* records in all */
};

struct trade {
  const struct qn_collective *ranks;
  struct qn_edge_buckets *buckets;
  uint64_t own_lanes;
  uint64_t *firsts;           /* [P + 1]: the buckets of each rank begin */
  uint64_t *counts;           /* [num_buckets] of each: records of this rank */
  uint64_t *expected;         /* [P][own]: records that each rank sends of each of this one's */
  struct cursor *out, *in;    /* [P] to each rank, and from it */
  uint64_t *sent, *received;  /* [P] bytes in a round */
  uint64_t step;              /* records for a rank in a round */
  struct qn_piece *pieces;    /* of any bucket */
  char *to_send, *to_receive; /* [P * step] */
};

static uint64_t own_buckets(const struct trade *trade) {
  return trade->firsts[trade->ranks->rank + 1] - trade->firsts[trade->ranks->rank];
}

/* ---- Buckets of all ranks ---------------------------------------------------------- */

/* The same on all ranks. */
static enum qn_status choose_shape(struct qn_distributed *distributed, uint64_t *num_edges,
                                   struct qn_error *error) {
  const unsigned width = qn_weight_bytes(distributed->sender.weight_type);
  const uint64_t num_vertices = distributed->num_vertices;
  uint64_t facts[] = {
      distributed->sender.list->num_edges * (distributed->build->undirected ? 2 : 1), qn_threads()};
  enum qn_status status = distributed->ranks->combine(facts, 2, QN_COMBINE_SUM, error);
  *num_edges = facts[0];
  distributed->shape =
      distributed->first_rows
          ? qn_bucket_shape_like(&distributed->shape, facts[0], width, facts[1])
          : qn_bucket_shape_for(num_vertices, num_vertices, facts[0], width, facts[1]);
  return status;
}

/* The lanes of ranks before this one, its own, those of the others. */
static enum qn_status spread(struct qn_distributed *distributed, uint64_t own_lanes,
                             struct qn_error *error) {
  struct qn_build_job *sender = &distributed->sender;
  enum qn_status status = qn_edge_buckets_create(sender->list->pool, &distributed->shape,
                                                 own_lanes + distributed->ranks->num_ranks - 1,
                                                 &sender->buckets, error);
  qn_edge_marks_drop(&sender->list->marks);
  qn_build_order_blocks(sender->list);
  return status ? status
                : qn_build_spread(sender, distributed->ranks->rank, own_lanes, distributed->turned,
                                  error);
}

static uint64_t lane_of(const struct trade *trade, unsigned rank) {
  return rank < trade->ranks->rank ? rank : rank - 1 + trade->own_lanes;
}

static enum qn_status count_records(struct trade *trade, struct qn_error *error) {
  const struct qn_edge_buckets *buckets = trade->buckets;
  uint64_t most_pieces = 0;
  enum qn_status status = qn_alloc(&trade->counts, buckets->shape.num_buckets,
                                   sizeof *trade->counts, "the sizes of buckets", error);
  for (uint64_t b = 0; !status && b < buckets->shape.num_buckets; b++) {
    const uint64_t pieces = qn_bucket_pieces(buckets, b, NULL, &trade->counts[b]);
    most_pieces = pieces > most_pieces ? pieces : most_pieces;
  }
  return status ? status
                : qn_alloc(&trade->pieces, most_pieces, sizeof *trade->pieces,
                           "edges that are sent", error);
}

static enum qn_status share_buckets(struct qn_distributed *distributed, struct trade *trade,
                                    uint64_t num_edges, struct qn_error *error) {
  const struct qn_bucket_shape *shape = &distributed->shape;
  struct qn_row_groups groups = {.count = shape->num_buckets, .shift = shape->source_bits};
  if (distributed->first_rows)
    return QN_OK;
  enum qn_status status =
      qn_alloc(&groups.edges, groups.count + 1, sizeof *groups.edges, "the shares of ranks", error);
  if (!status && groups.count)
    memcpy(groups.edges, trade->counts, groups.count * sizeof *groups.edges);
  if (!status)
    status = qn_distributed_share_rows(distributed, &groups, num_edges, error);
  qn_free(groups.edges);
  return status;
}

/* ---- What goes where ----------------------------------------------------------------- */

/* For tests less: as ranks.c. */
static uint64_t bytes_at_once(uint64_t num_ranks) {
  const char *said = getenv("QUERN_RANKS_SENT_AT_ONCE");
  const uint64_t most = said ? strtoull(said, NULL, 10) : 0, bytes = SENT_AT_ONCE / num_ranks;
  return most >= WIDEST_RECORD && most < LEAST_AT_ONCE ? most
         : bytes > LEAST_AT_ONCE                       ? bytes
                                                       : LEAST_AT_ONCE;
}

static enum qn_status make_room(struct trade *trade, struct qn_error *error) {
  const uint64_t num_ranks = trade->ranks->num_ranks;
  trade->step = bytes_at_once(num_ranks) / trade->buckets->shape.record_bytes;
  const uint64_t room = trade->step * trade->buckets->shape.record_bytes;
  enum qn_status status =
      qn_alloc_zeroed(&trade->out, 2 * num_ranks, sizeof *trade->out, "edges that are sent", error);
  trade->in = trade->out + num_ranks;
  if (!status)
    status = qn_alloc(&trade->sent, 2 * num_ranks, sizeof *trade->sent, "sizes", error);
  trade->received = trade->sent + num_ranks;
  if (!status)
    status = qn_alloc(&trade->expected, num_ranks * own_buckets(trade), sizeof *trade->expected,
                      "the sizes of buckets", error);
  if (!status)
    status = qn_pages_alloc(&trade->to_send, num_ranks, room, "edges that are sent", error);
  return status ? status
                : qn_pages_alloc(&trade->to_receive, num_ranks, room, "edges that are sent", error);
}

static uint64_t sum_of(const uint64_t *counts, uint64_t count) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; i++)
    sum += counts[i];
  return sum;
}

/* Ranks tell each other how many records of each bucket will come. */
static enum qn_status tell_counts(struct trade *trade, struct qn_error *error) {
  const struct qn_collective *ranks = trade->ranks;
  const uint64_t own = own_buckets(trade), *firsts = trade->firsts;
  for (unsigned r = 0; r < ranks->num_ranks; r++) {
    trade->sent[r] = (firsts[r + 1] - firsts[r]) * sizeof *trade->counts;
    trade->received[r] = own * sizeof *trade->expected;
  }
  enum qn_status status =
      ranks->exchange(trade->counts, trade->sent, trade->expected, trade->received, error);
  for (unsigned r = 0; !status && r < ranks->num_ranks; r++) {
    trade->out[r].bucket = firsts[r];
    trade->in[r].bucket = firsts[ranks->rank];
    if (r == ranks->rank)
      continue;
    trade->out[r].left = sum_of(trade->counts + firsts[r], firsts[r + 1] - firsts[r]);
    trade->in[r].left = sum_of(trade->expected + r * own, own);
  }
  return status;
}

/* ---- A round --------------------------------------------------------------------------- */

/* Records [first, first + count) of a bucket. */
static void copy_records(const struct trade *trade, uint64_t bucket, uint64_t first, uint64_t count,
                         char *to) {
  const uint64_t width = trade->buckets->shape.record_bytes;
  uint64_t ignored;
  qn_bucket_pieces(trade->buckets, bucket, trade->pieces, &ignored);
  for (const struct qn_piece *piece = trade->pieces; count; piece++) {
    const uint64_t skipped = first < piece->count ? first : piece->count;
    const uint64_t left = piece->count - skipped, some = left < count ? left : count;
    memcpy(to, piece->records + skipped * width, some * width);
    to += some * width;
    first -= skipped;
    count -= some;
  }
}

/* The next records for a rank; a bucket that has been sent gives its memory to what comes. */
static void take_records(struct trade *trade, unsigned rank, char *to) {
  const uint64_t width = trade->buckets->shape.record_bytes;
  struct cursor *at = &trade->out[rank];
  const uint64_t room = at->left < trade->step ? at->left : trade->step;
  for (uint64_t taken = 0; taken < room;) {
    const uint64_t left = trade->counts[at->bucket] - at->done;
    const uint64_t some = left < room - taken ? left : room - taken;
    if (some)
      copy_records(trade, at->bucket, at->done, some, to + taken * width);
    taken += some;
    at->done += some;
    if (some == left) {
      qn_edge_buckets_drop(trade->buckets, at->bucket++);
      at->done = 0;
    }
  }
  at->left -= room;
  trade->sent[rank] = room * width;
}

static enum qn_status put_records(struct trade *trade, unsigned rank, const char *from,
                                  struct qn_error *error) {
  const uint64_t width = trade->buckets->shape.record_bytes;
  const uint64_t *expected = trade->expected + rank * own_buckets(trade);
  struct cursor *at = &trade->in[rank];
  uint64_t count = trade->received[rank] / width;
  at->left -= count;
  while (count) {
    const uint64_t left = expected[at->bucket - trade->firsts[trade->ranks->rank]] - at->done;
    const uint64_t some = left < count ? left : count;
    if (qn_edge_buckets_put(trade->buckets, lane_of(trade, rank), at->bucket, from, some))
      return qn_block_pool_exhausted(trade->buckets->pool, error);
    from += some * width;
    count -= some;
    at->done += some;
    if (some == left) {
      at->bucket++;
      at->done = 0;
    }
  }
  return QN_OK;
}

static enum qn_status trade_round(struct trade *trade, struct qn_error *error) {
  const struct qn_collective *ranks = trade->ranks;
  char *to = trade->to_send;
  const char *from = trade->to_receive;
  enum qn_status status = qn_context_check(error);
  for (unsigned r = 0; r < ranks->num_ranks; to += trade->sent[r++]) {
    const uint64_t left = trade->in[r].left;
    take_records(trade, r, to);
    trade->received[r] =
        (left < trade->step ? left : trade->step) * trade->buckets->shape.record_bytes;
  }
  if (!status)
    status =
        ranks->exchange(trade->to_send, trade->sent, trade->to_receive, trade->received, error);
  for (unsigned r = 0; !status && r < ranks->num_ranks; from += trade->received[r++]) {
    status = put_records(trade, r, from, error);
    qn_progress_add(trade->received[r] / trade->buckets->shape.record_bytes);
  }
  return status;
}

static enum qn_status trade_rounds(struct trade *trade, struct qn_error *error) {
  uint64_t most = 0;
  for (unsigned r = 0; r < trade->ranks->num_ranks; r++)
    most = trade->out[r].left > most ? trade->out[r].left : most;
  enum qn_status status = trade->ranks->combine(&most, 1, QN_COMBINE_MOST, error);
  qn_progress_begin("exchanging", "edges", 0);
  for (uint64_t done = 0; !status && done < most; done += trade->step)
    status = trade_round(trade, error);
  qn_progress_end();
  return status;
}

/* ---- The whole --------------------------------------------------------------------------- */

static enum qn_status trade_all(struct qn_distributed *distributed, struct trade *trade,
                                struct qn_error *error) {
  const unsigned num_ranks = trade->ranks->num_ranks, shift = distributed->shape.source_bits;
  enum qn_status status = qn_alloc(&trade->firsts, (uint64_t)num_ranks + 1, sizeof *trade->firsts,
                                   "the shares of ranks", error);
  for (unsigned r = 0; !status && r <= num_ranks; r++)
    trade->firsts[r] = (distributed->first_rows[r] + ((uint64_t)1 << shift) - 1) >> shift;
  if (!status)
    status = make_room(trade, error);
  if (!status)
    status = tell_counts(trade, error);
  return status ? status : trade_rounds(trade, error);
}

static void trade_free(struct trade *trade) {
  const uint64_t room = trade->step * trade->buckets->shape.record_bytes;
  qn_free(trade->firsts);
  qn_free(trade->counts);
  qn_free(trade->expected);
  qn_free(trade->out);
  qn_free(trade->sent);
  qn_free(trade->pieces);
  qn_pages_free(trade->to_send, trade->ranks->num_ranks, room);
  qn_pages_free(trade->to_receive, trade->ranks->num_ranks, room);
}

enum qn_status qn_distributed_trade(struct qn_distributed *distributed, struct qn_error *error) {
  struct trade trade = {.ranks = distributed->ranks,
                        .buckets = &distributed->sender.buckets,
                        .own_lanes = qn_threads()};
  uint64_t num_edges;
  enum qn_status status = choose_shape(distributed, &num_edges, error);
  if (!status)
    status = spread(distributed, trade.own_lanes, error);
  if (!status)
    status = count_records(&trade, error);
  if (!status)
    status = share_buckets(distributed, &trade, num_edges, error);
  if (!status && trade.ranks->num_ranks > 1)
    status = trade_all(distributed, &trade, error);
  trade_free(&trade);
  return status;
}
