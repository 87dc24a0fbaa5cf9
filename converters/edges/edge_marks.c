#include "converters/edges/edge_marks.h"

#include "converters/edges/edge_blocks.h"
#include "support/memory.h"
#include "support/multiversion.h"

/* Ids below it are marked in any case, in 2 MiB, and others where an edge brings no more than some
 * bytes of the map. */
#define ALWAYS_NEAR ((uint64_t)1 << 24)
#define EDGE_IDS 64

void qn_edge_marks_create(struct qn_edge_marks *marks, const uint64_t *num_vertices) {
  struct qn_error ignored;
  *marks = (struct qn_edge_marks){.num_vertices = num_vertices};
  if (qn_pages_alloc(&marks->bits, QN_EDGE_MARKS_WORDS, sizeof *marks->bits, "marks of ids",
                     &ignored))
    marks->bits = NULL;
}

void qn_edge_marks_drop(struct qn_edge_marks *marks) {
  qn_pages_free(marks->bits, QN_EDGE_MARKS_WORDS, sizeof *marks->bits);
  marks->bits = NULL;
}

bool qn_edge_marks_want(struct qn_edge_marks *marks, uint64_t largest, uint64_t num_edges) {
  bool first = num_edges == 0;
  if (first && marks->num_vertices && *marks->num_vertices != QN_SPILL_NOT_DECLARED)
    qn_edge_marks_drop(marks);
  return marks->bits && largest >> 32 == 0 &&
         (largest < ALWAYS_NEAR || largest / EDGE_IDS < num_edges);
}

static inline bool is_marked(const uint64_t *bits, uint64_t id) {
  return __atomic_load_n(&bits[id >> 6], __ATOMIC_RELAXED) >> (id & 63) & 1;
}

static inline void mark(uint64_t *bits, uint64_t id) {
  __atomic_fetch_or(&bits[id >> 6], (uint64_t)1 << (id & 63), __ATOMIC_RELAXED);
}

/* Most ids occur many times: looking first keeps cache lines shared. */
static inline void mark_ends(uint64_t *bits, uint64_t source, uint64_t destination) {
  if (__builtin_expect(is_marked(bits, source) & is_marked(bits, destination), 1))
    return;
  mark(bits, source);
  mark(bits, destination);
}

QN_SCALAR_CLONES static void mark_pairs(uint64_t *bits, const uint64_t *pairs, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    mark_ends(bits, (uint32_t)pairs[i], pairs[i] >> 32);
}

void qn_edge_marks_add(const struct qn_edge_marks *marks, struct qn_edge_block *block) {
  const uint64_t *ids = qn_edge_block_ids(block);
  if (!block->wide)
    mark_pairs(marks->bits, ids, block->count);
  else
    for (uint64_t i = 0; i < block->count; i++)
      mark_ends(marks->bits, ids[2 * i], ids[2 * i + 1]);
}
