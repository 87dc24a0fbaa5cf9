/* A warp looks at some rows of a tile (specs/packed.md), and at no more of their edges than it
 * must: for walks that choose their rows, or end a row early.
 *
 * It decodes the tile's lengths, and lists the rows that are chosen. Only if there are any it adds
 * up the widths of the gaps' groups, so that any group is found at once. A lane decodes the first
 * edges of a row alone, where most rows that may end do; then the warp decodes what is left of it,
 * a group a lane.
 *
 * What bounds it: the words that are asked for, which come through the level-1 cache, and some 200
 * instructions of a warp for a tile without a chosen row, twice as many for one with some. Nothing
 * waits for other warps.
 *
 * No load leaves the tile's words and the QN_PACKED_BEHIND behind them, whatever they are; rows and
 * edges are the tile's, and columns are vertices. */
#pragma once

#include "kernels/cuda/packed/decode.cuh"
#include "kernels/work_division/packed_units.h"

#define PACKED_ALONE 8          /* edges of a row that a lane decodes alone, */
#define PACKED_AT_ONCE 4        /* so many at once */
#define PACKED_LANE_GROUPS 16   /* of gaps, whose codes a lane adds up */
#define PACKED_LISTED_ROWS 128u /* that are listed at a time: a group a lane */
#define PACKED_HEAD_WORDS 128   /* of a tile that are brought at once: four a lane */

static_assert(PACKED_LANE_GROUPS * 32 * QN_PACKED_GROUP == QN_PACKED_TILE, "a warp has all groups");
static_assert(QN_PACKED_HEAD + QN_PACKED_RANGE / 8 + QN_PACKED_TILE / 8 + 12 <=
                  4 * PACKED_HEAD_WORDS,
              "all codes, and what is read after them");
static_assert(QN_PACKED_RANGE <= 1 << 10 && QN_PACKED_TILE <= 1 << 11, "a listed row has 32 bits");

