/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of all vendors, and messages about everything: what glvnd asks each vendor for itself. */
#include "egl/calls/internal.h"

#include "egl/vendor/device.h"
#include "util/macros.h"

/* As many as one vendor's are looked at. */
#define MAX_DEVICES 256

static EGLBoolean
query_vendors(struct kr_egl_vendor *vendor, EGLDeviceEXT *devices, EGLint *count)
{
	PFNEGLQUERYDEVICESEXTPROC query =
		(PFNEGLQUERYDEVICESEXTPROC)kr_egl_vendor_function(vendor, "eglQueryDevicesEXT");

	*count = 0;
	if (!query || !query(MAX_DEVICES, devices, count))
		return EGL_FALSE;
	for (EGLint i = 0; i < *count; i++) {
		if (!kr_egl_device_add(devices[i], vendor))
			return EGL_FALSE;
	}
	return EGL_TRUE;
}

static EGLBoolean EGLAPIENTRY
query_devices(EGLint max, EGLDeviceEXT *devices, EGLint *count)
{
	EGLDeviceEXT found[MAX_DEVICES];
	EGLint total = 0, of_vendor;

	if (!count || (devices && max <= 0)) {
		kr_egl_error_set(EGL_BAD_PARAMETER);
		return EGL_FALSE;
	}
	for (unsigned i = 0; i < kr_egl_vendors_count(); i++) {
		if (!query_vendors(kr_egl_vendor_at(i), found, &of_vendor))
			continue;
		for (EGLint k = 0; k < of_vendor; k++, total++) {
			if (devices && total < max)
				devices[total] = found[k];
		}
	}
	*count = devices ? KR_MIN(total, max) : total;
	kr_egl_error_set(EGL_SUCCESS);
	return EGL_TRUE;
}

/* One function under three names: a vendor need not have that which the application knows. */
static const char *const attribute_names[] = {
	"eglQueryDisplayAttribKHR",
	"eglQueryDisplayAttribNV",
	"eglQueryDisplayAttribEXT",
};

static PFNEGLQUERYDISPLAYATTRIBKHRPROC
query_of(struct kr_egl_vendor *vendor)
{
	void *function = NULL;

	for (size_t i = 0; !function && i < KR_ARRAY_LEN(attribute_names); i++)
		function = kr_egl_vendor_function(vendor, attribute_names[i]);
	return (PFNEGLQUERYDISPLAYATTRIBKHRPROC)function;
}

/* Devices that displays tell of are their vendor's. */
EGLBoolean
kr_egl_display_attribute(struct kr_egl_display *display, EGLint attribute, EGLAttrib *value)
{
	PFNEGLQUERYDISPLAYATTRIBKHRPROC query = query_of(display->vendor);

	kr_egl_error_of(display->vendor);
	if (!query || !value) {
		kr_egl_error_set(value ? EGL_BAD_DISPLAY : EGL_BAD_PARAMETER);
		return EGL_FALSE;
	}
	if (!query(display->handle, attribute, value))
		return EGL_FALSE;
	if (attribute == EGL_DEVICE_EXT && *value &&
		!kr_egl_device_add((EGLDeviceEXT)*value, display->vendor)) {
		kr_egl_error_set(EGL_BAD_ALLOC);
		return EGL_FALSE;
	}
	return EGL_TRUE;
}

/* An older glvnd has it from us as a dispatch function. */
static EGLBoolean
query_display(EGLDisplay dpy, EGLint attribute, EGLAttrib *value, const char *name)
{
	struct kr_egl_display *display = kr_egl_display_find(dpy);
	PFNEGLQUERYDISPLAYATTRIBKHRPROC query;

	kr_egl_dispatch_begin();
	if (display)
		return kr_egl_display_attribute(display, attribute, value);
	query = (PFNEGLQUERYDISPLAYATTRIBKHRPROC)kr_egl_elsewhere(dpy, name);
	return query ? query(dpy, attribute, value) : EGL_FALSE;
}

