/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device map: its rules, and what a made-up /dev and /sys say about them. Every case is K-40.
 */
#include "harness.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hardware/device_map.h"
#include "util/macros.h"

static const char *variable, *value;
static char dev[300], sys[300], why[KR_PRESENCE_WHY_SIZE];

/* A path that may not be opened, which root needs help to have. */
static const char *forbidden = "";

KR_EXPORT int
access(const char *path, int mode)
{
	int (*real)(const char *, int) = (int (*)(const char *, int))dlsym(RTLD_NEXT, "access");

	errno = EACCES;
	return mode != F_OK && !strcmp(path, forbidden) ? -1 : real(path, mode);
}

KR_EXPORT DIR *
opendir(const char *path)
{
	DIR *(*real)(const char *) = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");

	errno = EACCES;
	return !strcmp(path, forbidden) ? NULL : real(path);
}

static const char *
get_variable(const char *name)
{
	return variable && !strcmp(name, variable) ? value : NULL;
}

static const struct kr_hardware_options made_up = {.env_get = get_variable, .dev = dev, .sys = sys};

/* Makes the folders of a path below the case's directory, then the file. */
static void
put(const char *path, const char *text)
{
	char folder[300];

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(folder, sizeof(folder), "%s/%.*s", kr_test_dir(), (int)(slash - path),
			path);
		mkdir(folder, 0700);
	}
	kr_test_file(path, text);
}

/* A system without any device that drivers work with. */
static void
make_system(void)
{
	snprintf(dev, sizeof(dev), "%s/dev", kr_test_dir());
	snprintf(sys, sizeof(sys), "%s/sys", kr_test_dir());
	put("dev/null", "");
	put("sys/devices/x", "");
}

static void
put_render_node(const char *name, const char *uevent)
{
	char path[300];

	snprintf(path, sizeof(path), "dev/dri/%s", name);
	put(path, "");
	snprintf(path, sizeof(path), "sys/class/drm/%s/device/uevent", name);
	if (uevent)
		put(path, uevent);
}

static enum kr_presence
ask(const char *library)
{
	const struct kr_hardware_rule *rule = kr_hardware_rule_get(library);

	assert_non_null(rule);
	return kr_hardware_presence(rule, &made_up, why);
}

static void
rules_are_found_by_file_name(void **state)
{
	static const struct {
		const char *library, *rule;
	} libraries[] = {
		{"/usr/lib/x86_64-linux-gnu/libvulkan_intel.so", "anv"},
		{"libvulkan_intel_hasvk.so", "hasvk"},
		{"./libvulkan_radeon.so", "radv"},
		{"libvulkan_nouveau.so", "nvk"},
		{"libvulkan_virtio.so", "venus"},
		{"libvulkan_lvp.so", "lavapipe"},
		{"libvulkan_freedreno.so", "turnip"},
		{"libvulkan_dzn.so", "dzn"},
		{"libGLX_nvidia.so.0", "nvidia"},
		{"libEGL_nvidia.so.535.183.01", "nvidia"},
		{"libnvidia-vulkan-producer.so", "nvidia"},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(libraries); i++) {
		const struct kr_hardware_rule *rule = kr_hardware_rule_get(libraries[i].library);

		assert_non_null(rule);
		assert_string_equal(rule->name, libraries[i].rule);
		assert_true(rule->packages[0]);
	}
	assert_null(kr_hardware_rule_get("/x/amdvlk64.so"));
	assert_null(kr_hardware_rule_get("/libvulkan_intel.so/driver.so"));
	assert_null(kr_hardware_rule_get("libvulkan_intel.so.bak"));
	assert_null(kr_hardware_rule_get("libvulkan_intel"));
}

/* Each rule can prove absence, or says that it never will. */
static void
every_rule_is_absent_from_an_empty_system(void **state)
{
	const struct kr_hardware_rule *rules;
	size_t count;

	make_system();
	rules = kr_hardware_rules(&count);
	assert_true(count >= 14);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(kr_hardware_presence(&rules[i], &made_up, why),
			rules[i].always ? KR_PRESENCE_HERE : KR_PRESENCE_ABSENT);
	assert_int_equal(ask("libvulkan_intel.so"), KR_PRESENCE_ABSENT);
	assert_non_null(strstr(why, "/dev/dri has no render node of i915, xe or virtio_gpu"));
	assert_int_equal(ask("libvulkan_dzn.so"), KR_PRESENCE_ABSENT);
	assert_non_null(strstr(why, "/dev has no dxg"));
}

