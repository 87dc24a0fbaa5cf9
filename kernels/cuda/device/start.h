/* Starting a device ahead: driver and device take some tenths of a second, in which a process can
 * map and check its graph. For tools, whose process does one thing. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Begin to start device `index` in a thread of its own; once. All that is asked of devices
 * (device.h) waits for it. What fails is told then. */
void qn_cuda_start(int index);
/* Wait for it, if it was begun. */
void qn_cuda_wait(void);
/* What it took; 0 if it was not begun. */
double qn_cuda_start_seconds(void);
/* If it was begun, begin to give the device back, in a thread of its own: nothing more is asked of
 * it. */
void qn_cuda_end(void);
/* If it was begun, end the process here, with `code`: the driver takes back at once what would be
 * given back piece by piece. All else must have been done. */
void qn_cuda_leave(int code);

#ifdef __cplusplus
}
#endif
