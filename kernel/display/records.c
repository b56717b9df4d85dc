// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A ring of what happened, for tests to read. */
#include "display.h"

void krafla_record_locked(struct krafla_display *display, enum krafla_display_event event,
			  u64 frame, int error, u32 checksum)
{
	struct krafla_display_record *record =
		&display->records[display->record_count % RECORD_COUNT];
	unsigned long flags;

	lockdep_assert_held(&display->lock);
	*record = (struct krafla_display_record){
		.number = ++display->record_count,
		.frame = frame,
		.event = event,
		.error = error,
		.checksum = checksum,
	};
	spin_lock_irqsave(&display->vsync_lock, flags);
	record->vsync = display->vsync_count;
	record->vsync_ns = ktime_to_ns(display->vsync_time);
	spin_unlock_irqrestore(&display->vsync_lock, flags);
}

int krafla_record_get(struct krafla_display *display, struct krafla_display_record *record)
{
	u64 number = max_t(u64, record->number, 1);
	int ret = -ENODATA;

	mutex_lock(&display->lock);
	if (display->record_count > RECORD_COUNT)
		number = max(number, display->record_count - RECORD_COUNT + 1);
	if (number <= display->record_count) {
		*record = display->records[(number - 1) % RECORD_COUNT];
		ret = 0;
	}
	mutex_unlock(&display->lock);
	return ret;
}
