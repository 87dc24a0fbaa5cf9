/* Decoding a tile (specs/packed.md, "A tile"). What is read of the file is bounded where it is
 * used: a tile by the section, codes and numbers by the tile, edges by what a tile has room for. */
#include "formats/layouts/packed_tile.h"

#include <string.h>

#include "support/multiversion.h"

/* Where a tile lies. */
struct tile_bytes {
  const uint8_t *first;
  uint64_t bits; /* of all words */
  struct qn_packed_parts parts;
};

static uint64_t at_most(uint64_t number, uint64_t limit) {
  return number < limit ? number : limit;
}

/* False: the tile has too few bytes for its codes. */
static bool find_bytes(const struct qn_packed_rows *rows, uint64_t number, uint32_t num_rows,
                       uint32_t num_edges, struct tile_bytes *bytes) {
  uint64_t last = rows->num_words - QN_PACKED_PADDING;
  uint64_t begin = at_most(rows->tile_starts[number], last);
  uint64_t end = at_most(rows->tile_starts[number + 1], last);
  bytes->first = (const uint8_t *)(rows->words + begin);
  bytes->bits = end > begin ? 32 * (end - begin) : 0;
  bytes->parts = qn_packed_parts_of(num_rows, num_edges);
  return 8 * (uint64_t)bytes->parts.numbers <= bytes->bits;
}

typedef uint64_t four_numbers __attribute__((vector_size(32)));

/* Four numbers of `width` bits from `bit` on, which is a multiple of 4. Of numbers of up to 15 bits
 * one window holds all four. */
QN_ALWAYS_INLINE void load_group(const uint8_t *bytes, uint64_t bit, uint32_t width,
                                 uint32_t out[QN_PACKED_GROUP]) {
  uint64_t window;
  if (width <= 15) {
    memcpy(&window, bytes + bit / 8, sizeof window);
    const uint64_t shift = bit % 8, mask = ((uint64_t)1 << width) - 1;
    const four_numbers shifts = {shift, shift + width, shift + 2 * width, shift + 3 * width};
    const four_numbers numbers = ((four_numbers){window, window, window, window} >> shifts) & mask;
    for (int i = 0; i < QN_PACKED_GROUP; i++)
      out[i] = (uint32_t)numbers[i];
    return;
  }
  for (int i = 0; i < QN_PACKED_GROUP; i++, bit += width) {
    memcpy(&window, bytes + bit / 8, sizeof window);
    out[i] = (uint32_t)(window >> bit % 8 & (((uint64_t)1 << width) - 1));
  }
}

/* The groups of `count` numbers, of widths by their codes; returns the bit behind them. */
QN_ALWAYS_INLINE uint64_t load_numbers(const struct tile_bytes *tile, const uint8_t *codes,
                                       const uint8_t *widths, uint32_t count, uint64_t bit,
                                       uint32_t *out) {
  for (uint32_t group = 0; group < qn_packed_groups(count); group++) {
    uint32_t width = widths[qn_packed_code(codes, group)];
    if (bit > tile->bits)
      bit = tile->bits;
    load_group(tile->first, bit, width <= 32 ? width : 32, out + group * QN_PACKED_GROUP);
    bit += (uint64_t)QN_PACKED_GROUP * width;
  }
  return bit;
}

