/* Packed rows as engines walk them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/inline.h>
#include <quern/packed.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rows of in-edges, or of out-edges, whichever is asked for. QN_UNSUPPORTED if the container
 * has none. */
enum qn_status qn_packed_need(const struct qn_packed *packed, enum qn_packed_directions direction,
                              const struct qn_packed_rows **rows, struct qn_error *error);

/* Every vertex's out-degree, [V], in memory of its own: qn_pages_free. */
enum qn_status qn_packed_degrees_create(uint32_t **degrees, const struct qn_packed *packed,
                                        struct qn_error *error);

/* May a program work with the weights? `check` says it of plain ones (engine_check_weights). Codes
 * stand for values within the least and the greatest; only if one of these is refused all weights
 * are looked at, for an edge that has it. */
typedef enum qn_status qn_weights_checker(const struct qn_weights *weights, uint64_t num_edges,
                                          uint64_t num_vertices, struct qn_error *error);
enum qn_status qn_packed_check_weights(const struct qn_packed_rows *rows, qn_weights_checker *check,
                                       struct qn_error *error);

/* Tiles in a row, which are moved together: unit u is the tiles [bounds[u], bounds[u + 1]). */
struct qn_packed_units {
  const struct qn_packed_rows *rows;
  bool weighted; /* the weights of its edges go with a unit */
  uint64_t count;
  uint32_t *bounds;           /* [count + 1] */
  uint64_t most_words;        /* of a unit, with the words that decoders may read behind it */
  uint64_t most_weight_bytes; /* of a unit */
  uint64_t total_bytes;       /* of all units */
};

/* Units of about `bytes` bytes of words, at least a tile each. QN_UNSUPPORTED if there are too many
 * tiles. Owned until qn_packed_units_destroy, which allows a zeroed struct. */
enum qn_status qn_packed_units_create(struct qn_packed_units *units,
                                      const struct qn_packed_rows *rows, bool weighted,
                                      uint64_t bytes, struct qn_error *error);
void qn_packed_units_destroy(struct qn_packed_units *units);

/* Let a unit begin at this tile, too. */
void qn_packed_units_begin_at(struct qn_packed_units *units, uint64_t tile);

/* Where the words of a unit lie, with QN_PACKED_BEHIND words that decoders may read behind them. */
#define QN_PACKED_BEHIND 8
QN_INLINE uint64_t qn_packed_unit_words(const struct qn_packed_units *units, uint64_t unit) {
  const uint64_t *starts = units->rows->tile_starts;
  return starts[units->bounds[unit + 1]] - starts[units->bounds[unit]] + QN_PACKED_BEHIND;
}

/* Its weights, of `*bytes` bytes: none if they do not go with it. */
const void *qn_packed_unit_weights(const struct qn_packed_units *units, uint64_t unit,
                                   uint64_t *bytes);

#ifdef __cplusplus
}
#endif
