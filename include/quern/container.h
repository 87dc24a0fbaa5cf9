/* Containers: versioned files of named, typed sections (specs/container.md).
 *
 * To read one:
 *
 *   struct qn_container *container;
 *   if (qn_container_map(path, 0, &container, &error)) ...
 *   const struct qn_section *offsets = qn_container_section(container, "row_offsets");
 *   ...                      sections are used in place, read-only
 *   qn_container_unmap(container);
 *
 * Layouts have their own header (graph.h, blocked_csr.h, ...) that maps a
 * container, checks it and gives a view of typed pointers; programs use those.
 *
 * To write one, see qn_writer below.
 */
#ifndef QUERN_CONTAINER_H
#define QUERN_CONTAINER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <quern/error.h>
#include <quern/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bits of weight `i` of an array of weights of 4 or 8 bytes each, wherever that lies. */
static inline uint64_t qn_weight_load(const void *weights, unsigned bytes, uint64_t i) {
  uint32_t narrow;
  uint64_t wide;
  if (bytes == 8) {
    memcpy(&wide, (const char *)weights + 8 * i, sizeof wide);
    return wide;
  }
  memcpy(&narrow, (const char *)weights + 4 * i, sizeof narrow);
  return narrow;
}

static inline void qn_weight_store(void *weights, unsigned bytes, uint64_t i, uint64_t bits) {
  uint32_t narrow = (uint32_t)bits;
  if (bytes == 8)
    memcpy((char *)weights + 8 * i, &bits, sizeof bits);
  else
    memcpy((char *)weights + 4 * i, &narrow, sizeof narrow);
}

/* Weight `i` to weight `j` of another array. */
static inline void qn_weight_copy(void *to, uint64_t j, const void *from, uint64_t i,
                                  unsigned bytes) {
  if (bytes == 8)
    memcpy((char *)to + 8 * j, (const char *)from + 8 * i, 8);
  else
    memcpy((char *)to + 4 * j, (const char *)from + 4 * i, 4);
}

enum qn_element_type {
  QN_ELEMENT_UNSIGNED = 1,
  QN_ELEMENT_SIGNED = 2,
  QN_ELEMENT_FLOAT = 3,
  QN_ELEMENT_TEXT = 4,   /* UTF-8, one byte an element */
  QN_ELEMENT_OPAQUE = 5, /* records described by the layout */
};

enum qn_codec { QN_CODEC_NONE = 0, QN_CODEC_ZSTD_FRAMES = 1 };
enum qn_filter {
  QN_FILTER_NONE = 0,
  QN_FILTER_DELTA = 1,
  QN_FILTER_SHUFFLE = 2,
  QN_FILTER_GAPS = 3,
  QN_FILTER_GAP_PLANES = 4,
  QN_FILTER_ROWS = 5,
  QN_FILTER_PAGE_GAPS = 6,
  QN_FILTER_PAGE_ROWS = 7,
  QN_FILTER_REFERENCES = 8,
};

enum qn_section_flags {
  QN_SECTION_CRITICAL = 1, /* a reader that does not know it must refuse the file */
  QN_SECTION_UPPER = 2,    /* archive form: only the upper triangle of a symmetric graph is there */
  QN_SECTION_STRIPS = 4,   /* and that is cut into strips of rows */
};

/* Incompatible feature bits. */
#define QN_FEATURE_ARCHIVE ((uint64_t)1 << 0)      /* some section has a codec or a filter */
#define QN_FEATURE_STRIPS ((uint64_t)1 << 1)       /* some section is cut into strips */
#define QN_FEATURE_PAGES ((uint64_t)1 << 2)        /* some section has a filter of pages */
#define QN_FEATURE_WIDE_WEIGHTS ((uint64_t)1 << 3) /* weights take 8 bytes */
#define QN_FEATURE_RECTANGULAR ((uint64_t)1 << 4)  /* rows of some vertices alone */
#define QN_FEATURE_REFERENCES ((uint64_t)1 << 5)   /* some section has the filter of references */
#define QN_ENCODED_FEATURES                                                                        \
  (QN_FEATURE_ARCHIVE | QN_FEATURE_STRIPS | QN_FEATURE_PAGES | QN_FEATURE_REFERENCES)
#define QN_KNOWN_INCOMPATIBLE                                                                      \
  (QN_ENCODED_FEATURES | QN_FEATURE_WIDE_WEIGHTS | QN_FEATURE_RECTANGULAR)

/* Compatible feature bits. */
#define QN_FEATURE_IDS_ASCENDING ((uint64_t)1 << 0) /* original ids ascend in vertex order */

