#include "tools/set_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/container/figures.h"
#include "formats/container/text_table.h"
#include "formats/properties/report.h"
#include "formats/set/blocks.h"
#include "formats/set/generations.h"
#include "formats/set/stack.h"
#include "formats/set/types.h"
#include "support/json_text.h"
#include "support/output_stream.h"
#include "support/sizes.h"
#include "support/text/terminal.h"
#include "support/tool.h"
#include "support/used_files.h"
#include "tools/generation_report.h"
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

/* Of a number as wide as the terminal likes it. */
static json_t *count_json(uint64_t count) {
  char text[32];
  return json_string(qn_count_text(count, text, sizeof text));
}

static void print_parts(const struct qn_set *set) {
  const bool cut = set->features & QN_SET_COLUMN_RANGES;
  json_t *rows = json_array();
  json_array_append_new(
      rows,
      cut ? json_pack("[s, s, s, s, s, s, s]", "block", "from row", "to before", "from column",
                      "to before", "edges", "size")
          : json_pack("[s, s, s, s, s]", "part", "from vertex", "to before", "edges", "size"));
  for (uint64_t i = 0; i < set->num_parts; i++) {
    const struct qn_set_part *part = &set->parts[i];
    char size[32];
    json_t *row =
        json_pack("[s, o, o]", part->file.name, count_json(part->begin), count_json(part->end));
    if (cut) {
      json_array_append_new(row, count_json(part->columns_begin));
      json_array_append_new(row, count_json(part->columns_end));
    }
    json_array_append_new(row, count_json(part->num_edges));
    json_array_append_new(row, json_string(qn_size_text(part->file.bytes, size, sizeof size)));
    json_array_append_new(rows, row);
  }
  putchar('\n');
  qn_text_table_print(rows, cut ? "lrrrrrr" : "lrrrr", qn_terminal_width(), stdout);
  json_decref(rows);
}

/* ---- A picture of blocks ------------------------------------------------------------ */

#define PICTURE 32 /* squares in a row or column at most: of more blocks several are one */

static const char shades[] = " .:-=+*#%@";

struct picture {
  uint64_t num_rows; /* of blocks */
  double edges[PICTURE][PICTURE];
  unsigned height, width; /* squares */
};

static void draw(const struct qn_set *set, struct picture *picture) {
  uint64_t most = 0, row = 0;
  for (uint64_t first = 0, end; first < set->num_parts; first = end) {
    end = qn_set_row_end(set, first);
    most = end - first > most ? end - first : most;
    picture->num_rows++;
  }
  picture->height = picture->num_rows < PICTURE ? (unsigned)picture->num_rows : PICTURE;
  picture->width = most < PICTURE ? (unsigned)most : PICTURE;
  for (uint64_t first = 0, end; first < set->num_parts; first = end, row++) {
    end = qn_set_row_end(set, first);
    for (uint64_t i = first; i < end; i++)
      picture->edges[row * picture->height / picture->num_rows]
                    [(i - first) * picture->width / (end - first)] +=
          (double)set->parts[i].num_edges;
  }
}

/* From a point for few edges, and nothing for none, to the darkest for the most; each shade is as
 * many times the one before it. */
static char shade(double edges, double most) {
  const int darkest = (int)sizeof shades - 2;
  if (edges == 0)
    return ' ';
  const double part = most > 1 ? log(edges) / log(most) : 1;
  return shades[1 + (int)(part * (darkest - 1) + 0.5)];
}

static void print_picture(const struct qn_set *set) {
  struct picture picture = {0};
  double most = 0;
  draw(set, &picture);
  for (unsigned i = 0; i < picture.height; i++)
    for (unsigned j = 0; j < picture.width; j++)
      most = picture.edges[i][j] > most ? picture.edges[i][j] : most;
  printf("\nrows of blocks by columns, the more edges the darker (%s):\n", shades + 1);
  for (unsigned i = 0; i < picture.height; i++) {
    fputs("  |", stdout);
    for (unsigned j = 0; j < picture.width; j++) {
      const char square = shade(picture.edges[i][j], most);
      printf("%c%c", square, square);
    }
    puts("|");
  }
}

/* Of generations only names and types are known without the base. */
static json_t *describe_changed_properties(const struct qn_set *set) {
  static const char *const lists[] = {"vertices", "edges"};
  json_t *properties = qn_properties_describe(&set->ranges[0].properties), *column;
  size_t index;
  for (int i = 0; i < 2; i++)
    json_array_foreach(json_object_get(properties, lists[i]), index, column)
        json_object_del(column, "nulls");
  return properties;
}

