/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is offered, over made-up devices. The first four have the names of tests of Fuchsia's
 * vulkan_loader.
 */
#include "deny.h"
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/macros.h"

/* M-01: two candidates are listed, of which one is no Vulkan driver; and the device goes again. */
static void
magma_device(void **state)
{
	rig_init();
	rig_add_node("dri/renderD128", "i915");
	rig_add_package("opencl", NULL);
	rig_add_package("intel", "libvulkan_intel.so");
	rig_start();
	rig_run_until_idle();
	rig_assert_log("node+ dri/renderD128 offer+ 0-libvulkan_intel.so ");
	assert_int_equal(rig_count_offers(), 1);
	assert_string_equal(rig_candidate_state("dri/renderD128", "anv"), "works");
	assert_string_equal(rig_candidate_state("dri/renderD128", "hasvk"), "absent");
	assert_string_equal(rig_device_text("dri/renderD128", "kernel_driver"), "i915");
	assert_string_equal(rig_device_text("dri/renderD128", "driver"), "0-libvulkan_intel.so");
	rig_remove_node("dri/renderD128");
	rig_run_until("node-");
	rig_assert_log("offer- 0-libvulkan_intel.so node- dri/renderD128 ");
	assert_int_equal(rig_count_offers(), 0);
	rig_finish();
}

/* M-01: a class of devices has its one package, and nothing is left when the device goes. */
static void
goldfish_device(void **state)
{
	char pattern[] = "goldfish_p*", package[] = "goldfish";

	rig_init();
	rig.classes[0] = (struct kr_config_class){pattern, package};
	rig.config.class_count = 1;
	rig_add_package("goldfish", "libvulkan_anything.so");
	rig_add_package("gfxstream", "libvulkan_gfxstream.so");
	rig_add_node("goldfish_pipe", NULL);
	rig_start();
	rig_run_until_idle();
	rig_assert_log("node+ goldfish_pipe offer+ 0-libvulkan_anything.so ");
	assert_string_equal(rig_device_text("goldfish_pipe", "class"), "goldfish_p*");
	rig_remove_node("goldfish_pipe");
	rig_run_until("node-");
	rig_assert_log("offer- 0-libvulkan_anything.so node- goldfish_pipe ");
	assert_int_equal(rig_generations(), 2);
	rig_finish();
}

/* M-04 */
static void
lavapipe_device_allowed(void **state)
{
	char name[] = "lavapipe";

	rig_init();
	rig.config.software = name;
	rig_add_package("lavapipe", "libvulkan_lvp.so");
	rig_start();
	rig_run_until_idle();
	rig_assert_log("software+ 0-libvulkan_lvp.so ");
	assert_int_equal(rig_count_offers(), 1);
	assert_string_equal(rig_device_text(NULL, "state"), "offered");
	rig_finish();
}

/* M-04: a software driver is no device's driver by itself. */
static void
lavapipe_device_disallowed(void **state)
{
	rig_init();
	rig_add_package("lavapipe", "libvulkan_lvp.so");
	rig_start();
	rig_run_until_idle();
	rig_assert_log("");
	assert_int_equal(rig_count_offers(), 0);
	rig_finish();
}

/* M-01: the first that works. */
static void
broken_candidate_makes_room_for_the_next(void **state)
{
	rig_init();
	rig.broken[0] = "libvulkan_intel.so";
	rig_add_node("dri/renderD128", "i915");
	rig_add_package("hasvk", "libvulkan_intel_hasvk.so");
	rig_add_package("intel", "libvulkan_intel.so");
	rig_start();
	rig_run_until_idle();
	rig_assert_log("node+ dri/renderD128 offer+ 0-libvulkan_intel_hasvk.so ");
	assert_string_equal(rig_candidate_state("dri/renderD128", "anv"), "failed");
	assert_string_equal(
		rig_candidate_reason("dri/renderD128", "anv"), "signal 11 while it was opened");
	rig_finish();
}

/* M-01: a later candidate isn't looked at while an earlier one is being tried. */
static void
later_candidate_waits_for_the_earlier_one(void **state)
{
	rig_init();
	rig.hold = true;
	rig_add_node("dri/renderD128", "i915");
	rig_add_package("hasvk", "libvulkan_intel_hasvk.so");
	rig_add_package("intel", "libvulkan_intel.so");
	rig_start();
	rig_run_until_probing("libvulkan_intel.so");
	rig_run_a_while();
	assert_false(rig_is_probing("libvulkan_intel_hasvk.so"));
	assert_false(kr_offers_is_idle(rig.offers));
	assert_string_equal(rig_candidate_state("dri/renderD128", "anv"), "probing");
	assert_string_equal(rig_candidate_state("dri/renderD128", "hasvk"), "waiting");
	rig_answer("libvulkan_intel.so", 0);
	rig_run_until_idle();
	rig_assert_log("node+ dri/renderD128 offer+ 1-libvulkan_intel.so ");
	assert_int_equal(rig.probes, 1);
	rig_finish();
}

