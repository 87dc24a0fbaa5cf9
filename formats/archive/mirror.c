/* Frames of the triangle come in the order of rows. Each is sorted, in the cache, by the strips
 * that its columns lie in: the tiles of the matrix. When all frames up to the end of a strip have
 * been sorted, whatever leads to its rows is known: the strip's column of tiles fills the lower
 * parts of its rows, whose upper parts have been there since they were read. */
#include "formats/archive/mirror.h"

#include <omp.h>
#include <sched.h>
#include <string.h>

#include "formats/archive/scatter.h"
#include "support/memory.h"
#include "support/multiversion.h"
#include "support/progress.h"
#include "support/temp_file.h"
#include "support/threads.h"
#include <quern/inline.h>

/* Values of rows, used for one strip after the other. */
struct buffer {
  void *values;
  uint64_t room; /* bytes */
};

/* A strip of which some frames have been read. */
struct strip {
  struct buffer columns, weights;
  uint64_t frames_left; /* atomic */
};

/* What a thread works with. */
struct desk {
  uint32_t *ends;        /* [num_strips] of tiles, while edges are dealt to them */
  uint32_t *edges;       /* a frame's, by tiles: twice as many as there can be, so that
                            tiles of wrong lengths do no harm before they are noticed */
  void *weights;         /* beside them */
  uint64_t *places;      /* [2^span_log2] where the next edge of a row goes */
  uint64_t frames_known; /* frames that are sorted, as far as was looked */
};

struct mirroring {
  const struct qn_mirror *job;
  const struct qn_strips *cut;
  /* An edge of a tile is a word: its row and, in the low span_log2 bits, its column in the strips.
   */
  uint32_t *edges;  /* [elements] frame by frame, tile by tile */
  uint8_t *weights; /* beside them */
  uint32_t *tiles;  /* [num_strips + 1][num_frames] where a tile begins in its frame */
  bool *sorted;     /* [num_frames] atomic */
  struct strip *strips;
  struct desk *desks;
  unsigned num_desks;
  struct buffer *spare; /* [2 num_desks + 2] */
  unsigned num_spare;
  uint64_t failed; /* the first frame that failed */
  bool stop;       /* some frame failed */
  enum qn_status status;
};

static uint64_t first_row(const struct mirroring *mirroring, uint64_t strip) {
  uint64_t row = strip << mirroring->cut->span_log2;
  return row < mirroring->cut->num_vertices ? row : mirroring->cut->num_vertices;
}

/* Edges of the graph before a strip. */
static uint64_t first_edge(const struct mirroring *mirroring, uint64_t strip) {
  return mirroring->job->row_offsets[first_row(mirroring, strip)];
}

static uint32_t *tile_begins(const struct mirroring *mirroring, uint64_t strip) {
  return mirroring->tiles + strip * mirroring->cut->num_frames;
}

/* ---- Buffers ---------------------------------------------------------------- */

/* Large enough for huge pages; what is not touched takes no memory. */
#define LEAST_ROOM ((uint64_t)8 << 20)

static void drop_buffer(struct buffer *buffer) {
  qn_pages_free(buffer->values, buffer->room, 1);
  *buffer = (struct buffer){0};
}

static enum qn_status take_buffer(struct mirroring *mirroring, uint64_t room, struct buffer *buffer,
                                  struct qn_error *error) {
  for (unsigned i = 0; i < mirroring->num_spare; i++)
    if (mirroring->spare[i].room >= room) {
      *buffer = mirroring->spare[i];
      mirroring->spare[i] = mirroring->spare[--mirroring->num_spare];
      return QN_OK;
    }
  buffer->room = room > LEAST_ROOM ? room : LEAST_ROOM;
  return room > LEAST_ROOM
             ? qn_bulk_alloc(&buffer->values, buffer->room, 1, "rows of a strip", error)
             : qn_pages_alloc(&buffer->values, buffer->room, 1, "rows of a strip", error);
}

/* Those of hubs are not kept. */
static void return_buffer(struct mirroring *mirroring, struct buffer *buffer) {
  if (buffer->room > LEAST_ROOM || mirroring->num_spare == 2 * mirroring->num_desks + 2)
    drop_buffer(buffer);
  else if (buffer->values)
    mirroring->spare[mirroring->num_spare++] = *buffer;
  *buffer = (struct buffer){0};
}

