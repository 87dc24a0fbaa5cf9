/* Names of files that are on servers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Is it "http://", "https://" or "s3://", and something? */
bool qn_is_url(const char *path);

/* `path`, or, of a URL, what may be shown of it; `text` of `room` bytes has it, cut if need be. */
const char *qn_path_shown(const char *path, char *text, size_t room);
#define QN_PATH_SHOWN 4096

/* The ':' before the name of a member in "https://HOST/ARCHIVE.tar:MEMBER": the first that follows
 * the name of an archive (.tar, .tgz, .zip, .tar.gz, .tar.zst and so on). NULL: there is none. */
const char *qn_url_member(const char *url);
