#include "formats/text/string_runs.h"

#include <string.h>

#include "support/memory.h"
#include "support/temp_file.h"

/* What is written, and read of a run, at a time; the longest name fits in. */
#define WRITTEN_BYTES ((uint64_t)1 << 20)
#define LEAST_READ ((uint64_t)128 << 10)
#define MOST_READ ((uint64_t)1 << 20)
/* The same of all runs together, where memory is not limited. */
#define ALL_READ ((uint64_t)256 << 20)
/* Before a name: its length. */
typedef uint16_t name_length;
_Static_assert(QN_MAX_NAME_BYTES <= UINT16_MAX, "lengths of names take 16 bits");

struct run {
  uint64_t first, count;
  uint64_t names, bytes; /* in the file: lengths and names, ascending */
  uint64_t places;       /* in the file: [count] of 32 bits */
};

struct qn_string_runs {
  struct qn_temp_file *file;
  struct run *list; /* [room] */
  uint64_t num_runs, room, count, bytes;
};

enum qn_status qn_string_runs_create(struct qn_string_runs **out, struct qn_error *error) {
  const char *folder = qn_temp_folder() ? qn_temp_folder() : qn_default_temp_folder();
  *out = NULL;
  struct qn_string_runs *runs;
  enum qn_status status = qn_alloc_zeroed(&runs, 1, sizeof *runs, "names on disk", error);
  if (status)
    return status;
  status = qn_temp_file_create(folder, &runs->file, error);
  if (status)
    qn_free(runs);
  else
    *out = runs;
  return status;
}

void qn_string_runs_destroy(struct qn_string_runs *runs) {
  if (!runs)
    return;
  qn_temp_file_destroy(runs->file);
  qn_free(runs->list);
  qn_free(runs);
}

uint64_t qn_string_runs_count(const struct qn_string_runs *runs) {
  return runs->count;
}

uint64_t qn_string_runs_bytes(const struct qn_string_runs *runs) {
  return runs->bytes;
}

uint64_t qn_string_runs_num(const struct qn_string_runs *runs) {
  return runs->num_runs;
}

uint64_t qn_string_run_first(const struct qn_string_runs *runs, uint64_t index) {
  return index < runs->num_runs ? runs->list[index].first : runs->count;
}

enum qn_status qn_string_run_places(const struct qn_string_runs *runs, uint64_t index,
                                    uint32_t *places, struct qn_error *error) {
  const struct run *run = &runs->list[index];
  return qn_temp_file_read(runs->file, places, run->count * sizeof *places, run->places, error);
}

/* ---- Writing ------------------------------------------------------------------- */

static enum qn_status append(struct qn_string_runs *runs, const void *bytes, uint64_t length,
                             uint64_t *first, struct qn_error *error) {
  uint64_t offset;
  enum qn_status status = qn_temp_file_append(runs->file, bytes, length, &offset, error);
  if (*first == UINT64_MAX)
    *first = offset;
  return status;
}

static enum qn_status append_names(struct qn_string_runs *runs, const struct qn_ids *ids,
                                   struct run *run, char *buffer, struct qn_error *error) {
  enum qn_status status = QN_OK;
  uint64_t used = 0;
  for (uint64_t i = 0; !status && i < ids->num_vertices; i++) {
    const uint64_t begin = ids->string_offsets[i];
    const name_length length = (name_length)(ids->string_offsets[i + 1] - begin);
    if (used + sizeof length + length > WRITTEN_BYTES) {
      status = append(runs, buffer, used, &run->names, error);
      used = 0;
    }
    memcpy(buffer + used, &length, sizeof length);
    memcpy(buffer + used + sizeof length, ids->string_bytes + begin, length);
    used += sizeof length + length;
    run->bytes += sizeof length + length;
  }
  return status || !used ? status : append(runs, buffer, used, &run->names, error);
}

enum qn_status qn_string_runs_add(struct qn_string_runs *runs, const struct qn_sorted_names *names,
                                  struct qn_error *error) {
  const uint64_t count = names->ids.num_vertices;
  struct run run = {
      .first = runs->count, .count = count, .names = UINT64_MAX, .places = UINT64_MAX};
  char *buffer;
  if (!count)
    return QN_OK;
  enum qn_status status = qn_alloc(&buffer, WRITTEN_BYTES, 1, "names", error);
  if (!status)
    status = append_names(runs, &names->ids, &run, buffer, error);
  if (!status)
    status = append(runs, names->new_of_old, count * sizeof *names->new_of_old, &run.places, error);
  if (!status && runs->num_runs == runs->room) {
    const uint64_t room = runs->room ? 2 * runs->room : 8;
    status = qn_realloc(&runs->list, room, sizeof *runs->list, "names on disk", error);
    runs->room = status ? runs->room : room;
  }
  qn_free(buffer);
  if (status)
    return status;
  runs->list[runs->num_runs++] = run;
  runs->count += count;
  runs->bytes += names->ids.string_offsets[count];
  return QN_OK;
}

/* ---- Putting together ---------------------------------------------------------- */

/* Where a run is read. */
struct cursor {
  const struct run *run;
  char *buffer;        /* [read_bytes] */
  uint64_t begin, end; /* what of it has not been taken */
  uint64_t read, next; /* bytes of the run, and names */
  const char *bytes;   /* of the name that comes next */
  uint32_t length;
};

struct qn_string_merge {
  const struct qn_string_runs *runs;
  uint64_t read_bytes;
  struct cursor *cursors; /* [num_runs] */
  uint32_t *heap;         /* of cursors, the least name first */
  uint64_t left;          /* in the heap */
  bool begun;
  char last[QN_MAX_NAME_BYTES]; /* the name before */
  uint32_t last_length;
};

