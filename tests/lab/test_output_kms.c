/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The composer's device kms on real drivers: virtio-gpu, whose screen is looked at from outside of
 * the machine, and vkms, which computes a checksum of what its planes make together. Buffers are of
 * the kind that KRAFLA_BUFFERS names.
 */
#include "card.h"
#include "picture.h"
#include "rig.h"
#include "stage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <xf86drm.h>

#include <krafla/kernel_sync.h>
#include <krafla/sync.h>
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/log.h"

#define VKMS_PLANES  9 /* the primary one, and 8 overlays */
#define LOOKS        20
#define PACED        60
#define MANY_BUFFERS 100
#define KMS_LIMIT_NS (4 * KR_NSEC_PER_SEC) /* less than a fence is waited for */

/* The number of the card of that driver. */
static int
card_number(const char *driver)
{
	int fd = card_open(driver);
	struct stat status;

	assert_int_equal(fstat(fd, &status), 0);
	close(fd);
	return (int)minor(status.st_rdev);
}

static void
same_as_virtio_shows(const struct stage *stage)
{
	uint16_t(*picture)[3] = stage_picture(stage);
	size_t pixels = (size_t)stage->width * stage->height, wrong = 0;

	/* The device is told of a flip before QEMU has taken it in. */
	for (int look = 0; look < LOOKS; look++) {
		struct shot shot = shot_of_virtio();

		assert_int_equal(shot.width, stage->width);
		assert_int_equal(shot.height, stage->height);
		for (wrong = 0; wrong < pixels; wrong++) {
			const uint16_t *at = picture[wrong];
			uint32_t wanted = (uint32_t)(at[0] / 257) << 16 |
				(uint32_t)(at[1] / 257) << 8 | at[2] / 257;

			if (shot.pixels[wrong] != wanted)
				break;
		}
		shot_free(&shot);
		if (wrong == pixels)
			break;
	}
	free(picture);
	if (wrong != pixels)
		fail_msg("the pixel at %zu,%zu is another", wrong % stage->width,
			wrong / stage->width);
}

/* H-04: a card that takes no memory of others shows what the client draws, pixel for pixel. */
static void
virtio_shows_what_the_client_draws(void **state)
{
	struct stage stage;

	stage_open(&stage, "kms:virtio_gpu");
	stage_add(&stage, 0, 0, stage.width, stage.height);
	stage_add(&stage, 100, 50, 320, 200);
	stage_add(&stage, 300, 150, 400, 300);
	assert_int_equal(stage_show(&stage), 0);
	same_as_virtio_shows(&stage);
	for (int i = 0; i < 3; i++) {
		stage.layers[1].x += 37;
		stage_set(&stage, &stage.layers[1]);
		AHardwareBuffer_release(stage_renew(&stage, &stage.layers[2], -1));
		stage_show(&stage);
	}
	same_as_virtio_shows(&stage);
	stage_close(&stage);
}

static void
same_as_vkms_shows(const struct stage *stage, int crc)
{
	uint16_t(*picture)[3] = stage_picture(stage);
	uint32_t wanted = crc_of((const uint16_t(*)[3])picture, stage->width, stage->height);

	free(picture);
	assert_true(crc_becomes(crc, wanted));
}

/* Dma-bufs on planes of their own, in the order of their z, at the display's edges too. */
static void
vkms_shows_layers_on_planes(void **state)
{
	int card = card_number("vkms"), crc = crc_open(card);
	struct stage stage;
	struct stage_layer swapped;

	stage_open(&stage, "kms:vkms");
	stage_add(&stage, 0, 0, stage.width, stage.height);
	stage_add(&stage, 100, 50, 320, 200);
	stage_add(&stage, 300, 150, 400, 300);
	stage_add(&stage, -50, -20, 128, 128);
	stage_add(&stage, (int32_t)stage.width - 40, (int32_t)stage.height - 30, 100, 100);
	assert_int_equal(stage_show(&stage), 5);
	same_as_vkms_shows(&stage, crc);
	swapped = stage.layers[1];
	stage.layers[1] = stage.layers[2];
	stage.layers[2] = swapped;
	stage_set(&stage, &stage.layers[1]);
	stage_set(&stage, &stage.layers[2]);
	assert_int_equal(stage_show(&stage), 5);
	same_as_vkms_shows(&stage, crc);
	stage_close(&stage);
	crc_close(card, crc);
}

