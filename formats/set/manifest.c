/* The manifest of a set, read and written. */
#include "formats/set/manifest.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "formats/set/generations.h"
#include "formats/set/types.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/remote/remote.h"
#include "support/text/url.h"
#include "support/tool.h"
#include "support/used_files.h"

#define FORMAT "quern-set"
/* The longest manifest that is read: of the most parts it is a tenth of this. */
#define MOST_BYTES ((size_t)128 << 20)

const char *const qn_set_rows_words[] = {"out", "in", NULL};
static const char *const directedness_words[] = {"directed", "undirected", NULL};
/* In the order of enum qn_set_feature. */
static const char *const feature_words[] = {"vertex-ranges", "column-ranges", "types",
                                            "generations", NULL};

enum qn_status qn_set_violation(const struct qn_set *set, const char *name, struct qn_error *error,
                                const char *rule, const char *format, ...) {
  char what[512], path[PATH_MAX];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  qn_fail(error, QN_INVALID, "%s: %s", rule, what);
  snprintf(path, sizeof path, "%s/%s", set->path, name);
  qn_error_in_file(error, path);
  return QN_INVALID;
}

#define REFUSE(rule, ...) qn_set_violation(set, QN_SET_MANIFEST, error, rule, __VA_ARGS__)

static void add_parts(const struct qn_set *set, XXH3_state_t *state) {
  const uint64_t about[] = {set->ranges[0].file.identity, set->num_parts};
  XXH3_64bits_update(state, about, sizeof about);
  for (uint64_t i = 0; i < set->num_parts; i++)
    XXH3_64bits_update(state, &set->parts[i].end, sizeof set->parts[i].end);
}

static void add_blocks(const struct qn_set *set, XXH3_state_t *state) {
  XXH3_64bits_update(state, &set->num_ranges, sizeof set->num_ranges);
  for (uint64_t i = 0; i < set->num_ranges; i++) {
    const struct qn_vertex_range *range = &set->ranges[i];
    const uint64_t about[] = {range->begin, range->end, range->file.identity};
    XXH3_64bits_update(state, about, sizeof about);
  }
  XXH3_64bits_update(state, &set->num_parts, sizeof set->num_parts);
  for (uint64_t i = 0; i < set->num_parts; i++) {
    const struct qn_set_part *part = &set->parts[i];
    const uint64_t block[] = {part->begin, part->end, part->columns_begin, part->columns_end};
    XXH3_64bits_update(state, block, sizeof block);
  }
}

static void add_number(void *state, uint64_t number) {
  XXH3_64bits_update(state, &number, sizeof number);
}

/* XXH3-64 of these numbers, as they are in specs/set.md (SET-5). */
enum qn_status qn_set_identity(const struct qn_set *set, uint64_t *identity,
                               struct qn_error *error) {
  XXH3_state_t *state = XXH3_createState();
  if (!state)
    return qn_fail_memory(error, "a checksum", 0);
  XXH3_64bits_reset(state);
  const uint64_t head[] = {set->version,      set->num_vertices, set->num_edges, set->weight_type,
                           set->directedness, set->rows,         set->in_edges,  set->fingerprint};
  XXH3_64bits_update(state, head, sizeof head);
  if (set->version == 1)
    add_parts(set, state);
  else
    add_blocks(set, state);
  if (qn_set_is_typed(set))
    qn_set_number_types(set, add_number, state);
  if (qn_set_is_changed(set))
    qn_set_number_generations(set, add_number, state);
  *identity = XXH3_64bits_digest(state);
  XXH3_freeState(state);
  return QN_OK;
}

/* ---- Reading --------------------------------------------------------------- */

/* The value of a key that must be there: a number, 16 hexadecimal digits, one of some words. */
static enum qn_status take_count(const struct qn_set *set, const json_t *object, const char *key,
                                 uint64_t *count, struct qn_error *error) {
  const json_t *value = json_object_get(object, key);
  if (!json_is_integer(value) || json_integer_value(value) < 0)
    return REFUSE("SET-2", "\"%s\" must be a non-negative integer", key);
  *count = (uint64_t)json_integer_value(value);
  return QN_OK;
}

