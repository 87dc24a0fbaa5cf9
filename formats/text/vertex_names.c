#include "formats/text/vertex_names.h"

#include "formats/text/text_format.h"
#include "support/memory.h"

enum qn_status qn_names_from_one(uint64_t num_vertices, struct qn_ids *names, void **memory,
                                 struct qn_error *error) {
  uint64_t *numbers;
  enum qn_status status = qn_alloc(&numbers, num_vertices, sizeof *numbers, "vertex ids", error);
  if (status)
    return status;
  for (uint64_t i = 0; i < num_vertices; i++)
    numbers[i] = i + 1;
  *memory = numbers;
  *names = (struct qn_ids){
      .kind = QN_IDS_NUMBERS, .num_vertices = num_vertices, .numbers = numbers, .ascending = true};
  return QN_OK;
}

/* A letter and up to ten digits. */
#define SIDE_NAME_BYTES 11

enum qn_status qn_names_two_sided(uint64_t left, uint64_t right, struct qn_ids *names,
                                  void **memory, struct qn_error *error) {
  uint64_t num_vertices = left + right, used = 0;
  uint64_t offset_bytes = (num_vertices + 1) * sizeof(uint64_t);
  uint64_t *offsets;
  enum qn_status status =
      qn_alloc(&offsets, 1, offset_bytes + num_vertices * SIDE_NAME_BYTES + QN_MAX_NUMBER_TEXT,
               "vertex ids", error);
  if (status)
    return status;
  char *bytes = (char *)(offsets + num_vertices + 1), *p = bytes;
  for (uint64_t i = 0; i < num_vertices; i++) {
    offsets[i] = used;
    *p++ = i < left ? 'L' : 'R';
    p = qn_put_u64(p, i < left ? i + 1 : i - left + 1);
    used = (uint64_t)(p - bytes);
  }
  offsets[num_vertices] = used;
  *memory = offsets;
  *names = (struct qn_ids){.kind = QN_IDS_STRINGS,
                           .num_vertices = num_vertices,
                           .string_offsets = offsets,
                           .string_bytes = bytes};
  return QN_OK;
}
