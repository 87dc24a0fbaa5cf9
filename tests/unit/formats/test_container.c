/* Containers: what is written is read back, and any damage is refused. */
#include <errno.h>
#include <xxhash.h>

#include "formats/container/container_disk.h"
#include "formats/container/hash.h"
#include "helpers/sample_graph.h"
#include "helpers/scratch.h"
#include "helpers/seal.h"
#include "helpers/test.h"
#include "support/atomic_file.h"
#include "support/memory.h"
#include <quern/container.h>

static struct qn_error error;

static enum qn_status map_and_verify(const char *path) {
  const struct qn_layout_operations *operations;
  struct qn_container *container;
  enum qn_status status = qn_container_map(path, 0, &container, &error);
  if (status)
    return status;
  status = qn_container_verify(container, &error);
  if (!status)
    status = qn_layout_operations(container, &operations, &error);
  if (!status)
    status = operations->verify(container, &error);
  qn_container_unmap(container);
  return status;
}

static uint8_t *write_and_read_sample(const char *path, size_t *size) {
  struct sample sample = sample_graph();
  assert_int_equal(write_sample(path, &sample, &error), QN_OK);
  return read_file(path, size);
}

TEST(round_trip) {
  const char *path = scratch_path("sample.qrn");
  struct sample sample = sample_graph();
  struct qn_graph graph;
  assert_int_equal(write_sample(path, &sample, &error), QN_OK);
  assert_int_equal(map_and_verify(path), QN_OK);
  assert_int_equal(qn_graph_map(path, &graph, &error), QN_OK);
  assert_int_equal(graph.out.num_vertices, 4);
  assert_int_equal(graph.out.num_edges, 5);
  assert_memory_equal(graph.out.row_offsets, SAMPLE_ROWS, sizeof SAMPLE_ROWS);
  assert_memory_equal(graph.out.column_indices, SAMPLE_COLUMNS, sizeof SAMPLE_COLUMNS);
  assert_memory_equal(graph.out.weights.u32, SAMPLE_WEIGHTS, sizeof SAMPLE_WEIGHTS);
  assert_true(graph.has_transpose);
  assert_memory_equal(graph.in.column_indices, SAMPLE_IN_COLUMNS, sizeof SAMPLE_IN_COLUMNS);
  uint32_t vertex;
  assert_int_equal(qn_ids_find(&graph.ids, "4000000000000", &vertex, &error), QN_OK);
  assert_int_equal(vertex, 3);
  assert_int_equal(qn_ids_find(&graph.ids, "11", &vertex, &error), QN_USAGE);
  assert_int_equal(qn_ids_find(&graph.ids, "x", &vertex, &error), QN_USAGE);
  qn_graph_unmap(&graph);
}

TEST(empty_graphs) {
  static const uint64_t rows[] = {0, 0, 0};
  for (uint64_t vertices = 0; vertices <= 2; vertices++) {
    struct sample sample = {.num_vertices = vertices, .row_offsets = rows};
    assert_int_equal(write_sample(scratch_path("empty.qrn"), &sample, &error), QN_OK);
    assert_int_equal(map_and_verify(scratch_path("empty.qrn")), QN_OK);
  }
}

TEST(same_bytes_every_time) {
  size_t size_a, size_b;
  uint8_t *a = write_and_read_sample(scratch_path("a.qrn"), &size_a);
  uint8_t *b = write_and_read_sample(scratch_path("b.qrn"), &size_b);
  assert_int_equal(size_a, size_b);
  assert_memory_equal(a, b, size_a);
  free(a);
  free(b);
}

