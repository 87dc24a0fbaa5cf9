#include "support/input_kept.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool is_file(const struct stat *file, const char *path) {
  struct stat other;
  return strcmp(path, "-") != 0 && stat(path, &other) == 0 && other.st_dev == file->st_dev &&
         other.st_ino == file->st_ino;
}

/* The input, or what is before any of its colons. */
static bool is_input(const struct stat *file, const char *input) {
  char archive[PATH_MAX];
  if (is_file(file, input))
    return true;
  for (const char *colon = strchr(input, ':'); colon; colon = strchr(colon + 1, ':')) {
    size_t length = (size_t)(colon - input);
    if (length >= sizeof archive)
      return false;
    memcpy(archive, input, length);
    archive[length] = '\0';
    if (is_file(file, archive))
      return true;
  }
  return false;
}

enum qn_status qn_inputs_kept(const char *output, const char *const *inputs, uint64_t num_inputs,
                              struct qn_error *error) {
  struct stat file;
  if (strcmp(output, "-") == 0 || stat(output, &file) != 0)
    return QN_OK;
  for (uint64_t i = 0; i < num_inputs; i++)
    if (is_input(&file, inputs[i])) {
      qn_fail(error, QN_USAGE, "the output is the input '%.200s' itself; give it another name",
              inputs[i]);
      return qn_error_in_file(error, output), QN_USAGE;
    }
  return QN_OK;
}

enum qn_status qn_input_kept(const char *output, const char *input, struct qn_error *error) {
  return qn_inputs_kept(output, &input, 1, error);
}
