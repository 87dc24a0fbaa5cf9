#include "support/remote/profile.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

#define LINE_BYTES 4096

static enum qn_status copy(const char *value, char **out, struct qn_error *error) {
  enum qn_status status = qn_alloc(out, strlen(value) + 1, 1, "a setting of S3", error);
  if (!status)
    strcpy(*out, value);
  return status;
}

/* The first of two variables that is set, and not to nothing. */
static const char *variable(const char *name, const char *other) {
  const char *value = getenv(name);
  if (value && value[0])
    return value;
  return other ? variable(other, NULL) : NULL;
}

static enum qn_status take_variable(const char *name, const char *other, char **out,
                                    struct qn_error *error) {
  const char *value = variable(name, other);
  return value && !*out ? copy(value, out, error) : QN_OK;
}

/* ---- Files ------------------------------------------------------------------ */

/* Without white space at both ends. */
static char *trim(char *text) {
  text += strspn(text, " \t");
  size_t length = strlen(text);
  while (length && strchr(" \t\r\n", text[length - 1]))
    text[--length] = '\0';
  return text;
}

/* "[NAME]", or "[profile NAME]" as the file of settings has it. */
static bool is_heading_of(char *line, const char *name) {
  static const char word[] = "profile ";
  char *end = strchr(line, ']');
  if (!end)
    return false;
  *end = '\0';
  char *found = trim(line + 1);
  if (strncmp(found, word, sizeof word - 1) == 0)
    found = trim(found + sizeof word - 1);
  return strcmp(found, name) == 0;
}

static enum qn_status take_line(char *line, struct qn_profile *profile, struct qn_error *error) {
  const struct {
    const char *name;
    char **value;
  } settings[] = {{"aws_access_key_id", &profile->key},
                  {"aws_secret_access_key", &profile->secret},
                  {"aws_session_token", &profile->token},
                  {"region", &profile->region},
                  {"endpoint_url", &profile->endpoint}};
  char *equals = strchr(line, '=');
  if (!equals)
    return QN_OK;
  *equals = '\0';
  const char *name = trim(line), *value = trim(equals + 1);
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
    if (strcmp(name, settings[i].name) == 0 && value[0] && !*settings[i].value)
      return copy(value, settings[i].value, error);
  return QN_OK;
}

/* What the file says of the profile `name`, of settings that are not known yet. */
static enum qn_status read_file(const char *path, const char *name, struct qn_profile *profile,
                                bool *found, struct qn_error *error) {
  char line[LINE_BYTES];
  bool within = false;
  enum qn_status status = QN_OK;
  FILE *file = fopen(path, "re");
  while (file && !status && fgets(line, sizeof line, file)) {
    if (line[0] == '[') {
      within = is_heading_of(line, name);
      *found = *found || within;
    } else if (within && line[0] != '#' && line[0] != ';' && line[0] != ' ' && line[0] != '\t') {
      status = take_line(line, profile, error);
    }
  }
  explicit_bzero(line, sizeof line);
  if (file)
    fclose(file);
  return status;
}

static bool path_of(const char *variable_name, const char *file, char path[PATH_MAX]) {
  const char *named = variable(variable_name, NULL), *home = getenv("HOME");
  if (named)
    return snprintf(path, PATH_MAX, "%s", named) < PATH_MAX;
  return home && snprintf(path, PATH_MAX, "%s/.aws/%s", home, file) < PATH_MAX;
}

static enum qn_status read_files(struct qn_profile *profile, struct qn_error *error) {
  const char *chosen = variable("AWS_PROFILE", NULL), *name = chosen ? chosen : "default";
  char path[PATH_MAX];
  bool found = false;
  enum qn_status status = QN_OK;
  if (path_of("AWS_SHARED_CREDENTIALS_FILE", "credentials", path))
    status = read_file(path, name, profile, &found, error);
  if (!status && path_of("AWS_CONFIG_FILE", "config", path))
    status = read_file(path, name, profile, &found, error);
  if (!status && chosen && !found)
    status =
        qn_fail(error, QN_USAGE, "AWS_PROFILE is '%.100s', which no file of ~/.aws has", chosen);
  return status;
}

enum qn_status qn_profile_find(struct qn_profile *profile, struct qn_error *error) {
  *profile = (struct qn_profile){0};
  enum qn_status status =
      take_variable("AWS_REGION", "AWS_DEFAULT_REGION", &profile->region, error);
  if (!status)
    status = take_variable("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", &profile->endpoint, error);
  if (!status)
    status = take_variable("AWS_ACCESS_KEY_ID", NULL, &profile->key, error);
  if (!status && profile->key)
    status = take_variable("AWS_SECRET_ACCESS_KEY", NULL, &profile->secret, error);
  if (!status && profile->key)
    status = take_variable("AWS_SESSION_TOKEN", NULL, &profile->token, error);
  if (!status && profile->key && !profile->secret)
    status = qn_fail(error, QN_USAGE, "AWS_ACCESS_KEY_ID is set without AWS_SECRET_ACCESS_KEY");
  const bool by_variables = profile->key != NULL;
  struct qn_profile said = {0};
  if (!status)
    status = read_files(by_variables ? &said : profile, error);
  if (!status && by_variables) { /* of the files only what does not belong to another's key */
    if (!profile->region) {
      profile->region = said.region;
      said.region = NULL;
    }
    if (!profile->endpoint) {
      profile->endpoint = said.endpoint;
      said.endpoint = NULL;
    }
  }
  qn_profile_free(&said);
  if (!status && !profile->region)
    status = copy("us-east-1", &profile->region, error);
  if (status)
    qn_profile_free(profile);
  return status;
}

static void forget(char *secret) {
  if (secret)
    explicit_bzero(secret, strlen(secret));
  qn_free(secret);
}

void qn_profile_free(struct qn_profile *profile) {
  forget(profile->key);
  forget(profile->secret);
  forget(profile->token);
  qn_free(profile->region);
  qn_free(profile->endpoint);
  *profile = (struct qn_profile){0};
}
