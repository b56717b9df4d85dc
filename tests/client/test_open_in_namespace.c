/* SPDX-License-Identifier: Apache-2.0 */
/* What drivers open files with (F-05), its wire form in bytes, and the header's helpers. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <krafla/driver_services.h>
#include "client/internal.h"
#include "support.h"

#define DEVICES KRAFLA_GPU_DEVICES

static int
open_it(const char *path)
{
	return krafla_open_in_namespace(kr_client_open_in_namespace, path);
}

static void
close_open(int fd)
{
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

static void
end(struct fake_service *service)
{
	kr_client_end();
	fake_kill(service);
}

static void
a_device_is_opened(void **state)
{
	struct fake_service *service = begin("fuchsia");
	char byte;
	int fd;

	fake_device(service, "dri/renderD128", "5");
	fd = open_it(DEVICES "/dri/renderD128");
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDWR);
	assert_int_equal(read(fd, &byte, 1), 1);
	assert_int_equal(byte, '5');
	close_open(fd);
	assert_int_equal(open_it(DEVICES "/dri/renderD129"), -ENOENT);
	assert_int_equal(atomic_load(&service->opened), 2);
	assert_int_equal(atomic_load(&service->connections), 1);
	end(service);
}

static void
the_devices_are_a_directory(void **state)
{
	struct fake_service *service = begin("linux");
	struct stat status;
	int fd;

	fake_device(service, "dri/card0", "");
	fd = open_it(DEVICES);
	assert_int_equal(fstatat(fd, "dri/card0", &status, 0), 0);
	close_open(fd);
	atomic_store(&service->listing, true);
	assert_int_equal(open_it(DEVICES), -EOPNOTSUPP);
	end(service);
}

/* Nothing above the devices, no second spelling of a name; the service isn't even asked. */
static void
escapes_are_refused(void **state)
{
	static const char *const paths[] = {DEVICES "X", DEVICES "Xdri/renderD128", DEVICES ".",
		DEVICES "/", DEVICES "/..", DEVICES "/../etc/passwd",
		DEVICES "/dri/../../../etc/passwd", DEVICES "/./dri", DEVICES "//dri/renderD128",
		DEVICES "/dri/", DEVICES "/dri/..", "", "relative", "../x", NULL};
	struct fake_service *service = begin("fuchsia");
	char longest[300] = DEVICES "/";

	for (size_t i = 0; i < KR_ARRAY_LEN(paths); i++) {
		int pair[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
		assert_int_equal(kr_client_open_in_namespace(paths[i], pair[1]),
			VK_ERROR_INITIALIZATION_FAILED);
		assert_int_equal(krafla_receive_opened(pair[0]), -EINVAL);
		close(pair[0]);
	}
	memset(longest + strlen(longest), 'x', 128);
	assert_int_equal(open_it(longest), -ENAMETOOLONG);
	assert_int_equal(atomic_load(&service->connections), 0);
	end(service);
}

/* Names that only begin alike are files as any other. */
static void
other_paths_are_the_processs_own(void **state)
{
	struct fake_service *service = begin("fuchsia");
	const char *file = kr_test_file("own", "yes");
	char byte;
	int fd = open_it(file);

	assert_int_equal(read(fd, &byte, 1), 1);
	assert_int_equal(byte, 'y');
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	close_open(fd);
	close_open(open_it(kr_test_dir()));
	assert_int_equal(open_it("/nowhere/at/all"), -ENOENT);
	assert_int_equal(open_it("/loader-gpu-device/dri"), -ENOENT);
	assert_int_equal(open_it("/..//loader-gpu-devices"), -ENOENT);
	assert_int_equal(atomic_load(&service->connections), 0);
	end(service);
}

/* T-02: drivers that are built today read these bytes for good. */
static void
wire_form_in_bytes(void **state)
{
	static const uint8_t opened[4] = {0, 0, 0, 0};
	static const uint8_t no_entry[4] = {2, 0, 0, 0}; /* ENOENT, on a little-endian machine */
	static const int types[] = {SOCK_SEQPACKET, SOCK_STREAM, SOCK_DGRAM};
	struct fake_service *service = begin("fuchsia");

	fake_device(service, "dri/renderD128", "5");
	for (size_t i = 0; i < 2 * KR_ARRAY_LEN(types); i++) {
		bool exists = i % 2;
		union {
			struct cmsghdr align;
			char bytes[256];
		} control;
		uint8_t bytes[16];
		struct iovec iov = {bytes, sizeof(bytes)};
		struct msghdr msg = {.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = control.bytes,
			.msg_controllen = sizeof(control.bytes)};
		int pair[2], fd;

		assert_int_equal(socketpair(AF_UNIX, types[i / 2] | SOCK_CLOEXEC, 0, pair), 0);
		assert_int_equal(
			kr_client_open_in_namespace(
				exists ? DEVICES "/dri/renderD128" : DEVICES "/no", pair[1]),
			exists ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED);
		assert_int_equal(recvmsg(pair[0], &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC), 4);
		assert_memory_equal(bytes, exists ? opened : no_entry, 4);
		if (exists) {
			assert_int_equal(CMSG_FIRSTHDR(&msg)->cmsg_level, SOL_SOCKET);
			assert_int_equal(CMSG_FIRSTHDR(&msg)->cmsg_type, SCM_RIGHTS);
			assert_int_equal(CMSG_FIRSTHDR(&msg)->cmsg_len, CMSG_LEN(sizeof(int)));
			memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
			close_open(fd);
		} else {
			assert_int_equal(msg.msg_controllen, 0);
		}
		/* Once: then the end is closed. */
		if (types[i / 2] != SOCK_DGRAM)
			assert_int_equal(recv(pair[0], bytes, sizeof(bytes), MSG_DONTWAIT), 0);
		close(pair[0]);
	}
	end(service);
}

static void
services_that_are_wrong(void **state)
{
	static const struct {
		enum fake_fault fault;
		int error;
	} cases[] = {
		{FAKE_DEVICE_NO_FD, -EPROTO},
		{FAKE_REFUSES, -EREMOTEIO},
		{FAKE_WRONG_TYPE, -EPROTO},
		{FAKE_WORKS, -ENOTCONN},
	};
	struct fake_service *service = begin("fuchsia");

	fake_device(service, "dri/renderD128", "5");
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		atomic_store(&service->fault, cases[i].fault);
		assert_int_equal(open_it(DEVICES "/dri/renderD128"), cases[i].error);
	}
	set_variable("KRAFLA_SERVICE", "none");
	assert_int_equal(open_it(DEVICES "/dri/renderD128"), -ENOTCONN);
	end(service);
}

