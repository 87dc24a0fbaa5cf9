/* A thread that fills blocks of whole lines ahead of the parser.
 *
 * The parser owns one slot while the thread fills the others. A block is cut after its last line
 * end; what follows is carried over to the front of the next. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "support/input/source.h"
#include "support/memory.h"
#include "support/sizes.h"
#include "support/temp_file.h"
#include "support/threads.h"

#define BLOCK_BYTES ((uint64_t)8 << 20)
/* With a limit of memory a line may take so much of it, but for that of BLOCK_BYTES. */
#define LINE_SHARE 8
#define NUM_SLOTS 3

enum slot_state { SLOT_FREE, SLOT_FILLED };

struct slot {
  enum slot_state state;
  char *buffer;
  uint64_t capacity;
  uint64_t bytes; /* whole lines; 0 at the content's end */
  uint64_t offset;
  enum qn_status status; /* not QN_OK: the content ends here, badly */
  struct qn_error error;
};

struct qn_read_ahead {
  struct qn_descriptor *descriptor;
  struct qn_archive *archive;
  const char *name;
  uint64_t most_line_bytes;
  pthread_t thread;
  bool started;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool stop;        /* under the lock, as the slots' states are */
  unsigned next;    /* slot that the parser takes next */
  bool holds_block; /* the parser has slot `next - 1` */
  struct slot slots[NUM_SLOTS];
};

static enum qn_status read_source(struct qn_read_ahead *ahead, char *buffer, uint64_t capacity,
                                  uint64_t *got, struct qn_error *error) {
  if (ahead->archive)
    return qn_archive_read(ahead->archive, buffer, capacity, got, error);
  return qn_descriptor_read(ahead->descriptor, buffer, capacity, got, error);
}

static enum qn_status reserve(struct slot *slot, uint64_t capacity, struct qn_error *error) {
  if (slot->capacity >= capacity)
    return QN_OK;
  enum qn_status status = qn_realloc(&slot->buffer, capacity, 1, "an input block", error);
  if (!status)
    slot->capacity = capacity;
  return status;
}

static enum qn_status fail_long_line(const struct qn_read_ahead *ahead, const struct slot *slot,
                                     struct qn_error *error) {
  char size[32];
  qn_size_text(ahead->most_line_bytes, size, sizeof size);
  if (ahead->most_line_bytes < QN_MOST_LINE_BYTES)
    qn_fail(error, QN_INVALID, "a line is longer than %s, what this --memory allows", size);
  else
    qn_fail(error, QN_INVALID,
            "a line is longer than %s; lists of neighbours may be, in a plain file", size);
  return qn_error_at_offset(error, ahead->name, slot->offset);
}

/* Fill `slot`, whose first `slot->bytes` bytes are there already, up to its
 * capacity and cut it after the last line end. `*rest` bytes remain behind the cut. */
static enum qn_status fill_slot(struct qn_read_ahead *ahead, struct slot *slot, uint64_t *rest,
                                struct qn_error *error) {
  uint64_t filled = slot->bytes;
  uint64_t searched = 0;
  for (;;) {
    uint64_t got = 1;
    while (got && filled < slot->capacity) {
      enum qn_status status =
          read_source(ahead, slot->buffer + filled, slot->capacity - filled, &got, error);
      if (status)
        return status;
      filled += got;
    }
    *rest = 0;
    slot->bytes = filled;
    if (!got)
      return QN_OK;
    const char *line_end = memrchr(slot->buffer + searched, '\n', filled - searched);
    if (line_end) {
      slot->bytes = (uint64_t)(line_end + 1 - slot->buffer);
      *rest = filled - slot->bytes;
      return QN_OK;
    }
    searched = filled;
    if (filled > ahead->most_line_bytes)
      return fail_long_line(ahead, slot, error);
    uint64_t doubled = 2 * slot->capacity, most = ahead->most_line_bytes + 1;
    enum qn_status status = reserve(slot, doubled < most ? doubled : most, error);
    if (status)
      return status;
  }
}

/* Wait until `slot` is free; false if the thread shall stop. */
static bool wait_free(struct qn_read_ahead *ahead, struct slot *slot) {
  pthread_mutex_lock(&ahead->lock);
  while (slot->state != SLOT_FREE && !ahead->stop)
    pthread_cond_wait(&ahead->changed, &ahead->lock);
  bool go_on = !ahead->stop;
  pthread_mutex_unlock(&ahead->lock);
  return go_on;
}

static void hand_over(struct qn_read_ahead *ahead, struct slot *slot) {
  pthread_mutex_lock(&ahead->lock);
  slot->state = SLOT_FILLED;
  pthread_cond_broadcast(&ahead->changed);
  pthread_mutex_unlock(&ahead->lock);
}

