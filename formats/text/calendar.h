/* Dates and times of day as ISO 8601 writes them, in the proleptic Gregorian calendar: 2024-02-29,
 * and 2024-02-29T12:00:00.250. Years have four digits, or a sign and four or more. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Put a date, days after 1970-01-01, at `p`, where there is room as for a number (text_format.h);
 * the end of what was put. */
char *qn_put_date(char *p, int32_t days);
/* A time in seconds of which `decimals` digits (0 to 9) come behind the point, since 1970-01-01
 * 00:00:00; `utc` puts a Z behind it. */
char *qn_put_timestamp(char *p, int64_t time, unsigned decimals, bool utc);

/* Parse text[0 .. length); false if it is not such a date, or out of range. */
bool qn_parse_date(const char *text, uint64_t length, int32_t *days);
/* A date, 'T' or a space, and hh:mm[:ss[.digits]], of which digits beyond `decimals` are zero; or a
 * date alone, which is its midnight. `utc`: then comes Z or an offset, +hh:mm, which is taken off;
 * else neither. */
bool qn_parse_timestamp(const char *text, uint64_t length, unsigned decimals, bool utc,
                        int64_t *time);
