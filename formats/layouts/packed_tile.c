/* Decoding a tile (specs/packed.md, "A tile"). What is read of the file is bounded where it is
 * used: a tile by the section, codes and numbers by the tile, edges by what a tile has room for. */
#include "formats/layouts/packed_tile.h"

#include <string.h>

#if defined(__SSSE3__)
#include <tmmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "support/multiversion.h"
#include "support/search.h"

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

/* More than a tile of 2048 edges takes: what says where tiles begin may change. */
#define MOST_AHEAD ((uint64_t)16 << 10)

/* Ask for as many bytes behind a tile as it has: who decodes goes from tile to tile, and what a
 * processor fetches by itself ends with a page, which is about a tile. */
QN_ALWAYS_INLINE void expect_next(const struct qn_packed_rows *rows,
                                  const struct tile_bytes *bytes) {
  const uint8_t *const last = (const uint8_t *)(rows->words + rows->num_words);
  const uint8_t *const next = bytes->first + bytes->bits / 8;
  const uint64_t tile = bytes->bits / 8, ahead = tile < MOST_AHEAD ? tile : MOST_AHEAD;
  for (uint64_t byte = 0; byte < ahead && next + byte < last; byte += 64)
    __builtin_prefetch(next + byte);
}

typedef uint32_t four_columns __attribute__((vector_size(16)));
typedef uint8_t sixteen_bytes __attribute__((vector_size(16)));

QN_ALWAYS_INLINE uint64_t load_window(const uint8_t *bytes, uint64_t bit) {
  uint64_t window;
  memcpy(&window, bytes + bit / 8, sizeof window);
  return window >> bit % 8;
}

#if defined(__SSSE3__) || defined(__aarch64__)

/* How four numbers of a width are taken out of the 16 bytes in which they begin, at bit 0 or 4 of
 * the first: which four bytes hold each, and how many bits there come before it. Widths up to this
 * one fit four bytes wherever they begin. */
#define QN_SHUFFLED_WIDTH 25
struct taking {
  sixteen_bytes bytes;
  four_columns shifts, mask;
};

#define BYTES_AT(bit) (bit) / 8, (bit) / 8 + 1, (bit) / 8 + 2, (bit) / 8 + 3
#define FOUR_TIMES(number)                                                                         \
  { (number), (number), (number), (number) }
#define TAKING(bit, width)                                                                         \
  {                                                                                                \
    {BYTES_AT(bit), BYTES_AT((bit) + (width)), BYTES_AT((bit) + 2 * (width)),                      \
     BYTES_AT((bit) + 3 * (width))},                                                               \
        {(bit) % 8, ((bit) + (width)) % 8, ((bit) + 2 * (width)) % 8, ((bit) + 3 * (width)) % 8},  \
        FOUR_TIMES(((uint32_t)1 << (width)) - 1)                                                   \
  }
#define TAKINGS(width)                                                                             \
  { TAKING(0, width), TAKING(4, width) }
static const struct taking takings[][2] = {TAKINGS(0),  TAKINGS(1),
                                           TAKINGS(2),  TAKINGS(3),
                                           TAKINGS(4),  TAKINGS(5),
                                           TAKINGS(6),  TAKINGS(7),
                                           TAKINGS(8),  TAKINGS(9),
                                           TAKINGS(10), TAKINGS(11),
                                           TAKINGS(12), TAKINGS(13),
                                           TAKINGS(14), TAKINGS(15),
                                           TAKINGS(16), TAKINGS(17),
                                           TAKINGS(18), TAKINGS(19),
                                           TAKINGS(20), TAKINGS(21),
                                           TAKINGS(22), TAKINGS(23),
                                           TAKINGS(24), TAKINGS(QN_SHUFFLED_WIDTH)};
#undef TAKINGS
#undef TAKING
#undef FOUR_TIMES
#undef BYTES_AT

