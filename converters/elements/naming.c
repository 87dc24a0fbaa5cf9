#include "converters/elements/naming.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "converters/parse/names.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/threads.h"

#define MOST_ELEMENTS 4096
#define TEXT_BYTES (4 * QN_MAX_NAME_BYTES)
#define NUM_BATCHES 4
/* Elements whose names are numbered together. */
#define GROUP (QN_WAITING_NAMES / 2)

/* Elements in their order. */
struct batch {
  uint32_t count;
  uint64_t used;
  uint16_t lengths[MOST_ELEMENTS][2]; /* of both names; the second is 0 for a vertex */
  uint8_t types[MOST_ELEMENTS];       /* of weights */
  uint64_t bits[MOST_ELEMENTS];
  const char *file;                                      /* that places are in */
  uint64_t lines[MOST_ELEMENTS], columns[MOST_ELEMENTS]; /* 0: ends may be new */
  char text[TEXT_BYTES];                                 /* the names, one behind the other */
};

struct qn_naming {
  struct batch *batches[NUM_BATCHES]; /* the first alone before the thread is started */
  uint64_t filled;                    /* batches before the one that the reader fills */

  /* Whose turn it is has these. */
  struct qn_string_map *map;
  struct qn_edge_stream stream;
  bool edges;        /* the first one was there, */
  uint64_t declared; /* and so many names before it */

  struct qn_error error; /* of `status` */

  bool started;
  pthread_t thread;
  pthread_mutex_t lock; /* of what follows, once the thread is started */
  pthread_cond_t changed;
  uint64_t ready, named; /* batches that are filled, and done with */
  bool over;             /* no more will be filled */
  enum qn_status status; /* the first failure; elements behind it are dropped */
};

enum qn_status qn_naming_begin(struct qn_string_map *map, struct qn_edge_list *list,
                               uint64_t sequence, struct qn_naming **out, struct qn_error *error) {
  struct qn_naming *naming;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&naming, 1, sizeof *naming, "names", error);
  if (status)
    return status;
  naming->map = map;
  status = qn_alloc_zeroed(&naming->batches[0], 1, sizeof *naming->batches[0], "names", error);
  if (status) {
    qn_free(naming);
    return status;
  }
  pthread_mutex_init(&naming->lock, NULL);
  pthread_cond_init(&naming->changed, NULL);
  qn_edge_stream_open(&naming->stream, list, sequence);
  *out = naming;
  return QN_OK;
}

/* ---- Numbering ------------------------------------------------------------- */

enum kind { VERTEX, EDGE, EDGE_OF_KNOWN };

static enum kind kind_of(const struct batch *batch, uint32_t at) {
  return !batch->lengths[at][1] ? VERTEX : batch->lines[at] ? EDGE_OF_KNOWN : EDGE;
}

static enum qn_status refuse_new(const struct batch *batch, uint32_t at,
                                 const struct qn_waiting_name *name, struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES];
  qn_fail(error, QN_INVALID, "before this: expected an edge between vertices of the list; found %s",
          qn_text_quote(name->bytes, name->bytes + name->length, quoted));
  return qn_error_at_line(error, batch->file, batch->lines[at], batch->columns[at]);
}

static void push(struct qn_naming *naming, const struct batch *batch, uint32_t at,
                 const struct qn_waiting_name *ends) {
  const enum qn_weight_type type = (enum qn_weight_type)batch->types[at];
  if (type == QN_WEIGHT_NONE)
    qn_edge_push(&naming->stream, ends[0].id, ends[1].id);
  else
    qn_edge_push_weighted(&naming->stream, ends[0].id, ends[1].id, type, batch->bits[at]);
}

/* Number the names of elements from `at` on, which are all of one kind, and push those that are
 * edges. Returns how many they were. */
