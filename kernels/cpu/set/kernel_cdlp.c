/* Communities by label propagation on a set (kernels/cpu/communities/label_propagation.h), band by
 * band: a vertex needs the labels of all its neighbors at once, so this is no program. */
#include "kernels/cpu/communities/label_propagation.h"
#include "kernels/cpu/set/bands.h"
#include "kernels/standalone_kernel.h"

extern const struct qn_kernel qn_kernel_cdlp_set_cpu;

static enum qn_status take(void *context, uint64_t band, struct qn_label_rows *rows,
                           struct qn_error *error) {
  struct qn_bands *bands = context;
  const struct qn_band *made = &bands->made;
  enum qn_status status = qn_bands_take(bands, band, error);
  *rows = (struct qn_label_rows){.begin = made->begin,
                                 .out = &made->rows,
                                 .in = bands->view->has_out_rows ? NULL : &made->columns};
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_set_view *view = request->view;
  struct qn_bands bands;
  *result = (struct qn_run_result){0};
  enum qn_status status = qn_bands_create(view, &bands, error);
  const struct qn_label_source source = {.num_vertices = view->num_vertices,
                                         .num_bands = bands.num_bands,
                                         .take = take,
                                         .context = &bands};
  if (!status)
    status = qn_label_propagation(request, &source, result, error);
  qn_bands_destroy(&bands);
  return status;
}

const struct qn_kernel qn_kernel_cdlp_set_cpu =
    QN_STANDALONE_KERNEL(cdlp, "bands, labels counted by hashing", QN_LAYOUT_SET, QN_CPU,
                         QN_KERNEL_NO_FRONTIER | QN_KERNEL_ALONE | QN_KERNEL_ANY_ROWS,
                         QN_RESULT_U32, run, sizeof(uint32_t));