/* Whatever byte of the file is changed, the container is refused. */
TEST(every_byte_matters) {
  size_t size;
  uint8_t *bytes = write_and_read_sample(scratch_path("sample.qrn"), &size);
  const char *damaged = scratch_path("damaged.qrn");
  write_file(damaged, bytes, size);
  FILE *file = fopen(damaged, "r+b");
  assert_non_null(file);
  for (size_t i = 0; i < size; i++) {
    uint8_t flipped = bytes[i] ^ (uint8_t)(1u << (i % 8));
    assert_int_equal(fseek(file, (long)i, SEEK_SET), 0);
    fwrite(&flipped, 1, 1, file);
    fflush(file);
    enum qn_status status = map_and_verify(damaged);
    if (status != QN_INVALID && status != QN_UNSUPPORTED)
      fail_msg("byte %zu changed: status %d", i, status);
    fseek(file, (long)i, SEEK_SET);
    fwrite(&bytes[i], 1, 1, file);
  }
  fclose(file);
  assert_int_equal(map_and_verify(damaged), QN_OK);
  free(bytes);
}

TEST(every_cut_is_noticed) {
  size_t size;
  uint8_t *bytes = write_and_read_sample(scratch_path("sample.qrn"), &size);
  const char *cut = scratch_path("cut.qrn");
  write_file(cut, bytes, size);
  for (size_t length = size; length-- > 0;) {
    assert_int_equal(truncate(cut, (off_t)length), 0);
    assert_int_equal(map_and_verify(cut), QN_INVALID);
    if (length > 0 && !strstr(error.message, "truncated"))
      fail_msg("cut at %zu: %s", length, error.message);
  }
  bytes[size] = 0;
  write_file(cut, bytes, size + 1);
  assert_int_equal(map_and_verify(cut), QN_INVALID);
  assert_non_null(strstr(error.message, "C-12"));
  free(bytes);
}

/* A field of the header or of a table entry set to a hostile value under right checksums. */
struct forgery {
  const char *rule;
  int section; /* -1: the header */
  size_t offset;
  unsigned width;
  uint64_t value;
  enum qn_status status;
};

static const struct forgery forgeries[] = {
    {"C-2:", -1, 12, 4, 8192, QN_INVALID},
    {"C-4:", -1, 8, 2, 2, QN_UNSUPPORTED},
    {"C-5:", -1, 24, 8, 1ull << 40, QN_UNSUPPORTED},
    {"C-27:", -1, 88, 1, 1, QN_INVALID},
    {"C-27:", -1, 100, 1, 1, QN_INVALID},
    {"C-6:", -1, 104, 1, 1, QN_INVALID},
    {"C-6:", -1, 4000, 1, 1, QN_INVALID},
    {"C-7:", -1, 32, 4, 99, QN_UNSUPPORTED},
    {"C-8:", -1, 36, 4, 3, QN_INVALID},
    {"C-9:", -1, 40, 4, 2, QN_INVALID},
    {"C-10:", -1, 44, 4, 1u << 31, QN_INVALID},
    {"C-11:", -1, 48, 8, 1ull << 32, QN_INVALID},
    {"C-12:", -1, 64, 8, UINT64_MAX, QN_INVALID},
    {"C-13:", -1, 72, 8, UINT64_MAX - 4095, QN_INVALID},
    {"C-13:", -1, 44, 4, 2, QN_INVALID},
    {"C-16:", 0, 0, 1, 'A', QN_INVALID},
    {"C-16:", 0, 0, 1, 0, QN_INVALID},
    {"C-16:", 0, 31, 1, 'x', QN_INVALID},
    {"C-17:", 0, 32, 4, 77, QN_INVALID},
    {"C-17:", 0, 36, 4, 3, QN_INVALID},
    {"C-17:", 0, 40, 8, 1ull << 61, QN_INVALID},
    {"C-17:", 0, 64, 8, 8, QN_INVALID},
    {"C-18:", 0, 74, 1, 63, QN_INVALID},
    {"C-18:", 1, 48, 8, 4096, QN_INVALID},
    {"C-18:", 1, 48, 8, 8193, QN_INVALID},
    {"C-19:", 0, 56, 8, 1, QN_INVALID},
    {"C-19:", 0, 72, 1, 1, QN_INVALID},
    {"C-19:", 0, 88, 8, 0, QN_INVALID},
    {"C-6:", 0, 75, 1, 5, QN_INVALID},
    {"C-19:", 0, 75, 1, 3, QN_INVALID},
    {"C-6:", 0, 127, 1, 1, QN_INVALID},
};

