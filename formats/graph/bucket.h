/* The first half of transposing: the edges of a CSR dealt out to buckets of consecutive columns.
 *
 * An edge becomes a word of 32 bits: the low 15 bits of its column, which are enough within a
 * bucket, and the low 16 bits of its row. The other bits of the row are told by a mark, a word of
 * its own before the first edge from a block of 65536 rows. Dealing is stable: the words of
 * a bucket are in the order of the edges. */
#pragma once

#include <quern/graph.h>

#define QN_BUCKET_MARK ((uint32_t)1 << 15)  /* in a mark; no edge has it */
#define QN_BUCKET_KEYS (QN_BUCKET_MARK + 1) /* values of the low half of a word, marks included */

/* A part of the CSR's edges has a share of each bucket: so many words. */
struct qn_bucket_share {
  uint64_t end;   /* behind its last word in `words` */
  uint32_t block; /* of rows, while words are counted or written */
  uint32_t marks;
};

struct qn_bucketed_edges {
  uint64_t num_vertices;
  unsigned span_log2; /* a bucket is 2^span_log2 columns, 1024 to 32768 */
  uint64_t num_buckets;
  uint64_t num_parts;
  struct qn_bucket_share *shares; /* [num_parts x num_buckets] */
  uint64_t *bounds;               /* [num_buckets + 1] edges before each bucket */
  uint64_t num_words;             /* with what is left empty between shares */
  uint32_t *words;                /* [num_words] bucket by bucket, and part by part within */
  unsigned weight_bytes;          /* 0 without weights */
  void *weights;                  /* [num_words] bits, beside the words; NULL without */
};

/* Deal out the edges of `csr`, whose offsets and columns must have been checked, by all threads.
 * Takes 4 bytes an edge and those of its weight, from qn_bulk_alloc. Owned until
 * qn_bucketed_edges_destroy. */
enum qn_status qn_scatter_edges(const struct qn_csr *csr, struct qn_bucketed_edges *bucketed,
                                struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_bucketed_edges_destroy(struct qn_bucketed_edges *bucketed);

/* The words [begin, end) that a part has in a bucket. */
struct qn_bucket_words {
  uint64_t begin, end;
};
struct qn_bucket_words qn_bucket_words(const struct qn_bucketed_edges *bucketed, uint64_t bucket,
                                       uint64_t part);

/* Give the memory of a bucket's words back before the rest. */
void qn_scatter_release(const struct qn_bucketed_edges *bucketed, uint64_t bucket);