/* "graph", "blocked-csr", ..., "checkpoint"; "unknown" for other codes. */
const char *qn_layout_name(uint32_t layout);
/* Is it one of QN_GRAPH_LAYOUTS? */
bool qn_layout_holds_graph(uint32_t layout);
/* "none", "u32", "f32", "i64", "f64"; "unknown" for other codes. */
const char *qn_weight_type_name(uint32_t weight_type);
/* The elements of a section of weights. */
enum qn_element_type qn_weight_element(enum qn_weight_type type);
/* "unsigned", "float", ...; "unknown" for other codes. */
const char *qn_element_type_name(uint32_t element_type);

/* What the header says. */
struct qn_container_info {
  uint16_t version_major;
  uint16_t version_minor;
  uint64_t compatible_features;
  uint64_t incompatible_features;
  enum qn_layout layout;
  enum qn_weight_type weight_type;
  enum qn_directedness directedness;
  uint32_t num_sections;
  uint64_t num_vertices;
  uint64_t num_edges;
  uint64_t file_bytes;
  uint64_t header_checksum; /* identifies the content: it covers the table's checksum, which covers
                               every section's */
  uint64_t parameters[32];
  uint64_t num_rows;  /* of a rectangular container; of others a reader has V, and a writer need not
                         say it */
  uint64_t first_row; /* row 0 among the vertices that columns name, modulo 2^32; else 0 */
};

/* Has it rows of some of its vertices alone, as a part of a set has? */
static inline bool qn_is_rectangular(const struct qn_container_info *info) {
  return (info->incompatible_features & QN_FEATURE_RECTANGULAR) != 0;
}

/* A section of a mapped container. `data` points into the mapping, or is NULL
 * where a codec or filter stands between (archive form). */
struct qn_section {
  char name[33];
  enum qn_element_type element_type;
  uint32_t element_bytes;
  uint64_t count;
  uint64_t offset;
  uint64_t stored_bytes;
  uint64_t logical_bytes;
  uint8_t codec;
  uint8_t filter;
  uint8_t align_log2;
  bool critical;
  bool upper;  /* QN_SECTION_UPPER */
  bool strips; /* QN_SECTION_STRIPS */
  uint64_t checksum;
  uint64_t stored_checksum;
  const void *data;
  const void *stored;
};

struct qn_container;

enum qn_map_flags {
  QN_MAP_ARCHIVE = 1,     /* accept the archive form too; its sections have no `data` */
  QN_MAP_RECTANGULAR = 2, /* accept a rectangular container, which is no whole graph, too */
};

/* Map `path` read-only; what comes through a FIFO, a device or a socket is first kept, in memory or
 * in a temporary file. Header, table and footer are read into private memory and validated whole
 * (C-1 to C-19 and C-24 of the spec): QN_INVALID if damaged or truncated, QN_UNSUPPORTED for a
 * newer version, unknown incompatible features or, unless the flags accept them, the archive form
 * and rectangular containers.
 * Section contents are not looked at. Owned by the caller until qn_container_unmap.
 */
enum qn_status qn_container_map(const char *path, unsigned flags, struct qn_container **out,
                                struct qn_error *error);
void qn_container_unmap(struct qn_container *container);

/* The same for an open file, which stays the caller's; `name` (copied) stands for it in messages.
 */
enum qn_status qn_container_map_descriptor(int descriptor, const char *name, unsigned flags,
                                           struct qn_container **out, struct qn_error *error);

/* As qn_container_map for a container that is the bytes [offset, offset + bytes) of a larger file;
 * `bytes` is cut at the file's end. */
enum qn_status qn_container_map_range(const char *path, uint64_t offset, uint64_t bytes,
                                      unsigned flags, struct qn_container **out,
                                      struct qn_error *error);

/* Write a copy to `path`, byte for byte. */
enum qn_status qn_container_copy(const struct qn_container *container, const char *path, bool force,
                                 struct qn_error *error);

/* QN_SYSTEM if the file was overwritten since it was mapped: then nothing that was computed from it
 * counts. */
enum qn_status qn_container_unchanged(struct qn_container *container, struct qn_error *error);

/* The file's, or what qn_container_call says: for messages. */
const char *qn_container_path(const struct qn_container *container);
/* Use `name` (copied) in messages from now on. */
enum qn_status qn_container_call(struct qn_container *container, const char *name,
                                 struct qn_error *error);
const struct qn_container_info *qn_container_info(const struct qn_container *container);
const struct qn_section *qn_container_section_at(const struct qn_container *container,
                                                 uint32_t index);
/* NULL if no such name exists. */
const struct qn_section *qn_container_section(const struct qn_container *container,
                                              const char *name);

/* The section `name`, which must be there with this element type, width and count, else QN_INVALID
 * with the spec's rule. */
enum qn_status qn_container_require(const struct qn_container *container, const char *name,
                                    enum qn_element_type type, uint32_t element_bytes,
                                    uint64_t count, const struct qn_section **out,
                                    struct qn_error *error);