TEST(forgeries_are_named) {
  size_t size;
  uint8_t *bytes = write_and_read_sample(scratch_path("sample.qrn"), &size);
  struct qn_disk_header header;
  memcpy(&header, bytes, sizeof header);
  for (size_t i = 0; i < sizeof forgeries / sizeof forgeries[0]; i++) {
    const struct forgery *forgery = &forgeries[i];
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    size_t at = forgery->offset;
    if (forgery->section >= 0)
      at += header.table_offset + (size_t)forgery->section * sizeof(struct qn_disk_section);
    memcpy(copy + at, &forgery->value, forgery->width);
    seal_frame(copy, size);
    write_file(scratch_path("forged.qrn"), copy, size);
    free(copy);
    enum qn_status status = map_and_verify(scratch_path("forged.qrn"));
    if (status != forgery->status || strncmp(error.message, forgery->rule, strlen(forgery->rule)))
      fail_msg("forgery %zu: expected %s, got status %d: %s", i, forgery->rule, status,
               error.message);
  }
  free(bytes);
}

TEST(transfer_damage_is_explained) {
  size_t size;
  uint8_t *bytes = write_and_read_sample(scratch_path("sample.qrn"), &size);
  const char *path = scratch_path("damaged.qrn");
  bytes[0] &= 0x7f;
  write_file(path, bytes, size);
  assert_int_equal(map_and_verify(path), QN_INVALID);
  assert_non_null(strstr(error.message, "eighth bit"));
  memcpy(bytes, "\x89QRN\n\x1a\n\0", 8);
  write_file(path, bytes, size);
  assert_int_equal(map_and_verify(path), QN_INVALID);
  assert_non_null(strstr(error.message, "CR LF was turned into LF"));
  free(bytes);
}

TEST(existing_files_are_kept) {
  struct qn_writer *writer;
  const char *path = scratch_path("kept.txt");
  write_file(path, "precious", 8);
  assert_int_equal(qn_writer_create(path, false, &writer, &error), QN_USAGE);
  assert_int_equal(qn_writer_create(path, true, &writer, &error), QN_OK);
  qn_writer_abort(writer);
  size_t size;
  uint8_t *bytes = read_file(path, &size);
  assert_int_equal(size, 8);
  assert_memory_equal(bytes, "precious", 8);
  free(bytes);
  assert_int_equal(qn_writer_create(scratch_path("no/such/folder.qrn"), true, &writer, &error),
                   QN_SYSTEM);
}

TEST(shrinking_a_section) {
  struct qn_writer *writer;
  struct qn_container *container;
  uint32_t *values;
  const char *path = scratch_path("shrunk.qrn");
  struct qn_section_spec spec = {
      .name = "values", .element_type = QN_ELEMENT_UNSIGNED, .element_bytes = 4, .count = 100000};
  assert_int_equal(qn_writer_create(path, true, &writer, &error), QN_OK);
  qn_writer_info(writer)->layout = QN_LAYOUT_GRAPH;
  assert_int_equal(qn_writer_section(writer, &spec, &values, &error), QN_OK);
  values[0] = 1;
  values[2] = 3;
  values[3] = 4; /* past the final end: must not show up as padding */
  assert_int_equal(qn_writer_shrink(writer, 3, &error), QN_OK);
  spec.name = "more";
  spec.count = 5;
  assert_int_equal(qn_writer_section(writer, &spec, &values, &error), QN_OK);
  assert_int_equal(qn_writer_commit(writer, &error), QN_OK);
  assert_int_equal(qn_container_map(path, 0, &container, &error), QN_OK);
  assert_int_equal(qn_container_verify(container, &error), QN_OK);
  const struct qn_section *section = qn_container_section(container, "values");
  assert_int_equal(section->count, 3);
  assert_memory_equal(section->data, ((uint32_t[]){1, 0, 3}), 12);
  assert_int_equal(qn_container_section(container, "more")->offset, 8192);
  qn_container_unmap(container);
}

