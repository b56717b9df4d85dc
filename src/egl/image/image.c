/* SPDX-License-Identifier: Apache-2.0 */
/* Images of AHardwareBuffers: the vendor's, each with a reference to its buffer. */
#include "egl/image/image.h"

#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>
#include <stdlib.h>
#include <string.h>

#include "egl/vendor/exports.h"
#include "egl/vendor/import.h"
#include "egl/vendor/older.h"
#include "gralloc/buffer.h"
#include "sync/fence/fork.h"
#include "util/log.h"
#include "util/macros.h"
#include "util/mutex.h"

#define EXTENSIONS "EGL_ANDROID_get_native_client_buffer EGL_ANDROID_image_native_buffer"

struct image {
	struct image *next;
	const struct kr_egl_display *display;
	EGLImage handle;
	ANativeWindowBuffer *buffer;
};

static struct kr_mutex lock = KR_MUTEX_INITIALIZER;
static struct image *images KR_GUARDED_BY(lock);

const char *
kr_egl_images_extensions(const struct kr_egl_display *display)
{
	/* A vendor that has them has buffers of its own, not Krafla's: it isn't asked. */
	return kr_egl_imports(display) ? EXTENSIONS : "";
}

/* Only whether the buffer's content stays may be said, and it always does. */
static bool
are_known(const EGLAttrib *attributes)
{
	for (; attributes && attributes[0] != EGL_NONE; attributes += 2) {
		if (attributes[0] != EGL_IMAGE_PRESERVED ||
			(attributes[1] != EGL_TRUE && attributes[1] != EGL_FALSE))
			return false;
	}
	return true;
}

static EGLImage
refuse(EGLint error, const char *reason)
{
	kr_error("eglCreateImage: the AHardwareBuffer can't be an image: %s", reason);
	kr_egl_error_set(error);
	return EGL_NO_IMAGE;
}

EGLImage
kr_egl_image_create(
	struct kr_egl_display *display, EGLClientBuffer buffer, const EGLAttrib *attributes)
{
	ANativeWindowBuffer *native = (ANativeWindowBuffer *)buffer;
	struct image *image;
	const char *reason;
	EGLint error;

	if (!native || !kr_buffer_any_handle(native))
		return refuse(EGL_BAD_PARAMETER, "it is no buffer of Krafla's");
	if (!are_known(attributes))
		return refuse(EGL_BAD_PARAMETER, "EGL_IMAGE_PRESERVED is the one attribute");
	image = calloc(1, sizeof(*image));
	if (!image)
		return refuse(EGL_BAD_ALLOC, "out of memory");
	image->handle = kr_egl_import(display, native, &reason, &error);
	if (image->handle == EGL_NO_IMAGE) {
		free(image);
		return refuse(error, reason);
	}
	native->common.incRef(&native->common);
	image->display = display;
	image->buffer = native;
	kr_mutex_lock(&lock);
	image->next = images;
	images = image;
	kr_mutex_unlock(&lock);
	kr_egl_error_set(EGL_SUCCESS);
	return image->handle;
}

/* Takes it out of the list; `handle` EGL_NO_IMAGE: any one of the display's. NULL: none. */
static struct image *
take(const struct kr_egl_display *display, EGLImage handle)
{
	struct image **link = &images, *image;

	kr_mutex_lock(&lock);
	while (*link &&
		((*link)->display != display ||
			(handle != EGL_NO_IMAGE && (*link)->handle != handle)))
		link = &(*link)->next;
	image = *link;
	if (image)
		*link = image->next;
	kr_mutex_unlock(&lock);
	return image;
}

static void
let_go(struct image *image)
{
	image->buffer->common.decRef(&image->buffer->common);
	free(image);
}

EGLBoolean
kr_egl_image_destroy(struct kr_egl_display *display, EGLImage handle)
{
	struct image *image = handle == EGL_NO_IMAGE ? NULL : take(display, handle);
	EGLBoolean done = kr_egl_vendors_image_destroy(display, handle);

	/* Textures of it may still be drawn from: the vendor has the memory by itself. */
	if (image)
		let_go(image);
	return done;
}

void
kr_egl_images_stop(struct kr_egl_display *display)
{
	struct image *image;

	while ((image = take(display, EGL_NO_IMAGE))) {
		kr_egl_import_destroy(display, image->handle);
		let_go(image);
	}
}

/* AHardwareBuffer pointers are ANativeWindowBuffer pointers here; nothing is referenced. */
static EGLClientBuffer EGLAPIENTRY
get_native_client_buffer(const struct AHardwareBuffer *buffer)
{
	kr_egl_dispatch_begin();
	kr_egl_error_set(EGL_SUCCESS);
	if (buffer && kr_buffer_any_handle(buffer))
		return (EGLClientBuffer)(uintptr_t)buffer;
	kr_egl_error_set(EGL_BAD_PARAMETER);
	return NULL;
}

void *
kr_egl_images_function(const char *name)
{
	if (!strcmp(name, "eglGetNativeClientBufferANDROID"))
		return (void *)get_native_client_buffer;
	return NULL;
}

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

	kr_sync_fork_register(KR_SYNC_FORK_EGL_IMAGES, &hook);
}
