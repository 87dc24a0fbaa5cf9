/* Outputs that are written as they come and never replaced: standard output, FIFOs and character
 * devices. Where nobody reads any more, as behind `head`, writing fails quietly. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <quern/error.h>

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

/* ---- Terminals -------------------------------------------------------------- */

/* Names, notes and metadata of files come from anywhere, and a terminal obeys what they may hold:
 * whatever is printed to one is shown, not obeyed. Files and pipes get every byte as it is. */

/* The most bytes that qn_terminal_escape makes of one. */
#define QN_TERMINAL_GROWTH 4

/* `text` for a terminal into `out`, of QN_TERMINAL_GROWTH * length bytes; returns how many there
 * are. Line feeds and tabs stay. Other control characters, what is not UTF-8 and, unless `utf8`,
 * all that is not ASCII become \xNN for each byte, and characters that are not seen or change the
 * order of others \uNNNN. */
uint64_t qn_terminal_escape(const char *text, uint64_t length, bool utf8, char *out);

/* Write whole characters to the terminal `descriptor`, escaped. */
enum qn_status qn_terminal_write(int descriptor, const char *text, uint64_t length,
                                 struct qn_error *error);

/* From now on what is printed to stdout and stderr is escaped where these are terminals, but for
 * qn_terminal_erase_line. False if there is no memory. */
bool qn_terminal_guard(bool utf8);

/* Erase the line of stderr's terminal that the cursor is in. */
void qn_terminal_erase_line(void);
