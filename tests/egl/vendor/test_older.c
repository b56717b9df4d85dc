/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of EGL 1.5 of a vendor of 1.4: over its extensions, whose attributes are EGLint. */
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "egl/vendor/older.h"
#include "egl/vendor/thread.h"
#include "support.h"

#define FLAGS KR_TEST_KEEPS_MEMORY

static struct kr_egl_display *display;
static struct hand *hand;

static void
start(bool older)
{
	hand = hand_of(1);
	hand->older = older;
	hand_choose(hand_manifest("1.json", hand_library(1)));
	assert_true(kr_egl_vendors_load());
	display = kr_egl_display_add((EGLDisplay)0x10, kr_egl_vendor_at(0));
	assert_non_null(display);
}

/* The functions with attributes, as one type. */
static void *
image(const EGLAttrib *list)
{
	return kr_egl_vendors_image_create(display, NULL, EGL_LINUX_DMA_BUF_EXT, NULL, list);
}

static void *
window(const EGLAttrib *list)
{
	return kr_egl_vendors_window_create(display, NULL, NULL, list);
}

static void *
pixmap(const EGLAttrib *list)
{
	return kr_egl_vendors_pixmap_create(display, NULL, NULL, list);
}

static void *
sync_of(const EGLAttrib *list)
{
	return kr_egl_vendors_sync_create(display, EGL_SYNC_FENCE, list);
}

static const struct creator {
	void *(*create)(const EGLAttrib *list);
	const char *name;
	EGLint wrong; /* of a value that is too large */
} creators[] = {
	{image, "eglCreateImageKHR", EGL_BAD_PARAMETER},
	{window, "eglCreatePlatformWindowSurfaceEXT", EGL_BAD_ATTRIBUTE},
	{pixmap, "eglCreatePlatformPixmapSurfaceEXT", EGL_BAD_ATTRIBUTE},
	{sync_of, "eglCreateSyncKHR", EGL_BAD_ATTRIBUTE},
};
#define FOR_EACH_CREATOR(c)                                                                        \
	for (const struct creator *c = creators;                                                   \
		c < creators + sizeof(creators) / sizeof(creators[0]); c++)

static void
lists_become_narrow(void **state)
{
	const EGLAttrib list[] = {EGL_WIDTH, 64, EGL_HEIGHT, -7, EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT,
		(EGLAttrib)UINT32_MAX, EGL_SYNC_CONDITION, INT_MIN, EGL_NONE};
	const EGLint expected[] = {EGL_WIDTH, 64, EGL_HEIGHT, -7,
		EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT, -1, EGL_SYNC_CONDITION, INT_MIN};

	start(true);
	FOR_EACH_CREATOR(c)
	{
		assert_non_null(c->create(list));
		assert_int_equal(kr_egl_error_take(), EGL_SUCCESS);
		assert_string_equal(hand->called, c->name);
		assert_int_equal(hand->list_len, 8);
		assert_memory_equal(hand->list, expected, sizeof(expected));
		assert_non_null(c->create(NULL));
		assert_false(hand->had_list);
		assert_non_null(c->create((const EGLAttrib[]){EGL_NONE}));
		assert_true(hand->had_list);
		assert_int_equal(hand->list_len, 0);
	}
}

static void
what_fits_no_int_is_refused(void **state)
{
	static const int64_t large[] = {
		(int64_t)UINT32_MAX + 1, (int64_t)INT32_MIN - 1, INT64_MAX, INT64_MIN};

	if (sizeof(EGLAttrib) < sizeof(int64_t))
		return;
	start(true);
	FOR_EACH_CREATOR(c)
	{
		for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
			const EGLAttrib values[] = {EGL_WIDTH, (EGLAttrib)large[i], EGL_NONE};
			const EGLAttrib names[] = {(EGLAttrib)large[i], 1, EGL_NONE};

			hand->called = NULL;
			assert_null(c->create(values));
			assert_int_equal(kr_egl_error_take(), c->wrong);
			assert_null(c->create(names));
			assert_int_equal(kr_egl_error_take(), c->wrong);
			assert_null(hand->called);
		}
	}
}

