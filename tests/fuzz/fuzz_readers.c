/* Every reader on any bytes, in one block or in several: each either refuses with a message or
 * gives edges that are built into a container which passes its own checks, with a ledger that
 * balances. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "converters/format.h"
#include "converters/parse/names.h"
#include "fuzz/compact.h"
#include "fuzz/fuzz.h"
#include "support/input/input.h"
#include "support/memory.h"
#include <quern/layouts.h>

/* A file of a few bytes may declare more vertices than are worth building here. */
#define MOST_VERTICES 100000
#define MOST_READERS 64

/* What a small file may grow to when it is unpacked, or announce. */
static const struct qn_input_options OPTIONS = {.max_bytes = 1 << 20,
                                                .max_expansion = QN_INPUT_MAX_EXPANSION};

struct attempt {
  const struct qn_reader *reader;
  struct qn_read_options options;
  struct qn_edge_list *list;
  struct qn_read_result result;
};

static void check_container(const char *path, const struct attempt *attempt) {
  struct qn_error error;
  struct qn_container *container;
  const struct qn_layout_operations *layout;
  FUZZ_PROMISE(qn_container_map(path, 0, &container, &error) == QN_OK);
  FUZZ_PROMISE(qn_container_verify(container, &error) == QN_OK);
  FUZZ_PROMISE(qn_layout_operations(container, &layout, &error) == QN_OK);
  FUZZ_PROMISE(layout->verify(container, &error) == QN_OK);
  FUZZ_PROMISE(qn_container_info(container)->num_edges == attempt->result.ledger.edges_written);
  qn_container_unmap(container);
}

static void build(struct attempt *attempt, unsigned choices) {
  static const char path[] = "fuzz-output.qrn";
  struct qn_read_result *result = &attempt->result;
  struct qn_error error;
  struct qn_writer *writer;
  struct qn_build build = {
      .num_vertices = result->num_vertices,
      .names = result->names.kind == QN_IDS_DENSE ? NULL : &result->names,
      .extra_ids = result->extra_ids,
      .num_extra_ids = result->num_extra_ids,
      .undirected = result->symmetric || choices & 4,
      .already_symmetric = result->already_symmetric,
      .transpose = choices & 8,
      .self_loops = choices & 16 ? QN_SELF_LOOPS_REMOVE : QN_SELF_LOOPS_KEEP,
      .duplicates = (enum qn_duplicates)(choices / 32 % 4),
  };
  if (qn_build_check(&build, &error))
    return;
  if (qn_writer_create(path, true, &writer, &error))
    fuzz_broken(error.message, __FILE__, __LINE__);
  enum qn_status status = qn_build_graph(attempt->list, &build, writer, &result->ledger, &error);
  FUZZ_PROMISE(status == QN_OK || (status == QN_INVALID && error.message[0]));
  if (status) {
    qn_writer_abort(writer);
    return;
  }
  FUZZ_PROMISE(qn_ledger_check(&result->ledger, &error) == QN_OK);
  FUZZ_PROMISE(qn_writer_commit(writer, &error) == QN_OK);
  check_container(path, attempt);
  unlink(path);
}

/* As read and as built; true if a graph could be read. */
static bool read_and_build(struct attempt *attempt, const char *path, unsigned choices,
                           bool builds) {
  struct qn_error error;
  struct qn_input *input;
  uint64_t sequence = 0;
  if (qn_input_open(path, &OPTIONS, &input, &error)) {
    FUZZ_PROMISE(error.message[0] != '\0');
    return false;
  }
  if (qn_edge_list_create(&attempt->list, &error))
    exit(5);
  enum qn_status status = attempt->reader->read(input, &attempt->options, attempt->list, &sequence,
                                                &attempt->result, &error);
  FUZZ_PROMISE(status == QN_OK || error.message[0] != '\0');
  const struct qn_ledger *ledger = &attempt->result.ledger;
  if (!status) {
    FUZZ_PROMISE(ledger->records == ledger->comments + ledger->rejected + ledger->edges_read);
    FUZZ_PROMISE(ledger->rejected <= attempt->options.max_bad);
  }
  if (!status)
    status = qn_names_finish(&attempt->result, attempt->list, &error);
  bool small = attempt->result.num_vertices <= MOST_VERTICES ||
               attempt->result.num_vertices == QN_VERTICES_FROM_EDGES;
  if (!status && small && builds)
    build(attempt, choices);
  qn_input_close(input);
  qn_edge_list_destroy(attempt->list);
  qn_free(attempt->result.extra_ids);
  qn_named_inputs_release(&attempt->result.named);
  if (attempt->reader->release)
    attempt->reader->release(&attempt->result);
  return !status;
}