/* M-01 */
static void
two_devices_of_one_driver_are_one_offer(void **state)
{
	rig_init();
	rig.hold = true;
	rig_add_node("dri/renderD128", "amdgpu");
	rig_add_node("dri/renderD129", "amdgpu");
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_start();
	rig_run_until_probing("libvulkan_radeon.so");
	rig_answer("libvulkan_radeon.so", 0);
	rig_run_until_idle();
	rig_assert_log("node+ dri/renderD128 node+ dri/renderD129 offer+ 0-libvulkan_radeon.so ");
	assert_int_equal(rig.probes, 1);
	rig_remove_node("dri/renderD128");
	rig_run_until("node-");
	rig_assert_log("node- dri/renderD128 ");
	rig_remove_node("dri/renderD129");
	rig_run_until("node-");
	rig_assert_log("offer- 0-libvulkan_radeon.so node- dri/renderD129 ");
	rig_finish();
}

/* M-02: by devices that appear, too. */
static void
device_that_appears_is_announced_before_its_offer(void **state)
{
	rig_init();
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_start();
	rig_run_until_idle();
	rig_assert_log("");
	rig_add_node("dri/renderD128", "amdgpu");
	rig_run_until("offer+");
	rig_assert_log("node+ dri/renderD128 offer+ 0-libvulkan_radeon.so ");
	rig_finish();
}

/* M-01: that the driver works for one device doesn't say that it does for the next. */
static void
second_device_is_tried_for_itself(void **state)
{
	rig_init();
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_add_node("dri/renderD128", "amdgpu");
	rig_start();
	rig_run_until_idle();
	rig_add_node("dri/renderD129", "amdgpu");
	rig_run_until("node+ dri/renderD129");
	assert_int_equal(rig.probes, 2);
	rig_finish();
}

/* What drivers of the tests see. */
static const struct kr_probe_device tiger = {.told = true,
	.type = 1,
	.vendor = 0x8086,
	.device = 0x9a49,
	.has_drm = true,
	.primary_major = 226,
	.primary_minor = 0,
	.render_major = 226,
	.render_minor = 128,
	.name = "Tiger"};
static const struct kr_probe_device navi = {
	.told = true, .type = 2, .vendor = 0x1002, .device = 0x73bf, .name = "Navi"};
static const struct kr_probe_device processor = {
	.told = true, .type = 4, .vendor = 0x10005, .device = 0, .name = "llvmpipe"};
static const struct kr_probe_device untold[2];

static void
set_seen(size_t index, const char *library, const struct kr_probe_device *devices, size_t count)
{
	rig.seen[index].library = library;
	rig.seen[index].devices = devices;
	rig.seen[index].count = count;
}

/* M-01: each device has the driver that sees it, told by the number of its node. */
static void
device_is_matched_by_its_node(void **state)
{
	struct kr_probe_device haswell = tiger;

	haswell.render_minor = 129;
	haswell.primary_minor = 1;
	strcpy(haswell.name, "Haswell");
	rig_init();
	set_seen(0, "libvulkan_intel.so", &tiger, 1);
	set_seen(1, "libvulkan_intel_hasvk.so", &haswell, 1);
	rig_add_node("dri/renderD128", "i915");
	rig_add_node("dri/renderD129", "i915");
	/* The same ids of PCI for both: the number of the node goes before. */
	rig_set_ids("dri/renderD128", "226:128", "0x8086", "0x9a49");
	rig_set_ids("dri/renderD129", "226:129", "0x8086", "0x9a49");
	rig_add_package("intel", "libvulkan_intel.so");
	rig_add_package("hasvk", "libvulkan_intel_hasvk.so");
	rig_start();
	rig_run_until_idle();
	assert_string_equal(rig_device_text("dri/renderD128", "driver"), "0-libvulkan_intel.so");
	assert_string_equal(rig_candidate_sees("dri/renderD128", "anv"), "Tiger (8086:9a49)");
	assert_string_equal(
		rig_device_text("dri/renderD129", "driver"), "1-libvulkan_intel_hasvk.so");
	assert_string_equal(rig_candidate_state("dri/renderD129", "anv"), "failed");
	assert_string_equal(rig_candidate_reason("dri/renderD129", "anv"),
		"it sees other devices alone: Tiger (8086:9a49)");
	assert_string_equal(rig_candidate_sees("dri/renderD129", "hasvk"), "Haswell (8086:9a49)");
	rig_finish();
}

