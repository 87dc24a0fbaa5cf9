/* Strings of GML: characters that do not stand for themselves are entities, as in HTML. */
#pragma once

#include <stdint.h>

/* Decode the entities of text[0 .. length) in place: &#252; &#xfc; and the five of XML. Others stay
 * as they are. The length that is left. */
uint64_t qn_gml_text_decode(char *text, uint64_t length);
