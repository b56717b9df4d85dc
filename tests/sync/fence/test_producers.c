/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a producer can try, beside test_attacks.c: he makes the socket himself, names it, sends what
 * he likes, keeps his end, shares it, or ties it into knots. His fence says whatever he likes; it
 * makes nobody hang, crash, leak or believe something of another's fence.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <krafla/sync.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <wchar.h>

#include "sync/wait/describe.h"
#include "sync/fence/name.h"
#include "sync/fence/packet.h"
#include "sync/fence/points.h"
#include "util/fd.h"

/* A fence as somebody makes it who follows no rule but that it be taken for one. */
static struct pair
make_raw(void)
{
	int ends[2], one = 1;

	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
	assert_int_equal(setsockopt(ends[1], SOL_SOCKET, SO_LOCK_FILTER, &one, sizeof(one)), 0);
	return (struct pair){ends[0], ends[1]};
}

static void
send_bytes(int fd, size_t size)
{
	static char zeros[1 << 20];

	assert_int_equal(send(fd, zeros, size, MSG_NOSIGNAL), size);
}

/* --- what is sent --- */

static void
expect_error_at_once(struct pair *pair)
{
	int merged;

	assert_int_equal(kr_fence_status(pair->fence), -EOWNERDEAD);
	assert_int_equal(kr_fence_wait(pair->fence, KR_FOREVER), -EOWNERDEAD);
	assert_int_equal(kr_fence_merge("m", pair->fence, -1, &merged), 0);
	assert_int_equal(kr_fence_status(merged), -EOWNERDEAD);
	close(merged);
}

static void
huge_packet(void **state)
{
	struct pair pair = make_raw();
	int size = 1 << 21;

	setsockopt(pair.producer, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	send_bytes(pair.producer, 150000);
	expect_error_at_once(&pair);
	close_pair(&pair);
}

static void
endless_packets(void **state)
{
	struct pair pair = make_raw();
	char packet[56] = {0};
	int sent = 0;

	while (sent < 100000 && send(pair.producer, packet, sizeof(packet), MSG_NOSIGNAL) > 0)
		sent++;
	assert_true(sent > 1 && sent < 100000);
	expect_error_at_once(&pair);
	close_pair(&pair);
}

/*
 * Lengths add up, so that he can say one thing and then another. Who has heard the first keeps to
 * it: a merge that has failed stays so.
 */
static void
packet_in_pieces(void **state)
{
	struct pair pair = make_raw(), other = make_pair("other");
	int merged;

	assert_int_equal(kr_fence_merge("m", pair.fence, other.fence, &merged), 0);
	send_bytes(pair.producer, 40);
	assert_int_equal(kr_fence_wait(merged, SOON), -EOWNERDEAD);
	send_bytes(pair.producer, 16);
	assert_int_equal(kr_fence_status(pair.fence), 1); /* his word, on his own fence */
	assert_int_equal(kr_fence_status(merged), -EOWNERDEAD);
	close(merged);
	close_pair(&pair);
	close_pair(&other);
	settle();
}

static void
half_close(void **state)
{
	static const int how[] = {SHUT_WR, SHUT_RDWR};

	for (int i = 0; i < 2; i++) {
		struct pair pair = make_raw();

		shutdown(pair.producer, how[i]);
		expect_error_at_once(&pair);
		close_pair(&pair);
	}
}

#define MANY_FDS 250 /* SCM_MAX_FD is 253 */

static void
send_with_fds(int socket, const int *fds, size_t count)
{
	static union {
		struct cmsghdr head;
		char space[CMSG_SPACE(MANY_FDS * sizeof(int))];
	} control;
	struct kr_sync_packet_head packet = {
		.magic = KR_SYNC_MAGIC, .version = KR_SYNC_VERSION, .status = 1, .timestamp = 5};
	struct iovec iov = {&packet, sizeof(packet)};
	struct msghdr msg = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(count * sizeof(int))};

	control.head = (struct cmsghdr){.cmsg_len = CMSG_LEN(count * sizeof(int)),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS};
	memcpy(CMSG_DATA(&control.head), fds, count * sizeof(int));
	assert_int_equal(sendmsg(socket, &msg, MSG_NOSIGNAL), sizeof(packet));
}

