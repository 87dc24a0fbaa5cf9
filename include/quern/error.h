/* Status codes and error reports.
 *
 * Every function that can fail returns `enum qn_status` and fills the caller's
 * `struct qn_error`. The values of the enum are the exit codes of the tools.
 */
#ifndef QUERN_ERROR_H
#define QUERN_ERROR_H

#include <stdarg.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum qn_status {
  QN_OK = 0,
  QN_NEGATIVE = 1,      /* a check or a comparison gave a negative answer */
  QN_USAGE = 2,         /* the caller asked for something that makes no sense */
  QN_INVALID = 3,       /* invalid or corrupt input */
  QN_UNSUPPORTED = 4,   /* a version or feature that this build does not know */
  QN_SYSTEM = 5,        /* I/O failed or memory ran out */
  QN_DEVICE = 6,        /* the accelerator is missing or failed */
  QN_INTERRUPTED = 130, /* SIGINT or SIGTERM */
};

/* What went wrong and where. `line` and `column` count from 1, 0 meaning
 * unknown; `offset` is a byte offset, QN_NO_OFFSET meaning unknown. */
struct qn_error {
  enum qn_status status;
  uint64_t line;
  uint64_t column;
  uint64_t offset;
  char file[256];    /* empty when no file is concerned; long paths keep their end */
  char message[768]; /* one sentence: what is wrong and what to do */
};

#define QN_NO_OFFSET UINT64_MAX

/* Reset `error` to "nothing went wrong". */
void qn_error_clear(struct qn_error *error);

/* Fill `error` (which may be NULL) and return `status`, so that a failing
 * function can say `return qn_fail(error, QN_INVALID, "...")`. The location is cleared. */
enum qn_status qn_fail(struct qn_error *error, enum qn_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As qn_fail, with QN_SYSTEM and the meaning of `errno` appended. */
enum qn_status qn_fail_errno(struct qn_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Out of memory while allocating `bytes` for `what`. */
enum qn_status qn_fail_memory(struct qn_error *error, const char *what, uint64_t bytes);

/* Say where; each returns the status already in `error` (QN_USAGE if `error` is NULL). */
enum qn_status qn_error_in_file(struct qn_error *error, const char *file);
enum qn_status qn_error_at_line(struct qn_error *error, const char *file, uint64_t line,
                                uint64_t column);
enum qn_status qn_error_at_offset(struct qn_error *error, const char *file, uint64_t offset);

/* One line, without newline, into `text`: "file:line:column: message",
 * "file: at byte N: message", "file: message" or "message". Returns `text`. */
char *qn_error_text(const struct qn_error *error, char *text, uint64_t size);

#ifdef __cplusplus
}
#endif
#endif
