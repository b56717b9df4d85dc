/* SPDX-License-Identifier: Apache-2.0 */
/* What a connector tells its screen of colours and light (outputs/kms/colour.h). */
#include "harness.h"

#include <errno.h>
#include <krafla/native_window.h>
#include <stdio.h>
#include <string.h>

#include "fake_drm.h"
#include "outputs/kms/log.h"
#include "outputs/kms/screen.h"
#include "util/macros.h"

static struct kms_card card;
static struct kms_listener listener;
static char heard[512];

static void
hear(uint32_t bits, const char *message)
{
	snprintf(heard, sizeof(heard), "%s", message);
}

/* With what the fake says by now. */
static void
open_screen(struct kms_screen *screen)
{
	static const struct kr_hwc_host host = {.log = hear};
	static struct kms_connector connector;

	kms_log_set_host(&host);
	heard[0] = '\0';
	memset(&card, 0, sizeof(card));
	snprintf(card.path, sizeof(card.path), "/dev/dri/card0");
	card.fd = -1;
	card.crtcs[0].id = FAKE_CRTC;
	card.crtc_count = 1;
	card.planes[0] = (struct kms_plane){
		.id = 20, .possible_crtcs = 1, .property[KMS_PLANE_TYPE].value = 1};
	card.plane_count = 1;
	assert_int_equal(kms_connector_read(-1, FAKE_CONNECTOR, &connector), 0);
	connector.possible_crtcs = 1;
	assert_int_equal(kms_screen_open(screen, &card, NULL, &listener, &connector, 0), 0);
}

static void
close_screen(struct kms_screen *screen)
{
	kms_screen_close(screen, true);
	kms_log_set_host(NULL);
	assert_int_equal(fake_drm_blobs(), 0);
}

/* A picture, at once. */
static void
show(struct kms_screen *screen)
{
	int fence = -1;

	assert_int_equal(kms_screen_commit(screen, NULL, 0, &fence), 0);
	assert_int_equal(fence, -1);
	kms_screen_handle_flip(screen, 1);
}

static const struct kr_hdr_metadata light = {
	.has = KR_HDR_MASTERING | KR_HDR_CONTENT,
	.red = {0.708f, 0.292f},
	.green = {0.17f, 0.797f},
	.blue = {0.131f, 0.046f},
	.white = {0.3127f, 0.329f},
	.max_luminance = 1000,
	.min_luminance = 0.005f,
	.max_cll = 900,
	.max_fall = 80000,
};

static void
a_screen_of_srgb_is_told_so(void **state)
{
	struct kms_screen screen;

	fake_drm_init();
	open_screen(&screen);
	assert_true(fake_drm.said[FAKE_COLORSPACE] && fake_drm.said[FAKE_HDR]);
	assert_int_equal(fake_drm.value[FAKE_COLORSPACE], 0);
	assert_int_equal(fake_drm.value[FAKE_HDR], 0);
	assert_int_equal(fake_drm.value[FAKE_MAX_BPC], 8);
	close_screen(&screen);
	/* One that has nothing of it isn't asked for anything. */
	for (int id = FAKE_COLORSPACE; id < FAKE_PROPERTIES_END; id++)
		fake_drm.lacks[id] = true;
	open_screen(&screen);
	for (int id = FAKE_COLORSPACE; id < FAKE_PROPERTIES_END; id++)
		assert_false(fake_drm.said[id]);
	assert_int_equal(kms_screen_set_colour(&screen, HAL_DATASPACE_SRGB, NULL), 0);
	close_screen(&screen);
}