/* What is blended, by the hardware as by the contract: to the last of 16 bits. */
static void
vkms_blends_planes(void **state)
{
	int card = card_number("vkms"), crc = crc_open(card);
	struct stage stage;

	stage_open(&stage, "kms:vkms");
	stage_add(&stage, 0, 0, stage.width, stage.height);
	for (int i = 0; i < 3; i++) {
		struct stage_layer *layer = stage_add(&stage, 50 + 60 * i, 40 + 50 * i, 300, 200);

		layer->blend = KRAFLA_BLEND_PREMULTIPLIED;
		stage_set(&stage, layer);
		AHardwareBuffer_release(stage_renew(&stage, layer, -1));
	}
	assert_int_equal(stage_show(&stage), 4);
	same_as_vkms_shows(&stage, crc);
	stage_close(&stage);
	crc_close(card, crc);
}

/* H-04: more layers than planes: the rest is the client's, below those on planes. */
static void
layers_without_a_plane_are_the_clients(void **state)
{
	int card = card_number("vkms"), crc = crc_open(card);
	struct stage stage;
	unsigned devices;

	stage_open(&stage, "kms:vkms");
	for (int i = 0; i < STAGE_LAYERS - 2; i++)
		stage_add(&stage, 20 + 30 * i, 10 + 25 * i, 200, 150);
	devices = stage_show(&stage);
	printf("# %u of %u layers on planes\n", devices, stage.count);
	assert_in_range(devices, 1, VKMS_PLANES - 1);
	same_as_vkms_shows(&stage, crc);
	stage_close(&stage);
	crc_close(card, crc);
}

/* Turned and mirrored, by planes or by the client: the picture is the same. */
static void
transforms(void **state)
{
	int card = card_number("vkms"), crc = crc_open(card);
	struct stage stage;
	unsigned devices = 0;

	stage_open(&stage, "kms:vkms");
	stage_add(&stage, 0, 0, stage.width, stage.height);
	stage_add(&stage, 200, 100, 320, 200);
	for (int32_t transform = 0; transform < 8; transform++) {
		stage.layers[1].transform = transform;
		stage_set(&stage, &stage.layers[1]);
		devices += stage_show(&stage) - 1;
		same_as_vkms_shows(&stage, crc);
	}
	printf("# %u of 8 transforms on a plane\n", devices);
	assert_true(devices >= 4);
	stage_close(&stage);
	crc_close(card, crc);
}

/* H-01, S-04: a kernel's fence goes into the commit; nothing waits for it but the screen. */
static void
kernel_fences_go_in_and_come_out(void **state)
{
	int timeline = rig_timeline(), acquire = rig_fence(timeline, 1), present, release;
	int card = card_number("vkms"), crc = crc_open(card);
	AHardwareBuffer *before;
	struct stage stage;

	stage_open(&stage, "kms:vkms");
	stage_add(&stage, 0, 0, stage.width, stage.height);
	stage_add(&stage, 10, 10, 300, 300);
	assert_int_equal(stage_show(&stage), 2);
	before = stage_renew(&stage, &stage.layers[1], acquire);
	close(acquire);
	assert_int_equal(stage_validate(&stage), 2);
	present = stage_present(&stage);
	release = stage_release_fence(&stage, &stage.layers[1]);
	assert_int_equal(krafla_fence_check_kernel(present), 0);
	assert_int_equal(krafla_fence_check_kernel(release), 0);
	assert_int_equal(sync_wait(present, 60), -1);
	assert_int_equal(sync_wait(release, 0), -1);
	assert_int_equal(rig_move(timeline, 1, 0), 0);
	assert_int_equal(stage_wait(&stage, present), 1);
	assert_int_equal(stage_wait(&stage, release), 1);
	same_as_vkms_shows(&stage, crc);
	/* H-02: what was replaced isn't read any more. */
	AHardwareBuffer_release(before);
	close(timeline);
	stage_close(&stage);
	crc_close(card, crc);
}