/* The same with any count. */
enum qn_status qn_container_require_any(const struct qn_container *container, const char *name,
                                        enum qn_element_type type, uint32_t element_bytes,
                                        const struct qn_section **out, struct qn_error *error);

/* Check the sections against `known`, a NULL-terminated list of names in the order of the layout's
 * page: QN_UNSUPPORTED for a critical section that is not in it (C-23), QN_INVALID for one that is
 * in another place or is not as critical as its page says (C-26). */
enum qn_status qn_container_check_sections(const struct qn_container *container,
                                           const char *const *known, struct qn_error *error);
/* The end of such a list: what comes last in every layout. */
#define QN_LAST_SECTIONS "original_ids", "id_offsets", "id_bytes", "metadata", NULL

/* Refuse header parameters from number `first` on that are not zero (C-6): the layout has no
 * meaning for them. */
enum qn_status qn_container_refuse_parameters(const struct qn_container *container, uint32_t first,
                                              struct qn_error *error);

/* ---- Verifying ------------------------------------------------------------
 *
 * What a section holds is compared with its checksum in chunks of 1 MiB, each once while the
 * container is mapped, in parallel. Whoever uses bytes has them verified first; nothing else is
 * read. QN_INVALID names the section, and the chunk if the file has the hashes of chunks (C-21).
 */

/* Every section and every padding byte (C-20, C-21). */
enum qn_status qn_container_verify(const struct qn_container *container, struct qn_error *error);

/* Every section but those of weights, whose names end in "weights", and those of properties, whose
 * names begin with "property_"; those of weights alone; those of a NULL-terminated list that are
 * there. */
enum qn_status qn_container_verify_structure(const struct qn_container *container,
                                             struct qn_error *error);
enum qn_status qn_container_verify_weights(const struct qn_container *container,
                                           struct qn_error *error);
enum qn_status qn_container_verify_sections(const struct qn_container *container,
                                            const char *const *names, struct qn_error *error);

/* For checks of rules, which read whole sections anyway: the bytes [begin, end) of a section's
 * `data` are about to be read, so this is the time to hash the chunks that begin there. Any thread
 * may. The verdict comes with one of the functions above. NULL is allowed. */
void qn_container_reading(const struct qn_container *container, const void *begin, const void *end);

/* The verdict of a check of rules, `checked`, when `verify` (one of the above) says that its
 * container is not damaged; else the damage, which may be why a rule seems broken. */
enum qn_status qn_container_confirm(const struct qn_container *container, enum qn_status checked,
                                    enum qn_status (*verify)(const struct qn_container *container,
                                                             struct qn_error *error),
                                    struct qn_error *error);

/* A broken rule of a layout: fills `error` with "<rule> ..." and the file; QN_INVALID.
 * `rule` is the number in the spec, e.g. "G-3". `container` may be NULL for a layout in memory. */
