#include "formats/container/figures.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "support/sizes.h"
#include "support/text/fold.h"
#include <quern/metadata.h>

/* A new string; NULL if memory runs out. */
static char *value_text(const json_t *value) {
  char text[32];
  if (json_is_integer(value))
    return strdup(qn_count_text((uint64_t)json_integer_value(value), text, sizeof text));
  if (json_is_string(value))
    return strdup(json_string_value(value));
  return json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6) | JSON_COMPACT);
}

/* Objects lie below their key, indented. */
static bool is_list_of_objects(const json_t *value) {
  return json_is_object(json_array_get(value, 0));
}

/* Where values begin: behind the longest key. */
static unsigned value_column(const json_t *object, unsigned indent) {
  const char *key;
  json_t *value, *element;
  size_t i;
  unsigned column = 24;
  json_object_foreach((json_t *)object, key, value) {
    unsigned wanted = json_is_object(value)
                          ? value_column(value, indent + 2)
                          : indent + (unsigned)strlen(key) + (unsigned)strlen(": ");
    column = wanted > column ? wanted : column;
    if (is_list_of_objects(value))
      json_array_foreach(value, i, element) {
        wanted = value_column(element, indent + 2);
        column = wanted > column ? wanted : column;
      }
  }
  return column;
}

struct form {
  unsigned column; /* of values */
  unsigned width;
  FILE *stream;
};

/* The line of a key, behind its colon. */
static void print_value(const json_t *value, unsigned at, unsigned indent,
                        const struct form *form) {
  enum { CONTINUED = 4, ROOM = 40 };
  char *text = value_text(value);
  if (!text) {
    fputc('\n', form->stream);
    return;
  }
  const unsigned room = form->width > form->column ? form->width - form->column : 0;
  if (room >= ROOM || qn_text_width(text) <= room) {
    fprintf(form->stream, "%*s", (int)(form->column - at), "");
    qn_text_fold(text, form->column, form->column, form->width, form->stream);
  } else {
    qn_text_fold(text, form->width, indent + CONTINUED, form->width, form->stream);
  }
  free(text);
}

static void print_object(const json_t *object, unsigned indent, const struct form *form) {
  const char *key;
  json_t *value, *element;
  size_t i;
  json_object_foreach((json_t *)object, key, value) {
    fprintf(form->stream, "%*s%s:", (int)indent, "", key);
    if (json_is_object(value)) {
      fputc('\n', form->stream);
      print_object(value, indent + 2, form);
    } else if (is_list_of_objects(value)) {
      fputc('\n', form->stream);
      json_array_foreach(value, i, element) print_object(element, indent + 2, form);
    } else {
      print_value(value, indent + (unsigned)strlen(key) + 1, indent, form);
    }
  }
}

void qn_figures_print(const json_t *object, unsigned width, FILE *stream) {
  const struct form form = {value_column(object, 0), width, stream};
  print_object(object, 0, &form);
}

uint64_t qn_csr_bytes(const struct qn_container_info *info) {
  uint64_t edge_bytes = 4 + qn_weight_bytes(info->weight_type);
  return 8 * (info->num_rows + 1) + edge_bytes * info->num_edges;
}

void qn_figures_size(const struct qn_container_info *info, uint64_t bytes, json_t *object) {
  double edges = info->num_edges ? (double)info->num_edges : 1;
  json_object_set_new(object, "bytes_per_edge",
                      json_real(info->num_edges ? (double)bytes / edges : 0));
  json_object_set_new(object, "size_against_csr",
                      json_real((double)bytes / (double)qn_csr_bytes(info)));
}

/* ---- Edges ----------------------------------------------------------------- */

/* Edges of a time, and a generation: not all that were counted. */
static bool is_of_some(const json_t *metadata) {
  const json_t *options = json_object_get(metadata, "options");
  return json_object_get(options, "between") || json_object_get(options, "append") ||
         json_object_get(options, "remove");
}

uint64_t qn_undirected_edges(const struct qn_container *container, uint64_t stored) {
  json_t *whole = NULL;
  if (!container || qn_container_info(container)->directedness != QN_UNDIRECTED ||
      qn_container_metadata(container, &whole, NULL))
    return 0;
  const json_t *metadata = whole;
  while (metadata && !is_of_some(metadata) && !json_object_get(metadata, "ledger"))
    metadata = json_object_get(json_object_get(metadata, "source"), "metadata");
  const json_t *ledger = is_of_some(metadata) ? NULL : json_object_get(metadata, "ledger");
  const json_int_t edges = json_integer_value(json_object_get(ledger, "undirected_edges"));
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
