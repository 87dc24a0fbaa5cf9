/* Text put piece by piece into a buffer (formats/text/text_output.h), escaped as its format has
 * it. Without memory nothing more is put, and the buffer says so. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats/text/text_output.h"

enum qn_escaping {
  QN_ESCAPE_XML,  /* &amp; &#10;; U+FFFD for what XML has no place for */
  QN_ESCAPE_JSON, /* \" \u001f */
  QN_ESCAPE_GML,  /* &#38; for all but printable ASCII */
};

void qn_put_bytes(struct qn_text_buffer *buffer, const char *bytes, uint64_t length);
void qn_put_string(struct qn_text_buffer *buffer, const char *string);
/* [text, text + length) is UTF-8. */
void qn_put_escaped(struct qn_text_buffer *buffer, enum qn_escaping escaping, const char *text,
                    uint64_t length);

/* Has the text characters that XML has no place for: U+0001 to U+001F but for tabs and line ends,
 * U+FFFE and U+FFFF? */
bool qn_text_leaves_xml(const char *text, uint64_t length);