/* M-01: of a driver that says no nodes, by the ids of PCI. */
static void
device_is_matched_by_its_ids(void **state)
{
	rig_init();
	set_seen(0, "libvulkan_radeon.so", &navi, 1);
	rig_add_node("dri/renderD128", "amdgpu");
	rig_add_node("dri/renderD129", "amdgpu");
	rig_set_ids("dri/renderD128", "226:128", "0x1002", "0x1638");
	rig_set_ids("dri/renderD129", "226:129", "0x1002", "0x73bf");
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_start();
	rig_run_until_idle();
	rig_assert_log("node+ dri/renderD129 offer+ 0-libvulkan_radeon.so ");
	assert_string_equal(rig_device_text("dri/renderD128", "state"), "no driver");
	assert_string_equal(rig_candidate_sees("dri/renderD129", "radv"), "Navi (1002:73bf)");
	rig_finish();
}

/* M-01: what can't be compared speaks against nothing. */
static void
devices_that_say_nothing_are_taken(void **state)
{
	rig_init();
	set_seen(0, "libvulkan_virtio.so", &navi, 1);
	set_seen(1, "libvulkan_radeon.so", untold, KR_ARRAY_LEN(untold));
	set_seen(2, "libvulkan_freedreno.so", &navi, 1);
	rig_add_node("dri/renderD128", "virtio_gpu");
	rig_set_ids("dri/renderD128", "226:128", "0x1af4", "0x1050");
	rig_add_node("dri/renderD129", "amdgpu");
	rig_set_ids("dri/renderD129", "226:129", "0x1002", "0x73bf");
	rig_add_node("kgsl-3d0", NULL);
	rig_add_package("venus", "libvulkan_virtio.so");
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_add_package("turnip", "libvulkan_freedreno.so");
	rig_start();
	rig_run_until_idle();
	assert_string_equal(rig_candidate_state("dri/renderD128", "venus"), "works");
	assert_string_equal(rig_candidate_sees("dri/renderD128", "venus"), "none");
	assert_string_equal(rig_candidate_state("dri/renderD129", "radv"), "works");
	assert_string_equal(rig_candidate_state("kgsl-3d0", "turnip"), "works");
	rig_finish();
}

/* M-01: a driver of the processor is none of a device, unless the configuration makes it so. */
static void
processor_is_no_device(void **state)
{
	char pattern[] = "dri/renderD129", package[] = "radv";

	rig_init();
	rig.classes[0] = (struct kr_config_class){pattern, package};
	rig.config.class_count = 1;
	set_seen(0, "libvulkan_radeon.so", &processor, 1);
	rig_add_node("dri/renderD128", "amdgpu");
	rig_add_node("dri/renderD129", "amdgpu");
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_start();
	rig_run_until_idle();
	rig_assert_log("node+ dri/renderD129 offer+ 0-libvulkan_radeon.so ");
	assert_string_equal(rig_candidate_reason("dri/renderD128", "radv"),
		"it sees other devices alone: llvmpipe (10005:0000)");
	rig_finish();
}

/* M-01: packages that say which devices they serve: by order, and the map isn't asked. */
static void
package_says_what_it_serves(void **state)
{
	static struct kr_package_claim any_xe = {.order = 100}, this_one = {.order = 5},
				       other = {.order = 0};
	char xe[] = "xe";
	struct kr_package *package;

	any_xe.kernel_driver = this_one.kernel_driver = other.kernel_driver = xe;
	this_one.pci_vendor = other.pci_vendor = 0x8086;
	this_one.pci_device = 0x9a49;
	other.pci_device = 0x9a48;
	rig_init();
	rig.broken[0] = "libvulkan_new.so";
	rig_add_node("dri/renderD128", "xe");
	rig_set_ids("dri/renderD128", "226:128", "0x8086", "0x9a49");
	package = rig_add_package("any", "libvulkan_old.so");
	package->claims = &any_xe;
	package->claim_count = 1;
	package->claims_said = true;
	package = rig_add_package("this", "libvulkan_new.so");
	package->claims = &this_one;
	package->claim_count = 1;
	package->claims_said = true;
	package = rig_add_package("other", "libvulkan_other.so");
	package->claims = &other;
	package->claim_count = 1;
	package->claims_said = true;
	/* The map has it for xe, but it says that it serves nothing. */
	package = rig_add_package("intel", "libvulkan_intel.so");
	package->claims_said = true;
	rig_start();
	rig_run_until_idle();
	assert_string_equal(rig_candidate_state("dri/renderD128", "this"), "failed");
	assert_string_equal(rig_candidate_state("dri/renderD128", "any"), "works");
	assert_string_equal(rig_candidate_state("dri/renderD128", "other"), "none");
	assert_string_equal(rig_candidate_state("dri/renderD128", "intel"), "none");
	assert_string_equal(rig_candidate_state("dri/renderD128", "anv"), "absent");
	assert_int_equal(rig.probes, 2);
	rig_finish();
}

