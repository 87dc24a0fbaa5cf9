#include "support/input_kept.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool is_file(const struct stat *file, const char *path) {
  struct stat other;
  return stat(path, &other) == 0 && other.st_dev == file->st_dev && other.st_ino == file->st_ino;
}

/* The file at `path`, or the folder that it lies in. */
static bool is_at(const struct stat *file, const char *path) {
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  if (!S_ISDIR(file->st_mode) || is_file(file, path))
    return is_file(file, path);
  if (!slash)
    return is_file(file, ".");
  size_t length = slash == path ? 1 : (size_t)(slash - path);
  return (size_t)snprintf(folder, sizeof folder, "%.*s", (int)length, path) < sizeof folder &&
         is_file(file, folder);
}

/* The input, or what is before any of its colons. */
static bool is_input(const struct stat *file, const char *input) {
  char archive[PATH_MAX];
  if (strcmp(input, "-") == 0)
    return false;
  if (is_at(file, input))
    return true;
  for (const char *colon = strchr(input, ':'); colon; colon = strchr(colon + 1, ':')) {
    size_t length = (size_t)(colon - input);
    if (length >= sizeof archive)
      return false;
    memcpy(archive, input, length);
    archive[length] = '\0';
    if (is_at(file, archive))
      return true;
  }
  return false;
}

enum qn_status qn_inputs_kept(const char *output, const char *const *inputs, uint64_t num_inputs,
                              struct qn_error *error) {
  struct stat file;
  if (!output || strcmp(output, "-") == 0 || stat(output, &file) != 0)
    return QN_OK;
  for (uint64_t i = 0; i < num_inputs; i++)
    if (is_input(&file, inputs[i])) {
      bool folder = S_ISDIR(file.st_mode);
      qn_fail(error, QN_USAGE, "the output is the %s '%.200s'%s; give it another name",
              folder ? "folder of the input" : "input", inputs[i], folder ? "" : " itself");
      return qn_error_in_file(error, output), QN_USAGE;
    }
  return QN_OK;
}

enum qn_status qn_input_kept(const char *output, const char *input, struct qn_error *error) {
  return input ? qn_inputs_kept(output, &input, 1, error) : QN_OK;
}
