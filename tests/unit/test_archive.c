/* The archive form: every filter both ways, byte-identical restoring, damage refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/archive.h"
#include "formats/archive_filter.h"
#include "formats/varint.h"
#include "helpers/random_graph.h"
#include "helpers/sample_graph.h"
#include "helpers/scratch.h"
#include "helpers/seal.h"
#include "support/memory.h"
#include "support/threads.h"

static struct qn_error error;

static uint64_t random_state = 1;

static uint64_t next_random(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return random_state >> 20;
}

/* Of all lengths, in memory that ends where they do; cut anywhere they are refused. */
static void varints(void **state) {
  (void)state;
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
static void long_varints(void **state) {
  (void)state;
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

static void filters(void **state) {
  (void)state;
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
static void filters_survive_noise(void **state) {
  (void)state;
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

static void restored_byte_for_byte(void **state) {
  (void)state;
  const char *plain = scratch_path("plain.qrn"), *packed = scratch_path("packed.qrn");
  const char *back = scratch_path("back.qrn");
  for (unsigned i = 0; i < 12; i++) {
    write_random_graph(plain, i % 2 ? 2000 : 40000, i < 6 ? 3000 : 60000, i % 4 < 2,
                       i % 3 ? QN_WEIGHT_U32 : QN_WEIGHT_NONE);
    assert_int_equal(archive(plain, packed, 1 + (int)i), QN_OK);
    assert_int_equal(check(packed), QN_OK);
    assert_int_equal(restore(packed, back), QN_OK);
    assert_same_file(plain, back);
  }
}

static void same_bytes_for_any_threads(void **state) {
  (void)state;
  write_random_graph(scratch_path("p.qrn"), 30000, 100000, true, QN_WEIGHT_U32);
  qn_threads_set(1);
  assert_int_equal(archive(scratch_path("p.qrn"), scratch_path("one.qrn"), 3), QN_OK);
  qn_threads_set(5);
  assert_int_equal(archive(scratch_path("p.qrn"), scratch_path("five.qrn"), 3), QN_OK);
  qn_threads_set(0);
  assert_same_file(scratch_path("one.qrn"), scratch_path("five.qrn"));
}

static void only_a_triangle_is_kept(void **state) {
  (void)state;
  struct qn_container *container;
  write_random_graph(scratch_path("u.qrn"), 5000, 40000, true, QN_WEIGHT_U32);
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

/* Parallel edges in another order in one direction: no triangle, but still byte for byte. */
static void unmirrored_multi_edges(void **state) {
  (void)state;
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

static void every_damage_is_found(void **state) {
  (void)state;
  size_t size;
  const char *packed = scratch_path("packed.qrn"), *damaged = scratch_path("damaged.qrn");
  const char *never = scratch_path("never.qrn");
  write_random_graph(never, 1500, 6000, true, QN_WEIGHT_NONE);
  assert_int_equal(archive(never, packed, 3), QN_OK);
  assert_int_equal(unlink(never), 0);
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

/* Noise in an encoded section under right checksums: only the decoder stands between. */
static void forged_frames_are_refused(void **state) {
  (void)state;
  size_t size;
  struct qn_container *container;
  const char *packed = scratch_path("packed.qrn"), *forged = scratch_path("forged.qrn");
  const char *plain = scratch_path("plain.qrn");
  write_random_graph(plain, 1500, 6000, true, QN_WEIGHT_NONE);
  assert_int_equal(archive(plain, packed, 3), QN_OK);
  uint8_t *bytes = read_file(packed, &size);
  write_file(forged, bytes, size);
  uint64_t live = qn_memory_live();
  assert_int_equal(qn_container_map(packed, QN_MAP_ARCHIVE, &container, &error), QN_OK);
  for (uint32_t s = 0; s < qn_container_info(container)->num_sections; s++) {
    const struct qn_section *section = qn_container_section_at(container, s);
    for (uint64_t i = 0; section->codec && i < section->stored_bytes; i += i < 48 ? 1 : 41) {
      uint8_t *copy = malloc(size);
      assert_non_null(copy);
      memcpy(copy, bytes, size);
      copy[section->offset + i] ^= (uint8_t)(1 + next_random() % 255);
      seal_sections(copy, size);
      seal_frame(copy, size);
      write_file(forged, copy, size);
      free(copy);
      assert_int_equal(check(forged), QN_INVALID);
    }
  }
  qn_container_unmap(container);
  assert_int_equal(qn_memory_live(), live);
  free(bytes);
}

static void allocation_failures(void **state) {
  (void)state;
  write_random_graph(scratch_path("plain.qrn"), 1500, 6000, true, QN_WEIGHT_U32);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(varints),
      cmocka_unit_test(long_varints),
      cmocka_unit_test(filters),
      cmocka_unit_test(filters_survive_noise),
      cmocka_unit_test(restored_byte_for_byte),
      cmocka_unit_test(same_bytes_for_any_threads),
      cmocka_unit_test(only_a_triangle_is_kept),
      cmocka_unit_test(unmirrored_multi_edges),
      cmocka_unit_test(every_damage_is_found),
      cmocka_unit_test(forged_frames_are_refused),
      cmocka_unit_test(allocation_failures),
  };
  return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
