#include "formats/checkpoints/parts.h"

#include <string.h>
#include <unistd.h>

#include "support/memory.h"
#include "support/used_files.h"

/* ---- Writing ---------------------------------------------------------------------- */

/* The parts that there will be, in the order of the ranks; those without vertices have none.
 * `*own` is this rank's place among them. */
static uint64_t list_parts(const struct qn_collective *ranks, const uint64_t *firsts,
                           struct qn_checkpoint_part *parts, uint64_t *own) {
  uint64_t count = 0;
  for (unsigned rank = 0; rank < ranks->num_ranks; rank++) {
    if (rank == ranks->rank)
      *own = count;
    if (firsts[rank] < firsts[rank + 1])
      parts[count++] = (struct qn_checkpoint_part){.begin = firsts[rank], .end = firsts[rank + 1]};
  }
  return count;
}

static enum qn_status write_own(const struct qn_checkpoint_folder *folder,
                                const struct qn_checkpoint *whole, uint64_t index, uint64_t begin,
                                uint64_t end, uint64_t *identity, struct qn_error *error) {
  struct qn_checkpoint part = *whole;
  char *path;
  part.begin = begin;
  part.end = end;
  part.values = (const char *)whole->values + begin * whole->value_bytes;
  part.active = whole->active ? whole->active + begin / 64 : NULL;
  part.waiting = whole->waiting ? whole->waiting + begin / 64 : NULL;
  enum qn_status status =
      qn_checkpoint_folder_part(folder, whole->registers[0], index, &path, error);
  if (status)
    return status;
  status = qn_checkpoint_write(path, &part, identity, error);
  qn_free(path);
  return status;
}

static enum qn_status write_list(const struct qn_checkpoint_folder *folder,
                                 const struct qn_checkpoint *whole,
                                 const struct qn_checkpoint_part *parts, uint64_t num_parts,
                                 struct qn_error *error) {
  struct qn_checkpoint list = *whole;
  list.is_list = true;
  list.parts = parts;
  list.num_parts = num_parts;
  list.values = NULL;
  list.active = list.waiting = NULL;
  enum qn_status status = qn_checkpoint_write(folder->file, &list, NULL, error);
  if (!status)
    qn_checkpoint_folder_sweep(folder, whole->registers[0]);
  return status;
}

/* All ranks learn of all parts what their writers know: `identities`, zero but for its own. */
static enum qn_status share_identities(const struct qn_collective *ranks, uint64_t *identities,
                                       struct qn_checkpoint_part *parts, uint64_t num_parts,
                                       struct qn_error *error) {
  enum qn_status status = ranks->combine(identities, num_parts, QN_COMBINE_SUM, error);
  for (uint64_t i = 0; !status && i < num_parts; i++)
    parts[i].identity = identities[i];
  return status;
}

enum qn_status qn_checkpoint_parts_write(const struct qn_checkpoint_folder *folder,
                                         const struct qn_collective *ranks, const uint64_t *firsts,
                                         const struct qn_checkpoint *whole,
                                         struct qn_error *error) {
  const uint64_t begin = firsts[ranks->rank], end = firsts[ranks->rank + 1];
  struct qn_checkpoint_part *parts = NULL;
  uint64_t *identities = NULL, own = 0, num_parts = 0;
  enum qn_status status =
      qn_alloc_zeroed(&parts, ranks->num_ranks, sizeof *parts, "parts of a checkpoint", error);
  if (!status)
    status = qn_alloc_zeroed(&identities, ranks->num_ranks, sizeof *identities,
                             "parts of a checkpoint", error);
  if (!status)
    num_parts = list_parts(ranks, firsts, parts, &own);
  if (!status && begin < end)
    status = write_own(folder, whole, own, begin, end, &identities[own], error);
  if (!status)
    status = share_identities(ranks, identities, parts, num_parts, error);
  if (!status && ranks->rank == 0)
    status = write_list(folder, whole, parts, num_parts, error);
  qn_free(identities);
  qn_free(parts);
  enum qn_status all = ranks->agree(status);
  return status || !all ? status : qn_fail(error, all, "another rank failed");
}

/* ---- Reading ---------------------------------------------------------------------- */

