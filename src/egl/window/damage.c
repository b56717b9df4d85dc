/* SPDX-License-Identifier: Apache-2.0 */
#include "egl/window/damage.h"

#include "util/macros.h"

static struct kr_egl_rows
join(struct kr_egl_rows a, struct kr_egl_rows b)
{
	if (a.top >= a.bottom)
		return b;
	if (b.top >= b.bottom)
		return a;
	return (struct kr_egl_rows){KR_MIN(a.top, b.top), KR_MAX(a.bottom, b.bottom)};
}

struct kr_egl_rows
kr_egl_damage_rows(const EGLint *rectangles, EGLint count, EGLint height)
{
	const struct kr_egl_rows all = {0, height};
	struct kr_egl_rows rows = {0, 0};

	if (!count)
		return all;
	for (EGLint i = 0; i < count; i++) {
		const EGLint *r = rectangles + 4 * i;
		int64_t bottom = (int64_t)height - r[1], top = bottom - r[3];

		if (r[2] < 0 || r[3] < 0)
			return all;
		if (r[2])
			rows = join(rows,
				(struct kr_egl_rows){
					(EGLint)KR_MAX(KR_MIN(top, (int64_t)height), (int64_t)0),
					(EGLint)KR_MAX(
						KR_MIN(bottom, (int64_t)height), (int64_t)0)});
	}
	return rows;
}

static const struct kr_egl_damage_frame *
find(const struct kr_egl_damage *damage, uint64_t number)
{
	const struct kr_egl_damage_frame *frame = &damage->frames[number % KR_EGL_DAMAGE_FRAMES];

	return number && frame->number == number ? frame : NULL;
}

/* Whether a buffer of that age holds its frame, and what came after it is known. */
static bool
since(const struct kr_egl_damage *damage, const struct kr_egl_damage_frame *frame, uint64_t age,
	struct kr_egl_rows *rows)
{
	const struct kr_egl_damage_frame *before;

	if (!age || age >= KR_EGL_DAMAGE_FRAMES || age >= frame->number)
		return false;
	*rows = frame->rows;
	for (uint64_t ago = 1; ago <= age; ago++) {
		before = find(damage, frame->number - ago);
		if (!before || before->width != frame->width || before->height != frame->height)
			return false;
		if (ago < age)
			*rows = join(*rows, before->rows);
	}
	return before->copied;
}

struct kr_egl_rows
kr_egl_damage_begin(struct kr_egl_damage *damage, const struct kr_egl_damage_frame *frame, int age,
	struct kr_egl_damage_frame **kept)
{
	struct kr_egl_rows rows;

	if (!frame->number || age < 0 || !since(damage, frame, (uint64_t)age, &rows))
		rows = (struct kr_egl_rows){0, frame->height};
	*kept = &damage->frames[frame->number % KR_EGL_DAMAGE_FRAMES];
	**kept = *frame;
	return rows;
}

void
kr_egl_damage_forget(struct kr_egl_damage *damage)
{
	*damage = (struct kr_egl_damage){0};
}
