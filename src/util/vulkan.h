/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Vulkan headers with the window systems of Linux and Android. The few foreign types they need
 * are declared here, so that no window system's headers are required (C11 allows the same typedef
 * again when the real ones are included too).
 */
#ifndef KR_UTIL_VULKAN_H
#define KR_UTIL_VULKAN_H

#include <stdint.h>

#define VK_NO_PROTOTYPES
#define VK_ENABLE_BETA_EXTENSIONS
#include <vulkan/vulkan_core.h>
#include <vulkan/vulkan_beta.h>

#include <vulkan/vulkan_android.h>

typedef struct xcb_connection_t xcb_connection_t;
typedef uint32_t xcb_window_t;
typedef uint32_t xcb_visualid_t;
#include <vulkan/vulkan_xcb.h>

typedef struct _XDisplay Display;
typedef unsigned long XID;
typedef XID Window;
typedef unsigned long VisualID;
#include <vulkan/vulkan_xlib.h>

typedef XID RROutput;
#include <vulkan/vulkan_xlib_xrandr.h>

#include <vulkan/vulkan_wayland.h>

typedef struct _IDirectFB IDirectFB;
typedef struct _IDirectFBSurface IDirectFBSurface;
#include <vulkan/vulkan_directfb.h>

#include "util/vulkan_newer.h"

#endif
