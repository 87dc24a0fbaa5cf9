#include "converters/output/put_text.h"

#include <stdio.h>
#include <string.h>

void qn_put_bytes(struct qn_text_buffer *buffer, const char *bytes, uint64_t length) {
  char *p = length ? qn_text_buffer_reserve(buffer, length) : NULL;
  if (!p)
    return;
  memcpy(p, bytes, length);
  qn_text_buffer_advance(buffer, p + length);
}

void qn_put_string(struct qn_text_buffer *buffer, const char *string) {
  qn_put_bytes(buffer, string, strlen(string));
}

static bool is_control(char c) {
  return (unsigned char)c < ' ' && c != '\t' && c != '\n' && c != '\r';
}

/* U+FFFE or U+FFFF. */
static bool is_no_character(const char *p, const char *end) {
  return end - p >= 3 && memcmp(p, "\xef\xbf", 2) == 0 && (unsigned char)p[2] >= 0xbe;
}

bool qn_text_leaves_xml(const char *text, uint64_t length) {
  const char *end = text + length;
  for (const char *p = text; p < end; p++)
    if (is_control(*p) || (*p == '\xef' && is_no_character(p, end)))
      return true;
  return false;
}

/* Bytes of the character at `p`; what is not there of it is not counted. */
static unsigned character_bytes(const char *p, const char *end) {
  unsigned char first = (unsigned char)*p;
  unsigned bytes = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return end - p < (long)bytes ? (unsigned)(end - p) : bytes;
}

static uint32_t code_of(const char *p, unsigned bytes) {
  uint32_t code = (unsigned char)*p & (bytes == 1 ? 0x7f : 0xff >> (bytes + 1));
  for (unsigned i = 1; i < bytes; i++)
    code = code << 6 | ((unsigned char)p[i] & 0x3f);
  return code;
}

/* What stands for the character; NULL: itself. `room` is for a short one. */
static const char *xml_escape(const char *p, const char *end, char room[16]) {
  switch (*p) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  case '\t':
  case '\n':
  case '\r':
    snprintf(room, 16, "&#%d;", *p);
    return room;
  default:
    return is_control(*p) || is_no_character(p, end) ? "\xef\xbf\xbd" : NULL;
  }
}

static const char *json_escape(const char *p, char room[16]) {
  if (*p == '"')
    return "\\\"";
  if (*p == '\\')
    return "\\\\";
  if ((unsigned char)*p >= ' ')
    return NULL;
  snprintf(room, 16, "\\u%04x", *p);
  return room;
}

static const char *gml_escape(const char *p, unsigned bytes, char room[16]) {
  if (*p == '"' || *p == '&')
    return *p == '&' ? "&amp;" : "&quot;"; /* igraph knows no others */
  if (*p >= ' ' && *p <= '~')
    return NULL;
  snprintf(room, 16, "&#%u;", (unsigned)code_of(p, bytes));
  return room;
}

void qn_put_escaped(struct qn_text_buffer *buffer, enum qn_escaping escaping, const char *text,
                    uint64_t length) {
  const char *end = text + length, *plain = text;
  for (const char *p = text; p < end;) {
    char room[16];
    const unsigned bytes = character_bytes(p, end);
    const char *escape = escaping == QN_ESCAPE_XML    ? xml_escape(p, end, room)
                         : escaping == QN_ESCAPE_JSON ? json_escape(p, room)
                                                      : gml_escape(p, bytes, room);
    p += bytes;
    if (!escape)
      continue;
    qn_put_bytes(buffer, plain, (uint64_t)(p - bytes - plain));
    qn_put_string(buffer, escape);
    plain = p;
  }
  qn_put_bytes(buffer, plain, (uint64_t)(end - plain));
}
