/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native fence syncs are a type of their own: what may be made, asked and done, and with which
 * error the rest is refused. One row for each rule.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "egl/fence/fence.h"
#include "fakes/fake_vendor.h"
#include "harness.h"
#include "sync/fence/fence.h"
#include "util/macros.h"

#define NATIVE EGL_SYNC_NATIVE_FENCE_ANDROID
#define FD     EGL_SYNC_NATIVE_FENCE_FD_ANDROID
#define NONE   EGL_NO_NATIVE_FENCE_FD_ANDROID

/* Values of the attribute that stand for descriptors of these kinds. */
enum { USER_FENCE = 100001, FAILED_FENCE, EVENTFD, CLOSED };

static int producer = -1;

static int
open_kind(int kind)
{
	int fd = kind;

	switch (kind) {
	case USER_FENCE:
		assert_int_equal(kr_fence_create(NULL, &producer, &fd), 0);
		break;
	case FAILED_FENCE:
		assert_int_equal(kr_fence_create_done(NULL, -EIO, &fd), 0);
		break;
	case EVENTFD:
		fd = eventfd(0, EFD_CLOEXEC);
		break;
	case CLOSED:
		fd = 987654;
		break;
	default:
		break;
	}
	return fd;
}

static bool
is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static EGLSync
create(enum kr_egl_sync_form form, EGLenum type, const EGLAttrib *wide)
{
	EGLint narrow[16];

	for (size_t i = 0; wide && i < KR_ARRAY_LEN(narrow); i++) {
		narrow[i] = (EGLint)wide[i];
		if (!(i & 1) && wide[i] == EGL_NONE)
			break;
	}
	return kr_egl_sync_create(&fake_display, form, type,
		!wide                             ? NULL
			: form == KR_EGL_SYNC_KHR ? (const void *)narrow
						  : (const void *)wide);
}

/* E-01: each in all three forms of the function. */
static void
what_can_be_created(void **state)
{
	static const struct {
		const char *rule;
		EGLenum type;
		bool no_list;
		EGLAttrib list[5]; /* the first FD's value may be a kind */
		bool no_context;
		EGLint error;
	} rows[] = {
		{"no list is no descriptor", NATIVE, true, {0}, false, EGL_SUCCESS},
		{"an empty list, too", NATIVE, false, {EGL_NONE}, false, EGL_SUCCESS},
		{"-1 is none", NATIVE, false, {FD, NONE, EGL_NONE}, false, EGL_SUCCESS},
		{"a fence", NATIVE, false, {FD, USER_FENCE, EGL_NONE}, false, EGL_SUCCESS},
		{"a fence that has failed", NATIVE, false, {FD, FAILED_FENCE, EGL_NONE}, false,
			EGL_SUCCESS},
		{"something else", NATIVE, false, {FD, EVENTFD, EGL_NONE}, false,
			EGL_BAD_ATTRIBUTE},
		{"nothing that is open", NATIVE, false, {FD, CLOSED, EGL_NONE}, false,
			EGL_BAD_ATTRIBUTE},
		{"below -1", NATIVE, false, {FD, -2, EGL_NONE}, false, EGL_BAD_ATTRIBUTE},
		{"the last one counts", NATIVE, false, {FD, CLOSED, FD, NONE, EGL_NONE}, false,
			EGL_SUCCESS},
		{"another attribute", NATIVE, false, {EGL_SYNC_STATUS, NONE, EGL_NONE}, false,
			EGL_BAD_ATTRIBUTE},
		{"another one behind it", NATIVE, false,
			{FD, USER_FENCE, EGL_SYNC_CONDITION, 0, EGL_NONE}, false,
			EGL_BAD_ATTRIBUTE},
		{"no context for commands", NATIVE, true, {0}, true, EGL_BAD_MATCH},
		{"no context for a fence", NATIVE, false, {FD, USER_FENCE, EGL_NONE}, true,
			EGL_BAD_MATCH},
		{"attributes come before the context", NATIVE, false,
			{EGL_SYNC_STATUS, 0, EGL_NONE}, true, EGL_BAD_ATTRIBUTE},
		{"another type is the vendor's", EGL_SYNC_FENCE, true, {0}, false, EGL_SUCCESS},
		{"and so are its errors", EGL_SYNC_FENCE, true, {0}, true, EGL_BAD_MATCH},
		{"a type that nobody has", EGL_NONE, true, {0}, false, EGL_BAD_ATTRIBUTE},
	};
	static const enum kr_egl_sync_form forms[] = {
		KR_EGL_SYNC_CORE, KR_EGL_SYNC_KHR, KR_EGL_SYNC_64};

	fake_vendor.has_1_5 = true;
	fake_vendor_start(NULL);
	for (size_t i = 0; i < KR_ARRAY_LEN(rows) * KR_ARRAY_LEN(forms); i++) {
		size_t row = i / KR_ARRAY_LEN(forms);
		int kind = (int)rows[row].list[1], fd = open_kind(kind);
		EGLAttrib list[5];
		EGLSync sync;
		EGLint error;

		for (size_t j = 0; j < KR_ARRAY_LEN(list); j++)
			list[j] = rows[row].list[j];
		list[1] = fd;
		fake_make_current(rows[row].no_context ? 0 : 1);
		sync = create(forms[i % KR_ARRAY_LEN(forms)], rows[row].type,
			rows[row].no_list ? NULL : list);
		error = fake_error();
		if (error != rows[row].error || (sync != EGL_NO_SYNC) != (error == EGL_SUCCESS))
			fail_msg("%s: sync %p, error 0x%x", rows[row].rule, sync, error);
		if (kind > USER_FENCE - 1 && kind < CLOSED && !is_open(fd))
			fail_msg("%s: the descriptor is closed", rows[row].rule);
		if (sync)
			assert_true(kr_egl_sync_destroy(&fake_display, sync));
		else if (kind >= USER_FENCE && kind < CLOSED)
			close(fd); /* the caller's still: nobody has taken it */
		if (sync && kind >= USER_FENCE && kind < CLOSED && is_open(fd))
			fail_msg("%s: the descriptor outlives its sync", rows[row].rule);
		if (producer >= 0)
			kr_fence_signal(producer, 1);
		producer = -1;
	}
	fake_make_current(0);
	fake_vendor_stop();
}

