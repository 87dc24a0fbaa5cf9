#include "converters/output/output_folder.h"

#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "formats/container/listed_folder.h"
#include "formats/graph/statistics.h"
#include "support/atomic_folder.h"
#include "support/memory.h"
#include "support/tool.h"
#include <quern/container.h>

/* A file under way; output is NULL if there is none. */
struct file {
  struct qn_text_output *output;
  const char *path;
};

struct qn_output_folder {
  struct qn_atomic_folder *folder;
  json_t *files;
  char name[NAME_MAX + 1];
  uint64_t bytes;
  struct file files_under_way[QN_OUTPUT_FOLDER_FILES];
};

/* ---- Files ---------------------------------------------------------------- */

static void set_name(struct qn_output_folder *folder, const char *path) {
  size_t end = strlen(path);
  while (end > 1 && path[end - 1] == '/')
    end--;
  size_t begin = end;
  while (begin > 0 && path[begin - 1] != '/')
    begin--;
  snprintf(folder->name, sizeof folder->name, "%.*s", (int)(end - begin), path + begin);
}

enum qn_status qn_output_folder_create(const char *path, bool force, struct qn_output_folder **out,
                                       struct qn_error *error) {
  struct qn_output_folder *folder;
  enum qn_status status = QN_OK;
  *out = NULL;
  if (strcmp(path, "-") == 0)
    return qn_fail(error, QN_USAGE, "this is exported as a folder of files, not as a stream");
  if (force && (status = qn_listed_folder_check(path, QN_MANIFEST_NAME, error)))
    return status;
  status = qn_alloc_zeroed(&folder, 1, sizeof *folder, "an output folder", error);
  if (status)
    return status;
  set_name(folder, path);
  folder->files = json_array();
  status = folder->files ? qn_atomic_folder_create(path, force, &folder->folder, error)
                         : qn_fail_memory(error, "a manifest", 0);
  if (status) {
    qn_output_folder_abort(folder);
    return status;
  }
  *out = folder;
  return QN_OK;
}

/* The one with this output; NULL: one that is free. */
static struct file *find_file(struct qn_output_folder *folder, struct qn_text_output *output) {
  struct file *file = folder->files_under_way;
  while (file->output != output)
    file++;
  return file;
}

enum qn_status qn_output_folder_begin(struct qn_output_folder *folder, const char *name,
                                      struct qn_text_output **output, struct qn_error *error) {
  struct file *file = find_file(folder, NULL);
  enum qn_status status = qn_atomic_folder_add(folder->folder, name, &file->path, error);
  if (!status)
    status = qn_text_output_create(file->path, false, &file->output, error);
  *output = file->output;
  return status;
}

enum qn_status qn_output_folder_begin_own(struct qn_output_folder *folder, const char *end,
                                          struct qn_text_output **output, struct qn_error *error) {
  char name[sizeof folder->name + 32];
  snprintf(name, sizeof name, "%s%s", folder->name, end);
  return qn_output_folder_begin(folder, name, output, error);
}

/* Hashed from the page cache: parts are written in any order. */
static enum qn_status hash_file(const char *path, uint64_t bytes, char text[33],
                                struct qn_error *error) {
  void *mapping = NULL;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0 && bytes > 0)
    mapping = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  enum qn_status status = QN_OK;
  if (descriptor < 0 || mapping == MAP_FAILED)
    status = qn_fail_errno(error, "cannot read back what was written");
  if (descriptor >= 0)
    close(descriptor);
  if (status)
    return qn_error_in_file(error, path);
  XXH128_hash_t hash = XXH3_128bits(mapping, bytes);
  snprintf(text, 33, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
  if (mapping)
    munmap(mapping, bytes);
  return QN_OK;
}

