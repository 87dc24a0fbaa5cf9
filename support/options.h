/* The values of command-line options. What is none is an error of usage (argp_error, exit code 2),
 * which names the option as it is given, for example "--width". */
#ifndef QN_SUPPORT_OPTIONS_H
#define QN_SUPPORT_OPTIONS_H

#include <argp.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A whole number from `least` to `most`. */
uint64_t qn_option_number(struct argp_state *state, const char *option, const char *text,
                          uint64_t least, uint64_t most);

/* A size such as 64K or 1.5G (sizes.h) in bytes, at least `least`. */
uint64_t qn_option_size(struct argp_state *state, const char *option, const char *text,
                        uint64_t least);

/* A finite number that is not negative. */
double qn_option_real(struct argp_state *state, const char *option, const char *text);

/* The place of `word` in a NULL-terminated list, which is the value of the enum that it names.
 * `option` is NULL for what is no option's value. */
int qn_option_choice(struct argp_state *state, const char *option, const char *const *words,
                     const char *word);

#ifdef __cplusplus
}
#endif
#endif