static enum qn_status take_hash(const struct qn_set *set, const json_t *object, const char *key,
                                uint64_t *hash, struct qn_error *error) {
  const char *text = json_string_value(json_object_get(object, key));
  if (!text || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
    return REFUSE("SET-2", "\"%s\" must be 16 hexadecimal digits", key);
  *hash = strtoull(text, NULL, 16);
  return QN_OK;
}

static enum qn_status take_word(const struct qn_set *set, const json_t *object, const char *key,
                                const char *const *words, unsigned *word, struct qn_error *error) {
  const char *text = json_string_value(json_object_get(object, key));
  for (*word = 0; words[*word]; ++*word)
    if (text && strcmp(text, words[*word]) == 0)
      return QN_OK;
  return REFUSE("SET-2", "\"%s\" is %s%s%s", key, text ? "\"" : "missing", text ? text : "",
                text ? "\", which is unknown" : "");
}

static enum qn_status take_flag(const struct qn_set *set, const json_t *object, const char *key,
                                bool *flag, struct qn_error *error) {
  const json_t *value = json_object_get(object, key);
  if (!json_is_boolean(value))
    return REFUSE("SET-2", "\"%s\" must be true or false", key);
  *flag = json_is_true(value);
  return QN_OK;
}

/* A file of the folder, not of another one. */
static enum qn_status take_file(const struct qn_set *set, const json_t *object,
                                struct qn_set_file *file, struct qn_error *error) {
  const char *name = json_string_value(json_object_get(object, "name"));
  if (!name || !*name || strlen(name) > NAME_MAX || strchr(name, '/') || strcmp(name, ".") == 0 ||
      strcmp(name, "..") == 0 || strcmp(name, QN_SET_MANIFEST) == 0)
    return REFUSE("SET-2", "\"name\" must be that of a file in the set's folder");
  file->name = strdup(name);
  if (!file->name)
    return qn_fail_memory(error, "a file's name", strlen(name));
  enum qn_status status = take_count(set, object, "bytes", &file->bytes, error);
  return status ? status : take_hash(set, object, "identity", &file->identity, error);
}

static enum qn_status take_weights(struct qn_set *set, const json_t *graph,
                                   struct qn_error *error) {
  const char *words[QN_WEIGHT_TYPES + 1] = {NULL};
  unsigned word;
  for (unsigned type = 0; type < QN_WEIGHT_TYPES; type++)
    words[type] = qn_weight_type_name(type);
  enum qn_status status = take_word(set, graph, "weights", words, &word, error);
  set->weight_type = (enum qn_weight_type)word;
  return status;
}

static enum qn_status refuse_newer(const struct qn_set *set, struct qn_error *error,
                                   const char *what, const char *name) {
  qn_fail(error, QN_UNSUPPORTED,
          "the manifest %s%s, which is unknown to this build: install a newer Quern", what, name);
  return qn_error_in_file(error, set->path), QN_UNSUPPORTED;
}

static enum qn_status take_graph(struct qn_set *set, const json_t *graph, struct qn_error *error) {
  unsigned word = 0;
  enum qn_status status = take_count(set, graph, "vertices", &set->num_vertices, error);
  if (!status)
    status = take_count(set, graph, "edges", &set->num_edges, error);
  if (!status)
    status = take_word(set, graph, "directedness", directedness_words, &word, error);
  set->directedness = word ? QN_UNDIRECTED : QN_DIRECTED;
  if (!status)
    status = take_weights(set, graph, error);
  if (!status)
    status = take_flag(set, graph, "in_edges", &set->in_edges, error);
  if (!status)
    status = take_hash(set, graph, "fingerprint", &set->fingerprint, error);
  set->has_origin = json_object_get(graph, "identity") != NULL;
  if (!status && set->has_origin)
    status = take_hash(set, graph, "identity", &set->origin, error);
  const bool is_wide = set->features & QN_SET_COLUMN_RANGES && !(set->features & QN_SET_TYPES);
  if (!status && set->num_vertices > UINT32_MAX && !is_wide)
    return set->version == 1
               ? REFUSE("SET-2", "%" PRIu64 " vertices are more than 2^32 - 1", set->num_vertices)
               : refuse_newer(set, error,
                              "has more than 2^32 - 1 vertices, but not in blocks of columns", "");
  return status;
}

static enum qn_status take_layout(struct qn_set *set, const json_t *manifest,
                                  struct qn_error *error) {
#define NAME(CONSTANT, code, layout, name, command) {code, name},
  static const struct {
    unsigned code;
    const char *name;
  } layouts[] = {QN_GRAPH_LAYOUTS(NAME)};
#undef NAME
  const char *text = json_string_value(json_object_get(manifest, "layout"));
  for (size_t i = 0; text && i < sizeof layouts / sizeof layouts[0]; i++)
    if (strcmp(text, layouts[i].name) == 0 &&
        (set->version == 1 || qn_set_takes(layouts[i].code))) {
      set->layout = (enum qn_layout)layouts[i].code;
      return QN_OK;
    }
  return REFUSE("SET-2", "\"layout\" must be that of the parts");
}

/* A range [begin, end) of two numbers. */
static enum qn_status take_range(const struct qn_set *set, const json_t *object, const char *key,
                                 uint64_t *begin, uint64_t *end, struct qn_error *error) {
  const json_t *range = json_object_get(object, key);
  const json_int_t first = json_integer_value(json_array_get(range, 0)),
                   last = json_integer_value(json_array_get(range, 1));
  if (json_array_size(range) != 2 || !json_is_integer(json_array_get(range, 0)) ||
      !json_is_integer(json_array_get(range, 1)) || first < 0 || last < first)
    return REFUSE("SET-2", "\"%s\" must be two integers, where a range begins and ends", key);
  *begin = (uint64_t)first;
  *end = (uint64_t)last;
  return QN_OK;
}

static enum qn_status take_part(const struct qn_set *set, const json_t *object,
                                struct qn_set_part *part, struct qn_error *error) {
  enum qn_status status = take_file(set, object, &part->file, error);
  if (!status && set->version == 1) {
    part->columns_end = set->num_vertices;
    status = take_count(set, object, "begin", &part->begin, error);
    if (!status)
      status = take_count(set, object, "end", &part->end, error);
  } else if (!status) {
    status = take_range(set, object, "rows", &part->begin, &part->end, error);
    if (!status)
      status = take_range(set, object, "columns", &part->columns_begin, &part->columns_end, error);
  }
  return status ? status : take_count(set, object, "edges", &part->num_edges, error);
}

static enum qn_status take_parts(struct qn_set *set, const json_t *manifest,
                                 struct qn_error *error) {
  const char *key = set->version == 1 ? "parts" : "blocks";
  const json_t *list = json_object_get(manifest, key);
  if (!json_is_array(list) || json_array_size(list) == 0 ||
      json_array_size(list) > QN_SET_MAX_PARTS)
    return REFUSE("SET-2", "\"%s\" must be a list of 1 to %d", key, QN_SET_MAX_PARTS);
  set->num_parts = json_array_size(list);
  enum qn_status status =
      qn_alloc_zeroed(&set->parts, set->num_parts, sizeof *set->parts, "parts of a set", error);
  for (uint64_t i = 0; !status && i < set->num_parts; i++)
    status = take_part(set, json_array_get(list, i), &set->parts[i], error);
  return status;
}

static enum qn_status take_vertices(struct qn_set *set, const json_t *manifest,
                                    struct qn_error *error) {
  const json_t *vertices = json_object_get(manifest, "vertices");
  const bool is_list = set->version > 1;
  const size_t most =
      set->features & (QN_SET_VERTEX_RANGES | QN_SET_GENERATIONS) ? QN_SET_MAX_RANGES : 1;
  if (is_list && (json_array_size(vertices) < 1 || json_array_size(vertices) > most))
    return REFUSE("SET-2", "\"vertices\" must be a list of %s%zu file%s", most > 1 ? "1 to " : "",
                  most, most > 1 ? "s" : "");
  set->num_ranges = is_list ? json_array_size(vertices) : 1;
  enum qn_status status =
      qn_alloc_zeroed(&set->ranges, set->num_ranges, sizeof *set->ranges, "ranges of a set", error);
  for (uint64_t i = 0; !status && i < set->num_ranges; i++) {
    struct qn_vertex_range *range = &set->ranges[i];
    const json_t *file = is_list ? json_array_get(vertices, i) : vertices;
    range->end = set->num_vertices;
    status = take_file(set, file, &range->file, error);
    if (!status && is_list)
      status = take_range(set, file, "range", &range->begin, &range->end, error);
  }
  return status;
}

/* ---- Rules of what was read ------------------------------------------------- */

static enum qn_status check_name(const struct qn_set *set, const char *name, json_t *names,
                                 struct qn_error *error) {
  if (json_object_get(names, name))
    return REFUSE("SET-3", "the file %s is listed twice", name);
  return json_object_set_new(names, name, json_true())
             ? qn_fail_memory(error, "the names of files", 0)
             : QN_OK;
}

static enum qn_status check_names(const struct qn_set *set, struct qn_error *error) {
  json_t *names = json_object();
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < set->num_ranges; i++)
    status = check_name(set, set->ranges[i].file.name, names, error);
  for (uint64_t i = 0; !status && i < set->num_parts; i++)
    status = check_name(set, set->parts[i].file.name, names, error);
  json_decref(names);
  return status;
}

