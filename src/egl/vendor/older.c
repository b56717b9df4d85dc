/* SPDX-License-Identifier: Apache-2.0 */
/* See older.h. */
#include "egl/vendor/older.h"

#include <stdint.h>
#include <stdlib.h>

#include "egl/vendor/thread.h"

static bool
fits(EGLAttrib value)
{
	/* An EGLAttrib has 32 bits on machines of 32 bits. */
	int64_t wide = value;

	return wide >= INT32_MIN && wide <= (int64_t)UINT32_MAX;
}

EGLint
kr_egl_narrow_init(struct kr_egl_narrow *narrow, const EGLAttrib *attributes, EGLint wrong)
{
	size_t count = 0;

	narrow->list = NULL;
	if (!attributes)
		return EGL_SUCCESS;
	for (; attributes[count] != EGL_NONE; count += 2) {
		if (!fits(attributes[count]) || !fits(attributes[count + 1]))
			return wrong;
	}
	narrow->list = narrow->room;
	if (count + 1 > KR_EGL_NARROW)
		narrow->list = calloc(count + 1, sizeof(*narrow->list));
	if (!narrow->list)
		return EGL_BAD_ALLOC;
	for (size_t i = 0; i < count; i++)
		narrow->list[i] = (EGLint)(uint32_t)attributes[i];
	narrow->list[count] = EGL_NONE;
	return EGL_SUCCESS;
}

void
kr_egl_narrow_finish(struct kr_egl_narrow *narrow)
{
	if (narrow->list != narrow->room)
		free(narrow->list);
}

/* Whether the older function can be called; the error is set either way. */
static bool
begin(struct kr_egl_display *display, bool has, struct kr_egl_narrow *narrow,
	const EGLAttrib *attributes, EGLint wrong)
{
	EGLint error = has ? kr_egl_narrow_init(narrow, attributes, wrong) : EGL_BAD_DISPLAY;

	if (error == EGL_SUCCESS)
		kr_egl_error_of(display->vendor);
	else
		kr_egl_error_set(error);
	return error == EGL_SUCCESS;
}

EGLImage
kr_egl_vendors_image_create(struct kr_egl_display *display, EGLContext context, EGLenum target,
	EGLClientBuffer buffer, const EGLAttrib *attributes)
{
	const struct kr_egl_functions *egl = &display->vendor->egl;
	struct kr_egl_narrow narrow;
	EGLImage image;

	kr_egl_error_of(display->vendor);
	if (egl->CreateImage)
		return egl->CreateImage(display->handle, context, target, buffer, attributes);
	if (!begin(display, egl->CreateImageKHR, &narrow, attributes, EGL_BAD_PARAMETER))
		return EGL_NO_IMAGE;
	image = egl->CreateImageKHR(display->handle, context, target, buffer, narrow.list);
	kr_egl_narrow_finish(&narrow);
	return image;
}

EGLBoolean
kr_egl_vendors_image_destroy(struct kr_egl_display *display, EGLImage image)
{
	const struct kr_egl_functions *egl = &display->vendor->egl;
	PFNEGLDESTROYIMAGEKHRPROC destroy =
		egl->DestroyImage ? egl->DestroyImage : egl->DestroyImageKHR;

	kr_egl_error_of(display->vendor);
	if (destroy)
		return destroy(display->handle, image);
	kr_egl_error_set(EGL_BAD_DISPLAY);
	return EGL_FALSE;
}

EGLSurface
kr_egl_vendors_window_create(
	struct kr_egl_display *display, EGLConfig config, void *window, const EGLAttrib *attributes)
{
	const struct kr_egl_functions *egl = &display->vendor->egl;
	struct kr_egl_narrow narrow;
	EGLSurface surface;

	kr_egl_error_of(display->vendor);
	if (egl->CreatePlatformWindowSurface)
		return egl->CreatePlatformWindowSurface(
			display->handle, config, window, attributes);
	if (!begin(display, egl->CreatePlatformWindowSurfaceEXT, &narrow, attributes,
		    EGL_BAD_ATTRIBUTE))
		return EGL_NO_SURFACE;
	surface = egl->CreatePlatformWindowSurfaceEXT(display->handle, config, window, narrow.list);
	kr_egl_narrow_finish(&narrow);
	return surface;
}

EGLSurface
kr_egl_vendors_pixmap_create(
	struct kr_egl_display *display, EGLConfig config, void *pixmap, const EGLAttrib *attributes)
{
	const struct kr_egl_functions *egl = &display->vendor->egl;
	struct kr_egl_narrow narrow;
	EGLSurface surface;

	kr_egl_error_of(display->vendor);
	if (egl->CreatePlatformPixmapSurface)
		return egl->CreatePlatformPixmapSurface(
			display->handle, config, pixmap, attributes);
	if (!begin(display, egl->CreatePlatformPixmapSurfaceEXT, &narrow, attributes,
		    EGL_BAD_ATTRIBUTE))
		return EGL_NO_SURFACE;
	surface = egl->CreatePlatformPixmapSurfaceEXT(display->handle, config, pixmap, narrow.list);
	kr_egl_narrow_finish(&narrow);
	return surface;
}

/* EGL_KHR_cl_event2 brought EGLAttrib to syncs; before it there are EGLint alone. */
EGLSync
kr_egl_vendors_sync_create(
	struct kr_egl_display *display, EGLenum type, const EGLAttrib *attributes)
{
	const struct kr_egl_functions *egl = &display->vendor->egl;
	struct kr_egl_narrow narrow;
	EGLSync sync;

	kr_egl_error_of(display->vendor);
	if (egl->CreateSync)
		return egl->CreateSync(display->handle, type, attributes);
	if (egl->CreateSync64KHR && kr_egl_vendor_has(display, "EGL_KHR_cl_event2"))
		return egl->CreateSync64KHR(display->handle, type, attributes);
	if (!begin(display, egl->CreateSyncKHR, &narrow, attributes, EGL_BAD_ATTRIBUTE))
		return EGL_NO_SYNC;
	sync = egl->CreateSyncKHR(display->handle, type, narrow.list);
	kr_egl_narrow_finish(&narrow);
	return sync;
}

EGLBoolean
kr_egl_vendors_sync_get(
	struct kr_egl_display *display, EGLSync sync, EGLint attribute, EGLAttrib *value)
{
	const struct kr_egl_functions *egl = &display->vendor->egl;
	EGLint narrow = 0;

	kr_egl_error_of(display->vendor);
	if (egl->GetSyncAttrib)
		return egl->GetSyncAttrib(display->handle, sync, attribute, value);
	if (!egl->GetSyncAttribKHR || !value) {
		kr_egl_error_set(value ? EGL_BAD_DISPLAY : EGL_BAD_PARAMETER);
		return EGL_FALSE;
	}
	if (!egl->GetSyncAttribKHR(display->handle, sync, attribute, &narrow))
		return EGL_FALSE;
	*value = narrow;
	return EGL_TRUE;
}
