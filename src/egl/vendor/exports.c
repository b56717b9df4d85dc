/* SPDX-License-Identifier: Apache-2.0 */
/* glvnd towards the vendors. */
#include "egl/vendor/exports.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "egl/vendor/device.h"
#include "egl/vendor/thread.h"
#include "sync/fence/fork.h"
#include "util/mutex.h"

/* Functions of extensions that have been asked for: each vendor's table has them by number. */
#define MAX_NAMES 4096

static struct {
	uint32_t version;
	const __EGLapiExports *exports;
	__EGLvendorInfo *self;
} outer;

struct name {
	char *text;
	_Atomic int outer_index; /* -1: glvnd has told none */
	void *dispatch;          /* a vendor's, that all know; NULL: ours alone. Under the lock */
	_Atomic(void *) functions[KR_EGL_MAX_VENDORS];
};

static struct name *_Atomic names[MAX_NAMES];
static _Atomic int name_count;
static struct kr_mutex lock = KR_MUTEX_INITIALIZER; /* of what changes in them */

void
kr_egl_outer_set(uint32_t version, const __EGLapiExports *exports, __EGLvendorInfo *self)
{
	outer.version = version;
	outer.exports = exports;
	outer.self = self;
	kr_mutex_lock(&lock);
	for (int i = 0; i < atomic_load_explicit(&name_count, memory_order_relaxed); i++)
		atomic_load_explicit(&names[i], memory_order_relaxed)->outer_index = -1;
	kr_mutex_unlock(&lock);
}

void
kr_egl_dispatch_begin(void)
{
	if (!outer.exports)
		return;
	outer.exports->threadInit();
	outer.exports->setLastVendor(outer.self);
}

/* Under the lock, or of a number that was given out. NULL: unknown. */
static struct name *
name_at(int index)
{
	if (index < 0 || index >= atomic_load_explicit(&name_count, memory_order_acquire))
		return NULL;
	return atomic_load_explicit(&names[index], memory_order_acquire);
}

/* Its number, -1 if it has none. */
static int
find_name_locked(const char *text) KR_REQUIRES(lock)
{
	int count = atomic_load_explicit(&name_count, memory_order_relaxed);

	for (int i = 0; i < count; i++) {
		if (!strcmp(name_at(i)->text, text))
			return i;
	}
	return -1;
}

/* With a new number if it has none; NULL: no memory, or too many. */
static struct name *
have_name_locked(const char *text, int *index) KR_REQUIRES(lock)
{
	int count = atomic_load_explicit(&name_count, memory_order_relaxed);
	struct name *made;

	*index = find_name_locked(text);
	if (*index >= 0)
		return name_at(*index);
	made = count < MAX_NAMES ? calloc(1, sizeof(*made)) : NULL;
	if (!made)
		return NULL;
	made->text = strdup(text);
	made->outer_index = -1;
	if (!made->text) {
		free(made);
		return NULL;
	}
	atomic_store_explicit(&names[count], made, memory_order_release);
	atomic_store_explicit(&name_count, count + 1, memory_order_release);
	*index = count;
	return made;
}

void
kr_egl_outer_index_set(const char *text, int outer_index)
{
	struct name *name;
	int index;

	kr_mutex_lock(&lock);
	name = have_name_locked(text, &index);
	if (name)
		name->outer_index = outer_index;
	kr_mutex_unlock(&lock);
}

static void *
ask_vendors(const char *text)
{
	void *address = NULL;

	for (unsigned i = 0; !address && i < kr_egl_vendors_count(); i++)
		address = kr_egl_vendor_at(i)->imports.getDispatchAddress(text);
	return address;
}

/* What all vendors have been told the number of; NULL: none. */
static void *
find_dispatch(const char *text)
{
	void *dispatch = NULL;
	int index;

	kr_mutex_lock(&lock);
	index = find_name_locked(text);
	if (index >= 0)
		dispatch = name_at(index)->dispatch;
	kr_mutex_unlock(&lock);
	return dispatch;
}

/*
 * What nobody has gets no number, however many such names a program tries. Vendors are called
 * without the lock, since a fork waits for it: two threads may tell them the same, once each.
 */
void *
kr_egl_dispatch_address(const char *text)
{
	void *address = find_dispatch(text);
	struct name *name;
	int index;

	if (address)
		return address;
	address = ask_vendors(text);
	if (!address)
		return NULL;
	kr_mutex_lock(&lock);
	name = have_name_locked(text, &index);
	kr_mutex_unlock(&lock);
	if (!name)
		return NULL;
	for (unsigned i = 0; i < kr_egl_vendors_count(); i++)
		kr_egl_vendor_at(i)->imports.setDispatchIndex(text, index);
	kr_mutex_lock(&lock);
	if (!name->dispatch)
		name->dispatch = address;
	address = name->dispatch;
	kr_mutex_unlock(&lock);
	return address;
}

void *
kr_egl_elsewhere(EGLDisplay display, const char *name)
{
	__EGLvendorInfo *vendor =
		outer.exports ? outer.exports->getVendorFromDisplay(display) : NULL;
	int at, index = -1;

	if (vendor && vendor != outer.self) {
		kr_mutex_lock(&lock);
		at = find_name_locked(name);
		index = at < 0 ? -1 : name_at(at)->outer_index;
		kr_mutex_unlock(&lock);
	}
	if (index < 0) {
		kr_egl_error_set(EGL_BAD_DISPLAY);
		return NULL;
	}
	outer.exports->setLastVendor(vendor);
	return (void *)outer.exports->fetchDispatchEntry(vendor, index);
}

