/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See plan.h. Planes without a "zpos" lie in the order of their numbers, which libliftoff doesn't
 * know. So what it finds is looked over before it is used, and a layer that ends up on the wrong
 * side of another is given to the client; and where it leaves layers over though such planes are
 * there, the topmost layers are tried on them in their order (stack.c), as many as the kernel
 * takes.
 */
#include "outputs/kms/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#include "colour/space.h"
#include "outputs/kms/log.h"
#include "outputs/kms/stack.h"

int
kms_plan_init(
	struct kms_plan *plan, struct liftoff_device *liftoff, const struct kms_screen *screen)
{
	memset(plan, 0, sizeof(*plan));
	plan->liftoff = liftoff;
	plan->output = liftoff_output_create(liftoff, screen->crtc->id);
	plan->target = plan->output ? liftoff_layer_create(plan->output) : NULL;
	if (!plan->target) {
		kms_plan_finish(plan);
		return -ENOMEM;
	}
	liftoff_output_set_composition_layer(plan->output, plan->target);
	return 0;
}

void
kms_plan_finish(struct kms_plan *plan)
{
	if (plan->target)
		liftoff_layer_destroy(plan->target);
	if (plan->output)
		liftoff_output_destroy(plan->output);
	memset(plan, 0, sizeof(*plan));
}

struct kms_layer *
kms_plan_layer(struct kms_plan *plan, struct kr_hwc_layer_state *state)
{
	struct kms_layer *layer = state->device_data;

	if (layer)
		return layer;
	layer = calloc(1, sizeof(*layer));
	if (!layer)
		return NULL;
	layer->liftoff = liftoff_layer_create(plan->output);
	if (!layer->liftoff) {
		free(layer);
		return NULL;
	}
	state->device_data = layer;
	return layer;
}

void
kms_plan_layer_gone(struct kr_hwc_layer_state *state)
{
	struct kms_layer *layer = state->device_data;

	if (!layer)
		return;
	liftoff_layer_destroy(layer->liftoff);
	free(layer);
	state->device_data = NULL;
}

bool
kms_plan_is_opaque(const struct kr_hwc_layer_state *state)
{
	return state->blend == KRAFLA_BLEND_NONE;
}

/*
 * The kernel turns counter-clockwise. A flip with a quarter turn isn't here: drivers don't agree on
 * which of the two is first (vkms of 6.12 leaves one out).
 */
static bool
rotation_of(int32_t transform, uint64_t *rotation)
{
	static const uint64_t known[] = {
		[0] = DRM_MODE_ROTATE_0,
		[KRAFLA_TRANSFORM_FLIP_H] = DRM_MODE_ROTATE_0 | DRM_MODE_REFLECT_X,
		[KRAFLA_TRANSFORM_FLIP_V] = DRM_MODE_ROTATE_0 | DRM_MODE_REFLECT_Y,
		[KRAFLA_TRANSFORM_ROT_180] = DRM_MODE_ROTATE_180,
		[KRAFLA_TRANSFORM_ROT_90] = DRM_MODE_ROTATE_270,
		[KRAFLA_TRANSFORM_ROT_270] = DRM_MODE_ROTATE_90,
	};

	*rotation = transform < 0 || transform > KRAFLA_TRANSFORM_ROT_270 ? 0 : known[transform];
	return *rotation;
}

static void
put_source(const struct kr_hwc_layer_state *state, const struct kms_framebuffer *framebuffer,
	uint64_t src[4])
{
	const struct krafla_frect *crop = &state->crop;

	if (crop->right <= crop->left || crop->bottom <= crop->top) {
		src[0] = src[1] = 0;
		src[2] = (uint64_t)framebuffer->width << 16;
		src[3] = (uint64_t)framebuffer->height << 16;
		return;
	}
	src[0] = (uint64_t)(crop->left * 65536.0);
	src[1] = (uint64_t)(crop->top * 65536.0);
	src[2] = (uint64_t)((crop->right - crop->left) * 65536.0);
	src[3] = (uint64_t)((crop->bottom - crop->top) * 65536.0);
}

