#include "tools/set_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "formats/container/figures.h"
#include "formats/container/text_table.h"
#include "formats/properties/report.h"
#include "formats/set/stack.h"
#include "support/json_text.h"
#include "support/output_stream.h"
#include "support/sizes.h"
#include "support/text/terminal.h"
#include "support/tool.h"
#include "support/used_files.h"
#include <quern/metadata.h>

struct sizes {
  uint64_t bytes;
  uint64_t most_edges; /* of a part */
};

static struct sizes sizes_of(const struct qn_set *set) {
  struct sizes sizes = {0};
  for (uint64_t i = 0; i < set->num_ranges; i++)
    sizes.bytes += set->ranges[i].file.bytes;
  for (uint64_t i = 0; i < set->num_parts; i++) {
    const struct qn_set_part *part = &set->parts[i];
    sizes.bytes += part->file.bytes;
    if (part->num_edges > sizes.most_edges)
      sizes.most_edges = part->num_edges;
  }
  return sizes;
}

/* The edges of the largest part in those of an average one. */
static double imbalance(const struct qn_set *set, const struct sizes *sizes) {
  return set->num_edges
             ? (double)sizes->most_edges * (double)set->num_parts / (double)set->num_edges
             : 1;
}

void qn_set_report(const struct qn_set *set, const char *output, double seconds,
                   const struct qn_tool_options *options) {
  const struct sizes sizes = sizes_of(set);
  char vertices[32], edges[QN_EDGES_TEXT], size[32];
  if (options->json) {
    qn_tool_print_json(json_pack(
        "{s:o, s:o, s:s, s:I, s:I, s:I, s:I, s:f, s:f}", "output", qn_json_text(output), "identity",
        json_sprintf("%016" PRIx64, set->identity), "layout", qn_layout_name(set->layout), "parts",
        (json_int_t)set->num_parts, "vertices", (json_int_t)set->num_vertices, "edges",
        (json_int_t)set->num_edges, "bytes", (json_int_t)sizes.bytes, "imbalance",
        imbalance(set, &sizes), "seconds", seconds));
  } else if (!options->quiet) {
    fprintf(qn_beside_output(output),
            "%s: a set of %" PRIu64 " %s parts, %s vertices, %s, %s, the largest part %.2f "
            "times the average, in %.2f s\n",
            output, set->num_parts, qn_layout_name(set->layout),
            qn_count_text(set->num_vertices, vertices, sizeof vertices),
            qn_edges_text(set->directedness, set->num_edges,
                          qn_undirected_edges(set->ranges[0].container, set->num_edges), edges),
            qn_size_text(sizes.bytes, size, sizeof size), imbalance(set, &sizes), seconds);
  }
}

static void print_parts(const struct qn_set *set) {
  json_t *rows =
      json_pack("[[s, s, s, s, s]]", "part", "from vertex", "to before", "edges", "size");
  for (uint64_t i = 0; i < set->num_parts; i++) {
    const struct qn_set_part *part = &set->parts[i];
    char begin[32], end[32], edges[32], size[32];
    json_array_append_new(rows, json_pack("[s, s, s, s, s]", part->file.name,
                                          qn_count_text(part->begin, begin, sizeof begin),
                                          qn_count_text(part->end, end, sizeof end),
                                          qn_count_text(part->num_edges, edges, sizeof edges),
                                          qn_size_text(part->file.bytes, size, sizeof size)));
  }
  putchar('\n');
  qn_text_table_print(rows, "lrrrr", qn_terminal_width(), stdout);
  json_decref(rows);
}

/* How many values of edges are null stands in the parts; those of vertices of all files count. */
static json_t *describe_properties(const struct qn_set *set) {
  struct qn_properties all = set->ranges[0].properties;
  struct qn_stack vertices = {0};
  struct qn_error ignored;
  json_t *properties = NULL, *column;
  enum qn_status status = qn_stack_begin(&vertices, &all.of_vertices, set->num_vertices, &ignored);
  for (uint64_t i = 0; !status && i < set->num_ranges; i++)
    status = qn_stack_measure(&vertices, &set->ranges[i].properties.of_vertices, &ignored);
  all.of_vertices = vertices.table;
  if (!status)
    properties = qn_properties_describe(&all);
  qn_stack_destroy(&vertices);
  size_t index;
  json_array_foreach(json_object_get(properties, "edges"), index, column)
      json_object_del(column, "nulls");
  return properties;
}

/* Frees `properties`, which may be NULL. */
static void print_set(const struct qn_set *set, json_t *description, json_t *properties) {
  json_object_del(description, "blocks");
  qn_figures_print(description, qn_terminal_width(), stdout);
  print_parts(set);
  if (properties)
    qn_properties_print(properties, qn_terminal_width(), stdout);
  json_decref(properties);
}

static void print_set_json(json_t *description, json_t *properties) {
  if (properties)
    json_object_set_new(description, "properties", properties);
  qn_tool_print_json(json_incref(description));
}

enum qn_status qn_set_show(const char *path, bool json, struct qn_error *error) {
  struct qn_set *set;
  json_t *metadata = NULL;
  enum qn_status status = qn_set_open(path, &set, error);
  if (!status)
    status = qn_container_metadata(set->ranges[0].container, &metadata, error);
  if (!status)
    status = qn_used_files_check(error);
  if (!status) {
    const struct sizes sizes = sizes_of(set);
    json_t *description = qn_set_describe(set);
    json_object_set_new(description, "bytes", json_integer((json_int_t)sizes.bytes));
    json_object_set_new(description, "imbalance", json_real(imbalance(set, &sizes)));
    if (metadata)
      json_object_set(description, "metadata", metadata);
    json_t *properties =
        qn_properties_are_any(&set->ranges[0].properties) ? describe_properties(set) : NULL;
    if (json)
      print_set_json(description, properties);
    else
      print_set(set, description, properties);
    json_decref(description);
  }
  json_decref(metadata);
  qn_set_close(set);
  return status;
}
