/* The archive form: every filter both ways, byte-identical restoring, damage refused. */
#include <sys/stat.h>

#include "formats/archive/filter.h"
#include "formats/archive/mirror.h"
#include "formats/archive/pages.h"
#include "formats/archive/rows_reader.h"
#include "formats/container/varint.h"
#include "helpers/random_graph.h"
#include "helpers/round_trip.h"
#include "helpers/sample_graph.h"
#include "helpers/scratch.h"
#include "helpers/seal.h"
#include "helpers/test.h"
#include "partitioner/slotted_pages.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/archive.h>

static struct qn_error error;

static uint64_t random_state = 1;

static uint64_t next_random(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return random_state >> 20;
}

/* Of all lengths, in memory that ends where they do; cut anywhere they are refused. */
TEST(varints) {
  enum { COUNT = 700 };
  uint64_t values[COUNT], decoded[COUNT];
  uint32_t narrow[COUNT];
  for (unsigned round = 0; round < 200; round++) {
    uint8_t room[COUNT * 10], *end = room;
    unsigned most = 1 + round % 64; /* bits of a value */
    for (unsigned i = 0; i < COUNT; i++) {
      values[i] = (next_random() << 40 ^ next_random() << 20 ^ next_random()) >>
                  (64 - 1 - next_random() % most);
      end = qn_put_varint(end, values[i]);
    }
    size_t bytes = (size_t)(end - room);
    uint8_t *exact = malloc(bytes);
    assert_non_null(exact);
    memcpy(exact, room, bytes);
    assert_ptr_equal(qn_get_varints_u64(exact, exact + bytes, decoded, COUNT), exact + bytes);
    assert_memory_equal(decoded, values, sizeof values);
    assert_null(qn_get_varints_u64(exact, exact + bytes - 1, decoded, COUNT));
    assert_null(qn_get_varints_u64(exact, exact + bytes / 3, decoded, COUNT));
    bool narrow_enough = true;
    for (unsigned i = 0; i < COUNT; i++)
      narrow_enough = narrow_enough && values[i] <= UINT32_MAX;
    const uint8_t *got = qn_get_varints_u32(exact, exact + bytes, narrow, COUNT);
    assert_ptr_equal(got, narrow_enough ? exact + bytes : NULL);
    for (unsigned i = 0; got && i < COUNT; i++)
      assert_int_equal(narrow[i], values[i]);
    free(exact);
  }
}

/* Longer than need be is allowed, up to ten bytes; more bits than 64 are not. */
TEST(long_varints) {
  uint8_t bytes[256];
  uint64_t value;
  memset(bytes, 0x80, sizeof bytes);
  bytes[0] = 0x85;
  for (unsigned length = 2; length <= 12; length++) {
    bytes[length - 1] = 0;
    const uint8_t *end = length <= 10 ? bytes + length : NULL;
    assert_ptr_equal(qn_get_varints_u64(bytes, bytes + length, &value, 1), end);
    assert_ptr_equal(qn_get_varints_u64(bytes, bytes + sizeof bytes, &value, 1), end);
    if (end)
      assert_int_equal(value, 5);
    bytes[length - 1] = 0x80;
  }
  bytes[9] = 2; /* bit 64 */
  assert_null(qn_get_varints_u64(bytes, bytes + sizeof bytes, &value, 1));
  bytes[9] = 1;
  assert_ptr_equal(qn_get_varints_u64(bytes, bytes + sizeof bytes, &value, 1), bytes + 10);
  assert_int_equal(value, UINT64_C(0x8000000000000005));
}

static void filter_round_trip(const void *elements, uint32_t width, uint64_t count) {
  for (unsigned i = QN_FILTER_NONE; i <= QN_FILTER_GAP_PLANES; i++) {
    enum qn_filter filter = (enum qn_filter)i;
    if (!qn_filter_applies(filter, width))
      continue;
    uint64_t bound = qn_filter_bound(filter, width, count);
    uint8_t *encoded = malloc(bound + 1), *decoded = malloc(width * count + 1);
    assert_true(encoded && decoded);
    uint64_t bytes = qn_filter_encode(filter, width, elements, count, encoded);
    assert_true(bytes <= bound);
    assert_true(qn_filter_decode(filter, width, encoded, bytes, decoded, count));
    if (count)
      assert_memory_equal(decoded, elements, width * count);
    assert_false(qn_filter_decode(filter, width, encoded, bytes + 1, decoded, count));
    if (bytes)
      assert_false(qn_filter_decode(filter, width, encoded, bytes - 1, decoded, count));
    free(encoded);
    free(decoded);
  }
}

