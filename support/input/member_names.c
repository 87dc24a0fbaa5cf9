#include "support/input/member_names.h"

#include <locale.h>
#include <pthread.h>

#ifdef __APPLE__
#include <xlocale.h>
#endif

static locale_t utf8;

static void find_utf8(void) {
  utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  if (!utf8)
    utf8 = newlocale(LC_CTYPE_MASK, "en_US.UTF-8", (locale_t)0);
}

int qn_next_member(struct archive *reader, struct archive_entry **entry) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_utf8);
  const locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
  const int result = archive_read_next_header(reader, entry);
  if (utf8)
    uselocale(before);
  return result;
}

const char *qn_member_name(struct archive_entry *entry) {
  const char *name = archive_entry_pathname(entry);
  return name ? name : archive_entry_pathname_utf8(entry);
}
