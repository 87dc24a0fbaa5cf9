#include "runtime/deliver/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "results/values.h"
#include "support/atomic_folder.h"
#include "support/memory.h"
#include "support/ranks/exchange.h"

struct qn_result_parts {
  const struct qn_collective *ranks;
  struct qn_atomic_folder *folder;
  bool no_ids;
  const char **paths; /* [parts of the set] of the values, which the folder owns */
};

static bool is_first(const struct qn_result_parts *parts) {
  return parts->ranks->rank == 0;
}

/* The first rank begins it, and the others join. */
static enum qn_status begin_folder(struct qn_result_parts *parts, const char *path,
                                   struct qn_error *error) {
  char *place;
  enum qn_status status =
      is_first(parts) ? qn_atomic_folder_create(path, false, &parts->folder, error) : QN_OK;
  if (!status)
    status = qn_broadcast_text(
        parts->ranks, parts->folder ? qn_atomic_folder_place(parts->folder) : "", &place, error);
  if (status)
    return status;
  if (!is_first(parts))
    status = qn_atomic_folder_join(place, &parts->folder, error);
  qn_free(place);
  return status;
}

/* All ranks know all files, so that whoever is left takes them away. */
static enum qn_status list_files(struct qn_result_parts *parts, uint64_t num_parts,
                                 const char *form, struct qn_error *error) {
  const char *ids;
  char name[64];
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < num_parts; i++) {
    snprintf(name, sizeof name, "part-%05" PRIu64 ".%s", i, form);
    status = qn_atomic_folder_add(parts->folder, name, &parts->paths[i], error);
    snprintf(name, sizeof name, "part-%05" PRIu64 ".ids.npy", i);
    if (!status && !parts->no_ids && qn_results_are_array(parts->paths[i]))
      status = qn_atomic_folder_add(parts->folder, name, &ids, error);
  }
  return status;
}

/* A file for each part, or for each row of blocks: of which number is that of part `end`? */
static uint64_t count_rows(const struct qn_set *set, uint64_t end) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < end; i++)
    count += set->parts[i].columns_begin == 0;
  return count;
}

enum qn_status qn_result_parts_create(const struct qn_results_options *options,
                                      const struct qn_run_input *input,
                                      struct qn_result_parts **out, struct qn_error *error) {
  struct qn_result_parts *parts;
  *out = NULL;
  if (!input->set || input->set->changes || input->set->types)
    return qn_fail(error, QN_USAGE,
                   "--parts is for sets, and algorithms that walk them part by part");
  enum qn_status status = qn_alloc_zeroed(&parts, 1, sizeof *parts, "an output", error);
  if (status)
    return status;
  const struct qn_set *set = input->set->set;
  const uint64_t num_parts = count_rows(set, set->num_parts);
  parts->ranks = options->ranks ? options->ranks : &qn_collective_alone;
  parts->no_ids = options->no_ids;
  status = qn_alloc(&parts->paths, num_parts, sizeof *parts->paths, "names of outputs", error);
  if (!status)
    status = begin_folder(parts, options->path, error);
  if (!status)
    status = list_files(parts, num_parts, options->parts, error);
  if (status)
    qn_result_parts_abort(parts);
  else
    *out = parts;
  return status;
}

/* The values of one part's vertices. */
static enum qn_status write_part(const struct qn_result_parts *parts, const char *path,
                                 const struct qn_part_rows *rows, const struct qn_run_input *input,
                                 const struct qn_algorithm *algorithm,
                                 const struct qn_run_result *result, struct qn_error *error) {
  const struct qn_results_options options = {.path = path, .rows = rows, .no_ids = parts->no_ids};
  struct qn_results *file;
  enum qn_status status = qn_results_create(&options, input, &file, error);
  return status ? status : qn_results_commit(file, input, algorithm, result, error);
}

/* The folder appears when all have written; then the others let it be. */
enum qn_status qn_result_parts_commit(struct qn_result_parts *parts,
                                      const struct qn_run_input *input,
                                      const struct qn_algorithm *algorithm,
                                      const struct qn_run_result *result, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < input->set->num_parts; i++) {
    const struct qn_part_rows *rows = &input->set->rows[i];
    if (rows->begins_row)
      status = write_part(parts, parts->paths[count_rows(input->set->set, rows->index)], rows,
                          input, algorithm, result, error);
  }
  const enum qn_status agreed = parts->ranks->agree(status);
  if (agreed && !status)
    qn_fail(error, agreed, "another rank failed");
  status = agreed;
  struct qn_atomic_folder *folder = parts->folder;
  if (!status) {
    parts->folder = NULL;
    if (is_first(parts))
      status = qn_atomic_folder_commit(folder, error);
    else
      qn_atomic_folder_leave(folder);
  }
  qn_result_parts_abort(parts);
  return status;
}

void qn_result_parts_abort(struct qn_result_parts *parts) {
  if (!parts)
    return;
  qn_atomic_folder_abort(parts->folder);
  qn_free(parts->paths);
  qn_free(parts);
}
