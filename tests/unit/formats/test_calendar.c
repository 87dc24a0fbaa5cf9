/* Dates and times of day as text: a walk over centuries, the ends of the ranges, and what is none.
 */
#include <stdio.h>
#include <string.h>

#include "formats/text/calendar.h"
#include "helpers/test.h"

static const char *date_text(int32_t days) {
  static char text[48];
  *qn_put_date(text, days) = '\0';
  return text;
}

static const char *time_text(int64_t time, unsigned decimals, bool utc) {
  static char text[48];
  *qn_put_timestamp(text, time, decimals, utc) = '\0';
  return text;
}

/* Day after day, as calendars on walls have them. */
TEST(a_walk) {
  static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int32_t days = -135140; /* 1600-01-01 */
  for (int year = 1600; year < 2401; year++)
    for (int month = 0; month < 12; month++) {
      const bool leap = month == 1 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
      for (int day = 1; day <= lengths[month] + leap; day++, days++) {
        char expected[48];
        int32_t back;
        snprintf(expected, sizeof expected, "%04d-%02d-%02d", year, month + 1, day);
        if (strcmp(date_text(days), expected) != 0 || !qn_parse_date(expected, 10, &back) ||
            back != days)
          fail_msg("day %d is %s, not %s", days, date_text(days), expected);
      }
    }
}

TEST(known_ones) {
  static const struct {
    int64_t time;
    unsigned decimals;
    bool utc;
    const char *text;
  } cases[] = {
      {0, 0, false, "1970-01-01T00:00:00"},
      {-1, 3, true, "1969-12-31T23:59:59.999Z"},
      {1709211600250000, 6, false, "2024-02-29T13:00:00.250000"},
      {INT64_MAX, 9, false, "2262-04-11T23:47:16.854775807"},
      {INT64_MIN, 9, false, "1677-09-21T00:12:43.145224192"},
      {INT64_MAX, 6, true, "+294247-01-10T04:00:54.775807Z"},
      {INT64_MIN, 6, true, "-290308-12-21T19:59:05.224192Z"},
      {INT64_MAX, 3, false, "+292278994-08-17T07:12:55.807"},
      {INT64_MIN, 3, false, "-292275055-05-16T16:47:04.192"},
      {INT64_MAX, 0, true, "+292277026596-12-04T15:30:07Z"},
      {INT64_MIN, 0, true, "-292277022657-01-27T08:29:52Z"},
      {-62167219200, 0, false, "0000-01-01T00:00:00"},
      {-62167219201, 0, false, "-0001-12-31T23:59:59"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t back;
    assert_string_equal(time_text(cases[i].time, cases[i].decimals, cases[i].utc), cases[i].text);
    assert_true(qn_parse_timestamp(cases[i].text, strlen(cases[i].text), cases[i].decimals,
                                   cases[i].utc, &back));
    assert_int_equal(back, cases[i].time);
  }
  int32_t days;
  assert_string_equal(date_text(INT32_MAX), "+5881580-07-11");
  assert_string_equal(date_text(INT32_MIN), "-5877641-06-23");
  assert_true(qn_parse_date("+5881580-07-11", 14, &days) && days == INT32_MAX);
  assert_true(qn_parse_date("-5877641-06-23", 14, &days) && days == INT32_MIN);
}

TEST(other_spellings) {
  static const struct {
    const char *text;
    unsigned decimals;
    bool utc;
    int64_t time;
  } cases[] = {{"1970-01-02", 0, false, 86400},
               {"1970-01-02", 3, true, 86400000},
               {"1970-01-01 01:00", 0, false, 3600},
               {"1970-01-01T00:00:01.5", 3, false, 1500},
               {"1970-01-01T00:00:01.500000000000000000000", 3, false, 1500},
               {"1970-01-01T01:00:00+01:00", 0, true, 0},
               {"1969-12-31T23:30-0030", 0, true, 0},
               {"1970-01-01 05:00:00+05", 0, true, 0},
               {"+1970-01-01T00:00Z", 9, true, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t found;
    if (!qn_parse_timestamp(cases[i].text, strlen(cases[i].text), cases[i].decimals, cases[i].utc,
                            &found) ||
        found != cases[i].time)
      fail_msg("%s", cases[i].text);
  }
}

TEST(none) {
  static const char *const dates[] = {"",
                                      "1970",
                                      "1970-1-1",
                                      "1970-13-01",
                                      "1970-00-01",
                                      "1970-01-00",
                                      "1970-01-32",
                                      "2023-02-29",
                                      "1900-02-29",
                                      "70-01-01",
                                      "10000-01-01",
                                      "1970-01-01 ",
                                      " 1970-01-01",
                                      "1970/01/01",
                                      "1970-01-01T00:00",
                                      "+5881580-07-12",
                                      "-5877641-06-22",
                                      "+99999999999999999999-01-01",
                                      "x",
                                      "-",
                                      "+"};
  static const char *const times[] = {
      "",
      "1970-01-01T",
      "1970-01-01T1",
      "1970-01-01T24:00",
      "1970-01-01T00:60",
      "1970-01-01T00:00:60",
      "1970-01-01T00:00:00.",
      "1970-01-01T00:00:00.1234",
      "1970-01-01T00:00:00Z",
      "1970-01-01T00:00:00+01:00",
      "1970-01-01  00:00",
      "1970-01-01t00:00",
      "+292278994-08-17T07:12:55.808",
      "-292275055-05-16T16:47:04.191",
      "1970-01-01T00:00 x",
  };
  static const char *const instants[] = {"1970-01-01T00:00",        "1970-01-01T00:00z",
                                         "1970-01-01T00:00+24:00",  "1970-01-01T00:00+01:60",
                                         "1970-01-01T00:00+1",      "1970-01-01T00:00+01:",
                                         "1970-01-01T00:00ZZ",      "1970-01-01T00:00[UTC]",
                                         "1970-01-01T00:00+01:00Z", "1970-01-01Z"};
  int32_t days;
  int64_t time;
  for (size_t i = 0; i < sizeof dates / sizeof *dates; i++)
    if (qn_parse_date(dates[i], strlen(dates[i]), &days))
      fail_msg("%s", dates[i]);
  for (size_t i = 0; i < sizeof times / sizeof *times; i++)
    if (qn_parse_timestamp(times[i], strlen(times[i]), 3, false, &time))
      fail_msg("%s", times[i]);
  for (size_t i = 0; i < sizeof instants / sizeof *instants; i++)
    if (qn_parse_timestamp(instants[i], strlen(instants[i]), 3, true, &time))
      fail_msg("%s", instants[i]);
}

TEST_MAIN(NULL, NULL)
