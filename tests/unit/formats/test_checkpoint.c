/* The checkpoint layout: what is written comes back, and every rule is broken once. */
#include <string.h>

#include "formats/layouts/checkpoint.h"
#include "helpers/forge.h"
#include "helpers/test.h"
#include "support/memory.h"

static struct qn_error error;

static const char RUN[] = "{\"algorithm\":\"bfs\"}";

/* Values of three bytes, to see that no width is taken for granted. */
static struct qn_checkpoint sample(uint64_t num_vertices, const uint64_t *bits) {
  static const uint64_t registers[QN_CHECKPOINT_REGISTERS] = {7, 1, 2, 3};
  static char values[3 * 200];
  for (size_t i = 0; i < sizeof values; i++)
    values[i] = (char)(5 * i + 1);
  return (struct qn_checkpoint){.graph_identity = 0x1234567890abcdef,
                                .graph_layout = QN_LAYOUT_SHARDS,
                                .num_vertices = num_vertices,
                                .num_edges = 1000,
                                .weight_type = QN_WEIGHT_F32,
                                .directedness = QN_UNDIRECTED,
                                .run = RUN,
                                .run_bytes = sizeof RUN - 1,
                                .registers = registers,
                                .end = num_vertices,
                                .value_bytes = 3,
                                .values = values,
                                .active = bits,
                                .waiting = bits};
}

static void comes_back(uint64_t num_vertices, const uint64_t *bits) {
  struct qn_checkpoint written = sample(num_vertices, bits), read;
  struct qn_container *container;
  const char *path = scratch_path("checkpoint.qrn");
  uint64_t words = (num_vertices + 63) / 64;
  assert_int_equal(qn_checkpoint_write(path, &written, NULL, &error), QN_OK);
  assert_int_equal(verify_container(path, &error), QN_OK);
  assert_int_equal(qn_container_map(path, 0, &container, &error), QN_OK);
  assert_int_equal(qn_checkpoint_view(container, &read, &error), QN_OK);
  assert_true(read.graph_identity == written.graph_identity);
  assert_int_equal(read.graph_layout, written.graph_layout);
  assert_int_equal(read.num_vertices, num_vertices);
  assert_int_equal(read.num_edges, 1000);
  assert_int_equal(read.weight_type, QN_WEIGHT_F32);
  assert_int_equal(read.directedness, QN_UNDIRECTED);
  assert_int_equal(read.run_bytes, sizeof RUN - 1);
  assert_memory_equal(read.run, RUN, sizeof RUN - 1);
  assert_memory_equal(read.registers, written.registers, 8 * QN_CHECKPOINT_REGISTERS);
  assert_int_equal(read.value_bytes, 3);
  if (num_vertices)
    assert_memory_equal(read.values, written.values, 3 * num_vertices);
  assert_int_equal(read.active == NULL, bits == NULL || num_vertices == 0);
  if (bits && num_vertices) {
    assert_memory_equal(read.active, bits, 8 * words);
    assert_memory_equal(read.waiting, bits, 8 * words);
  }
  qn_container_unmap(container);
}

TEST(checkpoints_come_back) {
  static const uint64_t bits[4] = {~(uint64_t)0, 5, (uint64_t)1 << 62, 0x7f};
  uint64_t live = qn_memory_live();
  comes_back(0, NULL);
  comes_back(1, NULL);
  comes_back(64, bits);
  comes_back(199, bits);
  comes_back(200, NULL);
  assert_int_equal(qn_memory_live(), live);
}

/* The vertices [70, 130) of 199: their bits are in two words, of which the first is of vertex 64.
 */
TEST(parts_come_back) {
  static const uint64_t bits[2] = {~(uint64_t)0 << 6, 3};
  const struct qn_checkpoint_part parts[] = {{0, 70, 5}, {70, 130, 6}, {130, 199, 7}};
  struct qn_checkpoint written = sample(199, bits), read;
  struct qn_container *container;
  uint64_t identity, live = qn_memory_live();
  char path[512];
  snprintf(path, sizeof path, "%s", scratch_path("part.qrn"));
  written.begin = 70;
  written.end = 130;
  assert_int_equal(qn_checkpoint_write(path, &written, &identity, &error), QN_OK);
  assert_int_equal(verify_container(path, &error), QN_OK);
  assert_int_equal(qn_container_map(path, 0, &container, &error), QN_OK);
  assert_true(qn_container_info(container)->header_checksum == identity);
  assert_int_equal(qn_checkpoint_view(container, &read, &error), QN_OK);
  assert_int_equal(read.begin, 70);
  assert_int_equal(read.end, 130);
  assert_memory_equal(read.values, written.values, (130 - 70) * 3);
  assert_memory_equal(read.waiting, bits, sizeof bits);
  qn_container_unmap(container);
  FORGERY_REFUSED(path, "K-5", {"active", 0, (uint64_t)1 << 5});
  FORGERY_REFUSED(path, "K-5", {"active", 1, 1 << 2});
  FORGERY_REFUSED(path, "K-6", {NULL, 3, 70});
  FORGERY_REFUSED(path, "K-6", {NULL, 3, 200});
  FORGERY_REFUSED(path, "K-4", {NULL, 2, 71});

  written.is_list = true;
  written.parts = parts;
  written.num_parts = 3;
  assert_int_equal(qn_checkpoint_write(path, &written, NULL, &error), QN_OK);
  assert_int_equal(verify_container(path, &error), QN_OK);
  assert_int_equal(qn_container_map(path, 0, &container, &error), QN_OK);
  assert_int_equal(qn_checkpoint_view(container, &read, &error), QN_OK);
  assert_true(read.is_list);
  assert_int_equal(read.num_parts, 3);
  assert_memory_equal(read.parts, parts, sizeof parts);
  assert_null(read.values);
  assert_null(read.active);
  qn_container_unmap(container);
  FORGERY_REFUSED(path, "K-6", {NULL, 3, 199});
  FORGERY_REFUSED(path, "K-7", {"parts", 0, 1});
  FORGERY_REFUSED(path, "K-7", {"parts", 3, 71});
  FORGERY_REFUSED(path, "K-7", {"parts", 7, 198});
  assert_int_equal(qn_memory_live(), live);
}

