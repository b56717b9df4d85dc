/* SPDX-License-Identifier: Apache-2.0 */
/* Images: those of AHardwareBuffers are Krafla's. */
#include "egl/calls/internal.h"

#include "egl/image/image.h"
#include "egl/vendor/older.h"
#include "util/macros.h"

static bool
is_ours(const struct kr_egl_display *display, EGLenum target)
{
	return target == EGL_NATIVE_BUFFER_ANDROID && *kr_egl_images_extensions(display);
}

static EGLImage EGLAPIENTRY
create(EGLDisplay dpy, EGLContext context, EGLenum target, EGLClientBuffer buffer,
	const EGLAttrib *attributes)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);

	if (!display)
		return EGL_NO_IMAGE;
	if (is_ours(display, target) && context == EGL_NO_CONTEXT)
		return kr_egl_image_create(display, buffer, attributes);
	if (!is_ours(display, target))
		return kr_egl_vendors_image_create(display, context, target, buffer, attributes);
	kr_egl_error_set(EGL_BAD_CONTEXT);
	return EGL_NO_IMAGE;
}

static EGLBoolean EGLAPIENTRY
destroy(EGLDisplay dpy, EGLImage image)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);

	return display ? kr_egl_image_destroy(display, image) : EGL_FALSE;
}

static EGLImageKHR
create_ours(struct kr_egl_display *display, EGLContext context, EGLClientBuffer buffer,
	const EGLint *list)
{
	struct kr_egl_attributes attributes;
	EGLImage image;

	if (context != EGL_NO_CONTEXT) {
		kr_egl_error_set(EGL_BAD_CONTEXT);
		return EGL_NO_IMAGE_KHR;
	}
	if (!kr_egl_attributes_widen(&attributes, list)) {
		kr_egl_error_set(EGL_BAD_ALLOC);
		return EGL_NO_IMAGE_KHR;
	}
	image = kr_egl_image_create(display, buffer, attributes.list);
	kr_egl_attributes_finish(&attributes);
	return image;
}

static EGLImageKHR EGLAPIENTRY
create_khr(EGLDisplay dpy, EGLContext context, EGLenum target, EGLClientBuffer buffer,
	const EGLint *attributes)
{
	static const char name[] = "eglCreateImageKHR";
	struct kr_egl_display *display = kr_egl_display_find(dpy);
	PFNEGLCREATEIMAGEKHRPROC make;

	kr_egl_dispatch_begin();
	if (display) {
		kr_egl_error_of(display->vendor);
		if (is_ours(display, target))
			return create_ours(display, context, buffer, attributes);
		make = (PFNEGLCREATEIMAGEKHRPROC)kr_egl_vendor_function(display->vendor, name);
		if (!make)
			kr_egl_error_set(EGL_BAD_DISPLAY);
	} else {
		make = (PFNEGLCREATEIMAGEKHRPROC)kr_egl_elsewhere(dpy, name);
	}
	return make ? make(dpy, context, target, buffer, attributes) : EGL_NO_IMAGE_KHR;
}

static EGLBoolean EGLAPIENTRY
destroy_khr(EGLDisplay dpy, EGLImageKHR image)
{
	struct kr_egl_display *display = kr_egl_display_find(dpy);
	PFNEGLDESTROYIMAGEKHRPROC end;

	kr_egl_dispatch_begin();
	if (display) {
		kr_egl_error_of(display->vendor);
		return kr_egl_image_destroy(display, image);
	}
	end = (PFNEGLDESTROYIMAGEKHRPROC)kr_egl_elsewhere(dpy, "eglDestroyImageKHR");
	return end ? end(dpy, image) : EGL_FALSE;
}

const struct kr_egl_call kr_egl_image_calls[] = {
	KR_EGL_CALL("eglCreateImage", create),
	KR_EGL_CALL("eglCreateImageKHR", create_khr),
	KR_EGL_CALL("eglDestroyImage", destroy),
	KR_EGL_CALL("eglDestroyImageKHR", destroy_khr),
};
const size_t kr_egl_image_call_count = KR_ARRAY_LEN(kr_egl_image_calls);