/* EGL_BAD_MATCH: the display isn't the one of the current context. */
static void
of_another_display(void **state)
{
	int fd = open_kind(FAILED_FENCE);
	EGLAttrib list[] = {FD, fd, EGL_NONE};

	fake_vendor_start(NULL);
	fake_make_current(1);
	assert_null(kr_egl_sync_create(&fake_other_display, KR_EGL_SYNC_CORE, NATIVE, list));
	assert_int_equal(fake_error(), EGL_BAD_MATCH);
	assert_null(kr_egl_sync_create(&fake_other_display, KR_EGL_SYNC_CORE, NATIVE, NULL));
	assert_int_equal(fake_error(), EGL_BAD_MATCH);
	assert_true(is_open(fd));
	close(fd);
	fake_make_current(0);
	fake_vendor_stop();
}

enum which { OF_COMMANDS, FLUSHED, ENDED, OF_FENCE, OF_SIGNALLED, OF_FAILED, STALE, OTHERS, WHICH };

static const char *const which_names[WHICH] = {"of commands", "flushed", "ended", "of a fence",
	"of a signalled fence", "of a failed fence", "stale", "of another display"};

static EGLSync
given(int32_t status)
{
	int fence;
	EGLAttrib list[3] = {FD, 0, EGL_NONE};
	EGLSync sync;

	if (status)
		assert_int_equal(kr_fence_create_done(NULL, status, &fence), 0);
	else
		assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	list[1] = fence;
	sync = kr_egl_sync_create(&fake_display, KR_EGL_SYNC_CORE, NATIVE, list);
	assert_non_null(sync);
	return sync;
}

static EGLSync
make(enum which which)
{
	EGLSync sync;

	switch (which) {
	case OF_FENCE:
		return given(0);
	case OF_SIGNALLED:
		return given(1);
	case OF_FAILED:
		return given(-EIO);
	default:
		break;
	}
	sync = kr_egl_sync_create(&fake_display, KR_EGL_SYNC_CORE, NATIVE, NULL);
	assert_non_null(sync);
	if (which == FLUSHED || which == ENDED)
		fake_flush();
	if (which == ENDED)
		fake_end_all();
	if (which == STALE)
		assert_true(kr_egl_sync_destroy(&fake_display, sync));
	return sync;
}

static void
unmake(enum which which, EGLSync sync)
{
	if (which != STALE)
		assert_true(kr_egl_sync_destroy(&fake_display, sync));
	if (producer >= 0)
		kr_fence_signal(producer, 1);
	producer = -1;
	fake_error();
}

