/* SPDX-License-Identifier: Apache-2.0 */
/* ANativeWindow_*: the public functions, each a call of the window's own pointers. */
#include <krafla/native_window.h>

#include <errno.h>
#include <stdbool.h>

#include "util/fd.h"
#include "util/macros.h"

static bool
is_window(const ANativeWindow *window)
{
	return window && window->common.magic == ANDROID_NATIVE_WINDOW_MAGIC &&
		window->common.version == sizeof(ANativeWindow);
}

static int
query_or_error(ANativeWindow *window, int what)
{
	int value;
	int err = is_window(window) ? window->query(window, what, &value) : -EINVAL;

	return err ? err : value;
}

KR_EXPORT void
ANativeWindow_acquire(ANativeWindow *window)
{
	if (is_window(window))
		window->common.incRef(&window->common);
}

KR_EXPORT void
ANativeWindow_release(ANativeWindow *window)
{
	if (is_window(window))
		window->common.decRef(&window->common);
}

KR_EXPORT int32_t
ANativeWindow_getWidth(ANativeWindow *window)
{
	return query_or_error(window, NATIVE_WINDOW_WIDTH);
}

KR_EXPORT int32_t
ANativeWindow_getHeight(ANativeWindow *window)
{
	return query_or_error(window, NATIVE_WINDOW_HEIGHT);
}

KR_EXPORT int32_t
ANativeWindow_getFormat(ANativeWindow *window)
{
	return query_or_error(window, NATIVE_WINDOW_FORMAT);
}

KR_EXPORT int32_t
ANativeWindow_setBuffersGeometry(
	ANativeWindow *window, int32_t width, int32_t height, int32_t format)
{
	int err;

	if (!is_window(window))
		return -EINVAL;
	err = window->perform(window, NATIVE_WINDOW_SET_BUFFERS_FORMAT, format);
	if (!err)
		err = window->perform(
			window, NATIVE_WINDOW_SET_BUFFERS_USER_DIMENSIONS, width, height);
	if (!err)
		err = window->perform(window, NATIVE_WINDOW_SET_SCALING_MODE,
			width && height ? NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW
					: NATIVE_WINDOW_SCALING_MODE_FREEZE);
	return err;
}

KR_EXPORT int32_t
ANativeWindow_setBuffersTransform(ANativeWindow *window, int32_t transform)
{
	if (!is_window(window) || transform & ~0xf)
		return -EINVAL;
	return window->perform(window, NATIVE_WINDOW_SET_BUFFERS_TRANSFORM, transform);
}

KR_EXPORT int32_t
ANativeWindow_setBuffersDataSpace(ANativeWindow *window, int32_t dataSpace)
{
	if (!is_window(window))
		return -EINVAL;
	return window->perform(window, NATIVE_WINDOW_SET_BUFFERS_DATASPACE, dataSpace);
}

KR_EXPORT int32_t
ANativeWindow_getBuffersDataSpace(ANativeWindow *window)
{
	return query_or_error(window, NATIVE_WINDOW_DATASPACE);
}

KR_EXPORT int32_t
ANativeWindow_getBuffersDefaultDataSpace(ANativeWindow *window)
{
	return query_or_error(window, NATIVE_WINDOW_DEFAULT_DATASPACE);
}

KR_EXPORT int
ANativeWindow_query(const ANativeWindow *window, int what, int *value)
{
	if (!is_window(window) || !value)
		return -EINVAL;
	switch (what) {
	case NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS:
	case NATIVE_WINDOW_DEFAULT_WIDTH:
	case NATIVE_WINDOW_DEFAULT_HEIGHT:
	case NATIVE_WINDOW_TRANSFORM_HINT:
	case NATIVE_WINDOW_BUFFER_AGE:
		return window->query(window, what, value);
	case NATIVE_WINDOW_MIN_SWAP_INTERVAL:
		*value = window->minSwapInterval;
		return 0;
	case NATIVE_WINDOW_MAX_SWAP_INTERVAL:
		*value = window->maxSwapInterval;
		return 0;
	case NATIVE_WINDOW_XDPI:
		*value = (int)window->xdpi;
		return 0;
	case NATIVE_WINDOW_YDPI:
		*value = (int)window->ydpi;
		return 0;
	default:
		return -EINVAL;
	}
}

KR_EXPORT int
ANativeWindow_queryf(const ANativeWindow *window, int what, float *value)
{
	int whole;
	int err;

	if (!is_window(window) || !value)
		return -EINVAL;
	if (what == NATIVE_WINDOW_XDPI || what == NATIVE_WINDOW_YDPI) {
		*value = what == NATIVE_WINDOW_XDPI ? window->xdpi : window->ydpi;
		return 0;
	}
	err = ANativeWindow_query(window, what, &whole);
	if (!err)
		*value = (float)whole;
	return err;
}

KR_EXPORT int
ANativeWindow_dequeueBuffer(ANativeWindow *window, ANativeWindowBuffer **buffer, int *fenceFd)
{
	return is_window(window) ? window->dequeueBuffer(window, buffer, fenceFd) : -EINVAL;
}

