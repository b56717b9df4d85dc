/* SPDX-License-Identifier: Apache-2.0 */
/* See report.h. */
#include "outputs/kms/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include "outputs/kms/card.h"
#include "outputs/kms/connector.h"
#include "util/macros.h"

#define MAX_CARDS 64

static bool
has_fences(const struct kms_card *card)
{
	bool takes = card->plane_count > 0, gives = card->crtc_count > 0;

	for (unsigned i = 0; i < card->plane_count; i++)
		takes &= card->planes[i].property[KMS_PLANE_IN_FENCE_FD].id != 0;
	for (unsigned i = 0; i < card->crtc_count; i++)
		gives &= card->crtcs[i].property[KMS_CRTC_OUT_FENCE_PTR].id != 0;
	return takes && gives;
}

static void
add_screen(struct kms_card_report *report, int fd, uint32_t id)
{
	struct kms_connector connector;

	if (kms_connector_read(fd, id, &connector) || !connector.screen)
		return;
	report->screen[report->screens].connected = connector.connected;
	snprintf(report->screen[report->screens].name, sizeof(report->screen[report->screens].name),
		"%s", connector.name);
	if (connector.connected) {
		report->screen[report->screens].width = connector.modes[0].hdisplay;
		report->screen[report->screens].height = connector.modes[0].vdisplay;
		report->screen[report->screens].hz = connector.modes[0].vrefresh;
	}
	report->screens++;
}

static void
look_at(struct kms_card_report *report)
{
	uint32_t ids[KMS_MAX_CONNECTORS];
	struct kms_card card;
	int count;

	memset(&card, 0, sizeof(card));
	card.fd = open(report->path, O_RDWR | O_CLOEXEC);
	if (card.fd < 0) {
		report->error = -errno;
		return;
	}
	kms_card_look(&card);
	snprintf(report->driver, sizeof(report->driver), "%s", card.driver);
	report->atomic = card.plane_count > 0;
	report->planes = card.plane_count;
	report->import = card.prime;
	report->fences = has_fences(&card);
	count = kms_connectors_list(card.fd, ids);
	report->modes = count > 0;
	for (int i = 0; i < count; i++)
		add_screen(report, card.fd, ids[i]);
	close(card.fd);
}

KR_EXPORT unsigned kr_kms_report(struct kms_card_report *reports, unsigned room);
KR_EXPORT unsigned
kr_kms_report(struct kms_card_report *reports, unsigned room)
{
	unsigned count = 0;

	for (int i = 0; i < MAX_CARDS; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/dev/dri/card%d", i);
		if (access(path, F_OK))
			continue;
		if (count < room) {
			memset(&reports[count], 0, sizeof(reports[count]));
			memcpy(reports[count].path, path, sizeof(path));
			look_at(&reports[count]);
		}
		count++;
	}
	return count;
}
