/* Every reader on any bytes: each either refuses with a message or gives edges that are built into
 * a container which passes its own checks, with a ledger that balances. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "converters/format.h"
#include "converters/input/input.h"
#include "converters/parse/names.h"
#include "fuzz/fuzz.h"
#include "support/memory.h"
#include "support/progress.h"
#include <quern/layouts.h>

/* A file of a few bytes may declare more vertices than are worth building here. */
#define MOST_VERTICES 100000

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

static void read_and_build(struct attempt *attempt, const char *path, unsigned choices) {
  struct qn_error error;
  struct qn_input *input;
  uint64_t sequence = 0;
  if (qn_input_open(path, &QN_INPUT_DEFAULTS, &input, &error)) {
    FUZZ_PROMISE(error.message[0] != '\0');
    return;
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
  if (!status && small)
    build(attempt, choices);
  qn_input_close(input);
  qn_edge_list_destroy(attempt->list);
  qn_free(attempt->result.extra_ids);
  qn_named_inputs_release(&attempt->result.named);
  if (attempt->reader->release)
    attempt->reader->release(&attempt->result);
}

/* Options that vary with the content, the same for the same content. */
static unsigned choices_of(const uint8_t *data, size_t size) {
  unsigned hash = (unsigned)size;
  for (size_t i = 0; i < size; i++)
    hash = hash * 31 + data[i];
  return hash ^ hash >> 16;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  unsigned choices = choices_of(data, size);
  const char *path = fuzz_file(data, size);
  qn_progress_show(true);
  for (const struct qn_format *format = qn_formats; format->name; format++) {
    if (!format->reader)
      continue;
    struct attempt attempt = {.reader = format->reader,
                              .options.strings = choices & 1,
                              .options.max_bad = choices & 2 ? 3 : 0,
                              .options.record = {(enum qn_record_ids)(choices / 4 % 4),
                                                 (enum qn_weight_type)(choices / 16 % 3),
                                                 choices & 8},
                              .result.num_vertices = QN_VERTICES_FROM_EDGES};
    read_and_build(&attempt, path, choices);
  }
  unlink(path);
  return 0;
}
