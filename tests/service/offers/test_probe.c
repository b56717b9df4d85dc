/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates tried by krafla-probe itself, as the service does it. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "service/catalog/catalog.h"
#include "service/daemon/daemon.h"
#include "service/offers/offers.h"
#include "service/offers/probe.h"
#include "service/server/state.h"
#include "service/store/store.h"
#include "tests/service/files.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/macros.h"

#define LIMIT    (60 * KR_NSEC_PER_SEC)
#define LAVAPIPE "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"

static struct kr_loop *loop;
static struct kr_store *store;
static char sources[256], dev[256], sys[256];
static int answer;
static char why[512];

static void
init(enum kr_config_delivery choice)
{
	char *reason = NULL;

	assert_int_equal(chmod(kr_test_dir(), 0755), 0);
	snprintf(sources, sizeof(sources), "%s/drivers", kr_test_dir());
	snprintf(dev, sizeof(dev), "%s/dev", kr_test_dir());
	snprintf(sys, sizeof(sys), "%s/sys", kr_test_dir());
	assert_int_equal(mkdir(sources, 0755), 0);
	assert_int_equal(mkdir(dev, 0755), 0);
	assert_int_equal(kr_store_create(choice, &store, &reason), 0);
	free(reason);
	assert_int_equal(kr_loop_create(&loop), 0);
}

static void
finish(void)
{
	kr_loop_destroy(loop);
	kr_store_destroy(store);
}

/* A package of a driver of tests/discover/fake_probed.c. */
static struct kr_generation *
make_generation(const char *library)
{
	char path[512], from[512], *reason = NULL;
	struct kr_generation *generation = NULL;
	struct kr_package *package;
	FILE *file;

	snprintf(path, sizeof(path), "%s/p", sources);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/p/contents", sources);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/p/contents/driver.so", sources);
	snprintf(from, sizeof(from), DRIVER_DIR "/%s", library);
	copy_file(from, path);
	snprintf(path, sizeof(path), "%s/p/contents/icd.json", sources);
	file = fopen(path, "we");
	fputs("{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"driver.so\", "
	      "\"api_version\": \"1.1.0\"}}",
		file);
	fclose(file);
	snprintf(path, sizeof(path), "%s/p/metadata.json", sources);
	file = fopen(path, "we");
	fputs("{\"version\": 1, \"file_path\": \"driver.so\", \"manifest_path\": \"icd.json\", "
	      "\"krafla\": {\"environment\": {\"READS_FILE\": \"icd.json\"}, \"imports\": [\"network\", "
	      "\"process\", \"process-state\", \"signals\"]}}",
		file);
	fclose(file);
	snprintf(path, sizeof(path), "%s/p", sources);
	if (kr_package_open(path, &package, &reason) || kr_package_check(package, NULL, &reason) ||
		kr_generation_create(store, package, "0-driver.so", &generation, &reason))
		fail_msg("%s", reason);
	return generation;
}

static struct kr_probe_device devices[KR_PROBE_DEVICES_MAX];
static size_t device_count;

static void
handle_done(void *data, const struct kr_offers_found *found)
{
	assert_int_equal(answer, 1);
	answer = found->result;
	snprintf(why, sizeof(why), "%s", found->why ? found->why : "");
	device_count = found->device_count;
	if (device_count)
		memcpy(devices, found->devices, device_count * sizeof(*devices));
}

static struct kr_offers_probe *
start(struct kr_generation *generation, unsigned ms)
{
	struct kr_offers_probe *process;
	char *reason = NULL;

	answer = 1;
	if (kr_offers_probe_start(loop, generation, ms, handle_done, NULL, &process, &reason))
		fail_msg("%s", reason);
	assert_int_equal(answer, 1);
	return process;
}

static void
run_until_answer(void)
{
	const int64_t limit = kr_clock_now() + LIMIT;

	while (answer == 1 && kr_clock_now() < limit)
		assert_int_equal(kr_loop_step(loop, limit), 0);
	assert_int_not_equal(answer, 1);
}