TEST(filters) {
  static const uint32_t extremes[] = {0, 0,          UINT32_MAX, UINT32_MAX, 0, UINT32_MAX - 1,
                                      5, UINT32_MAX, 1,          1,          2, 0};
  static const uint64_t large[] = {5, 0, UINT64_MAX, UINT64_MAX, 1ull << 63, 3, 3, 4};
  filter_round_trip(extremes, 4, sizeof extremes / 4);
  filter_round_trip(extremes, 4, 0);
  filter_round_trip(large, 8, sizeof large / 8);
  filter_round_trip(extremes, 2, 7);
  filter_round_trip(extremes, 12, 3);
  filter_round_trip(extremes, 1, 9);
  static uint32_t rows[5000];
  for (unsigned i = 0; i < 5000; i++)
    rows[i] = (uint32_t)(i % 37 == 0 ? next_random() : rows[i ? i - 1 : 0] + next_random() % 300);
  filter_round_trip(rows, 4, 5000);
}

/* Decoders given noise must answer, not crash. */
TEST(filters_survive_noise) {
  uint8_t noise[64];
  uint64_t elements[64];
  for (unsigned round = 0; round < 20000; round++) {
    for (unsigned i = 0; i < sizeof noise; i++)
      noise[i] = (uint8_t)next_random();
    uint64_t bytes = next_random() % sizeof noise, count = next_random() % 64;
    for (unsigned filter = 0; filter <= QN_FILTER_GAP_PLANES; filter++)
      for (uint32_t width = 4; width <= 8; width += 4)
        if (qn_filter_applies((enum qn_filter)filter, width))
          qn_filter_decode((enum qn_filter)filter, width, noise, bytes, elements, count);
  }
}

/* Sorted columns for `num_rows` rows of `degree` on average, some empty, some of one column only.
 */
static uint64_t fill_rows(const struct qn_packed_rows_place *place, uint32_t degree,
                          uint32_t *columns, struct qn_archive_rows *rows) {
  uint64_t count = 0, first = ((uint64_t)place->strip << place->span_log2) + rows->first_row;
  uint64_t strips = qn_num_strips(place->num_vertices, place->span_log2) - place->strip;
  memset(rows->tiles, 0, strips * sizeof *rows->tiles);
  for (uint32_t i = 0; i < rows->num_rows; i++) {
    uint64_t column = i ? first + i : rows->base, range = place->num_vertices - column;
    uint32_t wanted = (uint32_t)(next_random() % (2 * degree + 1));
    rows->degrees[i] = i == 0 || i + 1 == rows->num_rows ? wanted + 1 : wanted;
    for (uint32_t j = 0; j < rows->degrees[i]; j++) {
      uint64_t gap = next_random() % 7 ? next_random() % (2 * range / rows->degrees[i] + 1) : 0;
      column = column + gap < place->num_vertices ? column + gap : place->num_vertices - 1;
      columns[count++] = (uint32_t)column;
      rows->tiles[(column >> place->span_log2) - place->strip]++;
    }
  }
  rows->columns = columns;
  return count;
}

static bool read_rows(const struct qn_packed_rows_place *place, const uint8_t *in, uint64_t bytes,
                      uint64_t count, uint32_t *columns, struct qn_archive_rows *rows) {
  if (!qn_packed_rows_open(place, in, bytes, count, rows))
    return false;
  struct qn_packed_rows_reader reader = qn_packed_rows_reader(place->num_vertices, &rows->bits);
  uint64_t first = ((uint64_t)place->strip << place->span_log2) + rows->first_row;
  for (uint32_t i = 0; i < rows->num_rows; i++) {
    uint32_t degree = rows->degrees[i];
    if (degree && !qn_packed_rows_next_row(&reader, i ? first + i : rows->base, degree))
      return false;
    for (uint32_t j = 0; j < degree; j++)
      if (!qn_packed_rows_next_column(&reader, columns++))
        return false;
  }
  return qn_packed_rows_at_end(&reader);
}

/* Rows become bits and rows again, in memory that ends where it may be read; cut anywhere, longer,
 * with any byte changed they are refused or are other rows, whose columns are vertices. */
