#include "support/remote/multipart.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "support/remote/version.h"

bool qn_multipart_begin(struct qn_multipart *multipart, const char *content_type,
                        const struct qn_part *parts, uint64_t count, uint64_t total) {
  static const char type[] = "multipart/byteranges", name[] = "boundary=";
  *multipart = (struct qn_multipart){.parts = parts, .count = count, .total = total};
  const char *from = strcasestr(content_type, name);
  if (!from || strncasecmp(content_type, type, sizeof type - 1) != 0)
    return false;
  from += sizeof name - 1;
  const bool quoted = *from == '"';
  from += quoted;
  const size_t length = strcspn(from, quoted ? "\"" : "; \t");
  if (length == 0 || length > sizeof multipart->boundary - 3)
    return false;
  snprintf(multipart->boundary, sizeof multipart->boundary, "--%.*s", (int)length, from);
  return true;
}

/* Each part has to be the one that was asked for next. */
static bool take_range(struct qn_multipart *multipart, const char *value) {
  const struct qn_part *part = &multipart->parts[multipart->part];
  uint64_t first, last, total;
  if (multipart->ranged || !qn_content_range(value + strspn(value, " \t"), &first, &last, &total))
    return false;
  multipart->ranged = true;
  return first == part->offset && last - first + 1 == part->bytes && total == multipart->total;
}

static bool take_header(struct qn_multipart *multipart) {
  static const char range[] = "content-range:";
  if (strncasecmp(multipart->line, range, sizeof range - 1) == 0)
    return take_range(multipart, multipart->line + sizeof range - 1);
  if (multipart->line[0])
    return true;
  multipart->at = QN_PART_CONTENT;
  multipart->got = 0;
  return multipart->ranged;
}

/* An empty line may precede what delimits parts. */
static bool take_delimiter(struct qn_multipart *multipart) {
  const size_t length = strlen(multipart->boundary);
  const char *line = multipart->line, *rest = line + length;
  if (!line[0])
    return true;
  if (strncmp(line, multipart->boundary, length) != 0)
    return false;
  const bool more = multipart->part < multipart->count;
  multipart->at = more ? QN_PART_HEADER : QN_PART_OVER;
  multipart->ranged = false;
  return strcmp(rest, more ? "" : "--") == 0;
}

/* One byte of a line, which ends in LF, or in CR and LF. */
static bool take_letter(struct qn_multipart *multipart, char letter) {
  if (letter != '\n') {
    multipart->line[multipart->length++] = letter;
    return letter && multipart->length < sizeof multipart->line;
  }
  multipart->length -= multipart->length && multipart->line[multipart->length - 1] == '\r';
  multipart->line[multipart->length] = '\0';
  multipart->length = 0;
  return multipart->at == QN_PART_HEADER ? take_header(multipart) : take_delimiter(multipart);
}

static size_t take_content(struct qn_multipart *multipart, const char *bytes, size_t count) {
  const struct qn_part *part = &multipart->parts[multipart->part];
  const uint64_t left = part->bytes - multipart->got, some = count < left ? count : left;
  memcpy((char *)part->into + multipart->got, bytes, some);
  multipart->got += some;
  if (multipart->got == part->bytes) {
    multipart->at = QN_PART_BETWEEN;
    multipart->part++;
  }
  return some;
}

bool qn_multipart_take(struct qn_multipart *multipart, const char *bytes, size_t count) {
  for (size_t done = 0; done < count && multipart->at != QN_PART_OVER;) {
    if (multipart->at == QN_PART_CONTENT)
      done += take_content(multipart, bytes + done, count - done);
    else if (!take_letter(multipart, bytes[done++]))
      return false;
  }
  return true;
}