TEST(rules_are_kept) {
  static const uint64_t bits[4] = {1, 2, 3, 1};
  struct qn_checkpoint checkpoint = sample(193, bits);
  char path[512]; /* forging names other files */
  snprintf(path, sizeof path, "%s", scratch_path("whole.qrn"));
  assert_int_equal(qn_checkpoint_write(path, &checkpoint, NULL, &error), QN_OK);
  assert_int_equal(verify_container(path, &error), QN_OK);
  FORGERY_REFUSED(path, "K-1", {NULL, 1, 0});
  FORGERY_REFUSED(path, "K-1", {NULL, 1, QN_LAYOUT_CHECKPOINT});
  FORGERY_REFUSED(path, "K-6", {NULL, 2, 1});
  FORGERY_REFUSED(path, "C-6", {NULL, 4, 1});
  FORGERY_REFUSED(path, "K-2", {"run", 0, '['});
  FORGERY_REFUSED(path, "K-2", {"run", sizeof RUN - 2, ' '});
  FORGERY_REFUSED(path, "K-3", {"registers", 0, 0});
  FORGERY_REFUSED(path, "K-3", {"registers", 0, (uint64_t)1 << 32});
  FORGERY_REFUSED(path, "K-5", {"active", 3, 2});
  FORGERY_REFUSED(path, "K-5", {"waiting", 3, (uint64_t)1 << 63});
}

/* K-4: no values, or not one a vertex. */
TEST(values_are_required) {
  const char *path = scratch_path("without.qrn");
  for (uint64_t count = 0; count < 2; count++) {
    struct qn_writer *writer;
    uint64_t *registers;
    char *values;
    assert_int_equal(qn_writer_create(path, true, &writer, &error), QN_OK);
    struct qn_container_info *info = qn_writer_info(writer);
    info->layout = QN_LAYOUT_CHECKPOINT;
    info->num_vertices = 5;
    info->parameters[1] = QN_LAYOUT_GRAPH;
    struct qn_section_spec run = {"run", QN_ELEMENT_TEXT, 1, sizeof RUN - 1, 0, false};
    assert_int_equal(qn_writer_section_from(writer, &run, RUN, &error), QN_OK);
    struct qn_section_spec numbers = {"registers", QN_ELEMENT_UNSIGNED, 8, 16, 0, false};
    assert_int_equal(qn_writer_section(writer, &numbers, &registers, &error), QN_OK);
    registers[0] = 1;
    struct qn_section_spec records = {"values", QN_ELEMENT_OPAQUE, 4, 4, 0, false};
    if (count)
      assert_int_equal(qn_writer_section(writer, &records, &values, &error), QN_OK);
    assert_int_equal(qn_writer_commit(writer, &error), QN_OK);
    assert_int_equal(verify_container(path, &error), QN_INVALID);
    assert_non_null(strstr(error.message, "K-4:"));
  }
}

/* Every allocation fails in turn: an error, nothing left, and the checkpoint before is whole. */
TEST(failures_leave_the_old_one) {
  static const uint64_t bits[4] = {1, 2, 3, 1};
  struct qn_checkpoint checkpoint = sample(193, bits);
  const char *path = scratch_path("kept.qrn");
  uint64_t live = qn_memory_live();
  assert_int_equal(qn_checkpoint_write(path, &checkpoint, NULL, &error), QN_OK);
  enum qn_status status = QN_SYSTEM;
  for (uint64_t n = 1; status; n++) {
    qn_memory_fail_nth(n);
    status = qn_checkpoint_write(path, &checkpoint, NULL, &error);
    qn_memory_fail_nth(0);
    assert_true(status == QN_OK || status == QN_SYSTEM);
    assert_int_equal(qn_memory_live(), live);
    assert_int_equal(verify_container(path, &error), QN_OK);
  }
}

TEST_MAIN(scratch_create, scratch_remove)
