/* SPDX-License-Identifier: Apache-2.0 */
/* What the service answers, and when: over fake packages and devices. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness.h"
#include "rig.h"
#include "util/clock.h"
#include "wire/packet.h"
#include "wire/service.h"

static struct rig rig;

static void
start(void)
{
	rig_init(&rig);
	rig_start(&rig);
}

/* The package of an answer, by its text: the generation's name. */
static void
expect_package(int fd, uint32_t serial, const char *name)
{
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS];
	size_t count;
	char text[256];

	rig_receive(&rig, fd, &answer, fds, &count);
	assert_int_equal(answer.type, KR_LS_PACKAGE);
	assert_int_equal(answer.package.serial, serial);
	assert_int_equal(answer.package.kind, name ? KR_DELIVERY_MOUNT : KR_DELIVERY_NONE);
	assert_int_equal(count, name ? 1 : 0);
	if (name) {
		rig_read(fds[0], text, sizeof(text));
		assert_string_equal(text, name);
	}
}

static void
expect_refusal(const struct kr_ls_message *answer, uint32_t serial, int error)
{
	assert_int_equal(answer->type, KR_LS_REFUSED);
	assert_int_equal(answer->refused.serial, serial);
	assert_int_equal(answer->refused.error, error);
	assert_true(answer->refused.text[0]);
}

/* F-01: Fuchsia's three, and the bit of who may inspect. */
static void
features(void **state)
{
	const struct kr_ls_message hello = {.type = KR_LS_HELLO, .hello = {9}};
	const struct kr_ls_message ask = {.type = KR_LS_GET_FEATURES, .get_features = {5}};
	struct kr_ls_message answer;
	int fd;

	start();
	fd = rig_connect(&rig);
	rig_ask(&rig, fd, &hello, &answer, NULL, NULL);
	assert_int_equal(answer.type, KR_LS_WELCOME);
	assert_int_equal(answer.welcome.version, 1);
	assert_int_equal(answer.welcome.features, 1 | 2 | 4 | 8);
	assert_int_equal(answer.welcome.max_requests, 16);
	rig_ask(&rig, fd, &ask, &answer, NULL, NULL);
	assert_int_equal(answer.type, KR_LS_FEATURES);
	assert_int_equal(answer.features.serial, 5);
	assert_int_equal(answer.features.features, 1 | 2 | 4 | 8);
	close(fd);
	rig_finish(&rig);
}

/* F-01: a known name is answered at once, also while devices are being looked at. */
static void
get_known(void **state)
{
	const struct kr_ls_message get = rig_get(3, "0-a.so");
	int fd;

	start();
	fd = rig_client(&rig);
	fake_offer("0-a.so", "a");
	rig_send(fd, &get);
	expect_package(fd, 3, "0-a.so");
	close(fd);
	rig_finish(&rig);
}

/* F-01: a name that isn't known is parked until it is. */
static void
get_parked_until_known(void **state)
{
	const struct kr_ls_message first = rig_get(3, "1-b.so"), second = rig_get(4, "0-a.so");
	int fd;

	start();
	fd = rig_client(&rig);
	rig_send(fd, &first);
	rig_send(fd, &second);
	rig_expect_silence(&rig, fd);
	fake_offer("0-a.so", "a");
	expect_package(fd, 4, "0-a.so");
	rig_expect_silence(&rig, fd);
	fake_offer("1-b.so", "b");
	expect_package(fd, 3, "1-b.so");
	close(fd);
	rig_finish(&rig);
}

/* F-01: or until the service is idle; then there is none, which is success. */
static void
get_parked_until_idle(void **state)
{
	const struct kr_ls_message get = rig_get(3, "0-none.so");
	int fd;

	start();
	fd = rig_client(&rig);
	rig_send(fd, &get);
	rig_expect_silence(&rig, fd);
	fake_set_idle(true);
	expect_package(fd, 3, NULL);
	rig_send(fd, &get);
	expect_package(fd, 3, NULL);
	close(fd);
	rig_finish(&rig);
}