static void *read_blocks(void *argument) {
  struct qn_read_ahead *ahead = argument;
  const char *carry = NULL;
  uint64_t carried = 0;
  uint64_t offset = 0;
  for (unsigned turn = 0;; turn++) {
    struct slot *slot = &ahead->slots[turn % NUM_SLOTS];
    if (!wait_free(ahead, slot))
      return NULL;
    slot->offset = offset;
    slot->bytes = 0;
    uint64_t wanted = carried + BLOCK_BYTES, most = ahead->most_line_bytes + 1;
    slot->status = reserve(slot, wanted < most ? wanted : most, &slot->error);
    uint64_t rest = 0;
    if (!slot->status) {
      /* The slot before is the parser's by now, but it only reads. */
      if (carried)
        memcpy(slot->buffer, carry, carried);
      slot->bytes = carried;
      slot->status = fill_slot(ahead, slot, &rest, &slot->error);
    }
    bool over = slot->status || slot->bytes == 0;
    offset += slot->bytes;
    carry = slot->buffer + slot->bytes;
    carried = rest;
    hand_over(ahead, slot);
    if (over)
      return NULL;
  }
}

static uint64_t most_line_bytes(void) {
  uint64_t share = qn_memory_limit() ? qn_memory_limit() / LINE_SHARE : QN_MOST_LINE_BYTES;
  share = share < QN_MOST_LINE_BYTES ? share : QN_MOST_LINE_BYTES;
  return share < BLOCK_BYTES ? BLOCK_BYTES - 1 : share;
}

enum qn_status qn_read_ahead_create(struct qn_descriptor *descriptor, struct qn_archive *archive,
                                    const char *name, struct qn_read_ahead **out,
                                    struct qn_error *error) {
  struct qn_read_ahead *ahead;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&ahead, 1, sizeof *ahead, "an input's reader", error);
  if (status)
    return status;
  ahead->descriptor = descriptor;
  ahead->archive = archive;
  ahead->name = name;
  ahead->most_line_bytes = most_line_bytes();
  pthread_mutex_init(&ahead->lock, NULL);
  pthread_cond_init(&ahead->changed, NULL);
  int failure = qn_thread_start(&ahead->thread, read_blocks, ahead);
  if (failure) {
    qn_read_ahead_destroy(ahead);
    errno = failure;
    return qn_fail_errno(error, "cannot start a thread");
  }
  ahead->started = true;
  *out = ahead;
  return QN_OK;
}

void qn_read_ahead_stop(struct qn_read_ahead *ahead) {
  if (!ahead->started)
    return;
  pthread_mutex_lock(&ahead->lock);
  ahead->stop = true;
  pthread_cond_broadcast(&ahead->changed);
  pthread_mutex_unlock(&ahead->lock);
  pthread_join(ahead->thread, NULL);
  ahead->started = false;
}

void qn_read_ahead_destroy(struct qn_read_ahead *ahead) {
  if (!ahead)
    return;
  qn_read_ahead_stop(ahead);
  pthread_mutex_destroy(&ahead->lock);
  pthread_cond_destroy(&ahead->changed);
  for (unsigned i = 0; i < NUM_SLOTS; i++)
    qn_free(ahead->slots[i].buffer);
  qn_free(ahead);
}

enum qn_status qn_read_ahead_peek(struct qn_read_ahead *ahead, struct qn_input_block *block,
                                  struct qn_error *error) {
  struct slot *slot = &ahead->slots[ahead->next % NUM_SLOTS];
  pthread_mutex_lock(&ahead->lock);
  while (slot->state != SLOT_FILLED && !ahead->stop)
    pthread_cond_wait(&ahead->changed, &ahead->lock);
  pthread_mutex_unlock(&ahead->lock);
  *block = (struct qn_input_block){slot->buffer, slot->bytes, slot->offset};
  if (slot->status && error)
    *error = slot->error;
  return slot->status;
}

static void give_back_block(struct qn_read_ahead *ahead) {
  if (!ahead->holds_block)
    return;
  pthread_mutex_lock(&ahead->lock);
  ahead->slots[(ahead->next - 1) % NUM_SLOTS].state = SLOT_FREE;
  pthread_cond_broadcast(&ahead->changed);
  pthread_mutex_unlock(&ahead->lock);
  ahead->holds_block = false;
}

enum qn_status qn_read_ahead_next(struct qn_read_ahead *ahead, struct qn_input_block *block,
                                  struct qn_error *error) {
  give_back_block(ahead);
  enum qn_status status = qn_read_ahead_peek(ahead, block, error);
  /* The end and an error stay where they are: later calls find them again. */
  if (!status && block->bytes) {
    ahead->holds_block = true;
    ahead->next++;
  }
  return status;
}