static void
sockets_that_are_wrong(void **state)
{
	struct fake_service *service = begin("fuchsia");
	int pair[2], pipes[2];

	assert_int_equal(kr_client_open_in_namespace("/", -1), VK_ERROR_INITIALIZATION_FAILED);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	close(pair[0]);
	assert_int_equal(kr_client_open_in_namespace("/", pair[1]), VK_ERROR_INITIALIZATION_FAILED);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	assert_int_equal(
		kr_client_open_in_namespace("/", pipes[1]), VK_ERROR_INITIALIZATION_FAILED);
	close(pipes[0]);
	end(service);
}

/* The helper of drivers trusts no answer. */
static void
answers_that_are_none(void **state)
{
	static const struct {
		int32_t number;
		size_t size;
		bool fd;
	} cases[] = {{0, 4, false}, {2, 4, true}, {-2, 4, false}, {2, 3, false}, {0, 3, true}};
	int pair[2];

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		struct iovec iov = {(void *)(uintptr_t)&cases[i].number, cases[i].size};
		union {
			struct cmsghdr align;
			char bytes[CMSG_SPACE(sizeof(int))];
		} control = {.align = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
		struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
		if (cases[i].fd) {
			memcpy(CMSG_DATA(&control.align), &pair[0], sizeof(int));
			msg.msg_control = control.bytes;
			msg.msg_controllen = sizeof(control.bytes);
		}
		assert_int_equal(sendmsg(pair[1], &msg, 0), cases[i].size);
		assert_int_equal(krafla_receive_opened(pair[0]), -EPROTO);
		close(pair[0]);
		close(pair[1]);
	}
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(krafla_receive_opened(pair[0]), -EAGAIN);
	close(pair[1]);
	assert_int_equal(krafla_receive_opened(pair[0]), -EPROTO);
	close(pair[0]);
}

/* --- services --- */

#define SERVICES KRAFLA_DRIVER_SERVICES

static int
listen_at(const char *name, int type)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", kr_test_path(name));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	if (type != SOCK_DGRAM)
		assert_int_equal(listen(fd, 1), 0);
	return fd;
}

static void
give_services(const char *format)
{
	char list[2048];
	const char *dir = kr_test_dir();

	snprintf(list, sizeof(list), format, dir, dir, dir, dir);
	set_variable("KRAFLA_DRIVER_SERVICES", list);
}

