#include "converters/import/import.h"

#include <inttypes.h>
#include <string.h>

#include "converters/blocks/build.h"
#include "converters/distributed/distributed.h"
#include "converters/import/properties.h"
#include "converters/import/shares.h"
#include "converters/import/state.h"
#include "converters/import/vertex_names.h"
#include "converters/input_estimate.h"
#include "converters/input_paths.h"
#include "converters/parse/names.h"
#include "converters/provenance.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/output_stream.h"
#include "support/progress.h"
#include "support/text/url.h"
#include "support/threads.h"
#include "support/used_files.h"
#include <quern/metadata.h>

/* --vertices, unless the input says otherwise. */
static enum qn_status declare_vertices(struct qn_import *import, struct qn_error *error) {
  uint64_t given = import->options->read.num_vertices, *found = &import->result.num_vertices;
  if (!given || *found == given)
    return QN_OK;
  if (*found != QN_VERTICES_FROM_EDGES || import->result.names.kind != QN_IDS_DENSE ||
      import->result.names_map)
    return qn_fail(
        error, QN_INVALID,
        "the input says itself what its vertices are; --vertices=%" PRIu64 " does not fit", given);
  *found = given;
  return QN_OK;
}

/* Reverses of edges, and entries of matrices, may leave parallel edges. */
static void note_parallel(const struct qn_import *import) {
  const struct qn_read_result *result = &import->result;
  const bool is_undirected = import->options->build.undirected || result->symmetric;
  if (result->adds_up && (!is_undirected || result->symmetric))
    qn_ledger_note_sums(&result->ledger);
  else if (!result->symmetric || result->listed_once)
    qn_ledger_note_parallel(&result->ledger, "--duplicates=remove");
}

static enum qn_status check_strict(const struct qn_import *import, struct qn_error *error) {
  enum qn_status status = import->options->strict ? qn_notes_refuse_warnings(error) : QN_OK;
  return status && import->job->num_inputs == 1 ? qn_error_in_file(error, import->job->inputs[0])
                                                : status;
}

static enum qn_status complete_provenance(const struct qn_import *import, struct qn_error *error) {
  note_parallel(import);
  enum qn_status status = check_strict(import, error);
  return status ? status
                : qn_provenance_ledger(import->report->provenance, &import->result.ledger, error);
}

/* The first rank's. */
static enum qn_status write_set_metadata(void *context, struct qn_writer *writer,
                                         struct qn_error *error) {
  const struct qn_import *import = context;
  enum qn_status status = complete_provenance(import, error);
  return status ? status : qn_writer_metadata(writer, import->report->provenance, error);
}

/* Blocks of another layout are built one by one. */
static enum qn_status check_builder(const struct qn_import *import, struct qn_error *error) {
  const struct qn_import_job *job = import->job;
  const bool is_set = job->ranks && job->ranks->num_ranks == 1 && job->set.block_vertices;
  if (!job->builder || (is_set && !qn_import_wants_properties(import)))
    return QN_OK;
  return qn_fail(error, QN_USAGE,
                 "a set is packed as it is made by --block-vertices, by one process, of a graph "
                 "without properties; quern-pack packs others");
}

/* Can a set be built block by block? */
static bool takes_blocks(const struct qn_import *import) {
  const struct qn_import_job *job = import->job;
  return job->ranks && job->set.block_vertices && job->ranks->num_ranks == 1;
}

/* May there be more vertices than 32 bits number, or more ids than memory takes? */
static bool is_beyond(const struct qn_import *import, const struct qn_build *build) {
  const struct qn_import_job *job = import->job;
  const struct qn_string_map *names = import->result.names_map;
  const uint64_t most = job->most_vertices ? job->most_vertices : UINT32_MAX;
  if (!takes_blocks(import))
    return false;
  return job->builder || (names ? qn_string_map_runs(names) || qn_string_map_count(names) > most
                                : qn_blocks_are_needed(import->list, build, most));
}

