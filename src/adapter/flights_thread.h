/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads that wait for flights, one a queue that has had a release.
 *
 * At exit nothing of ours is in the driver when its own end begins: a handler of exit() lets what
 * is in flight land, for a while, so that the last frame of a program that destroys nothing is
 * seen, and then has the threads end. It is registered when the first one starts, so that it runs
 * before what the driver registered when it was loaded.
 */
#ifndef KR_ADAPTER_FLIGHTS_THREAD_H
#define KR_ADAPTER_FLIGHTS_THREAD_H

#include "adapter/flights.h"

/*
 * The queue's flights with their thread, made when there are none. The caller owns the queue as for
 * vkQueueSubmit, or it is the helper. VK_ERROR_OUT_OF_HOST_MEMORY; VK_ERROR_FEATURE_NOT_PRESENT
 * when fences can't be had; VK_ERROR_TOO_MANY_OBJECTS without a thread.
 */
VkResult kr_flights_open(struct kr_adapter_queue *queue, struct kr_flights **flights) KR_MUST_CHECK;
/*
 * Lets them land, no longer than kr_adapter_tuning.landing_limit_ns, and ends thread and flights;
 * fences of what is left fail. Nobody releases on the queue any more.
 */
void kr_flights_close(struct kr_adapter_queue *queue);

#endif