TEST(rows_in_bits) {
  enum { ROWS = 60, COLUMNS = ROWS * 81 };
  static const struct qn_packed_rows_place places[] = {
      {300, 8, 0},           {300, 8, 1},     {70000, 8, 200}, {UINT32_MAX, 16, 65535},
      {UINT32_MAX, 16, 100}, {1 << 20, 13, 5}};
  static uint32_t columns[COLUMNS], got_columns[1 << 18], degrees[ROWS], got_degrees[1 << 16];
  static uint32_t tiles[1 << 16], got_tiles[1 << 16];
  for (unsigned round = 0; round < 60; round++) {
    const struct qn_packed_rows_place *place = &places[round % 6];
    struct qn_archive_rows rows = {.first_row = 3,
                                   .num_rows = place->strip == 1 ? 1 + round % 40 : 1 + round,
                                   .after = round % 2 ? next_random() : 0,
                                   .degrees = degrees,
                                   .tiles = tiles};
    struct qn_archive_rows got = {.degrees = got_degrees, .tiles = got_tiles};
    rows.base = (place->strip << place->span_log2) + 3 + (uint32_t)(round % 3);
    uint64_t count = fill_rows(place, 1 + round % 40, columns, &rows), head;
    uint64_t room = qn_packed_rows_bound(place, count);
    uint8_t *out = malloc(room + QN_ROWS_SLACK);
    assert_non_null(out);
    uint64_t bytes = qn_packed_rows_encode(place, &rows, count, out, &head);
    assert_true(head < bytes && bytes <= room);
    uint8_t *exact = malloc(bytes + 1 + QN_ROWS_SLACK);
    assert_non_null(exact);
    memset(exact, 0xA5, bytes + 1 + QN_ROWS_SLACK);
    memcpy(exact, out, bytes);
    assert_true(read_rows(place, exact, bytes, count, got_columns, &got));
    assert_int_equal(got.first_row, rows.first_row);
    assert_int_equal(got.num_rows, rows.num_rows);
    assert_true(got.after == rows.after);
    assert_memory_equal(got_degrees, degrees, rows.num_rows * sizeof *degrees);
    assert_memory_equal(got_columns, columns, count * sizeof *columns);
    assert_false(read_rows(place, exact, bytes + 1, count, got_columns, &got));
    assert_false(read_rows(place, exact, bytes - 1, count, got_columns, &got));
    assert_false(read_rows(place, exact, bytes / 2, count, got_columns, &got));
    assert_false(read_rows(place, exact, bytes, count + 1, got_columns, &got));
    for (unsigned forgery = 0; forgery < 300; forgery++) {
      uint64_t at = next_random() % (forgery % 2 ? bytes : head);
      exact[at] ^= (uint8_t)(1 + next_random() % 255);
      if (read_rows(place, exact, bytes, count, got_columns, &got))
        for (uint64_t i = 0; i < count; i++)
          assert_true(got_columns[i] < place->num_vertices &&
                      got_columns[i] >> place->span_log2 >= place->strip);
      exact[at] = out[at];
    }
    free(out);
    free(exact);
  }
}

static void assert_same_file(const char *a_path, const char *b_path) {
  size_t a_size, b_size;
  uint8_t *a = read_file(a_path, &a_size), *b = read_file(b_path, &b_size);
  assert_int_equal(a_size, b_size);
  assert_memory_equal(a, b, a_size);
  free(a);
  free(b);
}

static enum qn_status archive(const char *from, const char *to, int level) {
  struct qn_container *container;
  enum qn_status status = qn_container_map(from, 0, &container, &error);
  if (!status)
    status = qn_archive_write(container, to, true, level, &error);
  qn_container_unmap(container);
  return status;
}

static enum qn_status restore(const char *from, const char *to) {
  struct qn_container *container;
  enum qn_status status = qn_container_map(from, QN_MAP_ARCHIVE, &container, &error);
  if (!status)
    status = qn_archive_restore(container, to, true, &error);
  qn_container_unmap(container);
  return status;
}

static enum qn_status check(const char *path) {
  struct qn_container *container;
  enum qn_status status = qn_container_map(path, QN_MAP_ARCHIVE, &container, &error);
  if (!status)
    status = qn_container_check(container, &error);
  qn_container_unmap(container);
  return status;
}

/* A random graph of V vertices, symmetric or not, with loops and parallel edges, as a container. */
static void write_random_graph(const char *path, uint64_t vertices, uint64_t pairs, bool undirected,
                               enum qn_weight_type weights) {
  struct test_edge *edges = calloc(2 * pairs, sizeof *edges);
  uint64_t count = 0;
  assert_non_null(edges);
  for (uint64_t i = 0; i < pairs; i++) {
    uint32_t u = (uint32_t)(next_random() % vertices);
    uint32_t v = (uint32_t)(next_random() % (i % 3 ? vertices : vertices / 50 + 1));
    uint32_t weight = (uint32_t)(next_random() % 1000);
    edges[count++] = (struct test_edge){.source = u, .destination = v, .weight = weight};
    if (undirected && u != v)
      edges[count++] = (struct test_edge){.source = v, .destination = u, .weight = weight};
  }
  struct qn_graph graph = graph_from_edges(edges, count, vertices, weights);
  struct sample sample = {.num_vertices = vertices,
                          .num_edges = count,
                          .directedness = undirected ? QN_UNDIRECTED : QN_DIRECTED,
                          .weight_type = weights,
                          .row_offsets = graph.out.row_offsets,
                          .column_indices = graph.out.column_indices,
                          .weights = graph.out.weights.u32};
  assert_int_equal(write_sample(path, &sample, &error), QN_OK);
  assert_int_equal(check(path), QN_OK);
  qn_graph_unmap(&graph);
  free(edges);
}

