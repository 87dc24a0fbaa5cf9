/* Streaming the topology of a graph through the device (GTS, section 3; Graphie, sections IV and
 * V).
 *
 * The topology is a sequence of *units*: a slotted page, some edges of a partition, some rows. An
 * engine says where a unit's bytes lie in the mapped container; the stream brings those of an
 * iteration to the device and calls the engine to launch its kernel:
 *
 *   units that lie in the device's cache first (Graphie, IV), without a transfer (list.cuh);
 *   then the others, in order, those that are `late` after those that are not (GTS: large pages
 *   after small ones), packed in batches: reader threads, several for a batch, find out where its
 *   bytes lie, and gather in a pinned buffer what is not pinned itself, or scattered
 *   (gather.cuh, pins.cuh); one transfer takes all to the device, one launch walks it, on
 *   a stream of its own; a kernel keeps units in the cache while it has room (cache.cuh).
 *
 * An iteration over most units is taken to be followed by another one: what that will move first is
 * copied while the walks of this one end, the vertices are updated and the next list is made
 * (ahead.cuh).
 *
 * What must move: the bytes of active units that the cache does not hold, and 80 for each active
 * unit. What bounds it: the bus, which carries 55 GB/s of large copies (H200) and 53 of batches of
 * 4 MiB, as 3 us pass between two; 52 with what kernels wait for recorded between them. Bytes that
 * are gathered pass the host's memory twice more, 6 to 8 GB/s a thread: eight readers or more keep
 * the bus as busy as copies from where the bytes lie do, on a host that does nothing else, and fill
 * it to a sixth where others fill its memory. How small the stages are makes no difference as long
 * as the last-level cache holds 64 MiB; loads and stores around the caches gather 18 to 35 GB/s.
 *
 * Batches are large enough for the bus whatever the size of a unit, so that no more than the
 * active units has to move. Walks of different batches run at the same time: they must combine
 * with atomics. */
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cuda/device/memory.cuh"
#include "kernels/streaming.h"
#include <quern/inline.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QN_UNIT_PIECES 4
#define QN_UNIT_ALIGN 16

/* Where a unit's bytes lie on the host, in pieces of one run or several. On the device a piece is
 * aligned as it is on the host, up to QN_UNIT_ALIGN. */
struct qn_unit_piece {
  const void *data;
  uint64_t bytes;  /* of a run */
  uint64_t stride; /* from one run to the next */
};
struct qn_unit {
  unsigned num_pieces;
  unsigned more; /* runs that each piece has beyond the first */
  struct qn_unit_piece pieces[QN_UNIT_PIECES];
};

/* The topology, as an engine cuts it. The functions may be called by several threads at once. */
struct qn_unit_source {
  const void *user;
  uint64_t num_units;      /* < 2^32 */
  uint64_t unit_bytes;     /* of the largest one, with its pieces rounded up */
  uint64_t total_bytes;    /* of all */
  uint64_t resident_bytes; /* device memory beside the vertices' if all is resident */
  uint64_t fixed_bytes;    /* and if it is streamed */
  uint64_t vertex_bytes;   /* in both cases, for each vertex that is held */
  void (*describe)(const void *user, uint64_t unit, struct qn_unit *out);
  bool (*is_late)(const void *user, uint64_t unit); /* NULL: none is */
  /* Of several devices the one that it is dealt to; NULL: that with the fewest bytes so far. */
  unsigned (*owner)(const void *user, uint64_t unit);
  bool by_receiver; /* who may receive decides which units are needed, and the host finds out */
  bool moves_once;  /* no unit is asked for again, nor is it worth while to pin any */
  bool joint;       /* the host's processors have other work */
};

/* A unit on the device, as kernels see it. */
struct qn_unit_entry {
  uint32_t unit;
  uint32_t more;                         /* runs of each piece beyond the first */
  const uint8_t *pieces[QN_UNIT_PIECES]; /* NULL where it has fewer */
  uint32_t bytes[QN_UNIT_PIECES];        /* of a run */
  uint32_t strides[QN_UNIT_PIECES];      /* from one run to the next */
  uint8_t *keep; /* a slot of the cache to be copied to, run after run, or NULL */
};