static void
get_strict(void **state)
{
	struct kr_ls_message get = rig_get(3, "0-a.so"), answer;
	int fds[KR_LS_MAX_FDS];
	size_t count;
	int fd;

	start();
	fake.files = 30;
	fake_offer("0-a.so", "a");
	fd = rig_client(&rig);
	get.get.options = KR_SERVICE_GET_STRICT;
	rig_ask(&rig, fd, &get, &answer, fds, &count);
	assert_int_equal(answer.package.kind, KR_DELIVERY_MEMORY);
	assert_int_equal(count, 31);
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	/* A later version's option can't be obeyed, so it isn't passed over. */
	get.get.options = 2;
	rig_ask(&rig, fd, &get, &answer, NULL, NULL);
	expect_refusal(&answer, 3, EINVAL);
	close(fd);
	rig_finish(&rig);
}

static void
expect_manifests(int fd, uint32_t serial, const char *listing)
{
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS];
	size_t count;
	char text[512];

	rig_receive(&rig, fd, &answer, fds, &count);
	assert_int_equal(answer.type, KR_LS_MANIFESTS);
	assert_int_equal(answer.manifests.serial, serial);
	assert_int_equal(count, 1);
	rig_read(fds[0], text, sizeof(text));
	assert_string_equal(text, listing);
}

/* M-02: at once, or when idle if that was asked for; other requests don't wait behind it. */
static void
manifests_wait_for_idle(void **state)
{
	const struct kr_ls_message now = {.type = KR_LS_MANIFEST_FS, .manifest_fs = {1, 0}};
	const struct kr_ls_message idle = {
		.type = KR_LS_MANIFEST_FS, .manifest_fs = {2, KR_SERVICE_WAIT_FOR_IDLE}};
	int fd;

	start();
	fd = rig_client(&rig);
	rig_send(fd, &idle);
	rig_expect_silence(&rig, fd);
	rig_send(fd, &now);
	expect_manifests(fd, 1, "{}");
	fake_offer("0-a.so", "a");
	rig_expect_silence(&rig, fd);
	fake_set_idle(true);
	expect_manifests(fd, 2,
		"{\"0-a.so.json\": \"{\\\"ICD\\\": {\\\"library_path\\\": \\\"0-a.so\\\"}}\"}");
	fake_retire("0-a.so");
	rig_send(fd, &idle);
	expect_manifests(fd, 2, "{}");
	close(fd);
	rig_finish(&rig);
}

/* F-01, M-02: nodes that were announced are listed and opened, and nothing else. */
static void
devices(void **state)
{
	const struct kr_ls_message list = {.type = KR_LS_DEVICE_FS, .device_fs = {1}};
	struct kr_ls_message node = {
		.type = KR_LS_OPEN_DEVICE, .open_device = {2, "class/gpu/000"}};
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS];
	size_t count;
	char text[64];
	int fd;

	start();
	snprintf(fake.node_path, sizeof(fake.node_path), "%s", kr_test_file("node", "5"));
	fake_node("class/gpu/000");
	fd = rig_client(&rig);
	rig_ask(&rig, fd, &list, &answer, fds, &count);
	assert_int_equal(answer.type, KR_LS_DEVICES);
	rig_read(fds[0], text, sizeof(text));
	assert_string_equal(text, "{\"class/gpu/000\": \"\"}");
	rig_ask(&rig, fd, &node, &answer, fds, &count);
	assert_int_equal(answer.type, KR_LS_DEVICE);
	assert_int_equal(answer.device.serial, 2);
	assert_int_equal(answer.device.error, 0);
	assert_int_equal(count, 1);
	assert_int_equal(write(fds[0], "5", 1), 1);
	rig_read(fds[0], text, sizeof(text));
	assert_string_equal(text, "5");
	strcpy(node.open_device.path, "../../etc/passwd");
	rig_ask(&rig, fd, &node, &answer, fds, &count);
	assert_int_equal(answer.device.error, ENOENT);
	assert_int_equal(count, 0);
	fake_node_gone("class/gpu/000");
	strcpy(node.open_device.path, "class/gpu/000");
	rig_ask(&rig, fd, &node, &answer, fds, &count);
	assert_int_equal(answer.device.error, ENOENT);
	close(fd);
	rig_finish(&rig);
}

