/* SPDX-License-Identifier: Apache-2.0 */
/* eglSwapBuffersWithDamage: what is copied, and that every buffer holds its frame. */
#include "rig.h"

#include <limits.h>

#include "egl/vendor/report.h"
#include "egl/window/damage.h"

#define WIDTH  40
#define HEIGHT 30
#define FRAMES 200

static void
expect_rows(struct kr_egl_rows rows, EGLint top, EGLint bottom)
{
	assert_int_equal(rows.top, top);
	assert_int_equal(rows.bottom, bottom);
}

static void
test_rows_of_rectangles(void **state)
{
	static const EGLint two[] = {1, 2, 3, 4, 10, 20, 30, 10};
	static const EGLint none[] = {5, 5, 0, 7, 9, 9, 9, 0};
	static const EGLint negative[] = {0, 10, 5, -1};
	static const EGLint beyond[] = {0, -5, 1, 7, 0, 90, 1, 5};
	static const EGLint far[] = {INT_MAX, INT_MAX, INT_MAX, INT_MAX};
	static const EGLint farther[] = {INT_MIN, INT_MIN, 1, INT_MAX};

	expect_rows(kr_egl_damage_rows(NULL, 0, 100), 0, 100);
	expect_rows(kr_egl_damage_rows(two, 2, 100), 70, 98);
	expect_rows(kr_egl_damage_rows(two, 1, 100), 94, 98);
	expect_rows(kr_egl_damage_rows(none, 1, 100), 0, 0);
	assert_true(kr_egl_damage_rows(none, 2, 100).bottom <= 91);
	expect_rows(kr_egl_damage_rows(negative, 1, 100), 0, 100);
	expect_rows(kr_egl_damage_rows(beyond, 1, 100), 98, 100);
	assert_true(kr_egl_damage_rows(far, 1, 100).bottom <= 100);
	assert_true(kr_egl_damage_rows(farther, 1, 100).top >= 0);
}

/* Frame after frame of 10x100, which damages ten rows and is copied; what the buffer lacks. */
static struct kr_egl_rows
begin(struct kr_egl_damage *damage, uint64_t number, EGLint top, int age)
{
	const struct kr_egl_damage_frame frame = {
		.number = number, .width = 10, .height = 100, .rows = {top, top + 10}};
	struct kr_egl_damage_frame *kept;
	struct kr_egl_rows rows = kr_egl_damage_begin(damage, &frame, age, &kept);

	kept->copied = true;
	return rows;
}

static void
test_what_a_buffer_lacks(void **state)
{
	struct kr_egl_damage damage = {0};
	struct kr_egl_damage_frame other = {
		.number = 6, .width = 10, .height = 101, .rows = {1, 2}};
	struct kr_egl_damage_frame *kept;

	expect_rows(begin(&damage, 1, 0, 0), 0, 100);
	/* It says that it holds a frame of which nothing is known. */
	expect_rows(begin(&damage, 2, 10, 2), 0, 100);
	expect_rows(begin(&damage, 3, 20, 1), 20, 30);
	expect_rows(begin(&damage, 4, 50, 2), 20, 60);
	expect_rows(begin(&damage, 5, 5, 3), 5, 60);
	/* Another size, and the first of the old one after it. */
	expect_rows(kr_egl_damage_begin(&damage, &other, 1, &kept), 0, 101);
	kept->copied = true;
	expect_rows(begin(&damage, 7, 5, 2), 0, 100);
	expect_rows(begin(&damage, 8, 5, -1), 0, 100);
	expect_rows(begin(&damage, 9, 5, INT_MAX), 0, 100);
	/* Its own frame wasn't copied; that of others doesn't matter. */
	damage.frames[9].copied = false;
	expect_rows(begin(&damage, 10, 20, 1), 0, 100);
	expect_rows(begin(&damage, 11, 30, 3), 5, 40);
	/* Numbers that are left out, and none. */
	expect_rows(begin(&damage, 13, 30, 1), 0, 100);
	expect_rows(begin(&damage, 0, 30, 1), 0, 100);
	expect_rows(begin(&damage, 1, 30, 1), 0, 100);
	kr_egl_damage_forget(&damage);
	expect_rows(begin(&damage, 14, 30, 1), 0, 100);
}

