#include "converters/output/losses.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "formats/graph/statistics.h"
#include "support/progress.h"

enum qn_status qn_loses(const struct qn_write_options *options, struct qn_error *error,
                        const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (options->strict)
    return qn_fail(error, QN_UNSUPPORTED, "--strict: %s", text);
  qn_note(QN_NOTE_NOT_KEPT, "%s", text);
  return QN_OK;
}

/* ---- Vertices without edges ----------------------------------------------- */

static enum qn_status lose_isolated(const struct qn_graph *graph,
                                    const struct qn_write_options *options,
                                    struct qn_error *error) {
  uint64_t isolated;
  enum qn_status status = qn_graph_count_isolated(graph, &isolated, error);
  if (status || !isolated)
    return status;
  const char *verb = isolated == 1 ? "vertex without edges is" : "vertices without edges are";
  if (graph->ids.kind == QN_IDS_DENSE)
    return qn_loses(options, error,
                    "%" PRIu64 " %s not in the output; quern-import --vertices=%" PRIu64
                    " brings them back",
                    isolated, verb, graph->out.num_vertices);
  return qn_loses(options, error, "%" PRIu64 " %s not in the output", isolated, verb);
}

/* ---- Ids ------------------------------------------------------------------ */

static bool is_numbered_from_one(const struct qn_ids *ids) {
  uint64_t others = 0;
  if (ids->kind != QN_IDS_NUMBERS)
    return ids->num_vertices == 0;
#pragma omp parallel for reduction(+ : others)
  for (uint64_t v = 0; v < ids->num_vertices; v++)
    others += ids->numbers[v] != v + 1;
  return others == 0;
}

static bool is_number(const char *text, uint64_t length) {
  uint64_t digits = 0;
  while (digits < length && text[digits] >= '0' && text[digits] <= '9')
    digits++;
  return length > 0 && digits == length;
}

static bool has_number_names(const struct qn_ids *ids) {
  uint64_t found = 0;
  if (ids->kind != QN_IDS_STRINGS)
    return false;
#pragma omp parallel for reduction(+ : found)
  for (uint64_t v = 0; v < ids->num_vertices; v++)
    found += is_number(ids->string_bytes + ids->string_offsets[v],
                       ids->string_offsets[v + 1] - ids->string_offsets[v]);
  return found > 0;
}

static enum qn_status lose_ids(const struct qn_ids *ids, unsigned losses,
                               const struct qn_write_options *options, struct qn_error *error) {
  bool names = ids->kind == QN_IDS_STRINGS;
  if ((losses & QN_LOSES_IDS_FROM_ONE) && !is_numbered_from_one(ids))
    return qn_loses(options, error,
                    "vertices are numbered from 1 in the output; original ids are not in it");
  if ((losses & QN_LOSES_IDS) && ids->kind != QN_IDS_DENSE)
    return qn_loses(options, error,
                    "vertices are numbered from 0 in the output; original ids are not in it");
  if ((losses & QN_LOSES_NAMES) && names)
    return qn_loses(options, error, "the names of vertices are not in the output");
  if ((losses & QN_LOSES_NUMBER_NAMES) && names && has_number_names(ids))
    return qn_loses(options, error,
                    "some names are numbers, and could be taken for such; quern-import "
                    "--ids=strings reads them as names");
  return QN_OK;
}

/* ---- The whole ------------------------------------------------------------ */

static enum qn_status lose_directedness(const struct qn_graph *graph, unsigned losses,
                                        const struct qn_write_options *options,
                                        struct qn_error *error) {
  if (graph->directedness != QN_UNDIRECTED)
    return QN_OK;
  if ((losses & QN_LOSES_ONE_WAY) || options->both_directions)
    return qn_loses(options, error,
                    "edges are written in both directions, and not that the graph is undirected");
  return qn_loses(options, error,
                  "that the graph is undirected is not in the output; each edge is listed once, "
                  "and quern-import --undirected adds its reverse");
}

static enum qn_status lose_parallel(const struct qn_graph *graph,
                                    const struct qn_write_options *options,
                                    struct qn_error *error) {
  uint64_t parallel = qn_csr_count_parallel(&graph->out, graph->directedness == QN_UNDIRECTED);
  return parallel ? qn_loses(options, error, "%" PRIu64 " parallel %s not in the output", parallel,
                             parallel == 1 ? "edge is" : "edges are")
                  : QN_OK;
}

bool qn_weights_are_labels(const struct qn_csr *csr) {
  const struct qn_weights *weights = &csr->weights;
  uint64_t negative = 0;
  if (weights->type != QN_WEIGHT_I64)
    return weights->type == QN_WEIGHT_U32;
#pragma omp parallel for reduction(+ : negative)
  for (uint64_t edge = 0; edge < csr->num_edges; edge++)
    negative += weights->i64[edge] < 0;
  return negative == 0;
}

static enum qn_status lose_weights(const struct qn_csr *csr, unsigned losses,
                                   const struct qn_write_options *options, struct qn_error *error) {
  if (csr->weights.type == QN_WEIGHT_NONE)
    return QN_OK;
  if (losses & QN_LOSES_WEIGHTS)
    return qn_loses(options, error, "weights are not in the output");
  if (!(losses & QN_LOSES_BUT_LABELS) || qn_weights_are_labels(csr))
    return QN_OK;
  return qn_loses(options, error,
                  "weights are not in the output, as labels are whole numbers from 0 on");
}

enum qn_status qn_loses_of_graph(const struct qn_graph *graph, unsigned losses,
                                 const struct qn_write_options *options, struct qn_error *error) {
  enum qn_status status = lose_ids(&graph->ids, losses, options, error);
  if (!status)
    status = lose_weights(&graph->out, losses, options, error);
  if (!status && (losses & (QN_LOSES_ONE_WAY | QN_LOSES_UNDIRECTED)))
    status = lose_directedness(graph, losses, options, error);
  if (!status && (losses & QN_LOSES_PARALLEL))
    status = lose_parallel(graph, options, error);
  if (!status && (losses & QN_LOSES_ISOLATED))
    status = lose_isolated(graph, options, error);
  return status;
}
