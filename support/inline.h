/* Inline functions of C headers that code for CUDA devices calls too. */
#ifndef QN_SUPPORT_INLINE_H
#define QN_SUPPORT_INLINE_H

#ifdef __CUDACC__
#define QN_INLINE static __host__ __device__ __forceinline__
#else
#define QN_INLINE static inline
#endif

#endif