static void
test_a_buffer_that_is_too_old(void **state)
{
	struct kr_egl_damage damage = {0};

	for (uint64_t number = 1; number < 40; number++)
		(void)begin(&damage, number, 0, 0);
	expect_rows(begin(&damage, 40, 20, KR_EGL_DAMAGE_FRAMES - 1), 0, 30);
	expect_rows(begin(&damage, 41, 20, KR_EGL_DAMAGE_FRAMES), 0, 100);
}

/* Some rows change; the surface is drawn as a whole, as it has to be. */
static void
swap_next(struct rig *rig, unsigned frame, unsigned *model)
{
	EGLint top = (EGLint)(frame * 7 % HEIGHT), rows = (EGLint)(frame * 5 % 6);
	EGLint rectangle[4];

	rows = rows < HEIGHT - top ? rows : HEIGHT - top;
	for (EGLint y = top; y < top + rows; y++)
		model[y] = frame;
	for (EGLint y = 0; y < HEIGHT; y++)
		fake_paint_rows(model[y], y, y + 1);
	rectangle[0] = 3;
	rectangle[1] = HEIGHT - top - rows;
	rectangle[2] = 9;
	rectangle[3] = rows;
	assert_true(kr_egl_surface_swap(rig->display, rig->surface, rectangle, 1));
}

/* A reader that keeps images for a while, so that buffers are of any age. */
static void
show_damage(struct rig *rig)
{
	unsigned model[HEIGHT] = {0};
	struct krafla_image held[2];
	unsigned count = 0;

	for (unsigned frame = 1; frame <= FRAMES; frame++) {
		swap_next(rig, frame, model);
		if (count == 2 || (count && frame % 3 == 0))
			rig_give_back(rig, &held[--count], -1);
		rig_take(rig, &held[count]);
		rig_expect_rows(rig, &held[count++], model);
	}
	while (count)
		rig_give_back(rig, &held[--count], -1);
}

static uint64_t
copied_bytes(void)
{
	return kr_egl_counted(KR_EGL_COPIED_BYTES);
}

static void
show_damage_twice(enum fake_config config, EGLint behaviour)
{
	uint64_t before = copied_bytes(), whole = (uint64_t)FRAMES * WIDTH * HEIGHT * 4;
	struct rig rig;

	rig_open(&rig, config, 2);
	assert_true(kr_egl_surface_set(rig.display, rig.surface, EGL_SWAP_BEHAVIOR, behaviour));
	show_damage(&rig);
	assert_true(copied_bytes() - before > whole / 10);
	assert_true(copied_bytes() - before < whole * 6 / 10);
	rig_close(&rig);
}

static void
test_damage_is_copied(void **state)
{
	show_damage_twice(FAKE_RGBA, EGL_BUFFER_DESTROYED);
	show_damage_twice(FAKE_RGBA, EGL_BUFFER_PRESERVED);
	fake.bgra = true;
	show_damage_twice(FAKE_RGBA, EGL_BUFFER_DESTROYED);
	fake.no_rows = true;
	show_damage_twice(FAKE_RGBA, EGL_BUFFER_DESTROYED);
}

/* What has come to nothing is in no buffer, and what changed with it isn't known. */
static void
test_after_a_failure_all_is_copied(void **state)
{
	static const EGLint first_row[] = {0, HEIGHT - 1, WIDTH, 1};
	struct rig rig;
	uint64_t before;

	rig_open(&rig, FAKE_RGBA, 1);
	for (unsigned i = 1; i < 8; i++) {
		assert_true(rig_show(&rig, i));
		rig_see(&rig, i);
	}
	fake_paint(8);
	fake.fail_current = 1;
	assert_false(kr_egl_surface_swap(rig.display, rig.surface, first_row, 1));
	before = copied_bytes();
	fake_paint(9);
	assert_true(kr_egl_surface_swap(rig.display, rig.surface, first_row, 1));
	rig_see(&rig, 9);
	assert_int_equal(copied_bytes() - before, WIDTH * HEIGHT * 4);
	rig_close(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(test_rows_of_rectangles),
	KR_TEST(test_what_a_buffer_lacks),
	KR_TEST(test_a_buffer_that_is_too_old),
	KR_TEST(test_damage_is_copied),
	KR_TEST(test_after_a_failure_all_is_copied),
};
FAKE_MAIN(tests)
