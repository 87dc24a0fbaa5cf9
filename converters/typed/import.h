/* An import of a graph of several types: each table by itself, and all of them together as a set.
 */
#pragma once

#include "converters/import/import.h"
#include "converters/typed/tables.h"

/* As qn_import_run, for what qn_typed_asked says. The report has the set, and the ledger of all
 * tables. */
enum qn_status qn_typed_import_run(const struct qn_import_job *job,
                                   const struct qn_typed_options *typed,
                                   struct qn_import_report *report, struct qn_error *error);
