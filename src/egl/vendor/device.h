/* SPDX-License-Identifier: Apache-2.0 */
/* Which vendor an EGLDeviceEXT belongs to. Records stay for the life of the process. */
#ifndef KR_EGL_VENDOR_DEVICE_H
#define KR_EGL_VENDOR_DEVICE_H

#include "egl/vendor/vendor.h"

/* NULL: none of ours. Takes no lock. */
struct kr_egl_vendor *kr_egl_device_vendor(EGLDeviceEXT device);
/* False: no memory. Thread-safe. */
bool kr_egl_device_add(EGLDeviceEXT device, struct kr_egl_vendor *vendor);

#endif
