/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which OpenGL ES there is (V-05): EGL is asked in a process of its own, since it loads drivers. A
 * context is made on each device that EGL lists, without a window system, and asked for its
 * version; what tells which device it is, is told too.
 */
#ifndef KR_TOOLS_FEATURES_LAUNCH_GLES_H
#define KR_TOOLS_FEATURES_LAUNCH_GLES_H

#include <stdbool.h>
#include <stdint.h>

#define KR_FLAGS_GLES_DEVICES 16
#define KR_FLAGS_GLES_TEXT    128
#define KR_FLAGS_GLES_UUID    16

/* What EGL says of one device, or of the one that it takes without being asked for one. */
struct kr_flags_gles_device {
	char version[KR_FLAGS_GLES_TEXT];  /* GL_VERSION; "" without a context */
	char renderer[KR_FLAGS_GLES_TEXT]; /* GL_RENDERER */
	char why[KR_FLAGS_GLES_TEXT];      /* why there is no context */
	uint32_t major, minor;             /* of OpenGL ES; 0 when `version` isn't one of it */
	bool is_listed;                    /* by eglQueryDevicesEXT */
	bool is_software;
	bool has_uuid;
	uint8_t uuid[KR_FLAGS_GLES_UUID]; /* the device's, as Vulkan has it */
	bool has_nodes;
	uint64_t nodes[2]; /* dev_t of its primary and render node; 0: it hasn't got that one */
};

struct kr_flags_gles {
	char why[KR_FLAGS_GLES_TEXT]; /* why EGL can't be asked at all; "" when it could */
	uint32_t count;
	struct kr_flags_gles_device devices[KR_FLAGS_GLES_DEVICES];
};

/* To be called in a process that has loaded no drivers, and has no threads. */
void kr_flags_gles_ask(struct kr_flags_gles *gles);

#endif