static enum qn_status check_vertices(const struct qn_set *set, struct qn_error *error) {
  uint64_t begin = 0;
  for (uint64_t i = 0; i < set->num_ranges; i++) {
    const struct qn_vertex_range *range = &set->ranges[i];
    if (range->begin != begin || range->end < begin || range->end - begin > UINT32_MAX)
      return REFUSE("SET-4",
                    "the vertices of %s are [%" PRIu64 ", %" PRIu64 "), but must begin at %" PRIu64
                    ", and be at most 2^32 - 1",
                    range->file.name, range->begin, range->end, begin);
    begin = range->end;
  }
  return begin == set->num_vertices
             ? QN_OK
             : REFUSE("SET-4", "the vertices' files end at %" PRIu64 " of %" PRIu64 " vertices",
                      begin, set->num_vertices);
}

/* A block behind `before`, or the first one: in the same row of blocks with the next columns, or
 * with the first ones in the next row. */
static enum qn_status check_block(const struct qn_set *set, const struct qn_set_part *before,
                                  const struct qn_set_part *block, struct qn_error *error) {
  const bool goes_on = before && before->columns_end < set->num_vertices;
  const uint64_t row = !before ? 0 : goes_on ? before->begin : before->end;
  const uint64_t column = goes_on ? before->columns_end : 0;
  if (block->begin != row || block->end < row || (goes_on && block->end != before->end))
    return REFUSE("SET-4",
                  "the rows of %s are [%" PRIu64 ", %" PRIu64 "), but must begin at %" PRIu64 "%s",
                  block->file.name, block->begin, block->end, row,
                  goes_on ? " and end as those of the block before it" : "");
  if (!(set->features & QN_SET_COLUMN_RANGES) &&
      (block->columns_begin != 0 || block->columns_end != set->num_vertices))
    return REFUSE("SET-4",
                  "the columns of %s must be all vertices, [0, %" PRIu64
                  "): others need the feature column-ranges",
                  block->file.name, set->num_vertices);
  if (block->columns_begin != column || block->columns_end > set->num_vertices ||
      (block->columns_end == column && set->num_vertices > 0))
    return REFUSE("SET-4",
                  "the columns of %s are [%" PRIu64 ", %" PRIu64 "), but must begin at %" PRIu64
                  " and end behind that, at most at %" PRIu64,
                  block->file.name, block->columns_begin, block->columns_end, column,
                  set->num_vertices);
  if (block->end - block->begin > UINT32_MAX ||
      block->columns_end - block->columns_begin > UINT32_MAX)
    return REFUSE("SET-4", "%s has more rows or columns than 2^32 - 1", block->file.name);
  return QN_OK;
}

