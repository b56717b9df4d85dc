/* SPDX-License-Identifier: Apache-2.0 */
/* Fences: SYNC_FD where it is claimed, and that a wait ends when work does (W-07, W-08). */
#include "check/icd/icd.h"

#include <unistd.h>

#include "check/icd/work.h"

static VkExternalSemaphoreFeatureFlags
features_of(struct check *c, const struct check_device *device)
{
	const VkPhysicalDeviceExternalSemaphoreInfo info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
	};
	VkExternalSemaphoreProperties properties = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};

	if (device->api_version < VK_API_VERSION_1_1)
		check_not_applicable(c, "it has Vulkan 1.0, which can't be asked");
	CHECK_CALL(c, vkGetPhysicalDeviceExternalSemaphoreProperties, device->physical, &info,
		&properties);
	return properties.externalSemaphoreFeatures;
}

/* A device with VK_KHR_external_semaphore_fd, where it claims what is asked for. */
static void
open_device(struct check *c, VkExternalSemaphoreFeatureFlags feature, struct check_device *out)
{
	static const char *const name = VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME;
	const struct check_device_request request = {.extensions = &name, .extension_count = 1};
	struct check_icd icd;

	check_open_icd(c, &icd);
	check_make_plain_device(c, NULL, out);
	if (!(features_of(c, out) & feature))
		check_not_applicable(c,
			"it doesn't claim SYNC_FD: the adapter waits for fences, and makes them");
	CHECK(c, check_device_extension(c, out->physical, name),
		"it claims SYNC_FD, and doesn't list %s", name);
	check_destroy_device(c, out);
	check_make_plain_device(c, &request, out);
}

static void
submit(struct check *c, const struct check_device *device, VkSemaphore wait, VkSemaphore signal)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = wait != VK_NULL_HANDLE,
		.pWaitSemaphores = &wait,
		.pWaitDstStageMask = &stage,
		.signalSemaphoreCount = signal != VK_NULL_HANDLE,
		.pSignalSemaphores = &signal,
	};

	CHECK_SUCCESS(c, vkQueueSubmit, device->queues[0], 1, &info, VK_NULL_HANDLE);
}

static void
exports(struct check *c)
{
	const VkExportSemaphoreCreateInfo exported = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
	};
	const VkSemaphoreCreateInfo create = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &exported};
	VkSemaphoreGetFdInfoKHR get = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
	};
	struct check_device device;
	int fd = -2;

	open_device(c, VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT, &device);
	CHECK_SUCCESS(c, vkCreateSemaphore, device.device, &create, NULL, &get.semaphore);
	submit(c, &device, VK_NULL_HANDLE, get.semaphore);
	CHECK_SUCCESS(c, vkGetSemaphoreFdKHR, device.device, &get, &fd);
	CHECK(c, fd >= -1, "vkGetSemaphoreFdKHR gave VK_SUCCESS and descriptor %d", fd);
	CHECK(c, fd < 0 || check_fence_status(c, fd) >= 0, "what it exported is no sync_file");
	CHECK(c, check_wait_fence(c, fd, 5000), "what it exported doesn't signal within 5 s");
}

static void
imports(struct check *c)
{
	const VkSemaphoreCreateInfo create = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	VkImportSemaphoreFdInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
		.flags = VK_SEMAPHORE_IMPORT_TEMPORARY_BIT,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
		.fd = -1,
	};
	struct check_device device;

	open_device(c, VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT, &device);
	CHECK_SUCCESS(c, vkCreateSemaphore, device.device, &create, NULL, &info.semaphore);
	CHECK_SUCCESS(c, vkImportSemaphoreFdKHR, device.device, &info);
	submit(c, &device, info.semaphore, VK_NULL_HANDLE);
	CHECK_SUCCESS(c, vkQueueWaitIdle, device.queues[0]);
}

/* A fence of the ICD: what the adapter makes a release fence of, where there is no SYNC_FD. */
static void
fences(struct check *c)
{
	struct check_device device;
	struct icd_buffer buffer;
	struct check_icd icd;

	check_open_icd(c, &icd);
	check_make_plain_device(c, NULL, &device);
	buffer = icd_make_buffer(c, &device, 1 << 20);
	for (uint32_t round = 1; round <= 20; round++) {
		VkCommandBuffer commands = icd_begin(c, &device);

		CHECK_CALL(c, vkCmdFillBuffer, commands, buffer.buffer, 0, VK_WHOLE_SIZE, round);
		icd_run(c, &device, commands);
		CHECK(c, ((volatile uint32_t *)(void *)buffer.data)[(1 << 18) - 1] == round,
			"its fence had signalled, and the work in front of it wasn't done");
	}
}

static const struct check_case rows[] = {
	{
		.name = "icd.fences_follow_the_work",
		.requirement = "W-08",
		.expected =
			"a VkFence signals when all that was submitted with it is done, and not before",
		.consequence = "windows show frames that are half drawn",
		.run = fences,
	},
	{
		.name = "icd.exports_sync_fds",
		.requirement = "W-08",
		.expected =
			"where it claims to export SYNC_FD, a submitted semaphore becomes a sync_file (or -1) that signals",
		.consequence = "consumers wait for ever, or read frames too early",
		.run = exports,
	},
	{
		.name = "icd.imports_sync_fds",
		.requirement = "W-07",
		.expected =
			"where it claims to import SYNC_FD, -1 is a semaphore that has signalled",
		.consequence = "the first frame never comes",
		.run = imports,
	},
};

const struct check_rows check_icd_sync = CHECK_ROWS(rows);
