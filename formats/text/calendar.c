#include "formats/text/calendar.h"

#include "formats/text/text_format.h"

#define DAY_SECONDS 86400
#define ERA_DAYS 146097     /* the calendar repeats after 400 years */
#define DAYS_TO_1970 719468 /* from 0000-03-01, with which years begin here: leap days end them */
#define MOST_YEAR 300000000000 /* no time in 64 bits is so late */

static const int64_t tens[] = {1,      10,      100,      1000,      10000,
                               100000, 1000000, 10000000, 100000000, 1000000000};

/* Rounded down. */
static int64_t quotient(int64_t a, int64_t b) {
  return a / b - (a % b < 0);
}

/* ---- The calendar --------------------------------------------------------- */

struct date {
  int64_t year;
  unsigned month, day; /* from 1 */
};

static struct date date_of(int64_t days) {
  days += DAYS_TO_1970;
  const int64_t era = quotient(days, ERA_DAYS);
  const unsigned of_era = (unsigned)(days - era * ERA_DAYS);
  const unsigned year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const unsigned of_year = of_era - (365 * year + year / 4 - year / 100);
  const unsigned month = (5 * of_year + 2) / 153; /* from March on */
  return (struct date){.year = 400 * era + year + (month >= 10),
                       .month = month < 10 ? month + 3 : month - 9,
                       .day = of_year - (153 * month + 2) / 5 + 1};
}

static int64_t days_of(const struct date *date) {
  const int64_t year = date->year - (date->month <= 2), era = quotient(year, 400);
  const unsigned of_era = (unsigned)(year - 400 * era);
  const unsigned month = date->month > 2 ? date->month - 3 : date->month + 9;
  const unsigned of_year = (153 * month + 2) / 5 + date->day - 1;
  return era * ERA_DAYS + 365 * of_era + of_era / 4 - of_era / 100 + of_year - DAYS_TO_1970;
}

static bool is_date(const struct date *date) {
  static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (date->month < 1 || date->month > 12)
    return false;
  const bool leap = date->year % 4 == 0 && (date->year % 100 != 0 || date->year % 400 == 0);
  return date->day >= 1 &&
         date->day <= (unsigned)(days[date->month - 1] + (date->month == 2 && leap));
}

/* ---- Writing -------------------------------------------------------------- */

static char *put_digits(char *p, uint64_t value, unsigned digits) {
  for (unsigned i = digits; i > 0; i--, value /= 10)
    p[i - 1] = (char)('0' + value % 10);
  return p + digits;
}

static char *put_days(char *p, int64_t days) {
  const struct date date = date_of(days);
  const uint64_t year = date.year < 0 ? 0 - (uint64_t)date.year : (uint64_t)date.year;
  if (date.year < 0 || year > 9999)
    *p++ = date.year < 0 ? '-' : '+';
  p = year > 9999 ? qn_put_u64(p, year) : put_digits(p, year, 4);
  *p++ = '-';
  p = put_digits(p, date.month, 2);
  *p++ = '-';
  return put_digits(p, date.day, 2);
}

char *qn_put_date(char *p, int32_t days) {
  return put_days(p, days);
}

char *qn_put_timestamp(char *p, int64_t time, unsigned decimals, bool utc) {
  const int64_t seconds = quotient(time, tens[decimals]), days = quotient(seconds, DAY_SECONDS);
  /* Days and seconds that are rounded down may be below all numbers, once they are multiplied. */
  const uint64_t of_day = (uint64_t)seconds - (uint64_t)days * DAY_SECONDS;
  const uint64_t fraction = (uint64_t)time - (uint64_t)seconds * (uint64_t)tens[decimals];
  p = put_days(p, days);
  *p++ = 'T';
  p = put_digits(p, of_day / 3600, 2);
  *p++ = ':';
  p = put_digits(p, of_day / 60 % 60, 2);
  *p++ = ':';
  p = put_digits(p, of_day % 60, 2);
  if (decimals) {
    *p++ = '.';
    p = put_digits(p, fraction, decimals);
  }
  if (utc)
    *p++ = 'Z';
  return p;
}

/* ---- Reading -------------------------------------------------------------- */

/* What is left of a text. */
struct cursor {
  const char *p, *end;
};