/* M-01: a plain ICD beside one that says it: the map's comes behind. */
static void
plain_driver_comes_behind(void **state)
{
	static struct kr_package_claim claim = {.order = 1000};
	char i915[] = "i915";
	struct kr_package *package;

	claim.kernel_driver = i915;
	rig_init();
	rig_add_node("dri/renderD128", "i915");
	rig_add_package("a-plain", "libvulkan_intel.so");
	package = rig_add_package("b-says", "libvulkan_mine.so");
	package->claims = &claim;
	package->claim_count = 1;
	package->claims_said = true;
	rig_start();
	rig_run_until_idle();
	rig_assert_log("node+ dri/renderD128 offer+ 1-libvulkan_mine.so ");
	assert_string_equal(rig_candidate_state("dri/renderD128", "a-plain"), "waiting");
	rig_finish();
}

/* M-01: a node that no table knows is a device once a package claims it. */
static void
claimed_node_is_a_device(void **state)
{
	static struct kr_package_claim claim = {.order = 100};
	char node[] = "npu*";
	struct kr_package *package;

	claim.node = node;
	rig_init();
	rig_add_node("npu0", NULL);
	rig_add_node("other0", NULL);
	rig_start();
	rig_run_until_idle();
	rig_assert_log("");
	package = rig_add_package("npu", "libvulkan_npu.so");
	package->claims = &claim;
	package->claim_count = 1;
	package->claims_said = true;
	rig_run_until("offer+");
	rig_assert_log("node+ npu0 offer+ 0-libvulkan_npu.so ");
	rig_finish();
}

/* M-01: with the candidate's trial under way. */
static void
device_vanishes_while_it_is_tried(void **state)
{
	rig_init();
	rig.hold = true;
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_add_node("dri/renderD128", "amdgpu");
	rig_start();
	rig_run_until_probing("libvulkan_radeon.so");
	rig_remove_node("dri/renderD128");
	rig_run_until_idle();
	assert_true(rig_is_probing("libvulkan_radeon.so"));
	rig_answer("libvulkan_radeon.so", 0);
	rig_run_until_idle();
	rig_assert_log("");
	assert_int_equal(rig_generations(), 1);
	rig_finish();
}

/* M-01: a trial that began before the device was there says nothing against it. */
static void
device_that_comes_during_a_trial_gets_its_own(void **state)
{
	rig_init();
	rig.hold = true;
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_add_node("dri/renderD128", "amdgpu");
	rig_start();
	rig_run_until_probing("libvulkan_radeon.so");
	rig_add_node("dri/renderD129", "amdgpu");
	for (int i = 0;
		i < 1000 && strcmp(rig_candidate_state("dri/renderD129", "radv"), "probing"); i++)
		assert_int_equal(kr_loop_step(rig.loop, INT64_MAX), 0);
	assert_int_equal(rig.probes, 1);
	rig_answer("libvulkan_radeon.so", -EIO);
	rig_run_until_probing("libvulkan_radeon.so");
	assert_string_equal(rig_candidate_state("dri/renderD128", "radv"), "failed");
	rig_answer("libvulkan_radeon.so", 0);
	rig_run_until_idle();
	rig_assert_log("node+ dri/renderD129 offer+ 0-libvulkan_radeon.so ");
	rig_finish();
}

/* M-04: after the last candidate, until a device has a driver. */
static void
software_driver_makes_room_for_a_device(void **state)
{
	char name[] = "lavapipe";

	rig_init();
	rig.config.software = name;
	rig_add_package("lavapipe", "libvulkan_lvp.so");
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_start();
	rig_run_until_idle();
	rig_assert_log("software+ 0-libvulkan_lvp.so ");
	rig.hold = true;
	rig_add_node("dri/renderD128", "amdgpu");
	rig_run_until_probing("libvulkan_radeon.so");
	rig_assert_log("");
	rig_answer("libvulkan_radeon.so", 0);
	rig_run_until_idle();
	rig_assert_log(
		"node+ dri/renderD128 offer+ 1-libvulkan_radeon.so software- 0-libvulkan_lvp.so ");
	rig_remove_node("dri/renderD128");
	rig_run_until("software+");
	rig_assert_log(
		"software+ 0-libvulkan_lvp.so offer- 1-libvulkan_radeon.so node- dri/renderD128 ");
	assert_int_equal(rig.probes, 2);
	rig_finish();
}

