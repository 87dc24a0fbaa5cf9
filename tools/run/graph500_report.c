#include "tools/run/graph500_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the values of the benchmark's output begin. */
#define VALUE_COLUMN 32

/* Order statistics in the order of the output, then the mean and the standard deviation. */
enum { MINIMUM, FIRST_QUARTILE, MEDIAN, THIRD_QUARTILE, MAXIMUM, MEAN, DEVIATION, NUM_STATISTICS };
static const char *const names[NUM_STATISTICS] = {"min", "firstquartile", "median", "thirdquartile",
                                                  "max", "mean",          "stddev"};

struct statistics {
  double values[NUM_STATISTICS];
};

/* Rates: order statistics, the harmonic mean, and its standard error. */
static const char *const rate_names[NUM_STATISTICS] = {
    "min", "firstquartile", "median", "thirdquartile", "max", "harmonic_mean", "harmonic_stddev"};

/* ---- Statistics ---------------------------------------------------------------------------- */

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* As the reference implementation has it: the mean of the places on both sides of a share of
 * 1 / `parts` of the way from one end, which may be the same place. */
static double between(const double *sorted, unsigned count, unsigned parts, bool from_end) {
  const unsigned low = (count - 1) / parts, high = count / parts;
  return from_end ? (sorted[count - 1 - low] + sorted[count - 1 - high]) / 2
                  : (sorted[low] + sorted[high]) / 2;
}

static struct statistics find_statistics(const double *samples, unsigned count) {
  struct statistics found = {{0}};
  double sorted[QN_GRAPH500_KEYS], squares = 0;
  memcpy(sorted, samples, count * sizeof *samples);
  qsort(sorted, count, sizeof *sorted, compare);
  found.values[MINIMUM] = sorted[0];
  found.values[FIRST_QUARTILE] = between(sorted, count, 4, false);
  found.values[MEDIAN] = between(sorted, count, 2, false);
  found.values[THIRD_QUARTILE] = between(sorted, count, 4, true);
  found.values[MAXIMUM] = sorted[count - 1];
  for (unsigned i = 0; i < count; i++)
    found.values[MEAN] += samples[i];
  found.values[MEAN] /= count;
  for (unsigned i = 0; i < count; i++)
    squares += pow(samples[i] - found.values[MEAN], 2);
  found.values[DEVIATION] = count > 1 ? sqrt(squares / (count - 1)) : 0;
  return found;
}

/* Of the seconds an edge the largest is the least rate. The standard error of the harmonic mean is
 * that of Norris (Annals of Mathematical Statistics 11, 1940), which the specification cites. */
static struct statistics find_rates(const struct qn_graph500_report *report,
                                    const struct qn_graph500_searches *searches) {
  double seconds[QN_GRAPH500_KEYS] = {0};
  const unsigned count = report->num_keys;
  struct statistics rates;
  for (unsigned i = 0; i < count; i++)
    seconds[i] = searches->seconds[i] / report->edges[i];
  const struct statistics found = find_statistics(seconds, count);
  for (unsigned place = MINIMUM; place <= MAXIMUM; place++)
    rates.values[place] = 1 / found.values[MAXIMUM - place];
  rates.values[MEAN] = 1 / found.values[MEAN];
  rates.values[DEVIATION] =
      count > 1 ? found.values[DEVIATION] / (pow(found.values[MEAN], 2) * sqrt(count - 1)) : 0;
  return rates;
}

/* The benchmark's parameters, of a graph that may be another. */
static unsigned scale_of(const struct qn_graph500_report *report) {
  unsigned scale = 0;
  while ((uint64_t)1 << scale < report->num_vertices)
    scale++;
  return scale;
}

static uint64_t edgefactor_of(const struct qn_graph500_report *report) {
  return (report->num_edges + report->num_vertices / 2) / report->num_vertices;
}

/* ---- Lines --------------------------------------------------------------------------------- */

static void print_number(const char *label, double value) {
  printf("%-*s%.12g\n", VALUE_COLUMN, label, value);
}

