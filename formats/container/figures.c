#include "formats/container/figures.h"

#include <string.h>

#include "support/sizes.h"
#include <quern/metadata.h>

static void print_value(const json_t *value, FILE *stream) {
  char text[32];
  if (json_is_integer(value))
    fputs(qn_count_text((uint64_t)json_integer_value(value), text, sizeof text), stream);
  else if (json_is_string(value))
    fputs(json_string_value(value), stream);
  else
    json_dumpf(value, stream, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6) | JSON_COMPACT);
}

/* Where values begin: behind the longest key. */
static int value_column(const json_t *object, int indent) {
  const char *key;
  json_t *value;
  int column = 24;
  json_object_foreach((json_t *)object, key, value) {
    int wanted = json_is_object(value) ? value_column(value, indent + 2)
                                       : indent + (int)strlen(key) + (int)strlen(": ");
    column = wanted > column ? wanted : column;
  }
  return column;
}

static void print_object(const json_t *object, int indent, int column, FILE *stream) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)object, key, value) {
    fprintf(stream, "%*s%s:", indent, "", key);
    if (json_is_object(value)) {
      fputc('\n', stream);
      print_object(value, indent + 2, column, stream);
      continue;
    }
    fprintf(stream, "%*s", column - indent - (int)strlen(key) - 1, "");
    print_value(value, stream);
    fputc('\n', stream);
  }
}

void qn_figures_print(const json_t *object, FILE *stream) {
  print_object(object, 0, value_column(object, 0), stream);
}

uint64_t qn_csr_bytes(const struct qn_container_info *info) {
  uint64_t edge_bytes = 4 + qn_weight_bytes(info->weight_type);
  return 8 * (info->num_vertices + 1) + edge_bytes * info->num_edges;
}

void qn_figures_size(const struct qn_container_info *info, uint64_t bytes, json_t *object) {
  double edges = info->num_edges ? (double)info->num_edges : 1;
  json_object_set_new(object, "bytes_per_edge",
                      json_real(info->num_edges ? (double)bytes / edges : 0));
  json_object_set_new(object, "size_against_csr",
                      json_real((double)bytes / (double)qn_csr_bytes(info)));
}

/* ---- Edges ----------------------------------------------------------------- */

uint64_t qn_undirected_edges(const struct qn_container *container, uint64_t stored) {
  json_t *whole = NULL;
  if (!container || qn_container_info(container)->directedness != QN_UNDIRECTED ||
      qn_container_metadata(container, &whole, NULL))
    return 0;
  const json_t *metadata = whole;
  while (metadata && !json_object_get(metadata, "ledger"))
    metadata = json_object_get(json_object_get(metadata, "source"), "metadata");
  const json_int_t edges =
      json_integer_value(json_object_get(json_object_get(metadata, "ledger"), "undirected_edges"));
  json_decref(whole);
  const bool fits =
      edges > 0 && (uint64_t)edges <= stored && stored - (uint64_t)edges <= (uint64_t)edges;
  return fits ? (uint64_t)edges : 0;
}

char *qn_edges_text(enum qn_directedness directedness, uint64_t stored, uint64_t undirected,
                    char text[QN_EDGES_TEXT]) {
  char all[32], once[32];
  qn_count_text(stored, all, sizeof all);
  if (directedness != QN_UNDIRECTED)
    snprintf(text, QN_EDGES_TEXT, "%s edges", all);
  else if (undirected)
    snprintf(text, QN_EDGES_TEXT, "%s undirected edges (%s stored)",
             qn_count_text(undirected, once, sizeof once), all);
  else
    snprintf(text, QN_EDGES_TEXT, "%s stored edges (undirected: both directions)", all);
  return text;
}