/* One driver for both is one offer throughout: its manifest, which has its name, stays. */
static void
software_driver_becomes_a_devices(void **state)
{
	char name[] = "radv";

	rig_init();
	rig.config.software = name;
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_start();
	rig_run_until_idle();
	rig_assert_log("software+ 0-libvulkan_radeon.so ");
	rig_add_node("dri/renderD128", "amdgpu");
	rig_run_until(" offer+");
	rig_assert_log("node+ dri/renderD128 offer+ 0-libvulkan_radeon.so ");
	rig_remove_node("dri/renderD128");
	rig_run_until("software+");
	rig_run_until_idle();
	rig_assert_log("software+ 0-libvulkan_radeon.so node- dri/renderD128 ");
	rig_finish();
}

/* M-04: while something is tried there is no fallback. */
static void
software_driver_waits_for_the_last_candidate(void **state)
{
	char name[] = "lavapipe";

	rig_init();
	rig.hold = true;
	rig.config.software = name;
	rig_add_package("lavapipe", "libvulkan_lvp.so");
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_add_node("dri/renderD128", "amdgpu");
	rig_start();
	rig_run_until_probing("libvulkan_radeon.so");
	rig_run_a_while();
	assert_false(rig_is_probing("libvulkan_lvp.so"));
	rig_answer("libvulkan_radeon.so", -EIO);
	rig_run_until_probing("libvulkan_lvp.so");
	assert_false(kr_offers_is_idle(rig.offers));
	rig_answer("libvulkan_lvp.so", 0);
	rig_run_until_idle();
	rig_assert_log("software+ 0-libvulkan_lvp.so ");
	rig_finish();
}

/* M-04: a software driver is tried, too. */
static void
software_driver_that_is_broken_is_not_offered(void **state)
{
	char name[] = "lavapipe";

	rig_init();
	rig.config.software = name;
	rig.broken[0] = "libvulkan_lvp.so";
	rig_add_package("lavapipe", "libvulkan_lvp.so");
	rig_start();
	rig_run_until_idle();
	rig_assert_log("");
	assert_string_equal(rig_candidate_state(NULL, "lavapipe"), "failed");
	assert_string_equal(rig_device_text(NULL, "state"), "no driver");
	rig_finish();
}

static void
software_driver_that_is_missing_is_said(void **state)
{
	char name[] = "swiftshader";

	rig_init();
	rig.config.software = name;
	rig_start();
	rig_run_until_idle();
	assert_string_equal(rig_candidate_reason(NULL, "swiftshader"), "there is no such package");
	rig_finish();
}

/* The software driver compiles, and isn't even tried; another driver is. */
static void
assert_refused(const char *reason)
{
	rig_add_package("intel", "libvulkan_intel.so");
	rig_start();
	rig_run_until_idle();
	rig_assert_log("");
	assert_int_equal(rig.probes, 0);
	assert_string_equal(rig_candidate_state(NULL, "lavapipe"), "refused");
	assert_string_equal(rig_candidate_reason(NULL, "lavapipe"), reason);
	rig_add_node("dri/renderD128", "i915");
	rig_run_until("offer+");
	assert_int_equal(rig.probes, 1);
	rig_finish();
}

static void
set_compiling_software(char *name)
{
	rig_init();
	rig.config.software = name;
	rig_add_package(name, "libvulkan_lvp.so")->compiles_at_run_time = true;
}

/* M-04: asked of the system, which forbids it to the process. */
static void
driver_that_compiles_is_refused_under_mdwe(void **state)
{
	char name[] = "lavapipe";

	set_compiling_software(name);
	if (!kr_test_deny_code_by_prctl())
		kr_test_skip("no-mdwe", NULL);
	assert_refused("it compiles at run time, and what is written may not be run here: "
		       "PR_SET_MDWE forbids it to this process");
}

/* M-04 */
static void
driver_that_compiles_is_refused_under_a_filter(void **state)
{
	char name[] = "lavapipe";

	set_compiling_software(name);
	kr_test_deny_code_by_filter();
	assert_refused("it compiles at run time, and what is written may not be run here: a "
		       "seccomp filter of this process refuses it, as systemd's "
		       "MemoryDenyWriteExecute= makes one");
}