TEST(restored_byte_for_byte) {
  const char *plain = scratch_path("plain.qrn"), *packed = scratch_path("packed.qrn");
  const char *back = scratch_path("back.qrn");
  static const enum qn_weight_type types[] = {QN_WEIGHT_NONE, QN_WEIGHT_U32, QN_WEIGHT_F64,
                                              QN_WEIGHT_I64, QN_WEIGHT_F32};
  for (unsigned i = 0; i < 12; i++) {
    write_random_graph(plain, i % 2 ? 2000 : 40000, i < 6 ? 3000 : 60000, i % 4 < 2, types[i % 5]);
    assert_int_equal(archive(plain, packed, 1 + (int)i), QN_OK);
    assert_int_equal(check(packed), QN_OK);
    assert_int_equal(restore(packed, back), QN_OK);
    assert_same_file(plain, back);
  }
}

TEST(same_bytes_for_any_threads) {
  write_random_graph(scratch_path("p.qrn"), 30000, 100000, true, QN_WEIGHT_U32);
  qn_threads_set(1);
  assert_int_equal(archive(scratch_path("p.qrn"), scratch_path("one.qrn"), 3), QN_OK);
  qn_threads_set(5);
  assert_int_equal(archive(scratch_path("p.qrn"), scratch_path("five.qrn"), 3), QN_OK);
  qn_threads_set(0);
  assert_same_file(scratch_path("one.qrn"), scratch_path("five.qrn"));
}

static enum qn_status keep_descriptor(void *context, int descriptor, struct qn_error *failure) {
  (void)failure;
  *(int *)context = dup(descriptor);
  return QN_OK;
}

/* What is written aside has the bytes of an archive, and leaves no name. */
TEST(written_aside) {
  struct qn_container *container;
  const char *plain = scratch_path("plain.qrn"), *packed = scratch_path("packed.qrn");
  char aside[64];
  int descriptor = -1;
  scratch_remove(NULL);
  assert_int_equal(mkdir(scratch_folder, 0700), 0);
  write_random_graph(plain, 2000, 3000, true, QN_WEIGHT_U32);
  assert_int_equal(archive(plain, packed, 3), QN_OK);
  assert_int_equal(qn_container_map(plain, 0, &container, &error), QN_OK);
  assert_int_equal(qn_archive_write_aside(container, scratch_path("aside"), 3, keep_descriptor,
                                          &descriptor, &error),
                   QN_OK);
  qn_container_unmap(container);
  assert_int_equal(names_in(scratch_folder), 2);
  snprintf(aside, sizeof aside, "/proc/self/fd/%d", descriptor);
  assert_same_file(packed, aside);
  close(descriptor);
}

static void keeps_only_a_triangle(enum qn_weight_type weights) {
  struct qn_container *container;
  write_random_graph(scratch_path("u.qrn"), 5000, 40000, true, weights);
  assert_int_equal(archive(scratch_path("u.qrn"), scratch_path("a.qrn"), 3), QN_OK);
  assert_int_equal(qn_container_map(scratch_path("a.qrn"), QN_MAP_ARCHIVE, &container, &error),
                   QN_OK);
  assert_true(qn_container_section(container, "column_indices")->upper);
  assert_true(qn_container_section(container, "weights")->upper);
  assert_null(qn_container_section(container, "weights")->data);
  qn_container_unmap(container);
  assert_int_equal(qn_container_map(scratch_path("a.qrn"), 0, &container, &error), QN_UNSUPPORTED);
  assert_non_null(strstr(error.message, "quern-archive extract"));
}

TEST(only_a_triangle_is_kept) {
  for (unsigned type = QN_WEIGHT_U32; type <= QN_WEIGHT_F64; type++)
    keeps_only_a_triangle((enum qn_weight_type)type);
}

static bool is_cut(const char *path) {
  struct qn_container *container;
  assert_int_equal(qn_container_map(path, QN_MAP_ARCHIVE, &container, &error), QN_OK);
  bool cut = qn_container_section(container, "column_indices")->strips;
  qn_container_unmap(container);
  return cut;
}

/* Neighbours that repeat from row to row are smaller as tokens, so that the triangle is not cut: it
 * comes back as those of older archives do. */
