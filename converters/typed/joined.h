/* Several files of one table as one: the header of the first, and the lines of all. */
#pragma once

#include "support/input/input.h"
#include <quern/error.h>

struct qn_joined_file;

/* Files of other headers than the first's have none. Owned until close. */
enum qn_status qn_joined_open(char *const *files, uint32_t num_files,
                              const struct qn_input_options *how, struct qn_joined_file **out,
                              struct qn_error *error);
/* Where it can be read. */
const char *qn_joined_path(const struct qn_joined_file *joined);
/* Each of its files, for the metadata: what it is called, and its digest. */
const char *qn_joined_file(const struct qn_joined_file *joined, uint32_t index,
                           struct qn_input_digest *digest);
/* What is wrong in it is wrong in one of the files: say which, and in what line of that. */
void qn_joined_locate(const struct qn_joined_file *joined, struct qn_error *error);
/* NULL is allowed. */
void qn_joined_close(struct qn_joined_file *joined);
