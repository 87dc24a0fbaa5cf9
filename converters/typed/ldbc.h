/* Graphs of the LDBC Social Network Benchmark, in folders as its generators write them as CSV. */
#pragma once

#include "converters/typed/tables.h"

/* Is this such a folder: with folders static and dynamic, or initial_snapshot, in it, or with files
 * that are called as theirs are and have no headers of Neo4j's? */
bool qn_ldbc_is_folder(const char *folder, const struct qn_input_options *how);

/* Add its tables: person_0_0.csv and person_knows_person_0_0.csv (Hadoop's generator, CsvBasic and
 * CsvComposite), or folders Person and Person_knows_Person of part-*.csv (Spark's,
 * composite-projected-fk). QN_INVALID names what is none of them, and a header that says otherwise.
 */
enum qn_status qn_ldbc_add(struct qn_typed_tables *tables, const char *folder,
                           const struct qn_input_options *how, struct qn_error *error);
