#include "converters/typed/joined.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/memory.h"
#include "support/temp_file.h"

/* Where a file's lines are in the whole. */
struct stretch {
  const char *file;
  char name[NAME_MAX + 1];
  struct qn_input_digest digest;
  uint64_t lines;   /* how many there are */
  uint64_t skipped; /* before them in the file: its header */
};

struct qn_joined_file {
  int descriptor;
  char path[64];
  char *header; /* with its line end */
  uint64_t header_bytes;
  struct stretch *stretches; /* [num_files] */
  uint32_t num_files;
};

static uint64_t count_lines(const char *text, uint64_t bytes) {
  uint64_t lines = 0;
  for (const char *end = text + bytes; (text = memchr(text, '\n', (size_t)(end - text))); text++)
    lines++;
  return lines;
}

/* The header is kept as it is; a file that begins with the same bytes repeats it. */
static enum qn_status take_header(struct qn_joined_file *joined, const char **data, uint64_t *bytes,
                                  struct stretch *stretch, struct qn_error *error) {
  if (joined->header) {
    const bool repeats =
        *bytes >= joined->header_bytes && memcmp(*data, joined->header, joined->header_bytes) == 0;
    *data += repeats ? joined->header_bytes : 0;
    *bytes -= repeats ? joined->header_bytes : 0;
    stretch->skipped = repeats;
    return QN_OK;
  }
  const char *end = memchr(*data, '\n', *bytes);
  joined->header_bytes = end ? (uint64_t)(end + 1 - *data) : *bytes;
  enum qn_status status = qn_alloc(&joined->header, joined->header_bytes + 1, 1, "a header", error);
  if (status)
    return status;
  memcpy(joined->header, *data, joined->header_bytes);
  if (!end) /* a file of a header alone */
    joined->header[joined->header_bytes] = '\n';
  return QN_OK;
}

static enum qn_status append(struct qn_joined_file *joined, uint32_t index,
                             const struct qn_input_options *how, struct qn_error *error) {
  struct stretch *stretch = &joined->stretches[index];
  struct qn_input *input;
  struct qn_input_block block;
  bool ends_line = true, first = true;
  enum qn_status status = qn_input_open(stretch->file, how, &input, error);
  if (status)
    return status;
  while (!(status = qn_input_next(input, &block, error)) && block.bytes) {
    const char *data = block.data;
    uint64_t bytes = block.bytes;
    if (first)
      status = take_header(joined, &data, &bytes, stretch, error);
    first = false;
    if (!status && bytes)
      status = qn_scratch_put(joined->descriptor, data, bytes, error);
    if (status)
      break;
    if (bytes)
      ends_line = data[bytes - 1] == '\n';
    stretch->lines += count_lines(data, bytes);
  }
  if (!status && !ends_line) {
    stretch->lines++;
    status = qn_scratch_put(joined->descriptor, "\n", 1, error);
  }
  if (!status)
    status = qn_input_digest(input, &stretch->digest, error);
  snprintf(stretch->name, sizeof stretch->name, "%s", qn_input_base_name(input));
  qn_input_close(input);
  return status;
}

enum qn_status qn_joined_open(char *const *files, uint32_t num_files,
                              const struct qn_input_options *how, struct qn_joined_file **out,
                              struct qn_error *error) {
  struct qn_joined_file *joined;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&joined, 1, sizeof *joined, "a joined file", error);
  if (status)
    return status;
  joined->descriptor = -1;
  joined->num_files = num_files;
  status =
      qn_alloc_zeroed(&joined->stretches, num_files, sizeof *joined->stretches, "files", error);
  if (!status)
    status = qn_scratch_open(0, &joined->descriptor, error);
  for (uint32_t i = 0; !status && i < num_files; i++) {
    joined->stretches[i].file = files[i];
    status = append(joined, i, how, error);
  }
  snprintf(joined->path, sizeof joined->path, "/proc/self/fd/%d", joined->descriptor);
  if (status)
    qn_joined_close(joined);
  else
    *out = joined;
  return status;
}

const char *qn_joined_path(const struct qn_joined_file *joined) {
  return joined->path;
}

const char *qn_joined_file(const struct qn_joined_file *joined, uint32_t index,
                           struct qn_input_digest *digest) {
  *digest = joined->stretches[index].digest;
  return joined->stretches[index].name;
}

void qn_joined_locate(const struct qn_joined_file *joined, struct qn_error *error) {
  uint64_t line = error->line;
  uint32_t i = 0;
  if (strcmp(error->file, joined->path) != 0)
    return;
  while (i + 1 < joined->num_files && line > joined->stretches[i].lines)
    line -= joined->stretches[i++].lines;
  const struct stretch *stretch = &joined->stretches[i];
  if (error->line)
    qn_error_at_line(error, stretch->file, line + stretch->skipped, error->column);
  else
    qn_error_in_file(error, joined->stretches[0].file);
}

void qn_joined_close(struct qn_joined_file *joined) {
  if (!joined)
    return;
  if (joined->descriptor >= 0)
    close(joined->descriptor);
  qn_free(joined->header);
  qn_free(joined->stretches);
  qn_free(joined);
}
