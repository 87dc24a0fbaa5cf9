/* The names and texts of CUDA's errors. */
#include "cuda_runtime_api.h"

extern "C" {

#define ERRORS(X)                                                                                  \
  X(cudaSuccess, "no error")                                                                       \
  X(cudaErrorInvalidValue, "invalid argument")                                                     \
  X(cudaErrorMemoryAllocation, "out of memory")                                                    \
  X(cudaErrorInitializationError, "initialization error")                                          \
  X(cudaErrorInvalidConfiguration, "invalid configuration argument")                               \
  X(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy")                          \
  X(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version")   \
  X(cudaErrorNoDevice, "no CUDA-capable device is detected")                                       \
  X(cudaErrorInvalidDevice, "invalid device ordinal")                                              \
  X(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device")   \
  X(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices")      \
  X(cudaErrorInvalidResourceHandle, "invalid resource handle")                                     \
  X(cudaErrorNotReady, "device not ready")                                                         \
  X(cudaErrorIllegalAddress, "an illegal memory access was encountered")                           \
  X(cudaErrorLaunchOutOfResources, "too many resources requested for launch")                      \
  X(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled")                           \
  X(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled")                             \
  X(cudaErrorHostMemoryAlreadyRegistered, "part or all of the memory is already mapped")           \
  X(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered region")        \
  X(cudaErrorLaunchFailure, "unspecified launch failure")                                          \
  X(cudaErrorNotSupported, "operation not supported")                                              \
  X(cudaErrorUnknown, "unknown error")

const char *cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define NAME(code, text)                                                                           \
  case code:                                                                                       \
    return #code;
    ERRORS(NAME)
  }
  return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define TEXT(code, text)                                                                           \
  case code:                                                                                       \
    return text;
    ERRORS(TEXT)
  }
  return "unrecognized error code";
}

} /* extern "C" */
