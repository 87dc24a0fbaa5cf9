/* Reading the files of an import, and those that they name. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "converters/format.h"
#include "converters/import/properties.h"
#include "converters/import/shares.h"
#include "converters/import/state.h"
#include "converters/parse/names.h"
#include "converters/provenance.h"
#include "formats/container/stripes.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/threads.h"
#include "support/used_files.h"

/* Readers that name vertices share a map of names, but cannot join what others have numbered. */
static bool join(const struct qn_reader *a, const struct qn_reader *b) {
  return a->release == b->release && (!a->release || a->release == qn_names_release);
}

static enum qn_status choose_reader(struct qn_import *import, struct qn_input *input,
                                    struct qn_error *error) {
  const struct qn_import_options *options = import->options;
  const struct qn_reader *before = import->reader;
  bool named = options->read.strings || options->read.bipartite == QN_BIPARTITE_YES;
  const char *format =
      named && strcmp(options->format, "edges") == 0 ? "named-edges" : options->format;
  enum qn_status status = strcmp(format, "auto") != 0
                              ? qn_reader_by_name(format, &import->reader, error)
                              : qn_reader_detect(input, &options->read, &import->reader, error);
  if (status)
    return status;
  if (!before || before == import->reader || join(before, import->reader))
    return QN_OK;
  qn_fail(error, QN_INVALID,
          "this input is %s, but those before are %s; --format or --ids=strings "
          "makes all the same",
          import->reader->name, before->name);
  import->reader = before;
  return qn_error_in_file(error, qn_input_name(input));
}

/* Unpacking takes a processor all the time, and parsing less: a thread more would only compete with
 * it, waiting for the next block. Returns the number of threads before. */
static unsigned leave_thread_to_unpack(const struct qn_input *input) {
  unsigned threads = qn_threads();
  if (threads > 1 && strcmp(qn_input_packing(input), "plain") != 0)
    qn_threads_set(threads - 1);
  return threads;
}

/* Of what lies in an archive the digest is the archive's. */
static enum qn_status check_digest(const struct qn_import *import, const struct qn_input *input,
                                   const struct qn_input_digest *digest, struct qn_error *error) {
  const struct qn_input_digest *expected = import->expected;
  if (!expected || !expected->xxh3_128[0] || strcmp(qn_input_packing(input), "plain") != 0 ||
      (expected->bytes == digest->bytes && strcmp(expected->xxh3_128, digest->xxh3_128) == 0))
    return QN_OK;
  qn_fail(error, QN_INVALID,
          "this is not the file that is announced: %" PRIu64 " bytes with the hash %s, but there "
          "are %" PRIu64 " with %s",
          expected->bytes, expected->xxh3_128, digest->bytes, digest->xxh3_128);
  return qn_error_in_file(error, qn_input_name(input));
}

/* A striped container is named by its main file, but all of it is the input. */
static enum qn_status digest_stripes(const struct qn_import *import, const struct qn_input *input,
                                     struct qn_input_digest *digest, struct qn_error *error) {
  struct qn_container *container;
  if (!qn_stripes_recognise(qn_input_name(input)))
    return QN_OK;
  enum qn_status status = qn_container_map(qn_input_name(input), 0, &container, error);
  if (status)
    return status;
  const uint64_t bytes = qn_container_info(container)->file_bytes;
  const XXH128_hash_t hash = XXH3_128bits(qn_container_bytes(container), bytes);
  qn_digest_set(digest, bytes, hash.low64, hash.high64);
  if (import->job->output)
    status = qn_used_files_kept(import->job->output, error);
  if (!status)
    status = qn_container_unchanged(container, error);
  qn_container_unmap(container);
  return status;
}

/* Is the graph what the rows of its only input are? */
static bool takes_rows(const struct qn_import *import) {
  const struct qn_build *build = &import->options->build;
  return import->job->num_inputs == 1 && !import->job->ranks && !build->undirected &&
         build->self_loops == QN_SELF_LOOPS_KEEP && build->ids != QN_ID_COMPACT &&
         (build->weights == QN_WEIGHTS_AUTO || build->weights == QN_WEIGHTS_NONE) &&
         !qn_import_wants_properties(import);
}

/* What properties can be read from. */
static void note_kind(struct qn_import *import) {
  const char *name = import->reader->name;
  if (import->reader->gives_properties)
    import->read_elements = true;
  else if (strcmp(name, "edges") == 0 || strcmp(name, "named-edges") == 0)
    import->read_tables = true;
  else
    import->without_properties = name;
}

