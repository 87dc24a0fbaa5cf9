/* What quern-info says of properties. */
#pragma once

#include <jansson.h>
#include <stdio.h>

/* Print a line for each column of what qn_properties_describe tells; a column need not say how many
 * nulls it has. */
void qn_properties_print(const json_t *properties, unsigned width, FILE *stream);
