#include <quern/open.h>

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/set/set.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/sizes.h"
#include "support/text/url.h"
#include <quern/archive.h>
#include <quern/bundle.h>

/* Cut `path`, at the first ':' that follows the name of a bundle; NULL if it is none's member. */
static const char *split(char *path) {
  struct stat about;
  if (qn_is_url(path)) {
    char *colon = (char *)qn_url_member(path);
    if (colon)
      *colon = '\0';
    return colon ? colon + 1 : NULL;
  }
  if (stat(path, &about) == 0)
    return NULL;
  for (char *colon = strchr(path, ':'); colon; colon = strchr(colon + 1, ':')) {
    *colon = '\0';
    if (colon[1] && qn_bundle_recognise(path))
      return colon + 1;
    *colon = ':';
  }
  return NULL;
}

static enum qn_status restore(const struct qn_bundle_member *member,
                              const struct qn_container *archive, const char *path,
                              struct qn_container **out, struct qn_error *error) {
  char size[32];
  qn_note(QN_NOTE_RESTORED,
          "restoring %s (%s) to temporary disk space; quern-archive extract would keep it", path,
          qn_size_text((uint64_t)json_integer_value(json_object_get(member->entry, "bytes")), size,
                       sizeof size));
  return qn_archive_restore_nameless(archive, path, out, error);
}

static enum qn_status open_member(const char *file, const char *name, const char *path,
                                  unsigned flags, struct qn_container **out,
                                  struct qn_error *error) {
  struct qn_bundle *bundle;
  const struct qn_bundle_member *member;
  struct qn_container *archive;
  enum qn_status status = qn_bundle_open(file, &bundle, error);
  if (status)
    return status;
  status = qn_bundle_find(bundle, name, &member, error);
  if (!status)
    status = qn_bundle_map(bundle, member, flags, &archive, error);
  if (!status && flags & QN_MAP_ARCHIVE) {
    *out = archive;
  } else if (!status) {
    status = restore(member, archive, path, out, error);
    qn_container_unmap(archive);
  }
  qn_bundle_close(bundle);
  return status;
}

enum qn_status qn_container_open(const char *path, unsigned flags, struct qn_container **out,
                                 struct qn_error *error) {
  char *file;
  *out = NULL;
  if (strcmp(path, "-") == 0)
    return qn_container_map_descriptor(STDIN_FILENO, "<stdin>", flags, out, error);
  if (qn_set_recognise(path))
    return qn_set_unite_nameless(path, path, out, error);
  enum qn_status status = qn_alloc(&file, strlen(path) + 1, 1, "a path", error);
  if (status)
    return status;
  strcpy(file, path);
  const char *member = split(file);
  status = member ? open_member(file, member, path, flags, out, error)
                  : qn_container_map(path, flags, out, error);
  qn_free(file);
  return status;
}