static int compare(const char *a, uint32_t a_length, const char *b, uint32_t b_length) {
  const int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
  return order ? order : (a_length > b_length) - (a_length < b_length);
}

static enum qn_status fill(const struct qn_string_merge *merge, struct cursor *cursor,
                           struct qn_error *error) {
  const struct run *run = cursor->run;
  const uint64_t left = cursor->end - cursor->begin, room = merge->read_bytes - left;
  const uint64_t more = run->bytes - cursor->read < room ? run->bytes - cursor->read : room;
  memmove(cursor->buffer, cursor->buffer + cursor->begin, left);
  enum qn_status status = qn_temp_file_read(merge->runs->file, cursor->buffer + left, more,
                                            run->names + cursor->read, error);
  cursor->begin = 0;
  cursor->end = left + more;
  cursor->read += more;
  return status;
}

/* The next name of a run, which has one. */
static enum qn_status advance(const struct qn_string_merge *merge, struct cursor *cursor,
                              struct qn_error *error) {
  name_length length;
  enum qn_status status = QN_OK;
  if (cursor->end - cursor->begin < sizeof length + QN_MAX_NAME_BYTES &&
      cursor->read < cursor->run->bytes)
    status = fill(merge, cursor, error);
  if (status)
    return status;
  memcpy(&length, cursor->buffer + cursor->begin, sizeof length);
  cursor->bytes = cursor->buffer + cursor->begin + sizeof length;
  cursor->length = length;
  cursor->begin += sizeof length + length;
  cursor->next++;
  return QN_OK;
}

/* Of equal names the one of the first run comes first. */
static bool precedes(const struct qn_string_merge *merge, uint32_t a, uint32_t b) {
  const struct cursor *x = &merge->cursors[a], *y = &merge->cursors[b];
  const int order = compare(x->bytes, x->length, y->bytes, y->length);
  return order < 0 || (order == 0 && a < b);
}

static void sink(struct qn_string_merge *merge, uint64_t at) {
  uint32_t *heap = merge->heap;
  const uint32_t sunk = heap[at];
  for (uint64_t child; (child = 2 * at + 1) < merge->left; at = child) {
    child += child + 1 < merge->left && precedes(merge, heap[child + 1], heap[child]);
    if (!precedes(merge, heap[child], sunk))
      break;
    heap[at] = heap[child];
  }
  heap[at] = sunk;
}

static enum qn_status open_runs(struct qn_string_merge *merge, struct qn_error *error) {
  const uint64_t num_runs = merge->runs->num_runs;
  enum qn_status status =
      qn_alloc_zeroed(&merge->cursors, num_runs, sizeof *merge->cursors, "runs of names", error);
  if (!status)
    status = qn_alloc(&merge->heap, num_runs, sizeof *merge->heap, "runs of names", error);
  for (uint64_t i = 0; !status && i < num_runs; i++) {
    merge->cursors[i].run = &merge->runs->list[i];
    merge->heap[i] = (uint32_t)i;
    status = qn_alloc(&merge->cursors[i].buffer, merge->read_bytes, 1, "names of a run", error);
    if (!status)
      status = advance(merge, &merge->cursors[i], error);
  }
  merge->left = num_runs;
  for (uint64_t i = num_runs / 2; !status && i-- > 0;)
    sink(merge, i);
  return status;
}

enum qn_status qn_string_merge_open(const struct qn_string_runs *runs, struct qn_string_merge **out,
                                    struct qn_error *error) {
  struct qn_string_merge *merge;
  const uint64_t limit = qn_memory_limit(),
                 share = (limit ? limit / 4 : ALL_READ) / (runs->num_runs + 1);
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&merge, 1, sizeof *merge, "runs of names", error);
  if (status)
    return status;
  merge->runs = runs;
  merge->read_bytes = share < LEAST_READ ? LEAST_READ : share > MOST_READ ? MOST_READ : share;
  status = open_runs(merge, error);
  if (status)
    qn_string_merge_close(merge);
  else
    *out = merge;
  return status;
}

void qn_string_merge_close(struct qn_string_merge *merge) {
  if (!merge)
    return;
  for (uint64_t i = 0; merge->cursors && i < merge->runs->num_runs; i++)
    qn_free(merge->cursors[i].buffer);
  qn_free(merge->cursors);
  qn_free(merge->heap);
  qn_free(merge);
}

/* The run of the name before goes on. */
static enum qn_status go_on(struct qn_string_merge *merge, struct qn_error *error) {
  struct cursor *cursor = &merge->cursors[merge->heap[0]];
  enum qn_status status = QN_OK;
  memcpy(merge->last, cursor->bytes, cursor->length);
  merge->last_length = cursor->length;
  if (cursor->next < cursor->run->count)
    status = advance(merge, cursor, error);
  else
    merge->heap[0] = merge->heap[--merge->left];
  if (!status && merge->left)
    sink(merge, 0);
  return status;
}

enum qn_status qn_string_merge_next(struct qn_string_merge *merge, struct qn_merged_name *name,
                                    struct qn_error *error) {
  enum qn_status status = merge->begun ? go_on(merge, error) : QN_OK;
  if (status)
    return status;
  const struct cursor *cursor = &merge->cursors[merge->heap[0]];
  *name = (struct qn_merged_name){.bytes = cursor->bytes,
                                  .length = cursor->length,
                                  .repeated =
                                      merge->begun && compare(merge->last, merge->last_length,
                                                              cursor->bytes, cursor->length) == 0,
                                  .place = cursor->run->first + cursor->next - 1};
  merge->begun = true;
  return QN_OK;
}
