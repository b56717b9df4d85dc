/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VkAllocationCallbacks on the whole stack: each allocation of instance, surface, device, swapchain
 * and frame objects fails once. Nothing crashes or stays behind, the next try works.
 */
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "harness.h"
#include "stack.h"

#define MAX_ALLOCATIONS 100000

enum stage {
	STAGE_INSTANCE,
	STAGE_SURFACE,
	STAGE_DEVICE,
	STAGE_SWAPCHAIN,
	STAGE_OBJECTS,
	STAGE_COUNT,
};

static const char *const stage_names[] = {"instance", "surface", "device", "swapchain", "objects"};

/* Threads of lavapipe allocate and free, too. */
struct budget {
	atomic_long left; /* allocations that succeed before one fails; negative: none fails */
	atomic_long made;
	atomic_long live;
};

static void *VKAPI_CALL
allocate(void *data, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	struct budget *budget = data;
	void *memory;

	if (atomic_fetch_sub(&budget->left, 1) == 0)
		return NULL;
	memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
	atomic_fetch_add(&budget->made, 1);
	atomic_fetch_add(&budget->live, memory != NULL);
	if (memory)
		memset(memory, 0xa5, size);
	return memory;
}

static void VKAPI_CALL
release(void *data, void *memory)
{
	struct budget *budget = data;

	atomic_fetch_sub(&budget->live, memory != NULL);
	free(memory);
}

static void *VKAPI_CALL
reallocate(void *data, void *memory, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	size_t old = memory ? malloc_usable_size(memory) : 0;
	void *bigger;

	if (size == 0) {
		release(data, memory);
		return NULL;
	}
	bigger = allocate(data, size, alignment, scope);
	if (!bigger)
		return NULL;
	if (memory)
		memcpy(bigger, memory, old < size ? old : size);
	release(data, memory);
	return bigger;
}

static VkResult
enter(struct app *app, enum stage stage)
{
	switch (stage) {
	case STAGE_INSTANCE:
		return app_open_instance(app, "VK_EXT_headless_surface", NULL);
	case STAGE_SURFACE:
		return app_create_headless_surface(app);
	case STAGE_DEVICE:
		return app_open_device(app, 0);
	case STAGE_SWAPCHAIN:
		return app_create_swapchain(app, VK_PRESENT_MODE_FIFO_KHR, 3, (VkExtent2D){64, 48});
	default:
		return app_create_frame_objects(app);
	}
}

/*
 * Runs the stages; of `failing`, the allocation of that number fails. True when it wasn't reached.
 */
static bool
attempt(enum stage failing, long number)
{
	struct budget budget = {.left = -1};
	const VkAllocationCallbacks callbacks = {
		.pUserData = &budget,
		.pfnAllocation = allocate,
		.pfnReallocation = reallocate,
		.pfnFree = release,
	};
	struct app app = {.allocator = &callbacks};
	VkResult result = VK_SUCCESS;
	bool reached = false;

	for (enum stage stage = 0; result == VK_SUCCESS && stage < STAGE_COUNT; stage++) {
		budget.left = stage == failing ? number : -1;
		result = enter(&app, stage);
		if (stage == failing)
			reached = budget.left < 0;
		if (result != VK_SUCCESS && !(stage == failing && reached))
			fail_msg("%s: %d although nothing failed", stage_names[stage], result);
	}
	budget.left = -1;
	if (reached && result != VK_SUCCESS && result != VK_ERROR_OUT_OF_HOST_MEMORY)
		fail_msg("%s, allocation %ld: result %d", stage_names[failing], number, result);
	if (result == VK_SUCCESS)
		assert_int_equal(app_frame(&app, UINT64_MAX, 1), VK_SUCCESS);
	app_close(&app);
	if (budget.live)
		fail_msg("%s, allocation %ld: %ld allocations are left", stage_names[failing],
			number, budget.live);
	return !reached;
}

static void
fail_everywhere(enum stack_driver driver, enum stage stage)
{
	long number = 0;

	/* Mesa's layer goes on with whatever its stack holds where a count couldn't be had. */
	setenv("NODEVICE_SELECT", "1", 1);
	stack_use(driver);
	while (!attempt(stage, number))
		assert_true(++number < MAX_ALLOCATIONS);
	print_message("%s: %ld allocations\n", stage_names[stage], number);
	assert_true(number > 0);
}

#define CASES(name, driver)                                                                        \
	static void name##_instance(void **state)                                                  \
	{                                                                                          \
		fail_everywhere(driver, STAGE_INSTANCE);                                           \
	}                                                                                          \
	static void name##_surface(void **state)                                                   \
	{                                                                                          \
		fail_everywhere(driver, STAGE_SURFACE);                                            \
	}                                                                                          \
	static void name##_device(void **state)                                                    \
	{                                                                                          \
		fail_everywhere(driver, STAGE_DEVICE);                                             \
	}                                                                                          \
	static void name##_swapchain(void **state)                                                 \
	{                                                                                          \
		fail_everywhere(driver, STAGE_SWAPCHAIN);                                          \
	}

CASES(lavapipe, STACK_LAVAPIPE)
CASES(null, STACK_NULL)
CASES(both, STACK_BOTH)

#define LEAVES (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS) /* what lavapipe and LLVM keep for good */

static const struct kr_test tests[] = {
	KR_TEST_SLOW(lavapipe_instance, LEAVES, 60),
	KR_TEST_SLOW(lavapipe_surface, LEAVES, 60),
	KR_TEST_SLOW(lavapipe_device, LEAVES, 60),
	KR_TEST_SLOW(lavapipe_swapchain, LEAVES, 60),
	KR_TEST_SLOW(null_instance, KR_TEST_KEEPS_MEMORY, 30),
	KR_TEST_SLOW(null_surface, KR_TEST_KEEPS_MEMORY, 30),
	KR_TEST_SLOW(null_device, KR_TEST_KEEPS_MEMORY, 30),
	KR_TEST_SLOW(null_swapchain, KR_TEST_KEEPS_MEMORY, 30),
	KR_TEST_SLOW(both_instance, LEAVES, 60),
	KR_TEST_SLOW(both_surface, LEAVES, 60),
	KR_TEST_SLOW(both_device, LEAVES, 60),
	KR_TEST_SLOW(both_swapchain, LEAVES, 60),
};

KR_TEST_MAIN(tests)
