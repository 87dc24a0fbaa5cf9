/* Croissant 1.0: the file, the files that it was made of, and its columns. */
#include <inttypes.h>
#include <stdio.h>

#include "support/json_text.h"
#include "tools/info/described.h"

/* Appendix 1 of the specification, which every file has as it is. */
static const char context[] =
    "{\"@language\": \"en\", \"@vocab\": \"https://schema.org/\", \"citeAs\": \"cr:citeAs\", "
    "\"column\": \"cr:column\", \"conformsTo\": \"dct:conformsTo\", "
    "\"cr\": \"http://mlcommons.org/croissant/\", \"rai\": "
    "\"http://mlcommons.org/croissant/RAI/\", "
    "\"data\": {\"@id\": \"cr:data\", \"@type\": \"@json\"}, "
    "\"dataType\": {\"@id\": \"cr:dataType\", \"@type\": \"@vocab\"}, "
    "\"dct\": \"http://purl.org/dc/terms/\", "
    "\"examples\": {\"@id\": \"cr:examples\", \"@type\": \"@json\"}, \"extract\": \"cr:extract\", "
    "\"field\": \"cr:field\", \"fileProperty\": \"cr:fileProperty\", "
    "\"fileObject\": \"cr:fileObject\", \"fileSet\": \"cr:fileSet\", \"format\": \"cr:format\", "
    "\"includes\": \"cr:includes\", \"isLiveDataset\": \"cr:isLiveDataset\", "
    "\"jsonPath\": \"cr:jsonPath\", \"key\": \"cr:key\", \"md5\": \"cr:md5\", "
    "\"parentField\": \"cr:parentField\", \"path\": \"cr:path\", \"recordSet\": \"cr:recordSet\", "
    "\"references\": \"cr:references\", \"regex\": \"cr:regex\", \"repeated\": \"cr:repeated\", "
    "\"replace\": \"cr:replace\", \"sc\": \"https://schema.org/\", \"separator\": "
    "\"cr:separator\", "
    "\"source\": \"cr:source\", \"subField\": \"cr:subField\", \"transform\": \"cr:transform\"}";

static const char *data_type(enum qn_property_type type) {
  switch (qn_property_class_of(type)) {
  case QN_PROPERTY_UNSIGNED:
  case QN_PROPERTY_SIGNED:
    return "sc:Integer";
  case QN_PROPERTY_REAL:
    return "sc:Float";
  case QN_PROPERTY_TRUTH:
    return "sc:Boolean";
  case QN_PROPERTY_DAYS:
  case QN_PROPERTY_TIME:
    return "sc:Date";
  default:
    return "sc:Text";
  }
}

static void add_field(json_t *fields, const char *records, const char *name, const char *type,
                      bool repeated) {
  json_array_append_new(fields,
                        json_pack("{s:s, s:o, s:s, s:s, s:b, s:{s:{s:s}, s:{s:s}}}", "@type",
                                  "cr:Field", "@id", json_sprintf("%s/%s", records, name), "name",
                                  name, "dataType", type, "repeated", repeated, "source",
                                  "fileObject", "@id", "container", "extract", "column", name));
}

static json_t *record_set(const char *records, json_t *fields,
                          const struct qn_property_table *table) {
  for (uint32_t i = 0; i < table->count; i++)
    add_field(fields, records, table->columns[i].name, data_type(table->columns[i].type),
              qn_property_dimension(table->columns[i].type) > 0);
  return json_pack("{s:s, s:s, s:s, s:o}", "@type", "cr:RecordSet", "@id", records, "name", records,
                   "field", fields);
}

static json_t *record_sets(const struct qn_described *described) {
  json_t *edges = json_array(), *vertices = json_array();
  const enum qn_weight_type weights = described->info->weight_type;
  add_field(vertices, "vertices", "id", "sc:Text", false);
  add_field(edges, "edges", "source", "sc:Text", false);
  add_field(edges, "edges", "target", "sc:Text", false);
  if (weights != QN_WEIGHT_NONE)
    add_field(edges, "edges", "weight",
              weights == QN_WEIGHT_U32 || weights == QN_WEIGHT_I64 ? "sc:Integer" : "sc:Float",
              false);
  return json_pack("[o, o]", record_set("vertices", vertices, &described->properties->of_vertices),
                   record_set("edges", edges, &described->properties->of_edges));
}

json_t *qn_croissant(const struct qn_described *described) {
  const struct qn_file_sums *sums = described->sums;
  json_t *file = json_pack("{s:s, s:s, s:o, s:o, s:o, s:s, s:s}", "@type", "cr:FileObject", "@id",
                           "container", "name", qn_json_text(described->file), "contentUrl",
                           qn_described_id("", described->file), "contentSize",
                           json_sprintf("%" PRIu64 " B", sums->digest.bytes), "encodingFormat",
                           QN_CONTAINER_TYPE, "sha256", sums->sha256);
  const json_t *citation = json_array_get(qn_described_value(described, "citation"), 0);
  json_t *creators = json_array(), *name;
  const json_t *names = qn_described_value(described, "creators");
  size_t index;
  json_array_foreach((json_t *)names, index, name)
      json_array_append_new(creators, json_pack("{s:s, s:O}", "@type", "sc:Person", "name", name));
  const char *publisher = qn_described_text(described, "publisher");
  json_t *json = json_pack(
      "{s:o, s:s, s:s, s:s, s:o, s:s, s:s*, s:s*, s:O*, s:[o], s:o}", "@context",
      json_loads(context, 0, NULL), "@type", "sc:Dataset", "conformsTo",
      "http://mlcommons.org/croissant/1.0", "name", described->name, "description",
      json_sprintf("%s. A graph of %s, in a container of Quern.", described->description,
                   described->counts),
      "datePublished", described->date, "license", qn_described_text(described, "license"), "url",
      qn_described_text(described, "homepage"), "citeAs", citation, "distribution", file,
      "recordSet", record_sets(described));
  if (json_array_size(creators))
    json_object_set(json, "creator", creators);
  if (publisher)
    json_object_set_new(json, "publisher",
                        json_pack("{s:s, s:s}", "@type", "sc:Organization", "name", publisher));
  json_decref(creators);
  return json;
}