KR_EXPORT int
ANativeWindow_queueBuffer(ANativeWindow *window, ANativeWindowBuffer *buffer, int fenceFd)
{
	if (is_window(window))
		return window->queueBuffer(window, buffer, fenceFd);
	kr_fd_close(&fenceFd);
	return -EINVAL;
}

KR_EXPORT int
ANativeWindow_cancelBuffer(ANativeWindow *window, ANativeWindowBuffer *buffer, int fenceFd)
{
	if (is_window(window))
		return window->cancelBuffer(window, buffer, fenceFd);
	kr_fd_close(&fenceFd);
	return -EINVAL;
}

KR_EXPORT int
ANativeWindow_setUsage(ANativeWindow *window, uint64_t usage)
{
	return is_window(window) ? window->perform(window, NATIVE_WINDOW_SET_USAGE64, usage)
				 : -EINVAL;
}

KR_EXPORT int
ANativeWindow_setBufferCount(ANativeWindow *window, size_t bufferCount)
{
	return is_window(window)
		? window->perform(window, NATIVE_WINDOW_SET_BUFFER_COUNT, bufferCount)
		: -EINVAL;
}

KR_EXPORT int
ANativeWindow_setBuffersDimensions(ANativeWindow *window, uint32_t width, uint32_t height)
{
	return is_window(window)
		? window->perform(window, NATIVE_WINDOW_SET_BUFFERS_DIMENSIONS, width, height)
		: -EINVAL;
}

KR_EXPORT int
ANativeWindow_setBuffersFormat(ANativeWindow *window, int format)
{
	return is_window(window) ? window->perform(window, NATIVE_WINDOW_SET_BUFFERS_FORMAT, format)
				 : -EINVAL;
}

KR_EXPORT int
ANativeWindow_setBuffersTimestamp(ANativeWindow *window, int64_t timestamp)
{
	return is_window(window)
		? window->perform(window, NATIVE_WINDOW_SET_BUFFERS_TIMESTAMP, timestamp)
		: -EINVAL;
}

KR_EXPORT int
ANativeWindow_setSwapInterval(ANativeWindow *window, int interval)
{
	return is_window(window) ? window->setSwapInterval(window, interval) : -EINVAL;
}

KR_EXPORT int
ANativeWindow_setSharedBufferMode(ANativeWindow *window, bool sharedBufferMode)
{
	return is_window(window) ? window->perform(window, NATIVE_WINDOW_SET_SHARED_BUFFER_MODE,
					   (int)sharedBufferMode)
				 : -EINVAL;
}

KR_EXPORT int
ANativeWindow_setAutoRefresh(ANativeWindow *window, bool autoRefresh)
{
	return is_window(window)
		? window->perform(window, NATIVE_WINDOW_SET_AUTO_REFRESH, (int)autoRefresh)
		: -EINVAL;
}

KR_EXPORT int
ANativeWindow_setDequeueTimeout(ANativeWindow *window, int64_t timeoutNs)
{
	return is_window(window)
		? window->perform(window, NATIVE_WINDOW_SET_DEQUEUE_TIMEOUT, timeoutNs)
		: -EINVAL;
}

KR_EXPORT int
ANativeWindow_setAutoPrerotation(ANativeWindow *window, bool autoPrerotation)
{
	return is_window(window)
		? window->perform(window, NATIVE_WINDOW_SET_AUTO_PREROTATION, (int)autoPrerotation)
		: -EINVAL;
}

KR_EXPORT int32_t
ANativeWindow_setFrameRate(ANativeWindow *window, float frameRate, int8_t compatibility)
{
	return ANativeWindow_setFrameRateWithChangeStrategy(
		window, frameRate, compatibility, NATIVE_WINDOW_CHANGE_FRAME_RATE_ONLY_IF_SEAMLESS);
}

KR_EXPORT int32_t
ANativeWindow_setFrameRateWithChangeStrategy(ANativeWindow *window, float frameRate,
	int8_t compatibility, int8_t changeFrameRateStrategy)
{
	return is_window(window)
		? window->perform(window, NATIVE_WINDOW_SET_FRAME_RATE, (double)frameRate,
			  (int)compatibility, (int)changeFrameRateStrategy)
		: -EINVAL;
}

KR_EXPORT void
ANativeWindow_tryAllocateBuffers(ANativeWindow *window)
{
	if (is_window(window))
		(void)window->perform(window, NATIVE_WINDOW_ALLOCATE_BUFFERS);
}

static int64_t
get_long(ANativeWindow *window, int operation)
{
	int64_t value;
	int err = is_window(window) ? window->perform(window, operation, &value) : -EINVAL;

	return err ? err : value;
}

KR_EXPORT int64_t
ANativeWindow_getLastDequeueDuration(ANativeWindow *window)
{
	return get_long(window, NATIVE_WINDOW_GET_LAST_DEQUEUE_DURATION);
}

KR_EXPORT int64_t
ANativeWindow_getLastQueueDuration(ANativeWindow *window)
{
	return get_long(window, NATIVE_WINDOW_GET_LAST_QUEUE_DURATION);
}