static enum qn_status check_blocks(const struct qn_set *set, struct qn_error *error) {
  uint64_t edges = 0;
  for (uint64_t i = 0; i < set->num_parts; i++) {
    const struct qn_set_part *block = &set->parts[i];
    enum qn_status status = check_block(set, i ? block - 1 : NULL, block, error);
    if (status)
      return status;
    if (__builtin_add_overflow(edges, block->num_edges, &edges))
      return REFUSE("SET-4", "the parts have more edges than can be counted");
  }
  const struct qn_set_part *last = &set->parts[set->num_parts - 1];
  if (last->end != set->num_vertices || last->columns_end != set->num_vertices)
    return REFUSE("SET-4",
                  "the blocks end with rows at %" PRIu64 " and columns at %" PRIu64 " of %" PRIu64
                  " vertices",
                  last->end, last->columns_end, set->num_vertices);
  if (edges != set->num_edges)
    return REFUSE("SET-4", "the parts have %" PRIu64 " edges together, and the graph has %" PRIu64,
                  edges, set->num_edges);
  return QN_OK;
}

static enum qn_status check_manifest(const struct qn_set *set, struct qn_error *error) {
  uint64_t identity;
  enum qn_status status = check_names(set, error);
  if (!status && qn_set_is_changed(set))
    status = qn_set_check_generations(set, error);
  else if (!status)
    status = check_vertices(set, error);
  if (!status && !qn_set_is_changed(set))
    status = qn_set_is_typed(set) ? qn_set_check_types(set, error) : check_blocks(set, error);
  if (!status)
    status = qn_set_identity(set, &identity, error);
  if (status)
    return status;
  if (set->directedness == QN_UNDIRECTED && (set->rows != QN_SET_ROWS_OUT || set->in_edges))
    return REFUSE("SET-2", "rows of an undirected graph are \"out\", and in-edges are not stored");
  if (identity != set->identity)
    return REFUSE("SET-5",
                  "the identity is %016" PRIx64 ", but what is said of the set has %016" PRIx64,
                  set->identity, identity);
  return QN_OK;
}