/* One that is whole, but not what the list says. */
static enum qn_status refuse(const char *path, const char *what, struct qn_error *error) {
  qn_fail(error, QN_INVALID, "%s", what);
  return qn_error_in_file(error, path), QN_INVALID;
}

static enum qn_status
check_part(const struct qn_container *container, const struct qn_checkpoint *list,
           const struct qn_checkpoint_part *listed, const struct qn_checkpoint *part,
           const struct qn_checkpoint_restored *restored, struct qn_error *error) {
  const char *path = qn_container_path(container);
  if (qn_container_info(container)->header_checksum != listed->identity || part->is_list ||
      part->begin != listed->begin || part->end != listed->end ||
      part->num_vertices != list->num_vertices)
    return refuse(path, "this is not the part that " QN_CHECKPOINT_NAME " beside it lists", error);
  if (part->value_bytes != restored->value_bytes ||
      (part->active == NULL) != (restored->active == NULL) || part->waiting)
    return refuse(path, "the state in it does not fit the kernel", error);
  return QN_OK;
}

/* Those of its vertices that are in [begin, end). */
static void take_part(const struct qn_checkpoint *part, uint64_t begin, uint64_t end,
                      struct qn_checkpoint_restored *restored) {
  const uint64_t bytes = restored->value_bytes, first_word = part->begin / 64;
  begin = begin > part->begin ? begin : part->begin;
  end = end < part->end ? end : part->end;
  memcpy(restored->values + begin * bytes,
         (const char *)part->values + (begin - part->begin) * bytes, (end - begin) * bytes);
  if (!part->active)
    return;
  for (uint64_t word = begin / 64; word < (end + 63) / 64; word++)
    restored->active[word] |= part->active[word - first_word];
}

static enum qn_status read_part(const struct qn_checkpoint_folder *folder,
                                const struct qn_checkpoint *list, uint64_t index, uint64_t begin,
                                uint64_t end, struct qn_checkpoint_restored *restored,
                                struct qn_error *error) {
  struct qn_checkpoint part;
  struct qn_container *container;
  char *path;
  enum qn_status status =
      qn_checkpoint_folder_part(folder, list->registers[0], index, &path, error);
  if (status)
    return status;
  int descriptor;
  status = qn_file_open_regular(path, &descriptor, error);
  if (!status) {
    status = qn_container_map_descriptor(descriptor, path, 0, &container, error);
    close(descriptor);
  }
  if (status == QN_SYSTEM && access(path, F_OK) != 0)
    status =
        refuse(path, QN_CHECKPOINT_NAME " beside it lists this file, which is not there", error);
  qn_free(path);
  if (status)
    return status;
  status = qn_container_verify(container, error);
  if (!status)
    status = qn_checkpoint_view(container, &part, error);
  if (!status)
    status = check_part(container, list, &list->parts[index], &part, restored, error);
  if (!status)
    take_part(&part, begin, end, restored);
  qn_container_unmap(container);
  return status;
}

enum qn_status qn_checkpoint_parts_read(const struct qn_checkpoint_folder *folder,
                                        const struct qn_checkpoint *list, uint64_t begin,
                                        uint64_t end, uint32_t value_bytes, bool has_active,
                                        struct qn_checkpoint_restored *restored,
                                        struct qn_error *error) {
  *restored = (struct qn_checkpoint_restored){.num_vertices = list->num_vertices,
                                              .value_bytes = value_bytes};
  enum qn_status status = qn_pages_alloc(&restored->values, list->num_vertices, value_bytes,
                                         "vertex values of a checkpoint", error);
  if (!status && has_active)
    status = qn_pages_alloc(&restored->active, qn_checkpoint_words(0, list->num_vertices),
                            sizeof *restored->active, "active vertices of a checkpoint", error);
  for (uint64_t i = 0; !status && i < list->num_parts; i++)
    if (list->parts[i].begin < end && begin < list->parts[i].end)
      status = read_part(folder, list, i, begin, end, restored, error);
  return status;
}

void qn_checkpoint_restored_free(struct qn_checkpoint_restored *restored) {
  qn_pages_free(restored->values, restored->num_vertices, restored->value_bytes);
  qn_pages_free(restored->active, qn_checkpoint_words(0, restored->num_vertices),
                sizeof *restored->active);
  *restored = (struct qn_checkpoint_restored){0};
}
