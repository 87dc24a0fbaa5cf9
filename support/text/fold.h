/* Lines that are broken where they are longer than the terminal is wide. Widths are in characters;
 * those of qn_terminal_width are meant. */
#pragma once

#include <stdio.h>

/* How many characters there are. */
unsigned qn_text_width(const char *text);

/* Behind so many characters, or at the end. */
const char *qn_text_skip(const char *text, unsigned characters);

/* Print `text`, which begins at column `at`, and end the line. What is beyond `width` continues on
 * lines that are indented: it is broken behind a blank or a comma, or where the line ends. */
void qn_text_fold(const char *text, unsigned at, unsigned indent, unsigned width, FILE *stream);

/* A page that is folded where its stream, standard output or standard error, is a terminal; files
 * and pipes get its lines as they are. */
struct qn_page {
  FILE *stream, *text;
  char *lines;
  size_t bytes;
};

/* Where to print the page that `stream` shall show. */
FILE *qn_page_begin(struct qn_page *page, FILE *stream);

/* Show it. Lines continue at column `indent`. */
void qn_page_end(struct qn_page *page, unsigned indent);