namespace {

/* A warp's shared memory. */
struct packed_share {
  /* Where groups of gaps begin, in units of 4 bits from the first one on, two a word; a lane's
   * sixteen lie nine words apart from the next one's, in other banks. */
  uint32_t places[32 * (PACKED_LANE_GROUPS / 2 + 1) + 1];
  uint32_t listed[PACKED_LISTED_ROWS]; /* row, first edge, number of edges - 1: 10, 11, 11 bits */
  uint32_t widths[16];                 /* by code */
  uint32_t head[PACKED_HEAD_WORDS];    /* the tile's first words: all codes, most lengths */
};

/* What a warp knows of its tile. */
struct packed_walk {
  struct packed_place place;
  uint32_t bits;        /* of the tile */
  uint32_t least;       /* gap */
  uint32_t lengths;     /* the bit where lengths begin */
  uint32_t gaps;        /* the bit where gaps begin */
  uint32_t last;        /* the graph's last vertex */
  const uint32_t *head; /* the tile's words with all lengths */
  struct packed_share *share;
};

/* Bring the tile's first words. False if it has less words than its codes need. */
QN_DEVICE_INLINE bool packed_walk_begin(const struct packed_place &place, uint64_t num_vertices,
                                        struct packed_share *share, struct packed_walk *walk) {
  const uint32_t numbers = packed_code_bytes(place);
  if (place.num_words * 4 < numbers || place.num_edges == 0)
    return false;
  QN_UNROLL
  for (uint32_t i = 0; i < PACKED_HEAD_WORDS; i += 32) { /* loads that do not wait for each other */
    const uint32_t word = i + qn_lane();
    share->head[word] = word < place.num_words + QN_PACKED_BEHIND ? place.words[word] : 0;
  }
  __syncwarp();
  uint32_t sum = 0;
  for (uint32_t byte = qn_lane(); byte < (place.num_rows + 7) / 8; byte += 32) {
    const uint32_t codes = packed_byte(share->head, QN_PACKED_HEAD + byte);
    sum += (codes & 15) + (codes >> 4);
  }
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_xor_sync(QN_FULL_WARP, sum, step);
  walk->place = place;
  walk->bits = 32 * place.num_words;
  walk->least = packed_byte(share->head, 0);
  walk->lengths = 8 * numbers;
  walk->gaps = 8 * numbers + QN_PACKED_GROUP * sum;
  walk->last = (uint32_t)(num_vertices - 1);
  walk->head = walk->gaps / 32 + 2 <= PACKED_HEAD_WORDS ? share->head : place.words;
  walk->share = share;
  return true;
}

/* The codes of the lane's groups of gaps, from the lowest four bits on. */
QN_DEVICE_INLINE uint64_t packed_lane_codes(const struct packed_place &place,
                                            const uint32_t *head) {
  const uint32_t first = qn_lane() * PACKED_LANE_GROUPS * QN_PACKED_GROUP;
  if (first >= place.num_edges)
    return 0;
  const uint32_t groups = (place.num_edges - first + QN_PACKED_GROUP - 1) / QN_PACKED_GROUP;
  const uint32_t byte = packed_gap_codes(place) + qn_lane() * PACKED_LANE_GROUPS / 2;
  const uint32_t *at = head + byte / 4;
  const uint32_t low = __funnelshift_r(at[0], at[1], byte % 4 * 8);
  const uint32_t high = __funnelshift_r(at[1], at[2], byte % 4 * 8);
  const uint64_t codes = (uint64_t)high << 32 | low;
  return groups < PACKED_LANE_GROUPS ? codes & (((uint64_t)1 << 4 * groups) - 1) : codes;
}

/* Find where the groups of gaps begin. */
QN_DEVICE_INLINE void packed_find_groups(const struct packed_walk &walk) {
  struct packed_share *share = walk.share;
  if (qn_lane() < 16)
    share->widths[qn_lane()] = packed_width(share->head, qn_lane());
  __syncwarp();
  const uint64_t codes = packed_lane_codes(walk.place, share->head);
  uint32_t pairs[PACKED_LANE_GROUPS / 2], sum = 0, all;
  QN_UNROLL
  for (int i = 0; i < PACKED_LANE_GROUPS / 2; i++) {
    const uint32_t first = share->widths[codes >> 8 * i & 15];
    const uint32_t second = share->widths[codes >> (8 * i + 4) & 15];
    pairs[i] = sum | (sum + first) << 16;
    sum += first + second;
  }
  const uint32_t before = packed_warp_before(sum, &all);
  uint32_t *places = share->places + qn_lane() * (PACKED_LANE_GROUPS / 2 + 1);
  QN_UNROLL
  for (int i = 0; i < PACKED_LANE_GROUPS / 2; i++)
    places[i] = pairs[i] + before * 0x10001u;
  if (qn_lane() == 31)
    places[PACKED_LANE_GROUPS / 2] = before + sum;
  __syncwarp();
}

/* Where a group begins; there is one behind the last. */
QN_DEVICE_INLINE uint32_t packed_group_at(const struct packed_share *share, uint32_t group) {
  const uint32_t lane = group / PACKED_LANE_GROUPS < 32 ? group / PACKED_LANE_GROUPS : 31;
  const uint32_t within = group - lane * PACKED_LANE_GROUPS;
  return share->places[lane * (PACKED_LANE_GROUPS / 2 + 1) + within / 2] >> within % 2 * 16 &
         0xffff;
}

/* The gap of an edge. */
QN_DEVICE_INLINE uint32_t packed_gap(const struct packed_walk &walk, uint32_t edge) {
  const uint32_t group = edge / QN_PACKED_GROUP;
  const uint32_t at = packed_group_at(walk.share, group);
  const uint32_t width = packed_group_at(walk.share, group + 1) - at;
  const uint32_t bit = walk.gaps + QN_PACKED_GROUP * at + edge % QN_PACKED_GROUP * width;
  return bit + width <= walk.bits ? packed_number(walk.place.words, bit, width) : 0;
}

/* The gaps of PACKED_AT_ONCE edges from one on; 0 from `end` on. */
QN_DEVICE_INLINE void packed_gaps(const struct packed_walk &walk, uint32_t edge, uint32_t end,
                                  uint32_t *gaps) {
  static_assert(PACKED_AT_ONCE <= QN_PACKED_GROUP, "of two groups");
  const uint32_t group = edge / QN_PACKED_GROUP;
  const uint32_t at = packed_group_at(walk.share, group);
  const uint32_t next = packed_group_at(walk.share, group + 1);
  const uint32_t past = packed_group_at(walk.share, group + 2); /* or nothing, behind the last */
  QN_UNROLL
  for (uint32_t i = 0; i < PACKED_AT_ONCE; i++) {
    const bool same = (edge + i) / QN_PACKED_GROUP == group;
    const uint32_t width = same ? next - at : past - next;
    const uint32_t bit =
        walk.gaps + QN_PACKED_GROUP * (same ? at : next) + (edge + i) % QN_PACKED_GROUP * width;
    gaps[i] = edge + i < end && bit + width <= walk.bits
                  ? packed_number(walk.place.words, bit, width)
                  : 0;
  }
}

/* A row that is listed, and how far it has been looked at: `column` is that of the edge before. */
struct packed_row {
  uint32_t row, edge, end, column;
};

QN_DEVICE_INLINE uint32_t packed_column(const struct packed_walk &walk, uint32_t column) {
  return column < walk.last ? column : walk.last;
}

/* A lane alone looks at the first edges of a row, some at once, as their loads need not wait for
 * each other. Returns whether that ended it. */
template <bool ends, class Hits, class Visit>
QN_DEVICE_INLINE bool packed_walk_alone(const struct packed_walk &walk, struct packed_row *row,
                                        Hits hits, Visit visit) {
  const uint32_t first = row->edge;
  const uint32_t end = row->end - first < PACKED_ALONE ? row->end : first + PACKED_ALONE;
  uint32_t found = end, column = 0;
  while (row->edge < end && found == end) {
    uint32_t columns[PACKED_AT_ONCE];
    bool hit[PACKED_AT_ONCE];
    packed_gaps(walk, row->edge, end, columns);
    QN_UNROLL
    for (uint32_t i = 0; i < PACKED_AT_ONCE; i++) {
      const uint32_t near = columns[i] >> 1 ^ (0u - (columns[i] & 1));
      if (row->edge + i < end)
        row->column = row->edge + i == first ? walk.place.first_row + row->row + near
                                             : row->column + columns[i] + walk.least;
      columns[i] = packed_column(walk, row->column);
    }
    QN_UNROLL
    for (uint32_t i = 0; i < PACKED_AT_ONCE; i++)
      hit[i] = hits(columns[i]);
    QN_UNROLL
    for (uint32_t i = 0; i < PACKED_AT_ONCE; i++)
      if (hit[i] && row->edge + i < end && found == end) {
        if (ends) {
          found = row->edge + i;
          column = columns[i];
        } else {
          visit(row->row, row->edge + i, columns[i]);
        }
      }
    row->edge = end - row->edge < PACKED_AT_ONCE ? end : row->edge + PACKED_AT_ONCE;
  }
  if (found < end) /* for all rows at once */
    visit(row->row, found, column);
  return found < end;
}

/* The warp looks at what is left of a row, the same in all lanes. */
template <bool ends, class Hits, class Visit>
QN_DEVICE_INLINE void packed_walk_together(const struct packed_walk &walk, struct packed_row row,
                                           Hits hits, Visit visit) {
  for (uint32_t group = row.edge / QN_PACKED_GROUP; group * QN_PACKED_GROUP < row.end;
       group += 32) {
    const uint32_t first = (group + qn_lane()) * QN_PACKED_GROUP;
    uint32_t columns[QN_PACKED_GROUP], sum = 0, all, found = row.end, column = 0;
    bool hit[QN_PACKED_GROUP];
    QN_UNROLL
    for (uint32_t i = 0; i < QN_PACKED_GROUP; i++) {
      const bool there = first + i >= row.edge && first + i < row.end;
      sum += there ? packed_gap(walk, first + i) + walk.least : 0;
      columns[i] = sum;
    }
    const uint32_t before = row.column + packed_warp_before(sum, &all);
    QN_UNROLL
    for (uint32_t i = 0; i < QN_PACKED_GROUP; i++) {
      columns[i] = packed_column(walk, before + columns[i]);
      hit[i] = hits(columns[i]) && first + i >= row.edge && first + i < row.end;
    }
    QN_UNROLL
    for (uint32_t i = 0; i < QN_PACKED_GROUP; i++)
      if (hit[i] && found == row.end) {
        if (ends) {
          found = first + i;
          column = columns[i];
        } else {
          visit(row.row, first + i, columns[i]);
        }
      }
    if (found < row.end)
      visit(row.row, found, column);
    row.column += all;
    if (ends && __any_sync(QN_FULL_WARP, found < row.end))
      return;
  }
}

/* Look at the `count` rows that are listed. */
template <bool ends, class Hits, class Visit>
QN_DEVICE_INLINE void packed_walk_listed(const struct packed_walk &walk, uint32_t count, Hits hits,
                                         Visit visit) {
  for (uint32_t base = 0; base < count; base += 32) {
    struct packed_row row = {0, 0, 0, 0};
    if (base + qn_lane() < count) {
      const uint32_t listed = walk.share->listed[base + qn_lane()];
      row.row = listed >> 22;
      row.edge = listed >> 11 & (QN_PACKED_TILE - 1);
      row.end = row.edge + (listed & (QN_PACKED_TILE - 1)) + 1;
    }
    const bool ended = packed_walk_alone<ends>(walk, &row, hits, visit);
    for (unsigned left = __ballot_sync(QN_FULL_WARP, !ended && row.edge < row.end); left;
         left &= left - 1) {
      const int helped = __ffs((int)left) - 1;
      const struct packed_row its = {__shfl_sync(QN_FULL_WARP, row.row, helped),
                                     __shfl_sync(QN_FULL_WARP, row.edge, helped),
                                     __shfl_sync(QN_FULL_WARP, row.end, helped),
                                     __shfl_sync(QN_FULL_WARP, row.column, helped)};
      packed_walk_together<ends>(walk, its, hits, visit);
    }
  }
}

/* A warp asks `chosen(row, length, there)` of the tile's rows once, and of any again that are not
 * `there`; of rows with edges in it of which that is true `hits(column)` of each edge, at most
 * `most`, and of other columns, too; where an edge hits it calls `visit(row, edge, column)`: if
 * `ends` that is all of the row (though several lanes may call it). Rows and edges are counted from
 * the tile's first, and a row's edges are looked at in no order. The whole warp must call. */
template <bool ends, class Chosen, class Hits, class Visit>
QN_DEVICE_INLINE void packed_walk_rows(const struct packed_place &place, uint64_t num_vertices,
                                       struct packed_share *share, uint32_t most, Chosen chosen,
                                       Hits hits, Visit visit) {
  struct packed_walk walk;
  if (!packed_walk_begin(place, num_vertices, share, &walk))
    return;
  uint32_t begin = 0;
  bool grouped = false;
  for (uint32_t base = 0; base < place.num_rows; base += PACKED_LISTED_ROWS) {
    const uint32_t first = base + qn_lane() * QN_PACKED_GROUP;
    uint32_t lengths[QN_PACKED_GROUP], sum = 0, all, listed, mine = 0;
    const uint32_t codes =
        first < place.num_rows ? packed_byte(share->head, QN_PACKED_HEAD + first / 8) : 0;
    const uint32_t width = first & QN_PACKED_GROUP ? codes >> 4 : codes & 15;
    const uint32_t widths = packed_warp_before(width, &all);
    packed_group_numbers(walk.head, walk.bits, walk.lengths + QN_PACKED_GROUP * widths, width,
                         lengths);
    walk.lengths += QN_PACKED_GROUP * all;
    QN_UNROLL
    for (int i = 0; i < QN_PACKED_GROUP; i++) {
      lengths[i] = first + i < place.num_rows ? lengths[i] : 0;
      sum += lengths[i];
    }
    uint32_t edge = begin + packed_warp_before(sum, &all);
    begin += all;
    sum = edge;
    QN_UNROLL
    for (uint32_t i = 0; i < QN_PACKED_GROUP; i++) { /* all at once, without a branch */
      const bool there = first + i < place.num_rows;
      const uint32_t row = there ? first + i : place.num_rows - 1;
      mine |= (unsigned)chosen(row, lengths[i], there) << i;
    }
    QN_UNROLL
    for (int i = 0; i < QN_PACKED_GROUP; i++) {
      if (!lengths[i] || edge >= place.num_edges)
        mine &= ~(1u << i);
      edge += lengths[i];
    }
    listed = (uint32_t)__popc(mine);
    uint32_t at = packed_warp_before(listed, &all);
    if (all == 0)
      continue;
    if (!grouped)
      packed_find_groups(walk);
    grouped = true;
    edge = sum;
    QN_UNROLL
    for (int i = 0; i < QN_PACKED_GROUP; i++) {
      if (mine >> i & 1) {
        const uint32_t left = place.num_edges - edge;
        uint32_t count = lengths[i] < left ? lengths[i] : left;
        count = count < most ? count : most;
        share->listed[at++] = (first + i) << 22 | edge << 11 | (count - 1);
      }
      edge += lengths[i];
    }
    __syncwarp();
    packed_walk_listed<ends>(walk, all, hits, visit);
    __syncwarp(); /* the list is written anew */
  }
}

} /* namespace */
