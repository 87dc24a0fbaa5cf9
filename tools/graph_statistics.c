#include "tools/graph_statistics.h"

#include <inttypes.h>
#include <string.h>

#include "converters/graph/graph_source.h"
#include "formats/graph/both_ends.h"
#include "formats/graph/degrees.h"
#include "formats/graph/statistics.h"
#include "support/memory.h"
#include "support/sizes.h"
#include "support/threads.h"
#include "support/tool.h"
#include <quern/layouts.h>
#include <quern/open.h>

/* ---- Figures ------------------------------------------------------------------------------ */

static json_t *bins_json(const struct qn_degrees *degrees) {
  json_t *list = json_array();
  unsigned count = degrees->num_vertices ? 1 : 0;
  for (unsigned bin = 1; bin < QN_DEGREE_BINS; bin++)
    count = degrees->bins[bin] ? bin + 1 : count;
  for (unsigned bin = 0; bin < count; bin++) {
    uint64_t from = bin ? (uint64_t)1 << (bin - 1) : 0, to = bin ? from + (from - 1) : 0;
    json_array_append_new(list,
                          json_pack("{s:I, s:I, s:I}", "from", (json_int_t)from, "to",
                                    (json_int_t)to, "vertices", (json_int_t)degrees->bins[bin]));
  }
  return list;
}

static json_t *degrees_json(const struct qn_degrees *degrees) {
  json_t *object = json_pack("{s:I}", "min", (json_int_t)degrees->min);
  for (unsigned i = 0; i < QN_DEGREE_QUANTILES; i++)
    json_object_set_new(object, qn_degree_quantiles[i].name,
                        json_integer((json_int_t)degrees->quantiles[i]));
  json_object_set_new(object, "max", json_integer((json_int_t)degrees->max));
  json_object_set_new(object, "mean", json_real(degrees->mean));
  json_object_set_new(object, "histogram", bins_json(degrees));
  return object;
}

static enum qn_status add_degrees(const char *key, const uint64_t *row_offsets,
                                  uint64_t num_vertices, json_t *object, struct qn_error *error) {
  struct qn_degrees degrees;
  enum qn_status status = qn_degrees_of(row_offsets, num_vertices, &degrees, error);
  if (!status)
    json_object_set_new(object, key, degrees_json(&degrees));
  return status;
}

static void add_count(json_t *object, const char *key, uint64_t count) {
  json_object_set_new(object, key, json_integer((json_int_t)count));
}

static void add_reciprocity(const struct qn_both_ends *ends, json_t *object) {
  add_count(object, "distinct_edges", ends->distinct);
  add_count(object, "mutual_edges", ends->mutual);
  json_object_set_new(object, "reciprocity",
                      ends->distinct ? json_real((double)ends->mutual / (double)ends->distinct)
                                     : json_null());
}

/* `in_offsets` is NULL for an undirected graph. */
static enum qn_status describe_edges(const struct qn_graph *graph, uint64_t *in_offsets,
                                     json_t *object, struct qn_error *error) {
  const uint64_t *out_offsets = graph->out.row_offsets;
  uint64_t num_vertices = graph->out.num_vertices;
  struct qn_both_ends ends;
  enum qn_status status = qn_graph_both_ends(graph, in_offsets, &ends, error);
  if (!status)
    status =
        add_degrees(in_offsets ? "out_degree" : "degree", out_offsets, num_vertices, object, error);
  if (!status && in_offsets)
    status = add_degrees("in_degree", in_offsets, num_vertices, object, error);
  if (status)
    return status;
  add_count(object, "isolated_vertices", qn_csr_count_empty(&graph->out, in_offsets));
  add_count(object, "self_loops", qn_csr_count_loops(&graph->out));
  add_count(object, "parallel_edges", qn_csr_count_parallel(&graph->out, !in_offsets));
  if (in_offsets)
    add_reciprocity(&ends, object);
  json_object_set_new(object, "components",
                      json_pack("{s:I, s:I}", "count", (json_int_t)ends.components.count, "largest",
                                (json_int_t)ends.components.largest));
  return QN_OK;
}

static enum qn_status describe_graph(const struct qn_graph *graph, json_t *object,
                                     struct qn_error *error) {
  uint64_t num_offsets = graph->out.num_vertices + 1, *in_offsets = NULL;
  enum qn_status status = QN_OK;
  if (graph->directedness == QN_DIRECTED)
    status = qn_pages_alloc(&in_offsets, num_offsets, sizeof *in_offsets, "row offsets of in-edges",
                            error);
  if (!status)
    status = describe_edges(graph, in_offsets, object, error);
  qn_pages_free(in_offsets, num_offsets, sizeof *in_offsets);
  return status;
}

