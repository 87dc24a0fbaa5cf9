#include "formats/arrays/npy_header.h"

#include <stdio.h>
#include <string.h>

void qn_npy_header(char header[QN_NPY_HEADER_BYTES], const char *type, const char *shape) {
  memset(header, ' ', QN_NPY_HEADER_BYTES);
  memcpy(header, QN_NPY_SIGNATURE "\1\0", 8);
  header[8] = QN_NPY_HEADER_BYTES - 10;
  header[9] = 0;
  int length = snprintf(header + 10, QN_NPY_HEADER_BYTES - 10,
                        "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
  header[10 + length] = ' ';
  header[QN_NPY_HEADER_BYTES - 1] = '\n';
}
