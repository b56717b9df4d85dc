/* SPDX-License-Identifier: Apache-2.0 */
#include "fake.h"

#define GL_GLES_PROTOTYPES 0
#include <GLES3/gl3.h>
#include <GLES2/gl2ext.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "egl/vendor/exports.h"
#include "util/clock.h"
#include "util/list.h"
#include "util/macros.h"
#include "util/mutex.h"

struct fake fake;

struct fake_surface {
	EGLint width, height;
	unsigned *pictures; /* of each row, from the top */
	bool doomed;        /* goes when nobody has it current */
	const void *owner;  /* the thread that has it current */
};

struct fake_context {
	const void *owner;
	struct fake_surface *draw;
	GLint row_length, alignment, reverse;
	GLenum error;
};

struct fake_sync {
	struct kr_list link;
	bool held;
};

static struct kr_mutex lock = KR_MUTEX_INITIALIZER;
static struct kr_cond changed;
static struct kr_list syncs KR_GUARDED_BY(lock);
static atomic_bool ended; /* eglTerminate has come to the vendor */
static unsigned released; /* how often fake_let_go was called */
static _Thread_local struct fake_context *current;
static _Thread_local EGLint vendor_error = EGL_SUCCESS;
static _Thread_local struct kr_egl_thread thread = {.api = EGL_OPENGL_ES_API, .error = EGL_SUCCESS};
static struct fake_surface *live[16];
static struct kr_egl_vendor vendor;
static struct kr_egl_display display;

/* Nobody asks a vendor about a display that is gone. */
static void
note_late(void)
{
	if (atomic_load(&ended))
		atomic_fetch_add(&fake.late, 1);
}

/* What stands in for egl/vendor. */
struct kr_egl_thread *
kr_egl_this_thread(void)
{
	return &thread;
}

void
kr_egl_error_set(EGLint error)
{
	thread.last = NULL;
	thread.error = error;
}

void
kr_egl_error_of(struct kr_egl_vendor *of)
{
	thread.last = of;
}

EGLint
kr_egl_error_take(void)
{
	EGLint error = thread.last ? thread.last->egl.GetError() : thread.error;

	thread.last = NULL;
	thread.error = EGL_SUCCESS;
	return error;
}

void
kr_egl_fences_flushed(struct kr_egl_thread *of)
{
	assert_ptr_equal(of, &thread);
	fake.told_flushes++;
}

void
kr_egl_dispatch_begin(void)
{
}

unsigned
kr_egl_vendors_count(void)
{
	return 1;
}

struct kr_egl_vendor *
kr_egl_vendor_at(unsigned index)
{
	return &vendor;
}

struct kr_egl_display *
kr_egl_display_find(EGLDisplay handle)
{
	return handle == display.handle ? &display : NULL;
}

struct kr_egl_display *
kr_egl_display_add(EGLDisplay handle, struct kr_egl_vendor *of)
{
	display.handle = handle;
	display.vendor = of;
	return &display;
}

bool
kr_egl_names_extension(const char *list, const char *extension)
{
	return strstr(list, extension) != NULL;
}

bool
kr_egl_vendor_has(const struct kr_egl_display *of, const char *extension)
{
	return !strcmp(extension, "EGL_EXT_pixel_format_float") ||
		(fake.imports && !strcmp(extension, "EGL_EXT_image_dma_buf_import"));
}

/* The vendor. */
static EGLBoolean
refuse(EGLint error)
{
	vendor_error = error;
	return EGL_FALSE;
}

static EGLint EGLAPIENTRY
get_error(void)
{
	EGLint error = vendor_error;

	vendor_error = EGL_SUCCESS;
	return error;
}