static bool
has_children(void)
{
	return waitid(P_ALL, 0, &(siginfo_t){0}, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static void
assert_probed(const char *library, unsigned ms, int result, const char *text)
{
	enum kr_config_delivery choices[] = {KR_DELIVER_AUTO, KR_DELIVER_MEMORY};
	struct kr_offers_probe *process;
	struct kr_generation *generation;

	for (size_t i = 0; i < KR_ARRAY_LEN(choices); i++) {
		char path[600];

		init(choices[i]);
		generation = make_generation(library);
		process = start(generation, ms);
		run_until_answer();
		if (answer != result || !strstr(why, text))
			fail_msg("%s: %d, %s", library, answer, why);
		kr_offers_probe_destroy(process);
		kr_generation_unref(generation);
		finish();
		assert_false(has_children());
		snprintf(path, sizeof(path), "rm -r '%s' '%s'", sources, dev);
		assert_int_equal(system(path), 0);
	}
}

/* M-01 */
static void
driver_with_devices_works(void **state)
{
	assert_probed("packed_chatty.so", 20000, 0, "");
}

/* M-01: what each device is, as the driver says it. */
static void
devices_say_what_they_are(void **state)
{
	assert_probed("packed_drm.so", 20000, 0, "");
	assert_int_equal(device_count, 2);
	assert_true(devices[0].told && devices[0].has_drm);
	assert_int_equal(devices[0].type, 2);
	assert_int_equal(devices[0].vendor, 0x1002);
	assert_int_equal(devices[0].device, 1);
	assert_int_equal(devices[0].render_major, 226);
	assert_int_equal(devices[0].render_minor, 128);
	assert_int_equal(devices[0].primary_major, -1);
	assert_string_equal(devices[0].name, "first one");
	assert_int_equal(devices[1].render_minor, 129);
	assert_string_equal(devices[1].name, "se?cond");
	/* One that says nothing is there all the same. */
	assert_probed("packed_chatty.so", 20000, 0, "");
	assert_int_equal(device_count, 2);
	assert_false(devices[0].told);
}

/* A variable of the package leads it there, in a mount and in memory. */
static void
driver_that_reads_a_file_finds_it(void **state)
{
	assert_probed("packed_reads.so", 20000, 0, "");
}

/* A driver that is too new for this libc: the whole sentence is for who reads the status. */
static void
driver_for_a_newer_libc_is_told(void **state)
{
	assert_probed("future.so", 20000, -EIO, "needs glibc 2.99 (GLIBC_2.99 of libc.so.6; this");
	assert_non_null(strstr(why, "or a driver that was built for this one"));
}

/* M-01 */
static void
driver_that_crashes_is_told_with_its_signal(void **state)
{
	assert_probed(
		"packed_crash_create.so", 20000, -EIO, "signal 6 (Aborted) in vkCreateInstance");
}

/* M-01 */
static void
driver_without_an_instance_is_told(void **state)
{
	assert_probed("packed_no_instance.so", 20000, -EIO, "makes no instance");
}

/* M-01 */
static void
driver_that_hangs_is_ended(void **state)
{
	assert_probed("packed_hangs.so", 1000, -EIO, "nothing for 1000 ms while it was opened");
}

/* Its time is its time, whatever it keeps who watches it busy with. */
static void
driver_that_floods_its_watcher_is_ended(void **state)
{
	assert_probed("packed_floods.so", 1000, -EIO, "nothing for 1000 ms in vkCreateInstance");
	assert_probed("packed_tells.so", 1000, -EIO, "nothing for 1000 ms");
}

/* What it says of itself is one line of text. */
static void
driver_that_forges_its_answer_says_text(void **state)
{
	assert_probed("packed_forges.so", 20000, -EIO, "?[31m??red");
	assert_null(strpbrk(why, "\x1b\xff\n\r"));
}

/* --- what tries more than it may --- */

static int listener = -1;

static void
make_temptations(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	kr_test_file("file", "");
	assert_int_equal(chmod(kr_test_path("file"), 0666), 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", kr_test_path("socket"));
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(chmod(address.sun_path, 0666), 0);
	assert_int_equal(listen(listener, 5), 0);
	/* Where the driver looks for them. */
	assert_int_equal(chdir(kr_test_dir()), 0);
}

/* `lacks`: words of what it can't be confined by here; NULL: it is, wholly. */
static void
assert_confined(const char *lacks)
{
	static const char *const tries[] = {"to make a socket of the network",
		"to make a local socket", "/file for writing", "/new for writing",
		"to change names, modes or owners of files", "to start a program"};
	struct kr_offers_probe *process;
	struct kr_generation *generation;

	init(KR_DELIVER_MEMORY);
	generation = make_generation("packed_tries.so");
	process = start(generation, 20000);
	run_until_answer();
	if (answer)
		fail_msg("%d, %s; tried %s", answer, why, kr_offers_probe_tried(process));
	for (size_t i = 0; i < KR_ARRAY_LEN(tries); i++) {
		if (!kr_offers_probe_tried(process) ||
			!strstr(kr_offers_probe_tried(process), tries[i]))
			fail_msg("%s isn't in: %s", tries[i], kr_offers_probe_tried(process));
	}
	if (!lacks != !kr_offers_probe_lacks(process) ||
		(lacks && !strstr(kr_offers_probe_lacks(process), lacks)))
		fail_msg("lacks %s", kr_offers_probe_lacks(process));
	kr_offers_probe_destroy(process);
	kr_generation_unref(generation);
	finish();
	assert_false(has_children());
}

/* I-05: it is kept from all of it, and seen trying. */
static void
driver_that_tries_more_is_kept_from_it(void **state)
{
	make_temptations();
	assert_confined(NULL);
	close(listener);
}

static void
become_somebody(void)
{
	if (geteuid() != 0)
		return;
	assert_int_equal(chown(kr_test_dir(), 4242, 4242), 0);
	assert_int_equal(setresgid(4242, 4242, 4242), 0);
	assert_int_equal(setresuid(4242, 4242, 4242), 0);
	if (access(DRIVER_DIR "/packed_tries.so", R_OK))
		kr_test_skip("no-other-user", DRIVER_DIR);
}

/* I-05 */
static void
driver_is_confined_for_an_ordinary_user(void **state)
{
	become_somebody();
	make_temptations();
	assert_confined(NULL);
	close(listener);
}

/* Of this process and what it starts: system calls that fail as in a kernel without them. */
static void
take_away(const int *calls, size_t count)
{
	struct sock_filter program[16] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	struct sock_fprog prog = {1, program};

	for (size_t i = 0; i < count; i++) {
		program[prog.len++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], 0, 1);
		program[prog.len++] =
			(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
	}
	program[prog.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog), 0);
}

/* I-05: mounts that are read-only stand for Landlock. */
static void
driver_is_confined_without_landlock(void **state)
{
	static const int calls[] = {SYS_landlock_create_ruleset};

	make_temptations();
	take_away(calls, KR_ARRAY_LEN(calls));
	assert_confined(NULL);
	close(listener);
}

/* A process of the same user, which no driver may touch; and no driver may leave any behind. */
static pid_t
make_victim(void)
{
	const pid_t victim = fork();
	char text[32];

	if (!victim) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	assert_true(victim > 0);
	snprintf(text, sizeof(text), "%d", (int)victim);
	kr_test_file("victim", text);
	(void)!setxattr(kr_test_path("file"), "user.krafla", "1", 1, 0);
	(void)!lsetxattr(kr_test_path("file"), "user.krafla", "1", 1, 0);
	return victim;
}

/* The driver says on standard error what it could do. */
static void
assert_no_way_out(void)
{
	struct kr_offers_probe *process;
	struct kr_generation *generation;
	const pid_t victim = make_victim();

	init(KR_DELIVER_MEMORY);
	generation = make_generation("packed_escapes.so");
	process = start(generation, 20000);
	run_until_answer();
	if (answer)
		fail_msg("%d, %s; tried %s", answer, why, kr_offers_probe_tried(process));
	kr_offers_probe_destroy(process);
	kr_generation_unref(generation);
	finish();
	assert_int_equal(kill(victim, SIGKILL), 0);
	assert_int_equal(waitpid(victim, NULL, 0), victim);
	assert_false(has_children());
}

/* I-05: to other processes, to rights, to what others have, to a life after the trial. */
static void
driver_finds_no_way_out(void **state)
{
	make_temptations();
	/* Mounts don't keep it from devices. */
	kr_test_file("landlocked", "");
	assert_no_way_out();
	close(listener);
}

/* I-05 */
static void
driver_finds_no_way_out_of_an_ordinary_user(void **state)
{
	become_somebody();
	make_temptations();
	assert_no_way_out();
	close(listener);
}

/* I-05: what the mounts keep it from nobody can take back. */
static void
driver_finds_no_way_out_without_landlock(void **state)
{
	static const int calls[] = {SYS_landlock_create_ruleset};

	make_temptations();
	take_away(calls, KR_ARRAY_LEN(calls));
	assert_no_way_out();
	close(listener);
}

/* Of what a driver prints the service's log gets some, and nothing for its terminal. */
static void
what_a_driver_prints_is_bounded(void **state)
{
	const int kept = dup(STDERR_FILENO);
	int log;
	static char text[200000];
	ssize_t size;

	kr_test_file("log", "");
	log = open(kr_test_path("log"), O_RDWR | O_APPEND | O_CLOEXEC);
	assert_true(kept >= 0 && log >= 0);
	assert_int_equal(dup2(log, STDERR_FILENO), STDERR_FILENO);
	assert_probed("packed_prints.so", 20000, 0, "");
	assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
	size = pread(log, text, sizeof(text) - 1, 0);
	close(log);
	close(kept);
	/* It was tried twice. */
	assert_in_range(size, 2, 70000);
	assert_non_null(strstr(text, "?[31mxxx"));
	assert_null(strchr(text, '\x1b'));
	assert_non_null(strstr(text, "the driver writes more than is passed on"));
}

/* I-05: what can't be had is told; the filter still keeps it from the rest. */
static void
what_it_is_not_confined_by_is_told(void **state)
{
	static const int calls[] = {SYS_landlock_create_ruleset, SYS_unshare};

	make_temptations();
	take_away(calls, KR_ARRAY_LEN(calls));
	assert_confined(
		"a network namespace: Function not implemented; a file system without writing");
	close(listener);
}

/* The service doesn't depend on krafla-probe: one that stands still is ended, too. */
static void
probe_that_stands_still_is_ended(void **state)
{
	struct kr_offers_probe *process;
	struct kr_generation *generation;
	siginfo_t info = {0};
	char path[64], stat[256] = "";
	pid_t child = 0;
	FILE *file;

	init(KR_DELIVER_MEMORY);
	generation = make_generation("packed_hangs.so");
	process = start(generation, 1000);
	/* The one child that there is, or will be when copies have been made. */
	for (int64_t limit = kr_clock_now() + LIMIT; !child && kr_clock_now() < limit;) {
		assert_int_equal(kr_loop_step(loop, kr_clock_now() + 10 * KR_NSEC_PER_MSEC), 0);
		snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
		file = fopen(path, "re");
		assert_non_null(file);
		while (fscanf(file, "%d", &child) == 1) {
			FILE *name;

			snprintf(path, sizeof(path), "/proc/%d/comm", child);
			name = fopen(path, "re");
			if (!name || !fgets(stat, sizeof(stat), name) ||
				strcmp(stat, "krafla-probe\n"))
				child = 0;
			if (name)
				fclose(name);
		}
		fclose(file);
	}
	assert_true(child > 0);
	assert_int_equal(kill(child, SIGSTOP), 0);
	run_until_answer();
	assert_int_equal(answer, -ETIMEDOUT);
	assert_int_not_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG), 0);
	kr_offers_probe_destroy(process);
	kr_generation_unref(generation);
	finish();
}

