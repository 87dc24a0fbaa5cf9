/* What is made of a file never takes that file's place, not even by force. */
#ifndef QN_SUPPORT_INPUT_KEPT_H
#define QN_SUPPORT_INPUT_KEPT_H

#include <stdint.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* QN_USAGE if `output` is one of the inputs, by whatever name, the folder that it lies in, or the
 * archive of which an input "archive:member" is a member. What does not exist is no file, and "-"
 * and NULL neither. */
enum qn_status qn_inputs_kept(const char *output, const char *const *inputs, uint64_t num_inputs,
                              struct qn_error *error);
/* The same of one; NULL is none. */
enum qn_status qn_input_kept(const char *output, const char *input, struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
