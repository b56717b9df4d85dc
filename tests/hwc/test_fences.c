/* SPDX-License-Identifier: Apache-2.0 */
/* Conformance: when fences signal, whose they are, and what becomes of layers whose own doesn't. */
#include "stage.h"

#include <errno.h>
#include <krafla/fault.h>
#include <poll.h>
#include <unistd.h>

#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"

#define SIDE 16

static const ARect left = {0, 0, SIDE, SIDE};
static const ARect right = {SIDE, 0, 2 * SIDE, SIDE};

static AHardwareBuffer *
plain(uint32_t rgb)
{
	return rig_buffer(SIDE, SIDE, RIG_RGBA, 0xff000000 | rgb);
}

/* H-01, H-03: what is in the buffer when its fence signals is what is seen, and not before that. */
static void
nothing_is_read_before_its_fence(void **state)
{
	AHardwareBuffer *steady = plain(0x00ff00), *buffer = plain(0xff0000);
	struct stage stage;
	int present;

	stage_begin(&stage);
	stage_add(&stage, steady, left);
	stage_add(&stage, NULL, right);
	for (uint32_t i = 1; i <= 8; i++) {
		int producer, acquire = rig_fence(&producer);
		unsigned shown = stage.rig.screen.shown;

		rig_fill(buffer, 0xffff0000);
		stage_set_buffer(&stage, &stage.layers[1], buffer, acquire);
		kr_fd_close(&acquire); /* what the composer needs it has */
		present = stage_present(&stage);
		assert_int_equal(kr_fence_status(present), KR_FENCE_ACTIVE);
		assert_int_equal(stage.rig.screen.shown, shown);
		if (stage.output && i == 1)
			assert_int_equal(rig_pixel(stage.output, SIDE, 0), 0x12345678);
		rig_fill(buffer, 0xff000000 | i);
		kr_fence_signal(producer, KR_FENCE_SIGNALLED);
		stage_finish(&stage);
		assert_int_equal(stage_wait(&stage, present), KR_FENCE_SIGNALLED);
		assert_int_equal(stage_pixel(&stage, SIDE + 3, 3), i);
		assert_int_equal(stage_pixel(&stage, 3, 3), 0x00ff00);
	}
	stage_end(&stage);
	AHardwareBuffer_release(steady);
	AHardwareBuffer_release(buffer);
}

/* H-01: so it is with client targets. */
static void
nothing_of_a_client_target_is_read_before_its_fence(void **state)
{
	AHardwareBuffer *buffer = plain(0xff0000), *target;
	int producer, acquire = rig_fence(&producer), present;
	struct stage_layer *layer;
	uint32_t types, requests;
	struct stage stage;
	struct rig *rig = &stage.rig;

	stage_begin(&stage);
	target = rig_buffer(rig->width, rig->height, RIG_RGBA, 0xffff0000);
	layer = stage_add(&stage, buffer, left);
	layer->type = KRAFLA_COMPOSITION_CLIENT;
	stage_set_look(&stage, layer);
	if (stage_face.prepare)
		stage_face.prepare(&stage);
	if (krafla_display_validate(rig->composer, rig->display, &types, &requests))
		assert_int_equal(krafla_display_accept_changes(rig->composer, rig->display), 0);
	assert_int_equal(krafla_display_set_client_target(
				 rig->composer, rig->display, target, acquire, 0, 0, NULL),
		0);
	kr_fd_close(&acquire);
	assert_int_equal(krafla_display_present(rig->composer, rig->display, &present), 0);
	assert_int_equal(kr_fence_status(present), KR_FENCE_ACTIVE);
	rig_fill(target, 0xff0000ff);
	kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	assert_int_equal(stage_wait(&stage, present), KR_FENCE_SIGNALLED);
	assert_int_equal(stage_pixel(&stage, 3, 3), 0x0000ff);
	stage_end(&stage);
	AHardwareBuffer_release(target);
	AHardwareBuffer_release(buffer);
}