static uint32_t name_group(struct qn_naming *naming, const struct batch *batch, uint32_t at,
                           const char **text, enum qn_status *status, struct qn_error *error) {
  struct qn_waiting_name names[QN_WAITING_NAMES];
  const enum kind kind = kind_of(batch, at);
  const uint64_t known = qn_string_map_count(naming->map);
  uint32_t count = 0;
  for (; count < GROUP && at + count < batch->count && kind_of(batch, at + count) == kind;
       count++) {
    const uint16_t *lengths = batch->lengths[at + count];
    const char *second = *text + lengths[0];
    names[2 * count] = (struct qn_waiting_name){*text, lengths[0], 0};
    names[2 * count + 1] = (struct qn_waiting_name){lengths[1] ? second : NULL, lengths[1], 0};
    *text = second + lengths[1];
  }
  enum qn_interned interned = qn_string_map_intern_many(naming->map, names, 2 * count);
  *status = interned == QN_INTERNED ? QN_OK : qn_names_fail(interned, NULL, 0, error);
  if (kind == VERTEX)
    return count;
  if (!naming->edges)
    naming->declared = known;
  naming->edges = true;
  for (uint32_t i = 0; i < count && !*status; i++) {
    const struct qn_waiting_name *ends = &names[2 * i];
    if (kind == EDGE_OF_KNOWN && (ends[0].id >= known || ends[1].id >= known))
      *status = refuse_new(batch, at + i, &ends[ends[0].id < known], error);
    else
      push(naming, batch, at + i, ends);
  }
  return count;
}

static enum qn_status name_batch(struct qn_naming *naming, struct batch *batch,
                                 struct qn_error *error) {
  const char *text = batch->text;
  enum qn_status status = qn_context_check(error);
  for (uint32_t at = 0; at < batch->count && !status;)
    at += name_group(naming, batch, at, &text, &status, error);
  if (!status && naming->stream.status) {
    status = naming->stream.status;
    *error = naming->stream.error;
  }
  return status;
}

/* ---- The thread ------------------------------------------------------------ */

static void *name_batches(void *argument) {
  struct qn_naming *naming = argument;
  enum qn_status status = QN_OK;
  pthread_mutex_lock(&naming->lock);
  for (;;) {
    while (naming->named == naming->ready && !naming->over)
      pthread_cond_wait(&naming->changed, &naming->lock);
    if (naming->named == naming->ready)
      break;
    pthread_mutex_unlock(&naming->lock);
    if (!status)
      status = name_batch(naming, naming->batches[naming->named % NUM_BATCHES], &naming->error);
    pthread_mutex_lock(&naming->lock);
    naming->named++;
    naming->status = status;
    pthread_cond_signal(&naming->changed);
  }
  pthread_mutex_unlock(&naming->lock);
  return NULL;
}

static enum qn_status start(struct qn_naming *naming, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (unsigned i = 1; i < NUM_BATCHES && !status; i++)
    status = qn_alloc_zeroed(&naming->batches[i], 1, sizeof *naming->batches[i], "names", error);
  if (status)
    return status;
  int failure = qn_thread_start(&naming->thread, name_batches, naming);
  if (failure) {
    errno = failure;
    return qn_fail_errno(error, "cannot start a thread");
  }
  naming->started = true;
  return QN_OK;
}

static struct batch *filling(struct qn_naming *naming) {
  return naming->batches[naming->filled % NUM_BATCHES];
}

/* The batch is full: go on with the next one when it is free. */
static enum qn_status hand_over(struct qn_naming *naming, struct qn_error *error) {
  pthread_mutex_lock(&naming->lock);
  naming->ready = ++naming->filled;
  pthread_cond_signal(&naming->changed);
  while (naming->ready - naming->named == NUM_BATCHES)
    pthread_cond_wait(&naming->changed, &naming->lock);
  enum qn_status status = naming->status;
  pthread_mutex_unlock(&naming->lock);
  filling(naming)->count = 0;
  filling(naming)->used = 0;
  if (status && error)
    *error = naming->error;
  return status;
}

static enum qn_status name_here(struct qn_naming *naming, struct qn_error *error) {
  struct batch *batch = filling(naming);
  if (!naming->status)
    naming->status = name_batch(naming, batch, &naming->error);
  batch->count = 0;
  batch->used = 0;
  if (naming->status && error)
    *error = naming->error;
  return naming->status;
}