TEST(regular_rows) {
  enum { VERTICES = 70000, REACH = 4 };
  static uint64_t rows[VERTICES + 1];
  static uint32_t columns[2 * REACH * VERTICES];
  static int64_t weights[2 * REACH * VERTICES];
  uint64_t count = 0;
  for (uint32_t v = 0; v < VERTICES; v++) {
    for (uint32_t u = v < REACH ? 0 : v - REACH; u <= v + REACH && u < VERTICES; u++)
      if (u != v) {
        columns[count] = u;
        weights[count++] = (int64_t)((u + v) % 11) - 5;
      }
    rows[v + 1] = count;
  }
  struct sample sample = {.num_vertices = VERTICES,
                          .num_edges = count,
                          .directedness = QN_UNDIRECTED,
                          .weight_type = QN_WEIGHT_I64,
                          .row_offsets = rows,
                          .column_indices = columns,
                          .weights = weights};
  assert_int_equal(write_sample(scratch_path("r.qrn"), &sample, &error), QN_OK);
  assert_int_equal(archive(scratch_path("r.qrn"), scratch_path("ra.qrn"), 3), QN_OK);
  assert_false(is_cut(scratch_path("ra.qrn")));
  for (unsigned threads = 1; threads <= 5; threads += 2) {
    qn_threads_set(threads);
    assert_int_equal(restore(scratch_path("ra.qrn"), scratch_path("rb.qrn")), QN_OK);
    assert_same_file(scratch_path("r.qrn"), scratch_path("rb.qrn"));
  }
  qn_threads_set(0);
}

/* More vertices than a few strips, on more threads than processors. */
TEST(many_strips) {
  write_random_graph(scratch_path("s.qrn"), 60000, 900000, true, QN_WEIGHT_F64);
  assert_int_equal(archive(scratch_path("s.qrn"), scratch_path("sa.qrn"), 1), QN_OK);
  assert_true(is_cut(scratch_path("sa.qrn")));
  for (unsigned threads = 1; threads <= 7; threads += 3) {
    qn_threads_set(threads);
    assert_int_equal(restore(scratch_path("sa.qrn"), scratch_path("sb.qrn")), QN_OK);
    assert_same_file(scratch_path("s.qrn"), scratch_path("sb.qrn"));
    assert_int_equal(check(scratch_path("sa.qrn")), QN_OK);
  }
  qn_threads_set(0);
}

/* Parallel edges in another order in one direction: no triangle, but still byte for byte. */
TEST(unmirrored_multi_edges) {
  enum { PAIRS = 2000 };
  static uint64_t rows[2 * PAIRS + 1];
  static uint32_t columns[4 * PAIRS], weights[4 * PAIRS];
  for (uint32_t v = 0; v < 2 * PAIRS; v++) {
    rows[v + 1] = rows[v] + 2;
    columns[2 * v] = columns[2 * v + 1] = v ^ 1;
    weights[2 * v] = v % 2 ? 7 : 9;
    weights[2 * v + 1] = v % 2 ? 9 : 7;
  }
  struct sample sample = {.num_vertices = 2 * PAIRS,
                          .num_edges = 4 * PAIRS,
                          .directedness = QN_UNDIRECTED,
                          .weight_type = QN_WEIGHT_U32,
                          .row_offsets = rows,
                          .column_indices = columns,
                          .weights = weights};
  assert_int_equal(write_sample(scratch_path("m.qrn"), &sample, &error), QN_OK);
  assert_int_equal(archive(scratch_path("m.qrn"), scratch_path("ma.qrn"), 3), QN_OK);
  assert_int_equal(restore(scratch_path("ma.qrn"), scratch_path("mb.qrn")), QN_OK);
  assert_same_file(scratch_path("m.qrn"), scratch_path("mb.qrn"));
}

/* ---- Pages --------------------------------------------------------------------- */

static void write_pages(const char *path, const struct qn_graph *graph,
                        struct qn_page_address address, uint64_t page_bytes) {
  const struct qn_page_options options = {.address = address, .page_bytes = page_bytes};
  if (build_layout(QN_LAYOUT_SLOTTED_PAGES, &options, graph, path, &error))
      fail_msg("%s", error.message);
  assert_int_equal(check(path), QN_OK);
}

/* Rows of every `step`-th vertex from the row's own on: the same tokens in each. */
static struct qn_graph regular_graph(uint32_t num_vertices, enum qn_weight_type weights) {
  struct test_edge *edges = calloc(8u * num_vertices, sizeof *edges);
  uint64_t count = 0;
  assert_non_null(edges);
  for (uint32_t v = 0; v < num_vertices; v++)
    for (uint32_t i = 1; i <= 8 && v + 3 * i < num_vertices; i++)
      edges[count++] =
          (struct test_edge){.source = v, .destination = v + 3 * i, .weight = (v + i) % 7};
  struct qn_graph graph = graph_from_edges(edges, count, num_vertices, weights);
  free(edges);
  return graph;
}