static void
a_failed_fence_costs_its_layer(void **state)
{
	AHardwareBuffer *steady = plain(0x00ff00), *buffer = plain(0xff0000);
	struct stage stage;

	stage_begin(&stage);
	stage_add(&stage, steady, left);
	stage_add(&stage, NULL, right);
	for (int late = 0; late < 2; late++) {
		int producer, acquire = rig_fence(&producer), present;

		if (!late)
			kr_fence_signal(producer, -EIO);
		stage_set_buffer(&stage, &stage.layers[1], buffer, acquire);
		kr_fd_close(&acquire);
		present = stage_present(&stage);
		if (late)
			kr_fence_signal(producer, -EIO);
		stage_finish(&stage);
		assert_int_equal(stage_wait(&stage, present), KR_FENCE_SIGNALLED);
		assert_int_equal(stage_pixel(&stage, 3, 3), 0x00ff00);
		assert_int_equal(stage_pixel(&stage, SIDE + 3, 3), 0);
	}
	stage_set_buffer(&stage, &stage.layers[1], buffer, -1);
	stage_show(&stage);
	assert_int_equal(stage_pixel(&stage, 3, 3), 0x00ff00);
	assert_int_equal(stage_pixel(&stage, SIDE + 3, 3), 0xff0000);
	stage_end(&stage);
	AHardwareBuffer_release(steady);
	AHardwareBuffer_release(buffer);
}

/* Its layer is left out, once; the others go on, and it comes back when it signals after all. */
static void
a_fence_that_never_signals_costs_its_layer(void **state)
{
	AHardwareBuffer *steady = plain(0x00ff00), *buffer = plain(0xff0000), *next = plain(0xff);
	int producer, acquire = rig_fence(&producer);
	struct stage stage;

	stage_begin(&stage);
	if (stage_face.hands_back) { /* layers that came back are for the client to wait for */
		kr_fence_signal(producer, KR_FENCE_SIGNALLED);
		goto end;
	}
	stage_add(&stage, steady, left);
	stage_add(&stage, NULL, right);
	stage_set_buffer(&stage, &stage.layers[1], buffer, acquire);
	stage_show(&stage);
	assert_int_equal(stage_pixel(&stage, 3, 3), 0x00ff00);
	assert_int_equal(stage_pixel(&stage, SIDE + 3, 3), 0);
	stage_set_buffer(&stage, &stage.layers[0], next, -1);
	for (int i = 0; i < 10; i++) { /* ten times the wait would be too long for this case */
		stage_show(&stage);
		assert_int_equal(stage_pixel(&stage, 3, 3), 0x0000ff);
		assert_int_equal(stage_pixel(&stage, SIDE + 3, 3), 0);
	}
	kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	stage_show(&stage);
	assert_int_equal(stage_pixel(&stage, SIDE + 3, 3), 0xff0000);
end:
	kr_fd_close(&acquire);
	stage_end(&stage);
	AHardwareBuffer_release(steady);
	AHardwareBuffer_release(buffer);
	AHardwareBuffer_release(next);
}

/*
 * H-02, H-05: a buffer that was replaced is overwritten the moment it comes back: that is never
 * seen. And it comes back with the picture that replaced it, not with the next.
 */
static void
release_fences_are_neither_early_nor_late(void **state)
{
	AHardwareBuffer *buffers[2][2];
	struct stage stage;

	stage_begin(&stage);
	for (uint32_t l = 0; l < 2; l++) {
		for (uint32_t b = 0; b < 2; b++)
			buffers[l][b] = plain(0);
		stage_add(&stage, NULL, l ? right : left);
	}
	for (uint32_t frame = 1; frame <= 40; frame++) {
		int producers[2] = {-1, -1}, present, release[2];

		for (uint32_t l = 0; l < 2; l++) {
			AHardwareBuffer *buffer = buffers[l][frame % 2];
			/* Every other frame's fences are active when it is presented. */
			int acquire = frame % 2 ? -1 : rig_fence(&producers[l]);

			rig_fill(buffer, 0xff000000 | (frame << 8 | l));
			stage_set_buffer(&stage, &stage.layers[l], buffer, acquire);
			kr_fd_close(&acquire);
		}
		present = stage_present(&stage);
		release[0] = rig_release(&stage.rig, stage.layers[0].handle);
		release[1] = -1; /* the call above closed it */
		for (uint32_t l = 0; l < 2; l++) {
			if (producers[l] != -1)
				kr_fence_signal(producers[l], KR_FENCE_SIGNALLED);
		}
		if (frame > 1) {
			assert_int_equal(stage_wait(&stage, release[0]), KR_FENCE_SIGNALLED);
			rig_fill(buffers[0][(frame + 1) % 2], 0xffffffff);
		}
		stage_finish(&stage);
		assert_int_equal(stage_wait(&stage, present), KR_FENCE_SIGNALLED);
		for (uint32_t l = 0; l < 2; l++)
			assert_int_equal(
				stage_pixel(&stage, (int32_t)l * SIDE + 3, 3), frame << 8 | l);
	}
	stage_end(&stage);
	for (int i = 0; i < 4; i++)
		AHardwareBuffer_release(buffers[i / 2][i % 2]);
}

