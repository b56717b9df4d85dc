/* SPDX-License-Identifier: Apache-2.0 */
/* See krafla_flights.h. */
#include "outputs/kms/krafla_flights.h"

#include <errno.h>
#include <sys/ioctl.h>

#include "kernel/uapi/krafla_display.h"
#include "sync/fence/fence.h"
#include "util/macros.h"

void
kms_krafla_flights_add(struct kms_krafla_flights *flights, uint64_t frame, int take_producer)
{
	flights->flying[flights->count].frame = frame;
	flights->flying[flights->count++].producer = take_producer;
}

static void
end_flight(struct kms_krafla_flights *flights, unsigned i, int status)
{
	kr_fence_signal(flights->flying[i].producer, status);
	flights->flying[i] = flights->flying[--flights->count];
}

/* A frame that was overtaken has been shown by the one that did it. */
static void
take_record(struct kms_krafla_flights *flights, const struct krafla_display_record *record)
{
	for (unsigned i = flights->count; i--;) {
		if (record->event == KRAFLA_DISPLAY_SHOWN &&
			flights->flying[i].frame <= record->frame)
			end_flight(flights, i, KR_FENCE_SIGNALLED);
		else if (record->event == KRAFLA_DISPLAY_FAILED &&
			flights->flying[i].frame == record->frame)
			end_flight(flights, i, record->error ? record->error : -EIO);
	}
}

void
kms_krafla_flights_read(struct kms_krafla_flights *flights)
{
	struct krafla_display_record record = {.number = KR_MAX(flights->record, UINT64_C(1))};

	while (!ioctl(flights->fd, KRAFLA_DISPLAY_IOC_RECORD, &record)) {
		take_record(flights, &record);
		flights->record = ++record.number;
	}
}

void
kms_krafla_flights_cancel(struct kms_krafla_flights *flights)
{
	kms_krafla_flights_read(flights);
	while (flights->count)
		end_flight(flights, 0, -ECANCELED);
}