void
kms_plan_scanout(const struct kr_hwc_layer_state *state, struct kms_framebuffer *framebuffer,
	const struct kms_plane *plane, struct kms_scanout *scanout)
{
	*scanout = (struct kms_scanout){
		.plane = plane,
		.fb = framebuffer->id,
		.framebuffer = framebuffer,
		.dst = {state->frame.left, state->frame.top, state->frame.right - state->frame.left,
			state->frame.bottom - state->frame.top},
		.alpha = (uint16_t)(state->plane_alpha * UINT16_MAX + 0.5f),
		.blend = state->blend == KRAFLA_BLEND_COVERAGE ? KMS_BLEND_COVERAGE
							       : KMS_BLEND_PREMULTIPLIED,
		.in_fence = -1,
	};
	(void)rotation_of(state->transform, &scanout->rotation);
	put_source(state, framebuffer, scanout->src);
}

/* Parts of a crop that lie outside of the buffer are left out: by who draws. */
static bool
crop_fits(const struct kr_hwc_layer_state *state, const struct kms_framebuffer *framebuffer)
{
	return state->crop.right <= (float)framebuffer->width &&
		state->crop.bottom <= (float)framebuffer->height;
}

bool
kms_plan_is_seen(const struct kr_hwc_layer_state *state, const struct kms_screen *screen)
{
	const drmModeModeInfo *mode = &screen->connector.modes[screen->mode];
	const ARect *frame = &state->frame;

	if (KR_MAX(frame->left, 0) >= KR_MIN(frame->right, (int32_t)mode->hdisplay) ||
		KR_MAX(frame->top, 0) >= KR_MIN(frame->bottom, (int32_t)mode->vdisplay))
		return false;
	/* What the client draws it knows itself. */
	return state->composition == KRAFLA_COMPOSITION_CLIENT ||
		state->composition == KRAFLA_COMPOSITION_SOLID_COLOR || state->buffer;
}

/* Planes convert no colours. */
static bool
may_be_on_a_plane(const struct kr_hwc_layer_state *state, const struct kms_screen *screen)
{
	int32_t shown = screen->colour.dataspace;
	uint64_t rotation;

	return kr_colour_resolve(state->dataspace, shown) == shown &&
		(state->composition == KRAFLA_COMPOSITION_DEVICE ||
			state->composition == KRAFLA_COMPOSITION_CURSOR) &&
		state->buffer && rotation_of(state->transform, &rotation);
}

/* Where a layer lies, which counts for its neighbours also when it is on no plane. */
static int
place(struct kms_layer *layer, const ARect *frame, uint64_t zpos)
{
	const struct {
		const char *name;
		int64_t value;
	} properties[] = {
		{"zpos", (int64_t)zpos},
		{"CRTC_X", frame->left},
		{"CRTC_Y", frame->top},
		{"CRTC_W", frame->right - frame->left},
		{"CRTC_H", frame->bottom - frame->top},
	};
	int ret = 0;

	for (size_t i = 0; i < KR_ARRAY_LEN(properties) && !ret; i++)
		ret = liftoff_layer_set_property(
			layer->liftoff, properties[i].name, (uint64_t)properties[i].value);
	return ret;
}

/* What libliftoff is told of a layer that may be on a plane; only what isn't as planes have it. */
static int
describe(const struct kms_layer *layer, const struct kms_scanout *scanout)
{
	const struct {
		const char *name;
		uint64_t value;
		bool told;
	} properties[] = {
		{"FB_ID", scanout->fb, true},
		{"SRC_X", scanout->src[0], true},
		{"SRC_Y", scanout->src[1], true},
		{"SRC_W", scanout->src[2], true},
		{"SRC_H", scanout->src[3], true},
		{"rotation", scanout->rotation, scanout->rotation != DRM_MODE_ROTATE_0},
		{"alpha", scanout->alpha, scanout->alpha != UINT16_MAX},
		{"pixel blend mode", scanout->blend, scanout->blend != KMS_BLEND_PREMULTIPLIED},
	};
	int ret = 0;

	for (size_t i = 0; i < KR_ARRAY_LEN(properties) && !ret; i++) {
		if (properties[i].told)
			ret = liftoff_layer_set_property(
				layer->liftoff, properties[i].name, properties[i].value);
		else
			liftoff_layer_unset_property(layer->liftoff, properties[i].name);
	}
	return ret;
}