/* S-05: a fence of user space is waited for before the commit; the old picture stays meanwhile. */
static void
user_fences_are_waited_for(void **state)
{
	const struct kr_fence_label label = {.name = "frame"};
	int card = card_number("vkms"), crc = crc_open(card), present, release, acquire, producer;
	AHardwareBuffer *before;
	uint32_t old;
	struct stage stage;

	stage_open(&stage, "kms:vkms");
	stage_add(&stage, 0, 0, stage.width, stage.height);
	stage_add(&stage, 10, 10, 300, 300);
	stage_show(&stage);
	same_as_vkms_shows(&stage, crc);
	old = crc_next(crc);
	assert_int_equal(kr_fence_create(&label, &producer, &acquire), 0);
	before = stage_renew(&stage, &stage.layers[1], acquire);
	close(acquire);
	stage_validate(&stage);
	present = stage_present(&stage);
	release = stage_release_fence(&stage, &stage.layers[1]);
	stage_dispatch(&stage, 100, NULL, 0);
	assert_int_equal(sync_wait(present, 0), -1);
	assert_int_equal(sync_wait(release, 0), -1);
	assert_int_equal(crc_next(crc), old);
	kr_fence_signal(producer, 1);
	assert_int_equal(stage_wait(&stage, present), 1);
	assert_int_equal(stage_wait(&stage, release), 1);
	same_as_vkms_shows(&stage, crc);
	AHardwareBuffer_release(before);
	stage_close(&stage);
	crc_close(card, crc);
}

/* A layer whose fence never signals costs its own layer: after 5 s the others are seen (rule 7). */
static void
layer_that_is_never_ready_is_left_out(void **state)
{
	const struct kr_fence_label label = {.name = "never"};
	int card = card_number("vkms"), crc = crc_open(card), producer, acquire;
	AHardwareBuffer *before;
	struct stage stage;
	int64_t begun;

	stage_open(&stage, "kms:vkms");
	stage_add(&stage, 0, 0, stage.width, stage.height);
	stage_add(&stage, 10, 10, 300, 300);
	stage_show(&stage);
	assert_int_equal(kr_fence_create(&label, &producer, &acquire), 0);
	before = stage_renew(&stage, &stage.layers[1], acquire);
	close(acquire);
	AHardwareBuffer_release(stage_renew(&stage, &stage.layers[0], -1));
	stage_show(&stage);
	stage.count = 1;
	same_as_vkms_shows(&stage, crc);
	stage.count = 2;
	/* It isn't waited for again: two pictures more come at once. */
	begun = kr_clock_now();
	for (int i = 0; i < 2; i++) {
		AHardwareBuffer_release(stage_renew(&stage, &stage.layers[0], -1));
		stage_show(&stage);
	}
	assert_true(kr_clock_now() - begun < KMS_LIMIT_NS);
	/* When it is ready after all, the device asks for a picture. */
	stage.refreshed = 0;
	kr_fence_signal(producer, 1);
	stage_dispatch(&stage, STAGE_SOON_MS, &stage.refreshed, 0);
	assert_int_equal(stage.refreshed, 1);
	stage_show(&stage);
	same_as_vkms_shows(&stage, crc);
	AHardwareBuffer_release(before);
	stage_close(&stage);
	crc_close(card, crc);
}

/* H-03: who presents at the pace of the fences gets each vertical blank; figures, no goal. */
static void
each_commit_is_on_its_vertical_blank(void **state)
{
	int64_t last = 0, period = KR_NSEC_PER_SEC / 60;
	unsigned next = 0, later = 0;
	struct stage stage;

	stage_open(&stage, "kms:vkms");
	stage_add(&stage, 0, 0, 256, 256);
	stage_show(&stage);
	for (unsigned i = 0; i < PACED; i++) {
		int fence = stage_present(&stage);
		struct sync_file_info *info;
		int64_t at;

		assert_int_equal(krafla_fence_check_kernel(fence), 0);
		assert_int_equal(sync_wait(fence, STAGE_SOON_MS), 0);
		info = sync_file_info(fence);
		at = (int64_t)sync_get_fence_info(info)->timestamp_ns;
		sync_file_info_free(info);
		close(fence);
		assert_true(at > last);
		if (last && at - last < period + period / 2)
			next++;
		else if (last)
			later++;
		last = at;
	}
	printf("# of %u frames %u are a period after the one before, %u more\n", PACED, next,
		later);
	stage_close(&stage);
}