/* Where a run ends that has `bytes` bytes. */
QN_INLINE uint64_t qn_unit_rounded(uint64_t bytes) {
  return (bytes + QN_UNIT_ALIGN - 1) / QN_UNIT_ALIGN * QN_UNIT_ALIGN;
}

/* What a unit takes in the cache. */
QN_INLINE uint64_t qn_unit_bytes(const struct qn_unit *unit) {
  uint64_t bytes = 0;
  for (unsigned i = 0; i < unit->num_pieces; i++)
    bytes += (unit->more + 1) * qn_unit_rounded(unit->pieces[i].bytes);
  return bytes;
}

/* What a unit takes at most in a batch beside its pieces: its entry, and what aligns them. */
#define QN_UNIT_OVERHEAD (sizeof(struct qn_unit_entry) + QN_UNIT_PIECES * QN_UNIT_ALIGN)

/* Launch the engine's kernel over `count` entries on the device, in a stream. */
typedef enum qn_status qn_unit_walk(void *user, const struct qn_unit_entry *entries, uint64_t count,
                                    cudaStream_t stream, struct qn_error *error);

/* Divide `available` bytes of device memory, at least qn_unit_stream_least, between the streams'
 * buffers and the cache, and host memory as `options` caps it. QN_DEVICE if host memory is too
 * small for one unit. */
enum qn_status qn_unit_stream_plan(const struct qn_unit_source *source,
                                   const struct qn_stream_options *options, uint64_t available,
                                   struct qn_stream_plan *plan, struct qn_error *error);

/* The least device memory that streaming needs: one stream with one unit. */
uint64_t qn_unit_stream_least(const struct qn_unit_source *source);

struct qn_unit_stream;

/* The next call of qn_unit_stream_run belongs to the iteration of the last one: what that one used
 * stays in the cache. */
void qn_unit_stream_go_on(struct qn_unit_stream *stream);

/* Take what the plan says. `source` and its container must outlive it; its device memory belongs to
 * `memory`. Measures the plan's rates if the options ask for it. Owned until
 * qn_unit_stream_destroy. */
enum qn_status qn_unit_stream_create(struct qn_unit_stream **out, struct qn_cuda_memory *memory,
                                     const struct qn_unit_source *source,
                                     const struct qn_stream_options *options,
                                     struct qn_stream_plan *plan, struct qn_error *error);
/* Before the first call of qn_unit_stream_run or qn_unit_stream_part, with the flags that it will
 * have: list the units, and let readers gather the first of them, as many as there are stages. */
void qn_unit_stream_begin(struct qn_unit_stream *stream, const uint8_t *flags);

/* NULL is allowed. */
void qn_unit_stream_destroy(struct qn_unit_stream *stream);

/* One iteration: walk the units whose flag is not 0 (NULL: all). After an error only
 * qn_unit_stream_destroy is allowed. Kernels launched before in the
 * default stream have ended before the first walk begins; all walks have ended on return. */
enum qn_status qn_unit_stream_run(struct qn_unit_stream *stream, const uint8_t *flags,
                                  qn_unit_walk *walk, void *user, struct qn_stream_figures *figures,
                                  struct qn_error *error);

/* The same, but walks may not have ended on return: those of some of an iteration's units, of which
 * others follow at once. Units of one iteration that is walked in parts are in one part each. */
enum qn_status qn_unit_stream_part(struct qn_unit_stream *stream, const uint8_t *flags,
                                   qn_unit_walk *walk, void *user,
                                   struct qn_stream_figures *figures, struct qn_error *error);
/* Until the walks of all parts have ended. */
enum qn_status qn_unit_stream_wait(struct qn_unit_stream *stream, struct qn_error *error);

#ifdef __cplusplus
}
#endif