/* E-01, E-04: eglGetSyncAttrib; the descriptor is never told. */
static void
what_can_be_asked(void **state)
{
	static const struct {
		EGLint attribute;
		EGLAttrib value[WHICH]; /* 0: the error */
		EGLint error;
	} rows[] = {
		{EGL_SYNC_TYPE, {NATIVE, NATIVE, NATIVE, NATIVE, NATIVE, NATIVE},
			EGL_BAD_PARAMETER},
		{EGL_SYNC_STATUS,
			{EGL_UNSIGNALED, EGL_UNSIGNALED, EGL_SIGNALED, EGL_UNSIGNALED, EGL_SIGNALED,
				EGL_SIGNALED},
			EGL_BAD_PARAMETER},
		{EGL_SYNC_CONDITION,
			{EGL_SYNC_PRIOR_COMMANDS_COMPLETE, EGL_SYNC_PRIOR_COMMANDS_COMPLETE,
				EGL_SYNC_PRIOR_COMMANDS_COMPLETE,
				EGL_SYNC_NATIVE_FENCE_SIGNALED_ANDROID,
				EGL_SYNC_NATIVE_FENCE_SIGNALED_ANDROID,
				EGL_SYNC_NATIVE_FENCE_SIGNALED_ANDROID},
			EGL_BAD_PARAMETER},
		{FD, {0}, EGL_BAD_ATTRIBUTE},
		{EGL_NONE, {0}, EGL_BAD_ATTRIBUTE},
		{EGL_CONFIG_ID, {0}, EGL_BAD_ATTRIBUTE},
	};

	fake_vendor_start(NULL);
	fake_make_current(1);
	for (size_t i = 0; i < KR_ARRAY_LEN(rows) * WHICH; i++) {
		enum which which = i % WHICH;
		size_t row = i / WHICH;
		struct kr_egl_display *display =
			which == OTHERS ? &fake_other_display : &fake_display;
		EGLint error = which == STALE || which == OTHERS ? EGL_BAD_PARAMETER
			: rows[row].value[which]                 ? EGL_SUCCESS
								 : rows[row].error;
		EGLAttrib wide = 77, expected = error == EGL_SUCCESS ? rows[row].value[which] : 77;
		EGLint narrow = 77;
		EGLSync sync = make(which);
		EGLBoolean known;

		known = kr_egl_sync_get(
			display, KR_EGL_SYNC_CORE, sync, rows[row].attribute, &wide);
		if (known != (error == EGL_SUCCESS) || fake_error() != error || wide != expected)
			fail_msg("0x%x, %s: %u, 0x%lx", rows[row].attribute, which_names[which],
				known, (unsigned long)wide);
		known = kr_egl_sync_get(
			display, KR_EGL_SYNC_KHR, sync, rows[row].attribute, &narrow);
		assert_int_equal(known, error == EGL_SUCCESS);
		assert_int_equal(fake_error(), error);
		assert_int_equal(narrow, expected);
		assert_false(kr_egl_sync_get(
			display, KR_EGL_SYNC_CORE, sync, rows[row].attribute, NULL));
		assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
		unmake(which, sync);
	}
	fake_make_current(0);
	fake_vendor_stop();
}

enum action { SIGNAL, UNSIGNAL, SIGNAL_WRONG, DUP, WAIT, WAIT_FLAGS, WAIT_BARE, POLL, POLL_FLAGS };

static EGLint
act(enum action action, struct kr_egl_display *display, EGLSync sync)
{
	EGLint answer = 0;

	switch (action) {
	case SIGNAL:
		return (EGLint)kr_egl_sync_signal(display, sync, EGL_SIGNALED);
	case UNSIGNAL:
		return (EGLint)kr_egl_sync_signal(display, sync, EGL_UNSIGNALED);
	case SIGNAL_WRONG:
		return (EGLint)kr_egl_sync_signal(display, sync, 5);
	case DUP:
		answer = kr_egl_sync_dup(display, sync);
		if (answer >= 0)
			close(answer);
		return answer >= 0 ? EGL_TRUE : answer;
	case WAIT:
		return (EGLint)kr_egl_sync_wait(display, sync, 0);
	case WAIT_FLAGS:
		return (EGLint)kr_egl_sync_wait(display, sync, EGL_SYNC_FLUSH_COMMANDS_BIT);
	case WAIT_BARE:
		fake_make_current(0);
		answer = (EGLint)kr_egl_sync_wait(display, sync, 0);
		fake_make_current(1);
		return answer;
	case POLL:
		return kr_egl_sync_client_wait(display, sync, 0, 0);
	case POLL_FLAGS: /* EGL says of no flag that it is wrong here */
		return kr_egl_sync_client_wait(display, sync, 0x7ffffffe, 0);
	}
	return 0;
}

