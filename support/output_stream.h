/* Outputs that are written as they come and never replaced: standard output, FIFOs and character
 * devices. Where nobody reads any more, as behind `head`, writing fails quietly. */
#ifndef QN_SUPPORT_OUTPUT_STREAM_H
#define QN_SUPPORT_OUTPUT_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A FIFO or a character device, such as /dev/stdout or /dev/null, or what a link to one leads to?
 */
bool qn_is_stream(const char *path);

/* "-", a stream, or a name of one of this process's descriptors, as /dev/stdout and /dev/fd/3 are:
 * whoever opened it says where in the file to write, and a new file in its place would be lost. */
bool qn_is_output_stream(const char *path);

/* "-", or a stream that is standard output itself: then nothing else may be printed there. */
bool qn_is_standard_output(const char *path);

/* Where to print what is said of the output: standard output, unless that is the output. */
FILE *qn_beside_output(const char *path);

/* Open "-" or a stream, until qn_output_stream_close. */
enum qn_status qn_output_stream_open(const char *path, int *descriptor, struct qn_error *error);
/* Standard output stays open; -1 is allowed. */
void qn_output_stream_close(int descriptor);

/* Write it whole. */
enum qn_status qn_output_stream_write(int descriptor, const void *bytes, uint64_t length,
                                      struct qn_error *error);

/* The same for the whole of a file. */
enum qn_status qn_output_stream_send(int descriptor, int file, struct qn_error *error);

/* Has a write here failed because nobody reads any more? */
bool qn_reader_has_gone(void);

/* Is standard output a pipe or a socket that nobody reads? */
bool qn_standard_output_is_deaf(void);

#ifdef __cplusplus
}
#endif
#endif
