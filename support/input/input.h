/* Where bytes come from: plain files, compressed files, members of archives,
 * standard input and servers, all as a sequence of blocks of whole lines.
 *
 *   struct qn_input *input;
 *   qn_input_open(path, &QN_INPUT_DEFAULTS, &input, &error);
 *   qn_input_peek(input, &head, &bytes, &error);         what is it?
 *   do {
 *     qn_input_next(input, &block, &error);
 *     ... parse block.data[0 .. block.bytes) with all threads ...
 *   } while (block.bytes);
 *   qn_input_digest(input, &digest, &error);             for the metadata
 *   qn_input_close(input);
 *
 * A plain regular file is mapped and is one block, without a copy. Everything
 * else is read and decompressed by a thread of its own, some blocks ahead, so that
 * parsing overlaps. What a file is, is told by its first bytes, never by its name.
 *
 * Known: gzip, bzip2, xz, zstd and lz4; tar (also compressed) and zip, of which one member is read.
 * NumPy archives (.npz) are zip too, but content as a whole.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/used_files.h"
#include <quern/error.h>

struct qn_input_options {
  const char *member; /* the archive member to read; NULL: after ':' in the path, or the only one */
  uint64_t max_bytes; /* most bytes to accept after decompression */
  uint64_t
      max_expansion; /* most decompressed bytes for each compressed one, beyond the first 256 MiB */
  /* Of a plain file that is mapped: only lines and records that begin in these bytes are wanted,
   * by readers that can (parse/reader.h); part_end 0: all are. */
  uint64_t part_begin, part_end;
  bool regular;                  /* a pipe is refused: the user has not named it */
  bool unhashed;                 /* nobody asks for the hash, or for the part's */
  struct qn_file_state expected; /* what the file was when it was read before; zero: it was not */
};

#define QN_INPUT_MAX_BYTES ((uint64_t)1 << 40)
#define QN_INPUT_MAX_EXPANSION 250

/* Memory that reading ahead from streams and archives takes, unless lines are very long. */
#define QN_READ_AHEAD_BYTES ((uint64_t)32 << 20)

/* As many decompressed bytes are accepted whatever the expansion. */
#define QN_INPUT_FREE_EXPANSION ((uint64_t)256 << 20)

static const struct qn_input_options QN_INPUT_DEFAULTS = {.member = NULL,
                                                          .max_bytes = QN_INPUT_MAX_BYTES,
                                                          .max_expansion = QN_INPUT_MAX_EXPANSION,
                                                          .part_begin = 0,
                                                          .part_end = 0,
                                                          .regular = false,
                                                          .unhashed = false,
                                                          .expected = {0, {0, 0}, {0, 0}}};

/* Consecutive content. It ends after a line end ('\n') unless it is the content's end. */
struct qn_input_block {
  const char *data;
  uint64_t bytes;  /* 0: the content is over */
  uint64_t offset; /* of data[0] in the (decompressed) content */
};

/* Identifies the input as it was given: for a compressed file, the compressed bytes. */
struct qn_input_digest {
  uint64_t bytes;
  char xxh3_128[33]; /* as `xxhsum -H2` prints it */
};

struct qn_input;
struct qn_hash_part; /* block_hash.h */

/* Open `path`: a file, "-" for standard input, a URL (support/remote/remote.h), or
 * "archive:member". Reads enough to
 * know how the content is packed. QN_INVALID for a directory, an empty file, a damaged
 * archive, an unknown member or several candidates (the message lists them); QN_SYSTEM
 * if it cannot be read, or is not what it was. `options` and `path` are copied. Owned by the caller
 * until close. */
enum qn_status qn_input_open(const char *path, const struct qn_input_options *options,
                             struct qn_input **out, struct qn_error *error);

/* What the file is that is read; zero if it cannot be mapped. */
struct qn_file_state qn_input_state(const struct qn_input *input);
/* What reading came to, `status`, or QN_SYSTEM if the file has been written since it was opened:
 * then that is what is wrong, whatever was found in it. NULL, if it could not be opened, is
 * allowed. */
enum qn_status qn_input_unwritten(const struct qn_input *input, enum qn_status status,
                                  struct qn_error *error);

/* Stop reading ahead and free. NULL is allowed. */
void qn_input_close(struct qn_input *input);

/* For messages: the path, "<stdin>", or "archive:member". Lives as long as the input. */
const char *qn_input_name(const struct qn_input *input);

/* For the metadata: the same without folders. */
const char *qn_input_base_name(const struct qn_input *input);

/* How the content is packed: "plain", "gzip", "tar in xz", "zip", ... */
const char *qn_input_packing(const struct qn_input *input);

/* The file's bytes, before decompression, if known in advance (0 if not): for progress. */
uint64_t qn_input_file_bytes(const struct qn_input *input);

/* Bytes that the content, unpacked, can have at most; UINT64_MAX: nobody knows. */
uint64_t qn_input_most_bytes(const struct qn_input *input);

/* Is the content one block, which stays where it is until the input is closed? */
bool qn_input_stays(const struct qn_input *input);

/* Is only what begins in the bytes [*begin, *end) of the content wanted? Else these are all. */
bool qn_input_part(const struct qn_input *input, uint64_t *begin, uint64_t *end);

/* The options that it was opened with. */
const struct qn_input_options *qn_input_limits(const struct qn_input *input);

/* Does content begin as a NumPy archive: a zip file whose first member is an array? Its members
 * belong together, so that it is not unpacked here unless one is named. */
bool qn_input_is_npz(const char *head, uint64_t bytes);

/* Look at the beginning of the content, at least 64 KiB or all of it, without taking
 * it. `*data` stays valid until the second qn_input_next. */
enum qn_status qn_input_peek(struct qn_input *input, const char **data, uint64_t *bytes,
                             struct qn_error *error);

/* A line that is longer is rather something else, but for lists of neighbours; these are read from
 * plain files. */
#define QN_MOST_LINE_BYTES ((uint64_t)64 << 20)

/* Take the next block, valid until the next call. A line longer than QN_MOST_LINE_BYTES in a stream
 * is QN_INVALID. Errors of decompression come here, when the good blocks before are taken: the
 * caller discards what was read of a damaged file. */
enum qn_status qn_input_next(struct qn_input *input, struct qn_input_block *block,
                             struct qn_error *error);

/* This part of a block will not be looked at again. With a limit of memory (support/temp_file.h)
 * its pages, if they are a mapped file's, are let go. From any thread. */
void qn_input_done(struct qn_input *input, const char *data, uint64_t bytes);

/* Call when the content makes no sense: if it is a member that was chosen for being the
 * first of an archive, and there are others, `error` becomes the message that lists them.
 * Returns the status in `error`. */
enum qn_status qn_input_explain(struct qn_input *input, struct qn_error *error);

/* Size and hash of the input, which is "" if nobody was to ask for it, and for a part. Streams:
 * only after the last block. */
enum qn_status qn_input_digest(struct qn_input *input, struct qn_input_digest *digest,
                               struct qn_error *error);

/* Of a part: what it does to the hash, which qn_input_digest leaves "" then. It becomes the
 * caller's. */
void qn_input_hash_part(struct qn_input *input, struct qn_hash_part *part);

/* Format a digest. */
void qn_digest_set(struct qn_input_digest *digest, uint64_t bytes, uint64_t low, uint64_t high);
