/* NumPy arrays (.npy; numpy.lib.format):
 *
 *   u8[6]  "\x93NUMPY"
 *   u8     major version 1, 2 or 3; u8 minor
 *   u16    length of the header (u32 from version 2)
 *   text   {'descr': '<i8', 'fortran_order': False, 'shape': (2, 1000), }
 *   the numbers */
#pragma once

#include "formats/arrays/npy_header.h"
#include "formats/arrays/number_array.h"
#include <quern/error.h>

struct qn_npy {
  char type; /* NumPy's letter: i, u, f, b (booleans), S (bytes) or U (characters of 4 bytes) */
  unsigned width; /* bytes of an element */
  bool big_endian;
  bool fortran_order;
  unsigned dimensions; /* 0, 1 or 2 */
  uint64_t shape[2];   /* 1 where there is no such dimension */
  uint64_t count;      /* of elements */
  const char *data;    /* there */
  bool stays;          /* until the input is closed: for whoever knows */
  uint64_t offset;     /* of the data in the array's bytes */
  const char *header, *header_end;
};

/* Find all of an array in `bytes` bytes at `data`, which must hold nothing else. QN_INVALID with
 * the offset; `file` is for messages. */
enum qn_status qn_npy_parse(const char *data, uint64_t bytes, const char *file, struct qn_npy *npy,
                            struct qn_error *error);

/* The elements of an array of numbers as one sequence in the order that they lie in; booleans are
 * taken for 0 and 1. False for arrays of other things, and for reals of 2 bytes. */
bool qn_npy_numbers(const struct qn_npy *npy, const char *name, struct qn_number_array *numbers);

/* The text of an array of one short string of ASCII, NUL-terminated; false if it is none. */
bool qn_npy_text(const struct qn_npy *npy, char *text, uint64_t size);