static enum qn_status build_blocks(struct qn_import *import, const struct qn_build *build,
                                   struct qn_error *error) {
  const struct qn_import_job *job = import->job;
  const struct qn_read_result *result = &import->result;
  const struct qn_blocks_job blocks = {.list = import->list,
                                       .build = build,
                                       .names = result->names_map,
                                       .names_may_be_numbers =
                                           result->number_names && !result->string_names,
                                       .set = &job->set,
                                       .builder = job->builder,
                                       .path = job->output,
                                       .replace = job->replace,
                                       .write_metadata = write_set_metadata,
                                       .context = import};
  if (qn_import_wants_properties(import))
    return qn_fail(error, QN_UNSUPPORTED,
                   "properties are known of at most 2^32 - 1 vertices, whose ids fit into memory");
  return qn_blocks_build(&blocks, &import->result.ledger, &import->report->set, error);
}

static enum qn_status spread_set(struct qn_import *import, const struct qn_build *build,
                                 struct qn_error *error) {
  const struct qn_distributed_job job = {.ranks = import->job->ranks,
                                         .list = import->list,
                                         .build = build,
                                         .result = &import->result,
                                         .set = &import->job->set,
                                         .path = import->job->output,
                                         .replace = import->job->replace,
                                         .write_metadata = write_set_metadata,
                                         .read_properties = qn_import_wants_properties(import)
                                                                ? qn_import_distributed_properties
                                                                : NULL,
                                         .context = import};
  enum qn_status status = qn_distributed(&job, &import->result.ledger, &import->report->set, error);
  qn_import_distributed_release(import);
  return status;
}

static enum qn_status build_set(struct qn_import *import, const struct qn_build *build,
                                struct qn_error *error) {
  struct qn_import_report *report = import->report;
  enum qn_status status = is_beyond(import, build) ? build_blocks(import, build, error)
                                                   : spread_set(import, build, error);
  if (!status)
    report->info = qn_set_info(report->set);
  return status;
}

struct qn_build qn_import_build(const struct qn_import *import) {
  const struct qn_read_result *result = &import->result;
  struct qn_build build = import->options->build;
  build.num_vertices = result->num_vertices;
  build.extra_ids = result->extra_ids;
  build.num_extra_ids = result->num_extra_ids;
  build.names = result->names.kind == QN_IDS_DENSE ? NULL : &result->names;
  build.undirected |= result->symmetric;
  build.already_symmetric = result->already_symmetric;
  build.check_symmetric = result->check_symmetric;
  build.count_parallel = result->adds_up;
  build.rows = result->rows.write ? &result->rows : NULL;
  return build;
}

static enum qn_status build(struct qn_import *import, struct qn_error *error) {
  const struct qn_read_result *result = &import->result;
  struct qn_build build = qn_import_build(import);
  uint64_t repeated[2] = {UINT64_MAX, UINT64_MAX};
  if (import->options->directed && (build.undirected || build.already_symmetric))
    return qn_fail(error, QN_INVALID,
                   "--directed does not fit: the input says that its edges are undirected");
  bool rounded = false;
  build.rounded = &rounded;
  build.unique = result->unique && !build.duplicates_chosen;
  build.repeated = repeated;
  if (result->symmetric && !import->options->build.undirected)
    qn_note(QN_NOTE_UNDIRECTED,
            "the format says that every edge goes both ways: the graph is undirected");
  if (import->only_vertices && result->ledger.edges_read == 0)
    qn_note(QN_NOTE_ONLY_VERTICES,
            "the input is a list of vertices, and there are no edges (--format=vertices confirms "
            "it)");
  enum qn_status status =
      qn_provenance_import(import->report->provenance, import->options, &build, error);
  if (result->weights_are_defaults && build.weights == QN_WEIGHTS_AUTO)
    build.weights = QN_WEIGHTS_NONE;
  double begun = qn_seconds();
  if (!status)
    status = import->job->ranks ? build_set(import, &build, error)
                                : qn_build_graph(import->list, &build, import->writer,
                                                 &import->result.ledger, error);
  import->report->build_seconds = qn_seconds() - begun;
  if (rounded)
    qn_import_locate_real(import, error);
  if (status == QN_INVALID && import->job->num_inputs == 1 && !error->file[0])
    qn_error_in_file(error, import->job->inputs[0]);
  if (status == QN_INVALID)
    qn_import_locate_repeated(import, repeated, error);
  if (!status)
    status = qn_ledger_check(&import->result.ledger, error);
  return status;
}

