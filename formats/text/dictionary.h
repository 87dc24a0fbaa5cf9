/* Python dictionaries, as networkx writes the data of an edge: {'weight': 0.5, 'kind': 'road'}. */
#ifndef QN_FORMATS_TEXT_DICTIONARY_H
#define QN_FORMATS_TEXT_DICTIONARY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Is [begin, end) a dictionary, with all quotes and brackets closed? If it has the key "weight",
 * its value is [*weight, *weight_end); else both are NULL. */
bool qn_dictionary_weight(const char *begin, const char *end, const char **weight,
                          const char **weight_end);

#ifdef __cplusplus
}
#endif
#endif
