/* A set's folder while it is made, and sets made of sets. */
#include "formats/set/set.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/container/listed_folder.h"
#include "formats/set/manifest.h"
#include "support/atomic_file.h"
#include "support/atomic_folder.h"
#include "support/context.h"
#include "support/memory.h"

struct qn_set_writer {
  struct qn_atomic_folder *folder;
  bool has_draft;
};

enum qn_status qn_set_writer_create(const char *path, bool force, struct qn_set_writer **out,
                                    struct qn_error *error) {
  struct qn_set_writer *writer;
  *out = NULL;
  if (strcmp(path, "-") == 0)
    return qn_fail(error, QN_USAGE, "a set is a folder of files, not a stream");
  enum qn_status status = force ? qn_listed_folder_check(path, QN_SET_MANIFEST, error) : QN_OK;
  if (!status)
    status = qn_alloc_zeroed(&writer, 1, sizeof *writer, "a set's writer", error);
  if (status)
    return status;
  status = qn_atomic_folder_create(path, force, &writer->folder, error);
  if (status) {
    qn_free(writer);
    return status;
  }
  *out = writer;
  return QN_OK;
}

const char *qn_set_writer_place(const struct qn_set_writer *writer) {
  return qn_atomic_folder_place(writer->folder);
}

enum qn_status qn_set_writer_join(const char *place, struct qn_set_writer **out,
                                  struct qn_error *error) {
  struct qn_set_writer *writer;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&writer, 1, sizeof *writer, "a set's writer", error);
  if (status)
    return status;
  status = qn_atomic_folder_join(place, &writer->folder, error);
  if (status)
    qn_free(writer);
  else
    *out = writer;
  return status;
}

void qn_set_writer_leave(struct qn_set_writer *writer) {
  if (!writer)
    return;
  qn_atomic_folder_leave(writer->folder);
  qn_free(writer);
}

enum qn_status qn_set_writer_part(struct qn_set_writer *writer, uint64_t index, const char **path,
                                  struct qn_error *error) {
  char name[32];
  qn_set_part_name(index, name);
  return qn_atomic_folder_add(writer->folder, name, path, error);
}

enum qn_status qn_set_writer_vertices(struct qn_set_writer *writer, uint64_t index,
                                      uint64_t num_ranges, const char **path,
                                      struct qn_error *error) {
  char name[32];
  qn_set_vertices_name(index, num_ranges, name);
  return qn_atomic_folder_add(writer->folder, name, path, error);
}

static enum qn_status write_text(const char *path, bool replace, const char *text,
                                 struct qn_error *error) {
  struct qn_atomic_file *file;
  enum qn_status status = qn_atomic_file_create(path, replace, &file, error);
  if (status)
    return status;
  uint64_t length = strlen(text);
  status = qn_atomic_file_write(file, text, length, 0, error);
  if (!status)
    status = qn_atomic_file_write(file, "\n", 1, length, error);
  if (!status)
    return qn_atomic_file_commit(file, error);
  qn_atomic_file_abort(file);
  return status;
}

static enum qn_status write_manifest(struct qn_set_writer *writer, const struct qn_set *set,
                                     const char *tool, struct qn_error *error) {
  const char *path;
  char *text = qn_set_manifest_text(set, tool, error);
  enum qn_status status = text ? QN_OK : QN_SYSTEM;
  if (!status)
    status = qn_atomic_folder_add(writer->folder, QN_SET_MANIFEST, &path, error);
  if (!status)
    status = write_text(path, writer->has_draft, text, error);
  free(text);
  return status;
}

enum qn_status qn_set_writer_draft(struct qn_set_writer *writer, const struct qn_set *set,
                                   const char *tool, struct qn_error *error) {
  enum qn_status status = write_manifest(writer, set, tool, error);
  writer->has_draft = true;
  qn_atomic_folder_rest(writer->folder);
  return status;
}

enum qn_status qn_set_writer_commit(struct qn_set_writer *writer, const struct qn_set *set,
                                    const char *tool, struct qn_error *error) {
  enum qn_status status = write_manifest(writer, set, tool, error);
  if (!status) {
    status = qn_atomic_folder_commit(writer->folder, error);
    writer->folder = NULL;
  }
  qn_set_writer_abort(writer);
  return status;
}

enum qn_status qn_set_writer_copy(struct qn_set_writer *writer,
                                  const struct qn_container *container, const char *name,
                                  const char **path, struct qn_error *error) {
  enum qn_status status = qn_atomic_folder_add(writer->folder, name, path, error);
  return status ? status : qn_container_copy(container, *path, false, error);
}

enum qn_status qn_set_replace_manifest(const struct qn_set *set, const char *tool,
                                       struct qn_error *error) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/" QN_SET_MANIFEST, set->path) >= (int)sizeof path)
    return qn_fail(error, QN_USAGE, "the name of the set's folder is too long");
  char *text = qn_set_manifest_text(set, tool, error);
  enum qn_status status = text ? write_text(path, true, text, error) : QN_SYSTEM;
  free(text);
  return status;
}

