/* A block of threads decodes a tile of packed rows (specs/packed.md) into its registers: each
 * thread eight edges, two groups, whose codes are one byte.
 *
 * What bounds it: a tile moves what it takes in the container, once, 16 bytes a load, into shared
 * memory. From there each number is two loads and a shift; running sums over the block follow:
 * where numbers lie, where rows begin, and the columns themselves. Between them the block waits
 * for all its threads, which other blocks of the multiprocessor hide.
 *
 * No load leaves the tile's words and the QN_PACKED_BEHIND behind them, whatever they are, but for
 * what fills the 16 bytes of its first word; and columns are vertices. */
#ifndef QN_KERNELS_CUDA_PACKED_DECODE_CUH
#define QN_KERNELS_CUDA_PACKED_DECODE_CUH

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
  uint32_t rows[PACKED_ITEMS]; /* counted from the tile's first */
  uint32_t starts;             /* bit i: edge i is the first of its row in the tile */
  uint32_t row_before;         /* of the edge before the thread's first */
};

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

/* The number of `width` bits at `bit`. */
QN_DEVICE_INLINE uint32_t packed_number(const uint32_t *words, uint32_t bit, uint32_t width) {
  const uint32_t *at = words + bit / 32;
  const uint64_t both = (uint64_t)at[1] << 32 | at[0];
  return (uint32_t)(both >> bit % 32) & (uint32_t)(((uint64_t)1 << width) - 1);
}

/* Two groups from `bit` on, the tile's bits permitting. */
QN_DEVICE_INLINE void packed_numbers(const uint32_t *words, uint32_t bits, uint32_t bit,
                                     uint32_t first, uint32_t second, uint32_t *numbers) {
  QN_UNROLL
  for (int i = 0; i < PACKED_ITEMS; i++) {
    const uint32_t width = i < QN_PACKED_GROUP ? first : second;
    numbers[i] = bit + width <= bits ? packed_number(words, bit, width) : 0;
    bit += width;
  }
}

/* The sum over the threads before this one; *total gets that over all. `parts` [PACKED_WARPS] is
 * shared and nobody else's. */
QN_DEVICE_INLINE uint32_t packed_sum_before(uint32_t value, uint32_t *parts, uint32_t *total) {
  uint32_t inclusive = value, base = 0, sum = 0;
  for (int step = 1; step < 32; step *= 2) {
    const uint32_t before = __shfl_up_sync(QN_FULL_WARP, inclusive, step);
    inclusive += qn_lane() >= (unsigned)step ? before : 0;
  }
  if (qn_lane() == 31)
    parts[qn_warp()] = inclusive;
  __syncthreads();
  QN_UNROLL
  for (unsigned warp = 0; warp < PACKED_WARPS; warp++) {
    base = warp == qn_warp() ? sum : base;
    sum += parts[warp];
  }
  *total = sum;
  return base + inclusive - value;
}

/* What the threads so far have: the row that they are in, and the column of its last edge, or, if
 * none of them began one, what their gaps add up to. */
struct packed_carry {
  uint32_t column;
  uint32_t begun; /* 2 row + 1; 0: none */
};

QN_DEVICE_INLINE struct packed_carry packed_join(struct packed_carry before,
                                                 struct packed_carry after) {
  if (after.begun)
    return after;
  return {before.column + after.column, before.begun};
}

QN_DEVICE_INLINE struct packed_carry packed_shuffle_up(struct packed_carry carry, int step) {
  return {__shfl_up_sync(QN_FULL_WARP, carry.column, step),
          __shfl_up_sync(QN_FULL_WARP, carry.begun, step)};
}

/* What the threads before this one have. */
QN_DEVICE_INLINE struct packed_carry packed_carry_before(struct packed_carry own) {
  QN_SHARED(struct packed_carry, warps, PACKED_WARPS);
  for (int step = 1; step < 32; step *= 2) {
    const struct packed_carry before = packed_shuffle_up(own, step);
    if (qn_lane() >= (unsigned)step)
      own = packed_join(before, own);
  }
  if (qn_lane() == 31)
    warps[qn_warp()] = own;
  const struct packed_carry before = packed_shuffle_up(own, 1);
  __syncthreads();
  struct packed_carry base = {0, 0};
  for (unsigned warp = 0; warp < qn_warp(); warp++)
    base = packed_join(base, warps[warp]);
  return qn_lane() == 0 ? base : packed_join(base, before);
}

/* Note where the rows of the tile begin, whose lengths this thread has from `bit` on. Ends with a
 * barrier. */