/* F-09: written to, whatever kind of socket it is. */
static void
services_are_written_to(void **state)
{
	static const int types[] = {SOCK_DGRAM, SOCK_SEQPACKET, SOCK_STREAM};
	struct fake_service *service = begin("fuchsia");

	give_services("+log=%s/log:+tracing=%s/tracing");
	for (size_t i = 0; i < KR_ARRAY_LEN(types); i++) {
		const char *name = i % 2 ? "tracing" : "log";
		int listening = listen_at(name, types[i]), end = listening, fd;
		char line[64] = "";

		fd = krafla_open_service(kr_client_open_in_namespace, name);
		assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
		if (types[i] != SOCK_DGRAM)
			end = accept(listening, NULL, NULL);
		assert_int_equal(
			krafla_service_log(fd, KRAFLA_LOG_INFO, "drv", "%d devices", 2), 0);
		assert_int_equal(recv(end, line, sizeof(line), 0), 18);
		assert_string_equal(line, "<14>drv: 2 devices");
		close_open(fd);
		if (end != listening)
			close(end);
		close(listening);
		assert_int_equal(unlink(kr_test_path(name)), 0);
	}
	/* The loader service isn't asked for them. */
	assert_int_equal(atomic_load(&service->connections), 0);
	end(service);
}

/* F-05, F-09: what is there and isn't safe for all of the process's children is given to none. */
static void
unsafe_services_are_refused(void **state)
{
	struct fake_service *service = begin("fuchsia");
	int log = listen_at("log", SOCK_DGRAM), mine = listen_at("mine", SOCK_DGRAM), fd;

	give_services("mine=%s/mine:+log=%s/log");
	assert_int_equal(open_it(SERVICES "/mine"), -EACCES);
	close_open(open_it(SERVICES "/log"));
	/* The first entry counts: nobody behind it makes it safe. */
	give_services("mine=%s/mine:+mine=%s/mine");
	assert_int_equal(open_it(SERVICES "/mine"), -EACCES);
	give_services("+mine=%s/mine");
	fd = open_it(SERVICES "/mine");
	close_open(fd);
	close(log);
	close(mine);
	end(service);
}

/* F-05: there is a list, and nothing beside it. */
static void
services_are_those_of_the_list(void **state)
{
	static const char *const names[] = {"", "Log", "../log", "log/", "lo g", "log:+x",
		"0123456789012345678901234567890123456789012345678901234567890123"};
	struct fake_service *service = begin("fuchsia");
	int log = listen_at("log", SOCK_DGRAM);
	char path[256];

	assert_int_equal(open_it(SERVICES "/log"), -ENOENT);
	give_services("+log=%s/log:+gone=%s/gone:+relative=log:+none=:x:=:+long=%s"
		      "/0123456789012345678901234567890123456789012345678901234567890123456789"
		      "0123456789012345678901234567890123456789");
	close_open(open_it(SERVICES "/log"));
	assert_int_equal(open_it(SERVICES "/tracing"), -ENOENT);
	assert_int_equal(open_it(SERVICES "/lo"), -ENOENT);
	assert_int_equal(open_it(SERVICES "/log2"), -ENOENT);
	assert_int_equal(open_it(SERVICES "/x"), -ENOENT);
	assert_int_equal(open_it(SERVICES "/gone"), -ENOENT);
	assert_int_equal(open_it(SERVICES "/relative"), -EINVAL);
	assert_int_equal(open_it(SERVICES "/none"), -EINVAL);
	assert_int_equal(open_it(SERVICES "/long"), -EINVAL);
	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		snprintf(path, sizeof(path), SERVICES "/%s", names[i]);
		assert_int_equal(open_it(path), -EINVAL);
	}
	/* Nobody listens any more. */
	close(log);
	assert_int_equal(open_it(SERVICES "/log"), -ECONNREFUSED);
	end(service);
}

/* A service that doesn't read costs a line, and no frame. */
static void
service_that_does_not_read(void **state)
{
	struct fake_service *service = begin("fuchsia");
	int log = listen_at("log", SOCK_DGRAM), fd, err = 0;
	char text[2000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	give_services("+log=%s/log");
	fd = krafla_open_service(kr_client_open_in_namespace, "log");
	assert_true(fd >= 0);
	for (int i = 0; !err && i < 100000; i++)
		err = krafla_service_log(fd, KRAFLA_LOG_INFO, "drv", "%s", text);
	assert_int_equal(err, -EAGAIN);
	/* Lines are cut. */
	assert_int_equal(recv(log, text, sizeof(text), 0), 1000);
	close(log);
	assert_int_equal(krafla_service_log(fd, KRAFLA_LOG_INFO, "drv", "x"), -ECONNREFUSED);
	close_open(fd);
	end(service);
}

/* The variables of the environment stay with the process. */
#define TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	TEST(a_device_is_opened),
	TEST(the_devices_are_a_directory),
	TEST(escapes_are_refused),
	TEST(other_paths_are_the_processs_own),
	TEST(wire_form_in_bytes),
	TEST(services_that_are_wrong),
	TEST(sockets_that_are_wrong),
	TEST(answers_that_are_none),
	TEST(services_are_written_to),
	TEST(unsafe_services_are_refused),
	TEST(services_are_those_of_the_list),
	TEST(service_that_does_not_read),
};
KR_TEST_MAIN(tests)
