/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each allocation of the client fails once: nothing crashes, nothing stays open, and later all is
 * well.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/client.h"
#include "discover/discover.h"
#include "failing_alloc.h"
#include "support.h"

#define MAX_ALLOC 5000

/* How many drivers are found, or what the search returns. */
static int
search(void)
{
	const struct kr_discover_options options = {.service = kr_client_service()};
	struct kr_driver_list list;
	const struct kr_driver *driver;
	int ret = kr_discover_drivers(&options, &list);

	if (ret)
		return ret;
	kr_list_for_each (driver, &list.drivers, link)
		ret++;
	kr_driver_list_finish(&list);
	return ret;
}

static void
describe(void)
{
	struct kr_client_report report;

	if (kr_client_describe(&report))
		kr_client_report_finish(&report);
}

/* In a child: 0 when an allocation failed, 1 when none did; others are faults. */
static void
fail_one(long number)
{
	int fds = kr_test_count_fds(), ret;
	bool failed;

	failing_alloc_left = number;
	ret = search();
	describe();
	failed = failing_alloc_left < 0;
	failing_alloc_left = -1;
	if (ret < 0 && ret != -ENOMEM)
		_exit(2);
	/* What failed for want of memory is tried again, over the same connection or a new one. */
	if (search() != 2)
		_exit(3);
	kr_discover_end();
	kr_client_end();
	/* What is loaded keeps its descriptors: an index and a library each. */
	if (kr_test_count_fds() != fds + 4)
		_exit(4);
	_exit(!failed);
}

static void
fail_each(bool listing)
{
	struct fake_service *service = begin("fuchsia");
	int status = 0;

	atomic_store(&service->listing, listing);
	fake_offer(service, "0-a.so", TEST_ICD);
	fake_offer(service, "1-b.so", TEST_FAKE_B);
	for (long i = 0; WEXITSTATUS(status) != 1; i++) {
		pid_t child = fork();

		assert_true(i < MAX_ALLOC);
		if (!child)
			fail_one(i);
		assert_int_equal(waitpid(child, &status, 0), child);
		if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
			fail_msg("allocation %ld: %x", i, status);
	}
	fake_kill(service);
}

static void
searching_a_directory(void **state)
{
	fail_each(false);
}

static void
searching_a_listing(void **state)
{
	fail_each(true);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(searching_a_directory, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(searching_a_listing, KR_TEST_KEEPS_MEMORY),
};
KR_TEST_MAIN(tests)