enum qn_status qn_output_folder_end(struct qn_output_folder *folder, struct qn_text_output *output,
                                    const char *records, uint64_t count, struct qn_error *error) {
  struct file *file = find_file(folder, output);
  uint64_t bytes = qn_text_output_bytes(output);
  char hash[33];
  enum qn_status status = qn_text_output_commit(output, error);
  file->output = NULL;
  if (!status)
    status = hash_file(file->path, bytes, hash, error);
  if (status)
    return status;
  json_t *entry = json_pack("{s:s, s:I, s:s, s:I}", "name", strrchr(file->path, '/') + 1, "bytes",
                            (json_int_t)bytes, "xxh3_128", hash, records, (json_int_t)count);
  if (!entry || json_array_append_new(folder->files, entry))
    return qn_fail_memory(error, "a manifest", 0);
  folder->bytes += bytes;
  return QN_OK;
}

enum qn_status qn_output_folder_describe(struct qn_output_folder *folder, const char *end,
                                         void (*print)(FILE *text, const char *name,
                                                       const void *context),
                                         const void *context, struct qn_error *error) {
  struct qn_text_output *output;
  char *text = NULL;
  size_t length;
  FILE *stream = open_memstream(&text, &length);
  if (!stream)
    return qn_fail_memory(error, "a description", 0);
  print(stream, folder->name, context);
  bool complete = fclose(stream) == 0;
  enum qn_status status = complete ? qn_output_folder_begin_own(folder, end, &output, error)
                                   : qn_fail_memory(error, "a description", 0);
  if (!status)
    status = qn_text_output_write(output, text, length, error);
  if (!status)
    status = qn_output_folder_end(folder, output, "graphs", 1, error);
  free(text);
  return status;
}

uint64_t qn_output_folder_bytes(const struct qn_output_folder *folder) {
  return folder->bytes;
}

/* ---- Manifest ------------------------------------------------------------- */

static enum qn_status write_manifest(struct qn_output_folder *folder, const char *format,
                                     const struct qn_graph *graph, struct qn_error *error) {
  struct qn_text_output *output;
  const char *path;
  static const char *const ids[] = {
      [QN_IDS_DENSE] = "dense", [QN_IDS_NUMBERS] = "numbers", [QN_IDS_STRINGS] = "strings"};
  uint64_t isolated = 0;
  enum qn_status status =
      graph->out.row_offsets ? qn_graph_count_isolated(graph, &isolated, error) : QN_OK;
  if (status)
    return status;
  json_t *manifest = json_pack(
      "{s:s, s:s, s:s, s:{s:I, s:I, s:I, s:b, s:s, s:s}, s:O}", "tool", "quern-export", "version",
      QN_VERSION, "format", format, "graph", "vertices", (json_int_t)graph->out.num_vertices,
      "isolated", (json_int_t)isolated, "edges_stored", (json_int_t)graph->out.num_edges,
      "directed", graph->directedness != QN_UNDIRECTED, "weights",
      qn_weight_type_name(graph->out.weights.type), "ids", ids[graph->ids.kind], "files",
      folder->files);
  char *text = manifest ? json_dumps(manifest, JSON_INDENT(2)) : NULL;
  json_decref(manifest);
  if (!text)
    return qn_fail_memory(error, "a manifest", 0);
  status = qn_atomic_folder_add(folder->folder, QN_MANIFEST_NAME, &path, error);
  if (!status)
    status = qn_text_output_create(path, false, &output, error);
  if (!status) {
    status = qn_text_output_write(output, text, strlen(text), error);
    if (!status)
      status = qn_text_output_write(output, "\n", 1, error);
    if (!status)
      status = qn_text_output_commit(output, error);
    else
      qn_text_output_abort(output);
  }
  free(text);
  return status;
}

enum qn_status qn_output_folder_commit(struct qn_output_folder *folder, const char *format,
                                       const struct qn_graph *graph, struct qn_error *error) {
  enum qn_status status = write_manifest(folder, format, graph, error);
  if (!status) {
    status = qn_atomic_folder_commit(folder->folder, error);
    folder->folder = NULL;
  }
  qn_output_folder_abort(folder);
  return status;
}

void qn_output_folder_abort(struct qn_output_folder *folder) {
  if (!folder)
    return;
  for (unsigned i = 0; i < QN_OUTPUT_FOLDER_FILES; i++)
    qn_text_output_abort(folder->files_under_way[i].output);
  qn_atomic_folder_abort(folder->folder);
  json_decref(folder->files);
  qn_free(folder);
}
