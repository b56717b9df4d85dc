/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a made-up device directory, and where news of them come from. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "deny.h"
#include "service/devices/devices.h"
#include "tests/service/files.h"
#include "util/clock.h"
#include "util/macros.h"

#define LIMIT (10 * KR_NSEC_PER_SEC)

static char dev[256], sys[256], events[16] = "inotify";
static struct kr_config config = {.dev = dev, .sys = sys, .events = events};
static struct kr_loop *loop;
static struct kr_devices *devices;
static unsigned changes;

static void
handle_change(void *data)
{
	changes++;
}

static const char *
path_of(const char *root, const char *below)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", root, below);
	return path;
}

static void
put(const char *root, const char *below, const char *text, mode_t mode)
{
	const char *path = path_of(root, below);
	int fd;

	make_folders(path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void
set_driver(const char *name, const char *driver)
{
	char below[128], target[128];
	const char *path;

	snprintf(below, sizeof(below), "class/drm/%s/device/driver", name);
	snprintf(target, sizeof(target), "/anywhere/%s", driver);
	path = path_of(sys, below);
	make_folders(path);
	assert_int_equal(symlink(target, path), 0);
}

static void
init(void)
{
	snprintf(dev, sizeof(dev), "%s/dev", kr_test_dir());
	snprintf(sys, sizeof(sys), "%s/sys", kr_test_dir());
	assert_int_equal(kr_loop_create(&loop), 0);
}

static void
start(int uevents)
{
	assert_int_equal(
		kr_devices_create(loop, &config, uevents, handle_change, NULL, &devices), 0);
	kr_devices_scan(devices);
}

static void
finish(void)
{
	kr_devices_destroy(devices);
	kr_loop_destroy(loop);
}

static const struct kr_node *
find(const char *path)
{
	const struct kr_node *node;

	kr_list_for_each (node, kr_devices_nodes(devices), link) {
		if (!strcmp(node->path, path))
			return node;
	}
	return NULL;
}

static void
run_until_change(void)
{
	const int64_t limit = kr_clock_now() + LIMIT;
	const unsigned before = changes;

	while (changes == before && kr_clock_now() < limit)
		assert_int_equal(kr_loop_step(loop, limit), 0);
	assert_int_not_equal(changes, before);
}

static void
run_a_while(void)
{
	const int64_t until = kr_clock_now() + 100 * KR_NSEC_PER_MSEC;

	while (kr_clock_now() < until)
		assert_int_equal(kr_loop_step(loop, until), 0);
}

static void
patterns_fit_names(void **state)
{
	static const struct {
		const char *pattern, *path;
		bool fits;
	} cases[] = {
		{"dri/renderD*", "dri/renderD128", true},
		{"dri/renderD*", "dri/renderD", true},
		{"dri/renderD*", "dri/card0", false},
		{"dri/renderD*", "renderD128", false},
		{"nvidia*", "nvidia-caps/cap1", false},
		{"*", "null", true},
		{"*", "dri/card0", false},
		{"a*c", "abcbc", true},
		{"a*c", "abcb", false},
		{"a**c", "ac", true},
		{"null", "null", true},
		{"null", "nul", false},
		{"nul", "null", false},
		{"", "null", false},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++)
		assert_int_equal(kr_node_fits(cases[i].pattern, cases[i].path), cases[i].fits);
}

static void
nodes_have_their_kernel_driver(void **state)
{
	init();
	put(dev, "dri/renderD128", "", 0666);
	put(dev, "dri/renderD129", "", 0666);
	put(dev, "dri/renderD130", "", 0666);
	put(dev, "nvidia0", "", 0666);
	put(dev, "mem", "", 0666);
	put(dev, "dri/other", "", 0666);
	set_driver("renderD128", "i915");
	put(sys, "class/drm/renderD129/device/uevent", "PCI_ID=1:2\nDRIVER=amdgpu\n", 0666);
	start(-1);
	assert_string_equal(find("dri/renderD128")->kernel_driver, "i915");
	assert_string_equal(find("dri/renderD129")->kernel_driver, "amdgpu");
	assert_null(find("dri/renderD130")->kernel_driver);
	assert_non_null(find("nvidia0"));
	assert_null(find("nvidia0")->kernel_driver);
	assert_null(find("mem"));
	assert_null(find("dri/other"));
	assert_int_equal(find("dri/renderD128")->error, 0);
	finish();
}

static void
directories_links_and_sockets_are_no_nodes(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	init();
	put(dev, "dri/renderD128", "", 0666);
	assert_int_equal(mkdir(path_of(dev, "dri/renderD129"), 0755), 0);
	assert_int_equal(symlink("renderD128", path_of(dev, "dri/renderD130")), 0);
	assert_true(strlen(path_of(dev, "dri/renderD131")) < sizeof(address.sun_path));
	strcpy(address.sun_path, path_of(dev, "dri/renderD131"));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	assert_int_equal(mkfifo(path_of(dev, "dri/renderD132"), 0666), 0);
	start(-1);
	assert_non_null(find("dri/renderD128"));
	assert_null(find("dri/renderD129"));
	assert_null(find("dri/renderD130"));
	assert_null(find("dri/renderD131"));
	assert_non_null(find("dri/renderD132"));
	finish();
}

/* As in sandboxes that are older than statx. */
static void
nodes_are_found_without_statx(void **state)
{
	kr_test_deny(SYS_statx, EPERM);
	directories_links_and_sockets_are_no_nodes(state);
}

/* Nothing in sysfs: the node itself is asked, which answers nothing here. */
static void
node_without_sysfs_is_asked_itself(void **state)
{
	init();
	put(dev, "dri/x", "", 0666);
	if (mknod(path_of(dev, "dri/renderD128"), S_IFCHR | 0666, makedev(226, 200)))
		kr_test_skip("no-root", strerror(errno));
	start(-1);
	assert_non_null(find("dri/renderD128"));
	assert_null(find("dri/renderD128")->kernel_driver);
	finish();
}

/* M-01 */
static void
nodes_come_and_go(void **state)
{
	init();
	put(dev, "dri/renderD128", "", 0666);
	start(-1);
	put(dev, "dri/renderD129", "", 0666);
	run_until_change();
	assert_non_null(find("dri/renderD129"));
	unlink(path_of(dev, "dri/renderD128"));
	run_until_change();
	assert_null(find("dri/renderD128"));
	put(dev, "kgsl-3d0", "", 0666);
	run_until_change();
	assert_non_null(find("kgsl-3d0"));
	finish();
}

/* M-01: from nothing at all, and again after all is gone. */
static void
directories_come_and_go(void **state)
{
	init();
	start(-1);
	for (int i = 0; i < 3; i++) {
		put(dev, "dri/renderD128", "", 0666);
		run_until_change();
		assert_non_null(find("dri/renderD128"));
		unlink(path_of(dev, "dri/renderD128"));
		rmdir(path_of(dev, "dri"));
		rmdir(dev);
		run_until_change();
		assert_null(find("dri/renderD128"));
	}
	finish();
}

static void
nothing_changes_by_what_does_not_matter(void **state)
{
	init();
	put(dev, "dri/renderD128", "", 0666);
	start(-1);
	put(dev, "tty0", "", 0666);
	put(dev, "dri/by-path/x", "", 0666);
	chmod(path_of(dev, "dri/renderD128"), 0600);
	run_a_while();
	assert_int_equal(changes, 0);
	finish();
}

static void
become(uid_t uid)
{
	assert_int_equal(seteuid(uid), 0);
}

/* Permissions are given after a node was made: until then it is young, for a second. */
static void
permissions_come_later(void **state)
{
	init();
	if (geteuid())
		kr_test_skip("no-root", NULL);
	put(dev, "dri/renderD127", "", 0600);
	chmod(kr_test_dir(), 0755);
	become(65534);
	start(-1);
	/* One that was there at the start isn't waited for. */
	assert_int_equal(find("dri/renderD127")->error, -EACCES);
	assert_false(find("dri/renderD127")->young);
	become(0);
	put(dev, "dri/renderD128", "", 0600);
	become(65534);
	run_until_change();
	assert_int_equal(find("dri/renderD128")->error, -EACCES);
	assert_true(find("dri/renderD128")->young);
	become(0);
	assert_int_equal(chmod(path_of(dev, "dri/renderD128"), 0666), 0);
	become(65534);
	run_until_change();
	assert_int_equal(find("dri/renderD128")->error, 0);
	assert_false(find("dri/renderD128")->young);
	become(0);
	put(dev, "dri/renderD129", "", 0600);
	become(65534);
	run_until_change();
	assert_true(find("dri/renderD129")->young);
	run_until_change();
	assert_false(find("dri/renderD129")->young);
	assert_int_equal(find("dri/renderD129")->error, -EACCES);
	become(0);
	finish();
}

/* --- uevents --- */

static int uevents, service_end;

/* A node whose kernel driver appears: that alone gives no event of a directory. */
static void
start_with_uevents(void)
{
	int pair[2];

	init();
	put(dev, "dri/renderD128", "", 0666);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	uevents = pair[0];
	service_end = pair[1];
	start(service_end);
	set_driver("renderD128", "i915");
	run_a_while();
	assert_null(find("dri/renderD128")->kernel_driver);
}

static void
finish_with_uevents(void)
{
	finish();
	close(uevents);
	close(service_end);
}

#define SEND(text) assert_int_equal(send(uevents, text, sizeof(text) - 1, 0), sizeof(text) - 1)

/* M-01 */
static void
uevent_of_the_kernel_is_followed(void **state)
{
	start_with_uevents();
	SEND("change@/devices/x\0ACTION=change\0SUBSYSTEM=net\0DEVNAME=net/tun\0");
	SEND("add@/devices/y\0ACTION=add\0SUBSYSTEM=usb\0DEVNAME=bus/usb/001/002\0");
	run_a_while();
	assert_null(find("dri/renderD128")->kernel_driver);
	SEND("add@/devices/z\0ACTION=add\0SUBSYSTEM=x\0DEVNAME=dri/renderD128\0");
	run_until_change();
	assert_string_equal(find("dri/renderD128")->kernel_driver, "i915");
	finish_with_uevents();
}

/* M-01 */
static void
uevent_of_udev_is_followed(void **state)
{
	static const char strings[] = "ACTION=add\0DEVNAME=/dev/dri/renderD128\0";
	struct {
		char prefix[8];
		unsigned magic, header_size, properties_off, properties_len, more[4];
		char text[sizeof(strings)];
	} packet = {.prefix = "libudev", .magic = 0xcafeedfe, .header_size = 40};

	start_with_uevents();
	packet.properties_off = (unsigned)((char *)packet.text - (char *)&packet);
	packet.properties_len = sizeof(strings);
	memcpy(packet.text, strings, sizeof(strings));
	assert_int_equal(send(uevents, &packet, sizeof(packet), 0), sizeof(packet));
	run_until_change();
	assert_string_equal(find("dri/renderD128")->kernel_driver, "i915");
	finish_with_uevents();
}

/* Whoever sends them: nothing happens, and the next good one is followed. */
static void
uevents_that_make_no_sense_do_nothing(void **state)
{
	static char large[16384];
	static const unsigned char header[] = "libudev\0aaaabbbb\xff\xff\xff\xff";

	start_with_uevents();
	SEND("DEVNAME");
	SEND("\0\0\0\0");
	SEND("libudev\0");
	assert_int_equal(send(uevents, header, sizeof(header), 0), sizeof(header));
	memset(large, 'x', sizeof(large));
	assert_int_equal(send(uevents, large, sizeof(large), 0), sizeof(large));
	run_a_while();
	assert_int_equal(changes, 0);
	SEND("bind@/devices/z\0ACTION=bind\0");
	run_until_change();
	finish_with_uevents();
}

static void
end_of_uevents_leaves_inotify(void **state)
{
	json_t *shown;

	start_with_uevents();
	shown = kr_devices_inspect(devices);
	assert_string_equal(json_string_value(json_object_get(shown, "events")), "given");
	json_decref(shown);
	assert_int_equal(shutdown(uevents, SHUT_RDWR), 0);
	run_until_change();
	shown = kr_devices_inspect(devices);
	assert_string_equal(json_string_value(json_object_get(shown, "events")), "inotify");
	json_decref(shown);
	put(dev, "dri/renderD129", "", 0666);
	run_until_change();
	assert_non_null(find("dri/renderD129"));
	finish_with_uevents();
}

/* The kernel's own: a synthetic event of /dev/null. */
static void
uevents_of_this_kernel_arrive(void **state)
{
	int fd = open("/sys/class/mem/null/uevent", O_WRONLY | O_CLOEXEC);
	json_t *shown;

	if (fd < 0)
		kr_test_skip("no-uevents", strerror(errno));
	strcpy(events, "kernel");
	init();
	put(dev, "dri/renderD128", "", 0666);
	start(-1);
	shown = kr_devices_inspect(devices);
	if (strcmp(json_string_value(json_object_get(shown, "events")), "kernel"))
		kr_test_skip("no-uevents", "no netlink socket for them");
	json_decref(shown);
	assert_int_equal(kr_devices_want(devices, "null"), 0);
	run_a_while();
	set_driver("renderD128", "i915");
	if (write(fd, "add", 3) != 3)
		kr_test_skip("no-uevents", strerror(errno));
	close(fd);
	run_until_change();
	assert_string_equal(find("dri/renderD128")->kernel_driver, "i915");
	finish();
}

/* --- wishes --- */

static void
wished_nodes_are_listed(void **state)
{
	init();
	put(dev, "more/caps1", "", 0666);
	start(-1);
	assert_null(find("more/caps1"));
	assert_int_equal(kr_devices_want(devices, "more/caps*"), 0);
	run_until_change();
	assert_non_null(find("more/caps1"));
	put(dev, "more/caps2", "", 0666);
	run_until_change();
	assert_non_null(find("more/caps2"));
	finish();
}

static void
wishes_that_lead_elsewhere_are_refused(void **state)
{
	static const char *const patterns[] = {
		"", "/etc/passwd", "../x", "a/../../x", ".", "a//b", "d*/x", "x/", "a/.hidden"};

	init();
	start(-1);
	for (size_t i = 0; i < KR_ARRAY_LEN(patterns); i++)
		assert_int_equal(kr_devices_want(devices, patterns[i]), -EINVAL);
	finish();
}

/* What was a node when it was listed may be a link when it is opened. */
static void
link_in_place_of_a_node_is_not_followed(void **state)
{
	int fd = -1;

	init();
	put(dev, "dri/renderD128", "", 0666);
	put(dev, "secret", "", 0666);
	start(-1);
	assert_int_equal(kr_devices_open(devices, "dri/renderD128", &fd), 0);
	close(fd);
	fd = -1;
	unlink(path_of(dev, "dri/renderD128"));
	assert_int_equal(symlink("../secret", path_of(dev, "dri/renderD128")), 0);
	assert_int_equal(kr_devices_open(devices, "dri/renderD128", &fd), -ELOOP);
	assert_int_equal(kr_devices_open(devices, "secret", &fd), -ENOENT);
	assert_int_equal(fd, -1);
	finish();
}

/* An administrator's mistake is said, and the rest works. */
static void
class_that_is_no_pattern_is_left_out(void **state)
{
	char bad[] = "/dev/x", good[] = "x*", package[] = "p";
	struct kr_config_class classes[] = {{bad, package}, {good, package}};

	init();
	config.classes = classes;
	config.class_count = 2;
	put(dev, "x1", "", 0666);
	start(-1);
	assert_non_null(find("x1"));
	finish();
}

static const struct kr_test tests[] = {
	KR_TEST(patterns_fit_names),
	KR_TEST(nodes_have_their_kernel_driver),
	KR_TEST(directories_links_and_sockets_are_no_nodes),
	KR_TEST(nodes_are_found_without_statx),
	KR_TEST(node_without_sysfs_is_asked_itself),
	KR_TEST(nodes_come_and_go),
	KR_TEST(directories_come_and_go),
	KR_TEST(nothing_changes_by_what_does_not_matter),
	KR_TEST(permissions_come_later),
	KR_TEST(uevent_of_the_kernel_is_followed),
	KR_TEST(uevent_of_udev_is_followed),
	KR_TEST(uevents_that_make_no_sense_do_nothing),
	KR_TEST(end_of_uevents_leaves_inotify),
	KR_TEST(uevents_of_this_kernel_arrive),
	KR_TEST(wished_nodes_are_listed),
	KR_TEST(wishes_that_lead_elsewhere_are_refused),
	KR_TEST(link_in_place_of_a_node_is_not_followed),
	KR_TEST(class_that_is_no_pattern_is_left_out),
};

KR_TEST_MAIN(tests)