static const struct {
	EGLint red, green, blue, alpha, surface_type, renderable;
	bool is_float;
} configs[FAKE_CONFIGS] = {
	[FAKE_RGBA] = {8, 8, 8, 8, EGL_PBUFFER_BIT, EGL_OPENGL_ES2_BIT, false},
	[FAKE_RGBX] = {8, 8, 8, 0, EGL_PBUFFER_BIT, EGL_OPENGL_ES2_BIT, false},
	[FAKE_565] = {5, 6, 5, 0, EGL_PBUFFER_BIT, EGL_OPENGL_ES2_BIT, false},
	[FAKE_1010102] = {10, 10, 10, 2, EGL_PBUFFER_BIT, EGL_OPENGL_ES2_BIT, false},
	[FAKE_HALF] = {16, 16, 16, 16, EGL_PBUFFER_BIT, EGL_OPENGL_ES2_BIT, true},
	[FAKE_1010100] = {10, 10, 10, 0, EGL_PBUFFER_BIT, EGL_OPENGL_ES2_BIT, false},
	[FAKE_NO_PBUFFER] = {8, 8, 8, 8, 0, EGL_OPENGL_ES2_BIT, false},
	[FAKE_NO_ES2] = {8, 8, 8, 8, EGL_PBUFFER_BIT, EGL_OPENGL_BIT, false},
};

EGLConfig
fake_config(enum fake_config id)
{
	return (EGLConfig)(uintptr_t)id;
}

static EGLBoolean EGLAPIENTRY
get_config(EGLDisplay of, EGLConfig config, EGLint attribute, EGLint *value)
{
	uintptr_t id = (uintptr_t)config;

	if (!id || id >= FAKE_CONFIGS)
		return refuse(EGL_BAD_CONFIG);
	switch (attribute) {
	case EGL_CONFIG_ID:
		*value = (EGLint)id;
		return EGL_TRUE;
	case EGL_RED_SIZE:
		*value = configs[id].red;
		return EGL_TRUE;
	case EGL_GREEN_SIZE:
		*value = configs[id].green;
		return EGL_TRUE;
	case EGL_BLUE_SIZE:
		*value = configs[id].blue;
		return EGL_TRUE;
	case EGL_ALPHA_SIZE:
		*value = configs[id].alpha;
		return EGL_TRUE;
	case EGL_SURFACE_TYPE:
		*value = configs[id].surface_type;
		return EGL_TRUE;
	case EGL_RENDERABLE_TYPE:
		*value = configs[id].renderable;
		return EGL_TRUE;
	case EGL_COLOR_BUFFER_TYPE:
		*value = EGL_RGB_BUFFER;
		return EGL_TRUE;
	case EGL_COLOR_COMPONENT_TYPE_EXT:
		*value = configs[id].is_float ? EGL_COLOR_COMPONENT_TYPE_FLOAT_EXT
					      : EGL_COLOR_COMPONENT_TYPE_FIXED_EXT;
		return EGL_TRUE;
	default:
		return refuse(EGL_BAD_ATTRIBUTE);
	}
}

/* By surface type, red size and id alone; the order is that of the ids. */
static bool
is_chosen(uintptr_t id, const EGLint *attributes)
{
	EGLint type = EGL_WINDOW_BIT;

	for (const EGLint *a = attributes; a[0] != EGL_NONE; a += 2) {
		if (a[0] == EGL_CONFIG_ID)
			return a[1] == (EGLint)id;
		if (a[0] == EGL_SURFACE_TYPE)
			type = a[1];
		if (a[0] == EGL_RED_SIZE && configs[id].red < a[1])
			return false;
	}
	return type == EGL_DONT_CARE || (configs[id].surface_type & type) == type;
}

static EGLBoolean EGLAPIENTRY
choose_config(EGLDisplay of, const EGLint *attributes, EGLConfig *out, EGLint room, EGLint *count)
{
	*count = 0;
	for (const EGLint *a = attributes; a[0] != EGL_NONE; a += 2) {
		if (a[0] != EGL_CONFIG_ID && a[0] != EGL_SURFACE_TYPE && a[0] != EGL_RED_SIZE)
			return refuse(EGL_BAD_ATTRIBUTE);
	}
	for (uintptr_t id = 1; id < FAKE_CONFIGS; id++) {
		if (!is_chosen(id, attributes) || (out && *count >= room))
			continue;
		if (out)
			out[*count] = (EGLConfig)id;
		++*count;
	}
	return EGL_TRUE;
}

/* A program's names are none here. */
static struct fake_surface **
find_surface(EGLSurface handle)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(live); i++) {
		if (live[i] == handle)
			return &live[i];
	}
	return NULL;
}