static void
render_node_decides_by_its_kernel_driver(void **state)
{
	make_system();
	put_render_node("renderD128", "DEVTYPE=x\nDRIVER=i915\nPCI_ID=8086:9A49\n");
	assert_int_equal(ask("libvulkan_intel.so"), KR_PRESENCE_HERE);
	assert_non_null(strstr(why, "/dev/dri/renderD128 is of i915"));
	assert_int_equal(ask("libvulkan_intel_hasvk.so"), KR_PRESENCE_HERE);
	assert_int_equal(ask("libvulkan_radeon.so"), KR_PRESENCE_ABSENT);
	assert_int_equal(ask("libvulkan_virtio.so"), KR_PRESENCE_ABSENT);
	/* A second device that just appeared is seen at once. */
	put_render_node("renderD129", "DRIVER=amdgpu\n");
	assert_int_equal(ask("libvulkan_radeon.so"), KR_PRESENCE_HERE);
}

static void
kernel_driver_that_nobody_knows_proves_nothing(void **state)
{
	make_system();
	put_render_node("renderD128", "DRIVER=brand_new\n");
	assert_int_equal(ask("libvulkan_intel.so"), KR_PRESENCE_UNKNOWN);
	assert_non_null(strstr(why, "brand_new, which isn't known here"));
	/* What has no render nodes has no opinion about them. */
	assert_int_equal(ask("libvulkan_dzn.so"), KR_PRESENCE_ABSENT);
}

static void
render_node_of_no_vulkan_driver_is_none(void **state)
{
	make_system();
	put_render_node("renderD128", "DRIVER=vgem\n");
	assert_int_equal(ask("libvulkan_intel.so"), KR_PRESENCE_ABSENT);
}

/* A node without its side of sysfs, as in a sandbox. */
static void
node_without_sysfs_proves_nothing(void **state)
{
	make_system();
	put_render_node("renderD128", NULL);
	assert_int_equal(ask("libvulkan_intel.so"), KR_PRESENCE_UNKNOWN);
	assert_non_null(strstr(why, "can't be seen in"));
	put_render_node("renderD129", "DRIVER=i915\n");
	assert_int_equal(ask("libvulkan_intel.so"), KR_PRESENCE_HERE);
}

/* A display without a render node (ast, simpledrm, bochs) is no device of these drivers. */
static void
card_alone_is_no_device(void **state)
{
	make_system();
	put("dev/dri/card0", "");
	put("sys/class/drm/card0/device/uevent", "DRIVER=ast\n");
	assert_int_equal(ask("libvulkan_intel.so"), KR_PRESENCE_ABSENT);
}

static void
dev_that_is_not_the_real_one_proves_nothing(void **state)
{
	make_system();
	snprintf(dev, sizeof(dev), "%s/nothing", kr_test_dir());
	assert_int_equal(ask("libvulkan_intel.so"), KR_PRESENCE_UNKNOWN);
	assert_int_equal(ask("libvulkan_dzn.so"), KR_PRESENCE_UNKNOWN);
	assert_non_null(strstr(why, "has no null"));
}

static void
sys_that_is_not_the_real_one_proves_nothing_of_cards(void **state)
{
	make_system();
	snprintf(sys, sizeof(sys), "%s/nothing", kr_test_dir());
	assert_int_equal(ask("libGLX_nvidia.so.0"), KR_PRESENCE_UNKNOWN);
	/* Who needs /sys only to name nodes needs none when there is no node. */
	assert_int_equal(ask("libvulkan_intel.so"), KR_PRESENCE_ABSENT);
}

