#include <quern/error.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/text/url.h"

void qn_error_clear(struct qn_error *error) {
  if (!error)
    return;
  error->status = QN_OK;
  error->line = 0;
  error->column = 0;
  error->offset = QN_NO_OFFSET;
  error->file[0] = '\0';
  error->message[0] = '\0';
}

static void set_message(struct qn_error *error, enum qn_status status, const char *format,
                        va_list arguments) {
  qn_error_clear(error);
  error->status = status;
  vsnprintf(error->message, sizeof error->message, format, arguments);
}

enum qn_status qn_fail(struct qn_error *error, enum qn_status status, const char *format, ...) {
  if (error) {
    va_list arguments;
    va_start(arguments, format);
    set_message(error, status, format, arguments);
    va_end(arguments);
  }
  return status;
}

enum qn_status qn_fail_errno(struct qn_error *error, const char *format, ...) {
  int cause = errno;
  if (error) {
    va_list arguments;
    va_start(arguments, format);
    set_message(error, QN_SYSTEM, format, arguments);
    va_end(arguments);
    size_t used = strlen(error->message);
    snprintf(error->message + used, sizeof error->message - used, ": %s", strerror(cause));
  }
  return QN_SYSTEM;
}

enum qn_status qn_fail_memory(struct qn_error *error, const char *what, uint64_t bytes) {
  return qn_fail(error, QN_SYSTEM, "out of memory: %s needs %" PRIu64 " bytes", what, bytes);
}

enum qn_status qn_error_in_file(struct qn_error *error, const char *file) {
  if (!error)
    return QN_USAGE;
  char shown[QN_PATH_SHOWN];
  file = qn_path_shown(file, shown, sizeof shown);
  size_t length = strlen(file);
  size_t room = sizeof error->file - 1;
  if (length <= room) {
    memcpy(error->file, file, length + 1);
  } else {
    memcpy(error->file, "...", 3);
    memcpy(error->file + 3, file + length - (room - 3), room - 3 + 1);
  }
  return error->status;
}

enum qn_status qn_error_at_line(struct qn_error *error, const char *file, uint64_t line,
                                uint64_t column) {
  if (!error)
    return QN_USAGE;
  error->line = line;
  error->column = column;
  return qn_error_in_file(error, file);
}

enum qn_status qn_error_at_offset(struct qn_error *error, const char *file, uint64_t offset) {
  if (!error)
    return QN_USAGE;
  error->offset = offset;
  return qn_error_in_file(error, file);
}

char *qn_error_text(const struct qn_error *error, char *text, uint64_t size) {
  int used = 0;
  if (size == 0)
    return text;
  text[0] = '\0';
  if (error->file[0] && error->line && error->column)
    used = snprintf(text, size, "%s:%" PRIu64 ":%" PRIu64 ": ", error->file, error->line,
                    error->column);
  else if (error->file[0] && error->line)
    used = snprintf(text, size, "%s:%" PRIu64 ": ", error->file, error->line);
  else if (error->file[0] && error->offset != QN_NO_OFFSET)
    used = snprintf(text, size, "%s: at byte %" PRIu64 ": ", error->file, error->offset);
  else if (error->file[0])
    used = snprintf(text, size, "%s: ", error->file);
  if (used >= 0 && (uint64_t)used < size)
    snprintf(text + used, size - (uint64_t)used, "%s", error->message);
  return text;
}