/* Ours among what vendors are given as such; NULL: glvnd's. */
static struct kr_egl_vendor *
own(const __EGLvendorInfo *info)
{
	for (unsigned i = 0; i < KR_EGL_MAX_VENDORS; i++) {
		if ((const void *)info == (const void *)kr_egl_vendor_at(i))
			return kr_egl_vendor_at(i);
	}
	return NULL;
}

static void
thread_init(void)
{
	if (outer.exports)
		outer.exports->threadInit();
}

static EGLenum
get_current_api(void)
{
	return outer.exports ? outer.exports->getCurrentApi() : kr_egl_this_thread()->api;
}

static __EGLvendorInfo *
get_current_vendor(void)
{
	struct kr_egl_display *display = kr_egl_this_thread()->display;
	__EGLvendorInfo *other = outer.exports ? outer.exports->getCurrentVendor() : outer.self;

	if (other != outer.self)
		return other;
	return display ? (__EGLvendorInfo *)(void *)display->vendor : NULL;
}

static EGLContext
get_current_context(void)
{
	return outer.exports ? outer.exports->getCurrentContext() : kr_egl_this_thread()->context;
}

static EGLDisplay
get_current_display(void)
{
	struct kr_egl_display *display = kr_egl_this_thread()->display;

	if (outer.exports)
		return outer.exports->getCurrentDisplay();
	return display ? display->handle : EGL_NO_DISPLAY;
}

static EGLSurface
get_current_surface(EGLint which)
{
	struct kr_egl_thread *thread = kr_egl_this_thread();

	if (outer.exports)
		return outer.exports->getCurrentSurface(which);
	return which == EGL_READ ? thread->read : thread->draw;
}

static __eglMustCastToProperFunctionPointerType
fetch_dispatch_entry(__EGLvendorInfo *info, int index)
{
	struct kr_egl_vendor *vendor = own(info);
	struct name *name = name_at(index);
	void *function;

	if (!name)
		return NULL;
	if (!vendor && outer.exports && name->outer_index >= 0)
		return outer.exports->fetchDispatchEntry(info, name->outer_index);
	if (!vendor)
		return NULL;
	function = atomic_load_explicit(&name->functions[vendor->index], memory_order_relaxed);
	if (!function) {
		function = vendor->imports.getProcAddress(name->text);
		atomic_store_explicit(
			&name->functions[vendor->index], function, memory_order_relaxed);
	}
	return (__eglMustCastToProperFunctionPointerType)function;
}

/* glvnd is told as well: a dispatch function may fail before it has found any vendor. */
static void
set_egl_error(EGLint error)
{
	kr_egl_error_set(error);
	if (outer.exports)
		outer.exports->setEGLError(error);
}

static EGLBoolean
set_last_vendor(__EGLvendorInfo *info)
{
	struct kr_egl_vendor *vendor = own(info);

	if (vendor)
		kr_egl_error_of(vendor);
	if (!outer.exports)
		return vendor ? EGL_TRUE : EGL_FALSE;
	return outer.exports->setLastVendor(vendor ? outer.self : info);
}

static __EGLvendorInfo *
get_vendor_from_display(EGLDisplay handle)
{
	struct kr_egl_display *display = kr_egl_display_find(handle);
	__EGLvendorInfo *other;

	if (display)
		return (__EGLvendorInfo *)(void *)display->vendor;
	other = outer.exports ? outer.exports->getVendorFromDisplay(handle) : NULL;
	return other == outer.self ? NULL : other;
}

static __EGLvendorInfo *
get_vendor_from_device(EGLDeviceEXT device)
{
	struct kr_egl_vendor *vendor = kr_egl_device_vendor(device);
	__EGLvendorInfo *other;

	if (vendor)
		return (__EGLvendorInfo *)(void *)vendor;
	other = outer.exports ? outer.exports->getVendorFromDevice(device) : NULL;
	return other == outer.self ? NULL : other;
}

static EGLBoolean
set_vendor_for_device(EGLDeviceEXT device, __EGLvendorInfo *info)
{
	struct kr_egl_vendor *vendor = own(info);

	if (vendor && !kr_egl_device_add(device, vendor))
		return EGL_FALSE;
	/* The last of the exports came with the second minor version. */
	if (!outer.exports || EGL_VENDOR_ABI_GET_MINOR_VERSION(outer.version) < 2)
		return EGL_TRUE;
	return outer.exports->setVendorForDevice(device, vendor ? outer.self : info);
}

const __EGLapiExports kr_egl_exports = {
	.threadInit = thread_init,
	.getCurrentApi = get_current_api,
	.getCurrentVendor = get_current_vendor,
	.getCurrentContext = get_current_context,
	.getCurrentDisplay = get_current_display,
	.getCurrentSurface = get_current_surface,
	.fetchDispatchEntry = fetch_dispatch_entry,
	.setEGLError = set_egl_error,
	.setLastVendor = set_last_vendor,
	.getVendorFromDisplay = get_vendor_from_display,
	.getVendorFromDevice = get_vendor_from_device,
	.setVendorForDevice = set_vendor_for_device,
};

static void
before_fork(void) KR_NO_THREAD_SAFETY
{
	kr_mutex_lock(&lock);
}

static void
after_fork(bool child) KR_NO_THREAD_SAFETY
{
	kr_mutex_unlock(&lock);
}

static void __attribute__((constructor)) register_fork(void)
{
	static const struct kr_sync_fork_hook hook = {before_fork, after_fork};

	kr_sync_fork_register(KR_SYNC_FORK_EGL_FUNCTIONS, &hook);
}
