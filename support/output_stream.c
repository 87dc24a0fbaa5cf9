#include "support/output_stream.h"
#include "support/json_text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/context.h"
#include "support/memory.h"

#define SENT_BYTES ((uint64_t)1 << 20)

bool qn_is_stream(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode));
}

/* The descriptor of this process that the path names, or a link leads to; -1: none. */
static int descriptor_of(const char *path) {
  char name[PATH_MAX];
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  if (strlen(path) >= sizeof name)
    return -1;
  strcpy(name, path);
  for (int links = 0; links < 40; links++) {
    if (strcmp(name, "/dev/stdout") == 0)
      return STDOUT_FILENO;
    if (strcmp(name, "/dev/stderr") == 0)
      return STDERR_FILENO;
    for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++) {
      int number, length = 0;
      const size_t before = strlen(folders[i]);
      if (strncmp(name, folders[i], before) == 0 &&
          sscanf(name + before, "%9d%n", &number, &length) == 1 && !name[before + (size_t)length])
        return number;
    }
    char target[PATH_MAX];
    const ssize_t bytes = readlink(name, target, sizeof target - 1);
    if (bytes < 0 || *target != '/')
      return -1;
    target[bytes] = '\0';
    strcpy(name, target);
  }
  return -1;
}

bool qn_is_output_stream(const char *path) {
  return strcmp(path, "-") == 0 || descriptor_of(path) >= 0 || qn_is_stream(path);
}

bool qn_is_standard_output(const char *path) {
  struct stat about, standard;
  return strcmp(path, "-") == 0 ||
         (qn_is_output_stream(path) && stat(path, &about) == 0 &&
          fstat(STDOUT_FILENO, &standard) == 0 && about.st_dev == standard.st_dev &&
          about.st_ino == standard.st_ino);
}

FILE *qn_beside_output(const char *path) {
  return qn_is_standard_output(path) ? stderr : stdout;
}

enum qn_status qn_output_stream_open(const char *path, int *descriptor, struct qn_error *error) {
  const int named = descriptor_of(path);
  /* Opened anew, a file would be written from its begin. */
  *descriptor = strcmp(path, "-") == 0 ? STDOUT_FILENO
                : named >= 0           ? fcntl(named, F_DUPFD_CLOEXEC, 0)
                                       : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (*descriptor >= 0)
    return QN_OK;
  qn_fail_errno(error, "cannot write");
  return qn_error_in_file(error, path), QN_SYSTEM;
}

void qn_output_stream_close(int descriptor) {
  if (descriptor >= 0 && descriptor != STDOUT_FILENO)
    close(descriptor);
}

enum qn_status qn_output_stream_write(int descriptor, const void *bytes, uint64_t length,
                                      struct qn_error *error) {
  const char *next = bytes;
  if (isatty(descriptor))
    return qn_terminal_write(descriptor, bytes, length, error);
  while (length) {
    ssize_t written = write(descriptor, next, length < (uint64_t)1 << 30 ? length : 1 << 30);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0) {
      __atomic_store_n(&qn_context()->reader_gone, errno == EPIPE, __ATOMIC_RELAXED);
      return qn_fail_errno(error, descriptor == STDOUT_FILENO ? "cannot write to standard output"
                                                              : "cannot write to the stream");
    }
    next += written;
    length -= (uint64_t)written;
  }
  return QN_OK;
}

enum qn_status qn_output_stream_send(int descriptor, int file, struct qn_error *error) {
  char *buffer;
  ssize_t got = 1;
  enum qn_status status = qn_alloc(&buffer, SENT_BYTES, 1, "a buffer", error);
  for (off_t offset = 0; got > 0 && !status; offset += got) {
    do
      got = pread(file, buffer, SENT_BYTES, offset);
    while (got < 0 && errno == EINTR);
    if (got < 0)
      status = qn_fail_errno(error, "cannot read back what was written");
    else
      status = qn_output_stream_write(descriptor, buffer, (uint64_t)got, error);
  }
  qn_free(buffer);
  return status;
}

bool qn_reader_has_gone(void) {
  return __atomic_load_n(&qn_context()->reader_gone, __ATOMIC_RELAXED);
}

bool qn_standard_output_is_deaf(void) {
  struct pollfd standard = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&standard, 1, 0) == 1 && standard.revents & (POLLERR | POLLHUP);
}

/* ---- Characters ------------------------------------------------------------- */

