/* The Python package of Quern, which does what needs other packages. */
#pragma once

#include <quern/error.h>

/* The Python that has the package: python3, or what QUERN_PYTHON names. QN_UNSUPPORTED says what to
 * install; `what` is what the package is needed for, such as "tables are read". */
enum qn_status qn_package_python(const char *what, const char **python, struct qn_error *error);

/* Behind the Python's "-c": `python3 -m quern` with the arguments that follow. */
extern const char qn_package_main[];

/* Run it with `arguments`, which NULL ends, to its end. If it fails, what it says is the error,
 * whose status is that of its exit code. */
enum qn_status qn_package_run(const char *what, const char *const *arguments,
                              struct qn_error *error);
