/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: files of profiles, judged against a device whose answers are all zero. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/features/profile/judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static VKAPI_ATTR void VKAPI_CALL
get_nothing(VkPhysicalDevice device, void *out)
{
}

static VKAPI_ATTR void VKAPI_CALL
get_no_format(VkPhysicalDevice device, VkFormat format, void *out)
{
}

static VKAPI_ATTR void VKAPI_CALL
get_one_family(VkPhysicalDevice device, uint32_t *count, void *out)
{
	if (!out)
		*count = 1;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_proc_addr(VkInstance instance, const char *name)
{
	if (!instance)
		return NULL;
	if (strstr(name, "Format"))
		return (PFN_vkVoidFunction)get_no_format;
	return strstr(name, "Queue") ? (PFN_vkVoidFunction)get_one_family
				     : (PFN_vkVoidFunction)get_nothing;
}

static void
judge_all(const struct kr_flags_document *document)
{
	static VkExtensionProperties extensions[] = {{"VK_KHR_surface", 25}};
	static struct kr_feature_device device = {
		.source = {.get_instance_proc_addr = get_proc_addr,
			.instance = (VkInstance)&device},
		.facts = {.properties = {.apiVersion = VK_MAKE_API_VERSION(0, 1, 4, 0)},
			.extensions = extensions,
			.extension_count = 1},
	};
	struct kr_flags_judge judge;
	const char *name;
	const json_t *profile;

	if (kr_flags_judge_init(&judge, document, 1, &device) < 0)
		abort();
	json_object_foreach(document->profiles, name, profile)
	{
		const json_t *verdict = kr_flags_judge_profile(&judge, name);

		if (!json_is_boolean(json_object_get(verdict, "holds")))
			abort();
	}
	kr_flags_judge_finish(&judge);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("profile", MFD_CLOEXEC);
	char path[64], why[KR_FLAGS_PROFILE_WHY] = "";
	struct kr_flags_document document;
	int err;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = kr_flags_document_read(path, &document, why);
	if ((err != 0) != (*why != '\0'))
		abort();
	if (!err)
		judge_all(&document);
	json_decref(document.root);
	close(fd);
	return 0;
}