/* Twice the strip's edges: an edge that is one too many in its row does no harm. */
static enum qn_status open_strip(struct mirroring *mirroring, uint64_t number,
                                 struct qn_error *error) {
  struct strip *strip = &mirroring->strips[number];
  uint64_t edges = 2 * (first_edge(mirroring, number + 1) - first_edge(mirroring, number));
  enum qn_status status = QN_OK;
#pragma omp critical(qn_mirror_buffers)
  {
    if (!strip->columns.values)
      status = take_buffer(mirroring, edges * sizeof(uint32_t), &strip->columns, error);
    if (!status && mirroring->job->weight_bytes && !strip->weights.values)
      status = take_buffer(mirroring, edges * mirroring->job->weight_bytes, &strip->weights, error);
  }
  return status;
}

static void close_strip(struct mirroring *mirroring, uint64_t number) {
  struct strip *strip = &mirroring->strips[number];
#pragma omp critical(qn_mirror_buffers)
  {
    return_buffer(mirroring, &strip->columns);
    return_buffer(mirroring, &strip->weights);
  }
}

/* ---- Upper parts, and tiles ------------------------------------------------- */

/* Where tiles begin: in `desk` and for good. */
static void place_tiles(const struct mirroring *mirroring, const struct desk *desk, uint64_t frame,
                        const uint32_t *counts) {
  uint64_t num_strips = mirroring->cut->num_strips;
  uint32_t next = 0;
  for (uint64_t strip = mirroring->cut->frames[frame].strip; strip < num_strips; strip++) {
    desk->ends[strip] = tile_begins(mirroring, strip)[frame] = next;
    next += *counts++;
  }
  tile_begins(mirroring, num_strips)[frame] = next;
}

static bool tiles_are_full(const struct mirroring *mirroring, const struct desk *desk,
                           uint64_t frame) {
  uint64_t differences = 0;
  for (uint64_t strip = mirroring->cut->frames[frame].strip; strip < mirroring->cut->num_strips;
       strip++)
    differences += desk->ends[strip] != tile_begins(mirroring, strip + 1)[frame];
  return differences == 0;
}

static enum qn_status scatter_frame(const struct mirroring *mirroring, struct desk *desk,
                                    uint64_t frame, const struct qn_archive_rows *rows,
                                    const void *weights, struct qn_error *error) {
  const struct qn_mirror *job = mirroring->job;
  const struct qn_strip_frame *cut = &mirroring->cut->frames[frame];
  const struct strip *strip = &mirroring->strips[cut->strip];
  const struct qn_scattering scattering = {
      .rows = rows,
      .weights = job->weight_bytes ? weights : NULL,
      .weight_bytes = job->weight_bytes,
      .num_vertices = mirroring->cut->num_vertices,
      .span_log2 = mirroring->cut->span_log2,
      .strip = cut->strip,
      .row_offsets = job->row_offsets + first_row(mirroring, cut->strip) + rows->first_row,
      .begin = first_edge(mirroring, cut->strip),
      .row_columns = strip->columns.values,
      .row_weights = strip->weights.values,
      .ends = desk->ends,
      .edges = desk->edges,
      .edge_weights = desk->weights};
  place_tiles(mirroring, desk, frame, rows->tiles);
  enum qn_bucketed scattered = qn_scatter(&scattering);
  if (scattered == QN_DEALT_NO_ROWS)
    return job->corrupt(job->context, frame, error);
  if (scattered == QN_DEALT_NO_ROOM || !tiles_are_full(mirroring, desk, frame))
    return job->misfit(job->context, error);
  memcpy(mirroring->edges + cut->first, desk->edges, cut->count * sizeof *desk->edges);
  if (job->weight_bytes)
    memcpy(mirroring->weights + cut->first * job->weight_bytes, desk->weights,
           (uint64_t)cut->count * job->weight_bytes);
  return QN_OK;
}

static enum qn_status read_frame(struct mirroring *mirroring, struct desk *desk, uint64_t frame,
                                 struct qn_error *error) {
  const struct qn_mirror *job = mirroring->job;
  struct qn_archive_rows rows;
  const void *weights = NULL;
  enum qn_status status = open_strip(mirroring, mirroring->cut->frames[frame].strip, error);
  if (status || mirroring->cut->frames[frame].count == 0)
    return status;
  status = job->read(job->context, frame, &rows, &weights, error);
  return status ? status : scatter_frame(mirroring, desk, frame, &rows, weights, error);
}

/* ---- Lower parts ------------------------------------------------------------ */

/* A strip's column of tiles on its way into the rows. */
struct lower {
  const struct mirroring *mirroring;
  uint64_t strip, num_frames; /* up to the strip's end */
  uint64_t *places;
  uint32_t *row_columns;
  void *row_weights;
};