/* What a newer set needs is named in it. */
static enum qn_status take_features(struct qn_set *set, const json_t *features,
                                    struct qn_error *error) {
  if (features && !json_is_array(features))
    return REFUSE("SET-2", "\"required_features\" must be a list of names");
  for (size_t i = 0; i < json_array_size(features); i++)
    if (!json_is_string(json_array_get(features, i)))
      return REFUSE("SET-2", "\"required_features\" must be a list of names");
  for (size_t i = 0; i < json_array_size(features); i++) {
    const char *name = json_string_value(json_array_get(features, i));
    unsigned known = 0;
    while (feature_words[known] && strcmp(feature_words[known], name) != 0)
      known++;
    if (!feature_words[known] || set->version == 1)
      return refuse_newer(set, error, "requires the feature ", name);
    set->features |= 1U << known;
  }
  return QN_OK;
}

static enum qn_status check_version(struct qn_set *set, const json_t *manifest,
                                    struct qn_error *error) {
  const json_t *version = json_object_get(manifest, "version");
  const json_t *minor = json_object_get(manifest, "version_minor");
  const json_int_t number = json_is_integer(version) ? json_integer_value(version) : 0;
  if (number < 1 || number > QN_SET_VERSION)
    return refuse_newer(set, error, "is of another version than 1 and 2", "");
  set->version = (unsigned)number;
  if (minor && (!json_is_integer(minor) || json_integer_value(minor) < 0))
    return REFUSE("SET-2", "\"version_minor\" must be a non-negative integer");
  return take_features(set, json_object_get(manifest, "required_features"), error);
}

static enum qn_status take_manifest(struct qn_set *set, const json_t *manifest,
                                    struct qn_error *error) {
  unsigned word = 0;
  const char *format = json_string_value(json_object_get(manifest, "format"));
  if (!format || strcmp(format, FORMAT) != 0)
    return REFUSE("SET-1", "\"format\" must be \"" FORMAT "\"");
  enum qn_status status = check_version(set, manifest, error);
  if (!status)
    status = take_hash(set, manifest, "identity", &set->identity, error);
  if (!status)
    status = take_graph(set, json_object_get(manifest, "graph"), error);
  if (!status)
    status = take_word(set, manifest, "rows", qn_set_rows_words, &word, error);
  set->rows = (enum qn_set_rows)word;
  if (!status)
    status = take_layout(set, manifest, error);
  if (!status)
    status = take_vertices(set, manifest, error);
  if (!status)
    status = take_parts(set, manifest, error);
  if (!status)
    status = qn_set_take_types(set, manifest, error);
  if (!status)
    status = qn_set_take_generations(set, manifest, error);
  return status ? status : check_manifest(set, error);
}