static enum qn_status read_input(struct qn_import *import, struct qn_input *input,
                                 const struct qn_reader *reader, uint64_t *sequence,
                                 struct qn_error *error) {
  const struct qn_import_options *options = import->options;
  struct qn_read_result *result = &import->result;
  struct qn_read_options read = options->read;
  struct qn_input_digest digest;
  const bool is_alone = import->job->num_inputs == 1;
  bool forced = reader || strcmp(options->format, "auto") != 0;
  enum qn_status status = QN_OK;
  if (reader)
    import->reader = reader;
  else
    status = choose_reader(import, input, error);
  if (status)
    return status;
  note_kind(import);
  import->only_vertices = !forced && is_alone && strcmp(import->reader->name, "vertices") == 0;
  result->description[0] = 0;
  qn_progress_begin("reading", "bytes", 0);
  unsigned threads = leave_thread_to_unpack(input);
  read.alone = is_alone;
  read.takes_rows = takes_rows(import);
  status = import->reader->read(input, &read, import->list, sequence, result, error);
  qn_threads_set(threads);
  qn_progress_end();
  if (status == QN_INVALID)
    status = qn_input_explain(input, error);
  if (status)
    return status;
  if (!forced)
    qn_reader_compare_name(import->reader, input);
  qn_notice("%s: %s, %s%s%s%s", qn_input_name(input), qn_input_packing(input), import->reader->name,
            forced ? "" : " (--format forces another)", result->description[0] ? ": " : "",
            result->description);
  if ((status = qn_input_digest(input, &digest, error)) ||
      (status = check_digest(import, input, &digest, error)))
    return status;
  if (import->share && import->share->is_part)
    qn_input_hash_part(input, &import->share->hash);
  if (import->share && !import->share->first)
    return QN_OK;
  if (import->share)
    import->share->listed = json_array_size(json_object_get(import->report->provenance, "inputs"));
  if ((status = digest_stripes(import, input, &digest, error)))
    return status;
  return qn_provenance_input(import->report->provenance, qn_input_base_name(input),
                             import->reader->name, &digest, error);
}

static void close_input(void *input) {
  qn_input_close(input);
}

static enum qn_status read_path(struct qn_import *import, const char *path, const char *member,
                                const struct qn_reader *reader, uint64_t *sequence,
                                struct qn_error *error) {
  struct qn_input_options how = import->options->input;
  struct qn_input *input;
  how.member = member;
  how.regular = import->expected != NULL;
  if (import->share) {
    how.part_begin = import->share->begin;
    how.part_end = import->share->is_part ? import->share->end : 0;
    how.unhashed = !import->share->first && !import->share->is_part;
  }
  enum qn_status status = qn_input_kept(import->job->output, path, error);
  if (!status) /* which what names others has just named, if it was not on the command line */
    status = qn_input_open(path, &how, &input, error);
  if (status)
    return status;
  if (import->state)
    *import->state = qn_input_state(input);
  import->state = NULL; /* what it names is not read again */
  import->result.keeps_input = false;
  status = qn_input_unwritten(input, read_input(import, input, reader, sequence, error), error);
  if (!status && import->result.keeps_input)
    status = qn_edge_list_keep(import->list, input, close_input, error);
  if (status || !import->result.keeps_input)
    qn_input_close(input);
  return status;
}

/* Do the inputs that `path` named hold what it said, beyond what was there before? */
static enum qn_status check_named(const struct qn_import *import,
                                  const struct qn_named_inputs *named,
                                  const struct qn_read_result *before, const char *path,
                                  struct qn_error *error) {
  const struct qn_read_result *result = &import->result;
  uint64_t vertices = result->vertices_listed - before->vertices_listed;
  uint64_t edges = result->ledger.edges_read - before->ledger.edges_read + result->ledger.rejected -
                   before->ledger.rejected;
  if (!named->counted || (named->num_vertices == vertices && named->num_edges == edges))
    return QN_OK;
  qn_fail(error, QN_INVALID,
          "%" PRIu64 " vertices and %" PRIu64 " edges are announced here, but there are %" PRIu64
          " and %" PRIu64,
          named->num_vertices, named->num_edges, vertices, edges);
  return qn_error_in_file(error, path);
}