static int
listen_for_drivers(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static struct kr_config_service *
give_services(void)
{
	struct kr_config_service *list = calloc(3, sizeof(*list));

	assert_non_null(list);
	list[0] = (struct kr_config_service){strdup("log"), strdup(kr_test_path("log")), true};
	list[1] = (struct kr_config_service){strdup("mine"), strdup(kr_test_path("mine")), false};
	list[2] = (struct kr_config_service){strdup("gone"), strdup(kr_test_path("gone")), true};
	return list;
}

/* F-09: services for drivers: of the list, and of that what is safe for all clients. */
static void
driver_services(void **state)
{
	static const struct {
		const char *name;
		int error;
	} cases[] = {{"mine", EACCES}, {"gone", ENOENT}, {"none", ENOENT}, {"../log", ENOENT}};
	struct kr_ls_message open = {.type = KR_LS_OPEN_SERVICE, .open_service = {7, "log"}};
	const struct kr_ls_message ask = {.type = KR_LS_GET_FEATURES, .get_features = {5}};
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS], fd, log, mine;
	char text[8] = "";
	size_t count;

	rig_init(&rig);
	rig.config.services = give_services();
	rig.config.service_count = 3;
	rig_start(&rig);
	log = listen_for_drivers(kr_test_path("log"));
	mine = listen_for_drivers(kr_test_path("mine"));
	fd = rig_client(&rig);
	rig_ask(&rig, fd, &ask, &answer, NULL, NULL);
	assert_int_equal(answer.features.features, 1 | 2 | 4 | 8 | 16);
	rig_ask(&rig, fd, &open, &answer, fds, &count);
	assert_int_equal(answer.type, KR_LS_SERVICE);
	assert_int_equal(answer.service.serial, 7);
	assert_int_equal(answer.service.error, 0);
	assert_int_equal(count, 1);
	assert_int_equal(write(fds[0], "line", 4), 4);
	assert_int_equal(recv(log, text, sizeof(text), 0), 4);
	assert_string_equal(text, "line");
	close(fds[0]);
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		strcpy(open.open_service.name, cases[i].name);
		rig_ask(&rig, fd, &open, &answer, fds, &count);
		assert_int_equal(answer.type, KR_LS_SERVICE);
		assert_int_equal(answer.service.error, cases[i].error);
		assert_int_equal(count, 0);
	}
	close(log);
	close(mine);
	close(fd);
	rig_finish(&rig);
}

/*
 * F-02: who was there before a package was replaced gets what he read about; who came later
 * doesn't.
 */
static void
retired_generations(void **state)
{
	const struct kr_ls_message get = rig_get(3, "0-a.so");
	int old, young;

	start();
	fake_set_idle(true);
	fake_offer("0-a.so", "a");
	old = rig_client(&rig);
	fake_retire("0-a.so");
	fake_offer("1-a.so", "a");
	young = rig_client(&rig);
	fake_set_idle(false);
	rig_send(old, &get);
	expect_package(old, 3, "0-a.so");
	fake_set_idle(true);
	rig_send(young, &get);
	expect_package(young, 3, NULL);
	/* It is given up with the last client that may ask. */
	assert_int_equal(fake.generations, 2);
	close(old);
	rig_settle(&rig);
	assert_int_equal(fake.generations, 1);
	close(young);
	rig_finish(&rig);
}