QN_ALWAYS_INLINE four_columns shuffle(sixteen_bytes bytes, sixteen_bytes places) {
#if defined(__SSSE3__)
  return (four_columns)_mm_shuffle_epi8((__m128i)bytes, (__m128i)places);
#else
  return (four_columns)vqtbl1q_u8((uint8x16_t)bytes, (uint8x16_t)places);
#endif
}

/* Four numbers of `width` bits from `bit` on, which is a multiple of 4. A branch by width would be
 * mispredicted all the time, but few widths are too wide for a shuffle. */
QN_ALWAYS_INLINE four_columns load_group(const uint8_t *bytes, uint64_t bit, uint32_t width) {
  if (__builtin_expect(width <= QN_SHUFFLED_WIDTH, 1)) {
    const struct taking *taking = &takings[width][bit / 4 % 2];
    sixteen_bytes window;
    memcpy(&window, bytes + bit / 8, sizeof window);
    return shuffle(window, taking->bytes) >> taking->shifts & taking->mask;
  }
  four_columns numbers;
  for (int i = 0; i < QN_PACKED_GROUP; i++)
    numbers[i] = (uint32_t)(load_window(bytes, bit + i * width) & (((uint64_t)1 << width) - 1));
  return numbers;
}

#else

/* Four numbers of `width` bits from `bit` on. */
QN_ALWAYS_INLINE four_columns load_group(const uint8_t *bytes, uint64_t bit, uint32_t width) {
  four_columns numbers;
  for (int i = 0; i < QN_PACKED_GROUP; i++)
    numbers[i] = (uint32_t)(load_window(bytes, bit + i * width) & (((uint64_t)1 << width) - 1));
  return numbers;
}

#endif

