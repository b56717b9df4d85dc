/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The application's allocation callbacks: what is asked of them for which lifetime, that all of it
 * comes back, and that each single failure is an error and undone.
 */
#include <stdlib.h>
#include <string.h>

#include "support.h"

#define MOST 256

/* Callbacks that know what they gave out. */
struct ledger {
	VkAllocationCallbacks callbacks;
	long fail_at; /* number of the allocation that fails; -1: none */
	long made;
	size_t alive;
	struct {
		void *memory;
		VkSystemAllocationScope scope;
	} given[MOST];
};

static void *VKAPI_CALL
give(void *data, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	struct ledger *ledger = data;
	void *memory;

	assert_true(size > 0);
	if (ledger->made++ == ledger->fail_at)
		return NULL;
	memory = aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
	assert_non_null(memory);
	memset(memory, 0xa5, size);
	assert_true(ledger->alive < MOST);
	ledger->given[ledger->alive].memory = memory;
	ledger->given[ledger->alive++].scope = scope;
	return memory;
}

static void VKAPI_CALL
take_back(void *data, void *memory)
{
	struct ledger *ledger = data;

	if (!memory)
		return;
	for (size_t i = 0; i < ledger->alive; i++) {
		if (ledger->given[i].memory != memory)
			continue;
		ledger->given[i] = ledger->given[--ledger->alive];
		free(memory);
		return;
	}
	fail_msg("memory is freed that wasn't given out");
}

static void *VKAPI_CALL
give_more(void *data, void *memory, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	fail_msg("nothing here needs to grow");
	return NULL;
}

static void
ledger_init(struct ledger *ledger, long fail_at)
{
	*ledger = (struct ledger){
		.callbacks = {ledger, give, give_more, take_back, NULL, NULL},
		.fail_at = fail_at,
	};
}

static size_t
count_alive(const struct ledger *ledger, VkSystemAllocationScope scope)
{
	size_t count = 0;

	for (size_t i = 0; i < ledger->alive; i++)
		count += ledger->given[i].scope == scope;
	return count;
}

static const char *const names[] = {
	"VK_KHR_surface", "VK_KHR_xcb_surface", "VK_KHR_display", "VK_EXT_debug_utils", NULL};

struct stack {
	struct fakes fakes;
	struct loader l;
	struct ledger ledger;
	VkDebugUtilsMessengerCreateInfoEXT messenger_info;
	VkDebugUtilsMessengerEXT messenger;
	VkSurfaceKHR surface;
	VkDevice device;
};

static void
open_stack(struct stack *s)
{
	*s = (struct stack){
		.messenger_info = kr_vulkan_messenger_info(
			VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, NULL, NULL),
	};
	open_fakes(&s->fakes);
	memcpy(s->fakes.a->instance_extensions, names, sizeof(names));
	memcpy(s->fakes.b->instance_extensions, names, sizeof(names));
	use_both_fakes();
	open_loader(&s->l);
}

static VkResult
make_stack_instance(struct stack *s)
{
	const struct kr_vulkan_instance_info info = {
		.chain = &s->messenger_info,
		.extensions = names,
		.allocator = &s->ledger.callbacks,
	};

	return try_instance_with(&s->l, &info);
}

static VkResult
make_stack_messenger(struct stack *s)
{
	return OF_INSTANCE(&s->l, vkCreateDebugUtilsMessengerEXT)(
		s->l.instance, &s->messenger_info, &s->ledger.callbacks, &s->messenger);
}

static VkResult
list_stack_devices(struct stack *s)
{
	s->l.device_count = KR_ARRAY_LEN(s->l.devices);
	return EXPORTED(&s->l, vkEnumeratePhysicalDevices)(
		s->l.instance, &s->l.device_count, s->l.devices);
}

/* With the driver's own, which is made at the first use. */
static VkResult
make_stack_surface(struct stack *s)
{
	const VkXcbSurfaceCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR};
	VkBool32 supported;
	VkResult result = EXPORTED(&s->l, vkCreateXcbSurfaceKHR)(
		s->l.instance, &info, &s->ledger.callbacks, &s->surface);

	if (result != VK_SUCCESS)
		return result;
	return EXPORTED(&s->l, vkGetPhysicalDeviceSurfaceSupportKHR)(
		s->l.devices[0], 0, s->surface, &supported);
}

/* The loader remembers whose each mode is. */
static VkResult
ask_stack_modes(struct stack *s)
{
	VkDisplayModePropertiesKHR mode;
	uint32_t count = 1;

	return EXPORTED(&s->l, vkGetDisplayModePropertiesKHR)(
		s->l.devices[0], VK_NULL_HANDLE, &count, &mode);
}

