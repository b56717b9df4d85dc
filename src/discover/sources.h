/* SPDX-License-Identifier: Apache-2.0 */
/* Where drivers come from; discover.c asks one after the other. For this room alone. */
#ifndef KR_DISCOVER_SOURCES_H
#define KR_DISCOVER_SOURCES_H

#include "discover/discover.h"

/* Each source appends its drivers and candidates. 0 or -ENOMEM. */
int kr_discover_hal(const struct kr_discover_options *options, struct kr_driver_list *list)
	KR_MUST_CHECK;
/* `served`: the drivers that the service gave; what is installed of them, too, is passed over. */
int kr_discover_manifests(const struct kr_discover_options *options,
	const struct kr_driver_list *served, struct kr_driver_list *list) KR_MUST_CHECK;
int kr_discover_service(const struct kr_discover_options *options, struct kr_driver_list *list)
	KR_MUST_CHECK;
int kr_discover_direct(const VkDirectDriverLoadingListLUNARG *direct, struct kr_driver_list *list)
	KR_MUST_CHECK;
int kr_discover_stub(struct kr_driver_list *list) KR_MUST_CHECK;
void kr_discover_hal_end(void);

#endif
