/* Cutting a shards layout into units for the thread blocks of a GPU: consecutive rows of one shard,
 * or a part of a row that has too many edges, a *hub*. A unit is what streaming moves. And, for
 * frontier programs, which units have something to receive: Garaph's bitmap (section 2.2) at the
 * size of a unit, by notification along the out-edges (section 4.2). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>
#include <quern/shards.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QN_SH_NO_SEGMENT UINT32_MAX

struct qn_sh_unit {
  uint64_t first_edge;
  uint32_t num_edges; /* at least 1 */
  uint32_t first_row;
  uint32_t first_offset; /* of the first row in its shard */
  uint32_t segment;      /* of a hub, counted over all hubs; QN_SH_NO_SEGMENT: the rows are whole */
};

/* A row that is cut into segments, one unit each. */
struct qn_sh_hub {
  uint32_t row;
  uint32_t first_segment, num_segments;
};

struct qn_sh_units {
  const struct qn_shards *view;
  uint64_t num_units, num_hubs, num_segments;
  struct qn_sh_unit *units; /* [num_units] by first_edge */
  struct qn_sh_hub *hubs;   /* [num_hubs] by row */
};

/* Of a checked layout: a unit has at most `unit_edges` edges, counted from the last multiple of
 * `align` before its first one, and ends where a row of `bounds` [num_bounds], which ascend, begins
 * (NULL: only with its shard). QN_UNSUPPORTED if there would be 2^31 units or more. Owned until
 * qn_sh_units_destroy. */
enum qn_status qn_sh_units_create(struct qn_sh_units *units, const struct qn_shards *view,
                                  uint32_t unit_edges, uint32_t align, const uint32_t *bounds,
                                  uint64_t num_bounds, struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_sh_units_destroy(struct qn_sh_units *units);

/* Stretches of rows of about equal cost, as many as `count` says, or fewer if a stretch would cost
 * less than `least` edges and rows: (*bounds)[s] is the first row of stretch s, a multiple of 64,
 * and
 * (*bounds)[*num_stretches] V. qn_free gives them back. */
enum qn_status qn_sh_stretches_create(const struct qn_shards *view, uint64_t count, uint64_t least,
                                      uint32_t **bounds, uint64_t *num_stretches,
                                      struct qn_error *error);

/* Active vertices look for receivers while they have at most one in so many of all out-edges;
 * beyond that nearly every unit has one. */
#define QN_SH_NOTIFY_SHARE 32

struct qn_sh_receivers {
  const struct qn_sh_units *units;
  uint32_t *first_rows;  /* [num_units + 1] of the units, and V */
  uint32_t *first_units; /* [V / 64 + 1] the first unit with rows from there on */
  uint64_t *all;         /* [V / 64 + 1] bits of the vertices that have in-edges */
  uint64_t *wanted;      /* [V / 64 + 1] */
};

/* `units` must outlive it. Owned until qn_sh_receivers_destroy. */
enum qn_status qn_sh_receivers_create(struct qn_sh_receivers *receivers,
                                      const struct qn_sh_units *units, struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_sh_receivers_destroy(struct qn_sh_receivers *receivers);

/* Set flags[u] to 1 for every unit u that has a vertex which is `open` (NULL: all are) and which an
 * active vertex may send to, and to 0 for the others that are known to have none. The bitmaps have
 * ceil(V / 64) words. Returns whether all units are flagged for sure. */
bool qn_sh_receivers_find(struct qn_sh_receivers *receivers, const uint64_t *active,
                          const uint64_t *open, uint8_t *flags);

#ifdef __cplusplus
}
#endif
