/* The ways to open a file, as one: for what is preloaded, and has open_at already. */
#pragma once

#include <fcntl.h>
#include <stdarg.h>

#define MODE(flags)                                                                                \
  mode_t mode = 0;                                                                                 \
  if ((flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE) {                                       \
    va_list more;                                                                                  \
    va_start(more, flags);                                                                         \
    mode = va_arg(more, mode_t);                                                                   \
    va_end(more);                                                                                  \
  }

int open(const char *path, int flags, ...) {
  MODE(flags)
  return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE(flags)
  return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
  MODE(flags)
  return open_at(folder, path, flags, mode);
}