static void
wide_colours_are_told(void **state)
{
	static const struct {
		int32_t dataspace;
		uint64_t colorspace, bpc;
		int eotf; /* 0: no metadata */
	} rows[] = {
		{HAL_DATASPACE_BT2020_PQ, 9, 10, 2},
		{HAL_DATASPACE_BT2020_HLG, 9, 10, 3},
		{HAL_DATASPACE_DISPLAY_P3, 11, 8, 0},
		{HAL_DATASPACE_SRGB, 0, 8, 0},
	};
	struct kms_screen screen;

	fake_drm_init();
	open_screen(&screen);
	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		const struct hdr_output_metadata *told;

		assert_int_equal(kms_screen_set_colour(&screen, rows[i].dataspace, NULL), 0);
		assert_true(fake_drm.was_mode);
		assert_int_equal(fake_drm.value[FAKE_COLORSPACE], rows[i].colorspace);
		assert_int_equal(fake_drm.value[FAKE_MAX_BPC], rows[i].bpc);
		told = fake_drm_metadata(fake_drm.value[FAKE_HDR]);
		assert_int_equal(told != NULL, rows[i].eotf != 0);
		if (told) {
			assert_int_equal(told->hdmi_metadata_type1.eotf, rows[i].eotf);
			assert_int_equal(told->hdmi_metadata_type1.max_cll, 0);
		}
		assert_int_equal(fake_drm_blobs(), 1 + (told != NULL)); /* and the mode's */
	}
	close_screen(&screen);
}

/* In the kernel's units; with the picture, and no mode is set for it. */
static void
light_is_told_with_the_next_picture(void **state)
{
	const struct hdr_metadata_infoframe *told;
	struct kr_hdr_metadata other = light;
	struct kms_screen screen;
	unsigned commits;

	fake_drm_init();
	open_screen(&screen);
	assert_int_equal(kms_screen_set_colour(&screen, HAL_DATASPACE_BT2020_PQ, NULL), 0);
	commits = fake_drm.commits;
	assert_int_equal(kms_screen_set_colour(&screen, HAL_DATASPACE_BT2020_PQ, &light), 0);
	assert_int_equal(fake_drm.commits, commits);
	show(&screen);
	assert_false(fake_drm.was_mode);
	assert_true(fake_drm.said[FAKE_HDR]);
	told = &fake_drm_metadata(fake_drm.value[FAKE_HDR])->hdmi_metadata_type1;
	assert_int_equal(told->eotf, 2);
	assert_int_equal(told->display_primaries[0].x, 35400);
	assert_int_equal(told->display_primaries[1].y, 39850);
	assert_int_equal(told->display_primaries[2].y, 2300);
	assert_int_equal(told->white_point.x, 15635);
	assert_int_equal(told->max_display_mastering_luminance, 1000);
	assert_int_equal(told->min_display_mastering_luminance, 50);
	assert_int_equal(told->max_cll, 900);
	assert_int_equal(told->max_fall, 65535); /* as much as there is room for */
	/* Once. */
	show(&screen);
	assert_false(fake_drm.said[FAKE_HDR]);
	assert_int_equal(kms_screen_set_colour(&screen, HAL_DATASPACE_BT2020_PQ, &light), 0);
	show(&screen);
	assert_false(fake_drm.said[FAKE_HDR]);
	/* A driver that wants a mode for it has the picture without. */
	fake_drm.refuses_hdr = true;
	other.max_cll = 1;
	assert_int_equal(kms_screen_set_colour(&screen, HAL_DATASPACE_BT2020_PQ, &other), 0);
	show(&screen);
	assert_false(fake_drm.said[FAKE_HDR]);
	assert_non_null(strstr(heard, "no other HDR metadata"));
	close_screen(&screen);
}

static void
expect_refusal(int32_t dataspace, const char *why)
{
	struct kms_screen screen;
	unsigned commits;

	open_screen(&screen);
	commits = fake_drm.commits;
	assert_int_equal(kms_screen_set_colour(&screen, dataspace, NULL), -EOPNOTSUPP);
	assert_int_equal(fake_drm.commits, commits);
	assert_non_null(strstr(heard, "HDMI-A-1 of /dev/dri/card0 can't show"));
	assert_non_null(strstr(heard, why));
	assert_int_equal(screen.colour.dataspace, HAL_DATASPACE_SRGB);
	close_screen(&screen);
	fake_drm_init();
}

