/* What the scanner of JSON takes, jansson takes too, and as the same edge. */
#include <stdlib.h>
#include <string.h>

#include "converters/readers/json_edge.h"
#include "helpers/random_numbers.h"
#include "helpers/test.h"

enum { MOST_BYTES = 160, TRIALS = 60000 };

static const char *const seeds[] = {
    "{\"source\":1,\"target\":2}",
    "{ \"source\" : \"a b\", \"target\":\"c\" , \"weight\": 0.5 }\r",
    "{\"u\":0,\"v\":10,\"w\":null,\"x\":\"y\",\"start\":3,\"end\":\"4\"}",
    "{\"src\":12345678901234567,\"dst\":0,\"value\":1.000,\"weight\":2}",
    "{\"from\":\"\",\"to\":\"\\u00e9\",\"weight\":-1e3}",
    "[\"a\",\"b\",1]",
    "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"source\":7,\"target\":8}",
    "{\"source\":\"\xc3\xa9\xe2\x82\xac\",\n\"target\":\"\xf0\x9f\x98\x80\",\"a\":true,\"w\":null,"
    "\"b\":false}",
    "{\"id\":\"a\",\"key\":7} ",
    "{\"name\":\"\xc3\xa9\",\"id\":12,\"x\":1.5}",
};
static const char bits[] = "{}[]\",:.0123456789eE+-\\ \t\n\xc3\xa9"
                           "nulsource";

/* A copy of a seed with some bytes changed, taken out or put in; in memory of its own length. */
static char *mutate(size_t *length) {
  char text[MOST_BYTES + 1];
  strcpy(text, seeds[random_below((uint32_t)(sizeof seeds / sizeof *seeds))]);
  *length = strlen(text);
  for (uint64_t changes = random_below(4); changes > 0 && *length > 0; changes--) {
    size_t at = random_below((uint32_t)*length);
    char c = bits[random_below(sizeof bits - 1)];
    switch (random_below(3)) {
    case 0:
      text[at] = c;
      break;
    case 1:
      memmove(text + at, text + at + 1, *length - at);
      --*length;
      break;
    default:
      memmove(text + at + 1, text + at, *length - at + 1);
      text[at] = c;
      ++*length;
    }
  }
  char *copy = malloc(*length + !*length);
  assert_non_null(copy);
  memcpy(copy, text, *length);
  return copy;
}

static void assert_same_text(const struct qn_json_text *a, const struct qn_json_text *b) {
  assert_int_equal(a->length, b->length);
  assert_memory_equal(a->begin, b->begin, a->length);
}

static double number_of(const struct qn_json_text *text) {
  char copy[MOST_BYTES + 1] = "";
  memcpy(copy, text->begin, text->length);
  return atof(copy);
}

static void assert_same_edge(const struct qn_json_edge *edge, const json_t *value) {
  struct qn_json_edge expected;
  assert_true(qn_json_edge_of(value, &expected));
  assert_same_text(&edge->source, &expected.source);
  assert_same_text(&edge->target, &expected.target);
  assert_memory_equal(&edge->ids, &expected.ids, sizeof edge->ids);
  assert_int_equal(edge->others, expected.others);
  assert_int_equal(edge->weight.begin != NULL, expected.weight.begin != NULL);
  if (edge->weight.begin)
    assert_true(number_of(&edge->weight) == number_of(&expected.weight));
}

static void assert_same_node(const struct qn_json_node *node, const json_t *value) {
  const json_t *id = json_object_get(value, "id");
  struct qn_json_text expected;
  char number[32];
  id = id ? id : json_object_get(value, "key");
  assert_int_equal(node->id.begin != NULL, id != NULL);
  assert_int_equal(node->others, json_object_size(value) > 1);
  if (id) {
    assert_true(qn_json_id(id, &expected, number));
    assert_same_text(&node->id, &expected);
    assert_int_equal(node->string, json_is_string(id));
  }
}

/* What ends at `behind`, as jansson has it. */
static json_t *load(const char *text, const char *behind) {
  json_t *value =
      json_loadb(text, (size_t)(behind - text), JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
  assert_true(json_is_object(value));
  return value;
}

TEST(test_scan_agrees) {
  unsigned edges = 0, nodes = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    struct qn_json_edge edge;
    struct qn_json_node node;
    size_t length;
    char *text = mutate(&length);
    const char *behind = qn_json_edge_scan(text, text + length, &edge);
    if (behind) {
      json_t *value = load(text, behind);
      assert_same_edge(&edge, value);
      assert_true(qn_json_may_be_edge(text, text + length));
      json_decref(value);
      edges++;
    }
    behind = qn_json_node_scan(text, text + length, &node);
    if (behind) {
      json_t *value = load(text, behind);
      assert_same_node(&node, value);
      json_decref(value);
      nodes++;
    }
    free(text);
  }
  assert_true(edges > TRIALS / 10 && nodes > TRIALS / 10);
}

/* What may be no edge is none. */
TEST(test_may_be_edge) {
  for (int trial = 0; trial < TRIALS; trial++) {
    struct qn_json_edge edge;
    size_t length;
    char *text = mutate(&length);
    json_t *value = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    if (json_is_object(value) && qn_json_edge_of(value, &edge))
      assert_true(qn_json_may_be_edge(text, text + length));
    json_decref(value);
    free(text);
  }
  static const char within[] = "{\"a\":{\"source\":1,\"target\":2}}";
  static const char escaped[] = " {\"s\\u006furce\":{},\"target\":2}";
  assert_false(qn_json_may_be_edge(within, within + sizeof within - 1));
  assert_true(qn_json_may_be_edge(escaped, escaped + sizeof escaped - 1));
}

TEST(test_scan_takes_what_is_usual) {
  struct qn_json_edge edge;
  for (int i = 0; i < 4; i++)
    assert_non_null(qn_json_edge_scan(seeds[i], seeds[i] + strlen(seeds[i]), &edge));
  assert_memory_equal(edge.weight.begin, "2", edge.weight.length); /* weight before value */
}

TEST_MAIN(NULL, NULL)
