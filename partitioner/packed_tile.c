#include "partitioner/packed_tile.h"

#include <string.h>

#include "formats/layouts/packed_tile.h"
#include "support/multiversion.h"

enum { WIDTHS = 33, CODES = 16 };

/* ---- Choosing widths --------------------------------------------------------------- */

/* Gaps less `least`, but for the first neighbour of a row. */
static void take_gaps(struct qn_tile_packing *tile, const uint32_t *columns, uint32_t least) {
  for (uint32_t edge = 1; edge < tile->num_edges; edge++)
    tile->gaps[edge] = columns[edge] - columns[edge - 1] - least;
  for (uint32_t row = 0, edge = 0; row < tile->num_rows; edge += tile->lengths[row++])
    if (tile->lengths[row])
      tile->gaps[edge] = qn_packed_zigzag(columns[edge] - (tile->first_vertex + row));
}

/* 1, unless a row leads to a vertex twice. */
static uint32_t least_gap(const struct qn_tile_packing *tile, const uint32_t *columns) {
  uint32_t equal = 0;
  for (uint32_t edge = 1; edge < tile->num_edges; edge++)
    equal += columns[edge] == columns[edge - 1];
  /* Where a row begins it is no gap. */
  for (uint32_t row = 0, edge = 0; row < tile->num_rows; edge += tile->lengths[row++])
    if (tile->lengths[row] && edge > 0)
      equal -= columns[edge] == columns[edge - 1];
  return equal == 0;
}

static inline uint8_t group_width(const uint32_t *numbers) {
  const uint32_t bits = numbers[0] | numbers[1] | numbers[2] | numbers[3];
  return bits ? (uint8_t)(32 - __builtin_clz(bits)) : 0;
}

/* The widths of all groups; counts them, unless `counts` is NULL. */
static void find_widths(const uint32_t *numbers, uint32_t count, uint8_t *widths,
                        uint32_t *counts) {
  for (uint32_t group = 0; group < qn_packed_groups(count); group++) {
    widths[group] = group_width(numbers + group * QN_PACKED_GROUP);
    if (counts)
      counts[widths[group]]++;
  }
}

/* The wider width that groups of `width` bits cost the least to get. */
static int next_width(const uint32_t *counts, int width) {
  do
    width++;
  while (width < WIDTHS && counts[width] == 0);
  return width;
}

/* Leave at most 15 widths beside 0: the one that costs the fewest bits goes, again and again. */
static void merge_widths(uint32_t *counts) {
  for (;;) {
    int used = 0, best = 0;
    uint32_t best_cost = UINT32_MAX;
    for (int width = 1; width < WIDTHS; width++) {
      const int next = next_width(counts, width);
      if (counts[width] == 0)
        continue;
      used++;
      const uint32_t cost = counts[width] * (uint32_t)(next - width);
      if (next < WIDTHS && cost < best_cost) {
        best = width;
        best_cost = cost;
      }
    }
    if (used < CODES)
      return;
    counts[next_width(counts, best)] += counts[best];
    counts[best] = 0;
  }
}

/* The table of widths, and the code that each width gets: that of the least one which is no less.
 */
static void make_table(const uint32_t *counts, uint8_t *head, uint8_t *codes) {
  uint8_t code = 1;
  codes[0] = 0;
  for (int width = 1; width < WIDTHS; width++) {
    codes[width] = code;
    if (counts[width] && code < CODES)
      head[code++] = (uint8_t)width;
  }
}

QN_VECTOR_CLONES uint64_t qn_tile_pack(struct qn_tile_packing *tile, const uint32_t *columns) {
  uint32_t counts[WIDTHS] = {0};
  uint8_t codes[WIDTHS];
  const struct qn_packed_parts parts = qn_packed_parts_of(tile->num_rows, tile->num_edges);
  uint64_t bits = 8 * (uint64_t)parts.numbers;
  const uint32_t least = least_gap(tile, columns);
  take_gaps(tile, columns, least);
  memset(tile->gaps + tile->num_edges, 0, QN_PACKED_GROUP * sizeof *tile->gaps);
  memset(tile->lengths + tile->num_rows, 0, QN_PACKED_GROUP * sizeof *tile->lengths);
  memset(tile->head, 0, sizeof tile->head);
  find_widths(tile->lengths, tile->num_rows, tile->length_widths, NULL);
  find_widths(tile->gaps, tile->num_edges, tile->gap_codes, counts);
  merge_widths(counts);
  make_table(counts, tile->head, codes);
  for (uint32_t group = 0; group < qn_packed_groups(tile->num_rows); group++)
    bits += QN_PACKED_GROUP * tile->length_widths[group];
  for (uint32_t group = 0; group < qn_packed_groups(tile->num_edges); group++) {
    tile->gap_codes[group] = codes[tile->gap_codes[group]];
    bits += QN_PACKED_GROUP * tile->head[tile->gap_codes[group]];
  }
  tile->head[0] = (uint8_t)least;
  return (bits + 31) / 32;
}

/* ---- Writing ----------------------------------------------------------------------- */

static void write_codes(const uint8_t *codes, uint32_t count, uint8_t *out) {
  for (uint32_t group = 0; group < qn_packed_groups(count); group++)
    out[group / 2] = (uint8_t)(out[group / 2] | codes[group] << 4 * (group % 2));
}

/* Words that are not full yet. */
struct bits {
  uint32_t *next;
  uint64_t waiting;
  uint32_t count; /* of the bits that wait: less than 32 */
};

static inline void put(struct bits *bits, uint32_t number, uint32_t width) {
  bits->waiting |= (uint64_t)number << bits->count;
  bits->count += width;
  if (bits->count < 32)
    return;
  *bits->next++ = (uint32_t)bits->waiting;
  bits->waiting >>= 32;
  bits->count -= 32;
}

static void put_numbers(struct bits *bits, const uint32_t *numbers, uint32_t count,
                        const uint8_t *codes, const uint8_t *widths) {
  for (uint32_t group = 0; group < qn_packed_groups(count); group++) {
    const uint32_t width = widths ? widths[codes[group]] : codes[group];
    for (int i = 0; i < QN_PACKED_GROUP; i++)
      put(bits, numbers[group * QN_PACKED_GROUP + i], width);
  }
}

void qn_tile_write(const struct qn_tile_packing *tile, uint32_t *words) {
  const struct qn_packed_parts parts = qn_packed_parts_of(tile->num_rows, tile->num_edges);
  uint8_t *bytes = (uint8_t *)words, widths[QN_PACKED_HEAD];
  struct bits bits = {.next = words + parts.numbers / 4};
  memcpy(bytes, tile->head, sizeof tile->head);
  memcpy(widths, tile->head, sizeof widths);
  widths[0] = 0;
  write_codes(tile->length_widths, tile->num_rows, bytes + parts.length_codes);
  write_codes(tile->gap_codes, tile->num_edges, bytes + parts.gap_codes);
  put_numbers(&bits, tile->lengths, tile->num_rows, tile->length_widths, NULL);
  put_numbers(&bits, tile->gaps, tile->num_edges, tile->gap_codes, widths);
  if (bits.count)
    *bits.next = (uint32_t)bits.waiting;
}