/* As read_path, of what `path` has named, which may not name others in its turn. */
static enum qn_status read_named_path(struct qn_import *import, const struct qn_named_input *input,
                                      const char *path, uint64_t *sequence,
                                      struct qn_error *error) {
  struct qn_input_share *share = import->share;
  if (access(input->path, F_OK) != 0 && !strchr(input->path, ':')) {
    qn_fail(error, QN_SYSTEM, "names the file %.200s, which is not there", input->path);
    return qn_error_in_file(error, path);
  }
  import->expected = &input->digest;
  import->share = NULL; /* the whole of it is this rank's */
  enum qn_status status = read_path(import, input->path, NULL, input->reader, sequence, error);
  import->expected = NULL;
  import->share = share;
  if (status || import->result.named.count == 0)
    return status;
  qn_fail(error, QN_INVALID, "this was named by another file, but names files itself");
  return qn_error_in_file(error, input->path);
}

/* Read what the input that was read last has named. */
static enum qn_status read_named(struct qn_import *import, const char *path, uint64_t *sequence,
                                 struct qn_error *error) {
  const struct qn_read_result before = import->result;
  struct qn_named_inputs named = import->result.named;
  import->result.named = (struct qn_named_inputs){0};
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < named.count && !status; i++)
    status = read_named_path(import, &named.inputs[i], path, sequence, error);
  if (!status)
    status = check_named(import, &named, &before, path, error);
  qn_named_inputs_release(&named);
  return status;
}

static enum qn_status read_argument(struct qn_import *import, const char *path, uint64_t *sequence,
                                    struct qn_error *error) {
  const struct qn_reader *before = import->reader;
  enum qn_status status =
      read_path(import, path, import->options->input.member, NULL, sequence, error);
  import->names_others |= import->result.named.count != 0;
  if (!status && import->result.named.count)
    import->reader = before; /* who names inputs has read no vertices */
  return status ? status : read_named(import, path, sequence, error);
}

enum qn_status qn_import_path_read(struct qn_import *import, const char *path,
                                   const struct qn_reader *reader, uint64_t *sequence,
                                   struct qn_error *error) {
  return read_path(import, path, NULL, reader, sequence, error);
}

/* What this rank has of an input; who has its begin tells of it. */
static enum qn_status read_share(struct qn_import *import, const char *path,
                                 struct qn_input_share *share, uint64_t *sequence,
                                 struct qn_error *error) {
  struct qn_read_result *result = &import->result;
  const bool others = import->job->ranks->num_ranks > 1;
  uint64_t before = result->ledger.edges_read, declared = result->num_vertices;
  if (!share->reads)
    return QN_OK;
  result->claims = (struct qn_claims){0};
  import->share = share;
  if (others)
    qn_progress_mute(!share->first);
  enum qn_status status = read_argument(import, path, sequence, error);
  if (others)
    qn_progress_mute(import->job->ranks->rank != 0);
  import->share = NULL;
  share->found = result->ledger.edges_read - before;
  share->claims = result->claims;
  if (share->first && result->num_vertices != declared)
    import->declares = path;
  return status;
}

/* ---- Directions ------------------------------------------------------------- */

/* Inputs with edges, of both kinds: which of them came first. */
struct directions {
  const char *symmetric, *others;
  bool were_symmetric; /* before the input that is read */
  uint64_t edges;      /* the same */
};

enum qn_status qn_import_fail_directions(const char *symmetric, const char *other,
                                         struct qn_error *error) {
  qn_fail(error, QN_INVALID,
          "the edges of this file are undirected, and those of %.200s are not said to be: "
          "--undirected takes all as undirected",
          other);
  return qn_error_in_file(error, symmetric);
}

static void begin_directions(struct qn_import *import, struct directions *directions) {
  directions->were_symmetric = import->result.symmetric;
  directions->edges = import->result.ledger.edges_read;
  import->result.symmetric = false;
}

/* An input that says that its edges are undirected says nothing of those of others. */
static enum qn_status add_direction(struct qn_import *import, int input,
                                    struct directions *directions, struct qn_error *error) {
  struct qn_read_result *result = &import->result;
  const bool is_symmetric = result->symmetric;
  const char **first = is_symmetric ? &directions->symmetric : &directions->others;
  result->symmetric |= directions->were_symmetric;
  if (result->ledger.edges_read == directions->edges || import->options->build.undirected)
    return QN_OK;
  if (import->shares) { /* compared when all ranks have read theirs */
    import->shares[input].is_symmetric = is_symmetric;
    return QN_OK;
  }
  *first = *first ? *first : import->job->inputs[input];
  return directions->symmetric && directions->others
             ? qn_import_fail_directions(directions->symmetric, directions->others, error)
             : QN_OK;
}

