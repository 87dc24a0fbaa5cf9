#include "tools/info/graph_statistics.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "converters/graph/graph_source.h"
#include "formats/container/text_table.h"
#include "formats/graph/both_ends.h"
#include "formats/graph/degrees.h"
#include "formats/graph/statistics.h"
#include "support/memory.h"
#include "support/sizes.h"
#include "support/text/fold.h"
#include "support/text/terminal.h"
#include "support/threads.h"
#include <quern/layouts.h>

/* ---- Figures ------------------------------------------------------------------------------ */

static json_t *bins_json(const struct qn_degree_figures *degrees) {
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

static json_t *degrees_json(const struct qn_degree_figures *degrees) {
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
  struct qn_degree_figures degrees;
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
 * checked as a whole and give their graph back. */
static enum qn_status view_graph(struct qn_container *container, struct qn_graph *graph,
                                 struct qn_error *error) {
  if (qn_container_info(container)->layout != QN_LAYOUT_GRAPH)
    return qn_graph_source_view(container, graph, error);
  enum qn_status status = qn_graph_view(container, graph, error);
  if (status)
    return status;
  status = qn_graph_check(container, graph, error);
  return qn_container_confirm(container, status, qn_container_verify_structure, error);
}

enum qn_status qn_graph_statistics(struct qn_container *container, json_t **out,
                                   struct qn_error *error) {
  struct qn_graph graph = {0};
  double begin = qn_seconds();
  json_t *object = json_object();
  enum qn_status status = view_graph(container, &graph, error);
  if (!status)
    status = describe_graph(&graph, object, error);
  qn_graph_unmap(&graph);
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

static void print_degrees(const json_t *const degrees[2], const char *const labels[2],
                          FILE *stream) {
  char alignment[QN_DEGREE_QUANTILES + 5] = "l";
  json_t *rows = json_pack("[[s, s]]", "", "min"), *titles = json_array_get(rows, 0);
  for (unsigned i = 0; i < QN_DEGREE_QUANTILES; i++)
    json_array_append_new(titles, json_string(qn_degree_quantiles[i].name));
  json_array_append_new(titles, json_string("max"));
  json_array_append_new(titles, json_string("mean"));
  memset(alignment + 1, 'r', json_array_size(titles) - 1);
  for (int i = 0; i < 2 && degrees[i]; i++) {
    json_t *row =
        json_pack("[s, o]", labels[i], json_sprintf("%" PRIu64, number(degrees[i], "min")));
    for (unsigned k = 0; k < QN_DEGREE_QUANTILES; k++)
      json_array_append_new(
          row, json_sprintf("%" PRIu64, number(degrees[i], qn_degree_quantiles[k].name)));
    json_array_append_new(row, json_sprintf("%" PRIu64, number(degrees[i], "max")));
    json_array_append_new(
        row, json_sprintf("%.5g", json_real_value(json_object_get(degrees[i], "mean"))));
    json_array_append_new(rows, row);
  }
  fputc('\n', stream);
  qn_text_table_print(rows, alignment, qn_terminal_width(), stream);
  json_decref(rows);
}

static void print_line(const char *label, FILE *stream, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stream, "%-*s ", LABEL_WIDTH, label);
  qn_text_fold(text, LABEL_WIDTH + 1, LABEL_WIDTH + 1, qn_terminal_width(), stream);
}

static void print_counts(const json_t *statistics, uint64_t num_vertices, FILE *stream) {
  const json_t *components = json_object_get(statistics, "components"),
               *reciprocity = json_object_get(statistics, "reciprocity");
  const uint64_t isolated = number(statistics, "isolated_vertices"),
                 largest = number(components, "largest");
  char count[32], other[32];
  print_line("isolated", stream, "%s vertices (%.3g %%)",
             qn_count_text(isolated, count, sizeof count), percent(isolated, num_vertices));
  print_line("self-loops", stream, "%s",
             qn_count_text(number(statistics, "self_loops"), count, sizeof count));
  print_line("parallel edges", stream, "%s",
             qn_count_text(number(statistics, "parallel_edges"), count, sizeof count));
  if (json_is_real(reciprocity))
    print_line("reciprocity", stream,
               "%.6g: %s of %s edges, loops and parallel ones left out, have a reverse",
               json_real_value(reciprocity),
               qn_count_text(number(statistics, "mutual_edges"), count, sizeof count),
               qn_count_text(number(statistics, "distinct_edges"), other, sizeof other));
  print_line("components", stream, "%s, the largest of %s vertices (%.3g %%)",
             qn_count_text(number(components, "count"), count, sizeof count),
             qn_count_text(largest, other, sizeof other), percent(largest, num_vertices));
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

static void print_histogram(const json_t *const degrees[2], const char *const *labels,
                            FILE *stream) {
  struct histogram histograms[2];
  unsigned count = degrees[1] ? 2 : 1;
  size_t rows = 0;
  bool utf8 = qn_terminal_speaks_utf8();
  unsigned each = (qn_terminal_width() - 1 - BIN_WIDTH) / count;
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
  const bool one_below_other =
      degrees[1] && qn_terminal_width() < BIN_WIDTH + 2 * (COUNT_WIDTH + 2) + 1;
  for (int i = 0; num_vertices && i < 1 + one_below_other; i++)
    print_histogram((const json_t *[]){degrees[i], one_below_other ? NULL : degrees[1]},
                    columns + i, stream);
}