static EGLSurface EGLAPIENTRY
create_pbuffer(EGLDisplay of, EGLConfig config, const EGLint *attributes)
{
	struct fake_surface *surface;

	note_late();
	if (fake.fail_pbuffer && !--fake.fail_pbuffer) {
		refuse(EGL_BAD_ALLOC);
		return EGL_NO_SURFACE;
	}
	surface = calloc(1, sizeof(*surface));
	assert_non_null(surface);
	fake.colorspace = EGL_NONE;
	for (; attributes[0] != EGL_NONE; attributes += 2) {
		if (attributes[0] == EGL_GL_COLORSPACE)
			fake.colorspace = attributes[1];
		else if (attributes[0] == EGL_WIDTH)
			surface->width = attributes[1];
		else if (attributes[0] == EGL_HEIGHT)
			surface->height = attributes[1];
	}
	surface->pictures = calloc((size_t)surface->height, sizeof(*surface->pictures));
	assert_non_null(surface->pictures);
	fake.surfaces++;
	*find_surface(NULL) = surface;
	return (EGLSurface)surface;
}

static void
free_surface(struct fake_surface **at)
{
	free((*at)->pictures);
	free(*at);
	*at = NULL;
	fake.surfaces--;
}

static EGLBoolean EGLAPIENTRY
destroy_surface(EGLDisplay of, EGLSurface handle)
{
	struct fake_surface **at = handle ? find_surface(handle) : NULL;

	note_late();
	if (!at)
		return refuse(EGL_BAD_SURFACE);
	assert_null((*at)->owner);
	free_surface(at);
	return EGL_TRUE;
}

static EGLBoolean EGLAPIENTRY
query_surface(EGLDisplay of, EGLSurface handle, EGLint attribute, EGLint *value)
{
	note_late();
	if (!handle || !find_surface(handle))
		return refuse(EGL_BAD_SURFACE);
	if (attribute != EGL_CONFIG_ID)
		return refuse(EGL_BAD_ATTRIBUTE);
	*value = 42;
	return EGL_TRUE;
}

static EGLBoolean EGLAPIENTRY
surface_attrib(EGLDisplay of, EGLSurface handle, EGLint attribute, EGLint value)
{
	note_late();
	return handle && find_surface(handle) ? EGL_TRUE : refuse(EGL_BAD_SURFACE);
}

static EGLBoolean EGLAPIENTRY
swap_buffers(EGLDisplay of, EGLSurface surface)
{
	note_late();
	return refuse(EGL_BAD_SURFACE);
}

static EGLBoolean EGLAPIENTRY
swap_interval(EGLDisplay of, EGLint interval)
{
	note_late();
	return refuse(EGL_BAD_SURFACE);
}

static EGLContext EGLAPIENTRY
create_context(EGLDisplay of, EGLConfig config, EGLContext share, const EGLint *attributes)
{
	struct fake_context *context = calloc(1, sizeof(*context));

	assert_non_null(context);
	kr_mutex_lock(&lock);
	fake.contexts++;
	kr_mutex_unlock(&lock);
	return (EGLContext)context;
}

static EGLBoolean EGLAPIENTRY
destroy_context(EGLDisplay of, EGLContext context)
{
	assert_null(((struct fake_context *)context)->owner);
	free(context);
	kr_mutex_lock(&lock);
	fake.contexts--;
	kr_mutex_unlock(&lock);
	return EGL_TRUE;
}

static bool
is_elsewhere(const void *owner)
{
	return owner && owner != &thread;
}

static void
let_go_locked(void) KR_REQUIRES(lock)
{
	if (!current)
		return;
	current->owner = current->draw->owner = NULL;
	if (current->draw->doomed)
		free_surface(find_surface(current->draw));
	current->draw = NULL;
}

static void
call_once(void (**hook)(void))
{
	void (*call)(void) = *hook;

	*hook = NULL;
	if (call)
		call();
}

static EGLBoolean EGLAPIENTRY
make_current(EGLDisplay of, EGLSurface draw, EGLSurface read, EGLContext handle)
{
	struct fake_context *context = handle;
	struct fake_surface *surface = draw;
	bool busy = false;

	if (draw)
		note_late();
	if (thread.context)
		call_once(&fake.on_current);
	if (thread.context && fake.fail_current && !--fake.fail_current)
		return refuse(EGL_BAD_ACCESS);
	if (!draw != !handle)
		return refuse(EGL_BAD_MATCH);
	if (draw && !find_surface(draw))
		return refuse(EGL_BAD_SURFACE);
	kr_mutex_lock(&lock);
	busy = (context && is_elsewhere(context->owner)) ||
		(surface && is_elsewhere(surface->owner));
	if (!busy) {
		let_go_locked();
		current = context;
		if (context) {
			context->owner = surface->owner = &thread;
			context->draw = surface;
		}
	}
	kr_mutex_unlock(&lock);
	return busy ? refuse(EGL_BAD_ACCESS) : EGL_TRUE;
}