/* ---- Elements -------------------------------------------------------------- */

static enum qn_status make_room(struct qn_naming *naming, uint64_t length, struct qn_error *error) {
  const struct batch *batch = filling(naming);
  if (batch->count < MOST_ELEMENTS && batch->used + length <= TEXT_BYTES)
    return QN_OK;
  if (!naming->started && qn_threads() > 1) {
    enum qn_status status = start(naming, error);
    if (status)
      return status;
  }
  return naming->started ? hand_over(naming, error) : name_here(naming, error);
}

static inline void copy_text(char *to, struct qn_text text) {
  const char *bytes = text.bytes;
  uint64_t length = text.length;
  if (length > 16 || length < 4) {
    memcpy(to, bytes, length);
  } else if (length >= 8) {
    memcpy(to, bytes, 8);
    memcpy(to + length - 8, bytes + length - 8, 8);
  } else {
    memcpy(to, bytes, 4);
    memcpy(to + length - 4, bytes + length - 4, 4);
  }
}

static enum qn_status add(struct qn_naming *naming, struct qn_text first, struct qn_text second,
                          struct qn_error *error) {
  enum qn_status status = make_room(naming, first.length + second.length, error);
  if (status)
    return status;
  struct batch *batch = filling(naming);
  batch->lengths[batch->count][0] = (uint16_t)first.length;
  batch->lengths[batch->count][1] = (uint16_t)second.length;
  copy_text(batch->text + batch->used, first);
  copy_text(batch->text + batch->used + first.length, second);
  batch->used += first.length + second.length;
  batch->count++;
  return QN_OK;
}

static enum qn_status refuse(struct qn_text name, struct qn_error *error) {
  return qn_names_fail(QN_INTERN_NO_NAME, name.bytes, name.length, error);
}

enum qn_status qn_naming_vertex(struct qn_naming *naming, struct qn_text name,
                                struct qn_error *error) {
  if (!qn_is_name(name.bytes, name.length))
    return refuse(name, error);
  return add(naming, name, (struct qn_text){"", 0}, error);
}

enum qn_status qn_naming_edge(struct qn_naming *naming, struct qn_text source,
                              struct qn_text destination, enum qn_weight_type type, uint64_t bits,
                              const struct qn_place *place, struct qn_error *error) {
  if (!qn_is_name(source.bytes, source.length))
    return refuse(source, error);
  if (!qn_is_name(destination.bytes, destination.length))
    return refuse(destination, error);
  enum qn_status status = add(naming, source, destination, error);
  if (status)
    return status;
  struct batch *batch = filling(naming);
  const uint32_t at = batch->count - 1;
  batch->types[at] = (uint8_t)type;
  if (type != QN_WEIGHT_NONE)
    batch->bits[at] = bits;
  batch->lines[at] = place ? place->line : 0;
  if (place) {
    batch->file = place->file;
    batch->columns[at] = place->column;
  }
  return QN_OK;
}

/* All that are under way, and the thread's end. */
static enum qn_status finish(struct qn_naming *naming, struct qn_error *error) {
  pthread_mutex_lock(&naming->lock);
  naming->ready++;
  naming->over = true;
  pthread_cond_signal(&naming->changed);
  pthread_mutex_unlock(&naming->lock);
  pthread_join(naming->thread, NULL);
  if (naming->status && error)
    *error = naming->error;
  return naming->status;
}

enum qn_status qn_naming_end(struct qn_naming *naming, enum qn_status status, uint64_t *declared,
                             struct qn_error *error) {
  if (!naming)
    return status;
  enum qn_status named = naming->started ? finish(naming, error) : name_here(naming, error);
  status = named ? named : status;
  enum qn_status closed = qn_edge_stream_close(&naming->stream, status ? NULL : error);
  status = status ? status : closed;
  *declared = naming->declared;
  pthread_mutex_destroy(&naming->lock);
  pthread_cond_destroy(&naming->changed);
  for (unsigned i = 0; i < NUM_BATCHES; i++)
    qn_free(naming->batches[i]);
  qn_free(naming);
  return status;
}
