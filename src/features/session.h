/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An instance of a Vulkan loader that is opened to ask its devices: of libvulkan.so.1, since what
 * the platform brings to a device counts where programs get it.
 *
 * Thread-safety: a session is one thread's at a time.
 */
#ifndef KR_FEATURES_SESSION_H
#define KR_FEATURES_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "util/macros.h"
#include "util/vulkan.h"

struct kr_feature_session {
	PFN_vkGetInstanceProcAddr get_instance_proc_addr;
	VkInstance instance;
	VkPhysicalDevice *devices; /* in the loader's order */
	uint32_t count;
};

#define KR_FEATURE_WHY 512

/*
 * Opens the library at `path` (as dlopen takes it), which stays open for the life of the process:
 * drivers that it has loaded may have threads. The instance has the library's version and the
 * extensions that questions need. 0, also without any device; -ENOENT (no such library, or none
 * that could be loaded), -ENOSYS (it is no Vulkan loader), -EIO (a call failed), with the reason in
 * `why`. kr_feature_session_close ends one that was opened, or is all zero.
 */
int kr_feature_session_open(const char *path, struct kr_feature_session *session,
	char why[KR_FEATURE_WHY]) KR_MUST_CHECK;
void kr_feature_session_close(struct kr_feature_session *session);

#endif
