/* What is told of URLs, and what answers of servers say. */
#include "helpers/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/remote/address.h"
#include "support/remote/multipart.h"
#include "support/remote/version.h"

static void shows(const char *url, const char *expected) {
  char text[QN_PATH_SHOWN];
  assert_string_equal(qn_path_shown(url, text, sizeof text), expected);
}

TEST(what_is_secret_is_not_shown) {
  shows("https://me:pass@word@host:81/a/b.qrn?X-Amz-Signature=1#x", "https://host:81/a/b.qrn");
  shows("http://host?secret", "http://host");
  shows("http://host/a@b/c:d", "http://host/a@b/c:d");
  shows("HTTPS://u@host", "HTTPS://host");
  shows("s3://bucket/a?b#c@d", "s3://bucket/a?b#c@d");
  shows("/a/b?c", "/a/b?c");
  char small[12];
  assert_string_equal(qn_path_shown("https://u:p@host/long", small, sizeof small), "https://hos");
}

TEST(what_is_a_url) {
  assert_true(qn_is_url("S3://b/k"));
  assert_true(qn_is_url("https://h"));
  assert_false(qn_is_url("ftp://h"));
  assert_false(qn_is_url("http:/h"));
  assert_false(qn_is_url(""));
}

static void names_member(const char *url, const char *member) {
  const char *colon = qn_url_member(url);
  if (member)
    assert_string_equal(colon, member);
  else
    assert_null(colon);
}

TEST(members_of_archives_are_told_from_ports_and_colons) {
  names_member("https://h:80/a.tar:b:c", ":b:c");
  names_member("https://h:80/a:b/c.TAR.gz:d", ":d");
  names_member("s3://b/x.zip:y", ":y");
  names_member("https://h:80/a.tar", NULL);
  names_member("https://h:80/a.tar:", NULL);
  names_member("https://h.tar:80/x", NULL);
  names_member("https://h/a.txt:b", NULL);
}

static void is_range(const char *text, bool expected) {
  uint64_t first = 0, last = 0, total = 0;
  assert_int_equal(qn_content_range(text, &first, &last, &total), expected);
  if (expected)
    assert_true(first <= last && last < total);
}

TEST(ranges) {
  is_range("bytes 0-0/1", true);
  is_range("bytes 5-9/18446744073709551615", true);
  is_range("bytes 5-4/10", false);
  is_range("bytes 5-10/10", false);
  is_range("bytes 0-9/*", false);
  is_range("bytes */10", false);
  is_range("bytes 0-9/10 ", false);
  is_range("0-9/10", false);
  is_range("", false);
}

/* Are these the ranges [2, 5) and [7, 8) of ten bytes, however they are cut on the way? */
static bool gives_parts(const char *type, const char *text) {
  const size_t length = strlen(text);
  bool all = true;
  for (size_t cut = 0; cut <= length; cut++) {
    char first[3] = "", second[1] = "";
    const struct qn_part parts[] = {{first, 2, 3}, {second, 7, 1}};
    struct qn_multipart multipart;
    const bool taken = qn_multipart_begin(&multipart, type, parts, 2, 10) &&
                       qn_multipart_take(&multipart, text, cut) &&
                       qn_multipart_take(&multipart, text + cut, length - cut) &&
                       qn_multipart_is_complete(&multipart);
    if (taken && (memcmp(first, "c\re", 3) != 0 || second[0] != '-'))
      fail_msg("the bytes of the parts are wrong");
    all = all && taken;
  }
  return all;
}

