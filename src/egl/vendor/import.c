/* SPDX-License-Identifier: Apache-2.0 */
#include "egl/vendor/import.h"

#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>
#include <string.h>

#include "egl/vendor/older.h"
#include "egl/vendor/thread.h"
#include "gralloc/buffer.h"
#include "gralloc/gpu_memory.h"
#include "util/macros.h"
#include "util/text.h"

#define FOURCC(a, b, c, d)                                                                         \
	((EGLint)((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24))

/* DRM's names of formats go from the highest bit down, in words of little endian. */
static EGLint
fourcc_of(uint32_t format, bool three_planes)
{
	switch (format) {
	case AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM:
		return FOURCC('A', 'B', '2', '4');
	case AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM:
		return FOURCC('X', 'B', '2', '4');
	case AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM:
		return FOURCC('A', 'R', '2', '4');
	case AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM:
		return FOURCC('R', 'G', '1', '6');
	case AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM:
		return FOURCC('A', 'B', '3', '0');
	case AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT:
		return FOURCC('A', 'B', '4', 'H');
	case AHARDWAREBUFFER_FORMAT_R8_UNORM:
		return FOURCC('R', '8', ' ', ' ');
	case AHARDWAREBUFFER_FORMAT_YCbCr_P010:
		return FOURCC('P', '0', '1', '0');
	case AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420:
		return three_planes ? FOURCC('Y', 'U', '1', '2') : FOURCC('N', 'V', '1', '2');
	default:
		return 0;
	}
}

#define DMA_BUFS  "EGL_EXT_image_dma_buf_import"
#define MODIFIERS "EGL_EXT_image_dma_buf_import_modifiers"

/* Four attributes of the buffer, five of each plane, and the end. */
#define ATTRIBUTES (2 * (3 + 5 * KR_GPU_MAX_PLANES) + 1)

/* As Mesa names it; "": it isn't told. */
static const char *
driver_of(const struct kr_egl_display *display)
{
	PFNEGLGETDISPLAYDRIVERNAMEPROC get = (PFNEGLGETDISPLAYDRIVERNAMEPROC)kr_egl_vendor_function(
		display->vendor, "eglGetDisplayDriverName");
	const char *name = get && kr_egl_vendor_has(display, "EGL_MESA_query_driver")
		? get(display->handle)
		: NULL;

	return name ? name : "";
}

/*
 * Mesa's llvmpipe over a card's dumb buffers maps memory through the card, which maps its own
 * alone: of all other dma-bufs it makes images without a mapping, and who draws into one, or
 * samples it, ends by SIGSEGV. llvmpipe without a card ("swrast") maps the dma-buf itself.
 */
static bool
maps_by_card(const struct kr_egl_display *display)
{
	return !strcmp(driver_of(display), "kms_swrast");
}

bool
kr_egl_draws_by_cpu(const struct kr_egl_display *display)
{
	return kr_has_suffix(driver_of(display), "swrast");
}

/* NULL: it can. */
static const char *
why_not(const struct kr_egl_display *display)
{
	const struct kr_egl_functions *egl = &display->vendor->egl;

	if ((!egl->CreateImage && !egl->CreateImageKHR) ||
		(!egl->DestroyImage && !egl->DestroyImageKHR) ||
		!kr_egl_vendor_has(display, DMA_BUFS))
		return "the vendor imports no dma-bufs";
	return maps_by_card(display)
		? "the display's driver is Mesa's kms_swrast, whose imports of dma-bufs can't be drawn"
		: NULL;
}

bool
kr_egl_imports(const struct kr_egl_display *display)
{
	return !why_not(display);
}

/* Where the picture lies. */
struct picture {
	const struct kr_buffer_info *info;
	int fd;
	bool has_modifier;
	uint64_t modifier;
	EGLint fourcc; /* 0: DRM has no name for its format */
	uint32_t plane_count;
	struct kr_gpu_plane planes[KR_GPU_MAX_PLANES]; /* of the memory: a modifier may have more */
};

/* Of others' memory; NULL, or why not. */
static const char *
read_gpu(const struct kr_buffer_info *info, struct picture *picture)
{
	const struct kr_gpu_memory *gpu = info->gpu;

	if (!gpu || gpu->kind != KR_GPU_DMA_BUF)
		return "its memory is no dma-buf";
	if (gpu->array_layers > 1 || gpu->mip_levels > 1)
		return "it has several layers or levels";
	if (gpu->plane_count > KR_GPU_MAX_PLANES ||
		(!gpu->modifier && !kr_buffer_gpu_is_linear(gpu)))
		return "its rows lie in an order that has no modifier";
	picture->fd = info->gpu_fd;
	/* A modifier's planes needn't be those of colours. */
	picture->fourcc = fourcc_of(info->desc.format,
		gpu->plane_count == 3 && kr_buffer_gpu_pixel_bytes(gpu, info->desc.format, 2) > 0);
	picture->has_modifier = true;
	picture->modifier = gpu->modifier;
	picture->plane_count = gpu->plane_count;
	for (uint32_t i = 0; i < gpu->plane_count; i++) {
		picture->planes[i] = gpu->planes[i];
		if (gpu->planes[i].offset > INT32_MAX || gpu->planes[i].row_bytes > INT32_MAX)
			return "its planes lie too far apart";
	}
	return NULL;
}

/* Of CPUs' memory, which has two planes at most here. */
static const char *
read_cpu(const struct kr_buffer_info *info, struct picture *picture)
{
	struct kr_buffer_planes planes;

	if (kr_buffer_get_planes(info, &planes))
		return "its format has no planes";
	picture->fd = info->fd;
	picture->fourcc = fourcc_of(info->desc.format, planes.count == 3);
	picture->plane_count = planes.count;
	for (uint32_t i = 0; i < planes.count; i++) {
		picture->planes[i].offset = planes.plane[i].offset;
		picture->planes[i].row_bytes = planes.plane[i].row_bytes;
		if (planes.plane[i].offset > INT32_MAX || planes.plane[i].row_bytes > INT32_MAX)
			return "its planes lie too far apart";
	}
	return NULL;
}

/* What there is to import; NULL, or why not. */
static const char *
read_picture(const struct kr_buffer_info *info, struct picture *picture)
{
	const char *reason = "memory of CPUs with several layers, depth or stencil is no image";

	picture->info = info;
	if (kr_buffer_is_of_cpus_alone(info))
		return reason;
	reason = kr_buffer_backend_is_dma_buf(info->backend) ? read_cpu(info, picture)
							     : read_gpu(info, picture);
	if (!reason && !picture->fourcc)
		reason = "its format has no name of DRM's";
	return reason;
}

static void
add(EGLAttrib *list, unsigned *count, EGLAttrib name, EGLAttrib value)
{
	list[(*count)++] = name;
	list[(*count)++] = value;
}

static void
add_plane(
	const struct picture *picture, uint32_t i, bool modifiers, EGLAttrib *list, unsigned *count)
{
	/* The fourth came with modifiers, whose names follow each other in pairs. */
	static const EGLAttrib firsts[] = {EGL_DMA_BUF_PLANE0_FD_EXT, EGL_DMA_BUF_PLANE1_FD_EXT,
		EGL_DMA_BUF_PLANE2_FD_EXT, EGL_DMA_BUF_PLANE3_FD_EXT};

	add(list, count, firsts[i], picture->fd);
	add(list, count, firsts[i] + 1, (EGLAttrib)picture->planes[i].offset);
	add(list, count, firsts[i] + 2, (EGLAttrib)picture->planes[i].row_bytes);
	if (!modifiers || !picture->has_modifier)
		return;
	add(list, count, EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT + 2 * (EGLAttrib)i,
		(EGLAttrib)(picture->modifier & UINT32_MAX));
	add(list, count, EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT + 2 * (EGLAttrib)i,
		(EGLAttrib)(picture->modifier >> 32));
}

static EGLImage
import(struct kr_egl_display *display, const struct picture *picture, const char **reason,
	EGLint *error)
{
	struct kr_egl_thread *thread = kr_egl_this_thread(), before = *thread;
	const struct kr_buffer_desc *desc = &picture->info->desc;
	bool modifiers = kr_egl_vendor_has(display, MODIFIERS);
	EGLAttrib list[ATTRIBUTES];
	unsigned count = 0;
	EGLImage image;

	if (!modifiers && picture->modifier) {
		*reason = "the vendor knows no modifiers";
		return EGL_NO_IMAGE;
	}
	add(list, &count, EGL_WIDTH, (EGLAttrib)desc->width);
	add(list, &count, EGL_HEIGHT, (EGLAttrib)desc->height);
	add(list, &count, EGL_LINUX_DRM_FOURCC_EXT, picture->fourcc);
	for (uint32_t i = 0; i < picture->plane_count; i++)
		add_plane(picture, i, modifiers, list, &count);
	list[count] = EGL_NONE;
	image = kr_egl_vendors_image_create(
		display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, NULL, list);
	*error = kr_egl_error_take();
	thread->last = before.last;
	thread->error = before.error;
	if (image == EGL_NO_IMAGE)
		*reason = "the vendor doesn't import it";
	return image;
}

EGLImage
kr_egl_import(struct kr_egl_display *display, const struct ANativeWindowBuffer *buffer,
	const char **reason, EGLint *error)
{
	struct picture picture = {.fd = -1};
	EGLImage image = EGL_NO_IMAGE;
	struct kr_buffer *own;

	*error = EGL_BAD_PARAMETER;
	*reason = why_not(display);
	if (*reason)
		return EGL_NO_IMAGE;
	*reason = "it is no buffer of Krafla's";
	if (kr_buffer_from_any((void *)(uintptr_t)buffer, &own))
		return EGL_NO_IMAGE;
	*reason = read_picture(kr_buffer_get_info(own), &picture);
	if (!*reason) {
		image = import(display, &picture, reason, error);
		if (image == EGL_NO_IMAGE && *error == EGL_SUCCESS)
			*error = EGL_BAD_PARAMETER;
	}
	kr_buffer_unref(own);
	return image;
}

void
kr_egl_import_destroy(struct kr_egl_display *display, EGLImage image)
{
	struct kr_egl_thread *thread = kr_egl_this_thread(), before = *thread;

	if (image != EGL_NO_IMAGE)
		kr_egl_vendors_image_destroy(display, image);
	thread->last = before.last;
	thread->error = before.error;
}
