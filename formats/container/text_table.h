/* Tables that fit the terminal. Widths are in characters; those of qn_terminal_width are meant. */
#pragma once

#include <jansson.h>
#include <stdio.h>

/* Print rows, each an array of as many strings, the first of them the titles, as columns with two
 * blanks between them. `alignment` has 'l' (left) or 'r' for each column. Columns that do not fit
 * follow on the next line, the same in all rows, and a cell that is wider than a line is broken. */
void qn_text_table_print(const json_t *rows, const char *alignment, unsigned width, FILE *stream);
