/* Folders of files that a manifest in them lists: what may be deleted of one that is replaced. */
#pragma once

#include <quern/error.h>

/* Deleting a folder must not take with it what somebody else has put there: QN_USAGE if something
 * is in it that its manifest, the file `manifest`, does not name: as a "name" of an object in it,
 * or in a list or an object below. A folder that is not there is in order. */
enum qn_status qn_listed_folder_check(const char *path, const char *manifest,
                                      struct qn_error *error);
