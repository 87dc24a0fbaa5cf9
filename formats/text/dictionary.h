/* Python dictionaries, as networkx writes the data of an edge: {'weight': 0.5, 'kind': 'road'}. */
#pragma once

#include <stdbool.h>

/* Is [begin, end) a dictionary, with all quotes and brackets closed? If it has the key "weight",
 * its value is [*weight, *weight_end); else both are NULL. */
bool qn_dictionary_weight(const char *begin, const char *end, const char **weight,
                          const char **weight_end);
