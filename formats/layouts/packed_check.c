/* The invariants of the packed layout (specs/packed.md), checked in parallel by ranges of 1024
 * rows; the first range at fault is reported. */
#include <inttypes.h>
#include <omp.h>
#include <string.h>

#include "formats/layouts/packed_sections.h"
#include "formats/layouts/packed_tile.h"
#include "formats/layouts/packed_weights.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/fingerprint.h>

/* What is wrong in a range: a rule, and where. */
struct fault {
  const char *rule; /* NULL: nothing */
  const char *what;
  uint64_t tile;
};

static const struct fault sound = {0};

static struct fault fault_of(const char *rule, const char *what, uint64_t tile) {
  return (struct fault){rule, what, tile};
}

static uint64_t num_ranges(const struct qn_packed_rows *rows) {
  return (rows->num_vertices + QN_PACKED_RANGE - 1) / QN_PACKED_RANGE;
}

/* ---- Places --------------------------------------------------------------------- */

/* A tile's rows, edges and words, after those of the tiles before it. */
static struct fault check_places(const struct qn_packed_rows *rows, uint64_t tile) {
  const uint64_t first = rows->tile_rows[tile], next = rows->tile_rows[tile + 1];
  const uint64_t range_end = (first / QN_PACKED_RANGE + 1) * QN_PACKED_RANGE;
  const uint64_t end = range_end < rows->num_vertices ? range_end : rows->num_vertices;
  if (next < first || next > end || first >= rows->num_vertices)
    return fault_of("PK-2", "has rows that are not of one range", tile);
  const bool is_last = next == end;
  if (rows->tile_edges[tile] > rows->tile_edges[tile + 1])
    return fault_of("PK-3", "ends before its first edge", tile);
  const uint64_t edges = rows->tile_edges[tile + 1] - rows->tile_edges[tile];
  if (edges > QN_PACKED_TILE || (!is_last && edges < QN_PACKED_TILE))
    return fault_of("PK-3",
                    is_last ? "has more than 2048 edges"
                            : "has not 2048 edges and is not the last of its range",
                    tile);
  if (rows->tile_starts[tile] > rows->tile_starts[tile + 1])
    return fault_of("PK-4", "ends before its first word", tile);
  return sound;
}

static struct fault find_misplaced(const struct qn_packed_rows *rows) {
  uint64_t bad = UINT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (uint64_t tile = 0; tile < rows->num_tiles; tile++)
    if (tile < bad && check_places(rows, tile).rule)
      bad = tile;
  return bad == UINT64_MAX ? sound : check_places(rows, bad);
}

/* ---- Codes ---------------------------------------------------------------------- */

/* The groups of `count` numbers: adds their bits, or says what is wrong with a code. */
static const char *add_widths(const uint8_t *codes, const uint8_t *widths, uint32_t count,
                              uint32_t most, uint64_t *bits) {
  const uint32_t groups = qn_packed_groups(count);
  for (uint32_t group = 0; group < groups; group++) {
    uint32_t width = widths ? widths[qn_packed_code(codes, group)] : qn_packed_code(codes, group);
    if (width > most)
      return "has numbers that are too wide";
    *bits += (uint64_t)QN_PACKED_GROUP * width;
  }
  return groups % 2 && qn_packed_code(codes, groups) ? "has a code of no group" : NULL;
}

/* Are the bits from `begin` to the end of the tile zero? `begin` is a multiple of 4. */
static bool is_zero_from(const uint8_t *bytes, uint64_t begin, uint64_t end) {
  for (; begin < end; begin += 4)
    if (bytes[begin / 8] >> begin % 8 & 15)
      return false;
  return true;
}

static struct fault check_codes(const struct qn_packed_rows *rows, uint64_t tile) {
  const uint32_t edges = (uint32_t)(rows->tile_edges[tile + 1] - rows->tile_edges[tile]);
  const uint32_t num_rows = qn_packed_num_rows(rows->tile_rows, tile, rows->num_vertices);
  const struct qn_packed_parts parts = qn_packed_parts_of(num_rows, edges);
  const uint64_t length = 32 * (rows->tile_starts[tile + 1] - rows->tile_starts[tile]);
  const uint8_t *bytes = (const uint8_t *)(rows->words + rows->tile_starts[tile]);
  uint8_t widths[QN_PACKED_HEAD];
  uint64_t bits = 8 * (uint64_t)parts.numbers;
  if (length < bits)
    return fault_of("PK-6", "has too few words for its codes", tile);
  memcpy(widths, bytes, sizeof widths);
  if (widths[0] > 1)
    return fault_of("PK-5", "has a least gap that is neither 0 nor 1", tile);
  widths[0] = 0;
  for (unsigned i = 1; i < sizeof widths; i++)
    if (widths[i] > 32)
      return fault_of("PK-5", "names a width of more than 32 bits", tile);
  const char *what =
      add_widths(bytes + parts.length_codes, NULL, num_rows, QN_PACKED_LENGTH_BITS, &bits);
  if (!what)
    what = add_widths(bytes + parts.gap_codes, widths, edges, 32, &bits);
  if (what)
    return fault_of("PK-5", what, tile);
  if (length != (bits + 31) / 32 * 32)
    return fault_of("PK-6", "has not the words that its codes ask for", tile);
  if (!is_zero_from(bytes, bits, length) ||
      !is_zero_from(bytes, 8 * ((uint64_t)parts.gap_codes + qn_packed_code_bytes(edges)),
                    8 * (uint64_t)parts.numbers))
    return fault_of("PK-6", "has bits beyond its numbers that are not zero", tile);
  return sound;
}