/* E-04: EGL_KHR_reusable_sync's rules aren't theirs; all other errors of what is done with them. */
static void
what_can_be_done(void **state)
{
	static const struct {
		const char *rule;
		enum action action;
		unsigned to;
		EGLint answer, error;
	} rows[] = {
#define LIVE  (1u << OF_COMMANDS | 1u << FLUSHED | 1u << ENDED | GIVEN)
#define GIVEN (1u << OF_FENCE | 1u << OF_SIGNALLED | 1u << OF_FAILED)
#define DEAD  (1u << STALE | 1u << OTHERS)
#define DONE  (1u << ENDED | 1u << OF_SIGNALLED | 1u << OF_FAILED)
		{"only reusable syncs are signalled", SIGNAL, LIVE, EGL_FALSE, EGL_BAD_MATCH},
		{"or taken back", UNSIGNAL, LIVE, EGL_FALSE, EGL_BAD_MATCH},
		{"whatever the mode", SIGNAL_WRONG, LIVE, EGL_FALSE, EGL_BAD_MATCH},
		{"no sync", SIGNAL, DEAD, EGL_FALSE, EGL_BAD_PARAMETER},
		{"not flushed", DUP, 1u << OF_COMMANDS, -1, EGL_BAD_PARAMETER},
		{"flushed", DUP, LIVE & ~(1u << OF_COMMANDS), EGL_TRUE, EGL_SUCCESS},
		{"no sync", DUP, DEAD, -1, EGL_BAD_PARAMETER},
		{"done", WAIT, DONE, EGL_TRUE, EGL_SUCCESS},
		{"own commands", WAIT, 1u << FLUSHED, EGL_TRUE, EGL_SUCCESS},
		{"own commands, not flushed", WAIT, 1u << OF_COMMANDS, EGL_TRUE, EGL_SUCCESS},
		{"no sync", WAIT, DEAD, EGL_FALSE, EGL_BAD_PARAMETER},
		{"flags must be 0", WAIT_FLAGS, LIVE, EGL_FALSE, EGL_BAD_PARAMETER},
		{"no context", WAIT_BARE, LIVE, EGL_FALSE, EGL_BAD_MATCH},
		{"no sync", WAIT_BARE, DEAD, EGL_FALSE, EGL_BAD_PARAMETER},
		{"done", POLL, DONE, EGL_CONDITION_SATISFIED, EGL_SUCCESS},
		{"not done", POLL, LIVE & ~DONE, EGL_TIMEOUT_EXPIRED, EGL_SUCCESS},
		{"no sync", POLL, DEAD, EGL_FALSE, EGL_BAD_PARAMETER},
		{"done, any flags", POLL_FLAGS, DONE, EGL_CONDITION_SATISFIED, EGL_SUCCESS},
		{"not done, any flags", POLL_FLAGS, LIVE & ~DONE, EGL_TIMEOUT_EXPIRED, EGL_SUCCESS},
	};

	fake_vendor_start(NULL);
	fake_make_current(1);
	for (size_t i = 0; i < KR_ARRAY_LEN(rows) * WHICH; i++) {
		enum which which = i % WHICH;
		size_t row = i / WHICH;
		EGLint answer, error;
		EGLSync sync;

		if (!(rows[row].to & 1u << which))
			continue;
		sync = make(which);
		answer = act(rows[row].action,
			which == OTHERS ? &fake_other_display : &fake_display, sync);
		error = fake_error();
		if (answer != rows[row].answer || error != rows[row].error)
			fail_msg("%s, %s: %d, 0x%x", rows[row].rule, which_names[which], answer,
				error);
		unmake(which, sync);
	}
	assert_int_equal(fake_vendor.signals, 0);
	fake_end_all();
	fake_make_current(0);
	fake_vendor_stop();
}