/* Lengths are as wide as their codes say. */
static const uint8_t length_widths[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* The tile's size, and where it lies. False: the tile has too few bytes for its codes. */
QN_ALWAYS_INLINE bool enter_tile(const struct qn_packed_rows *rows, uint64_t number,
                                 struct qn_packed_tile *tile, struct tile_bytes *bytes) {
  uint64_t first = at_most(rows->tile_edges[number], rows->num_edges);
  uint64_t last = at_most(rows->tile_edges[number + 1], rows->num_edges);
  uint64_t first_row = at_most(rows->tile_rows[number], rows->num_vertices);
  tile->first_edge = first;
  tile->num_edges = last > first ? (uint32_t)at_most(last - first, QN_PACKED_TILE) : 0;
  tile->first_row = (uint32_t)first_row;
  tile->num_rows =
      (uint32_t)at_most(qn_packed_num_rows(rows->tile_rows, number, rows->num_vertices),
                        rows->num_vertices - first_row);
  return find_bytes(rows, number, tile->num_rows, tile->num_edges, bytes);
}

/* Returns the first bit of the gaps. */
QN_ALWAYS_INLINE uint64_t load_begins(const struct qn_packed_rows *rows, uint64_t number,
                                      struct qn_packed_tile *tile, struct tile_bytes *bytes) {
  if (!enter_tile(rows, number, tile, bytes)) {
    memset(tile->begins, 0, (tile->num_rows + 1) * sizeof *tile->begins);
    tile->num_edges = tile->length = 0;
    return 0;
  }
  uint64_t bit = load_numbers(bytes, bytes->first + bytes->parts.length_codes, length_widths,
                              tile->num_rows, 8 * (uint64_t)bytes->parts.numbers, tile->begins + 1);
  tile->length = tile->begins[0] = 0;
  for (uint32_t row = 0; row < tile->num_rows; row++) {
    tile->length += tile->begins[row + 1];
    tile->begins[row + 1] = (uint32_t)at_most(tile->length, tile->num_edges);
  }
  return bit;
}

uint32_t qn_packed_length(const struct qn_packed_rows *rows, uint64_t number, uint32_t row) {
  struct tile_bytes bytes;
  uint64_t first = at_most(rows->tile_edges[number], rows->num_edges);
  uint64_t last = at_most(rows->tile_edges[number + 1], rows->num_edges);
  const uint32_t num_rows = qn_packed_num_rows(rows->tile_rows, number, rows->num_vertices);
  const uint32_t num_edges = last > first ? (uint32_t)at_most(last - first, QN_PACKED_TILE) : 0;
  const uint32_t index = row - rows->tile_rows[number];
  uint32_t lengths[QN_PACKED_GROUP];
  if (index >= num_rows || !find_bytes(rows, number, num_rows, num_edges, &bytes))
    return 0;
  const uint8_t *codes = bytes.first + bytes.parts.length_codes;
  uint64_t bit = 8 * (uint64_t)bytes.parts.numbers;
  for (uint32_t group = 0; group < index / QN_PACKED_GROUP; group++)
    bit += QN_PACKED_GROUP * qn_packed_code(codes, group);
  load_group(bytes.first, at_most(bit, bytes.bits), qn_packed_code(codes, index / QN_PACKED_GROUP),
             lengths);
  return lengths[index % QN_PACKED_GROUP];
}

uint64_t qn_packed_find(const struct qn_packed_rows *rows, uint64_t row) {
  uint64_t low = 0, high = rows->num_tiles;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (rows->tile_rows[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

QN_VECTOR_CLONES void qn_packed_decode_begins(const struct qn_packed_rows *rows, uint64_t number,
                                              struct qn_packed_tile *tile) {
  struct tile_bytes bytes;
  load_begins(rows, number, tile, &bytes);
}

QN_VECTOR_CLONES void qn_packed_decode_unbounded(const struct qn_packed_rows *rows, uint64_t number,
                                                 struct qn_packed_tile *tile) {
  struct tile_bytes bytes;
  uint8_t widths[QN_PACKED_HEAD];
  uint64_t bit = load_begins(rows, number, tile, &bytes);
  if (tile->num_edges == 0)
    return;
  memcpy(widths, bytes.first, sizeof widths);
  const uint32_t least = widths[0];
  widths[0] = 0;
  load_numbers(&bytes, bytes.first + bytes.parts.gap_codes, widths, tile->num_edges, bit,
               tile->columns);
  for (uint32_t row = 0; row < tile->num_rows; row++) {
    uint32_t edge = tile->begins[row], end = tile->begins[row + 1];
    if (edge == end)
      continue;
    uint32_t column = tile->first_row + row + qn_packed_unzigzag(tile->columns[edge]);
    tile->columns[edge] = column;
    while (++edge < end)
      tile->columns[edge] = column += tile->columns[edge] + least;
  }
}

void qn_packed_decode(const struct qn_packed_rows *rows, uint64_t number,
                      struct qn_packed_tile *tile) {
  qn_packed_decode_unbounded(rows, number, tile);
  const uint32_t most = rows->num_vertices ? (uint32_t)(rows->num_vertices - 1) : 0;
  for (uint32_t edge = 0; edge < tile->num_edges; edge++)
    tile->columns[edge] = tile->columns[edge] < most ? tile->columns[edge] : most;
}
