/* A block of threads decodes a tile of packed rows (specs/packed.md) into its registers: each
 * thread eight edges, two groups, whose codes are one byte.
 *
 * What bounds it: a tile moves what it takes in the container, once, 16 bytes a load, into shared
 * memory. From there each number is two loads and a shift. Running sums of a warp say where its
 * numbers lie, and what the columns are; one warp notes where rows begin. The block waits for its
 * threads three times: when the words are there, for the sums of the warps before, and for what
 * these have of the row that goes on; other blocks of the multiprocessor hide that.
 *
 * No load leaves the tile's words and the QN_PACKED_BEHIND behind them, whatever they are, but for
 * what fills the 16 bytes of its first word; and columns are vertices. */
#pragma once

#include "kernels/cuda/device/block.cuh"
#include "kernels/cuda/packed/device.cuh"

#define PACKED_ITEMS 8
#define PACKED_THREADS (QN_PACKED_TILE / PACKED_ITEMS)
#define PACKED_WARPS (PACKED_THREADS / 32)
#define PACKED_NO_ROW 0xffffu
/* The words of the largest tile: head, codes, and numbers of 12 and 32 bits. */
#define PACKED_MOST_WORDS                                                                          \
  ((QN_PACKED_HEAD + QN_PACKED_RANGE / 8 + QN_PACKED_TILE / 8 + 3) / 4 +                           \
   QN_PACKED_RANGE * QN_PACKED_LENGTH_BITS / 32 + QN_PACKED_TILE)

static_assert(PACKED_ITEMS == 2 * QN_PACKED_GROUP, "a thread's codes are one byte");
static_assert(QN_PACKED_RANGE <= QN_PACKED_TILE, "a thread has a byte of lengths, too");