static bool is_control(uint32_t character) {
  return (character < 0x20 && character != '\n' && character != '\t') ||
         (character >= 0x7F && character < 0xA0);
}

/* Marks, embeddings, overrides and isolates of bidirectional text, separators of lines, and
 * characters without width that join nothing. */
static bool is_unseen(uint32_t character) {
  static const uint32_t ranges[][2] = {{0x061C, 0x061C}, {0x200B, 0x200B}, {0x200E, 0x200F},
                                       {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF},
                                       {0xFFF9, 0xFFFB}};
  for (unsigned i = 0; i < sizeof ranges / sizeof *ranges; i++)
    if (character >= ranges[i][0] && character <= ranges[i][1])
      return true;
  return false;
}

static bool is_tag(uint32_t character) {
  return character >= 0xE0000 && character <= 0xE007F;
}

static char *put_hexadecimal(char *out, char letter, uint32_t value, unsigned digits) {
  *out++ = '\\';
  *out++ = letter;
  for (unsigned i = digits; i-- > 0;)
    *out++ = "0123456789abcdef"[value >> 4 * i & 15];
  return out;
}

static char *put_bytes(char *out, const unsigned char *text, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++)
    out = put_hexadecimal(out, 'x', text[i], 2);
  return out;
}

uint64_t qn_terminal_escape(const char *text, uint64_t length, bool utf8, char *out) {
  const unsigned char *at = (const unsigned char *)text, *end = at + length;
  char *to = out;
  while (at < end) {
    const unsigned char *next = at;
    uint32_t character = 0;
    const unsigned bytes = qn_utf8_next(&next, end, &character) ? (unsigned)(next - at) : 0;
    if (bytes == 0 || (bytes > 1 && !utf8) || is_control(character) || is_tag(character))
      to = put_bytes(to, at, bytes ? bytes : 1);
    else if (is_unseen(character))
      to = put_hexadecimal(to, 'u', character, 4);
    else
      to = mempcpy(to, at, bytes);
    at += bytes ? bytes : 1;
  }
  return (uint64_t)(to - out);
}

/* ---- Terminals -------------------------------------------------------------- */

static bool speaks_utf8;

static bool send_all(int descriptor, const char *bytes, uint64_t length) {
  while (length) {
    ssize_t written = write(descriptor, bytes, length);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes += written;
    length -= (uint64_t)written;
  }
  return true;
}

enum { AT_ONCE = 2048 };

/* How much of the text goes out at once: a character is not cut. */
static uint64_t some_of(const char *text, uint64_t length) {
  uint64_t some = length < AT_ONCE ? length : AT_ONCE;
  for (unsigned back = 0; some < length && back < 3 && (text[some] & 0xC0) == 0x80; back++)
    some--;
  return some;
}

static bool show(int descriptor, const char *text, uint64_t length) {
  char escaped[AT_ONCE * QN_TERMINAL_GROWTH];
  while (length) {
    uint64_t some = some_of(text, length);
    if (!send_all(descriptor, escaped, qn_terminal_escape(text, some, speaks_utf8, escaped)))
      return false;
    text += some;
    length -= some;
  }
  return true;
}

enum qn_status qn_terminal_write(int descriptor, const char *text, uint64_t length,
                                 struct qn_error *error) {
  return show(descriptor, text, length) ? QN_OK
                                        : qn_fail_errno(error, "cannot write to the terminal");
}

static ssize_t show_stream(void *cookie, const char *text, size_t length) {
  const int *descriptor = cookie;
  return show(*descriptor, text, length) ? (ssize_t)length : 0;
}

static bool guard(FILE **stream, int mode, const int *descriptor) {
  if (!isatty(*descriptor))
    return true;
  const cookie_io_functions_t functions = {.write = show_stream};
  FILE *guarded = fopencookie((void *)(uintptr_t)descriptor, "w", functions);
  if (!guarded || setvbuf(guarded, NULL, mode, BUFSIZ) != 0)
    return false;
  *stream = guarded;
  return true;
}

bool qn_terminal_guard(bool utf8) {
  static const int out = STDOUT_FILENO, messages = STDERR_FILENO;
  speaks_utf8 = utf8;
  return guard(&stdout, _IOLBF, &out) && guard(&stderr, _IOLBF, &messages);
}

void qn_terminal_erase_line(void) {
  static const char sequence[] = "\r\033[K";
  fflush(stderr);
  send_all(STDERR_FILENO, sequence, sizeof sequence - 1);
}
