#include "formats/set/paths.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "formats/set/project.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/temp_file.h"
#include "support/threads.h"
#include "support/used_files.h"

/* The edges of a type in the direction in which they are followed. */
struct step {
  uint32_t type;
  bool reversed;
  uint32_t source, target; /* types of vertices, as followed */
  uint64_t num_rows, num_edges;
  uint64_t *offsets; /* [num_rows + 1] */
  uint32_t *columns; /* [num_edges] from 0 in the target's type */
};

struct qn_set_path {
  const struct qn_set *set;
  struct step *steps;
  uint32_t num_steps;
};

/* ---- Names ---------------------------------------------------------------------- */

/* How many types are called so; `*type` is one of them. */
static uint64_t find_types(const struct qn_set *set, const char *text, size_t length,
                           uint32_t *type) {
  uint64_t found = 0;
  for (uint64_t t = 0; t < set->num_edge_types; t++)
    if (qn_set_edge_type_is(set, &set->edge_types[t], text, length)) {
      *type = (uint32_t)t;
      found++;
    }
  return found;
}

bool qn_set_path_is(const struct qn_set *set, const char *text) {
  uint32_t type;
  return (*text == '^' || strchr(text, '/')) && find_types(set, text, strlen(text), &type) == 0;
}

/* The step at *text, and what follows it. Names may have a / in them: the longest one counts. */
static enum qn_status read_step(const struct qn_set *set, const char **text, struct step *step,
                                struct qn_error *error) {
  const bool reversed = **text == '^';
  const char *name = *text + reversed;
  uint64_t found = 0;
  size_t length = strlen(name);
  for (;; length--) {
    const bool ends = name[length] == '\0' || name[length] == '/';
    if (ends && (found = find_types(set, name, length, &step->type)))
      break;
    if (length == 0)
      break;
  }
  if (found != 1) {
    const int shown = (int)strcspn(name, "/");
    qn_fail(error, QN_USAGE,
            found ? "several edge types are called '%.*s': write SOURCE-NAME-TARGET"
                  : "the set has no edge type '%.*s'; quern-info lists them",
            found ? (int)length : shown, name);
    return qn_error_in_file(error, set->path);
  }
  const struct qn_set_edge_type *type = &set->edge_types[step->type];
  step->reversed = reversed;
  step->source = reversed ? type->target : type->source;
  step->target = reversed ? type->source : type->target;
  *text = name + length + (name[length] == '/');
  if (name[length] == '/' && !**text)
    return qn_fail(error, QN_USAGE, "a path does not end in /");
  return QN_OK;
}

static enum qn_status read_steps(struct qn_set_path *path, const char *text,
                                 struct qn_error *error) {
  const struct qn_set *set = path->set;
  enum qn_status status = QN_OK;
  while (!status && *text) {
    status = qn_realloc(&path->steps, path->num_steps + 1, sizeof *path->steps, "a path", error);
    if (status)
      break;
    struct step *step = &path->steps[path->num_steps];
    *step = (struct step){0};
    status = read_step(set, &text, step, error);
    if (!status && path->num_steps && step[-1].target != step->source) {
      qn_fail(error, QN_USAGE,
              "'%s' leads to %s, and '%s%s' begins at %s (^ follows edges backwards)",
              set->edge_types[step[-1].type].name, set->ranges[step[-1].target].type,
              step->reversed ? "^" : "", set->edge_types[step->type].name,
              set->ranges[step->source].type);
      status = qn_error_in_file(error, set->path);
    }
    path->num_steps++;
  }
  return status;
}

/* ---- Edges ---------------------------------------------------------------------- */

static uint64_t size_of(const struct qn_set *set, uint32_t type) {
  return set->ranges[type].end - set->ranges[type].begin;
}