/* H-02: not before a picture on its way has read it. */
static void
a_release_fence_waits_for_the_picture_before(void **state)
{
	AHardwareBuffer *first = plain(0x0000ff), *second = plain(0x00ff00);
	int producer, acquire = rig_fence(&producer), presents[2], release;
	struct stage stage;

	stage_begin(&stage);
	if (stage_face.hands_back || stage.output) {
		/* The client's own layers aren't told of; one output buffer has one picture. */
		kr_fence_signal(producer, KR_FENCE_SIGNALLED);
		goto end;
	}
	stage_add(&stage, NULL, left);
	stage_set_buffer(&stage, &stage.layers[0], first, acquire);
	presents[0] = stage_present(&stage);
	stage_set_buffer(&stage, &stage.layers[0], second, -1);
	presents[1] = stage_present(&stage);
	release = rig_release(&stage.rig, stage.layers[0].handle);
	assert_int_equal(kr_fence_status(release), KR_FENCE_ACTIVE);
	kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	assert_int_equal(stage_wait(&stage, release), KR_FENCE_SIGNALLED);
	rig_fill(first, 0xffffffff);
	assert_int_equal(stage_wait(&stage, presents[0]), KR_FENCE_SIGNALLED);
	assert_int_equal(stage_wait(&stage, presents[1]), KR_FENCE_SIGNALLED);
	assert_int_equal(stage.rig.screen.corners[0], 0x0000ff);
	assert_int_equal(stage.rig.screen.corners[1], 0x00ff00);
end:
	kr_fd_close(&acquire);
	stage_end(&stage);
	AHardwareBuffer_release(first);
	AHardwareBuffer_release(second);
}

/* The kernel may signal a fence before the event is dispatched with which the device lets go. */
static void
expect_fds(struct stage *stage, int count)
{
	struct krafla_composer *composer = stage->rig.composer;

	for (int i = 0; i < 3000 && kr_test_count_fds() > count; i++) {
		assert_int_equal(krafla_composer_dispatch(composer), 0);
		poll(NULL, 0, 5);
	}
	kr_test_expect_fds(count);
}

/* What goes in stays the caller's, what comes out is his: on every path as many as before. */
static void
fences_are_whose_they_are(void **state)
{
	AHardwareBuffer *buffer = plain(0x123456);
	struct stage stage;
	struct rig *rig = &stage.rig;
	int before = 0;

	stage_begin(&stage);
	stage_add(&stage, buffer, left);
	stage_show(&stage);
	/* The display's thread has its own. */
	for (int i = 0; i < 2; i++) {
		int producer, acquire = rig_fence(&producer), present;

		stage_set_buffer(&stage, &stage.layers[0], buffer, acquire);
		kr_fd_close(&acquire);
		present = stage_present(&stage);
		kr_fence_signal(producer, KR_FENCE_SIGNALLED);
		stage_finish(&stage);
		assert_int_equal(stage_wait(&stage, present), KR_FENCE_SIGNALLED);
		stage_set_buffer(&stage, &stage.layers[0], buffer, -1);
		stage_show(&stage);
		if (i == 0)
			before = kr_test_count_fds();
	}
	expect_fds(&stage, before);
	for (int i = 0; i < 10; i++) { /* replaced before they were presented, and refused ones */
		int producer, fence = rig_fence(&producer);

		assert_int_equal(krafla_layer_set_buffer(rig->composer, rig->display,
					 stage.layers[0].handle, buffer, fence),
			0);
		assert_int_equal(krafla_layer_set_buffer(rig->composer, rig->display,
					 stage.layers[0].handle, NULL, fence),
			KRAFLA_COMPOSER_BAD_PARAMETER);
		assert_int_equal(
			krafla_layer_set_buffer(rig->composer, rig->display, 77, buffer, fence),
			KRAFLA_COMPOSER_BAD_LAYER);
		assert_int_equal(krafla_display_set_client_target(
					 rig->composer, rig->display, buffer, fence, 0, 0, NULL),
			KRAFLA_COMPOSER_BAD_PARAMETER);
		assert_true(krafla_display_set_output_buffer(
			rig->composer, rig->display, buffer, fence));
		assert_int_equal(kr_fence_status(fence), KR_FENCE_ACTIVE); /* still open */
		kr_fence_signal(producer, KR_FENCE_SIGNALLED);
		kr_fd_close(&fence);
	}
	stage_set_buffer(&stage, &stage.layers[0], buffer, -1);
	expect_fds(&stage, before);
	stage_end(&stage);
	AHardwareBuffer_release(buffer);
}