KR_EXPORT int64_t
ANativeWindow_getLastDequeueStartTime(ANativeWindow *window)
{
	return get_long(window, NATIVE_WINDOW_GET_LAST_DEQUEUE_START);
}

KR_EXPORT int
ANativeWindow_setCancelBufferInterceptor(
	ANativeWindow *window, ANativeWindow_cancelBufferInterceptor interceptor, void *data)
{
	return is_window(window)
		? window->perform(window, NATIVE_WINDOW_SET_CANCEL_INTERCEPTOR, interceptor, data)
		: -EINVAL;
}

KR_EXPORT int
ANativeWindow_setDequeueBufferInterceptor(
	ANativeWindow *window, ANativeWindow_dequeueBufferInterceptor interceptor, void *data)
{
	return is_window(window)
		? window->perform(window, NATIVE_WINDOW_SET_DEQUEUE_INTERCEPTOR, interceptor, data)
		: -EINVAL;
}

KR_EXPORT int
ANativeWindow_setPerformInterceptor(
	ANativeWindow *window, ANativeWindow_performInterceptor interceptor, void *data)
{
	return is_window(window)
		? window->perform(window, NATIVE_WINDOW_SET_PERFORM_INTERCEPTOR, interceptor, data)
		: -EINVAL;
}

KR_EXPORT int
ANativeWindow_setQueueBufferInterceptor(
	ANativeWindow *window, ANativeWindow_queueBufferInterceptor interceptor, void *data)
{
	return is_window(window)
		? window->perform(window, NATIVE_WINDOW_SET_QUEUE_INTERCEPTOR, interceptor, data)
		: -EINVAL;
}

KR_EXPORT int
ANativeWindow_OemStorageSet(ANativeWindow *window, uint32_t slot, intptr_t value)
{
	if (!is_window(window) || slot >= KR_ARRAY_LEN(window->oem))
		return -EINVAL;
	window->oem[slot] = value;
	return 0;
}

KR_EXPORT int
ANativeWindow_OemStorageGet(ANativeWindow *window, uint32_t slot, intptr_t *value)
{
	if (!is_window(window) || !value || slot >= KR_ARRAY_LEN(window->oem))
		return -EINVAL;
	*value = window->oem[slot];
	return 0;
}

KR_EXPORT int32_t
ANativeWindow_readFromParcel(const struct AParcel *parcel, ANativeWindow **window)
{
	return -ENOSYS;
}

KR_EXPORT int32_t
ANativeWindow_writeToParcel(ANativeWindow *window, struct AParcel *parcel)
{
	return -ENOSYS;
}

KR_EXPORT int32_t
ANativeWindow_lock(ANativeWindow *window, ANativeWindow_Buffer *outBuffer, ARect *inOutDirtyBounds)
{
	return is_window(window)
		? window->perform(window, NATIVE_WINDOW_LOCK, outBuffer, inOutDirtyBounds)
		: -EINVAL;
}

KR_EXPORT int32_t
ANativeWindow_unlockAndPost(ANativeWindow *window)
{
	return is_window(window) ? window->perform(window, NATIVE_WINDOW_UNLOCK_AND_POST) : -EINVAL;
}

KR_EXPORT int
native_window_enable_frame_timestamps(ANativeWindow *window, bool enable)
{
	return is_window(window)
		? window->perform(window, NATIVE_WINDOW_ENABLE_FRAME_TIMESTAMPS, (int)enable)
		: -EINVAL;
}

KR_EXPORT int
native_window_get_next_frame_id(ANativeWindow *window, uint64_t *frameId)
{
	return is_window(window) ? window->perform(window, NATIVE_WINDOW_GET_NEXT_FRAME_ID, frameId)
				 : -EINVAL;
}

KR_EXPORT int
native_window_get_compositor_timing(ANativeWindow *window, int64_t *compositeDeadline,
	int64_t *compositeInterval, int64_t *compositeToPresentLatency)
{
	return is_window(window)
		? window->perform(window, NATIVE_WINDOW_GET_COMPOSITOR_TIMING, compositeDeadline,
			  compositeInterval, compositeToPresentLatency)
		: -EINVAL;
}

KR_EXPORT int
native_window_get_frame_timestamps(ANativeWindow *window, uint64_t frameId,
	int64_t *requestedPresentTime, int64_t *acquireTime, int64_t *latchTime,
	int64_t *firstRefreshStartTime, int64_t *lastRefreshStartTime,
	int64_t *gpuCompositionDoneTime, int64_t *displayPresentTime, int64_t *dequeueReadyTime,
	int64_t *releaseTime)
{
	return is_window(window)
		? window->perform(window, NATIVE_WINDOW_GET_FRAME_TIMESTAMPS, frameId,
			  requestedPresentTime, acquireTime, latchTime, firstRefreshStartTime,
			  lastRefreshStartTime, gpuCompositionDoneTime, displayPresentTime,
			  dequeueReadyTime, releaseTime)
		: -EINVAL;
}