/* Fail every allocation in turn: an error each time, and nothing leaked. */
TEST(allocation_failures) {
  struct sample sample = sample_graph();
  uint64_t live = qn_memory_live();
  unsigned failures = 0;
  for (uint64_t n = 1;; n++) {
    qn_memory_fail_nth(n);
    enum qn_status status = write_sample(scratch_path("fail.qrn"), &sample, &error);
    if (!status)
      status = map_and_verify(scratch_path("fail.qrn"));
    qn_memory_fail_nth(0);
    assert_int_equal(qn_memory_live(), live);
    if (!status)
      break;
    assert_int_equal(status, QN_SYSTEM);
    failures++;
  }
  assert_true(failures > 5);
}

/* The checksum of a long section does not depend on the number of threads' chunks. */
TEST(chunked_checksum) {
  size_t size = 3 * QN_CHECKSUM_CHUNK + 17;
  uint8_t *bytes = malloc(size);
  uint64_t hashes[4];
  assert_non_null(bytes);
  for (size_t i = 0; i < size; i++)
    bytes[i] = (uint8_t)(i * 31 >> 3);
  for (unsigned i = 0; i < 4; i++)
    hashes[i] = XXH3_64bits(bytes + i * QN_CHECKSUM_CHUNK, i < 3 ? QN_CHECKSUM_CHUNK : 17);
  assert_int_equal(qn_chunked_checksum(bytes, size), XXH3_64bits(hashes, sizeof hashes));
  assert_int_equal(qn_chunked_checksum(bytes, 0), XXH3_64bits(bytes, 0));
  free(bytes);
}

/* A section of one chunk, one of four, and weights of two. */
static void write_chunks(const char *path, bool copy) {
  static const struct {
    const char *name;
    uint64_t bytes;
  } sections[] = {{"small", QN_CHECKSUM_CHUNK},
                  {"large", 3 * QN_CHECKSUM_CHUNK + 17},
                  {"weights", 2 * QN_CHECKSUM_CHUNK}};
  struct qn_writer *writer;
  uint8_t *bytes;
  assert_int_equal(qn_writer_create(path, true, &writer, &error), QN_OK);
  qn_writer_info(writer)->layout = QN_LAYOUT_GRAPH;
  if (copy)
    qn_writer_set_copy(writer);
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    struct qn_section_spec spec = {.name = sections[i].name,
                                   .element_type = QN_ELEMENT_UNSIGNED,
                                   .element_bytes = 1,
                                   .count = sections[i].bytes,
                                   .ancillary = true};
    assert_int_equal(qn_writer_section(writer, &spec, &bytes, &error), QN_OK);
    for (uint64_t at = 0; at < sections[i].bytes; at++)
      bytes[at] = (uint8_t)(at * 31 >> (3 + i));
  }
  assert_int_equal(qn_writer_commit(writer, &error), QN_OK);
}

/* One bit of the file is another. */
static void flip_in(const char *path, uint64_t offset) {
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  assert_int_equal(fseek(file, (long)offset, SEEK_SET), 0);
  int byte = fgetc(file);
  assert_int_equal(fseek(file, (long)offset, SEEK_SET), 0);
  assert_int_equal(fputc(byte ^ 1, file), byte ^ 1);
  assert_int_equal(fclose(file), 0);
}

static void expect_error(enum qn_status status, const char *text) {
  assert_int_equal(status, QN_INVALID);
  if (!strstr(error.message, text))
    fail_msg("expected %s: %s", text, error.message);
}

