/* Space on disk for what does not fit into memory: files without a name, which are gone with the
 * process, however it ends, and large arrays that live in such files.
 *
 * Work that is given a limit of memory says so once (qn_memory_limit_set, for the context that it
 * is done in); arrays in proportion to the graph that are not its output then come from
 * qn_bulk_alloc, in files instead of in memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

/* ---- The limit ------------------------------------------------------------ */

/* Keep to about `bytes` of memory (0: no limit) from now on, and put what does not fit into
 * `folder`, which is not copied. Call before work begins. */
void qn_memory_limit_set(uint64_t bytes, const char *folder);
/* 0: none. */
uint64_t qn_memory_limit(void);
const char *qn_temp_folder(void);

/* Bytes that may still be written to the file system of `folder`. */
enum qn_status qn_free_space(const char *folder, uint64_t *bytes, struct qn_error *error);

/* ---- Files ---------------------------------------------------------------- */

/* An empty file without a name in `folder`, open for reading and writing. */
enum qn_status qn_nameless_open(const char *folder, int *descriptor, struct qn_error *error);

struct qn_temp_file;

/* An empty file in `folder`. Owned until destroy, which gives its space back (NULL is allowed). */
enum qn_status qn_temp_file_create(const char *folder, struct qn_temp_file **out,
                                   struct qn_error *error);
void qn_temp_file_destroy(struct qn_temp_file *file);

/* Add `length` bytes at the end, from any thread; `*offset` is where they are. QN_SYSTEM names the
 * folder if its file system is full. */
enum qn_status qn_temp_file_append(struct qn_temp_file *file, const void *bytes, uint64_t length,
                                   uint64_t *offset, struct qn_error *error);

/* Read bytes that have been appended, from any thread. */
enum qn_status qn_temp_file_read(const struct qn_temp_file *file, void *bytes, uint64_t length,
                                 uint64_t offset, struct qn_error *error);

/* These bytes will not be read any more: their space is given back, where the file system can. */
void qn_temp_file_drop(const struct qn_temp_file *file, uint64_t length, uint64_t offset);

/* These bytes will be read soon: begin to fetch them. */
void qn_temp_file_expect(const struct qn_temp_file *file, uint64_t length, uint64_t offset);

uint64_t qn_temp_file_bytes(const struct qn_temp_file *file);

/* ---- Files that are mapped ------------------------------------------------
 *
 * Containers that come from a pipe or go to one are kept in a file without a name. */

/* $TMPDIR, if it is a folder, or /tmp. */
const char *qn_default_temp_folder(void);

/* Put all into `folder`, which is not copied, and none into memory. */
void qn_scratch_folder_set(const char *folder);

/* An empty file, open for reading and writing, for `bytes` bytes or so (0: nobody knows): in the
 * folder that was set; with a limit of memory in that one's; where so many bytes
 * would take more than half of the memory that is free, in the default folder; else in memory. */
enum qn_status qn_scratch_open(uint64_t bytes, int *descriptor, struct qn_error *error);

/* Is it in memory, which has no room for so many bytes more? False for files of other origin. */
bool qn_scratch_is_full(int descriptor, uint64_t bytes);

/* Append bytes, or up to `most` bytes that come through a stream, to such a file. */
enum qn_status qn_scratch_put(int descriptor, const void *bytes, uint64_t length,
                              struct qn_error *error);
enum qn_status qn_scratch_take(int descriptor, int stream, uint64_t most, struct qn_error *error);

/* Read `length` bytes from a stream; `*got` is less where it ends before. */
enum qn_status qn_stream_read(int stream, void *bytes, uint64_t length, uint64_t *got,
                              struct qn_error *error);

/* ---- Arrays --------------------------------------------------------------- */

/* As qn_pages_alloc without a limit; with one, a mapped file in the folder, whose space is reserved
 * here, so that a full disk is an error and no crash. For arrays that are gone through in order, or
 * along a limited number of places at once. Give back with qn_pages_free. */
enum qn_status qn_bulk_alloc(void *out, uint64_t count, uint64_t size, const char *what,
                             struct qn_error *error);
