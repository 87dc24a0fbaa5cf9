#include "formats/properties/time_index.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/container/verifier.h"
#include "support/memory.h"
#include "support/temp_file.h"

/* ---- Keys ------------------------------------------------------------------------ */

static bool is_unsigned(const struct qn_property *property) {
  return qn_property_class_of(property->type) == QN_PROPERTY_UNSIGNED;
}

uint64_t qn_time_key_of(bool of_unsigned, uint64_t value) {
  return of_unsigned ? value : value ^ (uint64_t)1 << 63;
}

static uint64_t value_of(const struct qn_property *property, uint64_t edge) {
  const bool whole = is_unsigned(property);
  const void *values = property->values;
  switch (qn_property_value_bytes(property->type)) {
  case 1:
    return whole ? ((const uint8_t *)values)[edge] : (uint64_t)((const int8_t *)values)[edge];
  case 2:
    return whole ? ((const uint16_t *)values)[edge] : (uint64_t)((const int16_t *)values)[edge];
  case 4:
    return whole ? ((const uint32_t *)values)[edge] : (uint64_t)((const int32_t *)values)[edge];
  default:
    return ((const uint64_t *)values)[edge];
  }
}

uint64_t qn_time_key(const struct qn_property *property, uint64_t edge) {
  return qn_time_key_of(is_unsigned(property), value_of(property, edge));
}

static bool may_have_index(const struct qn_property *property) {
  const enum qn_property_class class = qn_property_class_of(property->type);
  return !qn_property_dimension(property->type) &&
         (class == QN_PROPERTY_DAYS || class == QN_PROPERTY_TIME || class == QN_PROPERTY_SIGNED ||
          class == QN_PROPERTY_UNSIGNED);
}

/* ---- Sections -------------------------------------------------------------------- */

enum { TIMES, EDGES, ENDS, LOADS, NUM_SECTIONS };

struct names {
  char of[NUM_SECTIONS][33];
};

static struct names names_of(uint32_t number) {
  static const char *const what[] = {"times", "edges", "ends", "loads"};
  struct names names;
  for (unsigned i = 0; i < NUM_SECTIONS; i++)
    snprintf(names.of[i], sizeof names.of[i], QN_TIME_INDEX_PREFIX "%" PRIu32 "_%s", number,
             what[i]);
  return names;
}

/* Graphs that have them keep numbers of edges in 8 bytes. */
static uint32_t edge_bytes(uint64_t num_edges) {
  return num_edges > (uint64_t)UINT32_MAX + 1 ? 8 : 4;
}

/* The sections of a column; those of weights only if the graph has some. */
static unsigned describe(const struct qn_property *property, uint64_t num_edges,
                         enum qn_weight_type weights, const struct names *names,
                         struct qn_section_spec specs[NUM_SECTIONS]) {
  const uint64_t count = property->count - property->nulls;
  specs[TIMES] = (struct qn_section_spec){
      .element_type = is_unsigned(property) ? QN_ELEMENT_UNSIGNED : QN_ELEMENT_SIGNED,
      .element_bytes = 8,
      .count = count};
  specs[EDGES] = (struct qn_section_spec){
      .element_type = QN_ELEMENT_UNSIGNED, .element_bytes = edge_bytes(num_edges), .count = count};
  specs[ENDS] = (struct qn_section_spec){
      .element_type = QN_ELEMENT_UNSIGNED, .element_bytes = 4, .count = 2 * count};
  specs[LOADS] = (struct qn_section_spec){.element_type = qn_weight_element(weights),
                                          .element_bytes = qn_weight_bytes(weights),
                                          .count = count};
  for (unsigned i = 0; i < NUM_SECTIONS; i++) {
    specs[i].name = names->of[i];
    specs[i].ancillary = true;
  }
  return weights == QN_WEIGHT_NONE ? LOADS : NUM_SECTIONS;
}

enum qn_status qn_time_index_view(const struct qn_container *container, uint32_t number,
                                  const struct qn_property *property, struct qn_time_index *index,
                                  struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  const struct names names = names_of(number);
  struct qn_section_spec specs[NUM_SECTIONS];
  const struct qn_section **to[] = {&index->times, &index->edges, &index->ends, &index->loads};
  *index = (struct qn_time_index){.container = container};
  if (!qn_container_section(container, names.of[TIMES]))
    return QN_OK;
  if (!may_have_index(property) || info->layout != QN_LAYOUT_GRAPH || qn_is_rectangular(info))
    return qn_container_violation(container, error, "P-12",
                                  "there is no index of the property %s by time in such a graph",
                                  property->name);
  const unsigned count = describe(property, info->num_edges, info->weight_type, &names, specs);
  enum qn_status status = QN_OK;
  for (unsigned i = 0; !status && i < count; i++) {
    const struct qn_section *section = qn_container_section(container, specs[i].name);
    if (!section || section->critical || section->element_type != specs[i].element_type ||
        section->element_bytes != specs[i].element_bytes || section->count != specs[i].count)
      status = qn_container_violation(container, error, "P-12",
                                      "section %s is not of %" PRIu64 " elements, not critical",
                                      specs[i].name, specs[i].count);
    *to[i] = section;
  }
  index->count = property->count - property->nulls;
  index->is_there = !status;
  return status;
}

