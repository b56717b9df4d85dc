/* SPDX-License-Identifier: Apache-2.0 */
/* A case that runs, for the files of the rig. */
#ifndef KR_CHECK_RIG_STATE_H
#define KR_CHECK_RIG_STATE_H

#include "check/rig/driver.h"

struct check {
	const struct check_job *job;
	struct check_shared *shared;
	_Atomic uint64_t random;
	void *dso;
	struct hw_module_t *module;
	hwvulkan_device_t *hal;
	struct check_vk vk;
};

/* Functions of the driver, found now; those that a second device lacks stay. */
void check_load_globals(struct check *c);
void check_load_instance(struct check *c, VkInstance instance);
void check_load_device(struct check *c, VkDevice device);

/* Pools and fences of check_clear. NULL is none. */
void check_draws_destroy(struct check *c, struct check_device *device);

/* Handlers for crashes and hangs, which write to the descriptor. */
void check_watch_crashes(int fd);

#endif