static void
probe_that_is_given_up_leaves_nothing(void **state)
{
	struct kr_offers_probe *process;
	struct kr_generation *generation;

	init(KR_DELIVER_MEMORY);
	generation = make_generation("packed_hangs.so");
	process = start(generation, 20000);
	for (int i = 0; i < 10; i++)
		assert_int_equal(kr_loop_step(loop, kr_clock_now() + 30 * KR_NSEC_PER_MSEC), 0);
	kr_offers_probe_destroy(process);
	kr_generation_unref(generation);
	finish();
	assert_false(has_children());
	assert_int_equal(answer, 1);
}

/* --- lavapipe, from a package's directory to an offer --- */

static struct kr_catalog *catalog;
static struct kr_offers *offers;
static char offered[128];

static void
handle_changed(void *data, struct kr_catalog_entry *entry)
{
	kr_offers_package_changed(offers, entry);
}

static void
handle_packages_idle(void *data)
{
	kr_offers_packages_idle(offers);
}

static void
handle_node(void *data, const char *path)
{
}

static void
handle_offer(void *data, struct kr_offer *offer)
{
	snprintf(offered, sizeof(offered), "%s %s", offer->software ? "software" : "device",
		kr_generation_name(offer->generation));
}

static void
handle_offer_removed(void *data, struct kr_offer *offer)
{
}