bool qn_time_index_is_there(const struct qn_container *container) {
  bool found = false;
  for (uint32_t i = 0; i < qn_container_info(container)->num_sections; i++)
    found |= qn_time_index_has(qn_container_section_at(container, i));
  return found;
}

/* ---- Reading --------------------------------------------------------------------- */

/* Elements [begin, end) are what was written. */
static enum qn_status verify(const struct qn_time_index *index, const struct qn_section *section,
                             uint64_t begin, uint64_t end, struct qn_error *error) {
  const uint64_t width = section->element_bytes;
  return qn_container_verify_bytes(index->container, section, begin * width, end * width, error);
}

static uint64_t key_at(const struct qn_time_index *index, uint64_t place) {
  return qn_time_key_of(index->times->element_type == QN_ELEMENT_UNSIGNED,
                        ((const uint64_t *)index->times->data)[place]);
}

/* The first place whose key is `key` or more. */
static enum qn_status find(const struct qn_time_index *index, uint64_t key, uint64_t *place,
                           struct qn_error *error) {
  uint64_t begin = 0, end = index->count;
  enum qn_status status = QN_OK;
  while (!status && begin < end) {
    const uint64_t middle = begin + (end - begin) / 2;
    status = verify(index, index->times, middle, middle + 1, error);
    if (!status && key_at(index, middle) < key)
      begin = middle + 1;
    else
      end = middle;
  }
  *place = begin;
  return status;
}

enum qn_status qn_time_index_find(const struct qn_time_index *index, uint64_t first, uint64_t last,
                                  uint64_t *begin, uint64_t *end, struct qn_error *error) {
  enum qn_status status = find(index, first, begin, error);
  *end = index->count;
  if (!status && last < UINT64_MAX)
    status = find(index, last + 1, end, error);
  return status;
}

static uint64_t edge_at(const struct qn_section *edges, uint64_t place) {
  return edges->element_bytes == 4 ? ((const uint32_t *)edges->data)[place]
                                   : ((const uint64_t *)edges->data)[place];
}

/* By `edge`, equal ones in the order that they have; `spare` has as many, and one of both the
 * outcome. */
static struct qn_timed_edge *sort(struct qn_timed_edge *items, struct qn_timed_edge *spare,
                                  uint64_t count) {
  uint64_t all = 0;
  for (uint64_t i = 0; i < count; i++)
    all |= items[i].edge ^ items[0].edge;
  for (unsigned shift = 0; shift < 64 && all >> shift; shift += 10) {
    uint64_t starts[1025] = {0};
    for (uint64_t i = 0; i < count; i++)
      starts[(items[i].edge >> shift & 1023) + 1]++;
    for (unsigned digit = 0; digit < 1024; digit++)
      starts[digit + 1] += starts[digit];
    for (uint64_t i = 0; i < count; i++)
      spare[starts[items[i].edge >> shift & 1023]++] = items[i];
    struct qn_timed_edge *swap = items;
    items = spare;
    spare = swap;
  }
  return items;
}

enum qn_status qn_time_index_read(const struct qn_time_index *index, uint64_t begin, uint64_t end,
                                  struct qn_timed_edge **edges, struct qn_error *error) {
  struct qn_timed_edge *items = NULL, *spare = NULL;
  const uint64_t count = end - begin;
  enum qn_status status = verify(index, index->edges, begin, end, error);
  *edges = NULL;
  if (!status)
    status = verify(index, index->ends, 2 * begin, 2 * end, error);
  if (!status && index->loads)
    status = verify(index, index->loads, begin, end, error);
  if (!status)
    status = qn_bulk_alloc(&items, count, sizeof *items, "edges of a time", error);
  if (!status)
    status = qn_bulk_alloc(&spare, count, sizeof *spare, "edges of a time", error);
  if (!status) {
    for (uint64_t i = 0; i < count; i++)
      items[i] = (struct qn_timed_edge){edge_at(index->edges, begin + i), begin + i};
    *edges = sort(items, spare, count);
  }
  if (*edges != items)
    qn_pages_free(items, count, sizeof *items);
  if (*edges != spare)
    qn_pages_free(spare, count, sizeof *spare);
  return status;
}

/* ---- Writing --------------------------------------------------------------------- */

static void fill_sources(const struct qn_csr *rows, uint32_t *sources) {
#pragma omp parallel for schedule(dynamic, 4096)
  for (uint64_t v = 0; v < rows->num_vertices; v++)
    for (uint64_t e = rows->row_offsets[v]; e < rows->row_offsets[v + 1]; e++)
      sources[e] = (uint32_t)v;
}

/* Edges that have a value, as keys and their numbers. */
static uint64_t list_edges(const struct qn_property *property, struct qn_timed_edge *items) {
  uint64_t count = 0;
  for (uint64_t e = 0; e < property->count; e++)
    if (!qn_property_is_null(property, e))
      items[count++] = (struct qn_timed_edge){qn_time_key(property, e), e};
  return count;
}

