/* SPDX-License-Identifier: Apache-2.0 */
/* Producers that lie, stop, die or come in crowds: the others go on (DESIGN rules 7 and 8). */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/log_budget.h"
#include "window/remote/message.h"

#define CROWD 80

static int
connect_raw(const struct rig *rig)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", rig->socket);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* The display closes this end; fails the test when it doesn't. An error message may come before. */
static void
expect_closed(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char bytes[512];
	ssize_t n;

	do {
		assert_int_equal(poll(&p, 1, 10000), 1);
		n = recv(fd, bytes, sizeof(bytes), 0);
	} while (n > 0);
}

static pid_t
start_producer(const struct rig *rig, const char *frames, const char *action)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl(PRODUCER, PRODUCER, rig->socket, frames, action, NULL);
		_exit(96);
	}
	assert_true(pid > 0);
	return pid;
}

static int
wait_for(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* */
static void
garbage_ends_its_connection_alone(void **state)
{
	struct rig rig = {0};
	struct kr_display_stats stats;
	struct kr_queue *queue;
	char junk[700];
	int raw;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	queue = rig_window(&rig, "honest");
	raw = connect_raw(&rig);
	memset(junk, 0xa5, sizeof(junk));
	assert_int_equal(send(raw, junk, sizeof(junk), 0), sizeof(junk));
	expect_closed(raw);
	close(raw);
	for (unsigned i = 0; i < 10; i++)
		rig_show_plain(queue, i);
	rig_wait_frames(&rig, 10);
	rig_close(queue);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.producers, 1);
	assert_int_equal(stats.rejected, 1);
}

/* Who has not said hello holds up nobody. */
static void
silent_connections_are_not_waited_for(void **state)
{
	struct rig rig = {0};
	struct kr_queue *queue;
	int raw;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	raw = connect_raw(&rig);
	queue = rig_window(&rig, "honest");
	for (unsigned i = 0; i < 10; i++)
		rig_show_plain(queue, i);
	rig_wait_frames(&rig, 10);
	rig_close(queue);
	rig_stop(&rig, NULL);
	close(raw);
}

static void
silent_connections_are_sent_away(void **state)
{
	struct rig rig = {0};
	struct kr_display_stats stats;
	int raw;

	rig_start(&rig, KR_CLOCK_REAL);
	raw = connect_raw(&rig);
	expect_closed(raw);
	close(raw);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.producers, 0);
	assert_int_equal(stats.rejected, 1);
}

static void
stopped_producer_holds_up_nobody(void **state)
{
	struct rig rig = {0};
	struct kr_display_config config = rig_config(KR_CLOCK_VIRTUAL);
	struct kr_queue *queue;
	pid_t pid;
	int status;

	config.idle_ns = 50 * KR_NSEC_PER_MSEC;
	rig_start_with(&rig, &config);
	pid = start_producer(&rig, "3", "stop");
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	/* The other window lies on top: nothing would be seen of what came with its first frame. */
	rig_wait_stat(&rig, shown, 3);
	queue = rig_window(&rig, "honest");
	for (unsigned i = 0; i < 200; i++)
		rig_show_plain(queue, i);
	rig_wait_stat(&rig, shown, 203);
	kill(pid, SIGKILL);
	wait_for(pid);
	rig_wait_gone(&rig, 1);
	rig_show_plain(queue, 1);
	rig_wait_stat(&rig, shown, 204);
	assert_int_equal(rig_pixel(&rig, 0, 0), rig_plain(0, 0, 1));
	rig_close(queue);
	rig_stop(&rig, NULL);
}

/* The fence of a dead process fails; its frames before that are shown, then its layer goes. */
static void
killed_producer_leaves(void **state)
{
	struct rig rig = {0};
	struct kr_display_stats stats;
	pid_t pid;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	pid = start_producer(&rig, "4", "hang");
	rig_wait_stat(&rig, queued, 5);
	rig_wait_frames(&rig, 4);
	kill(pid, SIGKILL);
	wait_for(pid);
	rig_wait_gone(&rig, 1);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.shown, 4);
	assert_int_equal(stats.failed, 1);
}