/* ---- Numbers ---------------------------------------------------------------------- */

/* Are the numbers that fill a last group up zero? */
static bool is_filled_up(const uint32_t *numbers, uint32_t count) {
  for (uint32_t i = count; i % QN_PACKED_GROUP; i++)
    if (numbers[i])
      return false;
  return true;
}

/* `*before` is the last column of the row that the tile may go on with. */
static struct fault check_numbers(const struct qn_packed_rows *rows, uint64_t number,
                                  struct qn_packed_tile *tile, uint32_t *before) {
  uint64_t wrong = 0;
  qn_packed_decode_unbounded(rows, number, tile);
  if (!is_filled_up(tile->begins + 1, tile->num_rows) ||
      !is_filled_up(tile->columns, tile->num_edges))
    return fault_of("PK-6", "has bits of no number that are not zero", number);
  if (tile->length != tile->num_edges)
    return fault_of("PK-7", "has rows whose lengths are not its edges", number);
  for (uint32_t row = 0; row < tile->num_rows; row++) {
    const bool goes_on = row == 0 && !qn_packed_begins_range(rows->tile_rows, number);
    uint32_t least = goes_on ? *before : 0;
    for (uint32_t edge = tile->begins[row]; edge < tile->begins[row + 1]; edge++) {
      wrong += tile->columns[edge] < least;
      least = tile->columns[edge];
    }
    *before = least;
  }
  if (wrong)
    return fault_of("PK-8", "has neighbours that descend in a row", number);
  for (uint32_t edge = 0; edge < tile->num_edges; edge++)
    wrong += tile->columns[edge] >= rows->num_columns;
  return wrong ? fault_of("PK-8", "leads to a vertex that is not there", number) : sound;
}

static struct fault check_range(const struct qn_packed_rows *rows, uint64_t range,
                                struct qn_packed_tile *tile) {
  const uint64_t end = qn_packed_find(rows, (range + 1) * QN_PACKED_RANGE);
  uint32_t before = 0;
  struct fault fault = sound;
  for (uint64_t number = qn_packed_find(rows, range * QN_PACKED_RANGE); number < end && !fault.rule;
       number++) {
    fault = check_codes(rows, number);
    if (!fault.rule)
      fault = check_numbers(rows, number, tile, &before);
  }
  return fault;
}

static struct fault find_fault(const struct qn_packed_rows *rows, struct qn_packed_tile *tiles) {
  uint64_t bad = UINT64_MAX;
#pragma omp parallel for schedule(dynamic, 4) reduction(min : bad)
  for (uint64_t range = 0; range < num_ranges(rows); range++)
    if (range < bad && check_range(rows, range, &tiles[omp_get_thread_num()]).rule)
      bad = range;
  return bad == UINT64_MAX ? sound : check_range(rows, bad, tiles);
}

static enum qn_status check_rows(const struct qn_container *container,
                                 const struct qn_packed_sections *names,
                                 const struct qn_packed_rows *rows, struct qn_error *error) {
  struct qn_packed_tile *tiles;
  enum qn_status status = qn_alloc(&tiles, qn_threads(), sizeof *tiles, "tiles", error);
  if (status)
    return status;
  struct fault fault = find_misplaced(rows);
  if (!fault.rule)
    fault = find_fault(rows, tiles);
  for (uint64_t i = rows->num_words - QN_PACKED_PADDING; !fault.rule && i < rows->num_words; i++)
    if (rows->words[i])
      fault = fault_of("PK-4", "is followed by words that are not zero", rows->num_tiles);
  qn_free(tiles);
  if (!fault.rule)
    return QN_OK;
  return qn_container_violation(container, error, fault.rule, "%s: tile %" PRIu64 " %s",
                                names->name, fault.tile, fault.what);
}

/* The rows that are stored: an undirected graph's are in the view under both names. */
static const struct qn_packed_rows *stored_in(const struct qn_packed *packed) {
  return packed->has_in && packed->directedness == QN_DIRECTED ? &packed->in : NULL;
}