static void put_edge(const struct qn_graph *graph, const uint32_t *sources, uint64_t place,
                     uint64_t edge, void *const data[NUM_SECTIONS]) {
  const unsigned width = qn_weight_bytes(graph->out.weights.type);
  if (edge_bytes(graph->out.num_edges) == 4)
    ((uint32_t *)data[EDGES])[place] = (uint32_t)edge;
  else
    ((uint64_t *)data[EDGES])[place] = edge;
  ((uint32_t *)data[ENDS])[2 * place] = sources[edge];
  ((uint32_t *)data[ENDS])[2 * place + 1] = graph->out.column_indices[edge];
  if (width)
    qn_weight_copy(data[LOADS], place, graph->out.weights.data, edge, width);
}

/* `data` [NUM_SECTIONS] has room for all. */
static enum qn_status fill(const struct qn_graph *graph, const struct qn_property *property,
                           void *const data[NUM_SECTIONS], struct qn_error *error) {
  const uint64_t num_edges = graph->out.num_edges, count = property->count - property->nulls;
  struct qn_timed_edge *items = NULL, *spare = NULL, *sorted;
  uint32_t *sources = NULL;
  enum qn_status status = qn_bulk_alloc(&items, num_edges, sizeof *items, "times of edges", error);
  if (!status)
    status = qn_bulk_alloc(&spare, num_edges, sizeof *spare, "times of edges", error);
  if (!status)
    status = qn_bulk_alloc(&sources, num_edges, sizeof *sources, "sources of edges", error);
  if (!status && list_edges(property, items) != count)
    status = qn_fail(error, QN_INVALID, "P-6: the property %s has not as many nulls as it says",
                     property->name);
  if (!status) {
    fill_sources(&graph->out, sources);
    sorted = sort(items, spare, count);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < count; i++) {
      ((uint64_t *)data[TIMES])[i] = qn_time_key_of(is_unsigned(property), sorted[i].edge);
      put_edge(graph, sources, i, sorted[i].place, data);
    }
  }
  qn_pages_free(sources, num_edges, sizeof *sources);
  qn_pages_free(spare, num_edges, sizeof *spare);
  qn_pages_free(items, num_edges, sizeof *items);
  return status;
}

enum qn_status qn_time_index_write(const struct qn_graph *graph, uint32_t number,
                                   const struct qn_property *property, struct qn_writer *writer,
                                   struct qn_error *error) {
  const struct names names = names_of(number);
  struct qn_section_spec specs[NUM_SECTIONS];
  void *data[NUM_SECTIONS] = {0};
  const unsigned count =
      describe(property, graph->out.num_edges, graph->out.weights.type, &names, specs);
  enum qn_status status = QN_OK;
  for (unsigned i = 0; !status && i < count; i++)
    status = qn_writer_section(writer, &specs[i], &data[i], error);
  return status ? status : fill(graph, property, data, error);
}

/* ---- Checking -------------------------------------------------------------------- */

/* The row of an edge. */
static bool is_in_row(const struct qn_csr *rows, uint64_t source, uint64_t edge) {
  return source < rows->num_vertices && rows->row_offsets[source] <= edge &&
         edge < rows->row_offsets[source + 1];
}

static bool is_right(const struct qn_time_index *index, const struct qn_property *property,
                     const struct qn_csr *rows, uint64_t place) {
  const uint64_t edge = edge_at(index->edges, place), key = key_at(index, place);
  const uint32_t *ends = (const uint32_t *)index->ends->data + 2 * place;
  const unsigned width = qn_weight_bytes(rows->weights.type);
  if (edge >= rows->num_edges || qn_property_is_null(property, edge) ||
      qn_time_key(property, edge) != key || !is_in_row(rows, ends[0], edge) ||
      rows->column_indices[edge] != ends[1])
    return false;
  if (width && memcmp((const char *)index->loads->data + place * width,
                      (const char *)rows->weights.data + edge * width, width) != 0)
    return false;
  return place == 0 || key_at(index, place - 1) < key ||
         (key_at(index, place - 1) == key && edge_at(index->edges, place - 1) < edge);
}

enum qn_status qn_time_indexes_check(const struct qn_container *container,
                                     const struct qn_properties *properties,
                                     const struct qn_graph *graph, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; !status && i < properties->of_edges.count; i++) {
    const struct qn_property *property = &properties->of_edges.columns[i];
    struct qn_time_index index;
    uint64_t bad = UINT64_MAX;
    status = qn_time_index_view(container, i, property, &index, error);
    if (status || !index.is_there)
      continue;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (uint64_t place = 0; place < index.count; place++)
      if (place < bad && !is_right(&index, property, &graph->out, place))
        bad = place;
    if (bad != UINT64_MAX)
      status = qn_container_violation(container, error, "P-13",
                                      "place %" PRIu64
                                      " of the index of %s by time is not that of such an edge",
                                      bad, property->name);
  }
  return status;
}