/* How many values of edges are null stands in the parts; those of vertices of all files count. */
static json_t *describe_properties(const struct qn_set *set) {
  if (set->num_generations)
    return describe_changed_properties(set);
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

static void print_ranges(const struct qn_set *set) {
  json_t *rows =
      json_pack("[[s, s, s, s]]", "file of vertices", "from vertex", "to before", "size");
  for (uint64_t i = 0; i < set->num_ranges; i++) {
    const struct qn_vertex_range *range = &set->ranges[i];
    char size[32];
    json_array_append_new(rows, json_pack("[s, o, o, s]", range->file.name,
                                          count_json(range->begin), count_json(range->end),
                                          qn_size_text(range->file.bytes, size, sizeof size)));
  }
  putchar('\n');
  qn_text_table_print(rows, "lrrr", qn_terminal_width(), stdout);
  json_decref(rows);
}

/* ---- Types -------------------------------------------------------------------- */

static json_t *describe_columns(const struct qn_property_table *table) {
  char type[QN_PROPERTY_TYPE_BYTES];
  json_t *list = json_array();
  for (uint32_t i = 0; i < table->count; i++)
    json_array_append_new(list, json_pack("{s:s, s:s}", "name", table->columns[i].name, "type",
                                          qn_property_type_name(table->columns[i].type, type)));
  return list;
}

/* What vertices and edges of each type have, added to what is said of the types. */
static enum qn_status describe_types(const struct qn_set *set, json_t *description,
                                     struct qn_error *error) {
  static const char *const kinds[] = {
      [QN_IDS_DENSE] = "numbers", [QN_IDS_NUMBERS] = "numbers", [QN_IDS_STRINGS] = "names"};
  json_t *vertices = json_object_get(description, "vertices"),
         *types = json_object_get(description, "edge_types");
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < set->num_ranges; i++) {
    json_t *object = json_array_get(vertices, i);
    json_object_set_new(object, "ids", json_string(kinds[set->ranges[i].ids.kind]));
    json_object_set_new(object, "properties",
                        describe_columns(&set->ranges[i].properties.of_vertices));
  }
  for (uint64_t i = 0; !status && i < set->num_parts; i++) {
    struct qn_container *container;
    struct qn_properties properties = {0};
    json_t *object = json_array_get(types, set->parts[i].edge_type);
    if (json_object_get(object, "properties"))
      continue;
    status = qn_set_map_file(set, &set->parts[i].file, &container, error);
    if (!status)
      status = qn_properties_view(container, &properties, error);
    if (!status)
      json_object_set_new(object, "properties", describe_columns(&properties.of_edges));
    qn_properties_release(&properties);
    qn_container_unmap(container);
  }
  return status;
}

/* "name string, age i64" */
static json_t *columns_text(const json_t *columns) {
  char *text = NULL;
  size_t length, index;
  const json_t *column;
  FILE *stream = open_memstream(&text, &length);
  if (!stream)
    return json_string("");
  json_array_foreach(columns, index, column) fprintf(
      stream, "%s%s %s", index ? ", " : "", json_string_value(json_object_get(column, "name")),
      json_string_value(json_object_get(column, "type")));
  fclose(stream);
  json_t *string = json_string(text ? text : "");
  free(text);
  return string;
}

static json_t *text_of(const json_t *object, const char *key) {
  char text[32];
  const json_t *value = json_object_get(object, key);
  return json_is_string(value)
             ? json_string(json_string_value(value))
             : json_string(qn_count_text((uint64_t)json_integer_value(value), text, sizeof text));
}

static void print_types(const struct qn_set *set, const json_t *description) {
  const json_t *object;
  size_t index;
  char count[32];
  json_t *vertices = json_pack("[[s, s, s, s]]", "vertex type", "vertices", "ids", "properties"),
         *edges = json_pack("[[s, s, s, s, s, s]]", "edge type", "from", "to", "edges", "weights",
                            "properties");
  json_array_foreach(json_object_get(description, "vertices"), index, object) json_array_append_new(
      vertices,
      json_pack(
          "[o, s, o, o]", text_of(object, "type"),
          qn_count_text(set->ranges[index].end - set->ranges[index].begin, count, sizeof count),
          text_of(object, "ids"), columns_text(json_object_get(object, "properties"))));
  json_array_foreach(json_object_get(description, "edge_types"), index, object)
      json_array_append_new(edges, json_pack("[o, o, o, o, o, o]", text_of(object, "name"),
                                             text_of(object, "source"), text_of(object, "target"),
                                             text_of(object, "edges"), text_of(object, "weights"),
                                             columns_text(json_object_get(object, "properties"))));
  putchar('\n');
  qn_text_table_print(vertices, "lrll", qn_terminal_width(), stdout);
  putchar('\n');
  qn_text_table_print(edges, "lllrll", qn_terminal_width(), stdout);
  json_decref(vertices);
  json_decref(edges);
}

/* ---- The whole ------------------------------------------------------------------ */

/* Frees `properties`, which may be NULL. */
static void print_set(const struct qn_set *set, json_t *description, json_t *properties) {
  json_t *all = json_deep_copy(description);
  json_object_del(description, "log");
  json_object_del(description, "generations");
  json_object_del(description, "blocks");
  if (set->num_ranges > 1 || qn_set_is_typed(set))
    json_object_del(description, "vertices");
  if (qn_set_is_typed(set))
    json_object_del(description, "edge_types");
  qn_figures_print(description, qn_terminal_width(), stdout);
  if (qn_set_is_typed(set))
    print_types(set, all);
  if (set->num_generations) {
    putchar('\n');
    qn_set_log_print(json_object_get(all, "log"));
  } else {
    if (set->num_ranges > 1)
      print_ranges(set);
    if (set->features & QN_SET_COLUMN_RANGES)
      print_picture(set);
    print_parts(set);
  }
  json_decref(all);
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
    if (!set->num_generations)
      json_object_set_new(description, "imbalance", json_real(imbalance(set, &sizes)));
    json_t *log = NULL;
    if (set->num_generations)
      status = qn_set_log(set, &log, error);
    if (log)
      json_object_set(description, "log", json_object_get(log, "log"));
    json_decref(log);
    if (metadata && !set->num_generations)
      json_object_set(description, "metadata", metadata);
    if (!status && qn_set_is_typed(set))
      status = describe_types(set, description, error);
    json_t *properties = !qn_set_is_typed(set) && qn_properties_are_any(&set->ranges[0].properties)
                             ? describe_properties(set)
                             : NULL;
    if (status)
      json_decref(properties);
    else if (json)
      print_set_json(description, properties);
    else
      print_set(set, description, properties);
    json_decref(description);
  }
  json_decref(metadata);
  qn_set_close(set);
  return status;
}