/* Descriptors that come with the packet reach nobody who reads fences. */
static void
packet_full_of_descriptors(void **state)
{
	struct pair pair = make_raw();
	int fds[MANY_FDS], before;
	struct sync_file_info *info;

	for (int i = 0; i < MANY_FDS; i++)
		fds[i] = STDERR_FILENO;
	send_with_fds(pair.producer, fds, MANY_FDS);
	before = kr_test_count_fds();
	for (int i = 0; i < 10; i++) {
		assert_int_equal(kr_fence_status(pair.fence), 1);
		assert_int_equal(kr_fence_signal_time(pair.fence), 5);
		info = sync_file_info(pair.fence);
		assert_non_null(info);
		sync_file_info_free(info);
	}
	assert_int_equal(kr_test_count_fds(), before);
	close_pair(&pair);
}

/* --- knots --- */

static int
count_sockets_named(const char *name)
{
	FILE *table = fopen("/proc/net/unix", "re");
	char line[512];
	int count = 0;

	while (table && fgets(line, sizeof(line), table))
		count += strstr(line, name) != NULL;
	if (table)
		fclose(table);
	return count;
}

/* A fence in its own queue keeps itself alive when all have closed it: the kernel collects it. */
static void
fence_in_its_own_queue(void **state)
{
	char name[64];

	snprintf(name, sizeof(name), "knot-%d", (int)getpid());
	for (int i = 0; i < 500; i++) {
		struct pair pair = make_pair(name);

		send_with_fds(pair.producer, &pair.fence, 1);
		assert_int_equal(kr_fence_status(pair.fence), 1);
		close_pair(&pair);
	}
	for (int i = 0; i < 3000 && count_sockets_named(name); i++) {
		struct pair other = make_pair("other"); /* whose end sets the collector off */

		close_pair(&other);
		poll(NULL, 0, 5);
	}
	assert_int_equal(count_sockets_named(name), 0);
}

/* Two, each in the other's queue, and the producer's own end in it: nobody hangs on them. */
static void
fences_in_each_other(void **state)
{
	struct pair a = make_raw(), b = make_raw();
	int merged;

	assert_int_equal(kr_fence_merge("m", a.fence, b.fence, &merged), 0);
	send_with_fds(a.producer, (int[]){b.fence, a.producer}, 2);
	send_with_fds(b.producer, (int[]){a.fence, b.producer, merged}, 3);
	assert_int_equal(kr_fence_wait(merged, SOON), 0);
	close(merged);
	close_pair(&a);
	close_pair(&b);
	settle();
}

/* --- the producer's end, kept --- */

/*
 * Handed on, it isn't dropped with its maker's death: the fence stays active as long as anybody has
 * it. Who waits has a deadline, and the log has a name and a process for it.
 */
static void
end_in_two_processes(void **state)
{
	struct kr_fence_description description;
	int channel[2], fence, producer;
	pid_t child;

	need_names();
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel), 0);
	child = fork();
	if (child == 0) {
		struct pair pair = make_pair("handed on");

		send_fd(channel[1], pair.fence);
		send_fd(channel[1], pair.producer);
		_exit(0);
	}
	fence = receive_fd(channel[0]);
	producer = receive_fd(channel[0]);
	assert_int_equal(wait_for(child), 0);
	assert_int_equal(kr_fence_status(fence), 0);
	assert_int_equal(kr_fence_wait(fence, kr_deadline_in(50 * KR_NSEC_PER_MSEC)), -ETIME);
	assert_int_equal(kr_fence_describe(fence, &description), 0);
	assert_int_equal(description.owner, child);
	assert_string_equal(description.name, "handed on");
	close(producer);
	assert_int_equal(kr_fence_status(fence), -EOWNERDEAD);
	close(fence);
	close(channel[0]);
	close(channel[1]);
}