static void print_statistics(const char *prefix, const char *of, const char *const *words,
                             const struct statistics *statistics) {
  for (unsigned i = 0; i < NUM_STATISTICS; i++) {
    char label[64];
    snprintf(label, sizeof label, "%s%s_%s:", prefix, words[i], of);
    /* The figure that the list ranks by has a mark. */
    if (words == rate_names && i == MEAN)
      snprintf(label + strlen(label), sizeof label - strlen(label), "%*s",
               (int)(VALUE_COLUMN - 2 - strlen(label)), "!");
    print_number(label, statistics->values[i]);
  }
}

/* Of the one kernel, then of the other. */
static void print_seconds(const struct qn_graph500_report *report, const char *of,
                          bool is_validation) {
  const struct qn_graph500_searches *both[] = {&report->bfs, &report->sssp};
  static const char *const prefixes[] = {"bfs  ", "sssp "};
  for (unsigned i = 0; i < 1u + report->has_sssp; i++) {
    const struct statistics found = find_statistics(
        is_validation ? both[i]->validate_seconds : both[i]->seconds, report->num_keys);
    print_statistics(prefixes[i], of, names, &found);
  }
}

void qn_graph500_print(const struct qn_graph500_report *report) {
  const struct statistics edges = find_statistics(report->edges, report->num_keys);
  const struct statistics bfs = find_rates(report, &report->bfs);
  print_number("SCALE:", scale_of(report));
  print_number("edgefactor:", (double)edgefactor_of(report));
  print_number("NBFS:", report->num_keys);
  print_number("graph_generation:", 0); /* the list is there already */
  print_number("num_mpi_processes:", 1);
  print_number("construction_time:", report->construction_seconds);
  print_seconds(report, "time", false);
  print_statistics("", "nedge", names, &edges);
  print_statistics("bfs  ", "TEPS", rate_names, &bfs);
  if (report->has_sssp) {
    const struct statistics sssp = find_rates(report, &report->sssp);
    print_statistics("sssp ", "TEPS", rate_names, &sssp);
  }
  print_seconds(report, "validate", true);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_t *statistics_json(const char *const *words, const struct statistics *statistics) {
  json_t *json = json_object();
  for (unsigned i = 0; i < NUM_STATISTICS; i++)
    json_object_set_new(json, words[i], json_real(statistics->values[i]));
  return json;
}

static json_t *searches_json(const struct qn_graph500_report *report,
                             const struct qn_graph500_searches *searches) {
  const struct statistics seconds = find_statistics(searches->seconds, report->num_keys);
  const struct statistics validation =
      find_statistics(searches->validate_seconds, report->num_keys);
  const struct statistics rates = find_rates(report, searches);
  return json_pack("{s:s, s:s, s:o, s:o, s:o}", "device", searches->device, "kernel",
                   searches->kernel, "time", statistics_json(names, &seconds), "TEPS",
                   statistics_json(rate_names, &rates), "validate",
                   statistics_json(names, &validation));
}

static json_t *keys_json(const struct qn_graph500_report *report) {
  json_t *list = json_array();
  for (unsigned i = 0; i < report->num_keys; i++) {
    json_t *search = json_pack("{s:s, s:I, s:I, s:f}", "key", report->keys[i], "reached",
                               (json_int_t)report->num_reached[i], "edges",
                               (json_int_t)report->edges[i], "bfs_seconds", report->bfs.seconds[i]);
    if (report->has_sssp)
      json_object_set_new(search, "sssp_seconds", json_real(report->sssp.seconds[i]));
    json_array_append_new(list, search);
  }
  return list;
}

json_t *qn_graph500_json(const struct qn_graph500_report *report) {
  const struct statistics edges = find_statistics(report->edges, report->num_keys);
  json_t *json =
      json_pack("{s:i, s:I, s:i, s:f, s:I, s:o, s:o, s:o}", "SCALE", (int)scale_of(report),
                "edgefactor", (json_int_t)edgefactor_of(report), "NBFS", (int)report->num_keys,
                "construction_time", report->construction_seconds, "seed", (json_int_t)report->seed,
                "nedge", statistics_json(names, &edges), "bfs", searches_json(report, &report->bfs),
                "searches", keys_json(report));
  if (json && report->has_sssp)
    json_object_set_new(json, "sssp", searches_json(report, &report->sssp));
  return json;
}
