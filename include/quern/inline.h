#ifndef QUERN_INLINE_H
#define QUERN_INLINE_H

/* Inline functions of C headers that code for CUDA devices calls too. */
#ifdef __CUDACC__
#define QN_INLINE static __host__ __device__ __forceinline__
#else
#define QN_INLINE static inline
#endif

/* A function of which every caller has a version of its own, made for its constant arguments. */
#define QN_ALWAYS_INLINE static inline __attribute__((always_inline))

#endif