/* Says what the layer is, from the top down; `tried` counts those that may be on a plane. */
static int
offer(struct kms_layer *layer, const struct kr_hwc_layer_state *state, struct kms_screen *screen,
	uint64_t zpos, unsigned *tried, kms_plan_framebuffer_fn framebuffer, void *data)
{
	struct kms_scanout scanout;

	layer->wanted = layer->offered = false;
	layer->framebuffer = NULL;
	if (!kms_plan_is_seen(state, screen)) {
		return liftoff_layer_set_property(layer->liftoff, "FB_ID", 0);
	}
	if (may_be_on_a_plane(state, screen) && *tried < KMS_MAX_TRIED)
		layer->framebuffer = framebuffer(data, screen, state, layer);
	if (layer->framebuffer && crop_fits(state, layer->framebuffer)) {
		kms_plan_scanout(state, layer->framebuffer, NULL, &scanout);
		layer->wanted = layer->offered = !describe(layer, &scanout);
	}
	if (layer->wanted)
		++*tried;
	else
		liftoff_layer_set_fb_composited(layer->liftoff);
	return place(layer, &state->frame, zpos);
}

static int
offer_target(struct kms_plan *plan, const struct kms_screen *screen)
{
	const struct kms_dumb *dumb = &screen->dumbs[0];
	const ARect all = {0, 0, (int32_t)dumb->width, (int32_t)dumb->height};
	struct kms_layer target = {.liftoff = plan->target};
	int ret;
	const struct kms_scanout whole = {
		.fb = dumb->id,
		.src = {0, 0, (uint64_t)dumb->width << 16, (uint64_t)dumb->height << 16},
		.rotation = DRM_MODE_ROTATE_0,
		.alpha = UINT16_MAX,
	};

	ret = describe(&target, &whole);
	return ret ? ret : place(&target, &all, 0);
}

static const struct kms_plane *
plane_of(const struct kms_screen *screen, struct liftoff_layer *layer)
{
	struct liftoff_plane *plane = liftoff_layer_get_plane(layer);

	for (unsigned i = 0; plane && i < screen->card->plane_count; i++) {
		if (screen->card->planes[i].id == liftoff_plane_get_id(plane))
			return &screen->card->planes[i];
	}
	return NULL;
}

static int
look_for_planes(struct kms_plan *plan)
{
	drmModeAtomicReq *request = drmModeAtomicAlloc();
	int ret;

	if (!request)
		return -ENOMEM;
	ret = liftoff_output_apply(plan->output, request, DRM_MODE_ATOMIC_NONBLOCK);
	drmModeAtomicFree(request);
	return ret;
}

static bool
overlap(const ARect *a, const ARect *b)
{
	return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

static uint64_t
height_of(const struct kms_plane *plane)
{
	const struct kms_property *zpos = &plane->property[KMS_PLANE_ZPOS];
	static const uint64_t by_type[] = {[DRM_PLANE_TYPE_OVERLAY] = 1,
		[DRM_PLANE_TYPE_PRIMARY] = 0,
		[DRM_PLANE_TYPE_CURSOR] = 2};

	if (zpos->id)
		return zpos->value;
	return by_type[plane->property[KMS_PLANE_TYPE].value % 3];
}

/* As the kernel stacks them: by zpos, then by number. */
static bool
is_above(const struct kms_plane *a, const struct kms_plane *b)
{
	uint64_t of_a = height_of(a), of_b = height_of(b);

	return of_a == of_b ? a->id > b->id : of_a > of_b;
}

/* Whether the layer, on its plane, would hide what shall hide it. */
static bool
lies_wrong(const struct kms_plan *plan, const struct kms_screen *screen,
	const struct kr_hwc_display_state *display, unsigned at, const struct kms_plane *plane)
{
	const struct kms_plane *target = plane_of(screen, plan->target);
	const struct kr_hwc_layer_state *state = display->layers[at];

	if (target && is_above(target, plane))
		return true;
	for (unsigned i = at + 1; i < display->count; i++) {
		const struct kms_layer *above = display->layers[i]->device_data;
		const struct kms_plane *its =
			above->wanted ? plane_of(screen, above->liftoff) : NULL;

		if (!overlap(&state->frame, &display->layers[i]->frame) ||
			!kms_plan_is_seen(display->layers[i], screen))
			continue;
		if (!its || is_above(plane, its))
			return true;
	}
	return false;
}

/* Gives layers that lie wrong to the client. How many there were. */
static unsigned
correct(const struct kms_plan *plan, const struct kms_screen *screen,
	const struct kr_hwc_display_state *display)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < display->count; i++) {
		struct kms_layer *layer = display->layers[i]->device_data;
		const struct kms_plane *plane;

		if (!layer->wanted)
			continue;
		plane = plane_of(screen, layer->liftoff);
		if (!plane || !lies_wrong(plan, screen, display, i, plane))
			continue;
		layer->wanted = false;
		liftoff_layer_set_fb_composited(layer->liftoff);
		wrong++;
	}
	return wrong;
}