/* What a reader is asked before it reads. */
static void ask(const struct attempt *attempt, const char *path) {
  struct qn_error error;
  struct qn_input *input;
  const char *head;
  uint64_t bytes, line;
  if (qn_input_open(path, &OPTIONS, &input, &error))
    return;
  if (!qn_input_peek(input, &head, &bytes, &error)) {
    if (attempt->reader->detect)
      attempt->reader->detect(head, bytes, &attempt->options);
    if (attempt->reader->detect_files)
      attempt->reader->detect_files(input, head, bytes);
    if (attempt->reader->estimate)
      attempt->reader->estimate(&attempt->options, head, bytes, bytes);
    if (attempt->reader->locate)
      attempt->reader->locate(input, &attempt->options, 0, 1, &line, &error);
  }
  qn_input_close(input);
}

/* Every format that is read. */
static const char *kinds[MOST_READERS + 1];
static const struct qn_reader *readers[MOST_READERS];

__attribute__((constructor)) static void list_readers(void) {
  unsigned count = 0;
  for (const struct qn_format *format = qn_formats; format->name; format++)
    if (format->reader && count < MOST_READERS) {
      kinds[count] = format->name;
      readers[count++] = format->reader;
    }
  if (count == MOST_READERS)
    abort();
}

/* Formats of two files have a u16 in front: the bytes at the end that are of the file beside the
 * first. */
static struct fuzz_input two_files(const uint8_t *data, size_t size) {
  if (size <= 2)
    return (struct fuzz_input){.name = "input.graph", .data = data};
  size_t beside = (data[0] | (size_t)data[1] << 8) % (size - 1);
  return (struct fuzz_input){.name = "input.graph",
                             .data = data + 2,
                             .size = size - 2 - beside,
                             .beside = data + size - beside,
                             .beside_size = beside};
}

/* Containers come in compact form, and are opened by their name. */
static struct fuzz_input container(const uint8_t *data, size_t size) {
  size_t bytes;
  const uint8_t *expanded = fuzz_expand(data, size, 0, &bytes);
  return expanded ? (struct fuzz_input){.name = fuzz_file(expanded, bytes),
                                        .data = expanded,
                                        .size = bytes}
                  : (struct fuzz_input){.name = "input.qrn"};
}

static struct fuzz_input input_of(const char *reader, const uint8_t *data, size_t size,
                                  unsigned choices) {
  if (strcmp(reader, "webgraph") == 0)
    return two_files(data, size);
  if (strcmp(reader, "quern") == 0)
    return container(data, size);
  /* HDF5 is opened by its name unless it was unpacked. */
  bool unpacked = strcmp(reader, "binsparse") == 0;
  return (struct fuzz_input){.name = "input.txt",
                             .data = data,
                             .size = size,
                             .block = unpacked      ? size
                                      : choices & 2 ? 1 + choices / 256 % 64
                                                    : 0};
}

/* Options and blocks vary with the content. */
static bool run(unsigned kind, const uint8_t *data, size_t size) {
  unsigned choices = fuzz_choices(data, size);
  struct attempt attempt = {.reader = readers[kind],
                            .options.strings = choices & 1,
                            .options.max_bad = choices & 2 ? 3 : 0,
                            .options.record = {(enum qn_record_ids)(choices / 4 % 4),
                                               (enum qn_weight_type)(choices / 16 % 3),
                                               choices & 8},
                            .result.num_vertices = QN_VERTICES_FROM_EDGES};
  struct fuzz_input input = input_of(attempt.reader->name, data, size, choices);
  fuzz_inputs(&input);
  ask(&attempt, input.name);
  return read_and_build(&attempt, input.name, choices, fuzz_sometimes(data, size));
}

const struct fuzz_family fuzz_readers = {"readers", kinds, run};
