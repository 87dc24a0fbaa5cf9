#include "tools/run/graphalytics.h"

#include <dirent.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/atomic_folder.h"
#include "support/progress.h"
#include "support/threads.h"
#include "support/tool.h"
#include "support/used_files.h"
#include <quern/import.h>
#include <quern/run.h>

#define PATH_BYTES 4096
#define TEXT_BYTES 256
#define ENDING ".properties"

/* An algorithm of the benchmark: ours, and its parameters, as options of ours. */
struct algorithm {
  const char *name, *file, *ours;
  struct {
    const char *key, *option; /* graph.NAME.key; NULL: none */
  } parameters[2];
  struct qn_option fixed; /* name NULL: none */
};

static const struct algorithm algorithms[] = {
    {"bfs", "BFS", "bfs", {{"bfs.source-vertex", "source"}}, {0}},
    {"cdlp", "CDLP", "cdlp", {{"cdlp.max-iterations", "iterations"}}, {0}},
    {"lcc", "LCC", "lcc", {{NULL, NULL}}, {0}},
    {"pr",
     "PR",
     "pagerank",
     {{"pr.damping-factor", "damping"}, {"pr.num-iterations", "iterations"}},
     {"tolerance", "0"}},
    {"sssp", "SSSP", "sssp", {{"sssp.source-vertex", "source"}}, {0}},
    {"wcc", "WCC", "cc", {{NULL, NULL}}, {0}},
};

struct work {
  const struct qn_graphalytics_options *options;
  char path[PATH_BYTES]; /* of the properties */
  char name[TEXT_BYTES]; /* of the graph */
  char *text;            /* of the properties */
  struct qn_session *session;
  struct qn_session_info info;
  struct qn_atomic_folder *folder; /* NULL: nothing is written */
  double import_seconds;
  json_t *runs;
};

/* ---- Properties --------------------------------------------------------------------------------
 */

static bool ends_in(const char *text, const char *ending) {
  const size_t length = strlen(text), tail = strlen(ending);
  return length > tail && strcmp(text + length - tail, ending) == 0;
}

/* The one file of properties in a folder. */
static enum qn_status find_in_folder(struct work *work, struct qn_error *error) {
  DIR *folder = opendir(work->options->path);
  if (!folder)
    return qn_fail_errno(error, "%s: cannot read the folder", work->options->path);
  unsigned count = 0;
  for (const struct dirent *entry; (entry = readdir(folder));)
    if (ends_in(entry->d_name, ENDING) && count++ == 0 &&
        snprintf(work->path, sizeof work->path, "%s/%s", work->options->path, entry->d_name) >=
            (int)sizeof work->path)
      count = 0;
  closedir(folder);
  return count == 1
             ? QN_OK
             : qn_fail(error, QN_USAGE, "%s has %u files NAME" ENDING "; name the one of the graph",
                       work->options->path, count);
}

static enum qn_status find_properties(struct work *work, struct qn_error *error) {
  struct stat about;
  enum qn_status status = QN_OK;
  if (stat(work->options->path, &about) == 0 && S_ISDIR(about.st_mode))
    status = find_in_folder(work, error);
  else if (ends_in(work->options->path, ENDING) && strlen(work->options->path) < sizeof work->path)
    strcpy(work->path, work->options->path);
  else
    status =
        qn_fail(error, QN_USAGE, "graphalytics is run on NAME" ENDING " or its folder, not on %s",
                work->options->path);
  if (status)
    return status;
  const char *base = strrchr(work->path, '/') ? strrchr(work->path, '/') + 1 : work->path;
  const size_t length = strlen(base) - strlen(ENDING);
  if (length >= sizeof work->name)
    return qn_fail(error, QN_USAGE, "the name of %s is too long", work->path);
  memcpy(work->name, base, length);
  return QN_OK;
}

static enum qn_status read_properties(struct work *work, struct qn_error *error) {
  enum { MOST = 1 << 20 };
  int descriptor;
  enum qn_status status = qn_file_open_regular(work->path, &descriptor, error);
  if (status)
    return status;
  FILE *file = fdopen(descriptor, "r");
  if (!file)
    return qn_fail_errno(error, "%s: cannot open", work->path);
  work->text = calloc(1, MOST + 1);
  const size_t bytes = work->text ? fread(work->text, 1, MOST, file) : 0;
  const bool failed = ferror(file) || bytes == MOST;
  fclose(file);
  if (!work->text)
    return qn_fail_memory(error, "properties", MOST);
  return failed ? qn_fail(error, QN_INVALID, "%s: no file of properties", work->path) : QN_OK;
}