/* Without the shutdown that ours have: what a consumer of his sends is his affair. */
static void
end_that_is_never_closed(void **state)
{
	struct pair pair = make_raw();
	char packet[56] = {0};

	assert_int_equal(send(pair.fence, packet, sizeof(packet), 0), 56);
	assert_int_equal(kr_fence_status(pair.fence), 0);
	send_bytes(pair.producer, 56);
	assert_int_equal(kr_fence_status(pair.fence), 1);
	assert_int_equal(kr_fence_wait(pair.fence, KR_FOREVER), 0);
	close(pair.producer); /* with his letter unread: a reset, which the status survives */
	pair.producer = -1;
	assert_true(kr_fence_status(pair.fence) == 1 || kr_fence_status(pair.fence) < 0);
	close_pair(&pair);
}

/* --- names --- */

static void
bind_raw(int fd, const char *text, size_t len)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	memcpy(address.sun_path + 1, text, len);
	if (bind(fd, (struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)))
		kr_test_skip("no-abstract-sockets", strerror(errno));
}

/*
 * As the C library reads it: UTF-8, and no character that steers a terminal, turns
 * text or hides in it.
 */
static bool
is_harmless(const char *text)
{
	wchar_t wide[KR_SYNC_TEXT];
	size_t len;

	if (strlen(text) >= KR_SYNC_TEXT || !setlocale(LC_CTYPE, "C.UTF-8"))
		return false;
	len = mbstowcs(wide, text, KR_SYNC_TEXT);
	if (len == (size_t)-1)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (wide[i] < ' ' || (wide[i] >= 0x7f && wide[i] < 0xa0) ||
			(wide[i] >= 0x202a && wide[i] <= 0x202e) ||
			(wide[i] >= 0x2066 && wide[i] <= 0x2069))
			return false;
	}
	return true;
}

static void
expect_harmless(const char *what, const char *text)
{
	if (!is_harmless(text))
		fail_msg("%s: '%s'", what, text);
}

/* All that tools and logs print of a fence with that name. */
static void
check_name(const char *prefix, const char *name)
{
	struct kr_fence_description description;
	char text[108], sentence[KR_FENCE_SENTENCE];
	struct pair pair = make_raw();
	struct sync_file_info *info;
	bool rename = prefix[4] == 'n';
	int len = snprintf(text, sizeof(text), "%s%s/%s", prefix, name, name);

	bind_raw(rename ? pair.fence : pair.producer, text, (size_t)len < 107 ? (size_t)len : 107);
	info = sync_file_info(pair.fence);
	assert_non_null(info);
	expect_harmless("name", info->name);
	expect_harmless("timeline", sync_get_fence_info(info)->obj_name);
	sync_file_info_free(info);
	assert_int_equal(kr_fence_describe(pair.fence, &description), 0);
	expect_harmless("description's name", description.name);
	expect_harmless("description's timeline", description.timeline);
	kr_fence_sentence(&description, sentence);
	assert_null(strchr(sentence, '\033'));
	assert_null(strchr(sentence, '\n'));
	close_pair(&pair);
}

static const char *const names[] = {"", "plain", "../../../etc/passwd", "\033[2J\033[31m",
	"a\nb\rc\tf", "\x7f\x01\x1f",
	"\xc2\x9b"
	"31m",
	"\x9b"
	"31m",
	"\xe2\x80\xae"
	"gnp.exe",
	"\xe2\x81\xa6x", "\xff\xfe\xfd", "\xc3", "\xe2\x82", "\xf0\x9f\x94", "\xf5\x80\x80\x80",
	"\xed\xa0\x80", "\xc0\xaf", "\xc3(", "\xe2(\xa1", "\xf0\x9f(\xa5",
	"caf\xc3\xa9 \xf0\x9f\x94\xa5", "%s%n%x", "'\"`$(reboot)", "/////",
	"very long name that is longer than anybody would have it"};

static void
hostile_names(void **state)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char prefix[64];

		snprintf(prefix, sizeof(prefix), "syncf/%d/%zx.1/", (int)getpid(), i);
		check_name(prefix, names[i]);
		snprintf(prefix, sizeof(prefix), "syncn/%d/%zx.1//0/", (int)getpid(), i);
		check_name(prefix, names[i]);
	}
}

/*
 * Numbers that are none, or too large: told as "not known", and the age of a fence is
 * never in the future.
 */