static const struct qn_packed_rows *stored_out(const struct qn_packed *packed) {
  return packed->has_out ? &packed->out : NULL;
}

enum qn_status qn_packed_check(const struct qn_container *container, const struct qn_packed *packed,
                               struct qn_error *error) {
  enum qn_status status = QN_OK;
  if (stored_in(packed))
    status = check_rows(container, &qn_packed_in_sections, stored_in(packed), error);
  if (!status && stored_out(packed))
    status = check_rows(container, &qn_packed_out_sections, stored_out(packed), error);
  if (!status)
    status = qn_ids_check(container, &packed->ids, error);
  return status;
}

/* ---- Content ----------------------------------------------------------------- */

/* What the edges of some tiles add to the sums over all rows. */
struct sums {
  uint64_t fingerprint; /* of the edges source -> destination */
  uint64_t reverse;     /* of the reversed edges */
  uint64_t sources;     /* qn_mix_source of every source */
};

static void add_tile(const struct qn_packed_rows *rows, struct qn_packed_tile *tile,
                     bool row_is_source, struct sums *sums) {
  const unsigned bytes = qn_weight_bytes(rows->weights.type);
  qn_packed_load_weights(rows, tile->first_edge, tile->num_edges, tile->weights);
  for (uint32_t row = 0; row < tile->num_rows; row++) {
    const uint32_t vertex = tile->first_row + row;
    for (uint32_t edge = tile->begins[row]; edge < tile->begins[row + 1]; edge++) {
      const uint32_t source = row_is_source ? vertex : tile->columns[edge];
      const uint32_t destination = row_is_source ? tile->columns[edge] : vertex;
      const uint64_t weight = qn_mix_weight_at(tile->weights, bytes, edge);
      sums->fingerprint += qn_mix_source(source) * qn_mix_destination(destination) * weight;
      sums->reverse += qn_mix_source(destination) * qn_mix_destination(source) * weight;
      sums->sources += qn_mix_source(source);
    }
  }
}

static struct sums sum_rows(const struct qn_packed_rows *rows, bool row_is_source,
                            struct qn_packed_tile *tiles) {
  uint64_t fingerprint = 0, reverse = 0, sources = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : fingerprint, reverse, sources)
  for (uint64_t number = 0; number < rows->num_tiles; number++) {
    struct qn_packed_tile *tile = &tiles[omp_get_thread_num()];
    struct sums sums = {0};
    qn_packed_decode(rows, number, tile);
    add_tile(rows, tile, row_is_source, &sums);
    fingerprint += sums.fingerprint;
    reverse += sums.reverse;
    sources += sums.sources;
  }
  return (struct sums){fingerprint, reverse, sources};
}

static enum qn_status check_degrees(const struct qn_container *container,
                                    const struct qn_packed *packed, const struct sums *sums,
                                    struct qn_error *error) {
  uint64_t expected = 0;
#pragma omp parallel for schedule(static) reduction(+ : expected)
  for (uint64_t v = 0; v < packed->num_vertices; v++)
    expected += packed->out_degrees[v] * qn_mix_source((uint32_t)v);
  if (expected == sums->sources)
    return QN_OK;
  return qn_container_violation(container, error, "PK-10",
                                "out_degrees are not those of the edges");
}

static enum qn_status check_weights(const struct qn_container *container,
                                    const struct qn_packed_sections *names,
                                    const struct qn_packed_rows *rows, struct qn_error *error) {
  return rows ? qn_packed_weights_check(container, names, rows, error) : QN_OK;
}

enum qn_status qn_packed_check_content(const struct qn_container *container,
                                       const struct qn_packed *packed, struct qn_error *error) {
  const struct qn_packed_rows *in = stored_in(packed), *out = stored_out(packed);
  struct sums in_sums = {0}, out_sums = {0};
  struct qn_packed_tile *tiles;
  enum qn_status status = check_weights(container, &qn_packed_in_sections, in, error);
  if (!status)
    status = check_weights(container, &qn_packed_out_sections, out, error);
  if (!status)
    status = qn_alloc(&tiles, qn_threads(), sizeof *tiles, "tiles", error);
  if (status)
    return status;
  if (in)
    in_sums = sum_rows(in, false, tiles);
  if (out)
    out_sums = sum_rows(out, true, tiles);
  qn_free(tiles);
  if (packed->out_degrees)
    status = check_degrees(container, packed, &in_sums, error);
  if (!status && in && out && in_sums.fingerprint != out_sums.fingerprint)
    status = qn_container_violation(container, error, "PK-11",
                                    "in-edges and out-edges are not the same edges");
  if (!status && packed->directedness == QN_UNDIRECTED && out_sums.fingerprint != out_sums.reverse)
    status = qn_container_violation(container, error, "PK-12",
                                    "the header says undirected, but some edge lacks its reverse");
  return status;
}
