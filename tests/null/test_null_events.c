/* SPDX-License-Identifier: Apache-2.0 */
/* The null driver's events: the one effect of a command buffer that a program can see. */
#include "support.h"

struct rig {
	struct null_driver driver;
	VkCommandPool pool;
	VkCommandBuffer buffer;
	VkCommandBuffer secondary;
	VkEvent event;
};

static VkCommandBuffer
allocate_buffer(struct rig *rig, VkCommandBufferLevel level)
{
	VkCommandBufferAllocateInfo info = {
		VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, rig->pool, level, 1};
	VkCommandBuffer buffer;

	assert_int_equal(DEVICE_FN(&rig->driver, vkAllocateCommandBuffers)(
				 rig->driver.device, &info, &buffer),
		VK_SUCCESS);
	return buffer;
}

static void
start(struct rig *rig, const VkAllocationCallbacks *allocator)
{
	VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkEventCreateInfo event = {VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};

	open_icd(&rig->driver);
	assert_int_equal(DEVICE_FN(&rig->driver, vkCreateCommandPool)(
				 rig->driver.device, &pool, allocator, &rig->pool),
		VK_SUCCESS);
	rig->buffer = allocate_buffer(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	rig->secondary = allocate_buffer(rig, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
	assert_int_equal(DEVICE_FN(&rig->driver, vkCreateEvent)(
				 rig->driver.device, &event, NULL, &rig->event),
		VK_SUCCESS);
}

static void
finish(struct rig *rig, const VkAllocationCallbacks *allocator)
{
	DEVICE_FN(&rig->driver, vkDestroyEvent)(rig->driver.device, rig->event, NULL);
	DEVICE_FN(&rig->driver, vkDestroyCommandPool)(rig->driver.device, rig->pool, allocator);
	close_driver(&rig->driver);
}

static void
begin(struct rig *rig, VkCommandBuffer buffer)
{
	VkCommandBufferBeginInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};

	assert_int_equal(DEVICE_FN(&rig->driver, vkBeginCommandBuffer)(buffer, &info), VK_SUCCESS);
}

static VkResult
end(struct rig *rig, VkCommandBuffer buffer)
{
	return DEVICE_FN(&rig->driver, vkEndCommandBuffer)(buffer);
}

static void
record_set(struct rig *rig, VkCommandBuffer buffer)
{
	DEVICE_FN(&rig->driver, vkCmdSetEvent)
	(buffer, rig->event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
}

static void
submit(struct rig *rig, VkSemaphore wait, uint64_t value)
{
	VkSemaphoreSubmitInfo semaphore = {
		VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, NULL, wait, value};
	VkCommandBufferSubmitInfo buffer = {
		VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, NULL, rig->buffer};
	VkSubmitInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
		.waitSemaphoreInfoCount = wait != VK_NULL_HANDLE,
		.pWaitSemaphoreInfos = &semaphore,
		.commandBufferInfoCount = 1,
		.pCommandBufferInfos = &buffer,
	};

	assert_int_equal(DEVICE_FN(&rig->driver, vkQueueSubmit2)(
				 rig->driver.queue, 1, &info, VK_NULL_HANDLE),
		VK_SUCCESS);
}

static VkResult
status(struct rig *rig)
{
	return DEVICE_FN(&rig->driver, vkGetEventStatus)(rig->driver.device, rig->event);
}

static void
the_host_sets_and_resets(void **state)
{
	struct rig rig;

	start(&rig, NULL);
	assert_int_equal(status(&rig), VK_EVENT_RESET);
	DEVICE_FN(&rig.driver, vkSetEvent)(rig.driver.device, rig.event);
	assert_int_equal(status(&rig), VK_EVENT_SET);
	DEVICE_FN(&rig.driver, vkResetEvent)(rig.driver.device, rig.event);
	assert_int_equal(status(&rig), VK_EVENT_RESET);
	finish(&rig, NULL);
}

static void
commands_take_effect_when_their_batch_is_over(void **state)
{
	VkDependencyInfo none = {VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
	VkSemaphore semaphore;
	struct rig rig;

	start(&rig, NULL);
	semaphore = create_semaphore(&rig.driver, 0);
	begin(&rig, rig.buffer);
	record_set(&rig, rig.buffer);
	assert_int_equal(end(&rig, rig.buffer), VK_SUCCESS);
	submit(&rig, semaphore, 1);
	assert_int_equal(status(&rig), VK_EVENT_RESET);
	signal_host(&rig.driver, semaphore, 1);
	assert_int_equal(status(&rig), VK_EVENT_SET);
	/* The last command wins; what was recorded before is gone. */
	begin(&rig, rig.buffer);
	DEVICE_FN(&rig.driver, vkCmdSetEvent2)(rig.buffer, rig.event, &none);
	DEVICE_FN(&rig.driver, vkCmdResetEvent2)(rig.buffer, rig.event, 0);
	assert_int_equal(end(&rig, rig.buffer), VK_SUCCESS);
	submit(&rig, VK_NULL_HANDLE, 0);
	assert_int_equal(status(&rig), VK_EVENT_RESET);
	DEVICE_FN(&rig.driver, vkDestroySemaphore)(rig.driver.device, semaphore, NULL);
	finish(&rig, NULL);
}

static void
submit_of_the_first_kind_and_secondaries(void **state)
{
	struct rig rig;
	VkSubmitInfo info = {VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
		.pCommandBuffers = &rig.buffer};

	start(&rig, NULL);
	begin(&rig, rig.secondary);
	record_set(&rig, rig.secondary);
	assert_int_equal(end(&rig, rig.secondary), VK_SUCCESS);
	begin(&rig, rig.buffer);
	DEVICE_FN(&rig.driver, vkCmdResetEvent)(rig.buffer, rig.event, 0);
	DEVICE_FN(&rig.driver, vkCmdExecuteCommands)(rig.buffer, 1, &rig.secondary);
	assert_int_equal(end(&rig, rig.buffer), VK_SUCCESS);
	assert_int_equal(
		DEVICE_FN(&rig.driver, vkQueueSubmit)(rig.driver.queue, 1, &info, VK_NULL_HANDLE),
		VK_SUCCESS);
	assert_int_equal(status(&rig), VK_EVENT_SET);
	/* A pool that is reset takes its buffers' commands with it. */
	DEVICE_FN(&rig.driver, vkResetEvent)(rig.driver.device, rig.event);
	DEVICE_FN(&rig.driver, vkResetCommandPool)(rig.driver.device, rig.pool, 0);
	submit(&rig, VK_NULL_HANDLE, 0);
	assert_int_equal(status(&rig), VK_EVENT_RESET);
	finish(&rig, NULL);
}

static int allocations_left;

static void *VKAPI_CALL
allocate(void *data, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	return allocations_left-- > 0 ? malloc(size) : NULL;
}

static void VKAPI_CALL
release(void *data, void *memory)
{
	free(memory);
}

static void
recording_without_memory_fails_at_the_end(void **state)
{
	VkAllocationCallbacks callbacks = {.pfnAllocation = allocate, .pfnFree = release};
	struct rig rig;

	allocations_left = 4; /* the pool, two buffers, one command */
	start(&rig, &callbacks);
	begin(&rig, rig.buffer);
	record_set(&rig, rig.buffer);
	record_set(&rig, rig.buffer);
	assert_int_equal(end(&rig, rig.buffer), VK_ERROR_OUT_OF_HOST_MEMORY);
	begin(&rig, rig.buffer);
	record_set(&rig, rig.buffer);
	assert_int_equal(end(&rig, rig.buffer), VK_SUCCESS);
	finish(&rig, &callbacks);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(the_host_sets_and_resets, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(commands_take_effect_when_their_batch_is_over, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(submit_of_the_first_kind_and_secondaries, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(recording_without_memory_fails_at_the_end, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