/* Rows of one part. With `next` edges are placed, else counted in offsets[row + 1]. */
static enum qn_status walk_part(const struct qn_set *set, uint64_t index, struct step *step,
                                uint64_t *next, uint64_t *fingerprint, struct qn_error *error) {
  const struct qn_set_edge_type *type = &set->edge_types[step->type];
  const uint64_t first = set->ranges[type->source].begin, shift = set->ranges[type->target].begin;
  struct qn_set_open_part part = {0};
  enum qn_status status = qn_set_part_open(set, index, QN_SET_CHECK_ALL, &part, error);
  if (!status && !next)
    *fingerprint +=
        qn_rows_fingerprint(&part.rows, qn_container_info(part.container)->first_row, false);
  for (uint64_t row = 0; !status && row < part.rows.num_vertices; row++)
    for (uint64_t e = part.rows.row_offsets[row]; e < part.rows.row_offsets[row + 1]; e++) {
      const uint64_t from = set->parts[index].begin + row - first;
      const uint64_t to =
          e < part.rows.num_edges ? part.rows.column_indices[e] - shift : UINT64_MAX;
      const uint64_t source = step->reversed ? to : from, target = step->reversed ? from : to;
      if (source >= step->num_rows || target >= size_of(set, step->target)) {
        status = qn_input_changed(error);
        break;
      }
      if (!next) {
        step->offsets[source + 1]++;
      } else if (next[source] < step->offsets[source + 1]) {
        step->columns[next[source]++] = (uint32_t)target;
      } else {
        status = qn_input_changed(error);
        break;
      }
    }
  if (!status)
    status = qn_container_unchanged(part.container, error);
  qn_set_part_close(&part);
  return status;
}

static enum qn_status walk_parts(const struct qn_set *set, struct step *step, uint64_t *next,
                                 uint64_t *fingerprint, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < set->num_parts; i++)
    if (set->parts[i].edge_type == step->type)
      status = walk_part(set, i, step, next, fingerprint, error);
  return status;
}

static enum qn_status load(const struct qn_set *set, struct step *step, struct qn_error *error) {
  const struct qn_set_edge_type *type = &set->edge_types[step->type];
  uint64_t *next = NULL, fingerprint = 0;
  step->num_rows = size_of(set, step->source);
  step->num_edges = type->num_edges;
  enum qn_status status =
      qn_bulk_alloc(&step->offsets, step->num_rows + 1, sizeof *step->offsets, "rows", error);
  if (!status)
    status = qn_bulk_alloc(&step->columns, step->num_edges, sizeof *step->columns, "edges", error);
  if (!status)
    status = walk_parts(set, step, NULL, &fingerprint, error);
  if (!status && fingerprint != type->fingerprint)
    status = qn_set_violation(set, QN_SET_MANIFEST, error, "SET-12",
                              "the parts do not hold the edges of the type %s", type->name);
  if (!status)
    status = qn_bulk_alloc(&next, step->num_rows, sizeof *next, "rows", error);
  if (!status) {
    for (uint64_t row = 0; row < step->num_rows; row++)
      step->offsets[row + 1] += step->offsets[row];
    if (step->offsets[step->num_rows] != step->num_edges)
      status = qn_input_changed(error);
    memcpy(next, step->offsets, step->num_rows * sizeof *next);
  }
  if (!status)
    status = walk_parts(set, step, next, &fingerprint, error);
  qn_pages_free(next, step->num_rows, sizeof *next);
  return status;
}

enum qn_status qn_set_path_open(const struct qn_set *set, const char *text,
                                struct qn_set_path **out, struct qn_error *error) {
  struct qn_set_path *path;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&path, 1, sizeof *path, "a path", error);
  if (status)
    return status;
  path->set = set;
  status = read_steps(path, text, error);
  for (uint32_t i = 0; !status && i < path->num_steps; i++)
    status = load(set, &path->steps[i], error);
  if (status)
    qn_set_path_close(path);
  else
    *out = path;
  return status;
}

void qn_set_path_close(struct qn_set_path *path) {
  if (!path)
    return;
  for (uint32_t i = 0; i < path->num_steps; i++) {
    struct step *step = &path->steps[i];
    qn_pages_free(step->offsets, step->num_rows + 1, sizeof *step->offsets);
    qn_pages_free(step->columns, step->num_edges, sizeof *step->columns);
  }
  qn_free(path->steps);
  qn_free(path);
}