/* The value of graph.NAME.key, without blanks around it; false if it is not there. */
static bool find_value(const struct work *work, const char *key, char value[TEXT_BYTES]) {
  char whole[2 * TEXT_BYTES];
  const size_t length = (size_t)snprintf(whole, sizeof whole, "graph.%s.%s", work->name, key);
  for (const char *line = work->text; line; line = strchr(line, '\n')) {
    line += strspn(line, " \t\r\n");
    const char *rest = line + length;
    if (strncmp(line, whole, length) != 0 || !strchr(" \t=:", *rest))
      continue;
    rest += strspn(rest, " \t");
    rest += *rest == '=' || *rest == ':';
    rest += strspn(rest, " \t");
    size_t end = strcspn(rest, "\r\n");
    while (end > 0 && strchr(" \t", rest[end - 1]))
      end--;
    snprintf(value, TEXT_BYTES, "%.*s", (int)(end < TEXT_BYTES ? end : TEXT_BYTES - 1), rest);
    return true;
  }
  return false;
}

/* Does the list "bfs, cdlp, ..." have the word? */
static bool has_word(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (list += strspn(list, " ,"); *list; list += strspn(list, " ,")) {
    const size_t here = strcspn(list, " ,");
    if (here == length && memcmp(list, word, length) == 0)
      return true;
    list += here;
  }
  return false;
}

/* ---- Output ------------------------------------------------------------------------------------
 */

static void print_id(FILE *file, const struct qn_id_arrays *ids, uint64_t vertex) {
  if (ids->form == QN_ID_FORM_STRINGS)
    fwrite(ids->bytes + ids->offsets[vertex], 1, ids->offsets[vertex + 1] - ids->offsets[vertex],
           file);
  else
    fprintf(file, "%" PRIu64, ids->form == QN_ID_FORM_NUMBERS ? ids->numbers[vertex] : vertex);
}

/* As the benchmark writes them: hops that are none are the largest number of 64 bits, distances
 * Infinity. */
static void print_value(FILE *file, const struct qn_id_arrays *ids,
                        const struct qn_result_column *column, uint64_t vertex) {
  double real = 0;
  uint64_t whole = 0;
  bool is_real = column->type == QN_TYPE_F32 || column->type == QN_TYPE_F64, is_none;
  if (column->type == QN_TYPE_U32)
    is_none = (whole = ((const uint32_t *)column->data)[vertex]) == UINT32_MAX;
  else if (column->type == QN_TYPE_U64)
    is_none = (whole = ((const uint64_t *)column->data)[vertex]) == UINT64_MAX;
  else
    is_none = isinf(real = column->type == QN_TYPE_F32 ? ((const float *)column->data)[vertex]
                                                       : ((const double *)column->data)[vertex]);
  if (column->is_vertex && !is_none)
    print_id(file, ids, whole);
  else if (is_none)
    fputs(is_real || column->type == QN_TYPE_U64 ? "Infinity" : "9223372036854775807", file);
  else if (is_real)
    fprintf(file, "%.15e", real);
  else
    fprintf(file, "%" PRIu64, whole);
}

static enum qn_status write_values(struct work *work, const struct algorithm *algorithm,
                                   const struct qn_result *result, struct qn_error *error) {
  char name[TEXT_BYTES + 16];
  const char *path;
  struct qn_result_column column = {.size = sizeof column};
  struct qn_id_arrays ids = {.size = sizeof ids};
  snprintf(name, sizeof name, "%s-%s", work->name, algorithm->file);
  enum qn_status status = qn_atomic_folder_add(work->folder, name, &path, error);
  if (!status)
    status = qn_result_column(result, 0, &column, error);
  if (!status)
    status = qn_session_ids(work->session, &ids, error);
  FILE *file = status ? NULL : fopen(path, "we");
  if (status)
    return status;
  if (!file)
    return qn_fail_errno(error, "%s: cannot write", path);
  for (uint64_t v = 0; v < column.count; v++) {
    print_id(file, &ids, v);
    putc(' ', file);
    print_value(file, &ids, &column, v);
    putc('\n', file);
  }
  const bool failed = ferror(file);
  return fclose(file) || failed ? qn_fail_errno(error, "%s: cannot write", path) : QN_OK;
}

/* ---- Runs --------------------------------------------------------------------------------------
 */

static void print_notice(void *user, const char *text) {
  (void)user;
  qn_notice("%s", text);
}

static struct qn_job make_job(void) {
  return (struct qn_job){
      .size = sizeof(struct qn_job), .threads = qn_threads(), .notice = print_notice};
}

static enum qn_status import(struct work *work, struct qn_error *error) {
  const struct qn_option options[] = {{"format", "graphalytics"}, {"transpose", "also"}};
  const struct qn_job job = make_job();
  const char *const paths[] = {work->path};
  const double begin = qn_seconds();
  enum qn_status status = qn_import_files(paths, 1, options, 2, NULL, &job, &work->session, error);
  work->import_seconds = qn_seconds() - begin;
  work->info.size = sizeof work->info;
  if (!status)
    qn_session_info(work->session, &work->info);
  return status;
}

