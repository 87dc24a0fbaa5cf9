/* Edge lists in memory: what readers and generators fill and the builder
 * (build.h) consumes. Ids are any 64-bit numbers; ids below 2^32 take 8 bytes
 * an edge, larger ones 16, a weight 4 or 8 more.
 *
 *   struct qn_edge_list *list;
 *   qn_edge_list_create(&list, &error);
 *   #pragma omp parallel for schedule(dynamic)
 *   for (part = 0; part < parts; part++) {
 *     struct qn_edge_stream stream;
 *     qn_edge_stream_open(&stream, list, part);
 *     for (...)
 *       qn_edge_push(&stream, source, destination);
 *     status = qn_edge_stream_close(&stream, &error);    for each thread its own error
 *   }
 *
 * Any number of streams may be open at once, each used by one thread at a time.
 * A stream fills blocks of 64 KiB, of which it takes at least one: some ten thousand
 * edges a stream use memory well. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <quern/container.h>
#include <quern/error.h>

struct qn_edge_list;
struct qn_edge_block;
struct qn_edge_stream;
struct qn_divider;

/* An empty list. Owned by the caller until destroy (NULL is allowed). */
enum qn_status qn_edge_list_create(struct qn_edge_list **out, struct qn_error *error);
void qn_edge_list_destroy(struct qn_edge_list *list);
/* The same beside another one, whose memory it uses again as that is given back, and which outlives
 * it. */
enum qn_status qn_edge_list_create_beside(struct qn_edge_list *other, struct qn_edge_list **out,
                                          struct qn_error *error);

enum qn_spill_ids {
  QN_SPILL_IDS_IGNORE,          /* they are vertices */
  QN_SPILL_IDS_COLLECT,         /* the builder numbers those that occur */
  QN_SPILL_IDS_UNLESS_DECLARED, /* it does if no number of vertices is declared */
};

#define QN_SPILL_NOT_DECLARED UINT64_MAX

/* What a list that does not stay in memory has to know of what will be built of it. */
struct qn_spill_options {
  bool undirected; /* reverses will be added */
  enum qn_spill_ids ids;
  /* What a reader finds out before it pushes the first edge; NULL if nothing. */
  const uint64_t *num_vertices; /* declared, or QN_SPILL_NOT_DECLARED */
  const bool *symmetric;        /* reverses will be added too */
  /* For tests; 0: by memory. */
  unsigned num_piles;
  uint64_t edges_at_once; /* that are sorted in memory */
};

/* As qn_edge_list_create, but the edges go to temporary files (support/temp_file.h: there must be a
 * limit of memory), divided so that qn_build_graph can sort them part by part. `options` is copied;
 * what it points to must outlive the reading. */
enum qn_status qn_edge_list_create_on_disk(const struct qn_spill_options *options,
                                           struct qn_edge_list **out, struct qn_error *error);

/* Note which ids occur while edges come into a list in memory, which the builder will have to know
 * unless their number of vertices is declared: `num_vertices` as in qn_spill_options. */
void qn_edge_list_mark_ids(struct qn_edge_list *list, const uint64_t *num_vertices);

/* While edges come into a list in memory, pages are taken of the output that each will fill so many
 * bytes of (prefault.h). It must outlive the reading. */
void qn_edge_list_fills(struct qn_edge_list *list, struct qn_writer *output, uint64_t edge_bytes);

/* Weights come from binary numbers: their f32 are what they are, and f64 stay f64 if that is
 * `least`. Of a list without this they are decimals, and each f32 stands for the number that it
 * prints as (qn_decimal_of_f32). */
void qn_edge_list_weights_are_binary(struct qn_edge_list *list, enum qn_weight_type least);

/* A weight has been rounded to one that is another number. From any thread. */
void qn_edge_list_note_rounded(struct qn_edge_list *list, long double exact, double rounded);
/* The weight that rounding has changed most, and by how much; false if none was. */
bool qn_edge_list_rounded(const struct qn_edge_list *list, long double *exact, long double *error);

/* The number of edges in closed streams. */
uint64_t qn_edge_list_count(const struct qn_edge_list *list);

/* How many of their ends are larger than `id`. Of edges on disk or in arrays it is only known
 * whether any is. */
uint64_t qn_edge_list_count_above(const struct qn_edge_list *list, uint64_t id);

/* Edges that can be looked at again where they lie, as in a mapped file. `push` pushes those of one
 * part, which are no more than qn_edge_view_capacity() and come the same every time; it returns
 * whatever its caller wants to know. From any thread. */
struct qn_edge_view {
  uint64_t (*push)(const void *context, uint64_t part, struct qn_edge_stream *stream);
  const void *context;
};
uint32_t qn_edge_view_capacity(enum qn_weight_type type);

/* Push a part of a view, of which the list may keep no more than where it is, and then push it
 * again when it is needed. Returns what `push` does. */
uint64_t qn_edge_push_view(struct qn_edge_stream *stream, const struct qn_edge_view *view,
                           uint64_t part);

/* Let `release` have `object`, which views need, when the list is destroyed. */
enum qn_status qn_edge_list_keep(struct qn_edge_list *list, void *object, void (*release)(void *),
                                 struct qn_error *error);