/* The sentence says what is missing. */
static void
what_cannot_be_told_is_refused(void **state)
{
	fake_drm_init();
	expect_refusal(HAL_DATASPACE_SCRGB_LINEAR, "no connector has such colours");
	fake_drm.lacks[FAKE_HDR] = true;
	expect_refusal(HAL_DATASPACE_BT2020_PQ, "no HDR_OUTPUT_METADATA");
	fake_drm.lacks[FAKE_COLORSPACE] = true;
	expect_refusal(HAL_DATASPACE_BT2020_PQ, "no BT2020_RGB");
	fake_drm.no_bt2020 = true;
	expect_refusal(HAL_DATASPACE_BT2020_HLG, "no BT2020_RGB");
	fake_drm.no_p3 = true;
	expect_refusal(HAL_DATASPACE_DISPLAY_P3, "no DCI-P3_RGB_D65");
	fake_drm.most_bpc = 8;
	expect_refusal(HAL_DATASPACE_BT2020_PQ, "fewer than 10 bits");
	fake_drm.edid_size = 0;
	expect_refusal(HAL_DATASPACE_BT2020_PQ, "EDID doesn't say that it knows this transfer");
	fake_drm.edid[128 + 14] = 0x05; /* PQ, and no HLG */
	fake_drm_seal_edid();
	expect_refusal(HAL_DATASPACE_BT2020_HLG, "EDID doesn't say that it knows this transfer");
	fake_drm.edid[128 + 10] = 0;
	fake_drm_seal_edid();
	expect_refusal(HAL_DATASPACE_BT2020_PQ, "EDID doesn't say that it knows BT.2020");
	fake_drm.edid[128 + 11] = 0;
	fake_drm_seal_edid();
	expect_refusal(HAL_DATASPACE_DISPLAY_P3, "EDID doesn't say that it knows DCI-P3");
}

static void
a_kernel_that_refuses_keeps_the_old_colours(void **state)
{
	struct kms_screen screen;

	fake_drm_init();
	open_screen(&screen);
	assert_int_equal(kms_screen_set_colour(&screen, HAL_DATASPACE_DISPLAY_P3, NULL), 0);
	fake_drm.refuses_modes = true;
	assert_int_equal(kms_screen_set_colour(&screen, HAL_DATASPACE_BT2020_PQ, &light), -EINVAL);
	assert_non_null(strstr(heard, "can't be set to other colours"));
	assert_int_equal(screen.colour.dataspace, HAL_DATASPACE_DISPLAY_P3);
	assert_int_equal(screen.hdr.has, 0);
	fake_drm.refuses_modes = false;
	assert_int_equal(kms_screen_light(&screen), 0);
	assert_int_equal(fake_drm.value[FAKE_COLORSPACE], 11);
	assert_int_equal(fake_drm.value[FAKE_HDR], 0);
	close_screen(&screen);
}

/* Whatever is in it: cut off, of a wrong sum, with blocks that reach beyond it. */
static void
a_bad_edid_says_nothing(void **state)
{
	struct kms_edid edid;

	fake_drm_init();
	kms_edid_read(fake_drm.edid, 256, &edid);
	assert_true(edid.bt2020_rgb && edid.dci_p3 && edid.pq && edid.hlg && edid.static_metadata);
	for (size_t size = 0; size < 256; size++) {
		kms_edid_read(fake_drm.edid, size, &edid);
		assert_false(edid.bt2020_rgb || edid.pq);
	}
	fake_drm.edid[255]++;
	kms_edid_read(fake_drm.edid, 256, &edid);
	assert_false(edid.bt2020_rgb || edid.pq);
	for (unsigned end = 0; end < 256; end++) {
		for (unsigned head = 0; head < 256; head++) {
			fake_drm.edid[130] = (uint8_t)end;
			fake_drm.edid[132] = (uint8_t)head;
			fake_drm_seal_edid();
			kms_edid_read(fake_drm.edid, 256, &edid);
		}
	}
	/* A block that isn't whole any more. */
	fake_drm_init();
	fake_drm.edid[130] = 15;
	fake_drm_seal_edid();
	kms_edid_read(fake_drm.edid, 256, &edid);
	assert_true(edid.bt2020_rgb);
	assert_false(edid.pq);
}

static const struct kr_test tests[] = {
	KR_TEST(a_screen_of_srgb_is_told_so),
	KR_TEST(wide_colours_are_told),
	KR_TEST(light_is_told_with_the_next_picture),
	KR_TEST(what_cannot_be_told_is_refused),
	KR_TEST(a_kernel_that_refuses_keeps_the_old_colours),
	KR_TEST(a_bad_edid_says_nothing),
};

KR_TEST_MAIN(tests)