void
fake_forget(void)
{
	kr_mutex_lock(&lock);
	let_go_locked();
	current = NULL;
	kr_mutex_unlock(&lock);
}

static EGLSync EGLAPIENTRY
create_sync(EGLDisplay of, EGLenum type, const EGLAttrib *attributes)
{
	struct fake_sync *sync;

	if (fake.no_syncs)
		return EGL_NO_SYNC;
	note_late();
	sync = calloc(1, sizeof(*sync));
	assert_non_null(sync);
	kr_mutex_lock(&lock);
	kr_list_append(&syncs, &sync->link);
	sync->held = fake.hold;
	fake.syncs++;
	kr_mutex_unlock(&lock);
	return (EGLSync)sync;
}

static EGLint EGLAPIENTRY
client_wait_sync(EGLDisplay of, EGLSync handle, EGLint flags, EGLTime timeout_ns)
{
	struct fake_sync *sync = handle;
	int64_t deadline = kr_deadline_in(timeout_ns);
	unsigned before;
	bool done;

	kr_mutex_lock(&lock);
	note_late();
	before = released;
	while (sync->held && released == before && fake.hold &&
		!kr_cond_wait_until(&changed, &lock, deadline))
		;
	done = !sync->held || released != before || !fake.hold;
	kr_mutex_unlock(&lock);
	return done ? EGL_CONDITION_SATISFIED : EGL_TIMEOUT_EXPIRED;
}

static EGLBoolean EGLAPIENTRY
destroy_sync(EGLDisplay of, EGLSync handle)
{
	struct fake_sync *sync = handle;

	note_late();
	kr_mutex_lock(&lock);
	kr_list_remove(&sync->link);
	fake.syncs--;
	kr_mutex_unlock(&lock);
	free(sync);
	return EGL_TRUE;
}

void
fake_let_go(void)
{
	kr_mutex_lock(&lock);
	fake.hold = false;
	released++;
	kr_cond_broadcast(&changed);
	kr_mutex_unlock(&lock);
}

static EGLBoolean EGLAPIENTRY
bind_api(EGLenum api)
{
	return api == EGL_OPENGL_ES_API;
}

static EGLBoolean EGLAPIENTRY
release_thread(void)
{
	return EGL_TRUE;
}

/* OpenGL ES. */
static GLenum GL_APIENTRY
gl_get_error(void)
{
	GLenum error = current ? current->error : GL_NO_ERROR;

	if (current)
		current->error = GL_NO_ERROR;
	return error;
}

static void GL_APIENTRY
gl_get_integer(GLenum name, GLint *value)
{
	if (name == GL_IMPLEMENTATION_COLOR_READ_FORMAT)
		*value = fake.bgra ? GL_BGRA_EXT : GL_RGBA;
}

static const GLubyte *GL_APIENTRY
gl_get_string(GLenum name)
{
	switch (name) {
	case GL_VERSION:
		return (const GLubyte *)"OpenGL ES 3.2 fake";
	case GL_EXTENSIONS:
		return (const GLubyte *)"GL_OES_EGL_image";
	default:
		return (const GLubyte *)"fake renderer";
	}
}

static void GL_APIENTRY
gl_pixel_store(GLenum name, GLint value)
{
	if (name == GL_PACK_ALIGNMENT)
		current->alignment = value;
	else if (name == GL_PACK_ROW_LENGTH && !fake.no_rows)
		current->row_length = value;
	else if (name == GL_PACK_REVERSE_ROW_ORDER_ANGLE && !fake.no_rows)
		current->reverse = value;
	else
		current->error = GL_INVALID_ENUM;
}