static void
directory_that_cannot_be_read_proves_nothing(void **state)
{
	char path[320];

	make_system();
	put("dev/dri/x", "");
	snprintf(path, sizeof(path), "%s/dri", dev);
	assert_int_equal(ask("libvulkan_intel.so"), KR_PRESENCE_ABSENT);
	forbidden = path;
	assert_int_equal(ask("libvulkan_intel.so"), KR_PRESENCE_UNKNOWN);
	assert_non_null(strstr(why, "/dev/dri can't be looked at: Permission denied"));
}

/* /dev/dri may be missing altogether with NVIDIA's own modules. */
static void
nvidia_is_found_without_render_nodes(void **state)
{
	static const char *const traces[] = {"dev/nvidiactl", "dev/nvidia3", "dev/dxg",
		"dev/nvhost-gpu", "sys/module/nvidia/version"};

	for (size_t i = 0; i < KR_ARRAY_LEN(traces); i++) {
		char path[320];

		make_system();
		assert_int_equal(ask("libGLX_nvidia.so.0"), KR_PRESENCE_ABSENT);
		put(traces[i], "");
		assert_int_equal(ask("libGLX_nvidia.so.0"), KR_PRESENCE_HERE);
		snprintf(path, sizeof(path), "%s/%s", kr_test_dir(), traces[i]);
		unlink(path);
		snprintf(path, sizeof(path), "%s/module/nvidia", sys);
		rmdir(path);
	}
}

