/* The header of a NumPy array (numpy.lib.format, version 1.0), as all that write one do:
 *
 *   u8[6]  "\x93NUMPY"
 *   u8     major version, u8 minor
 *   u16    length of the rest of the header
 *   text   {'descr': '<i8', 'fortran_order': False, 'shape': (2, 1000), }, spaces, a newline */
#pragma once

#define QN_NPY_SIGNATURE "\x93NUMPY"
/* The numbers begin at a multiple of 64 bytes. */
#define QN_NPY_HEADER_BYTES 128

/* `type` as NumPy describes it, "<i8"; `shape` as Python writes it, "(5,)": together less than 64
 * bytes. */
void qn_npy_header(char header[QN_NPY_HEADER_BYTES], const char *type, const char *shape);