static uint64_t count_lower(const struct mirroring *mirroring, uint64_t strip,
                            uint64_t num_frames) {
  const uint32_t *begins = tile_begins(mirroring, strip);
  const uint32_t *ends = tile_begins(mirroring, strip + 1);
  uint64_t count = 0;
  for (uint64_t frame = 0; frame < num_frames; frame++)
    count += ends[frame] - begins[frame];
  return count;
}

/* The edges of a tile. Inlined for each width of weights, 0 without, on the diagonal, where loops
 * are in the upper parts already, and beside it. */
QN_ALWAYS_INLINE void put_tile(const uint32_t *restrict edges, const void *restrict weights,
                               uint32_t count, uint32_t base, unsigned span_log2,
                               uint64_t *restrict places, uint32_t *restrict row_columns,
                               void *restrict row_weights, unsigned weight_bytes, bool diagonal) {
  const uint32_t mask = ((uint32_t)1 << span_log2) - 1;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t column = edges[i] & mask, row = edges[i] >> span_log2;
    if (diagonal && column == row)
      continue;
    uint64_t place = places[column]++;
    row_columns[place] = base | row;
    qn_bucket_weight(row_weights, place, weights, i, weight_bytes);
  }
}

/* The beginning of what is read next: the rest is fetched as it is read. */
static inline void expect(const void *values) {
  enum { LINE = 64, LINES = 4 };
  for (unsigned line = 0; line < LINES; line++)
    __builtin_prefetch((const char *)values + line * LINE);
}

QN_ALWAYS_INLINE void put_lower(const struct lower *lower, unsigned weight_bytes) {
  const struct mirroring *mirroring = lower->mirroring;
  const uint32_t *begins = tile_begins(mirroring, lower->strip);
  const uint32_t *ends = tile_begins(mirroring, lower->strip + 1);
  const struct qn_strip_frame *frames = mirroring->cut->frames;
  const unsigned span_log2 = mirroring->cut->span_log2;
  for (uint64_t frame = 0; frame < lower->num_frames; frame++) {
    uint64_t begin = frames[frame].first + begins[frame];
    uint64_t next = frames[frame + 1].first + begins[frame + 1];
    const uint8_t *weights = weight_bytes ? mirroring->weights + begin * weight_bytes : NULL;
    uint32_t count = ends[frame] - begins[frame], base = frames[frame].strip << span_log2;
    expect(mirroring->edges + next);
    if (weight_bytes)
      expect(mirroring->weights + next * weight_bytes);
    if (frames[frame].strip == lower->strip)
      put_tile(mirroring->edges + begin, weights, count, base, span_log2, lower->places,
               lower->row_columns, lower->row_weights, weight_bytes, true);
    else
      put_tile(mirroring->edges + begin, weights, count, base, span_log2, lower->places,
               lower->row_columns, lower->row_weights, weight_bytes, false);
  }
}

QN_VECTOR_CLONES
static void put_lower_columns(const struct lower *lower) {
  put_lower(lower, 0);
}

QN_VECTOR_CLONES
static void put_lower_weights_4(const struct lower *lower) {
  put_lower(lower, sizeof(uint32_t));
}

QN_VECTOR_CLONES
static void put_lower_weights_8(const struct lower *lower) {
  put_lower(lower, sizeof(uint64_t));
}

static bool fill_lower(const struct mirroring *mirroring, const struct desk *desk, uint64_t strip,
                       uint64_t num_frames) {
  const struct lower lower = {.mirroring = mirroring,
                              .strip = strip,
                              .num_frames = num_frames,
                              .places = desk->places,
                              .row_columns = mirroring->strips[strip].columns.values,
                              .row_weights = mirroring->strips[strip].weights.values};
  uint64_t begin = first_edge(mirroring, strip), end = first_edge(mirroring, strip + 1);
  uint64_t first = first_row(mirroring, strip), last = first_row(mirroring, strip + 1);
  if (count_lower(mirroring, strip, num_frames) > end - begin)
    return false;
  for (uint64_t row = first; row < last; row++)
    desk->places[row - first] = mirroring->job->row_offsets[row] - begin;
  for (uint64_t row = last - first; row < (uint64_t)1 << mirroring->cut->span_log2; row++)
    desk->places[row] = 0;
  if (mirroring->job->weight_bytes == sizeof(uint64_t))
    put_lower_weights_8(&lower);
  else if (mirroring->job->weight_bytes)
    put_lower_weights_4(&lower);
  else
    put_lower_columns(&lower);
  return true;
}

