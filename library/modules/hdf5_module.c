/* The module's side: the functions that are linked with HDF5. */
#include "library/modules/modules.h"
#include "support/tool.h"

const struct qn_hdf5_module *qn_hdf5_module(void) {
  static const struct qn_hdf5_module module = {
      .version = QN_VERSION,
      .open = qn_hdf5_open,
      .close = qn_hdf5_close,
      .text = qn_hdf5_text,
      .shape_of = qn_hdf5_shape_of,
      .read = qn_hdf5_read,
      .create = qn_hdf5_create,
      .put_text = qn_hdf5_put_text,
      .put = qn_hdf5_put,
      .give = qn_hdf5_give,
  };
  return &module;
}