static void
handle_idle(void *data)
{
	answer = 0;
}

static const struct kr_catalog_events catalog_events = {handle_changed, handle_packages_idle};
static const struct kr_offers_events offers_events = {
	handle_node, handle_node, handle_offer, handle_offer_removed, handle_idle};

static void
install_lavapipe(void)
{
	char path[512], *reason = NULL;
	struct kr_package *package;

	if (access(LAVAPIPE, R_OK))
		kr_test_skip("no-lavapipe", NULL);
	snprintf(path, sizeof(path), "%s/lavapipe", sources);
	if (kr_package_from_manifest(LAVAPIPE, NULL, &package, &reason) ||
		kr_package_check(package, NULL, &reason) ||
		kr_package_write(package, path, NULL, NULL, &reason))
		fail_msg("%s", reason);
	kr_package_destroy(package);
}

/* lavapipe's device, tried once more by hand: what it is comes from the driver itself. */
static void
assert_says_what_it_is(void)
{
	const struct kr_catalog_entry *entry = kr_catalog_find(catalog, "lavapipe");
	struct kr_offers_probe *process = start(entry->generation, 20000);

	run_until_answer();
	assert_int_equal(answer, 0);
	assert_int_equal(device_count, 1);
	assert_true(devices[0].told);
	assert_false(devices[0].has_drm);
	assert_int_equal(devices[0].type, 4);
	assert_int_equal(devices[0].vendor, 0x10005);
	assert_non_null(strstr(devices[0].name, "llvmpipe"));
	kr_offers_probe_destroy(process);
}

