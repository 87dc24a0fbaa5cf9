/* Arrays of numbers as binary formats keep them: any width, byte order and alignment. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/container.h>
#include <quern/error.h>

enum qn_number_class { QN_NUMBERS_UNSIGNED, QN_NUMBERS_SIGNED, QN_NUMBERS_REAL };

/* QN_INVALID at a byte of a binary file. */
enum qn_status qn_binary_fail(const char *file, uint64_t offset, struct qn_error *error,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));

struct qn_number_array {
  const char *name; /* for messages */
  const char *data; /* count * width bytes, borrowed */
  uint64_t count;
  enum qn_number_class kind;
  unsigned width; /* 1, 2, 4 or 8 bytes; reals 4 or 8 */
  bool big_endian;
  bool stays; /* `data` is there until the input is closed */
};

/* Decode whole numbers [first, first + count) to `ids`; gives how many come before the first
 * negative one, `count` if none is. The array must not be of reals. */
uint64_t qn_numbers_ids(const struct qn_number_array *array, uint64_t first, uint64_t count,
                        uint64_t *ids);

/* One of them; false if it is negative. */
bool qn_numbers_id(const struct qn_number_array *array, uint64_t index, uint64_t *id);

/* A number that f64 changes, and by how much. */
struct qn_rounding {
  long double exact, error;
};

/* What weights the whole array makes: u32 if every number is one, else i64 for whole numbers, and
 * f32 or f64 for real ones. Unsigned numbers beyond i64 become f64, which changes none by more than
 * `*worst` (error 0: none at all). Gives the index of the first number that is not finite, `count`
 * if there is none. */
uint64_t qn_numbers_weight_type(const struct qn_number_array *array, enum qn_weight_type *type,
                                struct qn_rounding *worst);

/* Decode numbers [first, first + count) as weights of that type. */
void qn_numbers_weights(const struct qn_number_array *array, enum qn_weight_type type,
                        uint64_t first, uint64_t count, void *weights);