/* NULL: it gets no name. */
static const char *name_of(const struct qn_import_job *job) {
  return job->nameless ? NULL : job->output;
}

/* What was built becomes the graph without a name, from which the output is written. */
static enum qn_status attach(struct qn_import *import, struct qn_error *error) {
  const struct qn_import_job *job = import->job;
  struct qn_writer *writer = import->writer;
  struct qn_container *graph;
  import->writer = NULL;
  qn_edge_list_destroy(import->list);
  import->list = NULL;
  enum qn_status status = qn_writer_commit_nameless(writer, "(the graph)", &graph, error);
  if (!status)
    status = qn_writer_create(name_of(job), job->replace, &import->writer, error);
  if (!status)
    status = qn_import_attach(import, graph, import->writer, error);
  qn_container_unmap(graph);
  return status;
}

static enum qn_status write(struct qn_import *import, struct qn_container **out,
                            struct qn_error *error) {
  double begun = qn_seconds();
  enum qn_status status = complete_provenance(import, error);
  if (!status)
    status = qn_writer_metadata(import->writer, import->report->provenance, error);
  if (status)
    return status;
  if (qn_import_wants_properties(import) && (status = attach(import, error)))
    return status;
  struct qn_writer *writer = import->writer;
  import->writer = NULL;
  import->report->info = *qn_writer_info(writer);
  status = qn_writer_finish(writer, name_of(import->job), out, error);
  import->report->write_seconds = qn_seconds() - begun;
  return status;
}

static enum qn_spill_ids spill_ids(const struct qn_import_options *options) {
  if (options->build.ids == QN_ID_COMPACT)
    return QN_SPILL_IDS_COLLECT;
  bool given = options->build.ids == QN_ID_KEEP || options->read.num_vertices;
  return given ? QN_SPILL_IDS_IGNORE : QN_SPILL_IDS_UNLESS_DECLARED;
}

static enum qn_status make_plan(struct qn_import *import, struct qn_error *error) {
  const struct qn_import_options *options = import->options;
  const struct qn_import_job *job = import->job;
  struct qn_expected_edges edges;
  enum qn_status status = QN_OK;
  if (job->feed)
    edges = job->feed->expected;
  else
    status = qn_inputs_expect(job->inputs, job->num_inputs, options->format, &options->read, &edges,
                              error);
  if (status)
    return status;
  if (qn_import_wants_properties(import)) /* numbers of records, when the graph is built again */
    edges.weight_bytes = edges.most_weight_bytes = 8;
  edges.given_vertices = spill_ids(options) == QN_SPILL_IDS_IGNORE;
  if (job->ranks) { /* what this rank reads, and what it builds */
    uint64_t num_ranks = job->ranks->num_ranks;
    edges.num_edges = edges.num_edges / num_ranks * 2 + 2;
    edges.most_edges = edges.most_edges / num_ranks * 2 + 2;
  }
  struct qn_work_estimate estimate = qn_build_estimate(&options->build, &edges);
  if (edges.unknown) /* then input is read ahead in blocks */
    estimate.least += estimate.kept = QN_READ_AHEAD_BYTES;
  if (job->nameless) { /* then the graph is temporary, too */
    estimate.usual += estimate.output;
    estimate.most += estimate.output;
    estimate.temporary += estimate.output;
  }
  return qn_memory_plan_make(&job->memory, job->output, &estimate, &import->report->plan, error);
}

