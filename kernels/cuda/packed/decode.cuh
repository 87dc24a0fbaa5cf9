/* A block of threads decodes a tile of packed rows (specs/packed.md) into its registers: each
 * thread eight edges, two groups, whose codes are one byte.
 *
 * What bounds it: a tile moves what it takes in the container, once. Each number is two loads of
 * words that neighbours read too, and a shift; four running sums over the block follow: where
 * lengths lie, where rows begin, where gaps lie, and the columns themselves.
 *
 * No load leaves the tile's words and the QN_PACKED_BEHIND behind them, whatever they are, and
 * columns are vertices. */
#ifndef QN_KERNELS_CUDA_PACKED_DECODE_CUH
#define QN_KERNELS_CUDA_PACKED_DECODE_CUH

#include "kernels/cuda/device/block.cuh"
#include "kernels/cuda/packed/device.cuh"

#define PACKED_ITEMS 8
#define PACKED_THREADS (QN_PACKED_TILE / PACKED_ITEMS)
#define PACKED_NO_ROW 0xffffu

static_assert(PACKED_ITEMS == 2 * QN_PACKED_GROUP, "a thread's codes are one byte");
static_assert(QN_PACKED_RANGE <= QN_PACKED_TILE, "a thread has a byte of lengths, too");

namespace {

/* Where a tile lies, and how large it is. */
struct packed_place {
  const uint32_t *words;
  uint64_t num_words, first_edge;
  uint32_t first_row, num_rows, num_edges;
};

/* A thread's edges: the first `count` of PACKED_ITEMS are there. */
struct packed_edges {
  uint32_t count;
  uint32_t columns[PACKED_ITEMS];
  uint32_t rows[PACKED_ITEMS]; /* counted from the tile's first */
  uint32_t starts;             /* bit i: edge i is the first of its row in the tile */
  uint32_t row_before;         /* of the edge before the thread's first */
};

QN_DEVICE_INLINE uint32_t packed_byte(const uint32_t *words, uint32_t byte) {
  return words[byte / 4] >> byte % 4 * 8 & 255;
}

/* The number of `width` bits at `bit`. */
QN_DEVICE_INLINE uint32_t packed_number(const uint32_t *words, uint64_t bit, uint32_t width) {
  const uint32_t *at = words + bit / 32;
  const uint64_t both = (uint64_t)at[1] << 32 | at[0];
  return (uint32_t)(both >> bit % 32 & (((uint64_t)1 << width) - 1));
}

QN_DEVICE_INLINE uint32_t packed_width(const uint32_t *words, uint32_t code) {
  const uint32_t width = code ? packed_byte(words, code) : 0;
  return width < 32 ? width : 32;
}

/* Two groups from `bit` on, the tile's bits permitting. */
QN_DEVICE_INLINE void packed_numbers(const struct packed_place &place, uint64_t bit, uint32_t first,
                                     uint32_t second, uint32_t *numbers) {
  const uint64_t bits = 32 * place.num_words;
  QN_UNROLL
  for (int i = 0; i < PACKED_ITEMS; i++) {
    const uint32_t width = i < QN_PACKED_GROUP ? first : second;
    const bool inside = bit + width <= bits;
    numbers[i] = inside ? packed_number(place.words, bit, width) : 0;
    bit += width;
  }
}

/* `available` words from `words` on are there, without those behind them. */
QN_DEVICE_INLINE struct packed_place packed_find(const struct engine_device &device, uint64_t tile,
                                                 const uint32_t *words, uint64_t available) {
  struct packed_place place;
  const uint64_t num_edges = device.tile_edges[tile + 1] - device.tile_edges[tile];
  const uint64_t num_words = device.tile_starts[tile + 1] - device.tile_starts[tile];
  place.words = words;
  place.num_words = num_words < available ? num_words : available;
  place.first_edge = device.tile_edges[tile];
  place.first_row = device.tile_rows[tile];
  const uint32_t num_rows = qn_packed_num_rows(device.tile_rows, tile, device.num_vertices);
  const uint64_t rows_left = device.num_vertices - place.first_row;
  place.num_rows = num_rows < rows_left ? num_rows : (uint32_t)rows_left;
  place.num_edges = num_edges < QN_PACKED_TILE ? (uint32_t)num_edges : QN_PACKED_TILE;
  return place;
}

/* What the threads so far have: the row that they are in, and the column of its last edge, or, if
 * none of them began one, what their gaps add up to. */
struct packed_carry {
  uint32_t column, row, began;
};

QN_DEVICE_INLINE struct packed_carry packed_join(struct packed_carry before,
                                                 struct packed_carry after) {
  if (after.began)
    return after;
  before.column += after.column;
  return before;
}

/* What the threads before this one have. */
QN_DEVICE_INLINE struct packed_carry packed_scan(struct packed_carry own) {
  QN_SHARED(struct packed_carry, warps, PACKED_THREADS / 32);
  for (int step = 1; step < 32; step *= 2) {
    struct packed_carry before;
    before.column = __shfl_up_sync(QN_FULL_WARP, own.column, step);
    before.row = __shfl_up_sync(QN_FULL_WARP, own.row, step);
    before.began = __shfl_up_sync(QN_FULL_WARP, own.began, step);
    if (qn_lane() >= (unsigned)step)
      own = packed_join(before, own);
  }
  if (qn_lane() == 31)
    warps[qn_warp()] = own;
  struct packed_carry before;
  before.column = __shfl_up_sync(QN_FULL_WARP, own.column, 1);
  before.row = __shfl_up_sync(QN_FULL_WARP, own.row, 1);
  before.began = __shfl_up_sync(QN_FULL_WARP, own.began, 1);
  __syncthreads();
  struct packed_carry base = {0, 0, 0};
  for (unsigned warp = 0; warp < qn_warp(); warp++)
    base = packed_join(base, warps[warp]);
  __syncthreads();
  return qn_lane() == 0 ? base : packed_join(base, before);
}

/* Mark in `row_at` [QN_PACKED_TILE] where the rows of the tile begin; returns the bits of all
 * lengths. */
QN_DEVICE_INLINE uint32_t packed_mark_rows(const struct packed_place &place, uint32_t numbers_at,
                                           uint16_t *row_at) {
  const uint32_t first = threadIdx.x * PACKED_ITEMS;
  uint32_t lengths[PACKED_ITEMS], sum = 0, bits = 0, all_bits, all;
  for (uint32_t edge = threadIdx.x; edge < QN_PACKED_TILE; edge += PACKED_THREADS)
    row_at[edge] = PACKED_NO_ROW;
  const uint32_t codes =
      first < place.num_rows ? packed_byte(place.words, QN_PACKED_HEAD + threadIdx.x) : 0;
  bits = QN_PACKED_GROUP * ((codes & 15) + (codes >> 4));
  const uint32_t bit = qn_block_scan(bits, &all_bits);
  packed_numbers(place, 8 * (uint64_t)numbers_at + bit, codes & 15, codes >> 4, lengths);
  QN_UNROLL
  for (int i = 0; i < PACKED_ITEMS; i++) {
    lengths[i] = first + i < place.num_rows ? lengths[i] : 0;
    sum += lengths[i];
  }
  uint32_t begin = qn_block_scan(sum, &all);
  QN_UNROLL
  for (int i = 0; i < PACKED_ITEMS; i++) {
    if (lengths[i] && begin < QN_PACKED_TILE)
      row_at[begin] = (uint16_t)(first + i);
    begin += lengths[i];
  }
  __syncthreads();
  return all_bits;
}

/* Columns of rows that begin among the thread's edges; before that gaps, added up. */
QN_DEVICE_INLINE struct packed_carry packed_add_gaps(const struct packed_place &place,
                                                     const uint16_t *row_at, uint32_t least,
                                                     struct packed_edges *edges) {
  struct packed_carry carry = {0, 0, 0};
  edges->starts = 0;
  QN_UNROLL
  for (int i = 0; i < PACKED_ITEMS; i++) {
    const uint32_t row = row_at[threadIdx.x * PACKED_ITEMS + i], gap = edges->columns[i];
    if (row != PACKED_NO_ROW) {
      const uint32_t near = gap >> 1 ^ (0u - (gap & 1));
      carry = {place.first_row + row + near, row, 1};
      edges->starts |= 1u << i;
    } else {
      carry.column += gap + least;
    }
    edges->columns[i] = carry.column;
    edges->rows[i] = carry.row;
  }
  return carry;
}

/* All threads of the block must call; PACKED_THREADS of them. */
QN_DEVICE_INLINE void packed_decode(const struct engine_device &device,
                                    const struct packed_place &place, struct packed_edges *edges) {
  QN_SHARED(uint16_t, row_at, QN_PACKED_TILE);
  const uint32_t first = threadIdx.x * PACKED_ITEMS;
  const uint32_t gap_codes = QN_PACKED_HEAD + (place.num_rows + 7) / 8;
  const uint32_t numbers_at = (gap_codes + (place.num_edges + 7) / 8 + 3) / 4 * 4;
  edges->count = edges->starts = edges->row_before = 0;
  if (place.num_words * 4 < numbers_at) /* the same for all */
    return;
  const uint32_t length_bits = packed_mark_rows(place, numbers_at, row_at);
  const uint32_t left = first < place.num_edges ? place.num_edges - first : 0;
  const uint32_t codes = left ? packed_byte(place.words, gap_codes + threadIdx.x) : 0;
  const uint32_t width0 = packed_width(place.words, codes & 15);
  const uint32_t width1 = packed_width(place.words, codes >> 4);
  uint32_t all;
  const uint32_t bit = qn_block_scan(QN_PACKED_GROUP * (width0 + width1), &all);
  packed_numbers(place, 8 * (uint64_t)numbers_at + length_bits + bit, width0, width1,
                 edges->columns);
  const struct packed_carry own =
      packed_add_gaps(place, row_at, packed_byte(place.words, 0), edges);
  const struct packed_carry before = packed_scan(own);
  const uint32_t most = (uint32_t)(device.num_vertices - 1);
  edges->count = left < PACKED_ITEMS ? left : PACKED_ITEMS;
  edges->row_before = before.row;
  QN_UNROLL
  for (int i = 0; i < PACKED_ITEMS; i++) {
    const bool goes_on = !(edges->starts & ((2u << i) - 1)); /* no row began up to it */
    const uint32_t column = edges->columns[i] + (goes_on ? before.column : 0);
    edges->rows[i] = goes_on ? before.row : edges->rows[i];
    edges->columns[i] = column < most ? column : most;
  }
}

} /* namespace */

#endif
