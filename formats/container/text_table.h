/* Text that fits the terminal: tables, and lines that are broken where they are longer. Widths are
 * in characters; those of qn_tool_width are meant. */
#pragma once

#include <jansson.h>
#include <stdio.h>

/* Print rows, each an array of as many strings, the first of them the titles, as columns with two
 * blanks between them. `alignment` has 'l' (left) or 'r' for each column. Columns that do not fit
 * follow on the next line, the same in all rows, and a cell that is wider than a line is broken. */
void qn_text_table_print(const json_t *rows, const char *alignment, unsigned width, FILE *stream);

/* Print `text`, which begins at column `at`, and end the line. What is beyond `width` continues on
 * lines that are indented: it is broken behind a blank or a comma, or where the line ends. */
void qn_text_fold(const char *text, unsigned at, unsigned indent, unsigned width, FILE *stream);

/* How many characters there are. */
unsigned qn_text_width(const char *text);
