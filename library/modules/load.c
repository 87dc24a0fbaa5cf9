#include <dlfcn.h>
#include <string.h>

#include "library/modules/modules.h"
#include "support/modules/module.h"
#include "support/tool.h"

enum qn_status qn_module_load(const char *what, const char *file, const char *advice,
                              const char *entry, const void **table, struct qn_error *error) {
  void *library = qn_module_open(file, RTLD_NOW | RTLD_LOCAL);
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