uint32_t
fake_pixel(unsigned picture, uint32_t x, uint32_t y)
{
	uint32_t red = (picture * 37 + x * 8) & 0xff, green = (picture * 11 + y * 4) & 0xff;
	uint32_t blue = (x * 8 + y * 8) & 0xff, alpha = (picture * 5 + 0x40) & 0xff;

	return red | green << 8 | blue << 16 | alpha << 24;
}

static uint16_t
half_of(uint32_t eight)
{
	/* Not the number, but one that tells where it came from. */
	return (uint16_t)(0x3000 + eight);
}

/* Bytes that were written; 0: it isn't read so. */
static uint32_t
write_pixel(uint8_t *to, uint32_t p, GLenum format, GLenum type)
{
	const uint32_t r = p & 0xff, g = p >> 8 & 0xff, b = p >> 16 & 0xff, a = p >> 24;
	const uint16_t halves[4] = {half_of(r), half_of(g), half_of(b), half_of(a)};
	const uint16_t packed = (uint16_t)(r >> 3 << 11 | g >> 2 << 5 | b >> 3);
	const uint32_t ten = r << 2 | g << 12 | b << 22 | a >> 6 << 30;
	const uint32_t swapped = b | g << 8 | r << 16 | a << 24;

	if (format == GL_RGBA && type == GL_UNSIGNED_BYTE)
		memcpy(to, &p, 4);
	else if (format == GL_BGRA_EXT && type == GL_UNSIGNED_BYTE && fake.bgra)
		memcpy(to, &swapped, 4);
	else if (format == GL_RGBA && type == GL_UNSIGNED_INT_2_10_10_10_REV)
		memcpy(to, &ten, 4);
	else if (format == GL_RGB && type == GL_UNSIGNED_SHORT_5_6_5 && !fake.no_565)
		return memcpy(to, &packed, 2) ? 2 : 0;
	else if (format == GL_RGBA && type == GL_HALF_FLOAT)
		return memcpy(to, halves, 8) ? 8 : 0;
	else
		return 0;
	return 4;
}

static void
take_time(int ms)
{
	const struct timespec time = {.tv_nsec = ms * 1000000L};

	nanosleep(&time, NULL);
}

static void GL_APIENTRY
gl_read_pixels(
	GLint x0, GLint y0, GLsizei width, GLsizei height, GLenum format, GLenum type, void *to)
{
	const struct fake_surface *surface = current->draw;
	uint8_t scratch[8];
	uint32_t bytes = write_pixel(scratch, 0, format, type);
	GLint row = current->row_length ? current->row_length : width;

	assert_int_equal(current->alignment, 1);
	take_time(fake.read_ms);
	fake.reads += width > 1;
	if (width > 1)
		call_once(&fake.on_read);
	if (!bytes) {
		current->error = GL_INVALID_OPERATION;
		return;
	}
	for (GLsizei y = 0; y < height; y++) {
		GLsizei at = current->reverse ? height - 1 - y : y;

		uint32_t from = (uint32_t)(surface->height - 1 - y0 - y);

		for (GLsizei x = 0; x < width; x++)
			write_pixel((uint8_t *)to + ((size_t)at * (size_t)row + (size_t)x) * bytes,
				fake_pixel(surface->pictures[from], (uint32_t)(x0 + x), from),
				format, type);
	}
}

static void GL_APIENTRY
gl_flush(void)
{
}

static void GL_APIENTRY
gl_finish(void)
{
	fake.finishes++;
}

/* Images, textures and framebuffers: of the thread that copies alone. */
struct fake_image {
	uint8_t *data;
	size_t size;
	EGLint width, height, pitch, fourcc;
};

static struct fake_image *textures[32];
static GLuint texture_count, bound_texture, bound_framebuffer;

