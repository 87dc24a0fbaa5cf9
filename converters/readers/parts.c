/* What quern-export writes as a folder, of --parts or of other formats: a manifest that names files
 * of edges, and says what they are. Each is read as if it had been named itself. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "converters/output/output_folder.h"
#include "converters/parse/declared_size.h"
#include "converters/parse/reader.h"
#include "support/input/input.h"
#include "support/input/whole_input.h"

extern const struct qn_reader qn_reader_edges;
extern const struct qn_reader qn_reader_named_edges;
extern const struct qn_reader qn_reader_pairs;
extern const struct qn_reader qn_reader_vertex_names;
extern const struct qn_reader qn_reader_vertex_numbers;
extern const struct qn_reader qn_reader_vertices;
extern const struct qn_reader qn_reader_webgraph;

static const char GRAPHALYTICS[] = "graphalytics";
static const char WEBGRAPH[] = "webgraph";

static enum qn_status refuse(const struct qn_input *input, struct qn_error *error,
                             const char *what) {
  qn_fail(error, QN_INVALID, "%s", what);
  return qn_error_in_file(error, qn_input_name(input));
}

/* The size and hash of the file that was named last, which must be no other's: a part that comes
 * twice, under whatever name, would be a graph with its edges twice. */
static enum qn_status describe_file(const struct qn_input *input, const json_t *file,
                                    struct qn_named_inputs *named, struct qn_error *error) {
  const json_t *hash = json_object_get(file, "xxh3_128");
  json_int_t bytes = json_integer_value(json_object_get(file, "bytes"));
  struct qn_named_input *last = &named->inputs[named->count - 1];
  for (uint64_t i = 0; i + 1 < named->count; i++)
    if (strcmp(named->inputs[i].path, last->path) == 0) {
      qn_fail(error, QN_INVALID, "names '%.200s' twice", last->path);
      return qn_error_in_file(error, qn_input_name(input));
    }
  if (!hash)
    return QN_OK;
  if (json_string_length(hash) != sizeof last->digest.xxh3_128 - 1 || bytes < 0)
    return refuse(input, error, "a file of the manifest has no size and no hash of 32 digits");
  last->digest.bytes = (uint64_t)bytes;
  memcpy(last->digest.xxh3_128, json_string_value(hash), sizeof last->digest.xxh3_128);
  return QN_OK;
}

/* What reads files of edges and files of vertices, of whose content nothing is told; NULL: the
 * content tells, or files of vertices are left out. */
struct readers {
  const struct qn_reader *edges, *vertices;
};

/* A file of edges, or one of vertices. Graphalytics' properties say what the manifest does. Files
 * without edges may have nothing in them that could be told to be of their format. Of a WebGraph
 * all but the lists is found beside them. */
static enum qn_status name_file(struct qn_input *input, const json_t *file,
                                const struct readers *readers, struct qn_read_result *result,
                                struct qn_error *error) {
  const json_t *name = json_object_get(file, "name");
  json_int_t edges = json_integer_value(json_object_get(file, "edges"));
  json_int_t vertices = json_integer_value(json_object_get(file, "vertices"));
  bool of_vertices = json_object_get(file, "vertices");
  if (json_object_get(file, "graphs") || json_object_get(file, "offsets") ||
      (of_vertices && !readers->vertices))
    return QN_OK;
  if (!json_is_string(name) || edges < 0 || vertices < 0)
    return refuse(input, error, "a file of the manifest has no name or no number of edges");
  if (edges == 0 && vertices == 0 && readers->edges != &qn_reader_webgraph)
    return QN_OK;
  result->named.num_edges += (uint64_t)edges;
  result->named.num_vertices += (uint64_t)vertices;
  enum qn_status status =
      qn_named_inputs_add(&result->named, input, json_string_value(name), json_string_length(name),
                          of_vertices ? readers->vertices : readers->edges, error);
  return status ? status : describe_file(input, file, &result->named, error);
}

static enum qn_status name_files(struct qn_input *input, const json_t *files,
                                 const struct readers *readers, struct qn_read_result *result,
                                 struct qn_error *error) {
  size_t i;
  json_t *file;
  json_array_foreach(files, i, file) {
    enum qn_status status = name_file(input, file, readers, result, error);
    if (status)
      return status;
  }
  return QN_OK;
}

struct manifest {
  const char *format, *ids;
  json_t *files;
  json_int_t edges_stored, vertices, isolated;
  int directed;
};

static const struct qn_reader *edges_reader(const struct manifest *manifest) {
  return strcmp(manifest->format, "pairs") == 0        ? &qn_reader_pairs
         : strcmp(manifest->format, GRAPHALYTICS) == 0 ? &qn_reader_edges
         : strcmp(manifest->format, WEBGRAPH) == 0     ? &qn_reader_webgraph
         : strcmp(manifest->ids, "strings") == 0       ? &qn_reader_named_edges
                                                       : NULL;
}

/* Tables of vertices say nothing that tables of edges do not, if every vertex has an edge, or they
 * are as many as the manifest says, from 0 on. */
