/* Bundles that are a set: its files, and its manifest as it was (specs/bundle.md, B-7). */
#pragma once

#include "formats/set/set.h"
#include <quern/bundle.h>

#define QN_BUNDLE_SET_ROLE "set"
/* Of a bundle that is a set; others have version 1. */
#define QN_BUNDLE_SET_VERSION 2

/* The files that a manifest lists, in the order in which they lie in a bundle. */
uint64_t qn_bundle_set_count(const struct qn_set *set);
const struct qn_set_file *qn_bundle_set_file(const struct qn_set *set, uint64_t index);

/* B-7, of a bundle that has a member set.json. */
enum qn_status qn_bundle_check_set(const struct qn_bundle *bundle, struct qn_error *error);