static EGLBoolean EGLAPIENTRY
query_display_ext(EGLDisplay dpy, EGLint attribute, EGLAttrib *value)
{
	return query_display(dpy, attribute, value, "eglQueryDisplayAttribEXT");
}

static EGLBoolean EGLAPIENTRY
query_display_khr(EGLDisplay dpy, EGLint attribute, EGLAttrib *value)
{
	return query_display(dpy, attribute, value, "eglQueryDisplayAttribKHR");
}

static EGLBoolean EGLAPIENTRY
query_display_nv(EGLDisplay dpy, EGLint attribute, EGLAttrib *value)
{
	return query_display(dpy, attribute, value, "eglQueryDisplayAttribNV");
}

/* All vendors tell the application; the first that can't says why. */
static EGLint EGLAPIENTRY
debug_message_control(EGLDEBUGPROCKHR callback, const EGLAttrib *attributes)
{
	EGLint result = EGL_SUCCESS, of_vendor;

	for (unsigned i = 0; i < kr_egl_vendors_count(); i++) {
		PFNEGLDEBUGMESSAGECONTROLKHRPROC control =
			(PFNEGLDEBUGMESSAGECONTROLKHRPROC)kr_egl_vendor_function(
				kr_egl_vendor_at(i), "eglDebugMessageControlKHR");

		of_vendor = control ? control(callback, attributes) : EGL_SUCCESS;
		if (result == EGL_SUCCESS)
			result = of_vendor;
	}
	return result;
}

static EGLBoolean EGLAPIENTRY
query_debug(EGLint attribute, EGLAttrib *value)
{
	for (unsigned i = 0; i < kr_egl_vendors_count(); i++) {
		PFNEGLQUERYDEBUGKHRPROC query = (PFNEGLQUERYDEBUGKHRPROC)kr_egl_vendor_function(
			kr_egl_vendor_at(i), "eglQueryDebugKHR");

		kr_egl_error_of(kr_egl_vendor_at(i));
		if (query)
			return query(attribute, value);
	}
	kr_egl_error_set(EGL_BAD_ATTRIBUTE);
	return EGL_FALSE;
}

static EGLint
label_at(struct kr_egl_vendor *vendor, EGLDisplay dpy, EGLenum type, EGLObjectKHR object,
	EGLLabelKHR label)
{
	PFNEGLLABELOBJECTKHRPROC set =
		(PFNEGLLABELOBJECTKHRPROC)kr_egl_vendor_function(vendor, "eglLabelObjectKHR");

	kr_egl_error_of(vendor);
	return set ? set(dpy, type, object, label) : EGL_SUCCESS;
}

/* A thread is all vendors'. */
static EGLint EGLAPIENTRY
label_object(EGLDisplay dpy, EGLenum type, EGLObjectKHR object, EGLLabelKHR label)
{
	struct kr_egl_display *display;
	EGLint result = EGL_SUCCESS;

	if (type == EGL_OBJECT_THREAD_KHR) {
		for (unsigned i = 0; i < kr_egl_vendors_count() && result == EGL_SUCCESS; i++)
			result = label_at(kr_egl_vendor_at(i), dpy, type, object, label);
		return result;
	}
	display = kr_egl_enter(dpy);
	return display ? label_at(display->vendor, dpy, type, object, label) : EGL_BAD_DISPLAY;
}

const struct kr_egl_call kr_egl_device_calls[] = {
	KR_EGL_CALL("eglDebugMessageControlKHR", debug_message_control),
	KR_EGL_CALL("eglLabelObjectKHR", label_object),
	KR_EGL_CALL("eglQueryDebugKHR", query_debug),
	KR_EGL_CALL("eglQueryDevicesEXT", query_devices),
	KR_EGL_CALL("eglQueryDisplayAttribEXT", query_display_ext),
	KR_EGL_CALL("eglQueryDisplayAttribKHR", query_display_khr),
	KR_EGL_CALL("eglQueryDisplayAttribNV", query_display_nv),
};
const size_t kr_egl_device_call_count = KR_ARRAY_LEN(kr_egl_device_calls);