static VkResult
make_stack_device(struct stack *s)
{
	const struct kr_vulkan_device_info info = {.allocator = &s->ledger.callbacks};

	return kr_vulkan_create_device(
		EXPORTED(&s->l, vkCreateDevice), s->l.devices[0], &info, &s->device);
}

static const struct step {
	const char *name;
	VkResult (*run)(struct stack *s);
	VkSystemAllocationScope scope; /* of what stays */
} steps[] = {
	{"instance", make_stack_instance, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE},
	{"messenger", make_stack_messenger, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT},
	{"physical devices", list_stack_devices, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE},
	{"surface", make_stack_surface, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT},
	{"display modes", ask_stack_modes, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE},
	{"device", make_stack_device, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE},
};

static void
end_stack(struct stack *s)
{
	const VkAllocationCallbacks *allocator = &s->ledger.callbacks;

	if (s->device)
		EXPORTED(&s->l, vkDestroyDevice)(s->device, allocator);
	if (s->surface)
		EXPORTED(&s->l, vkDestroySurfaceKHR)(s->l.instance, s->surface, allocator);
	if (s->messenger)
		OF_INSTANCE(&s->l, vkDestroyDebugUtilsMessengerEXT)
	(s->l.instance, s->messenger, allocator);
	if (s->l.instance)
		EXPORTED(&s->l, vkDestroyInstance)(s->l.instance, allocator);
	s->device = VK_NULL_HANDLE;
	s->surface = VK_NULL_HANDLE;
	s->messenger = VK_NULL_HANDLE;
	s->l.instance = VK_NULL_HANDLE;
	assert_int_equal(s->ledger.alive, 0);
	for (int i = 0; i < 2; i++) {
		const struct fake_control *fake = i ? s->fakes.b : s->fakes.a;

		assert_int_equal(fake->instances, 0);
		assert_int_equal(fake->messengers, 0);
		assert_int_equal(fake->surfaces, 0);
		assert_int_equal(fake->devices, 0);
	}
}

static void
close_stack(struct stack *s)
{
	close_loader(&s->l);
	close_fakes(&s->fakes);
}

/*
 * K-36: what lives on was asked for with its own lifetime, and what is for one call
 * is gone after it.
 */
static void
memory_has_the_lifetime_it_was_asked_for(void **state)
{
	struct stack s;

	open_stack(&s);
	ledger_init(&s.ledger, -1);
	for (size_t i = 0; i < KR_ARRAY_LEN(steps); i++) {
		size_t before = count_alive(&s.ledger, steps[i].scope), total = s.ledger.alive;

		assert_int_equal(steps[i].run(&s), VK_SUCCESS);
		if (s.ledger.alive - total != count_alive(&s.ledger, steps[i].scope) - before ||
			s.ledger.alive == total)
			fail_msg("%s: memory of another lifetime stays", steps[i].name);
		assert_int_equal(count_alive(&s.ledger, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND), 0);
	}
	end_stack(&s);
	close_stack(&s);
}

/* Runs all steps; the given allocation of one fails. True when that step hasn't so many. */
static bool
attempt(struct stack *s, size_t failing, long number)
{
	VkResult result = VK_SUCCESS;
	bool reached = false;

	ledger_init(&s->ledger, -1);
	for (size_t i = 0; i < KR_ARRAY_LEN(steps) && result == VK_SUCCESS; i++) {
		s->ledger.fail_at = i == failing ? s->ledger.made + number : -1;
		result = steps[i].run(s);
		if (i == failing)
			reached = s->ledger.made > s->ledger.fail_at;
		if (result != VK_SUCCESS && result != VK_ERROR_OUT_OF_HOST_MEMORY)
			fail_msg("%s, allocation %ld: %d", steps[i].name, number, result);
		if (result != VK_SUCCESS && !(i == failing && reached))
			fail_msg("%s fails though nothing did", steps[i].name);
		if (result == VK_SUCCESS && i == failing && reached)
			fail_msg("%s, allocation %ld: nobody noticed", steps[i].name, number);
	}
	end_stack(s);
	return !reached;
}

/* K-36 */
static void
each_failure_is_undone(void **state)
{
	struct stack s;

	open_stack(&s);
	for (size_t i = 0; i < KR_ARRAY_LEN(steps); i++) {
		long number = 0;

		while (!attempt(&s, i, number))
			number++;
		print_message("%s: %ld allocations\n", steps[i].name, number);
		assert_true(number > 0);
	}
	close_stack(&s);
}

static const struct kr_test tests[] = {
	KR_TEST(memory_has_the_lifetime_it_was_asked_for),
	KR_TEST(each_failure_is_undone),
};

KR_TEST_MAIN(tests)
