/* Strings of GML: characters that do not stand for themselves are entities, as in HTML. */
#ifndef QN_CONVERTERS_READERS_GML_TEXT_H
#define QN_CONVERTERS_READERS_GML_TEXT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Decode the entities of text[0 .. length) in place: &#252; &#xfc; and the five of XML. Others stay
 * as they are. The length that is left. */
uint64_t qn_gml_text_decode(char *text, uint64_t length);

#ifdef __cplusplus
}
#endif
#endif