QN_DEVICE_INLINE void packed_mark_rows(const struct packed_place &place,
                                       const struct packed_tile &tile, uint32_t bit,
                                       uint32_t codes) {
  QN_SHARED(uint32_t, parts, PACKED_WARPS);
  const uint32_t first = threadIdx.x * PACKED_ITEMS;
  uint32_t lengths[PACKED_ITEMS], sum = 0, all;
  packed_numbers(tile.words, 32 * place.num_words, bit, codes & 15, codes >> 4, lengths);
  QN_UNROLL
  for (int i = 0; i < PACKED_ITEMS; i++) {
    lengths[i] = first + i < place.num_rows ? lengths[i] : 0;
    sum += lengths[i];
  }
  uint32_t begin = packed_sum_before(sum, parts, &all);
  QN_UNROLL
  for (int i = 0; i < PACKED_ITEMS; i++) {
    if (lengths[i] && begin < QN_PACKED_TILE)
      tile.row_at[begin] = (uint16_t)(first + i);
    begin += lengths[i];
  }
  __syncthreads();
}

/* Columns of rows that begin among the thread's edges; before that gaps, added up. */
QN_DEVICE_INLINE struct packed_carry packed_add_gaps(const struct packed_place &place,
                                                     const struct packed_tile &tile,
                                                     struct packed_edges *edges) {
  const uint32_t least = packed_byte(tile.words, 0);
  const uint4 marks = reinterpret_cast<const uint4 *>(tile.row_at)[threadIdx.x];
  const uint32_t pairs[PACKED_ITEMS / 2] = {marks.x, marks.y, marks.z, marks.w};
  struct packed_carry carry = {0, 0};
  edges->starts = 0;
  QN_UNROLL
  for (int i = 0; i < PACKED_ITEMS; i++) {
    const uint32_t row = pairs[i / 2] >> i % 2 * 16 & 0xffff, gap = edges->columns[i];
    if (row != PACKED_NO_ROW) {
      const uint32_t near = gap >> 1 ^ (0u - (gap & 1));
      carry = {place.first_row + row + near, 2 * row + 1};
      edges->starts |= 1u << i;
    } else {
      carry.column += gap + least;
    }
    edges->columns[i] = carry.column;
    edges->rows[i] = carry.begun / 2;
  }
  return carry;
}

/* All threads of the block must call; PACKED_THREADS of them. Shared memory is written anew in a
 * next call: a barrier must lie between. */
QN_DEVICE_INLINE void packed_decode(uint64_t num_vertices, const struct packed_place &place,
                                    struct packed_edges *edges) {
  QN_SHARED(uint32_t, parts, PACKED_WARPS);
  const uint32_t first = threadIdx.x * PACKED_ITEMS;
  const uint32_t gap_codes = QN_PACKED_HEAD + (place.num_rows + 7) / 8;
  const uint32_t numbers_at = (gap_codes + (place.num_edges + 7) / 8 + 3) / 4 * 4;
  edges->count = edges->starts = edges->row_before = 0;
  if (place.num_words * 4 < numbers_at) /* the same for all */
    return;
  const struct packed_tile tile = packed_stage(place);
  const uint32_t length_codes =
      first < place.num_rows ? packed_byte(tile.words, QN_PACKED_HEAD + threadIdx.x) : 0;
  const uint32_t left = first < place.num_edges ? place.num_edges - first : 0;
  const uint32_t codes = left ? packed_byte(tile.words, gap_codes + threadIdx.x) : 0;
  const uint32_t width0 = packed_width(tile.words, codes & 15);
  const uint32_t width1 = packed_width(tile.words, codes >> 4);
  /* Groups of lengths and of gaps, in units of 4 bits: both sums have 16 bits. */
  static_assert(PACKED_THREADS * 2 * 32 < 1 << 16 && QN_PACKED_GROUP == 4, "they do");
  uint32_t all;
  const uint32_t at = packed_sum_before(
      ((length_codes & 15) + (length_codes >> 4)) << 16 | (width0 + width1), parts, &all);
  packed_mark_rows(place, tile, 8 * numbers_at + 4 * (at >> 16), length_codes);
  packed_numbers(tile.words, 32 * place.num_words,
                 8 * numbers_at + 4 * (all >> 16) + 4 * (at & 0xffff), width0, width1,
                 edges->columns);
  const struct packed_carry before = packed_carry_before(packed_add_gaps(place, tile, edges));
  const uint32_t most = (uint32_t)(num_vertices - 1);
  edges->count = left < PACKED_ITEMS ? left : PACKED_ITEMS;
  edges->row_before = before.begun / 2;
  QN_UNROLL
  for (int i = 0; i < PACKED_ITEMS; i++) {
    const bool goes_on = !(edges->starts & ((2u << i) - 1)); /* no row began up to it */
    const uint32_t column = edges->columns[i] + (goes_on ? before.column : 0);
    edges->rows[i] = goes_on ? edges->row_before : edges->rows[i];
    edges->columns[i] = column < most ? column : most;
  }
}

} /* namespace */

#endif