static void
start_offers(const struct kr_config *config)
{
	answer = 1;
	assert_int_equal(
		kr_catalog_create(loop, store, config, &catalog_events, NULL, &catalog), 0);
	assert_int_equal(
		kr_offers_create(loop, catalog, config, NULL, &offers_events, NULL, &offers), 0);
	assert_int_equal(kr_offers_start(offers), 0);
	assert_int_equal(kr_catalog_start(catalog), 0);
	run_until_answer();
}

static void
end_offers(void)
{
	kr_offers_destroy(offers);
	kr_catalog_destroy(catalog);
	finish();
	assert_false(has_children());
}

static void
offer_lavapipe(enum kr_config_delivery choice)
{
	char *directories[] = {sources}, name[] = "lavapipe", events[] = "inotify";
	struct kr_config config = {.packages = directories,
		.package_count = 1,
		.dev = dev,
		.sys = sys,
		.events = events,
		.software = name,
		.compile_at_run_time = true,
		.probe = true};

	init(choice);
	install_lavapipe();
	start_offers(&config);
	if (strcmp(offered, "software 0-libvulkan_lvp.so")) {
		json_t *state = kr_offers_inspect(offers);

		fail_msg("offered is '%s': %s", offered, json_dumps(state, JSON_INDENT(1)));
	}
	assert_says_what_it_is();
	end_offers();
}

/* I-05, M-06: what a driver tried is shown where its candidates are. */
static void
what_a_driver_tried_is_shown(void **state)
{
	char *directories[] = {sources}, name[] = "p", events[] = "inotify";
	struct kr_config config = {.packages = directories,
		.package_count = 1,
		.dev = dev,
		.sys = sys,
		.events = events,
		.software = name,
		.compile_at_run_time = true,
		.probe = true};
	const char *tried;
	json_t *shown;

	make_temptations();
	init(KR_DELIVER_MEMORY);
	kr_generation_unref(make_generation("packed_tries.so"));
	start_offers(&config);
	assert_string_equal(offered, "software 0-driver.so");
	shown = kr_offers_inspect(offers);
	tried = json_string_value(json_object_get(
		json_array_get(
			json_object_get(json_object_get(shown, "software"), "candidates"), 0),
		"tried"));
	assert_non_null(tried);
	assert_non_null(strstr(tried, "to make a local socket"));
	assert_true(json_is_null(json_object_get(shown, "unconfined")));
	json_decref(shown);
	end_offers();
	close(listener);
}

/*
 * I-05: the service's own filter, which the probe inherits, doesn't hide it. In a child, which
 * leaves the clearing up to one that isn't confined.
 */
