/* Where the running program lies. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

/* Its path in `path`, of `bytes` > 0 bytes; "" if it is not known. */
static inline void qn_program_path(char *path, size_t bytes) {
#ifdef __APPLE__
  uint32_t room = (uint32_t)bytes;
  if (_NSGetExecutablePath(path, &room) != 0)
    path[0] = '\0';
#else
  const ssize_t length = readlink("/proc/self/exe", path, bytes - 1);
  path[length > 0 ? length : 0] = '\0';
#endif
}