/* Whatever vectors the processor has. */
TEST(hashes_of_every_length) {
  static uint8_t bytes[5000];
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)(i * 167 >> 2);
  for (size_t length = 0; length + 7 < sizeof bytes; length += 1 + length / 64) {
    const uint64_t expected = XXH3_64bits(bytes + 7, length);
    assert_int_equal(qn_chunk_hash(bytes + 7, length), expected);
#if QN_HASH_WIDE
    if (__builtin_cpu_supports("avx512f"))
      assert_int_equal(qn_hash_avx512(bytes + 7, length), expected);
    if (__builtin_cpu_supports("avx2"))
      assert_int_equal(qn_hash_avx2(bytes + 7, length), expected);
#endif
  }
}

TEST(chunk_hashes_are_kept) {
  struct qn_container *container;
  const char *path = scratch_path("chunks.qrn");
  write_chunks(path, false);
  assert_int_equal(qn_container_map(path, 0, &container, &error), QN_OK);
  const struct qn_section *hashes = qn_container_section(container, "chunk_hashes");
  const struct qn_section *large = qn_container_section(container, "large");
  assert_ptr_equal(hashes, qn_container_section_at(container, 3));
  assert_int_equal(hashes->count, 4 + 2);
  assert_false(hashes->critical);
  assert_int_equal(((const uint64_t *)hashes->data)[3],
                   XXH3_64bits((const uint8_t *)large->data + 3 * QN_CHECKSUM_CHUNK, 17));
  assert_int_equal(qn_container_verify(container, &error), QN_OK);
  qn_container_unmap(container);
  write_chunks(path, true);
  assert_int_equal(qn_container_map(path, 0, &container, &error), QN_OK);
  assert_null(qn_container_section(container, "chunk_hashes"));
  assert_int_equal(qn_container_verify(container, &error), QN_OK);
  qn_container_unmap(container);
}

/* With the hashes of chunks and without. */
TEST(each_chunk_is_verified_once) {
  const char *path = scratch_path("chunks.qrn");
  for (unsigned copy = 0; copy < 2; copy++) {
    struct qn_container *container;
    write_chunks(path, copy);
    assert_int_equal(qn_container_map(path, 0, &container, &error), QN_OK);
    const struct qn_section *large = qn_container_section(container, "large");
    const struct qn_section *weights = qn_container_section(container, "weights");
    const uint8_t *data = large->data;
    qn_container_reading(NULL, data, data + 1);
    qn_container_reading(container, data, data + 1); /* that is the first chunk */
    qn_container_reading(container, data + 1, data + QN_CHECKSUM_CHUNK);
    flip_in(path, large->offset + 5);
    flip_in(path, weights->offset + QN_CHECKSUM_CHUNK);
    assert_int_equal(qn_container_verify_structure(container, &error), QN_OK);
    expect_error(qn_container_verify_weights(container, &error), "C-21: section weights");
    assert_int_equal(error.offset, weights->offset + (copy ? 0 : QN_CHECKSUM_CHUNK));
    expect_error(qn_container_verify(container, &error), "C-21: section weights");
    qn_container_unmap(container);

    assert_int_equal(qn_container_map(path, 0, &container, &error), QN_OK);
    large = qn_container_section(container, "large");
    qn_container_reading(container, large->data, (const uint8_t *)large->data + large->count);
    expect_error(qn_container_verify_structure(container, &error), "C-21: section large");
    qn_container_unmap(container);
  }
}