static uint8_t filter_of_pages(const char *path) {
  struct qn_container *container;
  assert_int_equal(qn_container_map(path, QN_MAP_ARCHIVE, &container, &error), QN_OK);
  uint8_t filter = qn_container_section(container, "pages")->filter;
  bool told = qn_container_info(container)->incompatible_features & QN_FEATURE_PAGES;
  assert_int_equal(told, qn_filter_is_of_pages(filter));
  qn_container_unmap(container);
  return filter;
}

/* There and back, the same bytes on any number of threads. */
static void check_pages(const struct qn_graph *graph, struct qn_page_address address,
                        uint64_t page_bytes, enum qn_filter filter) {
  const char *plain = scratch_path("pages.qrn"), *packed = scratch_path("pages-a.qrn");
  const char *again = scratch_path("pages-b.qrn"), *back = scratch_path("pages-c.qrn");
  write_pages(plain, graph, address, page_bytes);
  qn_threads_set(1);
  assert_int_equal(archive(plain, packed, 2), QN_OK);
  qn_threads_set(5);
  assert_int_equal(archive(plain, again, 2), QN_OK);
  assert_same_file(packed, again);
  assert_int_equal(filter_of_pages(packed), filter);
  for (unsigned threads = 1; threads <= 5; threads += 2) {
    qn_threads_set(threads);
    assert_int_equal(restore(packed, back), QN_OK);
    assert_same_file(plain, back);
    assert_int_equal(check(packed), QN_OK);
  }
  qn_threads_set(0);
}

static const struct qn_page_address PAGE_ADDRESSES[] = {{2, 2}, {3, 3}, {2, 4}, {4, 2}};

/* Frames that are chunks, that are not, of many pages, of one, and of a page of several chunks;
 * rows on large pages; more groups in a bucket than one. */
TEST(pages_byte_for_byte) {
  static const uint64_t sizes[] = {1 << 12, 60000, 1 << 20, (1 << 20) + 4096, 3 << 20};
  for (unsigned i = 0; i < 4; i++)
    for (unsigned size = 0; size < 5; size++) {
      enum qn_weight_type weights = (enum qn_weight_type)((i + size) % 3);
      if (sizes[size] > qn_page_bytes_limit(PAGE_ADDRESSES[i]))
        continue;
      struct qn_graph graph = random_graph(40000, 300000, weights, size % 2 ? 3 : 0, i + 10 * size);
      check_pages(&graph, PAGE_ADDRESSES[i], sizes[size], QN_FILTER_PAGE_ROWS);
      qn_graph_unmap(&graph);
      graph = regular_graph(50000, weights);
      check_pages(&graph, PAGE_ADDRESSES[i], sizes[size], QN_FILTER_PAGE_GAPS);
      qn_graph_unmap(&graph);
    }
}

/* The smallest pages, each of one edge; pages without edges; pages too large for the filters. */
TEST(pages_of_extremes) {
  struct qn_graph graph = random_graph(3000, 20000, QN_WEIGHT_U32, 3, 5);
  check_pages(&graph, PAGE_ADDRESSES[1], 24, QN_FILTER_PAGE_GAPS);
  check_pages(&graph, PAGE_ADDRESSES[2], QN_ARCHIVE_PAGE_LIMIT + 4, QN_FILTER_NONE);
  qn_graph_unmap(&graph);
  graph = graph_from_edges(NULL, 0, 5000, QN_WEIGHT_NONE);
  check_pages(&graph, PAGE_ADDRESSES[0], 512, QN_FILTER_PAGE_GAPS);
  qn_graph_unmap(&graph);
}

/* ---- Damage -------------------------------------------------------------------- */

/* The archive packed.qrn is restored nowhere but where it is whole. */
static void damage_everywhere(void) {
  size_t size;
  const char *packed = scratch_path("packed.qrn"), *damaged = scratch_path("damaged.qrn"),
             *never = scratch_path("never.qrn");
  uint8_t *bytes = read_file(packed, &size);
  write_file(damaged, bytes, size);
  FILE *file = fopen(damaged, "r+b");
  assert_non_null(file);
  for (size_t i = 0; i < size; i += i % 4096 < 512 ? 13 : 67) {
    uint8_t flipped = bytes[i] ^ (uint8_t)(1u << (i % 8));
    fseek(file, (long)i, SEEK_SET);
    fwrite(&flipped, 1, 1, file);
    fflush(file);
    enum qn_status status = restore(damaged, never);
    if (status != QN_INVALID && status != QN_UNSUPPORTED)
      fail_msg("byte %zu changed: status %d", i, status);
    assert_int_equal(access(never, F_OK), -1);
    fseek(file, (long)i, SEEK_SET);
    fwrite(&bytes[i], 1, 1, file);
  }
  fclose(file);
  free(bytes);
}