/* Nothing but handles of ours is ours; and those never reach a vendor (fake_vendor_stop). */
static void
syncs_of_the_vendor_are_its_own(void **state)
{
	EGLint narrow = 0;
	EGLSync sync;

	fake_vendor_start(NULL);
	fake_make_current(1);
	sync = kr_egl_sync_create(&fake_display, KR_EGL_SYNC_KHR, EGL_SYNC_FENCE, NULL);
	assert_non_null(sync);
	assert_true(kr_egl_sync_get(&fake_display, KR_EGL_SYNC_KHR, sync, EGL_SYNC_TYPE, &narrow));
	assert_int_equal(narrow, EGL_SYNC_FENCE);
	assert_int_equal(kr_egl_sync_client_wait(&fake_display, sync, 0, 0), EGL_TIMEOUT_EXPIRED);
	assert_true(kr_egl_sync_wait(&fake_display, sync, 0));
	assert_int_equal(fake_vendor.server_waits, 1);
	assert_true(kr_egl_sync_signal(&fake_display, sync, EGL_SIGNALED));
	assert_int_equal(fake_vendor.signals, 1);
	assert_int_equal(kr_egl_sync_dup(&fake_display, sync), -1);
	assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
	assert_true(kr_egl_sync_destroy(&fake_display, sync));
	assert_false(kr_egl_sync_destroy(&fake_display, sync));
	assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
	assert_false(kr_egl_sync_destroy(&fake_display, EGL_NO_SYNC));
	assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
	fake_make_current(0);
	fake_vendor_stop();
}

/* Of a vendor that has native fences, its own are used; user-space fences alone are ours. */
static void
a_vendor_that_has_them(void **state)
{
	int fd = open_kind(EVENTFD);
	EGLint list[] = {FD, fd, EGL_NONE};
	EGLint wrong[] = {EGL_SYNC_STATUS, 0, EGL_NONE};
	EGLSync sync;

	fake_vendor_start(FAKE_NATIVE);
	assert_false(kr_egl_fences_emulated(&fake_display));
	fake_make_current(1);
	sync = kr_egl_sync_create(&fake_display, KR_EGL_SYNC_KHR, NATIVE, NULL);
	assert_int_equal(fake_vendor.creates, 1);
	assert_true(kr_egl_sync_destroy(&fake_display, sync));
	sync = kr_egl_sync_create(&fake_display, KR_EGL_SYNC_KHR, NATIVE, list);
	assert_int_equal(fake_vendor.creates, 2);
	assert_ptr_equal(fake_vendor.attributes, list);
	assert_int_equal(kr_egl_sync_dup(&fake_display, sync), -1);
	assert_int_equal(fake_vendor.dups, 1);
	assert_true(kr_egl_sync_destroy(&fake_display, sync));
	sync = kr_egl_sync_create(&fake_display, KR_EGL_SYNC_KHR, NATIVE, wrong);
	assert_int_equal(fake_vendor.creates, 3);
	assert_true(kr_egl_sync_destroy(&fake_display, sync));
	assert_int_equal(fake_vendor.destroys, 3);
	close(fd);

	sync = given(0);
	assert_int_equal(fake_vendor.creates, 3);
	fd = kr_egl_sync_dup(&fake_display, sync);
	assert_int_equal(kr_fence_status(fd), KR_FENCE_ACTIVE);
	close(fd);
	unmake(OF_FENCE, sync);
	fake_make_current(0);
	fake_vendor_stop();
}

/* What is told as extensions, and that a vendor without fence syncs is left as it is. */
static void
what_is_offered(void **state)
{
	static const struct {
		const char *vendor, *ours;
		bool emulated;
	} rows[] = {
		{"", "", false},
		{"EGL_KHR_fence_sync_not", "", false},
		{"EGL_KHR_fence_sync",
			"EGL_ANDROID_wait_sync EGL_KHR_wait_sync EGL_ANDROID_native_fence_sync",
			true},
		{FAKE_OLD, "EGL_ANDROID_wait_sync EGL_ANDROID_native_fence_sync", true},
		{FAKE_NATIVE, "EGL_ANDROID_wait_sync", false},
		{"EGL_KHR_fence_sync EGL_ANDROID_native_fence_sync",
			"EGL_ANDROID_wait_sync EGL_KHR_wait_sync", false},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		assert_string_equal(kr_egl_fences_extensions(&fake_display), "");
		fake_vendor_start(rows[i].vendor);
		assert_true(kr_egl_fences_start(&fake_display));
		assert_string_equal(kr_egl_fences_extensions(&fake_display), rows[i].ours);
		assert_int_equal(kr_egl_fences_emulated(&fake_display), rows[i].emulated);
		fake_vendor_stop();
	}
}

int
main(int argc, char **argv)
{
	static const struct kr_test tests[] = {
		KR_TEST(what_can_be_created),
		KR_TEST(of_another_display),
		KR_TEST(what_can_be_asked),
		KR_TEST_FLAGS(what_can_be_done, KR_TEST_KEEPS_MEMORY),
		KR_TEST(syncs_of_the_vendor_are_its_own),
		KR_TEST(a_vendor_that_has_them),
		KR_TEST(what_is_offered),
	};

	return kr_test_main(argc, argv, tests, KR_ARRAY_LEN(tests));
}
