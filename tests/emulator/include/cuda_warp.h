/* Warp-wide functions, memory fences, cached loads and integer intrinsics
 * (included by cuda_runtime.h). The lanes of a mask meet in the scheduler. */
#ifndef EMULATOR_CUDA_WARP_H
#define EMULATOR_CUDA_WARP_H

namespace emulator {

template <class T> uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= 8, "warp functions exchange up to 8 bytes");
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T> T from_bits(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/* Both sides of a rendezvous must use the same type. */
template <class T> constexpr int type_code() {
  return int(sizeof(T)) | (std::is_floating_point<T>::value ? 16 : 0) |
         (std::is_signed<T>::value ? 32 : 0);
}

template <class T> T shuffle(unsigned mask, T value, int source, int width, site where) {
  int segment = int(lane()) & ~(width - 1);
  int from = source < segment || source >= segment + width ? int(lane()) : source;
  return from_bits<T>(
      warp_meet(warp_op::shuffle, mask, to_bits(value), from, type_code<T>(), where));
}

template <class T> uint64_t meet(warp_op op, unsigned mask, T value, site where) {
  return warp_meet(op, mask, to_bits(value), 0, type_code<T>(), where);
}

} /* namespace emulator */

#define __syncwarp(...)                                                                            \
  ((void)::emulator::warp_meet(::emulator::warp_op::sync, ::emulator::mask_or_full(__VA_ARGS__),   \
                               0, 0, 0, EMULATOR_SITE))
#define __shfl_sync(mask, value, ...)                                                              \
  ::emulator::shuffle_index(EMULATOR_SITE, mask, value, __VA_ARGS__)
#define __shfl_up_sync(mask, value, ...)                                                           \
  ::emulator::shuffle_up(EMULATOR_SITE, mask, value, __VA_ARGS__)
#define __shfl_down_sync(mask, value, ...)                                                         \
  ::emulator::shuffle_down(EMULATOR_SITE, mask, value, __VA_ARGS__)
#define __shfl_xor_sync(mask, value, ...)                                                          \
  ::emulator::shuffle_xor(EMULATOR_SITE, mask, value, __VA_ARGS__)
#define __ballot_sync(mask, predicate)                                                             \
  unsigned(::emulator::meet(::emulator::warp_op::ballot, mask, int((predicate) ? 1 : 0),           \
                            EMULATOR_SITE))
#define __any_sync(mask, predicate)                                                                \
  int(::emulator::meet(::emulator::warp_op::any, mask, int((predicate) ? 1 : 0), EMULATOR_SITE))
#define __all_sync(mask, predicate)                                                                \
  int(::emulator::meet(::emulator::warp_op::all, mask, int((predicate) ? 1 : 0), EMULATOR_SITE))
#define __match_any_sync(mask, value)                                                              \
  unsigned(::emulator::meet(::emulator::warp_op::match_any, mask, value, EMULATOR_SITE))
#define __match_all_sync(mask, value, predicate)                                                   \
  ::emulator::match_all(mask, value, predicate, EMULATOR_SITE)
#define EMULATOR_REDUCE(op, mask, value)                                                           \
  ::emulator::warp_reduce(::emulator::warp_op::op, mask, value, EMULATOR_SITE)
#define __reduce_add_sync(mask, value) EMULATOR_REDUCE(add, mask, value)
#define __reduce_min_sync(mask, value) EMULATOR_REDUCE(min, mask, value)
#define __reduce_max_sync(mask, value) EMULATOR_REDUCE(max, mask, value)
#define __reduce_and_sync(mask, value) EMULATOR_REDUCE(band, mask, value)
#define __reduce_or_sync(mask, value) EMULATOR_REDUCE(bor, mask, value)
#define __reduce_xor_sync(mask, value) EMULATOR_REDUCE(bxor, mask, value)