static enum qn_status create_list(struct qn_import *import, struct qn_edge_list **list,
                                  struct qn_error *error) {
  const struct qn_import_options *options = import->options;
  enum qn_spill_ids ids = spill_ids(options);
  if (!import->report->plan.on_disk) {
    enum qn_status status = qn_edge_list_create(list, error);
    if (!status && ids != QN_SPILL_IDS_IGNORE)
      qn_edge_list_mark_ids(*list,
                            ids == QN_SPILL_IDS_COLLECT ? NULL : &import->result.num_vertices);
    return status;
  }
  struct qn_spill_options spill = {
      .undirected = options->build.undirected,
      .ids = ids,
      .num_vertices = &import->result.num_vertices,
      .symmetric = &import->result.symmetric,
  };
  return qn_edge_list_create_on_disk(&spill, list, error);
}

static enum qn_status create_lists(struct qn_import *import, struct qn_error *error) {
  struct qn_edge_feed *feed = import->job->feed;
  enum qn_status status = create_list(import, &import->list, error);
  if (status || !feed || !feed->properties || !import->options->properties)
    return status;
  status = create_list(import, &import->numbered, error);
  feed->numbered = import->numbered;
  return status;
}

static enum qn_status read_edges(struct qn_import *import, struct qn_error *error) {
  struct qn_edge_feed *feed = import->job->feed;
  uint64_t sequence = 0;
  double begun = qn_seconds();
  enum qn_status status = feed ? feed->read(feed->context, &import->options->read, import->list,
                                            &sequence, &import->result, error)
                               : qn_import_files_read(import, &sequence, error);
  if (!status && qn_import_wants_properties(import))
    status = qn_import_vertex_table(import, &sequence, error);
  if (!status && !import->job->ranks)
    status = qn_names_finish(&import->result, import->list, error);
  if (!status && import->numbered)
    status = qn_names_renumber(&import->result, import->numbered, error);
  import->report->read_seconds = qn_seconds() - begun;
  return status ? status : qn_context_check(error);
}

/* Properties are read when the graph is built, from the same tables. */
static enum qn_status check_inputs_stay(const struct qn_import *import, struct qn_error *error) {
  const struct qn_import_job *job = import->job;
  const char *passing = import->options->vertex_table;
  char shown[QN_PATH_SHOWN];
  if (!qn_import_wants_properties(import))
    return QN_OK;
  if (passing && !qn_is_stream(passing) && !qn_is_url(passing))
    passing = NULL;
  for (int i = 0; i < job->num_inputs && !passing; i++)
    if (strcmp(job->inputs[i], "-") == 0 || qn_is_stream(job->inputs[i]) ||
        qn_is_url(job->inputs[i]))
      passing = job->inputs[i];
  return passing ? qn_fail(error, QN_USAGE,
                           "with properties inputs are read twice: a file is needed, not '%s'",
                           qn_path_shown(passing, shown, sizeof shown))
                 : QN_OK;
}

/* Ranks that keep edges elsewhere would not understand one another. */
static enum qn_status begin_shares(struct qn_import *import, struct qn_error *error) {
  const struct qn_collective *ranks = import->job->ranks;
  const struct qn_memory_plan *plan = &import->report->plan;
  uint64_t facts[] = {plan->on_disk, !plan->on_disk, plan->on_disk ? plan->memory : 0};
  const uint64_t own = facts[2];
  enum qn_status status = qn_import_shares_make(import, error);
  if (!status)
    status = ranks->combine(facts, 3, QN_COMBINE_MOST, error);
  if (!status && ((facts[0] && facts[1]) || facts[2] != own))
    status = qn_fail(error, QN_USAGE,
                     "some ranks sort in memory and some on disk: give all the same --memory and "
                     "threads (-T)");
  return status;
}

