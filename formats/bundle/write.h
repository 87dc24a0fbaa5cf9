/* Writing bundles (quern/bundle.h reads them). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

/* Write a bundle of the plain containers `inputs`, which are checked whole first. Members are named
 * as the files without folders: two of the same name are QN_USAGE. The bytes depend on the inputs
 * and the level alone. Needs temporary disk space for one member, beside the bundle. */
enum qn_status qn_bundle_create(const char *path, bool force, char *const *inputs,
                                uint32_t num_inputs, int level, struct qn_error *error);

/* Write a bundle of the set `set_path`, which is checked whole first. `*bytes` is what its files
 * have together. */
enum qn_status qn_bundle_create_set(const char *path, bool force, const char *set_path, int level,
                                    uint64_t *bytes, struct qn_error *error);