TEST(several_ranges_at_once) {
  static const char type[] = "multipart/byteranges; boundary=x";
  const char *sound = "\r\n--x\r\nContent-Type: a/b\r\nCONTENT-RANGE:bytes 2-4/10\r\n\r\nc\re\r\n"
                      "--x\r\nContent-Range: bytes 7-7/10\r\n\r\n-\r\n--x--\r\nafter it";
  assert_true(gives_parts(type, sound));
  assert_true(gives_parts("Multipart/ByteRanges; Boundary=\"x\"", sound));
  assert_false(gives_parts("multipart/mixed; boundary=x", sound));
  assert_false(gives_parts("multipart/byteranges; boundary=y", sound));
  assert_false(gives_parts("multipart/byteranges; boundary=\"\"", sound));
  assert_false(gives_parts("multipart/byteranges", sound));
  static const char *const others[][2] = {{"--x\r\n", "--xx\r\n"},
                                          {"2-4/10", "2-5/10"},
                                          {"2-4/10", "1-3/10"},
                                          {"2-4/10", "2-4/11"},
                                          {"7-7/10", "2-4/10"},
                                          {"7-7/10", "7-7/*"},
                                          {"CONTENT-RANGE", "Content-Rang"},
                                          {"-\r\n--x--", "--x--"},
                                          {"--x\r\nContent-R", "--x--\r\nonten"},
                                          {"Content-Type: a/b", "Content-Range: bytes 2-4/10"}};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    char text[400];
    const char *at = strstr(sound, others[i][0]);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - sound), sound, others[i][1],
             at + strlen(others[i][0]));
    assert_false(gives_parts(type, text));
  }
}

TEST(versions) {
  struct qn_version version;
  struct qn_http_answer answer = {.etag = "\"a\"", .modified = "Monday"};
  qn_version_take(&version, &answer, 10);
  assert_true(qn_version_can_tell(&version) && qn_version_is(&version, &answer));
  answer.etag[1] = 'b';
  assert_false(qn_version_is(&version, &answer));
  answer = (struct qn_http_answer){.etag = "W/\"a\"", .modified = "Monday"};
  qn_version_take(&version, &answer, 10); /* a weak one is no promise of the same bytes */
  assert_string_equal(version.etag, "");
  assert_true(qn_version_can_tell(&version) && qn_version_is(&version, &answer));
  answer.modified[0] = 'S';
  assert_false(qn_version_is(&version, &answer));
  answer = (struct qn_http_answer){.code = 200};
  qn_version_take(&version, &answer, 10);
  assert_false(qn_version_can_tell(&version));
}

static void s3_is_at(const char *name, const char *expected) {
  struct qn_address address;
  struct qn_error error;
  assert_int_equal(qn_address_parse(name, &address, &error), QN_OK);
  assert_string_equal(address.url, expected);
  assert_string_equal(address.name, name);
  qn_address_free(&address);
}

TEST(where_objects_of_s3_are) {
  static const char *const variables[] = {
      "AWS_REGION",        "AWS_DEFAULT_REGION",         "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3",
      "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",      "AWS_PROFILE",      "AWS_CONFIG_FILE",
      "AWS_SESSION_TOKEN", "AWS_SHARED_CREDENTIALS_FILE"};
  struct qn_address address;
  struct qn_error error;
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
    unsetenv(variables[i]);
  setenv("HOME", "/nowhere", 1);
  s3_is_at("s3://bucket/a b", "https://bucket.s3.us-east-1.amazonaws.com/a%20b");
  setenv("AWS_REGION", "eu-west-3", 1);
  s3_is_at("s3://dot.ted/k?#%", "https://s3.eu-west-3.amazonaws.com/dot.ted/k%3F%23%25");
  setenv("AWS_ENDPOINT_URL", "http://localhost:9/", 1);
  s3_is_at("s3://bucket/k/l", "http://localhost:9/bucket/k/l");
  setenv("AWS_ENDPOINT_URL", "file:///etc", 1);
  assert_int_equal(qn_address_parse("s3://bucket/k", &address, &error), QN_USAGE);
  setenv("AWS_ENDPOINT_URL", "http://localhost", 1);
  setenv("AWS_REGION", "eu@evil/", 1);
  assert_int_equal(qn_address_parse("s3://bucket/k", &address, &error), QN_USAGE);
  assert_int_equal(qn_address_parse("s3://b@d/k", &address, &error), QN_USAGE);
  assert_int_equal(qn_address_parse("https://h/a\nb", &address, &error), QN_USAGE);
}

TEST_MAIN(NULL, NULL)