/* Frames are begun in order, by threads that do not wait before they are sorted. */
static bool wait_for_frames(const struct mirroring *mirroring, struct desk *desk,
                            uint64_t num_frames) {
  for (; desk->frames_known < num_frames; desk->frames_known++)
    while (!__atomic_load_n(&mirroring->sorted[desk->frames_known], __ATOMIC_ACQUIRE)) {
      if (__atomic_load_n(&mirroring->failed, __ATOMIC_RELAXED) < num_frames)
        return false;
      sched_yield();
    }
  return true;
}

static enum qn_status put_strip(const struct mirroring *mirroring, uint64_t strip, bool weights,
                                struct qn_error *error) {
  const struct qn_mirror *job = mirroring->job;
  uint64_t begin = first_edge(mirroring, strip), end = first_edge(mirroring, strip + 1);
  const struct strip *own = &mirroring->strips[strip];
  if (begin == end)
    return QN_OK;
  return job->put(job->context, weights, weights ? own->weights.values : own->columns.values,
                  end - begin, begin, &mirroring->stop, error);
}

static enum qn_status finish_strip(struct mirroring *mirroring, struct desk *desk, uint64_t strip,
                                   uint64_t num_frames, struct qn_error *error) {
  const struct qn_mirror *job = mirroring->job;
  if (!wait_for_frames(mirroring, desk, num_frames))
    return QN_OK;
  if (!fill_lower(mirroring, desk, strip, num_frames))
    return job->misfit(job->context, error);
  enum qn_status status = put_strip(mirroring, strip, false, error);
  if (!status && job->weight_bytes)
    status = put_strip(mirroring, strip, true, error);
  close_strip(mirroring, strip);
  return status;
}

/* ---- The whole -------------------------------------------------------------- */

/* One frame, and its strip if it is the last of that. */
static enum qn_status restore_frame(struct mirroring *mirroring, uint64_t frame,
                                    struct qn_error *error) {
  struct desk *desk = &mirroring->desks[omp_get_thread_num()];
  uint64_t strip = mirroring->cut->frames[frame].strip, end = frame + 1;
  enum qn_status status = read_frame(mirroring, desk, frame, error);
  if (status)
    return status;
  __atomic_store_n(&mirroring->sorted[frame], true, __ATOMIC_RELEASE);
  if (__atomic_sub_fetch(&mirroring->strips[strip].frames_left, 1, __ATOMIC_ACQ_REL) > 0)
    return QN_OK;
  while (mirroring->cut->frames[end].strip == strip)
    end++;
  return finish_strip(mirroring, desk, strip, end, error);
}

/* Of several failures the first frame's is told, whatever the number of threads. */
static void restore_frames(struct mirroring *mirroring, struct qn_error *error) {
#pragma omp parallel for schedule(monotonic : dynamic, 1)
  for (uint64_t frame = 0; frame < mirroring->cut->num_frames; frame++) {
    struct qn_error own_error;
    if (frame > __atomic_load_n(&mirroring->failed, __ATOMIC_RELAXED))
      continue;
    enum qn_status own = restore_frame(mirroring, frame, &own_error);
    qn_progress_add(sizeof(uint32_t) * mirroring->cut->frames[frame].count);
    if (!own)
      continue;
#pragma omp critical(qn_mirror_failure)
    if (frame < mirroring->failed) {
      __atomic_store_n(&mirroring->failed, frame, __ATOMIC_RELAXED);
      __atomic_store_n(&mirroring->stop, true, __ATOMIC_RELAXED);
      mirroring->status = own;
      if (error)
        *error = own_error;
    }
  }
}

static bool offsets_are_sound(const struct qn_mirror *mirror) {
  const uint64_t *rows = mirror->row_offsets, num_vertices = mirror->strips->num_vertices;
  uint64_t faults = 0;
  if (rows[0] != 0 || rows[num_vertices] != mirror->num_edges)
    return false;
#pragma omp parallel for schedule(static) reduction(+ : faults)
  for (uint64_t v = 0; v < num_vertices; v++)
    faults += rows[v] > rows[v + 1];
  return faults == 0;
}

