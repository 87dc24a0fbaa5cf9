/* Manifests of sets, of which nothing is believed that does not fit together; what is taken is
 * written and taken again. */
#include <stdlib.h>
#include <string.h>

#include "formats/set/manifest.h"
#include "fuzz/fuzz.h"

/* The folder's name, which a set owns. */
static struct qn_set *create(void) {
  struct qn_set *set = calloc(1, sizeof *set);
  if (!set || !(set->path = strdup("folder")))
    exit(5);
  return set;
}

/* SET-4, of the vertices. */
static void walk_ranges(const struct qn_set *set) {
  uint64_t end = 0;
  FUZZ_PROMISE(set->num_ranges > 0 &&
               (set->num_ranges == 1 || set->features & QN_SET_VERTEX_RANGES));
  for (uint64_t i = 0; i < set->num_ranges; i++) {
    FUZZ_PROMISE(set->ranges[i].begin == end && set->ranges[i].end >= end);
    FUZZ_PROMISE(!strchr(set->ranges[i].file.name, '/'));
    end = set->ranges[i].end;
  }
  FUZZ_PROMISE(end == set->num_vertices);
}

/* SET-3 and SET-4, of the blocks: the area is that of all rows and columns, none of it twice. */
static void walk(const struct qn_set *set) {
  uint64_t begin = 0, end = 0, column = set->num_vertices, edges = 0;
  FUZZ_PROMISE(set->num_vertices <= UINT32_MAX && set->num_parts > 0);
  for (uint64_t i = 0; i < set->num_parts; i++) {
    const struct qn_set_part *block = &set->parts[i];
    if (column == set->num_vertices) {
      begin = end;
      end = block->end;
      column = 0;
    }
    FUZZ_PROMISE(block->begin == begin && block->end == end && begin <= end);
    FUZZ_PROMISE(block->columns_begin == column && block->columns_end >= column);
    FUZZ_PROMISE(!strchr(block->file.name, '/'));
    column = block->columns_end;
    edges += block->num_edges;
  }
  FUZZ_PROMISE(end == set->num_vertices && column == end && edges == set->num_edges);
}

/* The same where edges have types: the blocks of each are all rows of its source type. */
static void walk_types(const struct qn_set *set) {
  uint64_t part = 0, edges = 0;
  FUZZ_PROMISE(set->features & QN_SET_TYPES && set->num_vertices <= UINT32_MAX);
  for (uint64_t t = 0; t < set->num_edge_types; t++) {
    const struct qn_set_edge_type *type = &set->edge_types[t];
    FUZZ_PROMISE(type->source < set->num_ranges && type->target < set->num_ranges);
    uint64_t end = set->ranges[type->source].begin;
    for (; part < set->num_parts && set->parts[part].edge_type == t; part++) {
      FUZZ_PROMISE(set->parts[part].begin == end && set->parts[part].end >= end);
      end = set->parts[part].end;
      edges += set->parts[part].num_edges;
    }
    FUZZ_PROMISE(end == set->ranges[type->source].end && type->name && *type->name);
  }
  FUZZ_PROMISE(part == set->num_parts && edges == set->num_edges);
}

static void write_again(const struct qn_set *set) {
  struct qn_error error;
  struct qn_set *again = create();
  char *text = qn_set_manifest_text(set, "fuzz", &error);
  if (!text)
    exit(5);
  FUZZ_PROMISE(!qn_set_take_manifest(again, text, strlen(text), &error));
  FUZZ_PROMISE(again->num_parts == set->num_parts && again->identity == set->identity &&
               again->num_ranges == set->num_ranges && again->features == set->features);
  free(text);
  qn_set_close(again);
}

static bool run(unsigned kind, const uint8_t *data, size_t size) {
  (void)kind;
  struct qn_error error;
  struct qn_set *set = create();
  error.message[0] = 0;
  const bool taken = !qn_set_take_manifest(set, (const char *)data, size, &error);
  FUZZ_PROMISE(taken || error.message[0] != '\0');
  if (taken) {
    walk_ranges(set);
    if (set->num_edge_types)
      walk_types(set);
    else
      walk(set);
  }
  if (taken && set->version == QN_SET_VERSION)
    write_again(set);
  qn_set_close(set);
  return taken;
}

static const char *const KINDS[] = {"", NULL};
const struct fuzz_family fuzz_set = {"set", KINDS, run};