/* M-04: where writable executable memory is forbidden by the configuration. */
static void
driver_that_compiles_is_refused_where_that_is_forbidden(void **state)
{
	char name[] = "lavapipe";

	rig_init();
	rig.config.software = name;
	rig.config.compile_at_run_time = false;
	rig_add_package("lavapipe", "libvulkan_lvp.so")->compiles_at_run_time = true;
	rig_start();
	rig_run_until_idle();
	rig_assert_log("");
	assert_int_equal(rig.probes, 0);
	assert_string_equal(rig_candidate_state(NULL, "lavapipe"), "refused");
	rig_finish();
}

/*
 * Another configuration, while it works: what it allowed and forbade is decided anew, and what
 * failed is tried again.
 */
static void
another_configuration(void **state)
{
	char name[] = "lavapipe";
	struct kr_config other;

	rig_init();
	rig.config.software = name;
	rig_add_package("lavapipe", "libvulkan_lvp.so")->compiles_at_run_time = true;
	rig_add_package("intel", "libvulkan_intel.so");
	rig_add_node("dri/renderD128", "i915");
	rig.broken[0] = "libvulkan_intel.so";
	rig_start();
	rig_run_until_idle();
	rig_assert_log("software+ 0-libvulkan_lvp.so ");
	assert_string_equal(rig_candidate_state("dri/renderD128", "intel"), "failed");
	other = rig.config;
	other.compile_at_run_time = false;
	kr_offers_configure(rig.offers, &other);
	rig_run_until_idle();
	rig_assert_log("software- 0-libvulkan_lvp.so ");
	assert_string_equal(rig_candidate_state(NULL, "lavapipe"), "refused");
	other = rig.config;
	kr_offers_configure(rig.offers, &rig.config);
	rig_run_until_idle();
	rig_assert_log("software+ 0-libvulkan_lvp.so ");
	rig.broken[0] = NULL;
	kr_offers_configure(rig.offers, &other);
	rig_run_until_idle();
	rig_assert_log(
		"node+ dri/renderD128 offer+ 1-libvulkan_intel.so software- 0-libvulkan_lvp.so ");
	other.software = NULL;
	kr_offers_configure(rig.offers, &other);
	rig_run_until_idle();
	rig_assert_log("");
	rig_remove_node("dri/renderD128");
	rig_run_until("node- ");
	rig_run_until_idle();
	rig_assert_log("offer- 1-libvulkan_intel.so node- dri/renderD128 ");
	rig_finish();
}

static void
without_probing_a_candidate_counts_as_working(void **state)
{
	rig_init();
	rig.config.probe = false;
	rig.broken[0] = "libvulkan_radeon.so";
	rig_add_node("dri/renderD128", "amdgpu");
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_start();
	rig_run_until_idle();
	rig_assert_log("node+ dri/renderD128 offer+ 0-libvulkan_radeon.so ");
	assert_int_equal(rig.probes, 0);
	rig_finish();
}

/* The best candidate may be in a package that hasn't been looked at. */
static void
nothing_is_tried_before_packages_are_known(void **state)
{
	rig_init();
	rig_set_catalog_idle(false);
	rig_add_node("dri/renderD128", "i915");
	rig_add_package("hasvk", "libvulkan_intel_hasvk.so");
	rig_start();
	rig_run_a_while();
	assert_int_equal(rig.probes, 0);
	assert_false(kr_offers_is_idle(rig.offers));
	rig_add_package("intel", "libvulkan_intel.so");
	rig_set_catalog_idle(true);
	rig_run_until_idle();
	rig_assert_log("node+ dri/renderD128 offer+ 1-libvulkan_intel.so ");
	rig_finish();
}

/* A package that is replaced: the new generation is there before the old one goes. */
static void
new_generation_takes_the_old_ones_place(void **state)
{
	rig_init();
	rig_add_node("dri/renderD128", "amdgpu");
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_start();
	rig_run_until_idle();
	rig_assert_log("node+ dri/renderD128 offer+ 0-libvulkan_radeon.so ");
	rig.hold = true;
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_run_until_probing("libvulkan_radeon.so");
	rig_assert_log("");
	rig_answer("libvulkan_radeon.so", 0);
	rig_run_until_idle();
	rig_assert_log("offer+ 1-libvulkan_radeon.so offer- 0-libvulkan_radeon.so ");
	assert_int_equal(rig_generations(), 1);
	rig_finish();
}

