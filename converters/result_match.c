#include "converters/result_match.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/input/input.h"
#include "support/input/whole_input.h"
#include "support/memory.h"

/* Longer values are no numbers. */
#define MAX_VALUE_TEXT 64

struct text {
  const char *begin;
  uint64_t length;
};

struct entry {
  struct text vertex, value;
};

struct file {
  const char *path;
  struct qn_input *input;
  struct qn_whole_input whole;
  struct entry *entries;
  uint64_t num_entries;
};

/* ---- Files ---------------------------------------------------------------- */

/* Nothing is what a graph without vertices has, but no input. */
static bool is_empty(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 0;
}

static enum qn_status take_file(struct file *file, struct qn_error *error) {
  if (is_empty(file->path))
    return QN_OK;
  enum qn_status status = qn_input_open(file->path, &QN_INPUT_DEFAULTS, &file->input, error);
  return status ? status : qn_whole_input_take(file->input, &file->whole, error);
}

static void release(struct file *file) {
  qn_whole_input_release(&file->whole);
  qn_input_close(file->input);
  qn_free(file->entries);
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/* The value is the last word; names of vertices may have blanks in them. */
static bool parse_line(const char *begin, const char *end, struct entry *entry) {
  while (end > begin && is_blank(end[-1]))
    end--;
  const char *value = end;
  while (value > begin && !is_blank(value[-1]))
    value--;
  const char *vertex_end = value;
  while (vertex_end > begin && is_blank(vertex_end[-1]))
    vertex_end--;
  *entry =
      (struct entry){{begin, (uint64_t)(vertex_end - begin)}, {value, (uint64_t)(end - value)}};
  return vertex_end > begin && value < end;
}

static uint64_t count_lines(const struct file *file) {
  uint64_t lines = 0;
  for (uint64_t i = 0; i < file->whole.bytes; i++)
    lines += file->whole.data[i] == '\n';
  return lines + (file->whole.bytes > 0 && file->whole.data[file->whole.bytes - 1] != '\n');
}

static enum qn_status index_lines(struct file *file, struct qn_error *error) {
  uint64_t lines = count_lines(file);
  const char *line = file->whole.data, *file_end = line + file->whole.bytes;
  enum qn_status status =
      qn_alloc(&file->entries, lines, sizeof *file->entries, "the lines of a result", error);
  if (status)
    return status;
  for (uint64_t i = 0; i < lines; i++) {
    const char *newline = memchr(line, '\n', (size_t)(file_end - line));
    const char *end = newline ? newline : file_end;
    if (!parse_line(line, end, &file->entries[i])) {
      qn_fail(error, QN_INVALID, "expected a vertex and its value");
      return qn_error_at_line(error, file->path, i + 1, 1);
    }
    line = newline ? newline + 1 : file_end;
  }
  file->num_entries = lines;
  return QN_OK;
}

static int compare_texts(const struct text *a, const struct text *b) {
  uint64_t length = a->length < b->length ? a->length : b->length;
  int order = memcmp(a->begin, b->begin, length);
  return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int compare_vertices(const void *a, const void *b) {
  return compare_texts(&((const struct entry *)a)->vertex, &((const struct entry *)b)->vertex);
}

static enum qn_status fail_at(const struct file *file, const struct text *text,
                              struct qn_error *error, const char *what) {
  uint64_t line = 1;
  for (const char *p = file->whole.data; p < text->begin; p++)
    line += *p == '\n';
  qn_fail(error, QN_INVALID, "%s: '%.*s'", what,
          (int)(text->length < MAX_VALUE_TEXT ? text->length : MAX_VALUE_TEXT), text->begin);
  return qn_error_at_line(error, file->path, line, 1);
}

/* Bring both into the same order, unless they are in it. */
static enum qn_status sort_both(struct file *a, struct file *b, struct qn_error *error) {
  struct file *const files[] = {a, b};
  bool same = a->num_entries == b->num_entries;
  for (uint64_t i = 0; same && i < a->num_entries; i++)
    same = compare_vertices(&a->entries[i], &b->entries[i]) == 0 &&
           (i == 0 || compare_vertices(&a->entries[i - 1], &a->entries[i]) < 0);
  for (int f = 0; !same && f < 2; f++) {
    qsort(files[f]->entries, files[f]->num_entries, sizeof(struct entry), compare_vertices);
    for (uint64_t i = 1; i < files[f]->num_entries; i++)
      if (compare_vertices(&files[f]->entries[i - 1], &files[f]->entries[i]) == 0)
        return fail_at(files[f], &files[f]->entries[i].vertex, error,
                       "a vertex has more than one line");
  }
  return QN_OK;
}

/* ---- Values --------------------------------------------------------------- */

struct value {
  bool whole;
  uint64_t number; /* if whole */
  double real;     /* infinite for a vertex that was not reached */
};

static bool is_word(const struct text *text, const char *word) {
  return text->length == strlen(word) && memcmp(text->begin, word, text->length) == 0;
}

/* 2^63-1 is how the benchmark writes the depth of a vertex that was not reached. */
static bool parse_value(const struct text *text, struct value *value) {
  char copy[MAX_VALUE_TEXT + 1], *end;
  *value = (struct value){.real = INFINITY};
  if (is_word(text, "inf") || is_word(text, "Infinity") || is_word(text, "infinity") ||
      is_word(text, "9223372036854775807"))
    return true;
  if (text->length > MAX_VALUE_TEXT)
    return false;
  memcpy(copy, text->begin, text->length);
  copy[text->length] = 0;
  value->whole = strspn(copy, "0123456789") == text->length;
  if (value->whole) {
    errno = 0;
    value->number = strtoull(copy, &end, 10);
    value->whole = errno == 0;
  }
  value->real = strtod(copy, &end);
  return *end == 0 && isfinite(value->real);
}

static bool values_match(const struct value *expected, const struct value *found,
                         enum qn_match_rule rule, double epsilon) {
  if (isinf(expected->real) || isinf(found->real))
    return isinf(expected->real) && isinf(found->real);
  if (rule == QN_MATCH_EPSILON)
    return fabs(expected->real - found->real) <= epsilon * fabs(expected->real);
  if (expected->whole && found->whole)
    return expected->number == found->number;
  return expected->real == found->real;
}

static enum qn_match_rule rule_for(const struct file *reference) {
  for (uint64_t i = 0; i < reference->num_entries; i++) {
    const struct text *value = &reference->entries[i].value;
    for (uint64_t c = 0; c < value->length; c++)
      if (value->begin[c] == '.' || value->begin[c] == 'e' || value->begin[c] == 'E')
        return QN_MATCH_EPSILON;
  }
  return QN_MATCH_EXACT;
}

/* ---- Matching ------------------------------------------------------------- */

static void copy_text(char out[64], const struct text *text) {
  snprintf(out, 64, "%.*s", (int)(text->length < 63 ? text->length : 63), text->begin);
}

static void list(struct qn_match_report *report, const struct entry *expected,
                 const struct entry *found) {
  if (report->num_listed == QN_MATCH_LISTED)
    return;
  struct qn_mismatch *mismatch = &report->listed[report->num_listed++];
  memset(mismatch, 0, sizeof *mismatch);
  copy_text(mismatch->vertex, &(expected ? expected : found)->vertex);
  if (expected)
    copy_text(mismatch->expected, &expected->value);
  if (found)
    copy_text(mismatch->found, &found->value);
}

/* A vertex in both files. */
struct pair {
  const struct entry *expected, *found;
};

static enum qn_status match_values(const struct file *reference, const struct file *result,
                                   const struct pair *pairs, uint64_t count, double epsilon,
                                   struct qn_match_report *report, struct qn_error *error) {
  for (uint64_t i = 0; i < count; i++) {
    struct value expected, found;
    if (!parse_value(&pairs[i].expected->value, &expected))
      return fail_at(reference, &pairs[i].expected->value, error, "expected a number");
    if (!parse_value(&pairs[i].found->value, &found))
      return fail_at(result, &pairs[i].found->value, error, "expected a number");
    if (values_match(&expected, &found, report->rule, epsilon))
      continue;
    report->num_different++;
    list(report, pairs[i].expected, pairs[i].found);
  }
  return QN_OK;
}

static int by_expected(const void *a, const void *b) {
  const struct pair *first = a, *second = b;
  int order = compare_texts(&first->expected->value, &second->expected->value);
  return order ? order : compare_texts(&first->expected->vertex, &second->expected->vertex);
}

static int by_found(const void *a, const void *b) {
  const struct pair *first = a, *second = b;
  int order = compare_texts(&first->found->value, &second->found->value);
  return order ? order : compare_texts(&first->expected->vertex, &second->expected->vertex);
}

/* In a group of one side, whose first vertex stands for it, all must be in one group of the other
 * side; then the same the other way round. */
static void match_groups(struct pair *pairs, uint64_t count, struct qn_match_report *report) {
  for (int side = 0; side < 2; side++) {
    qsort(pairs, count, sizeof *pairs, side ? by_found : by_expected);
    const struct pair *group = pairs;
    for (uint64_t i = 0; i < count; i++) {
      const struct pair *pair = &pairs[i];
      bool same_expected = compare_texts(&pair->expected->value, &group->expected->value) == 0;
      bool same_found = compare_texts(&pair->found->value, &group->found->value) == 0;
      if (same_expected && same_found)
        continue;
      if (!(side ? same_found : same_expected)) {
        group = pair;
        continue;
      }
      report->num_different++;
      list(report, pair->expected, pair->found);
    }
  }
}

/* Pair the vertices of both sorted files; the others are counted. */
static uint64_t pair_up(const struct file *reference, const struct file *result, struct pair *pairs,
                        struct qn_match_report *report) {
  uint64_t i = 0, j = 0, count = 0;
  while (i < reference->num_entries || j < result->num_entries) {
    const struct entry *expected = i < reference->num_entries ? &reference->entries[i] : NULL;
    const struct entry *found = j < result->num_entries ? &result->entries[j] : NULL;
    int order = !expected ? 1 : !found ? -1 : compare_vertices(expected, found);
    i += order <= 0;
    j += order >= 0;
    if (order == 0) {
      pairs[count++] = (struct pair){expected, found};
      continue;
    }
    report->num_missing += order < 0;
    report->num_unknown += order > 0;
    list(report, order < 0 ? expected : NULL, order > 0 ? found : NULL);
  }
  return count;
}

static enum qn_status match_files(struct file *reference, struct file *result, double epsilon,
                                  struct qn_match_report *report, struct qn_error *error) {
  struct pair *pairs = NULL;
  enum qn_status status;
  if ((status = sort_both(reference, result, error)) ||
      (status = qn_alloc(&pairs, reference->num_entries, sizeof *pairs, "pairs of values", error)))
    return status;
  uint64_t count = pair_up(reference, result, pairs, report);
  if (report->rule == QN_MATCH_EQUIVALENCE)
    match_groups(pairs, count, report);
  else
    status = match_values(reference, result, pairs, count, epsilon, report, error);
  qn_free(pairs);
  return status;
}

enum qn_status qn_result_match(const char *reference, const char *result, enum qn_match_rule rule,
                               double epsilon, struct qn_match_report *report,
                               struct qn_error *error) {
  struct file expected = {.path = reference}, found = {.path = result};
  *report = (struct qn_match_report){.rule = rule};
  enum qn_status status = take_file(&expected, error);
  if (!status)
    status = take_file(&found, error);
  if (!status)
    status = index_lines(&expected, error);
  if (!status)
    status = index_lines(&found, error);
  if (!status) {
    report->num_vertices = expected.num_entries;
    if (rule == QN_MATCH_AUTO)
      report->rule = rule_for(&expected);
    status = match_files(&expected, &found, epsilon, report, error);
  }
  status = qn_input_unwritten(expected.input, status, error);
  status = qn_input_unwritten(found.input, status, error);
  release(&expected);
  release(&found);
  return status;
}
