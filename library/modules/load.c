#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "library/modules/modules.h"
#include "support/tool.h"

/* A file beside the library. */
static void *open_beside(const char *file) {
  char path[PATH_MAX];
  Dl_info about;
  if (!dladdr((void *)(uintptr_t)qn_module_load, &about))
    return NULL;
  const char *slash = strrchr(about.dli_fname, '/');
  int length = slash ? (int)(slash - about.dli_fname) + 1 : 0;
  if (snprintf(path, sizeof path, "%.*s%s", length, about.dli_fname, file) >= (int)sizeof path)
    return NULL;
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

enum qn_status qn_module_load(const char *what, const char *file, const char *advice,
                              const char *entry, const void **table, struct qn_error *error) {
  void *library = open_beside(file);
  const char *failure = library ? NULL : dlerror();
  if (!library)
    return qn_fail(error, QN_UNSUPPORTED,
                   "%s needs %s, which cannot be loaded from where libquern is: %s (%s)", what,
                   file, advice, failure ? failure : "no such file");
  const void *(*found)(void);
  void *symbol = dlsym(library, entry);
  memcpy(&found, &symbol, sizeof found);
  *table = symbol ? found() : NULL;
  const char *version = "";
  if (*table)
    memcpy(&version, *table, sizeof version); /* the first field of every table */
  if (strcmp(version, QN_VERSION) == 0)
    return QN_OK;
  return qn_fail(error, QN_UNSUPPORTED, "%s needs %s of version %s; what is installed is '%s'",
                 what, file, QN_VERSION, version);
}