/* The groups of `count` numbers, of widths by their codes; returns the bit behind them. */
QN_ALWAYS_INLINE uint64_t load_numbers(const struct tile_bytes *tile, const uint8_t *codes,
                                       const uint8_t *widths, uint32_t count, uint64_t bit,
                                       uint32_t *out) {
  const uint8_t *const first = tile->first;
  const uint64_t bits = tile->bits;
  for (uint32_t group = 0; group < qn_packed_groups(count); group++) {
    const uint32_t width = widths[qn_packed_code(codes, group)];
    bit = bit < bits ? bit : bits;
    const four_columns numbers = load_group(first, bit, width);
    memcpy(out + group * QN_PACKED_GROUP, &numbers, sizeof numbers);
    bit += QN_PACKED_GROUP * width;
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
  expect_next(rows, bytes);
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
  if (index >= num_rows || !find_bytes(rows, number, num_rows, num_edges, &bytes))
    return 0;
  const uint8_t *codes = bytes.first + bytes.parts.length_codes;
  uint64_t bit = 8 * (uint64_t)bytes.parts.numbers;
  for (uint32_t group = 0; group < index / QN_PACKED_GROUP; group++)
    bit += QN_PACKED_GROUP * qn_packed_code(codes, group);
  const four_columns lengths = load_group(bytes.first, at_most(bit, bytes.bits),
                                          qn_packed_code(codes, index / QN_PACKED_GROUP));
  return lengths[index % QN_PACKED_GROUP];
}

uint64_t qn_packed_find(const struct qn_packed_rows *rows, uint64_t row) {
  return qn_lower_bound_u32(rows->tile_rows, 0, rows->num_tiles, row);
}

QN_VECTOR_CLONES void qn_packed_decode_begins(const struct qn_packed_rows *rows, uint64_t number,
                                              struct qn_packed_tile *tile) {
  struct tile_bytes bytes;
  load_begins(rows, number, tile, &bytes);
}

/* The widths that a tile's codes stand for. */
QN_ALWAYS_INLINE void load_widths(const uint8_t *first, uint8_t *widths) {
  widths[0] = 0;
  for (int code = 1; code < QN_PACKED_HEAD; code++)
    widths[code] = (uint8_t)at_most(first[code], 32);
}

/* The next group of a tile, and each number's sum with those before it. */
QN_ALWAYS_INLINE four_columns sum_group(const struct tile_bytes *tile, uint32_t width,
                                        uint64_t *bit) {
  const four_columns zeros = {0};
  const uint64_t begin = *bit < tile->bits ? *bit : tile->bits;
  four_columns sum = load_group(tile->first, begin, width);
  *bit = begin + QN_PACKED_GROUP * width;
  sum += __builtin_shufflevector(sum, zeros, 4, 0, 1, 2);
  sum += __builtin_shufflevector(sum, zeros, 4, 5, 0, 1);
  return sum;
}

/* Running sums of the gaps, and `least` for each, from the first edge's on, a byte of codes after
 * the other. What fills the last group, and a group behind it, is written too. */
QN_ALWAYS_INLINE void sum_gaps(const struct tile_bytes *tile, uint32_t num_edges, uint64_t bit,
                               uint32_t *sums) {
  const uint8_t *const first = tile->first, *const codes = first + tile->parts.gap_codes;
  const uint32_t least = first[0], groups = qn_packed_groups(num_edges);
  const struct tile_bytes bytes = *tile; /* local: what is written to sums does not change it */
  uint8_t widths[QN_PACKED_HEAD];
  load_widths(first, widths);
  const four_columns leasts = {least, 2 * least, 3 * least, 4 * least};
  four_columns before = {0};
  for (uint32_t group = 0; group < groups; group += 2) {
    const uint8_t code = codes[group / 2];
    four_columns one = sum_group(&bytes, widths[code & 15], &bit) + leasts;
    four_columns two = sum_group(&bytes, widths[code >> 4], &bit) + leasts;
    one += before;
    two += __builtin_shufflevector(one, one, 3, 3, 3, 3);
    memcpy(sums + group * QN_PACKED_GROUP, &one, sizeof one);
    memcpy(sums + (group + 1) * QN_PACKED_GROUP, &two, sizeof two);
    before = __builtin_shufflevector(two, two, 3, 3, 3, 3);
  }
  memset(sums + groups * QN_PACKED_GROUP, 0, QN_PACKED_GROUP * sizeof *sums);
}

/* What is to be added to the running sums of each row; of rows without edges it means nothing. */
QN_ALWAYS_INLINE void find_bases(const struct qn_packed_tile *tile, uint32_t first_vertex,
                                 uint32_t least, uint32_t *bases) {
  for (uint32_t row = 0; row < tile->num_rows; row++) {
    const uint32_t begin = tile->begins[row], sum = tile->columns[begin];
    const uint32_t gap = sum - (begin ? tile->columns[begin - 1] : 0) - least;
    bases[row] = first_vertex + row + qn_packed_unzigzag(gap) - sum;
  }
}

/* Columns of each row, at most `most`: running sums from the row's first column on. Up to three
 * numbers more than a row has are written, which the next one overwrites, and behind the last one
 * what fills its group. */
QN_ALWAYS_INLINE void place_columns(struct qn_packed_tile *tile, uint32_t first_vertex,
                                    const uint32_t *sums, uint32_t least, uint32_t most) {
  const four_columns limit = {most, most, most, most};
  for (uint32_t row = 0; row < tile->num_rows; row++) {
    const uint32_t begin = tile->begins[row], end = tile->begins[row + 1];
    if (begin == end)
      continue;
    const uint32_t gap = sums[begin + 1] - sums[begin] - least;
    const uint32_t add = first_vertex + row + qn_packed_unzigzag(gap) - sums[begin + 1];
    for (uint32_t edge = begin; edge < end; edge += QN_PACKED_GROUP) {
      four_columns columns;
      memcpy(&columns, sums + 1 + edge, sizeof columns);
      columns += add;
      const four_columns inside = (four_columns)(columns < limit);
      columns = (columns & inside) | (limit & ~inside);
      memcpy(tile->columns + edge, &columns, sizeof columns);
    }
  }
  /* Lengths that add up to less than the tile's edges (PK-7) leave some to no row. */
  const uint32_t placed = tile->begins[tile->num_rows];
  memset(tile->columns + placed, 0, (tile->num_edges - placed) * sizeof *tile->columns);
  for (uint32_t edge = tile->num_edges; edge % QN_PACKED_GROUP; edge++)
    tile->columns[edge] = sums[edge + 1] - sums[edge] - least;
}

QN_ALWAYS_INLINE void decode(const struct qn_packed_rows *rows, uint64_t number, uint32_t most,
                             struct qn_packed_tile *tile) {
  struct tile_bytes bytes;
  uint32_t sums[1 + QN_PACKED_TILE + 2 * QN_PACKED_GROUP];
  const uint64_t bit = load_begins(rows, number, tile, &bytes);
  if (tile->num_edges == 0)
    return;
  sums[0] = 0;
  sum_gaps(&bytes, tile->num_edges, bit, sums + 1);
  place_columns(tile, rows->first_row + tile->first_row, sums, bytes.first[0], most);
}

QN_VECTOR_CLONES void qn_packed_decode_unbounded(const struct qn_packed_rows *rows, uint64_t number,
                                                 struct qn_packed_tile *tile) {
  decode(rows, number, UINT32_MAX, tile);
}

QN_VECTOR_CLONES void qn_packed_decode(const struct qn_packed_rows *rows, uint64_t number,
                                       struct qn_packed_tile *tile) {
  decode(rows, number, rows->num_columns ? (uint32_t)(rows->num_columns - 1) : 0, tile);
}

QN_VECTOR_CLONES void qn_packed_decode_sums(const struct qn_packed_rows *rows, uint64_t number,
                                            struct qn_packed_tile *tile, uint32_t *bases) {
  struct tile_bytes bytes;
  const uint64_t bit = load_begins(rows, number, tile, &bytes);
  if (tile->num_edges == 0) {
    memset(bases, 0, tile->num_rows * sizeof *bases);
    return;
  }
  sum_gaps(&bytes, tile->num_edges, bit, tile->columns);
  find_bases(tile, rows->first_row + tile->first_row, bytes.first[0], bases);
}

/* ---- Rows, as far as they are looked at --------------------------------------------- */

QN_VECTOR_CLONES void qn_packed_search_begin(const struct qn_packed_rows *rows, uint64_t number,
                                             struct qn_packed_tile *tile,
                                             struct qn_packed_search *search) {
  struct tile_bytes bytes;
  search->has_places = false;
  search->gaps = load_begins(rows, number, tile, &bytes);
  search->num_edges = tile->num_edges;
  if (tile->num_edges == 0)
    return;
  search->first = bytes.first;
  search->bits = bytes.bits;
  search->codes = bytes.first + bytes.parts.gap_codes;
  search->least = bytes.first[0];
  search->most = rows->num_columns ? (uint32_t)(rows->num_columns - 1) : 0;
  search->first_vertex = rows->first_row + tile->first_row;
  load_widths(bytes.first, search->widths);
}

/* A width is a fourth of a group's bits, and groups begin on a multiple of 4. */
static void find_places(struct qn_packed_search *search) {
  const uint32_t groups = qn_packed_groups(search->num_edges);
  uint32_t place = 0;
  for (uint32_t group = 0; group < groups; group += 2) {
    const uint8_t code = search->codes[group / 2];
    search->places[group] = (uint16_t)place;
    place += search->widths[code & 15];
    search->places[group + 1] = (uint16_t)place;
    place += search->widths[code >> 4];
  }
  search->has_places = true;
}

QN_VECTOR_CLONES uint32_t qn_packed_search_next(struct qn_packed_search *search,
                                                struct qn_packed_place *place, uint32_t *columns) {
  if (!search->has_places)
    find_places(search);
  const uint32_t group = place->edge / QN_PACKED_GROUP, skip = place->edge % QN_PACKED_GROUP;
  const uint32_t rest = place->end - place->edge, in_group = QN_PACKED_GROUP - skip;
  const uint32_t count = rest < in_group ? rest : in_group, most = search->most;
  const uint64_t bit = search->gaps + QN_PACKED_GROUP * (uint64_t)search->places[group];
  const four_columns gaps = load_group(search->first, at_most(bit, search->bits),
                                       search->widths[qn_packed_code(search->codes, group)]);
  uint32_t column = place->column;
  for (uint32_t i = 0; i < count; i++) {
    column = place->has_begun || i > 0
                 ? column + gaps[skip + i] + search->least
                 : search->first_vertex + place->row + qn_packed_unzigzag(gaps[skip]);
    columns[i] = column < most ? column : most;
  }
  place->has_begun = true;
  place->column = column;
  place->edge += count;
  return count;
}

/* ---- One row ------------------------------------------------------------------ */

/* The bits of a number of each of these groups. */
static uint32_t add_widths(const uint8_t *codes, const uint8_t *widths, uint32_t groups) {
  uint32_t sum = 0, group = 0;
#if defined(__SSSE3__) || defined(__aarch64__)
  typedef uint16_t eight_sums __attribute__((vector_size(16)));
  const sixteen_bytes low = (sixteen_bytes){0} + 15;
  sixteen_bytes table;
  eight_sums sums = {0}; /* of at most 16 turns, each of 128 */
  memcpy(&table, widths, sizeof table);
  for (; group + 32 <= groups; group += 32) {
    sixteen_bytes two;
    memcpy(&two, codes + group / 2, sizeof two);
    const sixteen_bytes both =
        (sixteen_bytes)shuffle(table, two & low) + (sixteen_bytes)shuffle(table, two >> 4 & low);
    sums += ((eight_sums)both & 255) + ((eight_sums)both >> 8);
  }
  for (int i = 0; i < 8; i++)
    sum += sums[i];
#endif
  for (; group < groups; group++)
    sum += widths[qn_packed_code(codes, group)];
  return sum;
}

QN_VECTOR_CLONES void qn_packed_decode_row(const struct qn_packed_rows *rows, uint64_t number,
                                           uint64_t row, uint64_t first, uint64_t end,
                                           struct qn_packed_tile *tile) {
  struct tile_bytes bytes;
  uint8_t widths[QN_PACKED_HEAD];
  const bool enters = enter_tile(rows, number, tile, &bytes);
  const uint64_t last = tile->first_edge + tile->num_edges;
  const uint32_t begin = first > tile->first_edge ? (uint32_t)(first - tile->first_edge) : 0;
  const uint32_t count = (uint32_t)(at_most(end, last) - tile->first_edge) - begin;
  tile->num_edges = 0;
  if (!enters || first >= last || end <= tile->first_edge || first >= end)
    return;
  load_widths(bytes.first, widths);
  const uint8_t *lengths = bytes.first + bytes.parts.length_codes;
  const uint8_t *gaps = bytes.first + bytes.parts.gap_codes;
  const uint32_t least = bytes.first[0], num_lengths = qn_packed_groups(tile->num_rows);
  const four_columns leasts = {least, 2 * least, 3 * least, 4 * least};
  uint32_t group = begin / QN_PACKED_GROUP, skip = begin % QN_PACKED_GROUP, at = 0;
  const uint64_t numbers =
      (uint64_t)add_widths(lengths, length_widths, num_lengths) + add_widths(gaps, widths, group);
  uint64_t bit = 8 * (uint64_t)bytes.parts.numbers + QN_PACKED_GROUP * numbers;
  uint32_t width = widths[qn_packed_code(gaps, group)];
  four_columns four = load_group(bytes.first, at_most(bit, bytes.bits), width);
  uint32_t column = rows->first_row + (uint32_t)row + qn_packed_unzigzag(four[skip]);
  tile->columns[at++] = column;
  for (skip++; skip < QN_PACKED_GROUP; skip++)
    tile->columns[at++] = column += four[skip] + least;
  bit += QN_PACKED_GROUP * width;
  while (at < count) {
    four = sum_group(&bytes, widths[qn_packed_code(gaps, ++group)], &bit) + leasts + column;
    memcpy(tile->columns + at, &four, sizeof four);
    column = four[3];
    at += QN_PACKED_GROUP;
  }
  tile->first_edge += begin;
  tile->num_edges = count;
}
