#include "support/input/named_inputs.h"

#include <stdio.h>
#include <string.h>

#include "support/input/input.h"
#include "support/memory.h"

/* A file that comes from somewhere must not make us read any other of this machine. */
static bool stays_below(const char *name, uint64_t length) {
  if (length == 0 || name[0] == '/' || memchr(name, '\0', length))
    return false;
  for (uint64_t i = 0; i + 1 < length; i++) {
    bool begins = i == 0 || name[i - 1] == '/';
    if (begins && name[i] == '.' && name[i + 1] == '.' && (i + 2 == length || name[i + 2] == '/'))
      return false;
  }
  return true;
}

/* Of "gzip in tar" and the like: is one an archive? */
static bool is_archive(const char *packing) {
  for (const char *word = packing; word; word = (word = strstr(word, " in ")) ? word + 4 : NULL)
    if (strncmp(word, "tar", 3) == 0 || strncmp(word, "zip", 3) == 0)
      return true;
  return false;
}

/* Up to where the folder of `input` goes: in an archive, the member's. */
static uint64_t folder_length(const struct qn_input *input) {
  const char *path = qn_input_name(input);
  const char *slash = strrchr(path, '/'), *colon = NULL;
  if (is_archive(qn_input_packing(input)))
    colon = strrchr(path, ':');
  const char *last = colon > slash ? colon : slash;
  return last ? (uint64_t)(last + 1 - path) : 0;
}

enum qn_status qn_named_inputs_add(struct qn_named_inputs *named, const struct qn_input *input,
                                   const char *name, uint64_t length,
                                   const struct qn_reader *reader, struct qn_error *error) {
  uint64_t folder = folder_length(input);
  char *path;
  if (!stays_below(name, length)) {
    qn_fail(error, QN_INVALID, "names a file that is not in its folder: '%.*s'",
            (int)(length < 100 ? length : 100), name);
    return qn_error_in_file(error, qn_input_name(input));
  }
  enum qn_status status = qn_alloc(&path, folder + length + 1, 1, "a path", error);
  if (status)
    return status;
  memcpy(path, qn_input_name(input), folder);
  memcpy(path + folder, name, length);
  path[folder + length] = '\0';
  status =
      qn_realloc(&named->inputs, named->count + 1, sizeof *named->inputs, "named inputs", error);
  if (status) {
    qn_free(path);
    return status;
  }
  named->inputs[named->count++] = (struct qn_named_input){.path = path, .reader = reader};
  return QN_OK;
}

void qn_named_inputs_release(struct qn_named_inputs *named) {
  for (uint64_t i = 0; i < named->count; i++)
    qn_free(named->inputs[i].path);
  qn_free(named->inputs);
  *named = (struct qn_named_inputs){0};
}
