/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the painter knows: buffers by numbers. A painter's import of a buffer keeps its memory, so
 * each that wasn't in a picture for a while is forgotten, as are those of owners that are gone.
 */
#include <errno.h>
#include <stdlib.h>

#include "gralloc/buffer.h"
#include "gralloc/handle.h"
#include "hwc/easel/internal.h"
#include "util/clock.h"
#include "util/log.h"

struct kr_easel_buffer *
kr_easel_buffer_of_id(const struct kr_easel *easel, uint64_t id)
{
	struct kr_easel_buffer *buffer;

	kr_list_for_each (buffer, &easel->buffers, link) {
		if (buffer->id == id)
			return buffer;
	}
	return NULL;
}

static void
remove_buffer(struct kr_easel *easel, struct kr_easel_buffer *buffer)
{
	if (easel->painter)
		kr_painter_remove_buffer(easel->painter, buffer->id);
	kr_buffer_unref(buffer->held);
	kr_list_remove(&buffer->link);
	free(buffer);
}

void
kr_easel_buffers_drop(struct kr_easel *easel)
{
	struct kr_easel_buffer *buffer, *next;

	kr_list_for_each_safe (buffer, next, &easel->buffers, link)
		remove_buffer(easel, buffer);
}

void
kr_easel_buffers_let_go(struct kr_easel *easel)
{
	struct kr_easel_buffer *buffer;

	kr_list_for_each (buffer, &easel->buffers, link) {
		kr_buffer_unref(buffer->held);
		buffer->held = NULL;
	}
}

/* --- owners --- */

void
kr_easel_forget(struct kr_easel *easel, uint64_t owner)
{
	kr_mutex_lock(&easel->lock);
	easel->gone[easel->gone_count++ % KR_EASEL_OWNERS] = owner;
	for (unsigned i = 0; i < KR_EASEL_NOTES; i++) {
		/* Pictures on the way may have more of who is guilty; there are few such. */
		if (easel->notes[i].owner == owner && !easel->notes[i].guilty)
			easel->notes[i].owner = 0;
	}
	kr_mutex_unlock(&easel->lock);
}

static bool
is_gone_locked(const struct kr_easel *easel, uint64_t owner) KR_REQUIRES(easel->lock)
{
	for (unsigned i = 0; i < KR_EASEL_OWNERS; i++) {
		if (easel->gone[i] == owner)
			return true;
	}
	return false;
}

void
kr_easel_buffers_sweep(struct kr_easel *easel)
{
	struct kr_easel_buffer *buffer, *next;
	int64_t now = kr_clock_now();

	kr_list_for_each_safe (buffer, next, &easel->buffers, link) {
		bool gone;

		kr_mutex_lock(&easel->lock);
		gone = is_gone_locked(easel, buffer->owner);
		kr_mutex_unlock(&easel->lock);
		if (gone || (!buffer->held && now - buffer->used_ns > KR_EASEL_KEEP_NS))
			remove_buffer(easel, buffer);
	}
}

static struct kr_easel_note *
find_note_locked(struct kr_easel *easel, uint64_t owner) KR_REQUIRES(easel->lock)
{
	for (unsigned i = 0; i < KR_EASEL_NOTES; i++) {
		if (easel->notes[i].owner == owner)
			return &easel->notes[i];
	}
	return NULL;
}

/* An empty one, or the one that wasn't asked for for the longest time. Who is guilty stays. */
static struct kr_easel_note *
room_for_note_locked(struct kr_easel *easel) KR_REQUIRES(easel->lock)
{
	struct kr_easel_note *oldest = NULL;

	_Static_assert(KR_EASEL_NOTES > KR_EASEL_PAINTERS, "one painter finds one guilty at most");
	for (unsigned i = 0; i < KR_EASEL_NOTES; i++) {
		struct kr_easel_note *note = &easel->notes[i];

		if (!note->owner)
			return note;
		if (!note->guilty && (!oldest || note->used < oldest->used))
			oldest = note;
	}
	return oldest;
}