static unsigned
count_framebuffers(int card)
{
	char path[64], *text;
	unsigned count = 0;

	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/framebuffer", card);
	text = rig_read_file(path);
	for (const char *at = text; (at = strstr(at, "framebuffer[")); at++)
		count++;
	free(text);
	return count;
}

/* Framebuffers of buffers that come and go are bounded, and go with their layer. */
static void
framebuffers_are_bounded_and_freed(void **state)
{
	int card = card_number("vkms");
	unsigned before = count_framebuffers(card), most = 0, used;
	struct stage stage;

	stage_open(&stage, "kms:vkms");
	used = count_framebuffers(card) - before;
	stage_add(&stage, 0, 0, 64, 64);
	stage_show(&stage);
	for (int i = 0; i < MANY_BUFFERS; i++) {
		AHardwareBuffer_release(stage_renew(&stage, &stage.layers[0], -1));
		assert_int_equal(stage_wait(&stage, stage_present(&stage)), 1);
		most = KR_MAX(most, count_framebuffers(card) - before);
	}
	printf("# %u framebuffers of the device's own, at most %u with %d buffers\n", used, most,
		MANY_BUFFERS);
	assert_true(most <= used + 64);
	assert_int_equal(
		krafla_display_destroy_layer(stage.composer, stage.display, stage.layers[0].layer),
		0);
	AHardwareBuffer_release(stage.layers[0].buffer);
	stage.count = 0;
	stage_show(&stage);
	stage_show(&stage);
	stage_show(&stage);
	assert_int_equal(count_framebuffers(card) - before, used);
	stage_close(&stage);
	assert_int_equal(count_framebuffers(card), before);
}

static void
plug(int card, const char *connector, const char *how)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/class/drm/card%d-%s/status", card, connector);
	rig_write_file(path, how);
	/* These two drivers tell nobody of what was forced on them. */
	snprintf(path, sizeof(path), "/sys/class/drm/card%d/uevent", card);
	rig_write_file(path, "change");
}

static void
screens_come_and_go(void **state)
{
	int card = card_number("vkms"), crc = crc_open(card), fence = 0;
	struct stage stage;

	stage_open(&stage, "kms:vkms");
	stage_add(&stage, 0, 0, 256, 256);
	stage_show(&stage);
	plug(card, "Virtual-2", "off");
	stage_dispatch(&stage, STAGE_SOON_MS, &stage.disconnected, 0);
	assert_int_equal(stage.disconnected, 1);
	assert_int_equal(stage.display, 0);
	plug(card, "Virtual-2", "on");
	stage_dispatch(&stage, STAGE_SOON_MS, &stage.connected, 1);
	assert_int_equal(stage.connected, 2);
	AHardwareBuffer_release(stage.layers[0].buffer);
	stage.count = 0;
	stage_add(&stage, 30, 30, 256, 256);
	stage_show(&stage);
	same_as_vkms_shows(&stage, crc);
	/* Gone while a picture is on its way. */
	stage_validate(&stage);
	fence = stage_present(&stage);
	plug(card, "Virtual-2", "off");
	stage_dispatch(&stage, STAGE_SOON_MS, &stage.disconnected, 1);
	assert_int_equal(stage_wait(&stage, fence), 1);
	stage_close(&stage);
	plug(card, "Virtual-2", "detect");
	crc_close(card, crc);
}