/* Two of each package are kept, sixteen in all. */
static void
retired_generations_are_few(void **state)
{
	char name[32], package[32];
	int fd;

	start();
	fake_set_idle(true);
	fd = rig_client(&rig);
	for (int i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "%d-a.so", i);
		fake_offer(name, "a");
		fake_retire(name);
		assert_int_equal(fake.generations, i < 2 ? i + 1 : 2);
	}
	for (int i = 5; i < 40; i++) {
		snprintf(name, sizeof(name), "%d-a.so", i);
		snprintf(package, sizeof(package), "p%d", i);
		fake_offer(name, package);
		fake_retire(name);
	}
	assert_int_equal(fake.generations, 16);
	close(fd);
	rig_settle(&rig);
	assert_int_equal(fake.generations, 0);
	rig_finish(&rig);
}

/* T-02: a request of a later version is refused, and the connection goes on. */
static void
unknown_requests(void **state)
{
	const uint8_t with_serial[] = {63, 0, 0, 0, 14, 0, 0, 0, 7, 6, 5, 4, 9, 9};
	const uint8_t without[] = {200, 0, 0, 0, 9, 0, 0, 0, 1};
	uint8_t longest[4096] = {0, 1, 0, 0, 0, 16, 0, 0, 1};
	struct kr_ls_message answer;
	int fd;

	start();
	fd = rig_client(&rig);
	assert_int_equal(kr_packet_send(fd, with_serial, sizeof(with_serial), NULL, 0), 0);
	rig_receive(&rig, fd, &answer, NULL, NULL);
	expect_refusal(&answer, 0x04050607, ENOSYS);
	assert_int_equal(kr_packet_send(fd, without, sizeof(without), NULL, 0), 0);
	rig_receive(&rig, fd, &answer, NULL, NULL);
	expect_refusal(&answer, 0, ENOSYS);
	assert_int_equal(kr_packet_send(fd, longest, sizeof(longest), NULL, 0), 0);
	rig_receive(&rig, fd, &answer, NULL, NULL);
	expect_refusal(&answer, 1, ENOSYS);
	close(fd);
	rig_finish(&rig);
}

/* What is short for a moment is had a moment later. */
static void
giving_is_tried_again(void **state)
{
	const struct kr_ls_message get = rig_get(3, "0-a.so");
	int fd;

	start();
	fake_offer("0-a.so", "a");
	fake.give_error = -EMFILE;
	fake.give_fails = 3;
	fd = rig_client(&rig);
	rig_send(fd, &get);
	expect_package(fd, 3, "0-a.so");
	assert_int_equal(fake.give_fails, 0);
	close(fd);
	rig_finish(&rig);
}

/* While a package is being copied nobody waits but who asked for it. */
static void
copying(void **state)
{
	const struct kr_ls_message get = rig_get(3, "0-a.so");
	const struct kr_ls_message ask = {.type = KR_LS_GET_FEATURES, .get_features = {5}};
	struct kr_ls_message answer;
	int fd, other, copied[2];

	start();
	assert_int_equal(pipe2(copied, O_CLOEXEC), 0);
	fake_offer("0-a.so", "a");
	fake.copied = copied[0];
	fd = rig_client(&rig);
	other = rig_client(&rig);
	rig_send(fd, &get);
	rig_expect_silence(&rig, fd);
	rig_ask(&rig, other, &ask, &answer, NULL, NULL);
	assert_int_equal(answer.type, KR_LS_FEATURES);
	rig_expect_silence(&rig, fd);
	assert_int_equal(write(copied[1], "", 1), 1);
	expect_package(fd, 3, "0-a.so");
	close(copied[0]);
	close(copied[1]);
	close(other);
	close(fd);
	rig_finish(&rig);
}

/* What can't be had is said, with its errno. */
static void
giving_fails(void **state)
{
	struct kr_ls_message get = rig_get(3, "0-a.so"), answer;
	int fd;

	start();
	fake_offer("0-a.so", "a");
	fake.give_error = -EIO;
	fake.give_fails = 1;
	fd = rig_client(&rig);
	rig_ask(&rig, fd, &get, &answer, NULL, NULL);
	expect_refusal(&answer, 3, EIO);
	rig_send(fd, &get);
	expect_package(fd, 3, "0-a.so");
	close(fd);
	rig_finish(&rig);
}