/* One that doesn't work leaves the old one where it is, twice over. */
static void
new_generation_that_is_broken_leaves_the_old_one(void **state)
{
	rig_init();
	rig_add_node("dri/renderD128", "amdgpu");
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_start();
	rig_run_until_idle();
	rig_assert_log("node+ dri/renderD128 offer+ 0-libvulkan_radeon.so ");
	rig.broken[0] = "libvulkan_radeon.so";
	for (int i = 0; i < 2; i++) {
		rig_add_package("radv", "libvulkan_radeon.so");
		rig_run_until_idle();
		rig_assert_log("");
		assert_string_equal(rig_candidate_state("dri/renderD128", "radv"), "failed");
		assert_int_equal(rig_generations(), 2);
	}
	rig.broken[0] = NULL;
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_run_until_idle();
	rig_assert_log("offer+ 3-libvulkan_radeon.so offer- 0-libvulkan_radeon.so ");
	assert_int_equal(rig_generations(), 1);
	rig_finish();
}

static void
package_that_goes_takes_its_offer_along(void **state)
{
	rig_init();
	rig_add_node("dri/renderD128", "i915");
	rig_add_package("intel", "libvulkan_intel.so");
	rig_add_package("hasvk", "libvulkan_intel_hasvk.so");
	rig_start();
	rig_run_until_idle();
	rig_assert_log("node+ dri/renderD128 offer+ 0-libvulkan_intel.so ");
	rig_remove_package("intel");
	rig_run_until_idle();
	rig_assert_log("offer+ 1-libvulkan_intel_hasvk.so offer- 0-libvulkan_intel.so ");
	rig_remove_package("hasvk");
	rig_run_until_idle();
	rig_assert_log("offer- 1-libvulkan_intel_hasvk.so node- dri/renderD128 ");
	rig_finish();
}

/* M-02: nodes beside the device that its driver needs, and only those. */
static void
nodes_that_a_package_needs_are_announced(void **state)
{
	char *nodes[] = {(char *)"dri/*", (char *)"extra/caps*", (char *)"udmabuf", NULL};
	char pattern[] = "dri/renderD130", package[] = "missing";

	rig_init();
	rig.classes[0] = (struct kr_config_class){pattern, package};
	rig.config.class_count = 1;
	rig_add_node("dri/renderD128", "i915");
	rig_add_node("dri/renderD129", "vgem");
	rig_add_node("dri/renderD130", "i915");
	rig_add_node("dri/card0", "i915");
	rig_add_node("dri/card1", "vgem");
	rig_add_node("udmabuf", NULL);
	rig_add_node("extra/caps1", NULL);
	rig_add_node("extra/other", NULL);
	rig_add_node("mem", NULL);
	rig_add_package("intel", "libvulkan_intel.so")->nodes = nodes;
	rig_start();
	rig_run_until("offer+");
	assert_non_null(strstr(rig.log, "node+ dri/renderD128 "));
	assert_non_null(strstr(rig.log, "node+ dri/card0 "));
	assert_non_null(strstr(rig.log, "node+ udmabuf "));
	assert_non_null(strstr(rig.log, "node+ extra/caps1 "));
	assert_null(strstr(rig.log, "renderD129"));
	assert_null(strstr(rig.log, "renderD130"));
	assert_null(strstr(rig.log, "card1"));
	assert_null(strstr(rig.log, "other"));
	assert_null(strstr(rig.log, "mem"));
	assert_string_equal(strstr(rig.log, "offer+"), "offer+ 0-libvulkan_intel.so ");
	rig.log[0] = '\0';
	/* One that comes later is announced, too. */
	rig_add_node("extra/caps2", NULL);
	rig_run_until("node+");
	rig_assert_log("node+ extra/caps2 ");
	rig_finish();
}

/* F-01: device fs. */
static void
announced_nodes_can_be_opened_and_no_others(void **state)
{
	char text[64] = "";
	int fd = -1;

	rig_init();
	rig_add_node("dri/renderD128", "amdgpu");
	rig_add_node("dri/renderD129", "vgem");
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_start();
	rig_run_until_idle();
	assert_int_equal(kr_offers_open_node(rig.offers, "dri/renderD128", &fd), 0);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	assert_string_equal(text, "dri/renderD128");
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDWR);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	fd = -1;
	assert_int_equal(kr_offers_open_node(rig.offers, "dri/renderD129", &fd), -ENOENT);
	assert_int_equal(kr_offers_open_node(rig.offers, "../dev/dri/renderD128", &fd), -ENOENT);
	assert_int_equal(kr_offers_open_node(rig.offers, "", &fd), -ENOENT);
	assert_int_equal(fd, -1);
	rig_finish();
}