static EGLImage EGLAPIENTRY
create_image(EGLDisplay of, EGLContext context, EGLenum target, EGLClientBuffer buffer,
	const EGLAttrib *attributes)
{
	struct fake_image *image = calloc(1, sizeof(*image));
	int fd = -1;

	assert_non_null(image);
	assert_int_equal(target, EGL_LINUX_DMA_BUF_EXT);
	for (; attributes[0] != EGL_NONE; attributes += 2) {
		if (attributes[0] == EGL_WIDTH)
			image->width = (EGLint)attributes[1];
		else if (attributes[0] == EGL_HEIGHT)
			image->height = (EGLint)attributes[1];
		else if (attributes[0] == EGL_DMA_BUF_PLANE0_PITCH_EXT)
			image->pitch = (EGLint)attributes[1];
		else if (attributes[0] == EGL_LINUX_DRM_FOURCC_EXT)
			image->fourcc = (EGLint)attributes[1];
		else if (attributes[0] == EGL_DMA_BUF_PLANE0_FD_EXT)
			fd = (int)attributes[1];
		else
			assert_int_equal(attributes[0], EGL_DMA_BUF_PLANE0_OFFSET_EXT);
	}
	image->size = (size_t)image->pitch * (size_t)image->height;
	image->data = mmap(NULL, image->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(image->data, MAP_FAILED);
	fake.images++;
	return (EGLImage)image;
}

static EGLBoolean EGLAPIENTRY
destroy_image(EGLDisplay of, EGLImage handle)
{
	struct fake_image *image = handle;

	munmap(image->data, image->size);
	free(image);
	fake.images--;
	return EGL_TRUE;
}

static void GL_APIENTRY
gl_gen(GLsizei count, GLuint *names)
{
	*names = ++texture_count;
	assert_true(texture_count < KR_ARRAY_LEN(textures));
}

static void GL_APIENTRY
gl_delete(GLsizei count, const GLuint *names)
{
	textures[*names] = NULL;
}

static void GL_APIENTRY
gl_bind_texture(GLenum target, GLuint name)
{
	bound_texture = name;
}

static void GL_APIENTRY
gl_bind_framebuffer(GLenum target, GLuint name)
{
	assert_int_equal(target, GL_DRAW_FRAMEBUFFER);
	bound_framebuffer = name;
}

static void GL_APIENTRY
gl_image_target_texture(GLenum target, GLeglImageOES image)
{
	textures[bound_texture] = image;
}

static void GL_APIENTRY
gl_framebuffer_texture(GLenum target, GLenum attachment, GLenum of, GLuint texture, GLint level)
{
	textures[bound_framebuffer] = textures[texture];
}

static GLenum GL_APIENTRY
gl_check_framebuffer(GLenum target)
{
	return textures[bound_framebuffer] ? GL_FRAMEBUFFER_COMPLETE
					   : GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT;
}

static void GL_APIENTRY
gl_blit(GLint x0, GLint y0, GLint x1, GLint y1, GLint to_x0, GLint to_y0, GLint to_x1, GLint to_y1,
	GLbitfield mask, GLenum filter)
{
	const struct fake_image *image = textures[bound_framebuffer];
	const struct fake_surface *surface = current->draw;

	take_time(fake.blit_ms);
	fake.blits++;
	assert_int_equal(x1, image->width);
	assert_int_equal(to_y0, image->height - y0);
	assert_int_equal(to_y1, image->height - y1);
	for (GLint y = to_y1; y < to_y0; y++) {
		GLint from = fake.wrong_blits ? image->height - 1 - y : y;

		for (GLint x = 0; x < image->width; x++)
			write_pixel(image->data + y * image->pitch + x * 4,
				fake_pixel(surface->pictures[from], (uint32_t)x, (uint32_t)from),
				GL_RGBA, GL_UNSIGNED_BYTE);
	}
}

void *
kr_egl_vendor_function(struct kr_egl_vendor *of, const char *name)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} functions[] = {
		{"glBindFramebuffer", (void (*)(void))gl_bind_framebuffer},
		{"glBindTexture", (void (*)(void))gl_bind_texture},
		{"glBlitFramebuffer", (void (*)(void))gl_blit},
		{"glCheckFramebufferStatus", (void (*)(void))gl_check_framebuffer},
		{"glDeleteFramebuffers", (void (*)(void))gl_delete},
		{"glDeleteTextures", (void (*)(void))gl_delete},
		{"glEGLImageTargetTexture2DOES", (void (*)(void))gl_image_target_texture},
		{"glFinish", (void (*)(void))gl_finish},
		{"glFramebufferTexture2D", (void (*)(void))gl_framebuffer_texture},
		{"glGenFramebuffers", (void (*)(void))gl_gen},
		{"glGenTextures", (void (*)(void))gl_gen},
		{"glFlush", (void (*)(void))gl_flush},
		{"glGetError", (void (*)(void))gl_get_error},
		{"glGetIntegerv", (void (*)(void))gl_get_integer},
		{"glGetString", (void (*)(void))gl_get_string},
		{"glPixelStorei", (void (*)(void))gl_pixel_store},
		{"glReadPixels", (void (*)(void))gl_read_pixels},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(functions); i++) {
		if (!strcmp(functions[i].name, name))
			return (void *)functions[i].function;
	}
	return NULL;
}