enum qn_status qn_container_violation(const struct qn_container *container, struct qn_error *error,
                                      const char *rule, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The checksum of `bytes` bytes as sections use it: XXH3-64 over the
 * little-endian XXH3-64 values of the consecutive 1 MiB chunks; parallel. */
uint64_t qn_chunked_checksum(const void *data, uint64_t bytes);
/* The same in two steps, for chunks that are at hand one at a time: each but the last is of
 * QN_CHECKSUM_CHUNK bytes (container_disk.h). */
uint64_t qn_chunk_hash(const void *chunk, uint64_t bytes);
/* `hashes[i]` of every chunk of `bytes` bytes; parallel. */
void qn_hash_chunks(const void *data, uint64_t bytes, uint64_t *hashes);
uint64_t qn_checksum_of_hashes(const uint64_t *hashes, uint64_t num_chunks);

/* ---- Writing --------------------------------------------------------------
 *
 *   struct qn_writer *writer;
 *   qn_writer_create(path, force, &writer, &error);
 *   qn_writer_info(writer)->layout = QN_LAYOUT_GRAPH; ...num_vertices, num_edges, ...
 *   qn_writer_section(writer, &(struct qn_section_spec){"row_offsets", ...}, &pointer, &error);
 *   ... fill pointer[0 .. count) from any thread ...
 *   qn_writer_section(...)           the next one, in the layout's order
 *   qn_writer_commit(writer, &error) checksums and chunk hashes, table, footer; the file appears
 *
 * On any failure call qn_writer_abort: nothing is left behind.
 */
struct qn_writer;

struct qn_section_spec {
  const char *name;
  enum qn_element_type element_type;
  uint32_t element_bytes;
  uint64_t count;
  uint8_t align_log2; /* 0: QN_MIN_ALIGN_LOG2 */
  bool ancillary;     /* readers that do not know it may pass over it */
};

/* The spec of a new section with the same name, type, size and alignment. */
struct qn_section_spec qn_section_spec_of(const struct qn_section *section);

/* The header checksum of the container in plain form: of one in archive form, what it will be once
 * it is restored. QN_INVALID if it cannot be. */
enum qn_status qn_container_identity(const struct qn_container *container, uint64_t *identity,
                                     struct qn_error *error);

/* With `path` NULL the container is made in memory: qn_writer_commit_nameless or qn_writer_finish
 * ends it. `path` may be "-" or a stream, such as a FIFO, too: then the container is kept until it
 * is whole, and sent. */
enum qn_status qn_writer_create(const char *path, bool force, struct qn_writer **out,
                                struct qn_error *error);

/* The header's content, to be filled before commit: layout, weight_type,
 * directedness, num_vertices, num_edges, parameters, compatible_features. */
struct qn_container_info *qn_writer_info(struct qn_writer *writer);

/* The writer copies a container as it is, with its chunk hashes if it has them: commit adds none.
 */
void qn_writer_set_copy(struct qn_writer *writer);

/* Append a section. `*out` points to its zero-filled bytes in the file's mapping,
 * writable until commit, even after later sections are added. */
enum qn_status qn_writer_section(struct qn_writer *writer, const struct qn_section_spec *spec,
                                 void *out, struct qn_error *error);

/* Append a section that is not mapped. Its bytes are written in parts by qn_writer_put, each byte
 * once, by any thread. The writer trusts the caller that they have `checksum`. */
enum qn_status qn_writer_section_by_parts(struct qn_writer *writer,
                                          const struct qn_section_spec *spec, uint64_t checksum,
                                          struct qn_error *error);
/* Write `bytes` bytes at byte `offset` of section number `section`. */
enum qn_status qn_writer_put(const struct qn_writer *writer, uint32_t section, const void *data,
                             uint64_t bytes, uint64_t offset, struct qn_error *error);

/* Shorten the section added last to `count` elements: for counts known only
 * once filled. Its pointer stays valid. */
enum qn_status qn_writer_shrink(struct qn_writer *writer, uint64_t count, struct qn_error *error);

/* Append a small section whose content is at hand: bytes are copied. */
enum qn_status qn_writer_section_from(struct qn_writer *writer, const struct qn_section_spec *spec,
                                      const void *data, struct qn_error *error);

/* How a section is encoded. */
struct qn_encoding {
  enum qn_filter filter;
  bool upper, strips;
};

/* Append a section in encoded form (archive.h): entry and checksum as in `decoded`, with
 * QN_CODEC_ZSTD_FRAMES, in at most `stored_bytes` bytes at `*out`. Sets QN_FEATURE_ARCHIVE, and
 * QN_FEATURE_STRIPS for strips, QN_FEATURE_PAGES for filters of pages. qn_writer_shrink_encoded
 * gives the final length. */
enum qn_status qn_writer_encoded_section(struct qn_writer *writer, const struct qn_section *decoded,
                                         const struct qn_encoding *encoding, uint64_t stored_bytes,
                                         uint8_t **out, struct qn_error *error);
enum qn_status qn_writer_shrink_encoded(struct qn_writer *writer, uint64_t stored_bytes,
                                        struct qn_error *error);

/* Finish. Frees `writer` whatever the outcome. */
enum qn_status qn_writer_commit(struct qn_writer *writer, struct qn_error *error);
/* The same, but `judge` looks at the finished file before it appears. If it does not return QN_OK,
 * its status is returned and no file is left. */
enum qn_status qn_writer_commit_judged(struct qn_writer *writer,
                                       enum qn_status (*judge)(void *context, int descriptor,
                                                               struct qn_error *error),
                                       void *context, struct qn_error *error);
/* Finish a file for `judge` alone: its status is returned, and no file is left. Frees `writer`
 * whatever the outcome. */
enum qn_status qn_writer_judge(struct qn_writer *writer,
                               enum qn_status (*judge)(void *context, int descriptor,
                                                       struct qn_error *error),
                               void *context, struct qn_error *error);
/* Finish, map the result as a container called `name`, and take its file's name away: it is gone
 * with the mapping. Frees `writer` whatever the outcome. */
enum qn_status qn_writer_commit_nameless(struct qn_writer *writer, const char *name,
                                         struct qn_container **out, struct qn_error *error);
/* Finish what was created with this path, NULL for memory. `*out` is the container mapped; with a
 * path `out` may be NULL. Frees `writer` whatever the outcome. */
enum qn_status qn_writer_finish(struct qn_writer *writer, const char *path,
                                struct qn_container **out, struct qn_error *error);
/* Where writing ended with `status`: finish, or abort and give it back. */
enum qn_status qn_writer_end(struct qn_writer *writer, enum qn_status status, const char *path,
                             struct qn_container **out, struct qn_error *error);
/* NULL is allowed. */
void qn_writer_abort(struct qn_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