uint32_t qn_set_path_source(const struct qn_set_path *path) {
  return path->steps[0].source;
}

uint32_t qn_set_path_target(const struct qn_set_path *path) {
  return path->steps[path->num_steps - 1].target;
}

/* ---- How many there may be --------------------------------------------------------- */

static uint64_t add(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* From the last step to the first: of each vertex how many paths go on from it. */
enum qn_status qn_set_path_bound(const struct qn_set_path *path, uint64_t *bound,
                                 struct qn_error *error) {
  const uint64_t most = size_of(path->set, qn_set_path_target(path));
  uint64_t *onward = NULL, *here = NULL, num_onward = most;
  enum qn_status status = qn_bulk_alloc(&onward, most, sizeof *onward, "numbers of paths", error);
  for (uint64_t v = 0; !status && v < most; v++)
    onward[v] = 1;
  for (uint32_t i = path->num_steps; !status && i-- > 0;) {
    const struct step *step = &path->steps[i];
    status = qn_bulk_alloc(&here, step->num_rows, sizeof *here, "numbers of paths", error);
    if (status)
      break;
#pragma omp parallel for schedule(dynamic, 4096)
    for (uint64_t row = 0; row < step->num_rows; row++)
      for (uint64_t e = step->offsets[row]; e < step->offsets[row + 1]; e++)
        here[row] = add(here[row], onward[step->columns[e]]);
    qn_pages_free(onward, num_onward, sizeof *onward);
    onward = here;
    num_onward = step->num_rows;
    here = NULL;
  }
  *bound = 0;
  for (uint64_t v = 0; !status && v < num_onward; v++)
    *bound = add(*bound, onward[v]);
  qn_pages_free(onward, num_onward, sizeof *onward);
  return status;
}

/* ---- Following them ---------------------------------------------------------------- */

/* What a thread has reached from a vertex, and by how many paths. */
struct front {
  uint64_t *paths;          /* [room] zero where nothing was reached */
  uint32_t *reached, *next; /* [room] */
  uint64_t *numbers;        /* [room] beside `reached` */
  uint64_t room, count;
  bool overflows;
};

static enum qn_status make_front(const struct qn_set_path *path, struct front *front,
                                 struct qn_error *error) {
  *front = (struct front){0};
  for (uint32_t i = 0; i < path->num_steps; i++) {
    const uint64_t most = size_of(path->set, path->steps[i].target);
    front->room = most > front->room ? most : front->room;
  }
  enum qn_status status =
      qn_bulk_alloc(&front->paths, front->room, sizeof *front->paths, "numbers of paths", error);
  if (!status)
    status = qn_bulk_alloc(&front->reached, front->room, sizeof *front->reached, "ends", error);
  if (!status)
    status = qn_bulk_alloc(&front->next, front->room, sizeof *front->next, "ends", error);
  return status ? status
                : qn_bulk_alloc(&front->numbers, front->room, sizeof *front->numbers,
                                "numbers of paths", error);
}

static void release_front(struct front *front) {
  qn_pages_free(front->paths, front->room, sizeof *front->paths);
  qn_pages_free(front->reached, front->room, sizeof *front->reached);
  qn_pages_free(front->next, front->room, sizeof *front->next);
  qn_pages_free(front->numbers, front->room, sizeof *front->numbers);
}

static uint64_t reach(struct front *front, const struct step *step, uint64_t row, uint64_t number,
                      uint64_t count) {
  for (uint64_t e = step->offsets[row]; e < step->offsets[row + 1]; e++) {
    const uint32_t end = step->columns[e];
    if (!front->paths[end])
      front->next[count++] = end;
    front->overflows |= __builtin_add_overflow(front->paths[end], number, &front->paths[end]) ||
                        front->paths[end] > INT64_MAX;
  }
  return count;
}

/* All ends of paths from a vertex, in any order. */
static void follow(const struct qn_set_path *path, uint64_t vertex, struct front *front) {
  uint64_t count = reach(front, &path->steps[0], vertex, 1, 0);
  for (uint32_t i = 0;; i++) {
    uint32_t *reached = front->next;
    front->next = front->reached;
    front->reached = reached;
    front->count = count;
    for (uint64_t k = 0; k < count; k++) {
      front->numbers[k] = front->paths[reached[k]];
      front->paths[reached[k]] = 0;
    }
    if (i + 1 == path->num_steps || front->overflows)
      return;
    count = 0;
    for (uint64_t k = 0; k < front->count; k++)
      count = reach(front, &path->steps[i + 1], reached[k], front->numbers[k], count);
  }
}

/* Where rows go: only counted, or written. */
struct rows {
  uint64_t *counts, most; /* most paths of a pair */
  const uint64_t *offsets;
  uint32_t *columns;
  enum qn_weight_type type;
  void *weights;
};

static int by_end(const void *a, const void *b) {
  const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
  return (first > second) - (first < second);
}

static void write_row(const struct rows *rows, uint64_t row, struct front *front) {
  const uint64_t at = rows->offsets[row];
  for (uint64_t k = 0; k < front->count; k++)
    front->paths[front->reached[k]] = front->numbers[k];
  qsort(front->reached, front->count, sizeof *front->reached, by_end);
  for (uint64_t k = 0; k < front->count; k++) {
    const uint32_t end = front->reached[k];
    rows->columns[at + k] = end;
    if (rows->type == QN_WEIGHT_U32)
      ((uint32_t *)rows->weights)[at + k] = (uint32_t)front->paths[end];
    else
      ((int64_t *)rows->weights)[at + k] = (int64_t)front->paths[end];
    front->paths[end] = 0;
  }
}

static void take_row(struct rows *rows, uint64_t row, struct front *front) {
  uint64_t most = 0;
  if (rows->columns) {
    write_row(rows, row, front);
    return;
  }
  rows->counts[row] = front->count;
  for (uint64_t k = 0; k < front->count; k++)
    most = front->numbers[k] > most ? front->numbers[k] : most;
  if (most > __atomic_load_n(&rows->most, __ATOMIC_RELAXED))
#pragma omp critical(most_paths)
    rows->most = most > rows->most ? most : rows->most;
}

static enum qn_status follow_all(const struct qn_set_path *path, struct rows *rows,
                                 struct qn_error *error) {
  const uint64_t num_rows = path->steps[0].num_rows;
  enum qn_status first = QN_OK;
  bool overflows = false;
  qn_progress_begin(rows->columns ? "writing paths" : "counting paths", "vertices", num_rows);
#pragma omp parallel
  {
    struct front front;
    struct qn_error own;
    enum qn_status status = make_front(path, &front, &own);
#pragma omp for schedule(dynamic, 64)
    for (uint64_t row = 0; row < num_rows; row++) {
      if (!status && !front.overflows && (row % 1024 || !(status = qn_context_check(&own)))) {
        follow(path, row, &front);
        if (!front.overflows)
          take_row(rows, row, &front);
      }
      if (row % 64 == 0)
        qn_progress_add(row + 64 < num_rows ? 64 : num_rows - row);
    }
#pragma omp critical(failed_paths)
    {
      overflows |= front.overflows;
      if (status && !first) {
        first = status;
        *error = own;
      }
    }
    release_front(&front);
  }
  qn_progress_end();
  if (!first && overflows)
    return qn_fail(error, QN_UNSUPPORTED, "there are more than 2^63 paths between two vertices");
  return first;
}

enum qn_status qn_set_path_count(const struct qn_set_path *path, uint64_t *counts,
                                 enum qn_weight_type *type, struct qn_error *error) {
  struct rows rows = {.counts = counts};
  enum qn_status status = follow_all(path, &rows, error);
  *type = rows.most > UINT32_MAX ? QN_WEIGHT_I64 : QN_WEIGHT_U32;
  return status;
}

enum qn_status qn_set_path_fill(const struct qn_set_path *path, const uint64_t *offsets,
                                uint32_t *columns, enum qn_weight_type type, void *weights,
                                struct qn_error *error) {
  struct rows rows = {.offsets = offsets, .columns = columns, .type = type, .weights = weights};
  return columns ? follow_all(path, &rows, error) : QN_OK;
}
