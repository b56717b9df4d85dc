/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fences across network namespaces, each of which has abstract names of its own. Names can be bound
 * inside, so nothing is denied; but a listing (/proc/net/unix) shows only those of its own
 * namespace. Where they are denied altogether: the tests named unnamed-*, which run all others so,
 * and tests/integration/ test_unnamed.c.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sync/wait/describe.h"

struct worlds {
	int channel[2]; /* ours, the other's */
	pid_t child;
};

static bool
listed(const char *name)
{
	FILE *table = fopen("/proc/net/unix", "re");
	char line[512];
	bool found = false;

	while (table && fgets(line, sizeof(line), table))
		found |= strstr(line, name) != NULL;
	if (table)
		fclose(table);
	return found;
}

/* `run` in a process that has a network namespace of its own. */
static void
start(struct worlds *worlds, void (*run)(int channel))
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, worlds->channel), 0);
	worlds->child = fork();
	if (worlds->child == 0) {
		if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
			_exit(77);
		run(worlds->channel[1]);
		_exit(0);
	}
	close(worlds->channel[1]);
}

static void
finish(struct worlds *worlds)
{
	close(worlds->channel[0]);
	assert_int_equal(wait_for(worlds->child), 0);
}

static int
receive_or_skip(struct worlds *worlds)
{
	int fence = receive_fd(worlds->channel[0]);

	if (fence < 0 && wait_for(worlds->child) == 77)
		kr_test_skip("no-namespaces", NULL);
	assert_true(fence >= 0);
	return fence;
}

static void
wait_for_word(int channel)
{
	char byte;

	while (recv(channel, &byte, 1, 0) < 0 && errno == EINTR)
		;
}

static void
produce(int channel)
{
	struct pair pair = make_pair("from another world");

	send_fd(channel, pair.fence);
	wait_for_word(channel);
	signal_pair(&pair, 1);
}

/* It works, and whoever holds it can name it; a listing can't. */
static void
fence_of_another_namespace(void **state)
{
	struct kr_fence_description description;
	struct worlds worlds;
	int fence, renamed;

	need_names();
	start(&worlds, produce);
	fence = receive_or_skip(&worlds);
	assert_int_equal(kr_fence_status(fence), 0);
	assert_int_equal(kr_fence_describe(fence, &description), 0);
	assert_string_equal(description.name, "from another world");
	assert_int_equal(description.owner, worlds.child);
	assert_false(listed("from another world"));
	/* The socket belongs to that namespace, and so does its new name. */
	assert_int_equal(kr_fence_rename("renamed here", fence, &renamed), 0);
	assert_int_equal(kr_fence_describe(renamed, &description), 0);
	assert_string_equal(description.name, "renamed here");
	assert_false(listed("renamed here"));
	assert_int_equal(send(worlds.channel[0], "!", 1, 0), 1);
	assert_int_equal(kr_fence_wait(fence, SOON), 0);
	assert_int_equal(kr_fence_wait(renamed, SOON), 0);
	close(renamed);
	close(fence);
	finish(&worlds);
}

/* A merge of both worlds is listed where it was made. */
static void
merge_across_namespaces(void **state)
{
	struct pair own = make_pair("own");
	struct worlds worlds;
	int fence, merged;

	need_names();
	start(&worlds, produce);
	fence = receive_or_skip(&worlds);
	assert_int_equal(kr_fence_merge("of both worlds", fence, own.fence, &merged), 0);
	assert_true(listed("of both worlds"));
	signal_pair(&own, 1);
	assert_int_equal(kr_fence_status(merged), 0);
	assert_int_equal(send(worlds.channel[0], "!", 1, 0), 1);
	assert_int_equal(kr_fence_wait(merged, SOON), 0);
	close(merged);
	close(fence);
	close_pair(&own);
	finish(&worlds);
	settle();
}

static void
squat(int channel)
{
	struct pair pair = make_pair("squatter");

	send_fd(channel, pair.fence);
	wait_for_word(channel);
	close_pair(&pair);
}

/* Who dies there is heard of here. */
static void
death_in_another_namespace(void **state)
{
	struct worlds worlds;
	int fence;

	start(&worlds, squat);
	fence = receive_or_skip(&worlds);
	assert_int_equal(send(worlds.channel[0], "!", 1, 0), 1);
	assert_int_equal(kr_fence_wait(fence, SOON), -EOWNERDEAD);
	close(fence);
	finish(&worlds);
}

static const struct kr_test tests[] = {
	KR_TEST(fence_of_another_namespace),
	KR_TEST_FLAGS(merge_across_namespaces, KR_TEST_KEEPS_MEMORY),
	KR_TEST(death_in_another_namespace),
};

KR_TEST_MAIN(tests)