static enum qn_status run(struct qn_import *import, struct qn_container **out,
                          struct qn_error *error) {
  const struct qn_import_job *job = import->job;
  enum qn_status status = check_inputs_stay(import, error);
  if (!status)
    status = check_builder(import, error);
  if (status)
    return status;
  status = qn_inputs_kept(job->output, (const char *const *)job->inputs, (uint64_t)job->num_inputs,
                          error);
  if (!status && !job->feed && qn_import_wants_properties(import))
    status = qn_alloc_zeroed(&import->states, (uint64_t)job->num_inputs + 1, sizeof *import->states,
                             "the inputs' states", error);
  if (!status)
    status = make_plan(import, error);
  if (!status && job->ranks)
    status = begin_shares(import, error);
  if (!status && !job->ranks)
    status = qn_writer_create(qn_import_wants_properties(import) ? NULL : name_of(job),
                              job->replace, &import->writer, error);
  if (!status)
    status = qn_provenance_create(job->tool, &import->report->provenance, error);
  if (!status)
    status = qn_vertex_names_read(import, error);
  if (!status && import->names->count && !import->chosen.read.num_vertices)
    import->chosen.read.num_vertices = import->names->count;
  import->result.names_in_runs = takes_blocks(import) && !qn_import_wants_properties(import);
  import->result.names_of_run = job->most_vertices;
  if (!status)
    status = create_lists(import, error);
  if (!status && !job->ranks)
    qn_build_expect(import->list, &import->options->build, import->writer);
  if (!status)
    status = read_edges(import, error);
  if (!status && job->ranks)
    status = qn_import_shares_join(import, error);
  if (!status)
    status = check_strict(import, error);
  if (!status)
    status = check_builder(import, error);
  if (!status)
    status = qn_vertex_names_give(import, error);
  if (!status)
    status = declare_vertices(import, error);
  if (!status)
    status = build(import, error);
  if (!status)
    status = qn_context_check(error);
  return status || job->ranks ? status : write(import, out, error);
}

static void release(struct qn_import *import) {
  const struct qn_edge_feed *feed = import->job->feed;
  if (import->reader && import->reader->release)
    import->reader->release(&import->result);
  else if (!import->reader && !feed) /* a table of vertices alone */
    qn_names_release(&import->result);
  if (feed && feed->release)
    feed->release(&import->result);
  qn_writer_abort(import->writer);
  qn_edge_list_destroy(import->list);
  qn_edge_list_destroy(import->numbered);
  qn_import_shares_free(import);
  qn_free(import->states);
  qn_free(import->result.extra_ids);
  qn_named_inputs_release(&import->result.named);
}

/* What a folder says beside its paths, unless the user says otherwise. */
static enum qn_status take_names(struct qn_import_options *options, struct qn_input_paths *paths,
                                 struct qn_import_job *job, struct qn_error *error) {
  enum qn_status status =
      options->names ? qn_input_paths_set_names(paths, options->names, error) : QN_OK;
  if (paths->format && strcmp(options->format, "auto") == 0)
    options->format = paths->format;
  job->names = paths->names;
  job->num_names = !options->names && options->read.numbers ? 0 : paths->num_names;
  return status;
}

enum qn_status qn_import_run(const struct qn_import_job *asked, struct qn_import_report *report,
                             struct qn_container **out, struct qn_error *error) {
  struct qn_input_paths paths = {0};
  struct qn_vertex_names names = {0};
  struct qn_import_job job = *asked;
  struct qn_import import = {.job = &job,
                             .options = &import.chosen,
                             .chosen = *job.options,
                             .names = &names,
                             .report = report,
                             .result.num_vertices = QN_VERTICES_FROM_EDGES};
  double begun = qn_seconds();
  *report = (struct qn_import_report){0};
  enum qn_status status = qn_input_paths_of(asked->inputs, asked->num_inputs, &paths, error);
  job.inputs = paths.paths;
  job.num_inputs = paths.count;
  job.options = &import.chosen;
  if (!status)
    status = take_names(&import.chosen, &paths, &job, error);
  if (!status)
    status = run(&import, out, error);
  report->ledger = import.result.ledger;
  report->total_seconds = qn_seconds() - begun;
  release(&import);
  qn_vertex_names_release(&names);
  qn_input_paths_release(&paths);
  if (status)
    qn_import_report_end(report);
  return status;
}

void qn_import_report_end(struct qn_import_report *report) {
  qn_set_close(report->set);
  report->set = NULL;
  json_decref(report->provenance);
  report->provenance = NULL;
}