namespace {

/* Where a tile lies, and how large it is. */
struct packed_place {
  const uint32_t *words;
  uint32_t num_words, first_row, num_rows, num_edges;
};

/* A thread's edges: the first `count` of PACKED_ITEMS are there. */
struct packed_edges {
  uint32_t count;
  uint32_t columns[PACKED_ITEMS];
  uint32_t marks[PACKED_ITEMS / 2]; /* two a word: the row that begins, or PACKED_NO_ROW */
  uint32_t starts;                  /* bit i: edge i is the first of its row in the tile */
  uint32_t row_before;              /* of the edge before the thread's first */
};

/* The row that begins with the thread's edge i, counted from the tile's first. */
QN_DEVICE_INLINE uint32_t packed_mark(const struct packed_edges &edges, int i) {
  return edges.marks[i / 2] >> i % 2 * 16 & 0xffff;
}

/* What the block has of its tile in shared memory. */
struct packed_tile {
  const uint32_t *words; /* [place.num_words] and one more */
  uint16_t *row_at;      /* [QN_PACKED_TILE] the row that begins with an edge, or PACKED_NO_ROW */
};

/* `available` words from `words` on are there, without those behind them. */
QN_DEVICE_INLINE struct packed_place packed_find(const struct packed_tiles &tiles, uint64_t tile,
                                                 const uint32_t *words, uint64_t available) {
  struct packed_place place;
  const uint64_t num_edges = tiles.edges[tile + 1] - tiles.edges[tile];
  uint64_t num_words = tiles.starts[tile + 1] - tiles.starts[tile];
  num_words = num_words < available ? num_words : available;
  place.words = words;
  place.num_words = num_words < PACKED_MOST_WORDS ? (uint32_t)num_words : PACKED_MOST_WORDS;
  place.first_row =
      tiles.rows[tile] < tiles.num_vertices ? tiles.rows[tile] : (uint32_t)tiles.num_vertices;
  const uint32_t num_rows = qn_packed_num_rows(tiles.rows, tile, tiles.num_vertices);
  const uint64_t rows_left = tiles.num_vertices - place.first_row;
  place.num_rows = num_rows < rows_left ? num_rows : (uint32_t)rows_left;
  place.num_edges = num_edges < QN_PACKED_TILE ? (uint32_t)num_edges : QN_PACKED_TILE;
  return place;
}

/* The same of tiles that are not moved. */
QN_DEVICE_INLINE struct packed_place packed_place_of(const struct packed_tiles &tiles,
                                                     uint64_t tile) {
  const uint64_t all = tiles.num_words;
  const uint64_t start = tiles.starts[tile] < all ? tiles.starts[tile] : all;
  return packed_find(tiles, tile, tiles.words + start, all - start);
}

/* Bring the tile to shared memory, where no row begins yet. Ends with a barrier. */
QN_DEVICE_INLINE struct packed_tile packed_stage(const struct packed_place &place) {
  QN_SHARED(uint4, words, PACKED_MOST_WORDS / 4 + 3);
  QN_SHARED(uint4, row_at, QN_PACKED_TILE * sizeof(uint16_t) / sizeof(uint4));
  static_assert(QN_PACKED_TILE * sizeof(uint16_t) == PACKED_THREADS * sizeof(uint4), "one each");
  const uint32_t before = (uint32_t)((uintptr_t)place.words / sizeof(uint32_t) % 4);
  const uint4 *from = (const uint4 *)(place.words - before);
  const uint32_t count = (before + place.num_words + 1 + 3) / 4;
  for (uint32_t i = threadIdx.x; i < count; i += PACKED_THREADS)
    words[i] = __ldcs(&from[i]);
  row_at[threadIdx.x] = make_uint4(~0u, ~0u, ~0u, ~0u);
  __syncthreads();
  return {(const uint32_t *)words + before, (uint16_t *)row_at};
}

QN_DEVICE_INLINE uint32_t packed_byte(const uint32_t *words, uint32_t byte) {
  return words[byte / 4] >> byte % 4 * 8 & 255;
}

QN_DEVICE_INLINE uint32_t packed_width(const uint32_t *words, uint32_t code) {
  const uint32_t width = code ? packed_byte(words, code) : 0;
  return width < 32 ? width : 32;
}

/* The lowest `width` bits, at most 32. */
QN_DEVICE_INLINE uint32_t packed_mask(uint32_t width) {
  return width ? ~0u >> (32 - width) : 0;
}

/* The number of `width` bits at `bit`. */
QN_DEVICE_INLINE uint32_t packed_number(const uint32_t *words, uint32_t bit, uint32_t width) {
  const uint32_t *at = words + bit / 32;
  return __funnelshift_r(at[0], at[1], bit % 32) & packed_mask(width);
}

/* A group from `bit` on, the tile's bits permitting. */
QN_DEVICE_INLINE void packed_group_numbers(const uint32_t *words, uint32_t bits, uint32_t bit,
                                           uint32_t width, uint32_t *numbers) {
  const bool there = width > 0 && bit + QN_PACKED_GROUP * width <= bits;
  const uint32_t from = there ? bit : 0, step = there ? width : 0;
  QN_UNROLL
  for (uint32_t i = 0; i < QN_PACKED_GROUP; i++)
    numbers[i] = packed_number(words, from + i * step, step);
}

/* Two of them. */
QN_DEVICE_INLINE void packed_numbers(const uint32_t *words, uint32_t bits, uint32_t bit,
                                     uint32_t first, uint32_t second, uint32_t *numbers) {
  packed_group_numbers(words, bits, bit, first, numbers);
  packed_group_numbers(words, bits, bit + QN_PACKED_GROUP * first, second,
                       numbers + QN_PACKED_GROUP);
}

/* The sum over the lanes before this one; *total gets that over all. */
QN_DEVICE_INLINE uint32_t packed_warp_before(uint32_t value, uint32_t *total) {
  uint32_t inclusive = value;
  for (int step = 1; step < 32; step *= 2) {
    const uint32_t before = __shfl_up_sync(QN_FULL_WARP, inclusive, step);
    if (qn_lane() >= (unsigned)step)
      inclusive += before;
  }
  *total = __shfl_sync(QN_FULL_WARP, inclusive, 31);
  return inclusive - value;
}

/* What the threads so far have: the row that they are in, and the column of its last edge, or, if
 * none of them began one, what their gaps add up to. */
struct packed_carry {
  uint32_t column;
  uint32_t begun; /* row + 1; 0: none */
};

/* What the threads before this one have. All of the block call. */
QN_DEVICE_INLINE struct packed_carry packed_carry_before(struct packed_carry own) {
  QN_SHARED(struct packed_carry, warps, PACKED_WARPS);
  /* What goes on is added up over the warp, and what a row has before its last edge taken off. */
  uint32_t all;
  const uint32_t sum = packed_warp_before(own.begun ? 0 : own.column, &all);
  const unsigned begun = __ballot_sync(QN_FULL_WARP, own.begun != 0);
  const unsigned before = begun & qn_lanes_below();
  const int last = begun ? 31 - __clz((int)begun) : 0, lane = before ? 31 - __clz((int)before) : 0;
  const uint32_t base = own.begun ? own.column - sum : 0;
  struct packed_carry carry = {__shfl_sync(QN_FULL_WARP, base, lane) + sum,
                               __shfl_sync(QN_FULL_WARP, own.begun, lane)};
  const uint32_t end = __shfl_sync(QN_FULL_WARP, base, last) + all;
  const uint32_t end_row = __shfl_sync(QN_FULL_WARP, own.begun, last);
  if (qn_lane() == 0)
    warps[qn_warp()] = {end, end_row};
  __syncthreads();
  if (!before) {
    carry = {sum, 0};
    for (unsigned warp = qn_warp(); warp > 0 && !carry.begun; warp--) {
      carry.column += warps[warp - 1].column;
      carry.begun = warps[warp - 1].begun;
    }
  }
  return carry;
}

/* A warp notes where the rows of the tile begin, whose lengths lie from `bit` on. Returns how many
 * bits they are. */
QN_DEVICE_INLINE uint32_t packed_mark_rows(const struct packed_place &place,
                                           const struct packed_tile &tile, uint32_t bit) {
  const uint32_t begin_bit = bit;
  uint32_t edge = 0, all;
  for (uint32_t base = 0; base < place.num_rows; base += 32 * PACKED_ITEMS) {
    const uint32_t first = base + qn_lane() * PACKED_ITEMS;
    const uint32_t codes =
        first < place.num_rows ? packed_byte(tile.words, QN_PACKED_HEAD + first / 8) : 0;
    const uint32_t widths = packed_warp_before((codes & 15) + (codes >> 4), &all);
    uint32_t lengths[PACKED_ITEMS], sum = 0;
    packed_numbers(tile.words, 32 * place.num_words, bit + QN_PACKED_GROUP * widths, codes & 15,
                   codes >> 4, lengths);
    bit += QN_PACKED_GROUP * all;
    QN_UNROLL
    for (int i = 0; i < PACKED_ITEMS; i++) {
      lengths[i] = first + i < place.num_rows ? lengths[i] : 0;
      sum += lengths[i];
    }
    uint32_t begin = edge + packed_warp_before(sum, &all);
    edge += all;
    QN_UNROLL
    for (int i = 0; i < PACKED_ITEMS; i++) {
      if (lengths[i] && begin < QN_PACKED_TILE)
        tile.row_at[begin] = (uint16_t)(first + i);
      begin += lengths[i];
    }
  }
  return bit - begin_bit;
}

/* Columns of rows that begin among the thread's edges; before that gaps, added up. */
QN_DEVICE_INLINE struct packed_carry packed_add_gaps(const struct packed_place &place,
                                                     const struct packed_tile &tile,
                                                     struct packed_edges *edges) {
  const uint32_t least = packed_byte(tile.words, 0);
  const uint4 marks = reinterpret_cast<const uint4 *>(tile.row_at)[threadIdx.x];
  struct packed_carry carry = {0, 0};
  edges->marks[0] = marks.x;
  edges->marks[1] = marks.y;
  edges->marks[2] = marks.z;
  edges->marks[3] = marks.w;
  QN_UNROLL
  for (int i = 0; i < PACKED_ITEMS; i++) {
    const uint32_t row = packed_mark(*edges, i), gap = edges->columns[i];
    const uint32_t near = gap >> 1 ^ (0u - (gap & 1));
    carry.column += gap + least;
    if (row != PACKED_NO_ROW) {
      carry = {place.first_row + row + near, row + 1};
      edges->starts |= 1u << i;
    }
    edges->columns[i] = carry.column;
  }
  return carry;
}

/* Bytes before the codes of gaps. */
QN_DEVICE_INLINE uint32_t packed_gap_codes(const struct packed_place &place) {
  return QN_PACKED_HEAD + (place.num_rows + 7) / 8;
}

/* Bytes before the tile's numbers: its head, and all codes. */
QN_DEVICE_INLINE uint32_t packed_code_bytes(const struct packed_place &place) {
  return (packed_gap_codes(place) + (place.num_edges + 7) / 8 + 3) / 4 * 4;
}

/* Where the thread's gaps lie: two groups of such widths, from a bit on. */
struct packed_gap_place {
  uint32_t bit, width0, width1;
};

/* Find them; all codes and lengths are there. Also notes where rows begin (packed_mark_rows). All
 * threads of the block must call. */
QN_DEVICE_INLINE struct packed_gap_place packed_find_gaps(const struct packed_place &place,
                                                          const struct packed_tile &tile) {
  QN_SHARED(uint32_t, parts, PACKED_WARPS + 1); /* bits of the warps' gaps, and of all lengths */
  const uint32_t numbers_at = packed_code_bytes(place);
  const bool has_gaps = threadIdx.x * PACKED_ITEMS < place.num_edges;
  const uint32_t codes =
      has_gaps ? packed_byte(tile.words, packed_gap_codes(place) + threadIdx.x) : 0;
  struct packed_gap_place gaps;
  gaps.width0 = packed_width(tile.words, codes & 15);
  gaps.width1 = packed_width(tile.words, codes >> 4);
  uint32_t widths;
  const uint32_t before = packed_warp_before(gaps.width0 + gaps.width1, &widths);
  if (qn_lane() == 0)
    parts[qn_warp()] = QN_PACKED_GROUP * widths;
  if (qn_warp() == 0) {
    const uint32_t length_bits = packed_mark_rows(place, tile, 8 * numbers_at);
    if (qn_lane() == 0)
      parts[PACKED_WARPS] = length_bits;
  }
  __syncthreads();
  gaps.bit = 8 * numbers_at + parts[PACKED_WARPS] + QN_PACKED_GROUP * before;
  QN_UNROLL
  for (unsigned warp = 0; warp < PACKED_WARPS - 1; warp++)
    gaps.bit += warp < qn_warp() ? parts[warp] : 0;
  return gaps;
}

/* The thread's edges. All threads of the block must call. */
QN_DEVICE_INLINE void packed_decode_gaps(uint64_t num_vertices, const struct packed_place &place,
                                         const struct packed_tile &tile,
                                         const struct packed_gap_place &gaps,
                                         struct packed_edges *edges) {
  const uint32_t first = threadIdx.x * PACKED_ITEMS;
  const uint32_t left = first < place.num_edges ? place.num_edges - first : 0;
  edges->starts = 0;
  packed_numbers(tile.words, 32 * place.num_words, gaps.bit, gaps.width0, gaps.width1,
                 edges->columns);
  const struct packed_carry before = packed_carry_before(packed_add_gaps(place, tile, edges));
  const uint32_t most = (uint32_t)(num_vertices - 1);
  edges->count = left < PACKED_ITEMS ? left : PACKED_ITEMS;
  edges->row_before = before.begun ? before.begun - 1 : 0;
  const int lead = edges->starts ? __ffs((int)edges->starts) - 1 : PACKED_ITEMS;
  QN_UNROLL
  for (int i = 0; i < PACKED_ITEMS; i++) {
    const uint32_t column = edges->columns[i] + (i < lead ? before.column : 0);
    edges->columns[i] = column < most ? column : most;
  }
}

/* All threads of the block must call; PACKED_THREADS of them. Shared memory is written anew in a
 * next call: a barrier must lie between. */
QN_DEVICE_INLINE void packed_decode(uint64_t num_vertices, const struct packed_place &place,
                                    struct packed_edges *edges) {
  edges->count = edges->starts = edges->row_before = 0;
  if (place.num_words * 4 < packed_code_bytes(place)) /* the same for all */
    return;
  const struct packed_tile tile = packed_stage(place);
  const struct packed_gap_place gaps = packed_find_gaps(place, tile);
  packed_decode_gaps(num_vertices, place, tile, gaps, edges);
}

} /* namespace */