/* Options for a run; how many there are, 0 if a parameter lacks. */
static enum qn_status find_options(const struct work *work, const struct algorithm *algorithm,
                                   struct qn_option options[4], char values[2][TEXT_BYTES],
                                   uint64_t *count, struct qn_error *error) {
  options[(*count)++] = (struct qn_option){"device", work->options->device};
  if (algorithm->fixed.name)
    options[(*count)++] = algorithm->fixed;
  for (unsigned i = 0; i < 2 && algorithm->parameters[i].key; i++) {
    if (!find_value(work, algorithm->parameters[i].key, values[i])) {
      qn_fail(error, QN_INVALID, "no property says graph.%s.%s, which %s needs", work->name,
              algorithm->parameters[i].key, algorithm->name);
      return qn_error_in_file(error, work->path);
    }
    options[(*count)++] = (struct qn_option){algorithm->parameters[i].option, values[i]};
  }
  return QN_OK;
}

static void note_run(struct work *work, const struct algorithm *algorithm,
                     const struct qn_result *result, double seconds) {
  struct qn_result_info info = {.size = sizeof info};
  qn_result_info(result, &info);
  const double things = (double)(work->info.num_vertices + work->info.num_edges);
  json_array_append_new(
      work->runs, json_pack("{s:s, s:s, s:s, s:I, s:f, s:f, s:f}", "algorithm", algorithm->name,
                            "device", info.device, "kernel", info.kernel, "iterations",
                            (json_int_t)info.iterations, "seconds", seconds, "kernel_seconds",
                            info.run_seconds, "evps", seconds > 0 ? things / seconds : 0.0));
}

static enum qn_status run_algorithm(struct work *work, const struct algorithm *algorithm,
                                    struct qn_error *error) {
  struct qn_option options[4];
  char values[2][TEXT_BYTES];
  uint64_t count = 0;
  struct qn_result *result = NULL;
  const struct qn_job job = make_job();
  enum qn_status status = find_options(work, algorithm, options, values, &count, error);
  const double begin = qn_seconds();
  if (!status)
    status = qn_session_run(work->session, algorithm->ours, options, count, &job, &result, error);
  if (!status)
    note_run(work, algorithm, result, qn_seconds() - begin);
  if (!status && work->folder)
    status = write_values(work, algorithm, result, error);
  qn_result_close(result);
  return status;
}

static enum qn_status run_listed(struct work *work, struct qn_error *error) {
  char list[TEXT_BYTES];
  enum qn_status status = QN_OK;
  if (!find_value(work, "algorithms", list)) {
    qn_fail(error, QN_INVALID, "no property says graph.%s.algorithms", work->name);
    return qn_error_in_file(error, work->path);
  }
  for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms && !status; i++)
    if (has_word(list, algorithms[i].name))
      status = run_algorithm(work, &algorithms[i], error);
  return status;
}

/* ---- Report ------------------------------------------------------------------------------------
 */

static void print_runs(const struct work *work) {
  size_t i;
  const json_t *run;
  printf("%s: %" PRIu64 " vertices, %" PRIu64 " edges stored, imported in %.3f s\n", work->name,
         work->info.num_vertices, work->info.num_edges, work->import_seconds);
  printf("  %-6s %-6s %12s %12s %12s\n", "", "device", "iterations", "seconds", "M EVPS");
  json_array_foreach(work->runs, i, run) {
    printf("  %-6s %-6s %12" JSON_INTEGER_FORMAT " %12.6f %12.1f\n",
           json_string_value(json_object_get(run, "algorithm")),
           json_string_value(json_object_get(run, "device")),
           json_integer_value(json_object_get(run, "iterations")),
           json_real_value(json_object_get(run, "seconds")),
           json_real_value(json_object_get(run, "evps")) / 1e6);
  }
}

static void report(const struct work *work) {
  if (!work->options->json) {
    print_runs(work);
    return;
  }
  qn_tool_print_json(json_pack("{s:s, s:I, s:I, s:f, s:O}", "graph", work->name, "vertices",
                               (json_int_t)work->info.num_vertices, "edges",
                               (json_int_t)work->info.num_edges, "import_seconds",
                               work->import_seconds, "runs", work->runs));
}

enum qn_status qn_graphalytics(const struct qn_graphalytics_options *options,
                               struct qn_error *error) {
  struct work work = {.options = options, .runs = json_array()};
  enum qn_status status = find_properties(&work, error);
  if (!status)
    status = read_properties(&work, error);
  if (!status && options->output)
    status = qn_atomic_folder_create(options->output, options->force, &work.folder, error);
  if (!status)
    status = import(&work, error);
  if (!status)
    status = run_listed(&work, error);
  if (!status && work.folder)
    status = qn_atomic_folder_commit(work.folder, error);
  else
    qn_atomic_folder_abort(work.folder);
  if (!status)
    report(&work);
  json_decref(work.runs);
  qn_session_close(work.session);
  free(work.text);
  return status;
}