/* Without descriptors nothing happens, and later it does. */
static void
no_descriptors_cost_nothing(void **state)
{
	AHardwareBuffer *buffer = plain(0xabcdef);
	int producer, acquire = rig_fence(&producer), present = -2;
	struct stage stage;
	struct rig *rig = &stage.rig;
	uint32_t types, requests;

	stage_begin(&stage);
	stage_add(&stage, NULL, left);
	kr_test_limit_fds(0);
	assert_int_equal(krafla_layer_set_buffer(rig->composer, rig->display,
				 stage.layers[0].handle, buffer, acquire),
		KRAFLA_COMPOSER_NO_RESOURCES);
	kr_test_end_fd_limit();
	stage_set_buffer(&stage, &stage.layers[0], buffer, acquire);
	if (stage_face.hands_back) { /* the client would draw it */
		kr_fence_signal(producer, KR_FENCE_SIGNALLED);
		stage_show(&stage);
		goto end;
	}
	if (stage_face.prepare)
		stage_face.prepare(&stage);
	assert_int_equal(
		krafla_display_validate(rig->composer, rig->display, &types, &requests), 0);
	for (int more = 0; more < 3; more++) {
		kr_test_limit_fds(more);
		assert_int_equal(krafla_display_present(rig->composer, rig->display, &present),
			KRAFLA_COMPOSER_NO_RESOURCES);
		kr_test_end_fd_limit();
		assert_int_equal(present, -2);
	}
	assert_int_equal(krafla_display_present(rig->composer, rig->display, &present), 0);
	kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	assert_int_equal(stage_wait(&stage, present), KR_FENCE_SIGNALLED);
end:
	assert_int_equal(stage_pixel(&stage, 3, 3), 0xabcdef);
	kr_fd_close(&acquire);
	stage_end(&stage);
	AHardwareBuffer_release(buffer);
}

/* krafla/fault.h at both sites. */
static void
faults_are_at_the_fences_that_come_out(void **state)
{
	AHardwareBuffer *a = plain(1), *b = plain(2);
	struct stage stage;
	int release;

	stage_begin(&stage);
	stage_add(&stage, a, left);
	assert_int_equal(krafla_fault_set_text(
				 "composer-present:error,error=5,count=1;composer-release:never"),
		0);
	assert_int_equal(stage_wait(&stage, stage_present(&stage)), -EIO);
	for (int i = 0;
		!stage_face.by_layers && !krafla_fault_count(KRAFLA_FAULT_AT_COMPOSER_RELEASE);
		i++) {
		assert_true(i < 100);
		stage_set_buffer(&stage, &stage.layers[0], i % 2 ? a : b, -1);
		stage_show(&stage);
	}
	release = rig_release(&stage.rig, stage.layers[0].handle);
	assert_int_equal(kr_fence_status(release),
		stage_face.by_layers ? KR_FENCE_SIGNALLED : KR_FENCE_ACTIVE);
	krafla_fault_clear(KRAFLA_FAULT_SITES);
	assert_int_equal(rig_wait_fence(release), KR_FENCE_SIGNALLED);
	stage_end(&stage);
	AHardwareBuffer_release(a);
	AHardwareBuffer_release(b);
}

static const struct kr_test tests[] = {
	KR_TEST(nothing_is_read_before_its_fence),
	KR_TEST(nothing_of_a_client_target_is_read_before_its_fence),
	KR_TEST(a_failed_fence_costs_its_layer),
	KR_TEST_SLOW(a_fence_that_never_signals_costs_its_layer, 0, 30),
	KR_TEST(release_fences_are_neither_early_nor_late),
	KR_TEST(a_release_fence_waits_for_the_picture_before),
	KR_TEST(fences_are_whose_they_are),
	KR_TEST(no_descriptors_cost_nothing),
	KR_TEST_FLAGS(faults_are_at_the_fences_that_come_out, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