/* A way into the list for one thread. The fields are for the functions below. */
struct qn_edge_stream {
  struct qn_edge_list *list;
  struct qn_edge_block *block;
  uint64_t *pairs; /* of the block: source | destination << 32 */
  void *weights;   /* of the block */
  uint32_t count;
  uint32_t plain_capacity;    /* room, if the block is of narrow edges without weights, else 0 */
  uint32_t weighted_capacity; /* room, if it is of narrow edges with weights of weight_type */
  enum qn_weight_type weight_type;
  uint64_t sequence;
  uint64_t num_blocks;
  struct qn_edge_block *spare; /* memory for the next block */
  bool again;                  /* edges of a view that were pushed before */
  struct qn_divider *divider;  /* of a list on disk */
  enum qn_status status;       /* the first failure; edges pushed after it are lost */
  struct qn_error error;
};

/* Begin a stream. Order matters where equal edges have different weights: edges of streams with a
 * lower `sequence` come first, and within a stream the order of pushing counts. Two streams must
 * not have the same sequence. Takes no memory until an edge comes. */
void qn_edge_stream_open(struct qn_edge_stream *stream, struct qn_edge_list *list,
                         uint64_t sequence);

/* End the stream and report what failed since it was opened: memory ran out (QN_SYSTEM), or
 * only some edges have weights (QN_INVALID). */
enum qn_status qn_edge_stream_close(struct qn_edge_stream *stream, struct qn_error *error);

void qn_edge_push_slowly(struct qn_edge_stream *stream, uint64_t source, uint64_t destination,
                         enum qn_weight_type weight_type, uint64_t weight_bits);

/* Add an edge without weight. Either all edges of a list have weights or none has. */
static inline void qn_edge_push(struct qn_edge_stream *stream, uint64_t source,
                                uint64_t destination) {
  if (__builtin_expect(
          ((source | destination) >> 32) != 0 || stream->count >= stream->plain_capacity, 0))
    qn_edge_push_slowly(stream, source, destination, QN_WEIGHT_NONE, 0);
  else
    stream->pairs[stream->count++] = source | destination << 32;
}

/* Add an edge with a weight of any type; real ones are finite. Types may be mixed: which type holds
 * all of them the builder finds out. */
static inline void qn_edge_push_weighted(struct qn_edge_stream *stream, uint64_t source,
                                         uint64_t destination, enum qn_weight_type weight_type,
                                         uint64_t weight_bits) {
  if (__builtin_expect(((source | destination) >> 32) != 0 ||
                           stream->count >= stream->weighted_capacity ||
                           stream->weight_type != weight_type,
                       0)) {
    qn_edge_push_slowly(stream, source, destination, weight_type, weight_bits);
  } else {
    qn_weight_store(stream->weights, qn_weight_bytes(weight_type), stream->count, weight_bits);
    stream->pairs[stream->count++] = source | destination << 32;
  }
}

static inline void qn_edge_push_u32(struct qn_edge_stream *stream, uint64_t source,
                                    uint64_t destination, uint32_t weight) {
  qn_edge_push_weighted(stream, source, destination, QN_WEIGHT_U32, weight);
}

static inline void qn_edge_push_f32(struct qn_edge_stream *stream, uint64_t source,
                                    uint64_t destination, float weight) {
  uint32_t bits;
  memcpy(&bits, &weight, sizeof bits);
  qn_edge_push_weighted(stream, source, destination, QN_WEIGHT_F32, bits);
}

static inline void qn_edge_push_i64(struct qn_edge_stream *stream, uint64_t source,
                                    uint64_t destination, int64_t weight) {
  qn_edge_push_weighted(stream, source, destination, QN_WEIGHT_I64, (uint64_t)weight);
}

static inline void qn_edge_push_f64(struct qn_edge_stream *stream, uint64_t source,
                                    uint64_t destination, double weight) {
  uint64_t bits;
  memcpy(&bits, &weight, sizeof bits);
  qn_edge_push_weighted(stream, source, destination, QN_WEIGHT_F64, bits);
}

/* Add an edge with the negative of a weight, of the type that holds it. */
void qn_edge_push_negated(struct qn_edge_stream *stream, uint64_t source, uint64_t destination,
                          enum qn_weight_type weight_type, uint64_t weight_bits);

/* Room for edges with ids below 2^32 that are written straight into the stream: at `*pairs` (source
 * | destination << 32) and, if they have weights, at `*weights` (of type `type`, finite).
 * Returns for how many, 0 if the stream has failed; then say how many were written. */
uint32_t qn_edge_stream_room(struct qn_edge_stream *stream, enum qn_weight_type type,
                             uint64_t **pairs, void **weights);
static inline void qn_edge_stream_filled(struct qn_edge_stream *stream, uint32_t count) {
  stream->count += count;
}

/* Add `count` edges whose ends and weights lie in arrays; `weights` is not looked at if
 * `type` is none. */
void qn_edge_push_arrays(struct qn_edge_stream *stream, const uint64_t *sources,
                         const uint64_t *destinations, enum qn_weight_type type,
                         const void *weights, uint64_t count);

/* Add `count` edges, source | destination << 32, whose weights are as above. */
void qn_edge_push_pairs(struct qn_edge_stream *stream, const uint64_t *pairs,
                        enum qn_weight_type type, const void *weights, uint64_t count);