namespace emulator {

inline unsigned mask_or_full(unsigned mask = 0xffffffffu) {
  return mask;
}

template <class T> T shuffle_index(site where, unsigned mask, T value, int source, int width = 32) {
  int segment = int(lane()) & ~(width - 1);
  return shuffle(mask, value, segment + (source & (width - 1)), width, where);
}
template <class T>
T shuffle_up(site where, unsigned mask, T value, unsigned delta, int width = 32) {
  return shuffle(mask, value, int(lane()) - int(delta), width, where);
}
template <class T>
T shuffle_down(site where, unsigned mask, T value, unsigned delta, int width = 32) {
  return shuffle(mask, value, int(lane()) + int(delta), width, where);
}
template <class T> T shuffle_xor(site where, unsigned mask, T value, int bits, int width = 32) {
  return shuffle(mask, value, int(lane()) ^ bits, width, where);
}
template <class T> unsigned match_all(unsigned mask, T value, int *predicate, site where) {
  uint64_t all = meet(warp_op::match_all, mask, value, where);
  *predicate = all != 0;
  return unsigned(all);
}
template <class T> T warp_reduce(warp_op op, unsigned mask, T value, site where) {
  static_assert(std::is_same<T, int>::value || std::is_same<T, unsigned>::value,
                "__reduce_*_sync takes int or unsigned");
  return from_bits<T>(meet(op, mask, value, where));
}

} /* namespace emulator */

/* The lanes that happen to run together are the hardware's choice; the smallest
 * set that it may choose brings out code that relies on more. */
static inline unsigned __activemask() {
  return 1u << ::emulator::lane();
}

static inline void __threadfence() {
  ::emulator::relax();
}
static inline void __threadfence_block() {}
static inline void __threadfence_system() {
  ::emulator::relax();
}
static inline void __nanosleep(unsigned) {
  ::emulator::relax();
}
static inline long long clock64() {
  return (long long)::emulator::clock();
}

template <class T> static inline T __ldg(const T *p) {
  return *p;
}
template <class T> static inline T __ldcg(const T *p) {
  return *p;
}
template <class T> static inline T __ldca(const T *p) {
  return *p;
}
template <class T> static inline T __ldcs(const T *p) {
  return *p;
}
template <class T> static inline T __ldlu(const T *p) {
  return *p;
}
template <class T> static inline T __ldcv(const T *p) {
  return *p;
}
template <class T> static inline void __stcg(T *p, T value) {
  *p = value;
}
template <class T> static inline void __stcs(T *p, T value) {
  *p = value;
}
template <class T> static inline void __stwt(T *p, T value) {
  *p = value;
}
template <class T> static inline void __stwb(T *p, T value) {
  *p = value;
}

static inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
static inline int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(unsigned(x));
}
static inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}
static inline int __ffs(int x) {
  return __builtin_ffs(x);
}
static inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
static inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; bit++)
    reversed |= (x >> bit & 1u) << (31 - bit);
  return reversed;
}
static inline unsigned __umulhi(unsigned a, unsigned b) {
  return unsigned((unsigned long long)a * b >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return unsigned(((unsigned long long)high << 32 | low) >> (shift & 31));
}
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  unsigned long long both = (unsigned long long)b << 32 | a;
  unsigned result = 0;
  for (int i = 0; i < 4; i++)
    result |= unsigned(both >> (8 * (selector >> (4 * i) & 7)) & 0xff) << (8 * i);
  return result;
}
static inline int __float_as_int(float x) {
  return ::emulator::from_bits<int>(::emulator::to_bits(x));
}
static inline unsigned __float_as_uint(float x) {
  return ::emulator::from_bits<unsigned>(::emulator::to_bits(x));
}
static inline float __int_as_float(int x) {
  return ::emulator::from_bits<float>(::emulator::to_bits(x));
}
static inline float __uint_as_float(unsigned x) {
  return ::emulator::from_bits<float>(::emulator::to_bits(x));
}
static inline long long __double_as_longlong(double x) {
  return ::emulator::from_bits<long long>(::emulator::to_bits(x));
}
static inline double __longlong_as_double(long long x) {
  return ::emulator::from_bits<double>(::emulator::to_bits(x));
}
static inline float __fdividef(float a, float b) {
  return a / b;
}
static inline float __fmul_rn(float a, float b) {
  return a * b;
}
static inline float __fadd_rn(float a, float b) {
  return a + b;
}
static inline float __saturatef(float x) {
  return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* CUDA has these in the global namespace for all mixes of arithmetic types. */
template <class A, class B> constexpr std::common_type_t<A, B> min(A a, B b) {
  return std::common_type_t<A, B>(b) < std::common_type_t<A, B>(a) ? b : a;
}
template <class A, class B> constexpr std::common_type_t<A, B> max(A a, B b) {
  return std::common_type_t<A, B>(a) < std::common_type_t<A, B>(b) ? b : a;
}

#endif