static void
hostile_numbers(void **state)
{
	static const char *const texts[] = {"syncf/-1/-1.-1/t/-1/n",
		("syncf/99999999999999999999/ffffffffffffffffff.ffffffffffffffffff/t/99999999999999999999/n"),
		"syncf///t//n", "syncf/1/1.7fffffffffffff/t/1/n", "syncf/x/y.z~~~/t/q/n", "syncf/",
		"syncf/1", "syncf/1/1.1/t/1/"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct kr_fence_description description;
		char sentence[KR_FENCE_SENTENCE];
		struct pair pair = make_raw();

		bind_raw(pair.producer, texts[i], strlen(texts[i]));
		assert_int_equal(kr_fence_describe(pair.fence, &description), 0);
		assert_true(description.created_ns <= kr_clock_now());
		assert_true(description.created_ns >= 0);
		assert_true(description.owner >= 0);
		kr_fence_sentence(&description, sentence);
		assert_true(strlen(sentence) < sizeof(sentence));
		close_pair(&pair);
	}
}

/* A name that says another process made it: who did is asked of the kernel. */
static void
name_of_another(void **state)
{
	struct kr_fence_description description;
	struct pair pair = make_raw();
	char text[64];

	snprintf(text, sizeof(text), "syncf/1/1.1/init/%d/not mine", (int)getpid());
	bind_raw(pair.producer, text, strlen(text));
	assert_int_equal(kr_fence_describe(pair.fence, &description), 0);
	assert_int_equal(description.owner, getpid());
	close_pair(&pair);
}

/* --- how many --- */

#define MOST 100000

static int *
make_many(int wanted, int *made)
{
	int *fds = calloc((size_t)wanted * 2, sizeof(int));

	assert_non_null(fds);
	for (*made = 0; *made < wanted; ++*made) {
		const struct kr_fence_label label = {"many", (uint64_t)*made, "one of many"};

		if (kr_fence_create(&label, &fds[2 * *made], &fds[2 * *made + 1]))
			break;
	}
	return fds;
}

/*
 * As many as descriptors allow, two each while they are active; all end, and their
 * descriptors with them.
 */
static void
hundred_thousand(void **state)
{
	struct rlimit limit;
	int wanted, made, *fds;
	char detail[64];

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	if (limit.rlim_max < 2 * MOST + 64) {
		limit.rlim_cur = limit.rlim_max = 2 * MOST + 64;
		if (setrlimit(RLIMIT_NOFILE, &limit))
			assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
		limit.rlim_cur = limit.rlim_max;
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	wanted = limit.rlim_max >= 2 * MOST + 64 ? MOST : (int)(limit.rlim_max - 64) / 2;
	fds = make_many(wanted, &made);
	for (int i = 0; i < made; i++)
		assert_int_equal(kr_fence_status(fds[2 * i + 1]), 0);
	for (int i = 0; i < made; i++)
		kr_fence_signal(fds[2 * i], i % 2 ? 1 : -EIO);
	for (int i = 0; i < made; i++) {
		assert_int_equal(kr_fence_status(fds[2 * i + 1]), i % 2 ? 1 : -EIO);
		close(fds[2 * i + 1]);
	}
	free(fds);
	assert_int_equal(made, wanted);
	printf("# %d fences alive at once\n", made);
	snprintf(detail, sizeof(detail), "%d fences were alive at once", made);
	if (made < MOST)
		kr_test_skip("few-descriptors", detail);
}

#define THREAD_TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	KR_TEST(huge_packet),
	KR_TEST(endless_packets),
	THREAD_TEST(packet_in_pieces),
	KR_TEST(half_close),
	KR_TEST(packet_full_of_descriptors),
	KR_TEST(fence_in_its_own_queue),
	THREAD_TEST(fences_in_each_other),
	KR_TEST(end_in_two_processes),
	KR_TEST(end_that_is_never_closed),
	THREAD_TEST(hostile_names), /* setlocale keeps memory */
	KR_TEST(hostile_numbers),
	KR_TEST(name_of_another),
	KR_TEST_SLOW(hundred_thousand, 0, 120),
};

KR_TEST_MAIN(tests)