bool
kr_easel_is_noted(struct kr_easel *easel, uint64_t owner)
{
	struct kr_easel_note *note;

	kr_mutex_lock(&easel->lock);
	note = find_note_locked(easel, owner);
	if (note)
		note->used = ++easel->notes_used;
	kr_mutex_unlock(&easel->lock);
	return note;
}

void
kr_easel_note_owner(struct kr_easel *easel, uint64_t owner, bool guilty)
{
	struct kr_easel_note *note;

	kr_mutex_lock(&easel->lock);
	note = find_note_locked(easel, owner);
	/* Of who is gone nothing more comes that would take the note away. */
	if (!note && (guilty || !is_gone_locked(easel, owner)))
		note = room_for_note_locked(easel);
	if (note && (note->owner != owner || (guilty && !note->guilty)))
		*note = (struct kr_easel_note){.owner = owner, .guilty = guilty};
	if (note)
		note->used = ++easel->notes_used;
	kr_mutex_unlock(&easel->lock);
}

/* --- telling the painter --- */

/* Room for another one of its owner's: the one that was in no picture for the longest time goes. */
static void
make_room(struct kr_easel *easel, uint64_t owner)
{
	struct kr_easel_buffer *buffer, *oldest = NULL;
	unsigned count = 0;

	kr_list_for_each (buffer, &easel->buffers, link) {
		if (buffer->owner != owner)
			continue;
		count++;
		if (!buffer->held && (!oldest || buffer->used_ns < oldest->used_ns))
			oldest = buffer;
	}
	if (count >= KR_EASEL_BUFFERS && oldest)
		remove_buffer(easel, oldest);
}

/* Its memory of CPUs alone, as another buffer. */
static int
cpu_face(const struct kr_buffer *buffer, struct kr_buffer **face)
{
	const native_handle_t *handle = kr_buffer_cpu_handle(buffer);

	return handle ? kr_buffer_import(handle, face) : -EOPNOTSUPP;
}

static int
add(struct kr_easel *easel, struct kr_buffer *buffer, bool by_cpu, uint64_t id)
{
	struct kr_buffer *face = NULL;
	int err = by_cpu && kr_buffer_get_info(buffer)->gpu ? cpu_face(buffer, &face) : 0;

	if (!err)
		err = kr_painter_add_buffer(easel->painter, id, face ? face : buffer);
	kr_buffer_unref(face);
	return err;
}

static struct kr_easel_buffer *
find(const struct kr_easel *easel, const struct kr_buffer *buffer, uint64_t owner, bool by_cpu)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	struct kr_easel_buffer *known;

	kr_list_for_each (known, &easel->buffers, link) {
		if (known->owner == owner && known->buffer == buffer &&
			known->buffer_id == info->id && known->by_cpu == by_cpu)
			return known;
	}
	return NULL;
}

int
kr_easel_buffer_find(struct kr_easel *easel, struct kr_buffer *buffer,
	const struct kr_easel_layer *about, bool by_cpu, uint64_t *id)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	struct kr_easel_buffer *known;
	int err;

	*id = 0;
	by_cpu |= !info->gpu;
	if (by_cpu && (about->no_pixels || info->backend == KR_BUFFER_GPU))
		return 0;
	known = find(easel, buffer, about->owner, by_cpu);
	if (!known) {
		make_room(easel, about->owner);
		known = calloc(1, sizeof(*known));
		if (!known)
			return -ENOMEM;
		known->id = ++easel->numbers;
		known->owner = about->owner;
		known->buffer = buffer;
		known->buffer_id = info->id;
		known->by_cpu = by_cpu;
		err = add(easel, buffer, by_cpu, known->id);
		if (err) {
			free(known);
			return err;
		}
		kr_list_append(&easel->buffers, &known->link);
	}
	if (!known->held)
		known->held = kr_buffer_ref(buffer);
	known->used_ns = kr_clock_now();
	*id = known->id;
	return 0;
}