static const char *
text_of(const json_t *state, const char *object, const char *key)
{
	return json_string_value(json_object_get(json_object_get(state, object), key));
}

/* M-06: health goes from starting up to ok, or says what is wrong. */
static void
health(void **state)
{
	json_t *shown;
	int fd;

	start();
	fd = rig_client(&rig);
	shown = rig_inspect(&rig, fd);
	assert_string_equal(text_of(shown, "health", "state"), "starting up");
	json_decref(shown);
	fake_package("bad", "its manifest is no JSON");
	fake_set_idle(true);
	shown = rig_inspect(&rig, fd);
	assert_string_equal(text_of(shown, "health", "state"), "no driver");
	assert_int_equal(
		json_array_size(json_object_get(json_object_get(shown, "health"), "problems")), 2);
	json_decref(shown);
	fake_offer("0-a.so", "a");
	shown = rig_inspect(&rig, fd);
	assert_string_equal(text_of(shown, "health", "state"), "ok");
	json_decref(shown);
	close(fd);
	rig_finish(&rig);
}

/* A software driver that was configured and can't be had is named. */
static void
health_without_the_software_driver(void **state)
{
	const json_t *problems;
	json_t *shown;
	int fd;

	rig_init(&rig);
	rig.config.software = strdup("nowhere");
	rig_start(&rig);
	fake_package("other", NULL);
	fake_set_idle(true);
	fd = rig_client(&rig);
	shown = rig_inspect(&rig, fd);
	problems = json_object_get(json_object_get(shown, "health"), "problems");
	assert_int_equal(json_array_size(problems), 1);
	assert_non_null(strstr(json_string_value(json_array_get(problems, 0)),
		"the software driver 'nowhere' can't be offered"));
	json_decref(shown);
	close(fd);
	rig_finish(&rig);
}

/* M-06: Fuchsia's debug directories, as lists. */
static void
inspect_lists_both_trees(void **state)
{
	json_t *shown, *debug;
	int fd;

	start();
	fd = rig_client(&rig);
	fake_node("class/gpu/000");
	fake_offer_software("0-a.so", "a");
	fake.delivery = "memory";
	shown = rig_inspect(&rig, fd);
	debug = json_object_get(shown, "debug");
	assert_string_equal(
		json_string_value(json_array_get(json_object_get(debug, "device_fs"), 0)),
		"class/gpu/000");
	assert_string_equal(
		json_string_value(json_array_get(json_object_get(debug, "manifest_fs"), 0)),
		"0-a.so.json");
	/* The software driver, and memory where a mount would have been better. */
	assert_int_equal(json_array_size(json_object_get(shown, "fallbacks")), 2);
	json_decref(shown);
	fake_node_gone("class/gpu/000");
	fake_retire("0-a.so");
	shown = rig_inspect(&rig, fd);
	debug = json_object_get(shown, "debug");
	assert_int_equal(json_array_size(json_object_get(debug, "device_fs")), 0);
	assert_int_equal(json_array_size(json_object_get(debug, "manifest_fs")), 0);
	json_decref(shown);
	close(fd);
	rig_finish(&rig);
}

