#include "kernels/cpu/paths/path.h"

#include "support/memory.h"

enum qn_status qn_path_create(struct qn_path *path, uint64_t num_vertices, struct qn_error *error) {
  *path = (struct qn_path){.num_vertices = num_vertices};
  enum qn_status status =
      qn_pages_alloc(&path->vertices, num_vertices, sizeof *path->vertices, "a path", error);
  if (!status)
    status =
        qn_pages_alloc(&path->distances, num_vertices, sizeof *path->distances, "distances", error);
  if (status) {
    qn_pages_free(path->vertices, num_vertices, sizeof *path->vertices);
    *path = (struct qn_path){0};
  }
  return status;
}
