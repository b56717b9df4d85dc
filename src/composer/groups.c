/* SPDX-License-Identifier: Apache-2.0 */
/* Programs, and the virtual clock's first tick, which waits for them. */
#include "composer/display.h"

void
kr_display_expect_groups(struct kr_display *display, unsigned count)
{
	display->expected_groups = KR_MIN(count, (unsigned)KR_DISPLAY_MAX_GROUPS);
}

void
kr_display_group_ended(struct kr_display *display, int group)
{
	if (group < 0 || group >= KR_DISPLAY_MAX_GROUPS)
		return;
	kr_mutex_lock(&display->lock);
	display->groups[group].ended = true;
	kr_mutex_unlock(&display->lock);
	kr_display_wake(display);
}

static bool
has_frame(const struct kr_display *display, int group)
{
	const struct kr_producer *producer;

	kr_list_for_each (producer, &display->producers, link) {
		if (producer->group == group && producer->head != KR_HEAD_NONE)
			return true;
	}
	return false;
}

static unsigned
count_missing(struct kr_display *display)
{
	unsigned missing = 0;

	for (unsigned i = 0; i < display->expected_groups; i++) {
		bool ended;

		kr_mutex_lock(&display->lock);
		ended = display->groups[i].ended;
		kr_mutex_unlock(&display->lock);
		missing += !ended && !has_frame(display, (int)i);
	}
	return missing;
}

int64_t
kr_display_groups_until(struct kr_display *display)
{
	return count_missing(display) ? display->begins_by : 0;
}

void
kr_display_begin_groups(struct kr_display *display)
{
	unsigned missing;

	if (display->begun)
		return;
	display->begun = true;
	missing = count_missing(display);
	kr_mutex_lock(&display->lock);
	display->stats.groups_missed += missing;
	kr_mutex_unlock(&display->lock);
}