TEST(forged_chunk_hashes) {
  struct qn_container *container;
  const char *path = scratch_path("chunks.qrn");
  write_chunks(path, false);
  assert_int_equal(qn_container_map(path, 0, &container, &error), QN_OK);
  const uint64_t at = qn_container_section(container, "chunk_hashes")->offset;
  const struct qn_container_info *info = qn_container_info(container);
  const uint64_t table = info->file_bytes - sizeof(struct qn_disk_footer) -
                         info->num_sections * sizeof(struct qn_disk_section);
  qn_container_unmap(container);
  const struct {
    uint64_t offset;
    uint8_t value;
    const char *what;
  } changes[] = {{at + 8, 1, "section large"},
                 {at + 40, 1, "section weights"},
                 {table + 3 * 128 + 75, QN_SECTION_CRITICAL, "not critical"},
                 {table + 3 * 128 + 32, QN_ELEMENT_SIGNED, "numbers of 8 bytes"},
                 {table + 3 * 128, 'x', NULL}, /* an unknown ancillary section */
                 {table, 'x', NULL}};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    size_t size;
    write_chunks(path, false);
    uint8_t *bytes = read_file(path, &size);
    bytes[changes[i].offset] = changes[i].value;
    seal_sections(bytes, size);
    seal_frame(bytes, size);
    write_file(path, bytes, size);
    free(bytes);
    enum qn_status status = qn_container_map(path, 0, &container, &error);
    if (changes[i].what) {
      expect_error(status, "C-25: ");
      expect_error(status, changes[i].what);
    } else {
      assert_int_equal(status, QN_OK);
      assert_int_equal(qn_container_verify(container, &error), QN_OK);
      qn_container_unmap(container);
    }
  }
}

/* What an output's commit says while `path` is mapped, after `command` was run in its folder. */
static enum qn_status commit_after(const char *path, const char *command, bool *is_there) {
  char line[512];
  struct qn_container *container;
  struct qn_atomic_file *output;
  const char *result = scratch_path("result");
  unlink(result);
  assert_int_equal(qn_container_map(path, 0, &container, &error), QN_OK);
  assert_int_equal(qn_atomic_file_create(result, false, &output, &error), QN_OK);
  snprintf(line, sizeof line, "cd '%s' && %s", scratch_folder, command);
  assert_int_equal(system(line), 0);
  const enum qn_status status = qn_atomic_file_commit(output, &error);
  *is_there = access(result, F_OK) == 0;
  qn_container_unmap(container);
  return status;
}

/* Nothing is published that was computed from a container which somebody wrote over, even if what
 * was there before is there again. Names, owners and times that were set are not its content. */
TEST(overwritten_while_mapped) {
  static const char *const harmless[] = {"true",
                                         "chmod 600 in.qrn",
                                         "mv in.qrn other.qrn",
                                         "cp in.qrn new && mv new in.qrn",
                                         "cp in.qrn new && echo x >> new && mv new in.qrn",
                                         "touch -r in.qrn times && touch -r times in.qrn"};
  static const char *const harmful[] = {
      "printf x | dd of=in.qrn bs=1 seek=4200 conv=notrunc status=none",
      "touch -r in.qrn times && printf x | dd of=in.qrn bs=1 seek=4200 conv=notrunc status=none && "
      "touch -r times in.qrn",
      "truncate -s -1 in.qrn",
      "echo x >> in.qrn",
      "cp in.qrn new && cat new > in.qrn",
      "touch -d 2001-01-01 in.qrn"};
  struct sample sample = sample_graph();
  bool is_there;
  for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
    unlink(scratch_path("in.qrn"));
    assert_int_equal(write_sample(scratch_path("in.qrn"), &sample, &error), QN_OK);
    assert_int_equal(commit_after(scratch_path("in.qrn"), harmless[i], &is_there), QN_OK);
    assert_true(is_there);
  }
  for (size_t i = 0; i < sizeof harmful / sizeof *harmful; i++) {
    unlink(scratch_path("in.qrn"));
    assert_int_equal(write_sample(scratch_path("in.qrn"), &sample, &error), QN_OK);
    assert_int_equal(commit_after(scratch_path("in.qrn"), harmful[i], &is_there), QN_SYSTEM);
    assert_non_null(strstr(error.message, "overwritten while it was in use"));
    assert_non_null(strstr(error.file, "in.qrn"));
    assert_false(is_there);
  }
}

TEST_MAIN(scratch_create, scratch_remove)
