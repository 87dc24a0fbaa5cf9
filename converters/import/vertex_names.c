#include "converters/import/vertex_names.h"

#include <inttypes.h>
#include <string.h>

#include "converters/import/properties.h"
#include "converters/parse/names.h"
#include "converters/provenance.h"
#include "formats/text/delimited.h"
#include "formats/text/text_fields.h"
#include "formats/text/text_numbers.h"
#include "support/input/input.h"
#include "support/memory.h"
#include "support/output_stream.h"
#include "support/progress.h"
#include "support/used_files.h"
#include <quern/ids.h>

/* A list under way. */
struct list {
  struct qn_vertex_names *names;
  const char *file;
  uint64_t line;    /* the last one that was taken, from 1 */
  bool has_numbers; /* before the names, as the first line of all has */
};

static enum qn_status refuse(const struct list *list, uint64_t column, const char *line,
                             const char *end, const char *expected, struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES];
  qn_fail(error, QN_INVALID, "expected %s; found %s", expected, qn_text_quote(line, end, quoted));
  return qn_error_at_line(error, list->file, list->line, column);
}

static const char *tab_or_end(const char *line, const char *end) {
  const char *tab = memchr(line, '\t', (size_t)(end - line));
  return tab ? tab : end;
}

/* ---- Lines ------------------------------------------------------------------ */

/* A name and the end of its offset more. */
static enum qn_status append(struct qn_vertex_names *names, const char *name, uint64_t length,
                             struct qn_error *error) {
  const uint64_t at = names->count ? names->offsets[names->count] : 0;
  enum qn_status status = QN_OK;
  if (names->count + 2 > names->offsets_capacity) {
    uint64_t more = names->offsets_capacity + names->offsets_capacity / 2 + 4096;
    status = qn_realloc(&names->offsets, more, sizeof *names->offsets, "names of vertices", error);
    names->offsets_capacity = status ? names->offsets_capacity : more;
  }
  if (!status && at + length > names->bytes_capacity) {
    uint64_t more = at + length + names->bytes_capacity / 2 + 65536;
    status = qn_realloc(&names->bytes, more, 1, "names of vertices", error);
    names->bytes_capacity = status ? names->bytes_capacity : more;
  }
  if (status)
    return status;
  memcpy(names->bytes + at, name, length);
  names->offsets[0] = 0;
  names->offsets[++names->count] = at + length;
  return QN_OK;
}

static enum qn_status take_line(struct list *list, const char *line, const char *end,
                                struct qn_error *error) {
  struct qn_vertex_names *names = list->names;
  const char *name = line, *name_end = end;
  char expected[96];
  uint64_t number;
  if (list->has_numbers) {
    const char *tab = tab_or_end(line, end);
    if (tab == end || qn_parse_whole(line, tab, &number) != QN_NUMBER_FINE ||
        number != names->count) {
      snprintf(expected, sizeof expected, "vertex %" PRIu64 ", a tab and its name", names->count);
      return refuse(list, 1, line, end, expected, error);
    }
    name = tab + 1;
    name_end = tab_or_end(name, end);
  }
  if (!qn_is_name(name, (uint64_t)(name_end - name)))
    return refuse(list, (uint64_t)(name - line) + 1, name, name_end, "the name of a vertex", error);
  if (names->count == UINT32_MAX)
    return qn_fail(error, QN_INVALID, "there are more than 2^32-1 names of vertices");
  return append(names, name, (uint64_t)(name_end - name), error);
}

static enum qn_status take_block(struct list *list, struct qn_input_block block,
                                 struct qn_error *error) {
  const char *line, *end;
  enum qn_status status = QN_OK;
  uint64_t number;
  while (!status && qn_text_take_line(&block, &line, &end)) {
    list->line++;
    if (list->names->count == 0) {
      const char *tab = tab_or_end(line, end);
      list->has_numbers = tab < end && qn_parse_whole(line, tab, &number) == QN_NUMBER_FINE;
    }
    status = take_line(list, line, end, error);
  }
  return status;
}

/* ---- Files ------------------------------------------------------------------ */

static enum qn_status read_blocks(struct qn_input *input, struct list *list,
                                  struct qn_error *error) {
  struct qn_input_block block;
  enum qn_status status = qn_input_next(input, &block, error);
  while (!status && block.bytes) {
    qn_progress_add(block.bytes);
    status = take_block(list, block, error);
    if (!status)
      status = qn_input_next(input, &block, error);
  }
  return status;
}

static enum qn_status read_list(struct qn_import *import, const char *path, bool *has_numbers,
                                struct qn_error *error) {
  struct qn_vertex_names *names = import->names;
  struct qn_input *input;
  struct qn_input_digest digest;
  struct list list = {.names = names, .file = path, .has_numbers = *has_numbers};
  enum qn_status status = qn_input_kept(import->job->output, path, error);
  if (!status)
    status = qn_input_open(path, &import->options->input, &input, error);
  if (status)
    return status;
  qn_progress_begin("reading", "names", 0);
  status = qn_input_unwritten(input, read_blocks(input, &list, error), error);
  qn_progress_end();
  *has_numbers = list.has_numbers;
  names->last_file = path;
  names->last_line = list.line;
  if (!status)
    status = qn_input_digest(input, &digest, error);
  if (!status)
    status = qn_provenance_input(import->report->provenance, qn_input_base_name(input), "names",
                                 &digest, error);
  qn_input_close(input);
  return status;
}