TEST(every_damage_is_found) {
  write_random_graph(scratch_path("plain.qrn"), 1500, 6000, true, QN_WEIGHT_NONE);
  assert_int_equal(archive(scratch_path("plain.qrn"), scratch_path("packed.qrn"), 3), QN_OK);
  damage_everywhere();
  struct qn_graph graph = random_graph(900, 3000, QN_WEIGHT_U32, 3, 5);
  write_pages(scratch_path("plain.qrn"), &graph, PAGE_ADDRESSES[1], 512);
  assert_int_equal(archive(scratch_path("plain.qrn"), scratch_path("packed.qrn"), 3), QN_OK);
  damage_everywhere();
  qn_graph_unmap(&graph);
}

/* Some bits of zstd's mean nothing: then what was archived comes back. */
static bool is_refused(const char *forged) {
  enum qn_status status = check(forged);
  if (status) {
    assert_int_equal(status, QN_INVALID);
    return true;
  }
  assert_int_equal(restore(forged, scratch_path("back.qrn")), QN_OK);
  assert_same_file(scratch_path("plain.qrn"), scratch_path("back.qrn"));
  return false;
}

/* Noise in an encoded section under right checksums: only the decoder stands between. */
static void forge_frames(uint64_t step) {
  size_t size;
  uint64_t tried = 0, refused = 0;
  struct qn_container *container;
  const char *packed = scratch_path("packed.qrn"), *forged = scratch_path("forged.qrn");
  uint8_t *bytes = read_file(packed, &size);
  write_file(forged, bytes, size);
  uint64_t live = qn_memory_live();
  assert_int_equal(qn_container_map(packed, QN_MAP_ARCHIVE, &container, &error), QN_OK);
  for (uint32_t s = 0; s < qn_container_info(container)->num_sections; s++) {
    const struct qn_section *section = qn_container_section_at(container, s);
    for (uint64_t i = 0; section->codec && i < section->stored_bytes; i += i < 80 ? 1 : step) {
      uint8_t *copy = malloc(size);
      assert_non_null(copy);
      memcpy(copy, bytes, size);
      copy[section->offset + i] ^= (uint8_t)(1 + next_random() % 255);
      seal_sections(copy, size);
      seal_frame(copy, size);
      write_file(forged, copy, size);
      free(copy);
      tried++;
      refused += is_refused(forged);
    }
  }
  qn_container_unmap(container);
  assert_int_equal(qn_memory_live(), live);
  assert_true(refused > tried - tried / 50);
  free(bytes);
}

static void forge_graph(uint64_t vertices, uint64_t pairs, bool undirected,
                        enum qn_weight_type weights, bool cut, uint64_t step) {
  const char *plain = scratch_path("plain.qrn"), *packed = scratch_path("packed.qrn");
  write_random_graph(plain, vertices, pairs, undirected, weights);
  assert_int_equal(archive(plain, packed, 3), QN_OK);
  assert_int_equal(is_cut(packed), cut);
  forge_frames(step);
}

TEST(forged_frames_are_refused) {
  forge_graph(1500, 6000, false, QN_WEIGHT_NONE, false, 41);
  forge_graph(1500, 6000, true, QN_WEIGHT_NONE, true, 41);
  forge_graph(900, 15000, true, QN_WEIGHT_U32, true, 331);
  forge_graph(900, 8000, true, QN_WEIGHT_I64, true, 331);
}

TEST(forged_pages_are_refused) {
  const char *plain = scratch_path("plain.qrn"), *packed = scratch_path("packed.qrn");
  struct qn_graph graph = random_graph(900, 5000, QN_WEIGHT_F32, 3, 5);
  write_pages(plain, &graph, PAGE_ADDRESSES[1], 24); /* the RVT is encoded too */
  assert_int_equal(archive(plain, packed, 3), QN_OK);
  forge_frames(41);
  qn_graph_unmap(&graph);
  graph = regular_graph(2000, QN_WEIGHT_NONE);
  write_pages(plain, &graph, PAGE_ADDRESSES[0], 4096);
  assert_int_equal(archive(plain, packed, 3), QN_OK);
  forge_frames(1);
  qn_graph_unmap(&graph);
}

enum { FORGED_VERTICES = 1800, FORGED_STRIPS = 8, FORGED_COUNT = 900 };

/* Numbers that add up to `total`. */
static void random_parts(uint32_t *parts, uint32_t num_parts, uint32_t total) {
  memset(parts, 0, num_parts * sizeof *parts);
  for (uint32_t i = 0; i < total; i++)
    parts[next_random() % num_parts]++;
}

