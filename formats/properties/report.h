/* What quern-info says of properties. */
#ifndef QN_FORMATS_PROPERTIES_REPORT_H
#define QN_FORMATS_PROPERTIES_REPORT_H

#include <jansson.h>
#include <stdio.h>

/* Print a line for each column of what qn_properties_describe tells; a column need not say how many
 * nulls it has. */
void qn_properties_print(const json_t *properties, FILE *stream);

#endif