static bool take(struct cursor *cursor, char c) {
  const bool found = cursor->p < cursor->end && *cursor->p == c;
  cursor->p += found;
  return found;
}

/* As many digits as are wanted, which are below `bound`. */
static bool take_digits(struct cursor *cursor, unsigned digits, unsigned bound, unsigned *value) {
  *value = 0;
  for (unsigned i = 0; i < digits; i++, cursor->p++) {
    if (cursor->p == cursor->end || *cursor->p < '0' || *cursor->p > '9')
      return false;
    *value = 10 * *value + (unsigned)(*cursor->p - '0');
  }
  return *value < bound;
}

static bool take_year(struct cursor *cursor, int64_t *year) {
  const bool negative = take(cursor, '-'), is_signed = negative || take(cursor, '+');
  unsigned digits = 0;
  *year = 0;
  for (; cursor->p < cursor->end && *cursor->p >= '0' && *cursor->p <= '9'; cursor->p++, digits++)
    if ((*year = 10 * *year + (*cursor->p - '0')) > MOST_YEAR)
      return false;
  *year = negative ? -*year : *year;
  return is_signed ? digits >= 4 : digits == 4;
}

static bool take_date(struct cursor *cursor, int64_t *days) {
  struct date date;
  if (!take_year(cursor, &date.year) || !take(cursor, '-') ||
      !take_digits(cursor, 2, 13, &date.month) || !take(cursor, '-') ||
      !take_digits(cursor, 2, 32, &date.day) || !is_date(&date))
    return false;
  *days = days_of(&date);
  return true;
}

/* Behind the point, in units of the last decimal. */
static bool take_fraction(struct cursor *cursor, unsigned decimals, int64_t *fraction) {
  unsigned digits = 0;
  *fraction = 0;
  for (; cursor->p < cursor->end && *cursor->p >= '0' && *cursor->p <= '9'; cursor->p++, digits++)
    if (digits < decimals)
      *fraction += (*cursor->p - '0') * tens[decimals - digits - 1];
    else if (*cursor->p != '0')
      return false;
  return digits > 0;
}

/* Z, or hours and minutes that the time is ahead of UTC. */
static bool take_offset(struct cursor *cursor, int64_t *seconds) {
  unsigned hours, minutes = 0;
  *seconds = 0;
  if (take(cursor, 'Z'))
    return true;
  const bool negative = take(cursor, '-');
  if (!negative && !take(cursor, '+'))
    return false;
  if (!take_digits(cursor, 2, 24, &hours) ||
      (cursor->p < cursor->end && (take(cursor, ':'), !take_digits(cursor, 2, 60, &minutes))))
    return false;
  *seconds = (negative ? -60 : 60) * (int64_t)(60 * hours + minutes);
  return true;
}

bool qn_parse_date(const char *text, uint64_t length, int32_t *days) {
  struct cursor cursor = {text, text + length};
  int64_t found;
  if (!take_date(&cursor, &found) || cursor.p != cursor.end || found < INT32_MIN ||
      found > INT32_MAX)
    return false;
  *days = (int32_t)found;
  return true;
}

bool qn_parse_timestamp(const char *text, uint64_t length, unsigned decimals, bool utc,
                        int64_t *time) {
  struct cursor cursor = {text, text + length};
  int64_t days, offset = 0, fraction = 0, seconds = 0;
  unsigned hour, minute, second = 0;
  if (!take_date(&cursor, &days))
    return false;
  if (cursor.p < cursor.end) {
    if ((!take(&cursor, 'T') && !take(&cursor, ' ')) || !take_digits(&cursor, 2, 24, &hour) ||
        !take(&cursor, ':') || !take_digits(&cursor, 2, 60, &minute))
      return false;
    if (take(&cursor, ':') && !take_digits(&cursor, 2, 60, &second))
      return false;
    if (take(&cursor, '.') && !take_fraction(&cursor, decimals, &fraction))
      return false;
    if (utc && !take_offset(&cursor, &offset))
      return false;
    seconds = 3600 * (int64_t)hour + 60 * (int64_t)minute + second - offset;
  }
  /* The least times are a fraction ahead of a second that is out of range. */
  __int128 all = ((__int128)days * DAY_SECONDS + seconds) * tens[decimals] + fraction;
  *time = (int64_t)all;
  return cursor.p == cursor.end && all == *time;
}