/* xorshift64. */
static uint64_t
next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Lists of any length and any values, against what is expected of each. */
static void
any_list_comes_whole_or_not_at_all(void **state)
{
	uint64_t seed = 0x4b7261666c61;
	EGLAttrib list[241];

	start(true);
	for (int round = 0; round < 20000; round++) {
		const struct creator *c = &creators[next(&seed) % 4];
		size_t pairs = next(&seed) % 121, i;
		bool fits = true;
		bool made;

		for (i = 0; i < 2 * pairs; i++) {
			uint64_t bits = next(&seed);

			list[i] = (EGLAttrib)((int64_t)bits >> (bits % 64 < 60 ? 33 : bits % 40));
			if (i % 2 == 0 && list[i] == EGL_NONE)
				list[i] = EGL_WIDTH;
			fits = fits && list[i] >= INT32_MIN && list[i] <= (EGLAttrib)UINT32_MAX;
		}
		list[i] = EGL_NONE;
		made = c->create(list);
		assert_int_equal(made, fits);
		assert_int_equal(kr_egl_error_take(), fits ? EGL_SUCCESS : c->wrong);
		assert_true(!made || hand->list_len == (int)i);
		while (made && i--)
			assert_int_equal((uint32_t)hand->list[i], (uint32_t)list[i]);
	}
}

static void
errors_are_the_vendors(void **state)
{
	start(true);
	FOR_EACH_CREATOR(c)
	{
		hand->fails = c->name;
		hand->error = EGL_BAD_MATCH;
		assert_null(c->create(NULL));
		assert_int_equal(kr_egl_error_take(), EGL_BAD_MATCH);
	}
}

static void
events_have_wide_lists(void **state)
{
	const EGLAttrib list[] = {EGL_CL_EVENT_HANDLE, (EGLAttrib)(UINTPTR_MAX / 2), EGL_NONE};

	start(true);
	hand->events = true;
	assert_non_null(sync_of(list));
	assert_string_equal(hand->called, "eglCreateSync64KHR");
}

static void
answers_become_wide(void **state)
{
	EGLAttrib value = 0;

	start(true);
	assert_true(kr_egl_vendors_sync_get(display, NULL, EGL_SYNC_STATUS, &value));
	assert_int_equal(value, EGL_SYNC_STATUS + 1);
	assert_false(kr_egl_vendors_sync_get(display, NULL, EGL_SYNC_STATUS, NULL));
	assert_int_equal(kr_egl_error_take(), EGL_BAD_PARAMETER);
	hand->fails = "eglGetSyncAttribKHR";
	hand->error = EGL_BAD_ATTRIBUTE;
	value = 7;
	assert_false(kr_egl_vendors_sync_get(display, NULL, EGL_SYNC_STATUS, &value));
	assert_int_equal(kr_egl_error_take(), EGL_BAD_ATTRIBUTE);
	assert_int_equal(value, 7);
	assert_true(kr_egl_vendors_image_destroy(display, image(NULL)));
	assert_string_equal(hand->called, "eglDestroyImageKHR");
}

static void
a_vendor_that_has_neither_is_glvnds_error(void **state)
{
	EGLAttrib value;

	start(false);
	FOR_EACH_CREATOR(c)
	{
		assert_null(c->create(NULL));
		assert_int_equal(kr_egl_error_take(), EGL_BAD_DISPLAY);
	}
	assert_false(kr_egl_vendors_sync_get(display, NULL, EGL_SYNC_STATUS, &value));
	assert_int_equal(kr_egl_error_take(), EGL_BAD_DISPLAY);
	assert_false(kr_egl_vendors_image_destroy(display, NULL));
	assert_int_equal(kr_egl_error_take(), EGL_BAD_DISPLAY);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(lists_become_narrow, FLAGS),
	KR_TEST_FLAGS(what_fits_no_int_is_refused, FLAGS),
	KR_TEST_FLAGS(any_list_comes_whole_or_not_at_all, FLAGS),
	KR_TEST_FLAGS(errors_are_the_vendors, FLAGS),
	KR_TEST_FLAGS(events_have_wide_lists, FLAGS),
	KR_TEST_FLAGS(answers_become_wide, FLAGS),
	KR_TEST_FLAGS(a_vendor_that_has_neither_is_glvnds_error, FLAGS),
};

KR_TEST_MAIN(tests)