enum qn_status qn_vertex_names_read(struct qn_import *import, struct qn_error *error) {
  const struct qn_import_job *job = import->job;
  bool has_numbers = false;
  enum qn_status status = QN_OK;
  if (!job->num_names)
    return QN_OK;
  if (job->ranks)
    return qn_fail(error, QN_UNSUPPORTED,
                   "lists of names do not go with sets that are made by an import: make one "
                   "container of them, of which quern-transform --parts makes a set; or leave the "
                   "names of a folder out by --ids=keep");
  if (qn_import_wants_properties(import))
    return qn_fail(error, QN_UNSUPPORTED,
                   "lists of names do not go with properties: --ids=keep leaves those of a folder "
                   "out");
  for (int i = 0; i < job->num_names && !status; i++)
    status = read_list(import, job->names[i], &has_numbers, error);
  if (!status && import->names->count == 0) {
    qn_fail(error, QN_INVALID, "there is no name in it");
    return qn_error_in_file(error, job->names[0]);
  }
  if (!status)
    qn_notice("%s: the names of %" PRIu64 " vertices", job->names[0], import->names->count);
  return status;
}

/* ---- Names of the graph ------------------------------------------------------ */

static enum qn_status refuse_count(const struct qn_vertex_names *names, uint64_t num_vertices,
                                   struct qn_error *error) {
  qn_fail(error, QN_INVALID,
          "the names end here after %" PRIu64 ", but there are %" PRIu64 " vertices", names->count,
          num_vertices);
  return qn_error_at_line(error, names->last_file, names->last_line, 1);
}

static int compare(const struct qn_ids *ids, uint64_t a, uint64_t b) {
  const uint64_t *offsets = ids->string_offsets;
  uint64_t a_length = offsets[a + 1] - offsets[a], b_length = offsets[b + 1] - offsets[b];
  int order = memcmp(ids->string_bytes + offsets[a], ids->string_bytes + offsets[b],
                     a_length < b_length ? a_length : b_length);
  return order ? order : (a_length > b_length) - (a_length < b_length);
}

static bool ascend(const struct qn_ids *ids) {
  bool ascending = true;
#pragma omp parallel for schedule(static) reduction(&& : ascending)
  for (uint64_t v = 1; v < ids->num_vertices; v++)
    ascending = ascending && compare(ids, v - 1, v) < 0;
  return ascending;
}

static enum qn_status check_unique(const struct qn_ids *ids, const char *file,
                                   struct qn_error *error) {
  uint32_t *order;
  char quoted[QN_QUOTE_BYTES];
  enum qn_status status = qn_ids_original_order(ids, &order, error);
  for (uint64_t i = 1; order && i < ids->num_vertices && !status; i++) {
    const uint64_t a = order[i - 1], b = order[i];
    if (compare(ids, a, b) != 0)
      continue;
    const char *name = ids->string_bytes + ids->string_offsets[a];
    status = qn_fail(error, QN_INVALID, "vertices %" PRIu64 " and %" PRIu64 " are both called %s",
                     a < b ? a : b, a < b ? b : a,
                     qn_text_quote(name, ids->string_bytes + ids->string_offsets[a + 1], quoted));
    qn_error_in_file(error, file);
  }
  if (order)
    qn_pages_free(order, ids->num_vertices, sizeof *order);
  return status;
}

enum qn_status qn_vertex_names_give(struct qn_import *import, struct qn_error *error) {
  const struct qn_vertex_names *names = import->names;
  struct qn_read_result *result = &import->result;
  if (!names->count)
    return QN_OK;
  if (result->names_map || result->names.kind != QN_IDS_DENSE)
    return qn_fail(
        error, QN_INVALID,
        "the input says itself what its vertices are called: leave out the list of names");
  if (result->num_vertices == QN_VERTICES_FROM_EDGES)
    result->num_vertices = names->count;
  if (result->num_vertices != names->count)
    return refuse_count(names, result->num_vertices, error);
  result->names = (struct qn_ids){.kind = QN_IDS_STRINGS,
                                  .num_vertices = names->count,
                                  .string_offsets = names->offsets,
                                  .string_bytes = names->bytes};
  result->names.ascending = ascend(&result->names);
  return result->names.ascending ? QN_OK
                                 : check_unique(&result->names, import->job->names[0], error);
}

void qn_vertex_names_release(struct qn_vertex_names *names) {
  qn_free(names->offsets);
  qn_free(names->bytes);
  *names = (struct qn_vertex_names){0};
}