/* What a manifest's text comes from. */
struct manifest_source {
  FILE *file;                      /* here */
  struct qn_remote_stream *stream; /* on a server */
};

static enum qn_status open_source(const char *path, struct manifest_source *source,
                                  struct qn_error *error) {
  int descriptor;
  *source = (struct manifest_source){0};
  if (qn_is_url(path))
    return qn_remote_stream_open(path, &source->stream, error);
  enum qn_status status = qn_file_open_regular(path, &descriptor, error);
  source->file = status ? NULL : fdopen(descriptor, "r");
  if (status || source->file)
    return status;
  close(descriptor);
  return qn_fail_errno(error, "cannot read the manifest of the set");
}

static enum qn_status read_some(struct manifest_source *source, char *block, size_t room,
                                uint64_t *got, struct qn_error *error) {
  if (source->stream)
    return qn_remote_stream_read(source->stream, block, room, got, error);
  *got = fread(block, 1, room, source->file);
  return *got || !ferror(source->file)
             ? QN_OK
             : qn_fail_errno(error, "cannot read the manifest of the set");
}

static void close_source(struct manifest_source *source) {
  qn_remote_stream_close(source->stream);
  if (source->file)
    fclose(source->file);
}

static enum qn_status copy_text(struct manifest_source *source, FILE *all, struct qn_error *error) {
  char block[1 << 12];
  uint64_t total = 0, got = 1;
  enum qn_status status = QN_OK;
  while (!status && got && total <= MOST_BYTES) {
    status = read_some(source, block, sizeof block, &got, error);
    if (!status && fwrite(block, 1, got, all) != got)
      status = qn_fail_memory(error, "the manifest of the set", total);
    total += got;
  }
  return status || total <= MOST_BYTES
             ? status
             : qn_fail(error, QN_INVALID, "SET-1: the manifest is longer than any set needs");
}

/* The text of a file, which is freed by free(). */
static enum qn_status read_text(const char *path, const char *shown, char **text, size_t *length,
                                struct qn_error *error) {
  struct manifest_source source;
  enum qn_status status = open_source(path, &source, error);
  FILE *all = status ? NULL : open_memstream(text, length);
  if (all)
    status = copy_text(&source, all, error);
  /* Without memory there is none, or no text. */
  const bool whole = all && fclose(all) == 0 && *text;
  if (!status && !whole)
    status = qn_fail_memory(error, "the manifest of the set", 0);
  close_source(&source);
  if (status && error && !error->file[0])
    qn_error_in_file(error, shown);
  return status;
}

enum qn_status qn_set_take_manifest(struct qn_set *set, const char *text, size_t length,
                                    struct qn_error *error) {
  json_error_t where;
  json_t *manifest = NULL;
  enum qn_status status =
      qn_json_parse(text, length, JSON_REJECT_DUPLICATES, &manifest, &where, error);
  if (!status && !json_is_object(manifest))
    status = REFUSE("SET-1", "the manifest is not a JSON object%s%s", manifest ? "" : ": ",
                    manifest ? "" : where.text);
  if (!status)
    status = take_manifest(set, manifest, error);
  json_decref(manifest);
  return status;
}

enum qn_status qn_set_read_manifest(struct qn_set *set, struct qn_error *error) {
  char path[PATH_MAX], shown[QN_PATH_SHOWN], *text = NULL;
  size_t length = 0;
  if (snprintf(path, sizeof path, "%s/" QN_SET_MANIFEST, set->url ? set->url : set->path) >=
      (int)sizeof path)
    return qn_fail(error, QN_USAGE, "the name of the set's folder is too long");
  enum qn_status status =
      read_text(path, qn_path_shown(path, shown, sizeof shown), &text, &length, error);
  if (!status)
    status = qn_set_take_manifest(set, text, length, error);
  free(text);
  return status;
}

/* ---- Writing ---------------------------------------------------------------- */

