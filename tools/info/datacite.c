/* DataCite 4.5: what a DOI is asked for with. */
#include <inttypes.h>
#include <stdio.h>

#include "support/sizes.h"
#include "tools/info/described.h"

static json_t *creators(const struct qn_described *described) {
  json_t *list = json_array(), *name;
  const json_t *names = qn_described_value(described, "creators");
  size_t index;
  json_array_foreach((json_t *)names, index, name)
      json_array_append_new(list, json_pack("{s:O}", "name", name));
  return list;
}

/* References, as descriptions: they have no identifiers of a known kind. */
static json_t *descriptions(const struct qn_described *described) {
  json_t *list =
      json_pack("[{s:o, s:s}]", "description",
                json_sprintf("%s. A graph of %s.", described->description, described->counts),
                "descriptionType", "Abstract");
  json_t *citation;
  size_t index;
  json_array_foreach((json_t *)qn_described_value(described, "citation"), index, citation)
      json_array_append_new(
          list, json_pack("{s:O, s:s}", "description", citation, "descriptionType", "Other"));
  return list;
}

enum qn_status qn_datacite(const struct qn_described *described, json_t **out,
                           struct qn_error *error) {
  static const char *const needed[] = {"creators", "publisher", "year"};
  const struct qn_file_sums *sums = described->sums;
  for (unsigned i = 0; i < sizeof needed / sizeof needed[0]; i++)
    if (!qn_described_value(described, needed[i]))
      return qn_fail(error, QN_USAGE,
                     "DataCite asks for creators, publisher and year, and '%s' is missing: --about "
                     "names a recipe that has them",
                     needed[i]);
  json_t *rights = json_array();
  if (qn_described_value(described, "license"))
    json_array_append_new(rights,
                          json_pack("{s:s}", "rights", qn_described_text(described, "license")));
  *out = json_pack(
      "{s:s, s:o, s:[{s:s}], s:{s:s}, s:s, s:{s:s, s:s}, s:s, s:[o, s], s:[s], s:o, s:o, "
      "s:[{s:s, s:s}, {s:s, s:s}]}",
      "schemaVersion", "http://datacite.org/schema/kernel-4", "creators", creators(described),
      "titles", "title", described->title, "publisher", "name",
      qn_described_text(described, "publisher"), "publicationYear", described->date, "types",
      "resourceType", "Graph", "resourceTypeGeneral", "Dataset", "version",
      described->result->content, "sizes", json_sprintf("%" PRIu64 " bytes", sums->digest.bytes),
      described->counts, "formats", QN_CONTAINER_TYPE, "rightsList", rights, "descriptions",
      descriptions(described), "alternateIdentifiers", "alternateIdentifier", sums->sha256,
      "alternateIdentifierType", "SHA-256", "alternateIdentifier", described->result->identity,
      "alternateIdentifierType", "Quern identity");
  return *out ? QN_OK : qn_fail_memory(error, "a description", 0);
}