/* nvidia-modprobe makes nodes when the library asks for them. */
static void
nvidia_card_alone_is_enough(void **state)
{
	make_system();
	put("sys/bus/pci/devices/0000:00:1f.0/vendor", "0x8086\n");
	assert_int_equal(ask("libGLX_nvidia.so.0"), KR_PRESENCE_ABSENT);
	put("sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
	assert_int_equal(ask("libGLX_nvidia.so.0"), KR_PRESENCE_HERE);
	assert_non_null(strstr(why, "0000:01:00.0 is of vendor 10de"));
}

static void
card_without_a_vendor_proves_nothing(void **state)
{
	make_system();
	put("sys/bus/pci/devices/0000:01:00.0/x", "");
	assert_int_equal(ask("libGLX_nvidia.so.0"), KR_PRESENCE_UNKNOWN);
}

static void
node_of_another_kernel_interface(void **state)
{
	make_system();
	assert_int_equal(ask("libvulkan_freedreno.so"), KR_PRESENCE_ABSENT);
	put("dev/kgsl-3d0", "");
	assert_int_equal(ask("libvulkan_freedreno.so"), KR_PRESENCE_HERE);
	put("dev/dxg", "");
	assert_int_equal(ask("libvulkan_dzn.so"), KR_PRESENCE_HERE);
	assert_int_equal(ask("libvulkan_asahi.so"), KR_PRESENCE_ABSENT);
}

static void
variables_stand_for_devices(void **state)
{
	static const struct {
		const char *variable, *value, *library;
	} overrides[] = {
		{"RADV_FORCE_FAMILY", "gfx900", "libvulkan_radeon.so"},
		{"AMD_FORCE_FAMILY", "gfx900", "libvulkan_radeon.so"},
		{"INTEL_STUB_GPU_PLATFORM", "tgl", "libvulkan_intel.so"},
		{"VN_DEBUG", "vtest", "libvulkan_virtio.so"},
		{"VIRTGPU_KUMQUAT", "1", "libvulkan_gfxstream.so"},
		{"LD_PRELOAD", "/x/libamdgpu_noop_drm_shim.so", "libvulkan_radeon.so"},
		{"LD_PRELOAD", "a.so:/x/libfreedreno_noop_drm_shim.so", "libvulkan_freedreno.so"},
	};

	make_system();
	for (size_t i = 0; i < KR_ARRAY_LEN(overrides); i++) {
		variable = NULL;
		assert_int_equal(ask(overrides[i].library), KR_PRESENCE_ABSENT);
		variable = overrides[i].variable;
		value = overrides[i].value;
		assert_int_equal(ask(overrides[i].library), KR_PRESENCE_HERE);
		assert_non_null(strstr(why, variable));
	}
	/* One driver's own variable is nothing to another. */
	variable = "RADV_FORCE_FAMILY";
	assert_int_equal(ask("libvulkan_intel.so"), KR_PRESENCE_ABSENT);
	variable = "LD_PRELOAD";
	value = "libgtk3-nocsd.so";
	assert_int_equal(ask("libvulkan_intel.so"), KR_PRESENCE_ABSENT);
}

static void
node_that_may_not_be_opened_is_named(void **state)
{
	const struct kr_hardware_rule *rule = kr_hardware_rule_get("libvulkan_intel.so");
	char path[320], found[KR_PRESENCE_WHY_SIZE];

	make_system();
	put_render_node("renderD128", "DRIVER=i915\n");
	assert_false(kr_hardware_forbidden(rule, &made_up, found));
	snprintf(path, sizeof(path), "%s/dri/renderD128", dev);
	forbidden = path;
	assert_true(kr_hardware_forbidden(rule, &made_up, found));
	assert_string_equal(found, path);
	assert_false(kr_hardware_forbidden(
		kr_hardware_rule_get("libvulkan_radeon.so"), &made_up, found));
}

static void
assert_candidates(const char *kernel_driver, const char *expected)
{
	const struct kr_hardware_rule *rules[KR_HARDWARE_CANDIDATES_MAX];
	size_t count = kr_hardware_candidates(kernel_driver, rules);
	char names[300] = "";

	for (size_t i = 0; i < count; i++) {
		strcat(names, i ? " " : "");
		strcat(names, rules[i]->name);
	}
	assert_string_equal(names, expected);
}

/* M-01 */
static void
candidates_of_a_kernel_driver_are_ordered(void **state)
{
	assert_candidates("i915", "anv hasvk");
	assert_candidates("xe", "anv");
	assert_candidates("amdgpu", "radv");
	assert_candidates("virtio_gpu", "venus gfxstream radv anv hasvk turnip honeykrisp");
	assert_candidates("vgem", "");
	assert_candidates("never heard of", "");
	assert_candidates(NULL, "");
}

/* M-01 */
static void
candidates_of_a_node_are_those_that_name_it(void **state)
{
	const struct kr_hardware_rule *rules[KR_HARDWARE_CANDIDATES_MAX];

	assert_int_equal(kr_hardware_candidates_of_node("kgsl-3d0", rules), 1);
	assert_string_equal(rules[0]->name, "turnip");
	assert_int_equal(kr_hardware_candidates_of_node("nvidia0", rules), 1);
	assert_string_equal(rules[0]->name, "nvidia");
	assert_int_equal(kr_hardware_candidates_of_node("dxg", rules), 2);
	assert_string_equal(rules[0]->name, "dzn");
	assert_int_equal(kr_hardware_candidates_of_node("kgsl-3d01", rules), 0);
	assert_int_equal(kr_hardware_candidates_of_node("dri/renderD128", rules), 0);
}

static const struct kr_test tests[] = {
	KR_TEST(rules_are_found_by_file_name),
	KR_TEST(every_rule_is_absent_from_an_empty_system),
	KR_TEST(render_node_decides_by_its_kernel_driver),
	KR_TEST(kernel_driver_that_nobody_knows_proves_nothing),
	KR_TEST(render_node_of_no_vulkan_driver_is_none),
	KR_TEST(node_without_sysfs_proves_nothing),
	KR_TEST(card_alone_is_no_device),
	KR_TEST(dev_that_is_not_the_real_one_proves_nothing),
	KR_TEST(sys_that_is_not_the_real_one_proves_nothing_of_cards),
	KR_TEST(directory_that_cannot_be_read_proves_nothing),
	KR_TEST(nvidia_is_found_without_render_nodes),
	KR_TEST(nvidia_card_alone_is_enough),
	KR_TEST(card_without_a_vendor_proves_nothing),
	KR_TEST(node_of_another_kernel_interface),
	KR_TEST(variables_stand_for_devices),
	KR_TEST(node_that_may_not_be_opened_is_named),
	KR_TEST(candidates_of_a_kernel_driver_are_ordered),
	KR_TEST(candidates_of_a_node_are_those_that_name_it),
};

KR_TEST_MAIN(tests)