/* What decoding promises of rows, and nothing more. */
static enum qn_status read_forged(void *context, uint64_t frame, struct qn_archive_rows *rows,
                                  const void **weights, struct qn_error *failure) {
  static uint32_t degrees[256], tiles[FORGED_STRIPS], columns[FORGED_COUNT];
  static uint64_t values[FORGED_COUNT];
  const struct qn_strips *strips = context;
  const struct qn_strip_frame *cut = &strips->frames[frame];
  uint32_t first = cut->strip << strips->span_log2;
  (void)failure;
  *rows =
      (struct qn_archive_rows){.first_row = (uint32_t)(next_random() % 4),
                               .num_rows = 1 + (uint32_t)(next_random() % 4),
                               .after = next_random() % 3 ? 0 : next_random() << next_random() % 40,
                               .degrees = degrees,
                               .tiles = tiles,
                               .columns = columns};
  random_parts(degrees, rows->num_rows, cut->count);
  memset(tiles, 0, sizeof tiles);
  for (uint32_t i = 0; i < cut->count; i++) {
    columns[i] = first + (uint32_t)(next_random() % (FORGED_VERTICES - first));
    tiles[(columns[i] >> strips->span_log2) - cut->strip]++;
  }
  if (next_random() % 3 == 0)
    random_parts(tiles, FORGED_STRIPS - cut->strip, cut->count);
  *weights = values;
  return QN_OK;
}

static enum qn_status put_nothing(void *context, bool weights, const void *values, uint64_t count,
                                  uint64_t first, const bool *stop, struct qn_error *failure) {
  (void)context, (void)weights, (void)first, (void)stop, (void)failure;
  assert_non_null(values);
  assert_true(count > 0);
  return QN_OK;
}

static enum qn_status say_misfit(void *context, struct qn_error *failure) {
  (void)context, (void)failure;
  return QN_INVALID;
}

/* Frames that contradict each other and the row offsets touch no memory but their own. */
TEST(forged_triangles) {
  static uint64_t rows[FORGED_VERTICES + 1];
  static struct qn_strip_frame frames[2 * FORGED_STRIPS + 1];
  unsigned refused = 0, done = 0;
  random_state = 1;
  qn_threads_set(1);
  for (unsigned round = 0; round < 300; round++) {
    struct qn_strips strips = {.num_vertices = FORGED_VERTICES,
                               .span_log2 = 8,
                               .num_strips = FORGED_STRIPS,
                               .frames = frames};
    for (uint32_t strip = 0; strip < FORGED_STRIPS; strip++)
      for (unsigned i = next_random() % 2; i < 2; i++) {
        uint32_t count = (uint32_t)(next_random() % (round % 2 ? 4 : FORGED_COUNT));
        frames[strips.num_frames++] = (struct qn_strip_frame){strips.num_elements, strip, count};
        strips.num_elements += count;
      }
    frames[strips.num_frames] = (struct qn_strip_frame){strips.num_elements, FORGED_STRIPS, 0};
    for (uint32_t v = 0; v < FORGED_VERTICES; v++)
      rows[v + 1] = rows[v] + (v % 256 < 8 ? next_random() % 900 : next_random() % 3);
    struct qn_mirror mirror = {.num_edges = rows[FORGED_VERTICES],
                               .row_offsets = rows,
                               .strips = &strips,
                               .weight_bytes = round % 3 * 4,
                               .context = &strips,
                               .read = read_forged,
                               .put = put_nothing,
                               .misfit = say_misfit};
    enum qn_status status = qn_mirror_restore(&mirror, &error);
    refused += status == QN_INVALID;
    done += status == QN_OK;
  }
  qn_threads_set(0);
  assert_int_equal(refused + done, 300);
  assert_true(refused > 0 && done > 0);
}

/* Archiving and restoring `plain.qrn`, with every allocation failing once. */
static void fail_all_allocations(void) {
  uint64_t live = qn_memory_live();
  qn_threads_set(1);
  for (uint64_t n = 1;; n++) {
    qn_memory_fail_nth(n);
    enum qn_status status = archive(scratch_path("plain.qrn"), scratch_path("a.qrn"), 1);
    if (!status)
      status = restore(scratch_path("a.qrn"), scratch_path("b.qrn"));
    qn_memory_fail_nth(0);
    assert_int_equal(qn_memory_live(), live);
    if (!status)
      break;
    assert_int_equal(status, QN_SYSTEM);
  }
  qn_threads_set(0);
  assert_same_file(scratch_path("plain.qrn"), scratch_path("b.qrn"));
}

TEST(allocation_failures) {
  write_random_graph(scratch_path("plain.qrn"), 1500, 6000, true, QN_WEIGHT_F64);
  fail_all_allocations();
  struct qn_graph graph = random_graph(900, 5000, QN_WEIGHT_F32, 3, 5);
  write_pages(scratch_path("plain.qrn"), &graph, PAGE_ADDRESSES[1], 24);
  fail_all_allocations();
  qn_graph_unmap(&graph);
}

TEST_MAIN(scratch_create, scratch_remove)