static void
service_that_is_confined_sees_it_too(void **state)
{
	struct kr_server server = {0};
	struct kr_config config = {.dev = dev};
	struct kr_daemon daemon = {.server = &server, .config = &config};
	const char *tried;
	pid_t pid;
	int status;

	make_temptations();
	init(KR_DELIVER_MEMORY);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct kr_generation *generation = make_generation("packed_tries.so");
		struct kr_offers_probe *process;

		server.store = store;
		kr_daemon_confine(&daemon);
		assert_null(server.unconfined);
		process = start(generation, 20000);
		run_until_answer();
		assert_int_equal(answer, 0);
		tried = kr_offers_probe_tried(process);
		assert_non_null(strstr(tried, "to make a socket of the network"));
		assert_null(kr_offers_probe_lacks(process));
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	finish();
	close(listener);
}

static void
count_told(void *data, uint32_t bits, const char *message)
{
	*(unsigned *)data += strstr(message, "tried more than it may") != NULL;
}

/* However many device nodes it was tried for. */
static void
what_a_driver_tried_is_told_once(void **state)
{
	char *directories[] = {sources}, pattern[] = "nvidia*", package[] = "p",
	     events[] = "inotify";
	struct kr_config_class class = {pattern, package};
	struct kr_config config = {.packages = directories,
		.package_count = 1,
		.dev = dev,
		.sys = sys,
		.events = events,
		.classes = &class,
		.class_count = 1,
		.compile_at_run_time = true,
		.probe = true};
	unsigned told = 0;

	make_temptations();
	init(KR_DELIVER_MEMORY);
	kr_generation_unref(make_generation("packed_tries.so"));
	kr_test_file("dev/nvidia0", "");
	kr_test_file("dev/nvidia1", "");
	kr_log_set_sink(count_told, &told);
	start_offers(&config);
	kr_log_set_sink(NULL, NULL);
	assert_string_equal(offered, "device 0-driver.so");
	assert_int_equal(told, 1);
	end_offers();
	close(listener);
}

/* M-04 */
static void
lavapipe_is_tried_as_a_mount(void **state)
{
	offer_lavapipe(KR_DELIVER_AUTO);
}

/* M-04 */
static void
lavapipe_is_tried_as_memory(void **state)
{
	offer_lavapipe(KR_DELIVER_MEMORY);
}

static const struct kr_test tests[] = {
	KR_TEST(driver_that_tries_more_is_kept_from_it),
	KR_TEST(driver_is_confined_for_an_ordinary_user),
	KR_TEST(driver_is_confined_without_landlock),
	KR_TEST(driver_finds_no_way_out),
	KR_TEST(driver_finds_no_way_out_of_an_ordinary_user),
	KR_TEST(driver_finds_no_way_out_without_landlock),
	KR_TEST_SLOW(what_a_driver_prints_is_bounded, 0, 90),
	KR_TEST(what_it_is_not_confined_by_is_told),
	KR_TEST(what_a_driver_tried_is_shown),
	KR_TEST(service_that_is_confined_sees_it_too),
	KR_TEST(what_a_driver_tried_is_told_once),
	KR_TEST_SLOW(driver_with_devices_works, 0, 90),
	KR_TEST_SLOW(devices_say_what_they_are, 0, 90),
	KR_TEST_SLOW(driver_for_a_newer_libc_is_told, 0, 90),
	KR_TEST_SLOW(driver_that_reads_a_file_finds_it, 0, 90),
	KR_TEST_SLOW(driver_that_crashes_is_told_with_its_signal, 0, 90),
	KR_TEST_SLOW(driver_without_an_instance_is_told, 0, 90),
	KR_TEST_SLOW(driver_that_hangs_is_ended, 0, 90),
	KR_TEST_SLOW(driver_that_floods_its_watcher_is_ended, 0, 90),
	KR_TEST_SLOW(driver_that_forges_its_answer_says_text, 0, 90),
	KR_TEST_SLOW(probe_that_stands_still_is_ended, 0, 90),
	KR_TEST_SLOW(probe_that_is_given_up_leaves_nothing, 0, 90),
	KR_TEST_SLOW(lavapipe_is_tried_as_a_mount, 0, 90),
	KR_TEST_SLOW(lavapipe_is_tried_as_memory, 0, 90),
};

KR_TEST_MAIN(tests)