static void
vsync_is_told(void **state)
{
	static const char *const devices[] = {"kms:vkms", "kms:virtio_gpu"};

	for (size_t i = 0; i < KR_ARRAY_LEN(devices); i++) {
		struct stage stage;

		stage_open(&stage, devices[i]);
		stage_dispatch(&stage, 50, NULL, 0);
		assert_int_equal(stage.vsyncs, 0);
		assert_int_equal(
			krafla_display_set_vsync_enabled(stage.composer, stage.display, true), 0);
		for (unsigned n = 0; n < 3; n++)
			stage_dispatch(&stage, STAGE_SOON_MS, &stage.vsyncs, stage.vsyncs);
		assert_true(stage.vsyncs >= 3);
		assert_in_range(stage.vsync_period_ns, KR_NSEC_PER_SEC / 100, KR_NSEC_PER_SEC / 50);
		assert_true(stage.vsync_ns <= kr_clock_now());
		stage_close(&stage);
	}
}

/* Another mode, and the screen off and on. */
static void
modes_and_power(void **state)
{
	int card = card_number("vkms"), crc = crc_open(card), fence;
	krafla_config_t configs[256], active;
	uint32_t count = KR_ARRAY_LEN(configs), other = 0;
	int32_t width, height;
	struct stage stage;

	stage_open(&stage, "kms:vkms");
	assert_int_equal(
		krafla_display_get_configs(stage.composer, stage.display, &count, configs), 0);
	assert_int_equal(
		krafla_display_get_active_config(stage.composer, stage.display, &active), 0);
	while (other < count && configs[other] == active)
		other++;
	assert_true(other < count);
	assert_int_equal(
		krafla_display_set_active_config(stage.composer, stage.display, configs[other]), 0);
	krafla_display_get_attribute(
		stage.composer, stage.display, configs[other], KRAFLA_ATTRIBUTE_WIDTH, &width);
	krafla_display_get_attribute(
		stage.composer, stage.display, configs[other], KRAFLA_ATTRIBUTE_HEIGHT, &height);
	stage.width = (uint32_t)width;
	stage.height = (uint32_t)height;
	stage_add(&stage, 5, 5, 256, 256);
	stage_show(&stage);
	same_as_vkms_shows(&stage, crc);
	assert_int_equal(
		krafla_display_set_power_mode(stage.composer, stage.display, KRAFLA_POWER_OFF), 0);
	stage_validate(&stage);
	fence = stage_present(&stage);
	assert_int_equal(fence, -1);
	assert_int_equal(
		krafla_display_set_power_mode(stage.composer, stage.display, KRAFLA_POWER_ON), 0);
	stage_show(&stage);
	same_as_vkms_shows(&stage, crc);
	assert_int_equal(
		krafla_display_set_power_mode(stage.composer, stage.display, KRAFLA_POWER_DOZE),
		KRAFLA_COMPOSER_UNSUPPORTED);
	stage_close(&stage);
	crc_close(card, crc);
}

static void
same_as_krafla_display_shows(const struct stage *stage)
{
	size_t pixels = (size_t)stage->width * stage->height, wrong = 0;
	uint16_t(*picture)[3] = stage_picture(stage);
	uint32_t *shown = malloc(pixels * 4);
	int fd = rig_open("/dev/krafla_display");

	assert_int_equal(pread(fd, shown, pixels * 4, 0), pixels * 4);
	close(fd);
	while (wrong < pixels) {
		const uint16_t *at = picture[wrong];
		uint32_t wanted =
			(uint32_t)(at[0] / 257) << 16 | (uint32_t)(at[1] / 257) << 8 | at[2] / 257;

		if ((shown[wrong] & 0xffffff) != wanted)
			break;
		wrong++;
	}
	free(shown);
	free(picture);
	if (wrong != pixels)
		fail_msg("the pixel at %zu,%zu is another", wrong % stage->width,
			wrong / stage->width);
}

/*
 * S-09: the display of the case study shows a layer's buffer as it is, and gives it back by the
 * kernel's fence when it has left the screen; else what the client draws.
 */