void qn_set_writer_abort(struct qn_set_writer *writer) {
  if (!writer)
    return;
  qn_atomic_folder_abort(writer->folder);
  qn_free(writer);
}

/* ---- A set of another layout ---------------------------------------------------- */

struct rebuilding {
  struct qn_set *set;
  struct qn_set_writer *writer;
  qn_set_build *build;
  void *user;
};

static enum qn_status rebuild_part(const struct rebuilding *rebuilding, uint64_t index,
                                   struct qn_set_file *made, struct qn_error *error) {
  struct qn_set_open_part part;
  struct qn_container *built = NULL;
  const char *path;
  char name[32];
  enum qn_status status = qn_set_part_open(rebuilding->set, index, QN_SET_CHECK_ALL, &part, error);
  if (status)
    return status;
  struct qn_container *container = part.container;
  part.container = NULL;
  qn_set_part_close(&part);
  qn_set_part_name(index, name);
  status = qn_set_writer_part(rebuilding->writer, index, &path, error);
  if (status) {
    qn_container_unmap(container);
    return status;
  }
  status = rebuilding->build(rebuilding->user, container, path, &built, error);
  if (!status)
    status = qn_set_file_of(built, name, made, error);
  qn_container_unmap(built);
  return status;
}

/* Under the names that such files have here, whatever they had. */
static enum qn_status copy_vertices(const struct rebuilding *rebuilding, struct qn_error *error) {
  const struct qn_set *set = rebuilding->set;
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < set->num_ranges; i++) {
    struct qn_vertex_range *range = &set->ranges[i];
    const char *path;
    char name[32];
    status = qn_set_writer_vertices(rebuilding->writer, i, set->num_ranges, &path, error);
    if (!status)
      status = qn_container_copy(range->container, path, false, error);
    qn_set_vertices_name(i, set->num_ranges, name);
    if (!status)
      status = qn_set_file_of(range->container, name, &range->file, error);
  }
  return status;
}

/* `made` has a name for every part that is done. */
static enum qn_status rebuild(const struct rebuilding *rebuilding, struct qn_set_file *made,
                              struct qn_error *error) {
  enum qn_status status = copy_vertices(rebuilding, error);
  for (uint64_t i = 0; !status && i < rebuilding->set->num_parts; i++) {
    status = rebuild_part(rebuilding, i, &made[i], error);
    if (!status)
      status = qn_context_check(error);
  }
  return status;
}

/* From now on the set is the one that was made. */
static void take_files(struct qn_set *set, enum qn_layout layout, struct qn_set_file *made) {
  set->layout = layout;
  for (uint64_t i = 0; i < set->num_parts; i++) {
    struct qn_set_file before = set->parts[i].file;
    set->parts[i].file = made[i];
    made[i] = before;
  }
}

enum qn_status qn_set_rebuild(const char *set_path, enum qn_layout layout, qn_set_build *build,
                              void *user, const char *tool, const char *path, bool force,
                              struct qn_set **out, struct qn_error *error) {
  struct rebuilding rebuilding = {.build = build, .user = user};
  struct qn_set_file *made = NULL;
  *out = NULL;
  enum qn_status status = qn_set_open(set_path, &rebuilding.set, error);
  if (status)
    return status;
  struct qn_set *set = rebuilding.set;
  if (set->version != QN_SET_VERSION)
    status = qn_fail(error, QN_USAGE,
                     "this set is of version 1, which is read but not written any more; "
                     "quern-transform SET --parts %" PRIu64 " makes one of this version first",
                     set->num_parts);
  else if (!qn_set_takes(layout))
    status = qn_fail(error, QN_USAGE,
                     "the parts of a set are graph or packed containers: %s has no rows of some "
                     "vertices alone; quern-transform puts the graph together first",
                     qn_layout_name(layout));
  else if (set->layout != QN_LAYOUT_GRAPH)
    status =
        qn_fail(error, QN_USAGE, "the parts have the layout %s already; a layout is made of graphs",
                qn_layout_name(set->layout));
  if (!status)
    status = qn_alloc_zeroed(&made, set->num_parts, sizeof *made, "files of a set", error);
  if (!status)
    status = qn_set_writer_create(path, force, &rebuilding.writer, error);
  if (!status)
    status = rebuild(&rebuilding, made, error);
  if (!status) {
    take_files(set, layout, made);
    status = qn_set_writer_commit(rebuilding.writer, set, tool, error);
  } else {
    qn_set_writer_abort(rebuilding.writer);
  }
  for (uint64_t i = 0; made && i < set->num_parts; i++)
    free(made[i].name);
  qn_free(made);
  if (status)
    qn_set_close(set);
  else
    *out = set;
  return status;
}
