/* Members of archives and what they are called: as UTF-8, whatever the locale is. libarchive turns
 * the names of zips into the locale's encoding, and drops those that it does not have. */
#ifndef QN_SUPPORT_INPUT_MEMBER_NAMES_H
#define QN_SUPPORT_INPUT_MEMBER_NAMES_H

#include <archive.h>
#include <archive_entry.h>

/* archive_read_next_header. */
int qn_next_member(struct archive *reader, struct archive_entry **entry);
/* NULL if the name is no text. */
const char *qn_member_name(struct archive_entry *entry);

#endif
