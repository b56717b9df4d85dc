/* SPDX-License-Identifier: Apache-2.0 */
/* How long fences have been seen that don't tell how old they are: without a name, and of the kernel. */
#include "tools/fences/sample.h"

#include <string.h>

#include "util/hash.h"

static uint64_t
place_of(const struct kr_fences_seen *seen)
{
	return (uint64_t)(uint32_t)seen->pid << 32 | (uint32_t)seen->fd;
}

/* Whether what is at the same place is the same, as far as one can know: its key may be a new one. */
static bool
is_same(const struct kr_fences_seen *a, const struct kr_fences_seen *b)
{
	return a->role == b->role && a->about.kind == b->about.kind &&
		a->about.point == b->about.point && !strcmp(a->about.name, b->about.name) &&
		!strcmp(a->about.timeline, b->about.timeline) &&
		(a->about.kind == KR_FENCE_KIND_KERNEL || a->key == b->key);
}

int
kr_fences_carry_ages(struct kr_fences_sample *sample, const struct kr_fences_sample *before)
{
	struct kr_hash places;
	int err = 0;

	if (!before)
		return 0;
	kr_hash_init(&places);
	for (size_t i = 0; !err && i < before->seen_count; i++) {
		if (!before->seen[i].about.created_ns)
			err = kr_hash_put(&places, place_of(&before->seen[i]), &before->seen[i]);
	}
	for (size_t i = 0; !err && i < sample->seen_count; i++) {
		struct kr_fences_seen *seen = &sample->seen[i];
		const struct kr_fences_seen *old;

		if (seen->since_ns)
			continue;
		old = kr_hash_get(&places, place_of(seen));
		seen->since_ns = old && is_same(seen, old)
			? (old->since_ns ? old->since_ns : before->taken_ns)
			: sample->taken_ns;
	}
	kr_hash_finish(&places);
	return err;
}
