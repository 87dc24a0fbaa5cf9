#include "support/modules/module.h"

#include <dlfcn.h>
#include <limits.h>
#ifndef __APPLE__
#include <link.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/system/program_path.h"

/* Where modules lie, seen from the folder of what this code is in: beside the library; in a folder
 * of its own, as distributions have it; in the Python package quern-cuda; and, of tools that have
 * the library in themselves, in lib/. */
static const char *const places[] = {"", "quern/", "../quern_cuda/", "../lib/"};

/* The library that this code is in, or "". */
static void find_library(char path[PATH_MAX]) {
  Dl_info about;
  path[0] = '\0';
#ifdef __APPLE__
  const char *name = dladdr((void *)(uintptr_t)qn_module_open, &about) ? about.dli_fname : NULL;
#else
  struct link_map *object = NULL;
  const char *name =
      dladdr1((void *)(uintptr_t)qn_module_open, &about, (void **)&object, RTLD_DL_LINKMAP)
          ? object->l_name
          : NULL;
#endif
  if (name && strlen(name) < PATH_MAX)
    strcpy(path, name);
}

/* The first place that has the file, seen from `host`, which becomes its folder. */
static bool find_near(char *host, const char *file, char *path, size_t bytes) {
  char *slash = strrchr(host, '/');
  host[slash ? slash + 1 - host : 0] = '\0';
  for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++) {
    const int length = snprintf(path, bytes, "%s%s%s", host, places[i], file);
    if (length < (int)bytes && access(path, F_OK) == 0)
      return true;
  }
  return false;
}

/* Near the library, or else near the program; false: nowhere, and `path` is beside the one that
 * this code is in. */
static bool find(const char *file, char *path, size_t bytes) {
  char library[PATH_MAX], program[PATH_MAX];
  find_library(library);
  qn_program_path(program, sizeof program);
  if (find_near(library, file, path, bytes) || find_near(program, file, path, bytes))
    return true;
  snprintf(path, bytes, "%s%s", library[0] ? library : program, file);
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
