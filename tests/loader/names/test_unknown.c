/* SPDX-License-Identifier: Apache-2.0 */
/*
 * K-30: functions that no registry of ours knows. Those of the fake drivers are called
 * vkFutureSumOf* and add up seventeen parameters of all sizes, so that each register and the
 * stack must come through.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loader/handles/unknown_layout.h"
#include "support.h"

typedef double (*sum_fn)(void *object, int64_t a, float b, const int64_t *c, double d, int e, int f,
	int g, float h, double i, float j, double k, float l, double m, float n, int8_t o,
	int64_t p);

static const int64_t third = 1 << 16;

static void
expect_sum_of(PFN_vkVoidFunction function, void *object, bool odd)
{
	sum_fn sum;

	memcpy(&sum, &function, sizeof(sum));
	/* The first call looks for the function, the second finds it. */
	for (int i = 0; i < 2; i++)
		assert_true(sum(object, INT64_C(1) << 40, 1.5f, &third, 0.25, 2, 4, 8, 16.0f, 32.0,
				    64.0f, 128.0, 256.0f, 512.0, 1024.0f, -1, 4096) ==
			1099511627776.0 + 1.75 + 65536 + 14 + 2032 - 1 + 4096 + 0.5 * odd);
}

static void
expect_sum(PFN_vkVoidFunction function, void *object)
{
	expect_sum_of(function, object, false);
}

static void
test_of_physical_devices(void **state)
{
	PFN_vkVoidFunction function;
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	use_both_fakes();
	open_loader(&l);
	for (int round = 0; round < 2; round++) {
		make_instance(&l, NULL);
		function = l.gipa(l.instance, "vkFutureSumOfPhysicalDeviceKR");
		assert_non_null(function);
		assert_ptr_equal(l.gipa(l.instance, "vkFutureSumOfPhysicalDeviceKR"), function);
		assert_ptr_not_equal(
			l.gipa(l.instance, "vkFutureSumOfPhysicalDevice2KR"), function);
		expect_sum(function, l.devices[1]);
		assert_ptr_equal(fakes.b->seen_future, fakes.b->physical_devices[0]);
		assert_null(fakes.a->seen_future);
		expect_sum(function, l.devices[0]);
		assert_ptr_equal(fakes.a->seen_future, fakes.a->physical_devices[0]);
		assert_null(l.gipa(l.instance, "vkNoSuchFunction"));
		fakes.a->seen_future = fakes.b->seen_future = NULL;
		end_instance(&l);
	}
	close_loader(&l);
	close_fakes(&fakes);
}

/* Through one pointer for all devices, and their queues and command buffers. */
static void
test_of_devices(void **state)
{
	PFN_vkVoidFunction early, late;
	struct fakes fakes;
	struct loader l;
	VkDevice a, b;
	VkQueue queue;

	open_fakes(&fakes);
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, NULL);
	early = l.gipa(l.instance, "vkFutureSumOfDeviceKR");
	assert_non_null(early);
	a = make_device(&l, l.devices[0], NULL);
	b = make_device(&l, l.devices[1], NULL);
	late = l.gipa(l.instance, "vkFutureSumOfDevice2KR");
	assert_non_null(late);
	expect_sum(early, a);
	assert_ptr_equal(fakes.a->seen_future, a);
	assert_null(fakes.b->seen_future);
	expect_sum(late, b);
	assert_ptr_equal(fakes.b->seen_future, b);
	EXPORTED(&l, vkGetDeviceQueue)(b, 0, 0, &queue);
	expect_sum(early, queue);
	assert_ptr_equal(fakes.b->seen_future, queue);
	end_device(&l, a);
	end_device(&l, b);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

static void
call_in_child(PFN_vkVoidFunction function, void *object, const char *expected)
{
	int pipes[2], status;
	char said[1024] = "";
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		dup2(pipes[1], STDERR_FILENO);
		expect_sum(function, object);
		_exit(0);
	}
	close(pipes[1]);
	assert_true(read(pipes[0], said, sizeof(said) - 1) >= 0);
	close(pipes[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || !strstr(said, expected))
		fail_msg("status %x, said: %s", status, said);
}

/* One driver of two has it: the other's objects are refused with the function's name. */
static void
test_on_the_wrong_driver(void **state)
{
	struct fakes fakes;
	struct loader l;
	VkDevice b;

	open_fakes(&fakes);
	use_both_fakes();
	fakes.b->no_future = true;
	open_loader(&l);
	make_instance(&l, NULL);
	b = make_device(&l, l.devices[1], NULL);
	expect_sum(l.gipa(l.instance, "vkFutureSumOfPhysicalDeviceKR"), l.devices[0]);
	call_in_child(l.gipa(l.instance, "vkFutureSumOfPhysicalDeviceKR"), l.devices[1],
		"vkFutureSumOfPhysicalDeviceKR not supported for this physical device");
	call_in_child(l.gipa(l.instance, "vkFutureSumOfDeviceKR"), b,
		"vkFutureSumOfDeviceKR not supported for this device");
	end_device(&l, b);
	fakes.a->no_future = true;
	assert_null(l.gipa(l.instance, "vkFutureSumOfPhysicalDevice2KR"));
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* All places are used, none twice; the next instance has as many. */
static void
test_all_places(void **state)
{
	static const char *const kinds[] = {"PhysicalDevice", "Device"};
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	use_both_fakes();
	open_loader(&l);
	for (int i = 0; i < 4; i++) {
		VkDevice device;
		char name[64];

		make_instance(&l, NULL);
		device = make_device(&l, l.devices[1], NULL);
		/* The second time with every function found. */
		for (int n = 0; n < 2 * KR_UNKNOWN_SLOTS; n++) {
			snprintf(name, sizeof(name), "vkFutureSumOf%s%d", kinds[i % 2],
				n % KR_UNKNOWN_SLOTS);
			expect_sum_of(l.gipa(l.instance, name),
				i % 2 ? (void *)device : (void *)l.devices[1], n % 2);
		}
		snprintf(name, sizeof(name), "vkFutureSumOf%sTooMany", kinds[i % 2]);
		assert_null(l.gipa(l.instance, name));
		snprintf(name, sizeof(name), "vkFutureSumOf%s7", kinds[i % 2]);
		assert_non_null(l.gipa(l.instance, name));
		end_device(&l, device);
		end_instance(&l);
	}
	close_loader(&l);
	close_fakes(&fakes);
}

static const struct kr_test tests[] = {
	KR_TEST(test_of_physical_devices),
	KR_TEST(test_of_devices),
	KR_TEST(test_on_the_wrong_driver),
	KR_TEST(test_all_places),
};

KR_TEST_MAIN(tests)
