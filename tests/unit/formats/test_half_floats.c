/* Reals of 16 bits: every one of them there and back, and what lies between two of them. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "formats/text/half_floats.h"
#include "helpers/test.h"

struct form {
  float (*value)(uint16_t bits);
  uint16_t (*nearest)(double value);
  uint16_t infinite;
};

static const struct form forms[] = {{qn_f16_value, qn_f16_nearest, 0x7c00},
                                    {qn_bf16_value, qn_bf16_nearest, 0x7f80}};

TEST(all_come_back) {
  for (int f = 0; f < 2; f++)
    for (unsigned bits = 0; bits < 65536; bits++) {
      const double value = (double)forms[f].value((uint16_t)bits);
      const uint16_t back = forms[f].nearest(value);
      const bool is_nan = (bits & 0x7fff) > forms[f].infinite;
      if (is_nan ? !isnan(value) || (back & 0x7fff) <= forms[f].infinite : back != bits)
        fail_msg("form %d: %x is %a, and becomes %x", f, bits, value, back);
    }
}

/* Halfway to the next one, and a bit to either side: ties to even. */
TEST(between_two) {
  for (int f = 0; f < 2; f++)
    for (unsigned bits = 0; bits + 1U < forms[f].infinite; bits++) {
      const double one = (double)forms[f].value((uint16_t)bits);
      const double middle = one + ((double)forms[f].value((uint16_t)(bits + 1)) - one) / 2;
      assert_int_equal(forms[f].nearest(middle), bits + bits % 2);
      assert_int_equal(forms[f].nearest(nextafter(middle, 0)), bits);
      assert_int_equal(forms[f].nearest(nextafter(middle, INFINITY)), bits + 1);
      assert_int_equal(forms[f].nearest(-middle), 0x8000 | (bits + bits % 2));
    }
}

TEST(known_ones) {
  assert_int_equal(qn_f16_nearest(1), 0x3c00);
  assert_int_equal(qn_f16_nearest(65504), 0x7bff);
  assert_int_equal(qn_f16_nearest(65519.9), 0x7bff);
  assert_int_equal(qn_f16_nearest(65520), 0x7c00);
  assert_int_equal(qn_f16_nearest(1e300), 0x7c00);
  assert_int_equal(qn_f16_nearest(0x1p-24), 1);
  assert_int_equal(qn_f16_nearest(0x1p-25), 0);
  assert_int_equal(qn_f16_nearest(5e-324), 0);
  assert_int_equal(qn_bf16_nearest(1), 0x3f80);
  assert_int_equal(qn_bf16_nearest(3.3895313892515355e38), 0x7f7f);
  assert_int_equal(qn_bf16_nearest(3.4e38), 0x7f80);
  assert_int_equal(qn_bf16_nearest(-INFINITY), 0xff80);
}

TEST_MAIN(NULL, NULL)