/* ---- The graph ------------------------------------------------------------------------------ */

/* A graph container is looked at in place, checked as far as that relies on it; other layouts are
 * checked as a whole and give their graph back. Takes `container`. */
static enum qn_status open_graph(struct qn_container *container, struct qn_graph_source *source,
                                 struct qn_error *error) {
  if (qn_container_info(container)->layout != QN_LAYOUT_GRAPH)
    return qn_graph_source_take(container, source, error);
  source->container = container;
  enum qn_status status = qn_graph_view(container, &source->graph, error);
  if (status)
    return status;
  status = qn_graph_check(container, &source->graph, error);
  return qn_container_confirm(container, status, qn_container_verify_structure, error);
}

enum qn_status qn_graph_statistics(const char *path, json_t **out, struct qn_error *error) {
  struct qn_graph_source source = {0};
  struct qn_container *container;
  double begin = qn_seconds();
  json_t *object = json_object();
  enum qn_status status = qn_container_open(path, 0, &container, error);
  if (!status)
    status = open_graph(container, &source, error);
  if (!status)
    status = describe_graph(&source.graph, object, error);
  qn_graph_source_close(&source);
  json_object_set_new(object, "seconds", json_real(qn_seconds() - begin));
  *out = status ? NULL : object;
  if (status)
    json_decref(object);
  return status;
}

/* ---- Printing -------------------------------------------------------------------------------- */

#define LABEL_WIDTH 14
#define BIN_WIDTH 19
#define COUNT_WIDTH 14
/* Shorter bars tell nothing. */
#define LEAST_BAR 4
#define MOST_BAR 60

static uint64_t number(const json_t *object, const char *key) {
  return (uint64_t)json_integer_value(json_object_get(object, key));
}

static double percent(uint64_t part, uint64_t whole) {
  return whole ? 100 * (double)part / (double)whole : 0;
}

static void print_row(const char *label, const json_t *degrees, FILE *stream) {
  fprintf(stream, "%-*s %5" PRIu64, LABEL_WIDTH, label, number(degrees, "min"));
  for (unsigned i = 0; i < QN_DEGREE_QUANTILES; i++)
    fprintf(stream, " %7" PRIu64, number(degrees, qn_degree_quantiles[i].name));
  fprintf(stream, " %8" PRIu64 " %7.5g\n", number(degrees, "max"),
          json_real_value(json_object_get(degrees, "mean")));
}

static void print_degrees(const json_t *const degrees[2], const char *const labels[2],
                          FILE *stream) {
  fprintf(stream, "\n%-*s %5s", LABEL_WIDTH, "", "min");
  for (unsigned i = 0; i < QN_DEGREE_QUANTILES; i++)
    fprintf(stream, " %7s", qn_degree_quantiles[i].name);
  fprintf(stream, " %8s %7s\n", "max", "mean");
  for (int i = 0; i < 2 && degrees[i]; i++)
    print_row(labels[i], degrees[i], stream);
}

static void print_line(const char *label, uint64_t count, FILE *stream) {
  char text[32];
  fprintf(stream, "%-*s %s", LABEL_WIDTH, label, qn_count_text(count, text, sizeof text));
}

static void print_counts(const json_t *statistics, uint64_t num_vertices, FILE *stream) {
  const json_t *components = json_object_get(statistics, "components"),
               *reciprocity = json_object_get(statistics, "reciprocity");
  char text[32];
  uint64_t isolated = number(statistics, "isolated_vertices");
  print_line("isolated", isolated, stream);
  fprintf(stream, " vertices (%.3g %%)\n", percent(isolated, num_vertices));
  print_line("self-loops", number(statistics, "self_loops"), stream);
  fputc('\n', stream);
  print_line("parallel edges", number(statistics, "parallel_edges"), stream);
  fputc('\n', stream);
  if (json_is_real(reciprocity)) {
    fprintf(stream, "%-*s %.6g", LABEL_WIDTH, "reciprocity", json_real_value(reciprocity));
    fprintf(stream, ": %s of",
            qn_count_text(number(statistics, "mutual_edges"), text, sizeof text));
    fprintf(stream, " %s edges, loops and parallel ones left out, have a reverse\n",
            qn_count_text(number(statistics, "distinct_edges"), text, sizeof text));
  }
  uint64_t largest = number(components, "largest");
  print_line("components", number(components, "count"), stream);
  fprintf(stream, ", the largest of %s vertices (%.3g %%)\n",
          qn_count_text(largest, text, sizeof text), percent(largest, num_vertices));
}

