/* RO-Crate 1.1: the file, what it was made of, and the tools that made it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/json_text.h"
#include "tools/info/described.h"

static json_t *reference(const char *id) {
  return json_pack("{s:s}", "@id", id);
}

static json_t *reference_to_file(const char *before, const char *name) {
  return json_pack("{s:o}", "@id", qn_described_id(before, name));
}

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

/* What the tools read, each a file that is not in the crate. */
static json_t *add_sources(const struct qn_described *described, json_t *graph) {
  json_t *list = json_array(), *file;
  size_t index;
  json_array_foreach(json_object_get(described->made, "files"), index, file) {
    json_t *id = qn_described_id("#", text_of(file, "name"));
    const json_int_t bytes = json_integer_value(json_object_get(file, "bytes"));
    json_array_append_new(list, json_pack("{s:O}", "@id", id));
    json_array_append_new(graph, json_pack("{s:o, s:s, s:s, s:o, s:o}", "@id", id, "@type",
                                           "CreativeWork", "name", text_of(file, "name"), "size",
                                           json_sprintf("%" JSON_INTEGER_FORMAT " bytes", bytes),
                                           "identifier",
                                           json_sprintf("XXH3-128 %s", text_of(file, "xxh3_128"))));
  }
  return list;
}

static void add_step(const struct qn_described *described, const json_t *step, size_t number,
                     bool last, json_t *object, json_t *graph) {
  char result[32];
  char *options = json_dumps(json_object_get(step, "options"), JSON_SORT_KEYS);
  snprintf(result, sizeof result, "#of-step-%zu", number);
  json_array_append_new(
      graph, json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "@id", json_sprintf("#step-%zu", number),
                       "@type", "CreateAction", "name",
                       json_sprintf("%s %s", text_of(step, "tool"), options ? options : "{}"),
                       "instrument", reference("#quern"), "object", object, "result",
                       last ? reference_to_file("", described->file) : reference(result)));
  if (!last)
    json_array_append_new(graph,
                          json_pack("{s:s, s:s, s:o}", "@id", result, "@type", "CreativeWork",
                                    "name", json_sprintf("what step %zu made", number)));
  free(options);
}

/* An action for each step; the last one makes the container. */
static void add_steps(const struct qn_described *described, json_t *graph) {
  const json_t *steps = json_object_get(described->made, "steps");
  const size_t count = json_array_size(steps);
  json_t *object = count ? add_sources(described, graph) : NULL;
  if (count)
    json_array_append_new(graph, json_pack("{s:s, s:s, s:s, s:s}", "@id", "#quern", "@type",
                                           "SoftwareApplication", "name", "Quern",
                                           "softwareVersion", described->result->version));
  for (size_t i = 0; i < count; i++) {
    char made[32];
    add_step(described, json_array_get(steps, i), i + 1, i + 1 == count, object, graph);
    snprintf(made, sizeof made, "#of-step-%zu", i + 1);
    object = i + 1 < count ? reference(made) : NULL;
  }
}

static json_t *container(const struct qn_described *described) {
  const struct qn_file_sums *sums = described->sums;
  return json_pack("{s:o, s:s, s:o, s:o, s:s, s:s, s:o, s:o}", "@id",
                   qn_described_id("", described->file), "@type", "File", "name", qn_json_text(described->file),
                   "contentSize", json_sprintf("%" PRIu64, sums->digest.bytes), "encodingFormat",
                   QN_CONTAINER_TYPE, "sha256", sums->sha256, "identifier",
                   json_sprintf("Quern identity %s", described->result->identity), "description",
                   json_sprintf("A graph of %s.", described->counts));
}

static json_t *data_set(const struct qn_described *described) {
  json_t *set = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s*, s:s*, s:O*, s:[o]}", "@id", "./",
                          "@type", "Dataset", "name", described->title, "description",
                          described->description, "datePublished", described->date, "license",
                          qn_described_text(described, "license"), "url",
                          qn_described_text(described, "homepage"), "creditText",
                          json_array_get(qn_described_value(described, "citation"), 0), "hasPart",
                          reference_to_file("", described->file));
  return set;
}

json_t *qn_ro_crate(const struct qn_described *described) {
  json_t *graph =
      json_pack("[{s:s, s:s, s:o, s:o}, o, o]", "@id", "ro-crate-metadata.json", "@type",
                "CreativeWork", "conformsTo", reference("https://w3id.org/ro/crate/1.1"), "about",
                reference("./"), data_set(described), container(described));
  if (graph)
    add_steps(described, graph);
  return json_pack("{s:s, s:o}", "@context", "https://w3id.org/ro/crate/1.1/context", "@graph",
                   graph);
}