static const struct qn_reader *vertices_reader(const struct manifest *manifest,
                                               const struct qn_read_options *options) {
  bool names = strcmp(manifest->ids, "strings") == 0 || options->strings;
  if (strcmp(manifest->format, GRAPHALYTICS) == 0)
    return &qn_reader_vertices;
  if (manifest->isolated == 0 || (strcmp(manifest->ids, "dense") == 0 && !names))
    return NULL;
  return names ? &qn_reader_vertex_names : &qn_reader_vertex_numbers;
}

static bool unpack(const json_t *json, struct manifest *manifest) {
  *manifest = (struct manifest){.ids = "", .vertices = -1};
  return json_unpack((json_t *)json, "{s:s, s:{s:I, s:b, s?:I, s?:I, s?:s}, s:o}", "format",
                     &manifest->format, "graph", "edges_stored", &manifest->edges_stored,
                     "directed", &manifest->directed, "vertices", &manifest->vertices, "isolated",
                     &manifest->isolated, "ids", &manifest->ids, "files", &manifest->files) == 0 &&
         json_is_array(manifest->files) && json_array_size(manifest->files) > 0;
}

/* Without a map of ids the vertices are as many as the graph had, with edges or not. A WebGraph
 * says how many it has. */
static enum qn_status declare_vertices(struct qn_input *input, const struct manifest *manifest,
                                       const struct qn_read_options *options,
                                       struct qn_read_result *result, struct qn_error *error) {
  const struct qn_declared_size size = {.file = qn_input_name(input),
                                        .num_vertices = (uint64_t)manifest->vertices,
                                        .num_edges = (uint64_t)manifest->edges_stored};
  if (strcmp(manifest->ids, "dense") != 0 || strcmp(manifest->format, WEBGRAPH) == 0 ||
      options->strings)
    return QN_OK;
  if (manifest->vertices < 0 || manifest->edges_stored < 0)
    return refuse(input, error, "the manifest has no number of vertices or of edges");
  return qn_declare_from_zero(&size, options, result, error);
}

/* The edges of an undirected graph are listed once, or with --both-directions twice: then they are
 * as many as were stored. A WebGraph has each of them in both directions, but no parallel ones. */
static enum qn_status take_manifest(struct qn_input *input, const json_t *json,
                                    const struct qn_read_options *options,
                                    struct qn_read_result *result, struct qn_error *error) {
  struct manifest manifest;
  if (!unpack(json, &manifest))
    return refuse(input, error, "this is not a manifest of quern-export");
  const struct readers readers = {edges_reader(&manifest), vertices_reader(&manifest, options)};
  enum qn_status status = name_files(input, manifest.files, &readers, result, error);
  if (!status)
    status = declare_vertices(input, &manifest, options, result, error);
  if (status)
    return status;
  uint64_t listed = result->named.num_edges, stored = (uint64_t)manifest.edges_stored;
  bool once = listed != stored && strcmp(manifest.format, WEBGRAPH) != 0;
  if (once && (manifest.directed || stored < listed || stored - listed > listed))
    return refuse(input, error, "the manifest's numbers of edges do not agree");
  result->named.counted = true;
  result->symmetric = !manifest.directed && once;
  result->already_symmetric = result->check_symmetric = !manifest.directed && !once;
  snprintf(result->description, sizeof result->description, "%zu files of %.32s, %s",
           json_array_size(manifest.files), manifest.format,
           manifest.directed ? "directed" : "undirected");
  return QN_OK;
}

static enum qn_status read_parts(struct qn_input *input, const struct qn_read_options *options,
                                 struct qn_edge_list *list, uint64_t *sequence,
                                 struct qn_read_result *result, struct qn_error *error) {
  struct qn_whole_input whole;
  json_error_t where;
  (void)list;
  (void)sequence;
  enum qn_status status = qn_whole_input_take(input, &whole, error);
  if (status)
    return status;
  json_t *manifest = json_loadb(whole.data, whole.bytes, JSON_REJECT_DUPLICATES, &where);
  qn_whole_input_release(&whole);
  if (!manifest) {
    qn_fail(error, QN_INVALID, "no JSON: %.150s", where.text);
    return qn_error_at_line(error, qn_input_name(input), (uint64_t)where.line,
                            (uint64_t)where.column);
  }
  status = take_manifest(input, manifest, options, result, error);
  json_decref(manifest);
  return status;
}

/* An object with these words near its begin. */
static int detect_parts(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  uint64_t near = bytes < 512 ? bytes : 512;
  (void)options;
  return near > 0 && head[0] == '{' && memmem(head, near, "\"quern-export\"", 14) &&
                 memmem(head, near, "\"format\"", 8)
             ? 3
             : 0;
}

/* What has the manifest's name is one, or a broken one: whatever else it might be read as would be
 * another graph, as a list without elements is an empty one. */
static int detect_manifest(struct qn_input *input, const char *head, uint64_t bytes) {
  const char *name = qn_input_name(input), *slash = strrchr(name, '/');
  (void)head;
  (void)bytes;
  return strcmp(slash ? slash + 1 : name, QN_MANIFEST_NAME) == 0 ? 4 : 0;
}

const struct qn_reader qn_reader_parts = {
    .name = "parts",
    .detect = detect_parts,
    .detect_files = detect_manifest,
    .read = read_parts,
};
