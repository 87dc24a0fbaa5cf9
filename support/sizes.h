/* Sizes as people write them: "4096", "64K", "4G", "1.5M"; binary units. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Parse digits with an optional fraction and an optional suffix K, M, G, T
 * (case-insensitive, an optional "i" and "B" after it) into bytes. QN_USAGE if not one. */
enum qn_status qn_size_parse(const char *text, uint64_t *bytes, struct qn_error *error);

/* Write e.g. "1.50 GiB" or "512 B" into `text` (at least 16 bytes). Returns `text`. */
char *qn_size_text(uint64_t bytes, char *text, size_t size);

/* Write a count with thousands separators, e.g. "16,777,216", into `text`
 * (at least 32 bytes). Returns `text`. */
char *qn_count_text(uint64_t count, char *text, size_t size);

/* Parse a whole unsigned decimal number up to `max`. QN_USAGE if not one. */
enum qn_status qn_number_parse(const char *text, uint64_t max, uint64_t *value,
                               struct qn_error *error);

/* Parse a finite decimal number. QN_USAGE if not one. */
enum qn_status qn_real_parse(const char *text, double *value, struct qn_error *error);

#ifdef __cplusplus
}
#endif
