/* How many edges inputs hold, judged by samples before they are read. */
#pragma once

#include "converters/build/build_estimate.h"
#include "converters/parse/reader.h"

/* What to expect of these inputs together; QN_SYSTEM where there is no memory to look at them.
 * `format` is a reader's name or "auto". Unknown if one of them is a stream, compressed, in an
 * archive, or cannot be read: that is found out later. */
enum qn_status qn_inputs_expect(char *const *paths, int num_paths, const char *format,
                                const struct qn_read_options *options,
                                struct qn_expected_edges *out, struct qn_error *error);

/* For readers of text that lists neighbours: numbers in the file, by those in the sample. */
uint64_t qn_expect_words(const struct qn_read_options *options, const char *sample, uint64_t bytes,
                         uint64_t file_bytes);