static enum qn_status create_desk(const struct mirroring *mirroring, struct desk *desk,
                                  struct qn_error *error) {
  enum qn_status status =
      qn_pages_alloc(&desk->ends, mirroring->cut->num_strips, sizeof *desk->ends, "tiles", error);
  if (!status)
    status = qn_pages_alloc(&desk->edges, 2 * QN_STRIP_FRAME_ELEMENTS, sizeof *desk->edges,
                            "edges of a frame", error);
  if (!status && mirroring->job->weight_bytes)
    status = qn_pages_alloc(&desk->weights, 2 * QN_STRIP_FRAME_ELEMENTS,
                            mirroring->job->weight_bytes, "edges of a frame", error);
  if (!status)
    status = qn_pages_alloc(&desk->places, (uint64_t)1 << mirroring->cut->span_log2,
                            sizeof *desk->places, "places of rows", error);
  return status;
}

static void destroy_desk(const struct mirroring *mirroring, struct desk *desk) {
  qn_pages_free(desk->ends, mirroring->cut->num_strips, sizeof *desk->ends);
  qn_pages_free(desk->edges, 2 * QN_STRIP_FRAME_ELEMENTS, sizeof *desk->edges);
  qn_pages_free(desk->weights, 2 * QN_STRIP_FRAME_ELEMENTS, mirroring->job->weight_bytes);
  qn_pages_free(desk->places, (uint64_t)1 << mirroring->cut->span_log2, sizeof *desk->places);
}

static enum qn_status create_arrays(struct mirroring *mirroring, struct qn_error *error) {
  const struct qn_strips *cut = mirroring->cut;
  enum qn_status status = qn_pages_alloc(&mirroring->tiles, (cut->num_strips + 1) * cut->num_frames,
                                         sizeof *mirroring->tiles, "tiles", error);
  if (!status)
    status = qn_bulk_alloc(&mirroring->edges, cut->num_elements, sizeof *mirroring->edges,
                           "edges by tiles", error);
  if (!status && mirroring->job->weight_bytes)
    status = qn_bulk_alloc(&mirroring->weights, cut->num_elements, mirroring->job->weight_bytes,
                           "weights by tiles", error);
  if (!status)
    status = qn_alloc_zeroed(&mirroring->sorted, cut->num_frames, sizeof *mirroring->sorted,
                             "frames", error);
  if (!status)
    status = qn_alloc_zeroed(&mirroring->strips, cut->num_strips, sizeof *mirroring->strips,
                             "strips", error);
  return status;
}

static enum qn_status create_desks(struct mirroring *mirroring, struct qn_error *error) {
  unsigned threads = qn_threads();
  enum qn_status status = qn_alloc_zeroed(&mirroring->spare, 2 * threads + 2,
                                          sizeof *mirroring->spare, "buffers", error);
  if (!status)
    status =
        qn_alloc_zeroed(&mirroring->desks, threads, sizeof *mirroring->desks, "threads", error);
  while (!status && mirroring->num_desks < threads)
    status = create_desk(mirroring, &mirroring->desks[mirroring->num_desks++], error);
  return status;
}

static void destroy(struct mirroring *mirroring) {
  const struct qn_strips *cut = mirroring->cut;
  for (unsigned i = 0; i < mirroring->num_desks; i++)
    destroy_desk(mirroring, &mirroring->desks[i]);
  for (unsigned i = 0; i < mirroring->num_spare; i++)
    drop_buffer(&mirroring->spare[i]);
  for (uint64_t i = 0; mirroring->strips && i < cut->num_strips; i++) {
    drop_buffer(&mirroring->strips[i].columns);
    drop_buffer(&mirroring->strips[i].weights);
  }
  qn_pages_free(mirroring->tiles, (cut->num_strips + 1) * cut->num_frames,
                sizeof *mirroring->tiles);
  qn_pages_free(mirroring->edges, cut->num_elements, sizeof *mirroring->edges);
  qn_pages_free(mirroring->weights, cut->num_elements, mirroring->job->weight_bytes);
  qn_free(mirroring->sorted);
  qn_free(mirroring->strips);
  qn_free(mirroring->desks);
  qn_free(mirroring->spare);
}

enum qn_status qn_mirror_restore(const struct qn_mirror *mirror, struct qn_error *error) {
  struct mirroring mirroring = {.job = mirror, .cut = mirror->strips, .failed = UINT64_MAX};
  if (!offsets_are_sound(mirror))
    return mirror->misfit(mirror->context, error);
  enum qn_status status = create_arrays(&mirroring, error);
  if (!status)
    status = create_desks(&mirroring, error);
  if (!status) {
    for (uint64_t frame = 0; frame < mirror->strips->num_frames; frame++)
      mirroring.strips[mirror->strips->frames[frame].strip].frames_left++;
    restore_frames(&mirroring, error);
    status = mirroring.status;
  }
  destroy(&mirroring);
  return status;
}