enum qn_status qn_import_files_read(struct qn_import *import, uint64_t *sequence,
                                    struct qn_error *error) {
  const struct qn_import_job *job = import->job;
  struct directions directions = {0};
  enum qn_status status = QN_OK;
  for (int i = 0; i < job->num_inputs && !status; i++) {
    begin_directions(import, &directions);
    import->state = import->states ? &import->states[i] : NULL;
    status = import->shares
                 ? read_share(import, job->inputs[i], &import->shares[i], sequence, error)
                 : read_argument(import, job->inputs[i], sequence, error);
    if (!status)
      status = add_direction(import, i, &directions, error);
  }
  return status;
}

enum qn_status qn_import_elements_read(struct qn_import *import, const char *path,
                                       const struct qn_input_options *how,
                                       struct qn_element_records *records,
                                       struct qn_edge_list *list, uint64_t *sequence,
                                       struct qn_error *error) {
  struct qn_read_result result = {.num_vertices = QN_VERTICES_FROM_EDGES};
  struct qn_read_options options = import->options->read;
  struct qn_input *input;
  options.records = records;
  options.alone = true; /* weights were looked at */
  enum qn_status status = qn_input_open(path, how, &input, error);
  if (status)
    return status;
  import->reader = NULL;
  status = choose_reader(import, input, error);
  qn_progress_begin("reading", "properties", 0);
  if (!status && !import->reader->gives_properties)
    status = qn_fail(error, QN_SYSTEM, "the input changed while it was read");
  if (!status)
    status = import->reader->read(input, &options, list, sequence, &result, error);
  qn_progress_end();
  status = qn_input_unwritten(input, status, error);
  if (status == QN_INVALID)
    status = qn_input_explain(input, error);
  if (import->reader && import->reader->release)
    import->reader->release(&result);
  qn_named_inputs_release(&result.named);
  qn_free(result.extra_ids);
  qn_input_close(input);
  return status;
}

/* ---- Places of what is wrong ---------------------------------------------- */

/* Say in which line an edge occurs again that may not; standard input cannot be read again. */
void qn_import_locate_repeated(struct qn_import *import, const uint64_t ends[2],
                               struct qn_error *error) {
  const struct qn_import_options *options = import->options;
  const struct qn_import_job *job = import->job;
  struct qn_input *input;
  uint64_t line;
  if (ends[0] == UINT64_MAX || job->num_inputs != 1 || !import->reader || !import->reader->locate ||
      strcmp(job->inputs[0], "-") == 0 ||
      qn_input_open(job->inputs[0], &options->input, &input, NULL))
    return;
  if (!import->reader->locate(input, &options->read, ends[0], ends[1], &line, NULL) && line)
    qn_error_at_line(error, qn_input_name(input), line, 1);
  qn_input_close(input);
}

/* Weights are rounded because one is real: say where that is. */
void qn_import_locate_real(struct qn_import *import, struct qn_error *error) {
  const struct qn_import_options *options = import->options;
  const struct qn_import_job *job = import->job;
  struct qn_read_options whole = options->read;
  struct qn_read_result result = {.num_vertices = QN_VERTICES_FROM_EDGES};
  struct qn_edge_list *list = NULL;
  struct qn_input *input = NULL;
  struct qn_error found;
  uint64_t sequence = 0;
  whole.weights = QN_WEIGHTS_I64;
  whole.max_bad = 0;
  if (job->num_inputs != 1 || !import->reader || strcmp(job->inputs[0], "-") == 0 ||
      qn_edge_list_create(&list, NULL) ||
      qn_input_open(job->inputs[0], &options->input, &input, NULL))
    goto cleanup;
  if (import->reader->read(input, &whole, list, &sequence, &result, &found) == QN_INVALID &&
      found.line)
    qn_error_at_line(error, found.file, found.line, found.column);
cleanup:
  if (import->reader && import->reader->release)
    import->reader->release(&result);
  qn_input_close(input);
  qn_edge_list_destroy(list);
  qn_named_inputs_release(&result.named);
  qn_free(result.extra_ids);
}