static void
krafla_display_shows_pictures(void **state)
{
	int timeline = rig_timeline(), acquire = rig_fence(timeline, 1), present, release;
	AHardwareBuffer *before;
	struct stage stage;

	/* Else it lets a buffer go that is on the screen for long, by a copy of its own. */
	rig_write_file("/sys/module/krafla_display/parameters/hold_ms", "60000");
	stage_open(&stage, "kms:krafla_display");
	stage_add(&stage, 0, 0, stage.width, stage.height);
	assert_int_equal(stage_show(&stage), 1);
	same_as_krafla_display_shows(&stage);
	before = stage_renew(&stage, &stage.layers[0], acquire);
	close(acquire);
	present = stage_present(&stage);
	release = stage_release_fence(&stage, &stage.layers[0]);
	assert_int_equal(krafla_fence_check_kernel(release), 0);
	stage_dispatch(&stage, 100, NULL, 0);
	assert_int_equal(sync_wait(present, 0), -1);
	assert_int_equal(sync_wait(release, 0), -1);
	assert_int_equal(rig_move(timeline, 1, 0), 0);
	assert_int_equal(stage_wait(&stage, present), 1);
	assert_int_equal(stage_wait(&stage, release), 1);
	same_as_krafla_display_shows(&stage);
	AHardwareBuffer_release(before);
	stage_add(&stage, 40, 30, 200, 100);
	assert_int_equal(stage_show(&stage), 0);
	same_as_krafla_display_shows(&stage);
	stage_close(&stage);
	close(timeline);
}

/* What can't be opened is said in a sentence, with what to do. */
static char said[4096];

static void
hear(void *data, uint32_t bits, const char *message)
{
	if (bits & KR_LOG_ERROR)
		snprintf(said, sizeof(said), "%s", message);
}

static void
what_cannot_be_opened_is_told(void **state)
{
	struct krafla_composer *composer = NULL;
	int master = card_open("vkms");
	char vgem[32];
	const struct {
		const char *device;
		int error;
		const char *words;
	} cases[] = {
		{"kms:card63", -ENOENT, "there is no card 'card63'"},
		{"kms:nouveau", -ENOENT, "there is no card 'nouveau'"},
		{"kms:/dev/null", -ENOTTY, "no graphics card"},
		{vgem, -ENODEV, "has no screens"},
		{"kms:vkms:HDMI-A-9", -ENODEV, "no connector HDMI-A-9"},
		{"kms:vkms:a:b", -EINVAL, "no [CARD][:CONNECTOR]"},
		{"kms:vkms", -EBUSY, "another program shows its pictures"},
	};

	snprintf(vgem, sizeof(vgem), "kms:card%d", card_number("vgem"));
	kr_log_set_sink(hear, NULL);
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		bool last = i == KR_ARRAY_LEN(cases) - 1;

		if (last)
			assert_int_equal(drmSetMaster(master), 0);
		else
			(void)drmDropMaster(master);
		said[0] = '\0';
		assert_int_equal(krafla_composer_open(cases[i].device, &composer), cases[i].error);
		if (!strstr(said, cases[i].words))
			fail_msg("%s: '%s'", cases[i].device, said);
		print_message("%s\n", said);
	}
	kr_log_set_sink(NULL, NULL);
	close(master);
}

static const struct kr_test tests[] = {
	KR_TEST(virtio_shows_what_the_client_draws),
	KR_TEST(vkms_shows_layers_on_planes),
	KR_TEST(vkms_blends_planes),
	KR_TEST(layers_without_a_plane_are_the_clients),
	KR_TEST(transforms),
	KR_TEST(kernel_fences_go_in_and_come_out),
	KR_TEST(user_fences_are_waited_for),
	KR_TEST(layer_that_is_never_ready_is_left_out),
	KR_TEST(each_commit_is_on_its_vertical_blank),
	KR_TEST_SLOW(framebuffers_are_bounded_and_freed, 0, 60),
	KR_TEST(screens_come_and_go),
	KR_TEST(vsync_is_told),
	KR_TEST(modes_and_power),
	KR_TEST(krafla_display_shows_pictures),
	KR_TEST(what_cannot_be_opened_is_told),
};

KR_TEST_MAIN(tests)
