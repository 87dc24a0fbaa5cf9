/* https://man7.org/linux/man-pages/man7/io_uring.7.html, by its system calls. */
#include "support/system/read_ring.h"

#include <stddef.h>

#if defined(__linux__) && __has_include(<linux/io_uring.h>)

#include <errno.h>
#include <linux/io_uring.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/memory.h"

struct qn_read_ring {
  int descriptor;
  struct io_uring_params about;
  uint8_t *rings; /* both of them, in one mapping */
  uint64_t ring_bytes;
  struct io_uring_sqe *entries;
  unsigned to_submit;
};

static uint32_t *at(const struct qn_read_ring *ring, uint32_t offset) {
  return (uint32_t *)(ring->rings + offset);
}

static bool map(struct qn_read_ring *ring) {
  const struct io_uring_params *about = &ring->about;
  const uint64_t submissions = about->sq_off.array + about->sq_entries * sizeof(uint32_t);
  const uint64_t completions = about->cq_off.cqes + about->cq_entries * sizeof(struct io_uring_cqe);
  ring->ring_bytes = submissions > completions ? submissions : completions;
  void *rings = mmap(NULL, ring->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                     ring->descriptor, IORING_OFF_SQ_RING);
  void *entries = mmap(NULL, about->sq_entries * sizeof *ring->entries, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_POPULATE, ring->descriptor, IORING_OFF_SQES);
  ring->rings = rings == MAP_FAILED ? NULL : rings;
  ring->entries = entries == MAP_FAILED ? NULL : entries;
  return ring->rings && ring->entries;
}

struct qn_read_ring *qn_read_ring_create(unsigned entries) {
  struct qn_read_ring *ring;
  if (qn_alloc_zeroed(&ring, 1, sizeof *ring, "a ring", NULL))
    return NULL;
  ring->descriptor = (int)syscall(SYS_io_uring_setup, entries, &ring->about);
  /* Since Linux 5.6, which reads without vectors. */
  if (ring->descriptor >= 0 && ring->about.features & IORING_FEAT_RW_CUR_POS &&
      ring->about.features & IORING_FEAT_SINGLE_MMAP && map(ring))
    return ring;
  qn_read_ring_destroy(ring);
  return NULL;
}

void qn_read_ring_destroy(struct qn_read_ring *ring) {
  if (!ring)
    return;
  if (ring->rings)
    munmap(ring->rings, ring->ring_bytes);
  if (ring->entries)
    munmap(ring->entries, ring->about.sq_entries * sizeof *ring->entries);
  if (ring->descriptor >= 0)
    close(ring->descriptor);
  qn_free(ring);
}

void qn_read_ring_add(struct qn_read_ring *ring, int descriptor, void *into, uint32_t bytes,
                      uint64_t offset, uint64_t tag) {
  const struct io_sqring_offsets *offsets = &ring->about.sq_off;
  uint32_t *tail = at(ring, offsets->tail);
  const uint32_t place = *tail & *at(ring, offsets->ring_mask);
  ring->entries[place] = (struct io_uring_sqe){.opcode = IORING_OP_READ,
                                               .fd = descriptor,
                                               .off = offset,
                                               .addr = (uintptr_t)into,
                                               .len = bytes,
                                               .user_data = tag};
  at(ring, offsets->array)[place] = place;
  __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
  ring->to_submit++;
}

bool qn_read_ring_wait(struct qn_read_ring *ring, uint64_t *tag, int64_t *result) {
  const struct io_cqring_offsets *offsets = &ring->about.cq_off;
  uint32_t *head = at(ring, offsets->head);
  while (ring->to_submit || *head == __atomic_load_n(at(ring, offsets->tail), __ATOMIC_ACQUIRE)) {
    const long entered = syscall(SYS_io_uring_enter, ring->descriptor, ring->to_submit, 1,
                                 IORING_ENTER_GETEVENTS, NULL, 0);
    if (entered < 0 && errno != EINTR && errno != EAGAIN && errno != EBUSY)
      return false;
    ring->to_submit -= entered > 0 ? (unsigned)entered : 0;
  }
  const struct io_uring_cqe *entry = (const struct io_uring_cqe *)(ring->rings + offsets->cqes) +
                                     (*head & *at(ring, offsets->ring_mask));
  *tag = entry->user_data;
  *result = entry->res;
  __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
  return true;
}

#else

struct qn_read_ring *qn_read_ring_create(unsigned entries) {
  (void)entries;
  return NULL;
}

void qn_read_ring_destroy(struct qn_read_ring *ring) {
  (void)ring;
}

void qn_read_ring_add(struct qn_read_ring *ring, int descriptor, void *into, uint32_t bytes,
                      uint64_t offset, uint64_t tag) {
  (void)ring, (void)descriptor, (void)into, (void)bytes, (void)offset, (void)tag;
}

bool qn_read_ring_wait(struct qn_read_ring *ring, uint64_t *tag, int64_t *result) {
  (void)ring, (void)tag, (void)result;
  return false;
}

#endif