/*
 * Takes over what was found; false: somebody is to draw a target that no plane is left for. The
 * client's layers have to lie next to each other, so all below the highest of them are its too.
 */
static bool
take_over(struct kms_plan *plan, struct kms_screen *screen, struct kr_hwc_display_state *display)
{
	bool needed = false;

	for (unsigned i = display->count; i--;) {
		struct kr_hwc_layer_state *state = display->layers[i];
		struct kms_layer *layer = state->device_data;

		layer->plane = layer->wanted && !needed ? plane_of(screen, layer->liftoff) : NULL;
		needed |= kms_plan_is_seen(state, screen) && !layer->plane;
	}
	plan->target_plane = needed ? plane_of(screen, plan->target) : NULL;
	return !needed || plan->target_plane;
}

static void
leave_all_to_the_client(struct kms_plan *plan, struct kms_screen *screen,
	const struct kr_hwc_display_state *display)
{
	plan->target_plane = NULL;
	for (unsigned i = 0; i < display->count; i++) {
		struct kms_layer *layer = display->layers[i]->device_data;

		if (layer)
			layer->plane = NULL;
		if (kms_plan_is_seen(display->layers[i], screen))
			plan->target_plane = screen->primary;
	}
}

static unsigned
count_on_planes(const struct kr_hwc_display_state *display)
{
	unsigned count = 0;

	for (unsigned i = 0; i < display->count; i++) {
		const struct kms_layer *layer = display->layers[i]->device_data;

		count += layer && layer->plane;
	}
	return count;
}

/* Whether `screen` has a plan, by libliftoff; `offered`: layers have what a plan needs to know. */
static bool
find(struct kms_plan *plan, struct kms_screen *screen, struct kr_hwc_display_state *display,
	kms_plan_framebuffer_fn framebuffer, void *data, unsigned *offered)
{
	unsigned tried = 0;

	for (unsigned i = 0; i < display->count; i++) {
		if (!kms_plan_layer(plan, display->layers[i]))
			return false;
	}
	for (unsigned i = display->count; i--;) {
		if (offer(display->layers[i]->device_data, display->layers[i], screen, i + 1,
			    &tried, framebuffer, data))
			return false;
	}
	*offered = tried;
	if (!tried || offer_target(plan, screen))
		return false;
	/* Each time round at least one layer less is tried. */
	do {
		if (look_for_planes(plan))
			return false;
	} while (correct(plan, screen, display));
	return take_over(plan, screen, display);
}

void
kms_plan_make(struct kms_plan *plan, struct kms_screen *screen,
	struct kr_hwc_display_state *display, kms_plan_framebuffer_fn framebuffer, void *data)
{
	unsigned offered = 0;

	if (!framebuffer || !screen->lit ||
		!find(plan, screen, display, framebuffer, data, &offered))
		leave_all_to_the_client(plan, screen, display);
	if (count_on_planes(display) < offered)
		kms_stack_try(plan, screen, display, count_on_planes(display));
	for (unsigned i = 0; i < display->count; i++) {
		struct kr_hwc_layer_state *state = display->layers[i];
		const struct kms_layer *layer = state->device_data;

		if (layer && layer->plane) {
			if (state->composition == KRAFLA_COMPOSITION_CURSOR)
				state->changed_to = KRAFLA_COMPOSITION_DEVICE;
		} else if (state->composition != KRAFLA_COMPOSITION_CLIENT &&
			kms_plan_is_seen(state, screen)) {
			state->changed_to = KRAFLA_COMPOSITION_CLIENT;
		}
	}
}