/* of a client nothing is kept but who it is, since when, and what it was given. */
static void
accounting(void **state)
{
	static const char *const members[] = {"pid", "uid", "connected_ms", "requests", "refused",
		"waiting", "unread_descriptors", "left", "thrown_out", "given"};
	const struct kr_ls_message get = rig_get(3, "0-a.so"), none = rig_get(4, "9-a.so");
	json_t *shown, *client, *given, *value;
	const char *key;
	int fd;

	start();
	fake_offer("0-a.so", "a");
	fake_set_idle(true);
	fd = rig_client(&rig);
	rig_send(fd, &get);
	expect_package(fd, 3, "0-a.so");
	rig_send(fd, &none);
	expect_package(fd, 4, NULL);
	shown = rig_inspect(&rig, fd);
	client = json_array_get(json_object_get(json_object_get(shown, "clients"), "list"), 0);
	json_object_foreach(client, key, value)
	{
		bool known = false;

		for (size_t i = 0; i < KR_ARRAY_LEN(members); i++)
			known |= !strcmp(members[i], key);
		assert_true(known);
	}
	assert_int_equal(json_integer_value(json_object_get(client, "pid")), getpid());
	assert_int_equal(json_integer_value(json_object_get(client, "uid")), getuid());
	assert_int_equal(json_integer_value(json_object_get(client, "requests")), 3);
	given = json_object_get(client, "given");
	assert_int_equal(json_integer_value(json_object_get(given, "mount")), 1);
	assert_int_equal(json_integer_value(json_object_get(given, "unknown")), 1);
	json_decref(shown);
	close(fd);
	/* The total outlives the client. */
	rig_settle(&rig);
	shown = kr_server_inspect(rig.server);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(shown, "deliveries"), "mount")),
		1);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(shown, "clients"), "connected")),
		0);
	json_decref(shown);
	rig_finish(&rig);
}

static void
a_second_service_finds_the_first(void **state)
{
	char *reason;
	int socket;

	start();
	assert_int_equal(kr_server_listen(rig.path, &socket, &reason), -EADDRINUSE);
	assert_non_null(strstr(reason, rig.path));
	free(reason);
	rig_finish(&rig);
	/* Nobody serves it any more, though it lies there. */
	assert_int_equal(kr_server_listen(rig.path, &socket, &reason), 0);
	assert_null(reason);
	close(socket);
}

static void
sockets_that_cannot_be(void **state)
{
	const char *file = kr_test_file("file", "something");
	char path[200], *reason;
	struct stat st;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int socket_fd, other;

	assert_int_equal(kr_server_listen(file, &socket_fd, &reason), -EEXIST);
	assert_non_null(strstr(reason, file));
	free(reason);
	assert_int_equal(stat(file, &st), 0);
	snprintf(path, sizeof(path), "%s/none/service", kr_test_dir());
	assert_int_equal(kr_server_listen(path, &socket_fd, &reason), -ENOENT);
	assert_non_null(strstr(reason, path));
	free(reason);
	memset(path, 'a', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(kr_server_listen(path, &socket_fd, &reason), -ENAMETOOLONG);
	free(reason);
	/* Served, though by something else. */
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/other", kr_test_dir());
	other = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(other, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(other, 1), 0);
	assert_int_equal(kr_server_listen(address.sun_path, &socket_fd, &reason), -EADDRINUSE);
	free(reason);
	close(other);
	/* Only its maker's, until he says otherwise. */
	snprintf(path, sizeof(path), "%s/service", kr_test_dir());
	assert_int_equal(kr_server_listen(path, &socket_fd, &reason), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	close(socket_fd);
}

static const struct kr_test tests[] = {
	KR_TEST(features),
	KR_TEST(get_known),
	KR_TEST(get_parked_until_known),
	KR_TEST(get_parked_until_idle),
	KR_TEST(get_strict),
	KR_TEST(manifests_wait_for_idle),
	KR_TEST(devices),
	KR_TEST(retired_generations),
	KR_TEST(retired_generations_are_few),
	KR_TEST(driver_services),
	KR_TEST(unknown_requests),
	KR_TEST(giving_is_tried_again),
	KR_TEST(copying),
	KR_TEST(giving_fails),
	KR_TEST(health),
	KR_TEST(health_without_the_software_driver),
	KR_TEST(inspect_lists_both_trees),
	KR_TEST(accounting),
	KR_TEST(a_second_service_finds_the_first),
	KR_TEST(sockets_that_cannot_be),
};

KR_TEST_MAIN(tests)
