/* Graphs as WebGraph compresses them: lists of successors, each by reference to one before it, runs
 * of consecutive ids, and gaps [Boldi and Vigna, "The WebGraph Framework I: Compression
 * Techniques", WWW 2004]. */
#pragma once

#include "converters/arrays/bit_reader.h"
#include <quern/error.h>

/* What the .properties file says. */
struct qn_bv_properties {
  uint64_t nodes, arcs;
  uint64_t window;        /* how far back a reference goes; 0: there are none */
  uint64_t longest_chain; /* of references to lists with references; UINT64_MAX: nobody says */
  uint64_t min_interval;  /* least length of a run; 0: there are none */
  unsigned zeta;          /* the k of zeta codes, or the modulus of Golomb codes */
  enum qn_bit_code degrees, references, block_counts, blocks, residuals, offsets;
};

/* Are the codes those that WebGraph has by default, but for that of offsets? Decoders have
 * functions of their own for them, in which the codes are constants. */
static inline bool qn_bv_is_plain(const struct qn_bv_properties *codes) {
  return codes->degrees == QN_CODE_GAMMA && codes->references == QN_CODE_UNARY &&
         codes->block_counts == QN_CODE_GAMMA && codes->blocks == QN_CODE_GAMMA &&
         codes->residuals == QN_CODE_ZETA && codes->zeta == 3;
}
static inline void qn_bv_make_plain(struct qn_bv_properties *codes) {
  codes->degrees = codes->block_counts = codes->blocks = QN_CODE_GAMMA;
  codes->references = QN_CODE_UNARY;
  codes->residuals = QN_CODE_ZETA;
  codes->zeta = 3;
}

/* Parse `text`, the content of `file`. QN_INVALID for what is no such file, QN_UNSUPPORTED for
 * graphs and codes of other kinds. */
enum qn_status qn_bv_parse(const char *text, uint64_t bytes, const char *file,
                           struct qn_bv_properties *properties, struct qn_error *error);

/* The bits where lists begin: of one in QN_BV_PLACES, and of each how far it is behind that. */
struct qn_bv_places {
  uint64_t *firsts; /* [(nodes + 1) / QN_BV_PLACES, rounded up] */
  uint32_t *behind; /* [nodes + 1] */
};
enum { QN_BV_PLACES = 256 };

static inline uint64_t qn_bv_place_of(const struct qn_bv_places *places, uint64_t node) {
  return places->firsts[node / QN_BV_PLACES] + places->behind[node];
}

/* In ascending order of nodes. False if that is too far behind. */
static inline bool qn_bv_place_set(const struct qn_bv_places *places, uint64_t node, uint64_t bit) {
  if (node % QN_BV_PLACES == 0)
    places->firsts[node / QN_BV_PLACES] = bit;
  const uint64_t behind = bit - places->firsts[node / QN_BV_PLACES];
  places->behind[node] = (uint32_t)behind;
  return behind <= UINT32_MAX;
}

/* Its bits. */
struct qn_bv_graph {
  struct qn_bv_properties properties; /* nodes < 2^32 */
  const char *data;
  uint64_t bytes;
  const char *file; /* for messages */
  /* Where lists begin, or some of the first of them, and where the last of these ends; NULL: nobody
   * knows. */
  const struct qn_bv_places *places;
};

struct qn_bv_decoder;

/* Decode a graph, which is borrowed, from its first list on. Takes memory for the lists that others
 * refer to, as they come. */
enum qn_status qn_bv_create(const struct qn_bv_graph *graph, struct qn_bv_decoder **out,
                            struct qn_error *error);
void qn_bv_destroy(struct qn_bv_decoder *decoder);

/* Go on with `node`, before which there are so many arcs. Its place must be known, and those of the
 * nodes before it, of which lists that are referred to are looked up. */
void qn_bv_seek(struct qn_bv_decoder *decoder, uint64_t node, uint64_t arcs);

/* The out-degree of the next node. QN_INVALID with node and offset if that cannot be, and for more
 * arcs than announced. */
enum qn_status qn_bv_degree(struct qn_bv_decoder *decoder, uint64_t *degree,
                            struct qn_error *error);

/* After that: its successors, ascending and all below `nodes`. They must stay as long as the
 * decoder, which lets later lists refer to them. */
enum qn_status qn_bv_list(struct qn_bv_decoder *decoder, uint32_t *successors,
                          struct qn_error *error);

/* Both at once; the successors are valid until the next call. */
enum qn_status qn_bv_next(struct qn_bv_decoder *decoder, const uint32_t **successors,
                          uint64_t *count, struct qn_error *error);

/* The next node, which of a failure is the one that it was about. */
uint64_t qn_bv_node(const struct qn_bv_decoder *decoder);
/* The bit where it begins. */
uint64_t qn_bv_place(const struct qn_bv_decoder *decoder);
/* Has it failed only because a chain of references is so long that lists should be decoded in their
 * order? */
bool qn_bv_is_far(const struct qn_bv_decoder *decoder);

/* After the last node: are `arcs` all that were announced, and is there nothing behind bit `place`?
 */
enum qn_status qn_bv_check_end(const struct qn_bv_graph *graph, uint64_t arcs, uint64_t place,
                               struct qn_error *error);
/* The same of a decoder that began with the first. */
enum qn_status qn_bv_end(const struct qn_bv_decoder *decoder, struct qn_error *error);
