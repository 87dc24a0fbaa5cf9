/* Lists of the names of vertices: all of them are names, each another one, as many as there are
 * vertices, or the list is refused with a message. The first byte is how many vertices there are;
 * 0: as many as names. */
#include <string.h>

#include "converters/import/vertex_names.h"
#include "converters/provenance.h"
#include "formats/text/string_map.h"
#include "fuzz/fuzz.h"

static char path[] = "names.txt";
static char *paths[] = {path};

static bool is_same(const struct qn_ids *ids, uint64_t a, uint64_t b) {
  const uint64_t *offsets = ids->string_offsets, length = offsets[a + 1] - offsets[a];
  return length == offsets[b + 1] - offsets[b] &&
         memcmp(ids->string_bytes + offsets[a], ids->string_bytes + offsets[b], length) == 0;
}

static void check(const struct qn_read_result *result) {
  const struct qn_ids *ids = &result->names;
  enum { MOST_COMPARED = 100 };
  FUZZ_PROMISE(ids->kind == QN_IDS_STRINGS && ids->num_vertices == result->num_vertices);
  for (uint64_t v = 0; v < ids->num_vertices; v++) {
    FUZZ_PROMISE(ids->string_offsets[v] < ids->string_offsets[v + 1]);
    FUZZ_PROMISE(qn_is_name(ids->string_bytes + ids->string_offsets[v],
                            ids->string_offsets[v + 1] - ids->string_offsets[v]));
    for (uint64_t other = v + 1; other < ids->num_vertices && other < v + MOST_COMPARED; other++)
      FUZZ_PROMISE(!is_same(ids, v, other));
  }
}

static bool run(unsigned kind, const uint8_t *data, size_t size) {
  (void)kind;
  if (size < 1)
    return false;
  const unsigned choices = fuzz_choices(data, size);
  const struct fuzz_input input = {.name = path,
                                   .data = data + 1,
                                   .size = size - 1,
                                   .block = choices & 1 ? 1 + choices / 2 % 64 : 0};
  const struct qn_import_job job = {.names = paths, .num_names = 1};
  const struct qn_import_options options = {0};
  struct qn_import_report report = {0};
  struct qn_vertex_names names = {0};
  struct qn_import import = {
      .job = &job,
      .options = &options,
      .report = &report,
      .names = &names,
      .result.num_vertices = data[0] ? data[0] : QN_VERTICES_FROM_EDGES,
  };
  struct qn_error error = {0};
  fuzz_inputs(&input);
  enum qn_status status = qn_provenance_create("fuzz", &report.provenance, &error);
  if (!status)
    status = qn_vertex_names_read(&import, &error);
  if (!status)
    status = qn_vertex_names_give(&import, &error);
  FUZZ_PROMISE(status == QN_OK || error.message[0]);
  if (!status)
    check(&import.result);
  qn_vertex_names_release(&names);
  json_decref(report.provenance);
  return !status;
}

static const char *const KINDS[] = {"names", NULL};
const struct fuzz_family fuzz_names = {"names", KINDS, run};