static EGLDisplay
get_platform_display(EGLenum platform, void *native, const EGLAttrib *attributes)
{
	assert_non_null(attributes);
	assert_int_equal(attributes[0], EGL_NONE);
	return platform == EGL_PLATFORM_SURFACELESS_MESA ? (EGLDisplay)&display : EGL_NO_DISPLAY;
}

/* The test's side. */
static const struct kr_egl_functions functions_of_vendor = {
	.BindAPI = bind_api,
	.ChooseConfig = choose_config,
	.ClientWaitSync = client_wait_sync,
	.CreateContext = create_context,
	.CreateImage = create_image,
	.CreatePbufferSurface = create_pbuffer,
	.CreateSync = create_sync,
	.DestroyContext = destroy_context,
	.DestroyImage = destroy_image,
	.DestroySurface = destroy_surface,
	.DestroySync = destroy_sync,
	.GetConfigAttrib = get_config,
	.GetError = get_error,
	.MakeCurrent = make_current,
	.QuerySurface = query_surface,
	.ReleaseThread = release_thread,
	.SurfaceAttrib = surface_attrib,
	.SwapBuffers = swap_buffers,
	.SwapInterval = swap_interval,
};

/* What EGL keeps for the life of a process is made before there are any cases. */
int
fake_main(int argc, char **argv, const struct kr_test *tests, size_t count)
{
	kr_cond_init(&changed);
	kr_list_init(&syncs);
	vendor.library = "fake";
	vendor.imports.getPlatformDisplay = get_platform_display;
	vendor.egl = functions_of_vendor;
	if (kr_egl_android_display(NULL, NULL) != (EGLDisplay)&display)
		return 1;
	return kr_test_main(argc, argv, tests, count);
}

struct kr_egl_display *
fake_display(void)
{
	assert_true(display.android);
	atomic_store(&ended, false);
	assert_true(kr_egl_windows_start(&display));
	return &display;
}
void
fake_terminate(struct kr_egl_display *of)
{
	struct fake_sync *sync, *next;

	kr_egl_windows_stop(of);
	atomic_store(&ended, true);
	kr_mutex_lock(&lock);
	kr_list_for_each_safe (sync, next, &syncs, link) {
		kr_list_remove(&sync->link);
		fake.syncs--;
		free(sync);
	}
	kr_mutex_unlock(&lock);
	for (size_t i = 0; i < KR_ARRAY_LEN(live); i++) {
		if (live[i] && live[i]->owner)
			live[i]->doomed = true;
		else if (live[i])
			free_surface(&live[i]);
	}
}

void
fake_end(struct kr_egl_display *of)
{
	kr_egl_windows_stop(of);
	assert_int_equal(fake.surfaces, 0);
	assert_int_equal(fake.contexts, 0);
	assert_int_equal(fake.syncs, 0);
	assert_int_equal(fake.images, 0);
}

EGLContext
fake_context(enum fake_config id)
{
	return create_context(display.handle, fake_config(id), NULL, NULL);
}

void
fake_context_destroy(EGLContext context)
{
	destroy_context(display.handle, context);
}

EGLBoolean
fake_current(struct kr_egl_display *of, EGLSurface surface, EGLContext context)
{
	if (!kr_egl_surfaces_make_current(of, surface, surface, context))
		return EGL_FALSE;
	thread.display = context ? of : NULL;
	thread.context = context;
	thread.draw = thread.read = surface;
	return EGL_TRUE;
}

EGLint
fake_error(void)
{
	return kr_egl_error_take();
}

void
fake_paint(unsigned picture)
{
	fake_paint_rows(picture, 0, current->draw->height);
}

void
fake_paint_rows(unsigned picture, int top, int bottom)
{
	for (int y = top; y < bottom; y++)
		current->draw->pictures[y] = picture;
}

unsigned
fake_painted(void)
{
	return current->draw->pictures[0];
}