static void
what_a_dead_producer_queued_is_shown(void **state)
{
	struct rig rig = {0};
	struct kr_display_stats stats;
	pid_t pid;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	pid = start_producer(&rig, "90", "exit=5");
	assert_int_equal(WEXITSTATUS(wait_for(pid)), 5);
	rig_drain(&rig);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.shown, 90);
}

/*
 * something that is always readable and no fence must not spin the loop or reach the screen.
 */
static void
descriptor_that_is_no_fence(void **state)
{
	struct rig rig = {0};
	struct rig_frame frame = RIG_FRAME;
	struct kr_display_stats stats;
	struct kr_queue *queue;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	queue = rig_window(&rig, "liar");
	frame.fence = open("/dev/null", O_RDONLY | O_CLOEXEC);
	/* Refused here or there, as long as it isn't shown. */
	if (rig_try_show(queue, &frame, rig_plain, 1) == 0)
		rig_wait_gone(&rig, 1);
	rig_close(queue);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.shown, 0);
}

static void
crowds_are_kept_out(void **state)
{
	struct rig rig = {0};
	struct kr_queue *queue;
	int raw[CROWD];

	rig_start(&rig, KR_CLOCK_REAL);
	queue = rig_window(&rig, "first");
	for (unsigned i = 0; i < CROWD; i++)
		raw[i] = connect_raw(&rig);
	rig_wait_stat(&rig, rejected, CROWD + 1 - 64);
	rig_show_plain(queue, 1);
	rig_wait_frames(&rig, 1);
	rig_close(queue);
	for (unsigned i = 0; i < CROWD; i++)
		close(raw[i]);
	rig_stop(&rig, NULL);
}

static atomic_uint messages;

static void
count_messages(void *data, uint32_t bits, const char *message)
{
	atomic_fetch_add(&messages, 1);
}

/* Peers that come again and again to be cut off, more than can be told. */
static void
a_flood_is_told_briefly(void **state)
{
	struct rig rig = {0};
	int64_t begin = kr_clock_now();
	const char junk[64] = {1};

	rig_start(&rig, KR_CLOCK_REAL);
	kr_log_set_sink(count_messages, NULL);
	for (unsigned i = 0; i < 500; i++) {
		int raw = connect_raw(&rig);

		assert_int_equal(send(raw, junk, sizeof(junk), 0), sizeof(junk));
		expect_closed(raw);
		close(raw);
	}
	rig_stop(&rig, NULL);
	kr_log_set_sink(NULL, NULL);
	assert_in_range(atomic_load(&messages), 1,
		(KR_LOG_BUDGET + 1) * (2 + (kr_clock_now() - begin) / KR_NSEC_PER_SEC));
}

