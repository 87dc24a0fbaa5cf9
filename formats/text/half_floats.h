/* Reals of 16 bits: IEEE 754's binary16, and bfloat16, the upper half of a binary32. */
#pragma once

#include <stdint.h>

/* Exact. */
float qn_f16_value(uint16_t bits);
float qn_bf16_value(uint16_t bits);

/* The nearest one, of two the even one; infinite beyond the largest. */
uint16_t qn_f16_nearest(double value);
uint16_t qn_bf16_nearest(double value);
