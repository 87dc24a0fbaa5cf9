#include "support/modules/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Where modules lie, seen from the folder of what this code is in: beside the library; in a folder
 * of its own, as distributions have it; in the Python package quern-cuda; and, of tools that have
 * the library in themselves, in lib/. */
static const char *const places[] = {"", "quern/", "../quern_cuda/", "../lib/"};

/* The file of the library or of the program that this code is in. */
static bool find_host(char path[PATH_MAX]) {
  Dl_info about;
  struct link_map *object = NULL;
  if (dladdr1((void *)(uintptr_t)qn_module_open, &about, (void **)&object, RTLD_DL_LINKMAP) &&
      object->l_name[0])
    return snprintf(path, PATH_MAX, "%s", object->l_name) < PATH_MAX;
  const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
  path[length > 0 ? length : 0] = '\0';
  return length > 0;
}

/* The first place that has the file; false: none, and `path` is beside the library. */
static bool find(const char *file, char *path, size_t bytes) {
  char host[PATH_MAX];
  if (!find_host(host))
    host[0] = '\0';
  char *slash = strrchr(host, '/');
  host[slash ? slash + 1 - host : 0] = '\0';
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    const int length = snprintf(path, bytes, "%s%s%s", host, places[i], file);
    if (length < (int)bytes && access(path, F_OK) == 0)
      return true;
  }
  snprintf(path, bytes, "%s%s", host, file);
  return false;
}

void *qn_module_open(const char *file, int flags) {
  char path[PATH_MAX + 64];
  find(file, path, sizeof path); /* if there is none, dlopen says it */
  return dlopen(path, flags);
}

bool qn_module_is_installed(const char *file) {
  char path[PATH_MAX + 64];
  return find(file, path, sizeof path);
}