/* No descriptor left: the newcomer is refused, the loop doesn't spin, and later it works again. */
static void
no_descriptor_left(void **state)
{
	struct rig rig = {0};
	struct rlimit before, limit;
	struct kr_queue *queue;
	int raw, filler[64], count = 0;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	raw = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	getrlimit(RLIMIT_NOFILE, &before);
	limit = before;
	limit.rlim_cur = 64;
	setrlimit(RLIMIT_NOFILE, &limit);
	while (count < 64 && (filler[count] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
		count++;
	{
		struct sockaddr_un address = {.sun_family = AF_UNIX};

		snprintf(address.sun_path, sizeof(address.sun_path), "%s", rig.socket);
		assert_int_equal(connect(raw, (struct sockaddr *)&address, sizeof(address)), 0);
	}
	rig_wait_stat(&rig, rejected, 1);
	expect_closed(raw);
	close(raw);
	while (count > 0)
		close(filler[--count]);
	setrlimit(RLIMIT_NOFILE, &before);
	queue = rig_window(&rig, "later");
	rig_show_plain(queue, 1);
	rig_wait_frames(&rig, 1);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

static void
say(int socket, const struct kr_dp_message *message)
{
	assert_int_equal(kr_remote_send(socket, message, -1), 0);
}

/* messages of version 2 out of place, and of none. */
static void
messages_of_no_version_end_their_connection_alone(void **state)
{
	const struct kr_dp_message hello = {
		.type = KR_DP_HELLO2, .hello2 = {.hello = {.version = 2, .label = "liar"}}};
	const struct kr_dp_message third = {
		.type = KR_DP_HELLO2, .hello2 = {.hello = {.version = 3, .label = "liar"}}};
	const struct kr_dp_message wants = {.type = KR_DP_WANTS, .wants = {UINT64_MAX, 1}};
	const struct kr_dp_message frame = {.type = KR_DP_FRAME2, .frame2 = {.no_pixels = true}};
	const struct kr_dp_message *const bad[] = {&hello, &wants, &frame};
	static const uint8_t unknown[8] = {70, 0, 0, 0, 8};
	struct rig rig = {0};
	struct kr_queue *queue;
	int raw;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	queue = rig_window(&rig, "good");
	for (size_t i = 0; i < KR_ARRAY_LEN(bad) + 3; i++) {
		raw = connect_raw(&rig);
		if (i < KR_ARRAY_LEN(bad)) {
			say(raw, &hello);
			say(raw, bad[i]);
		} else if (i == KR_ARRAY_LEN(bad)) {
			say(raw, &third);
		} else if (i == KR_ARRAY_LEN(bad) + 1) {
			say(raw, &frame);
		} else {
			assert_int_equal(send(raw, unknown, sizeof(unknown), 0), sizeof(unknown));
		}
		expect_closed(raw);
		close(raw);
	}
	rig_show_plain(queue, 1);
	rig_wait_frames(&rig, 1);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

/*
 * one that never takes part, as its process never shows what it says: nobody waits for it.
 */
static void
a_count_that_is_forged_holds_up_nobody(void **state)
{
	const struct kr_dp_message hello = {.type = KR_DP_HELLO2,
		.hello2 = {.hello = {.version = 2, .label = "liar"}, .queued = UINT64_MAX}};
	struct rig rig = {0};
	struct kr_queue *queue;
	unsigned char bytes[128];
	int raw[8];

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	queue = rig_window(&rig, "good");
	for (size_t i = 0; i < KR_ARRAY_LEN(raw); i++) {
		raw[i] = connect_raw(&rig);
		say(raw[i], &hello);
		assert_true(recv(raw[i], bytes, sizeof(bytes), 0) > 0); /* welcome */
	}
	for (unsigned i = 0; i < KR_QUEUE_SLOTS; i++)
		rig_show_plain(queue, i);
	rig_wait_frames(&rig, KR_QUEUE_SLOTS);
	for (size_t i = 0; i < KR_ARRAY_LEN(raw); i++)
		close(raw[i]);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

static const struct kr_test tests[] = {
	KR_TEST(messages_of_no_version_end_their_connection_alone),
	KR_TEST(a_count_that_is_forged_holds_up_nobody),
	KR_TEST(garbage_ends_its_connection_alone),
	KR_TEST(silent_connections_are_not_waited_for),
	KR_TEST(silent_connections_are_sent_away),
	KR_TEST(stopped_producer_holds_up_nobody),
	KR_TEST(killed_producer_leaves),
	KR_TEST(what_a_dead_producer_queued_is_shown),
	KR_TEST(descriptor_that_is_no_fence),
	KR_TEST(crowds_are_kept_out),
	KR_TEST(no_descriptor_left),
	KR_TEST(a_flood_is_told_briefly),
};
KR_TEST_MAIN(tests)