/* A bar of at most `width` columns, filled up to it with blanks. Where there is something, there is
 * something to see. */
static void print_bar(uint64_t count, uint64_t most, unsigned width, bool utf8, FILE *stream) {
  static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  unsigned steps = utf8 ? 8 : 1;
  double share = most ? (double)count / (double)most : 0;
  unsigned length = (unsigned)(share * width * steps + 0.5), columns;
  length = count && width && length == 0 ? 1 : length;
  for (columns = 0; columns < length / steps; columns++)
    fputs(utf8 ? "█" : "#", stream);
  if (length % steps) {
    fputs(eighths[length % steps], stream);
    columns++;
  }
  fprintf(stream, "%*s", (int)(width - columns), "");
}

static uint64_t most_vertices(const json_t *histogram) {
  size_t i;
  const json_t *bin;
  uint64_t most = 0;
  json_array_foreach((json_t *)histogram, i, bin) {
    uint64_t vertices = number(bin, "vertices");
    most = vertices > most ? vertices : most;
  }
  return most;
}

static void print_bin_label(const json_t *bin, FILE *stream) {
  char text[64], from[32], to[32];
  uint64_t first = number(bin, "from"), last = number(bin, "to");
  qn_count_text(first, from, sizeof from);
  snprintf(text, sizeof text, first == last ? "%s" : "%s-%s", from,
           qn_count_text(last, to, sizeof to));
  fprintf(stream, "%-*s", BIN_WIDTH, text);
}

struct histogram {
  const json_t *bins;
  uint64_t most; /* vertices in one bin */
  unsigned bar;  /* columns */
};

static void print_bin(const struct histogram *histogram, size_t index, bool utf8, FILE *stream) {
  char count[32];
  const json_t *bin = json_array_get(histogram->bins, index);
  uint64_t vertices = number(bin, "vertices");
  fprintf(stream, " %*s ", COUNT_WIDTH, qn_count_text(vertices, count, sizeof count));
  print_bar(vertices, histogram->most, histogram->bar, utf8, stream);
}

static void print_histogram(const json_t *const degrees[2], const char *const labels[2],
                            FILE *stream) {
  struct histogram histograms[2];
  unsigned count = degrees[1] ? 2 : 1;
  size_t rows = 0;
  bool utf8 = qn_tool_speaks_utf8();
  unsigned each = (qn_tool_width() - 1 - BIN_WIDTH) / count;
  unsigned bar = each >= COUNT_WIDTH + 2 + LEAST_BAR ? each - COUNT_WIDTH - 2 : 0;
  fprintf(stream, "\n%-*s", BIN_WIDTH, "degree");
  for (unsigned i = 0; i < count; i++) {
    const json_t *bins = json_object_get(degrees[i], "histogram");
    histograms[i] = (struct histogram){bins, most_vertices(bins), bar < MOST_BAR ? bar : MOST_BAR};
    rows = json_array_size(bins) > rows ? json_array_size(bins) : rows;
    fprintf(stream, " %*s %*s", COUNT_WIDTH, labels[i], (int)histograms[i].bar, "");
  }
  fputc('\n', stream);
  for (size_t row = 0; row < rows; row++) {
    const json_t *bins = histograms[count == 2 && row >= json_array_size(histograms[0].bins)].bins;
    print_bin_label(json_array_get(bins, row), stream);
    for (unsigned i = 0; i < count; i++)
      print_bin(&histograms[i], row, utf8, stream);
    fputc('\n', stream);
  }
}

void qn_graph_statistics_print(const json_t *statistics, FILE *stream) {
  const json_t *degree = json_object_get(statistics, "degree");
  const json_t *const degrees[2] = {degree ? degree : json_object_get(statistics, "out_degree"),
                                    json_object_get(statistics, "in_degree")};
  const char *const rows[2] = {degree ? "degree" : "out-degree", "in-degree"};
  const char *const columns[2] = {degree ? "vertices" : "out: vertices", "in: vertices"};
  uint64_t num_vertices = 0;
  size_t i;
  const json_t *bin;
  json_array_foreach(json_object_get(degrees[0], "histogram"), i, bin) num_vertices +=
      number(bin, "vertices");
  print_degrees(degrees, rows, stream);
  print_counts(statistics, num_vertices, stream);
  if (num_vertices)
    print_histogram(degrees, columns, stream);
}
