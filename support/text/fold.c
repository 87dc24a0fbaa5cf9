#include "support/text/fold.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/text/terminal.h"

static bool begins_character(char c) {
  return ((unsigned char)c & 0xC0) != 0x80;
}

unsigned qn_text_width(const char *text) {
  unsigned width = 0;
  for (; *text; text++)
    width += begins_character(*text);
  return width;
}

const char *qn_text_skip(const char *text, unsigned characters) {
  while (*text && (characters || !begins_character(*text)))
    characters -= begins_character(*text++);
  return text;
}

void qn_text_fold(const char *text, unsigned at, unsigned indent, unsigned width, FILE *stream) {
  while (at + qn_text_width(text) > width) {
    const char *limit = qn_text_skip(text, width > at ? width - at : 1), *end = limit;
    while (end > text && end[-1] != ',' && end[-1] != ' ' && *end != ' ')
      end--;
    if (end == text)
      end = at > indent ? text : limit; /* a whole line is more */
    const bool blank = end > text && end[-1] == ' ';
    fwrite(text, 1, (size_t)(end - text) - blank, stream);
    text = end + strspn(end, " ");
    at = indent;
    if (!*text)
      break;
    fprintf(stream, "\n%*s", (int)indent, "");
  }
  fprintf(stream, "%s\n", text);
}

FILE *qn_page_begin(struct qn_page *page, FILE *stream) {
  *page = (struct qn_page){.stream = stream};
  /* A guarded stream has no descriptor to ask for (support/output_stream.h). */
  if (isatty(stream == stderr ? STDERR_FILENO : STDOUT_FILENO))
    page->text = open_memstream(&page->lines, &page->bytes);
  return page->text ? page->text : stream;
}

void qn_page_end(struct qn_page *page, unsigned indent) {
  if (!page->text)
    return;
  if (fclose(page->text) == 0) {
    char *rest = page->lines;
    while (rest && *rest) /* unlike strtok, strsep keeps empty lines */
      qn_text_fold(strsep(&rest, "\n"), 0, indent, qn_terminal_width(), page->stream);
  }
  free(page->lines);
}
