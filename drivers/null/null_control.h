/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The null driver's test hooks: functions that vulkan.null.so exports, to be found by dlsym. They
 * act on all devices of the process.
 *
 * What becomes of a release fence (vkQueueSignalReleaseImageANDROID) once its semaphores and the
 * queue's earlier work are through is a setting of the device, read from KRAFLA_NULL_RELEASE when
 * it is created:
 *   signalled   it is signalled at once; -1 when nothing was left to wait for (default)
 *   pending     it stays active until kr_null_signal_releases
 *   late:MS     it signals after MS milliseconds
 *   error       it fails with -EIO
 * Other values are reported, and stand for the default.
 *
 * KRAFLA_NULL_WORK=US, read then too: each batch with a render pass keeps its queue busy for so
 * many microseconds, up to ten seconds, one after the other. Without it work takes no time.
 *
 * Thread-safety: all functions may be called from any thread.
 */
#ifndef KR_NULL_CONTROL_H
#define KR_NULL_CONTROL_H

/*
 * Signals every release fence that is held back; status 1, or -errno to fail them. Returns how
 * many. Those whose semaphores haven't been signalled yet aren't held back but pending by right;
 * they are left alone.
 */
int kr_null_signal_releases(int status);
/* How many kr_null_signal_releases would signal. */
int kr_null_count_releases(void);
/*
 * Sets what KRAFLA_NULL_RELEASE sets, for all devices and those to come; NULL: back to the
 * variable, for those to come. 0, or -EINVAL and nothing changes.
 */
int kr_null_set_release(const char *setting);
/* From here on every device that exists answers VK_ERROR_DEVICE_LOST where it can. */
void kr_null_lose_devices(void);

typedef int (*PFN_kr_null_signal_releases)(int status);
typedef int (*PFN_kr_null_count_releases)(void);
typedef int (*PFN_kr_null_set_release)(const char *setting);
typedef void (*PFN_kr_null_lose_devices)(void);

#endif