static json_t *hash_json(uint64_t hash) {
  return json_sprintf("%016" PRIx64, hash);
}

static json_t *file_json(const struct qn_set_file *file) {
  return json_pack("{s:s, s:I, s:o}", "name", file->name, "bytes", (json_int_t)file->bytes,
                   "identity", hash_json(file->identity));
}

static json_t *range_json(uint64_t begin, uint64_t end) {
  return json_pack("[I, I]", (json_int_t)begin, (json_int_t)end);
}

static json_t *block_json(const struct qn_set_part *part) {
  json_t *json = file_json(&part->file);
  json_object_set_new(json, "rows", range_json(part->begin, part->end));
  json_object_set_new(json, "columns", range_json(part->columns_begin, part->columns_end));
  json_object_set_new(json, "edges", json_integer((json_int_t)part->num_edges));
  return json;
}

static json_t *vertices_json(const struct qn_set *set) {
  json_t *list = json_array();
  for (uint64_t i = 0; i < set->num_ranges; i++) {
    json_t *json = file_json(&set->ranges[i].file);
    json_object_set_new(json, "range", range_json(set->ranges[i].begin, set->ranges[i].end));
    json_array_append_new(list, json);
  }
  return list;
}

/* NULL: none. */
static json_t *features_json(const struct qn_set *set) {
  json_t *list = set->features ? json_array() : NULL;
  for (unsigned i = 0; feature_words[i]; i++)
    if (set->features & 1U << i)
      json_array_append_new(list, json_string(feature_words[i]));
  return list;
}

static json_t *graph_json(const struct qn_set *set) {
  json_t *graph = json_pack("{s:I, s:I, s:s, s:s, s:b, s:o}", "vertices",
                            (json_int_t)set->num_vertices, "edges", (json_int_t)set->num_edges,
                            "directedness", directedness_words[set->directedness == QN_UNDIRECTED],
                            "weights", qn_weight_type_name(set->weight_type), "in_edges",
                            set->in_edges, "fingerprint", hash_json(set->fingerprint));
  if (set->has_origin)
    json_object_set_new(graph, "identity", hash_json(set->origin));
  return graph;
}

json_t *qn_set_describe(const struct qn_set *set) {
  json_t *blocks = json_array();
  for (uint64_t i = 0; i < set->num_parts; i++)
    json_array_append_new(blocks, block_json(&set->parts[i]));
  json_t *manifest = json_pack(
      "{s:s, s:i, s:o*, s:o, s:o, s:s, s:s, s:o, s:o}", "format", FORMAT, "version",
      (int)set->version, "required_features", features_json(set), "identity",
      hash_json(set->identity), "graph", graph_json(set), "rows", qn_set_rows_words[set->rows],
      "layout", qn_layout_name(set->layout), "vertices", vertices_json(set), "blocks", blocks);
  if (qn_set_is_typed(set))
    qn_set_add_types(set, manifest);
  if (qn_set_is_changed(set))
    qn_set_add_generations(set, manifest);
  return manifest;
}

bool qn_set_takes(enum qn_layout layout) {
  return layout == QN_LAYOUT_GRAPH || layout == QN_LAYOUT_PACKED;
}

char *qn_set_manifest_text(const struct qn_set *set, const char *tool, struct qn_error *error) {
  json_t *manifest = qn_set_describe(set);
  json_object_set_new(manifest, "tool", json_string(tool));
  json_object_set_new(manifest, "tool_version", json_string(QN_VERSION));
  char *text = manifest ? json_dumps(manifest, JSON_INDENT(2) | JSON_SORT_KEYS) : NULL;
  json_decref(manifest);
  if (!text)
    qn_fail_memory(error, "the manifest of a set", 0);
  return text;
}

void qn_set_part_name(uint64_t index, char name[32]) {
  snprintf(name, 32, "part-%05" PRIu64 ".qrn", index);
}

void qn_set_vertices_name(uint64_t index, uint64_t num_ranges, char name[32]) {
  if (num_ranges == 1)
    strcpy(name, "vertices.qrn");
  else
    snprintf(name, 32, "vertices-%05" PRIu64 ".qrn", index);
}
