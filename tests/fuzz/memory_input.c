/* In place of support/input/input.c: inputs that lie in memory, without files and threads. Every
 * block is an allocation of its own of just its bytes, gone with the next unless the content stays,
 * so that whoever reads behind it or too late is caught. */
#include "support/input/input.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "support/memory.h"

struct qn_input {
  struct qn_input_options options;
  const char *name;
  const uint8_t *data;
  size_t size, block, next;
  char *head, *current;
};

static struct fuzz_input given;

void fuzz_inputs(const struct fuzz_input *input) {
  given = *input;
}

static char *copy(const uint8_t *data, size_t size) {
  char *bytes = malloc(size ? size : 1);
  if (!bytes)
    exit(5);
  if (size)
    memcpy(bytes, data, size);
  return bytes;
}

enum qn_status qn_input_open(const char *path, const struct qn_input_options *options,
                             struct qn_input **out, struct qn_error *error) {
  bool main = strcmp(path, given.name) == 0;
  const uint8_t *data = main ? given.data : given.beside;
  size_t size = main ? given.size : given.beside_size;
  *out = NULL;
  if (!data || size == 0) {
    qn_fail(error, data ? QN_INVALID : QN_SYSTEM, "%s",
            data ? "the input is empty" : "there is none");
    return qn_error_in_file(error, path);
  }
  enum qn_status status = qn_alloc_zeroed(out, 1, sizeof **out, "an input", error);
  if (status)
    return status;
  **out = (struct qn_input){.options = *options,
                            .name = main ? given.name : "beside",
                            .data = data,
                            .size = size,
                            .block = main ? given.block : 0};
  return QN_OK;
}

void qn_input_close(struct qn_input *input) {
  if (!input)
    return;
  free(input->head);
  free(input->current);
  qn_free(input);
}

const char *qn_input_name(const struct qn_input *input) {
  return input->name;
}

const char *qn_input_base_name(const struct qn_input *input) {
  return input->name;
}

const char *qn_input_packing(const struct qn_input *input) {
  return input->block ? "gzip" : "plain";
}

uint64_t qn_input_file_bytes(const struct qn_input *input) {
  return input->size;
}

uint64_t qn_input_most_bytes(const struct qn_input *input) {
  return input->size;
}

bool qn_input_stays(const struct qn_input *input) {
  return !input->block;
}

bool qn_input_part(const struct qn_input *input, uint64_t *begin, uint64_t *end) {
  (void)input;
  *begin = 0;
  *end = UINT64_MAX;
  return false;
}

const struct qn_input_options *qn_input_limits(const struct qn_input *input) {
  return &input->options;
}

enum qn_status qn_input_peek(struct qn_input *input, const char **data, uint64_t *bytes,
                             struct qn_error *error) {
  (void)error;
  if (!input->head)
    input->head = copy(input->data, input->size);
  *data = input->head;
  *bytes = input->size;
  return QN_OK;
}

static size_t block_end(const struct qn_input *input) {
  if (!input->block || input->size - input->next <= input->block)
    return input->size;
  const uint8_t *from = input->data + input->next + input->block - 1;
  const uint8_t *line_end = memchr(from, '\n', (size_t)(input->data + input->size - from));
  return line_end ? (size_t)(line_end + 1 - input->data) : input->size;
}

enum qn_status qn_input_next(struct qn_input *input, struct qn_input_block *block,
                             struct qn_error *error) {
  size_t begin = input->next, end = block_end(input);
  (void)error;
  if (begin == 0 || input->block) {
    free(input->current);
    input->current = copy(input->data + begin, end - begin);
  }
  input->next = end;
  *block = (struct qn_input_block){input->current, end - begin, begin};
  return QN_OK;
}

void qn_input_done(struct qn_input *input, const char *data, uint64_t bytes) {
  (void)input, (void)data, (void)bytes;
}

enum qn_status qn_input_explain(struct qn_input *input, struct qn_error *error) {
  (void)input;
  return error->status;
}

enum qn_status qn_input_unwritten(const struct qn_input *input, enum qn_status status,
                                  struct qn_error *error) {
  (void)input, (void)error;
  return status;
}

enum qn_status qn_input_digest(struct qn_input *input, struct qn_input_digest *digest,
                               struct qn_error *error) {
  (void)error;
  *digest = (struct qn_input_digest){.bytes = input->size};
  return QN_OK;
}