/* M-01: the kernel's driver is seen a moment after the node. */
static void
kernel_driver_may_be_known_later(void **state)
{
	rig_init();
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_add_node("dri/renderD128", NULL);
	rig_start_with_uevents();
	rig_run_until_idle();
	assert_string_equal(rig_device_text("dri/renderD128", "state"), "no driver");
	rig_set_driver("dri/renderD128", "amdgpu");
	assert_true(send(rig.uevents, "bind@/x\0ACTION=bind\0", 20, 0) == 20);
	rig_run_until("offer+");
	rig_finish();
}

/* M-01: a hundred times, in and out; at the end there is what is there. */
static void
hotplug_storm(void **state)
{
	rig_init();
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_start();
	for (int i = 0; i < 100; i++) {
		rig_add_node("dri/renderD128", "amdgpu");
		rig_add_node("dri/renderD129", "amdgpu");
		assert_int_equal(kr_loop_step(rig.loop, 0), 0);
		rig_remove_node("dri/renderD128");
		assert_int_equal(kr_loop_step(rig.loop, 0), 0);
		if (i < 99)
			rig_remove_node("dri/renderD129");
	}
	rig_run_until("node+ dri/renderD129");
	rig_run_a_while();
	rig_run_until_idle();
	assert_int_equal(rig_count_offers(), 1);
	assert_string_equal(rig_device_text("dri/renderD128", "node"), "none");
	assert_string_equal(rig_device_text("dri/renderD129", "state"), "works");
	rig_finish();
}

/* A node under an old path is another device. */
static void
node_that_is_made_anew_is_tried_anew(void **state)
{
	rig_init();
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_add_package("intel", "libvulkan_intel.so");
	rig_add_node("dri/renderD128", "amdgpu");
	rig_start();
	rig_run_until_idle();
	rig_assert_log("node+ dri/renderD128 offer+ 0-libvulkan_radeon.so ");
	rig_remove_node("dri/renderD128");
	rig_add_node("dri/renderD128", "i915");
	rig_run_until("offer-");
	rig_assert_log("offer+ 1-libvulkan_intel.so offer- 0-libvulkan_radeon.so ");
	rig_finish();
}

static const struct kr_test tests[] = {
	KR_TEST(magma_device),
	KR_TEST(goldfish_device),
	KR_TEST(lavapipe_device_allowed),
	KR_TEST(lavapipe_device_disallowed),
	KR_TEST(broken_candidate_makes_room_for_the_next),
	KR_TEST(later_candidate_waits_for_the_earlier_one),
	KR_TEST(two_devices_of_one_driver_are_one_offer),
	KR_TEST(device_that_appears_is_announced_before_its_offer),
	KR_TEST(second_device_is_tried_for_itself),
	KR_TEST(device_is_matched_by_its_node),
	KR_TEST(device_is_matched_by_its_ids),
	KR_TEST(devices_that_say_nothing_are_taken),
	KR_TEST(processor_is_no_device),
	KR_TEST(package_says_what_it_serves),
	KR_TEST(plain_driver_comes_behind),
	KR_TEST(claimed_node_is_a_device),
	KR_TEST(device_vanishes_while_it_is_tried),
	KR_TEST(device_that_comes_during_a_trial_gets_its_own),
	KR_TEST(software_driver_makes_room_for_a_device),
	KR_TEST(software_driver_becomes_a_devices),
	KR_TEST(software_driver_waits_for_the_last_candidate),
	KR_TEST(software_driver_that_is_broken_is_not_offered),
	KR_TEST(software_driver_that_is_missing_is_said),
	KR_TEST(driver_that_compiles_is_refused_where_that_is_forbidden),
	KR_TEST(driver_that_compiles_is_refused_under_mdwe),
	KR_TEST(driver_that_compiles_is_refused_under_a_filter),
	KR_TEST(another_configuration),
	KR_TEST(without_probing_a_candidate_counts_as_working),
	KR_TEST(nothing_is_tried_before_packages_are_known),
	KR_TEST(new_generation_takes_the_old_ones_place),
	KR_TEST(new_generation_that_is_broken_leaves_the_old_one),
	KR_TEST(package_that_goes_takes_its_offer_along),
	KR_TEST(nodes_that_a_package_needs_are_announced),
	KR_TEST(announced_nodes_can_be_opened_and_no_others),
	KR_TEST(kernel_driver_may_be_known_later),
	KR_TEST_SLOW(hotplug_storm, 0, 60),
	KR_TEST(node_that_is_made_anew_is_tried_anew),
};

KR_TEST_MAIN(tests)
