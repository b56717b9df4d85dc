/* SPDX-License-Identifier: Apache-2.0 */
/* Times of presents: in which clocks VK_EXT_present_timing says them. */
#include <time.h>

#include "util/clock.h"
#include "wsi/surface/timing.h"
#include "wsi/timings.h"

/* Of so many looks at two clocks the one counts that was interrupted least. */
#define LOOKS 4

static const VkTimeDomainKHR domains[KR_WSI_DOMAIN_END] = {
	[KR_WSI_DOMAIN_STAGE_LOCAL] = VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT,
	[KR_WSI_DOMAIN_SWAPCHAIN_LOCAL] = VK_TIME_DOMAIN_SWAPCHAIN_LOCAL_EXT,
	[KR_WSI_DOMAIN_MONOTONIC] = VK_TIME_DOMAIN_CLOCK_MONOTONIC_KHR,
	[KR_WSI_DOMAIN_MONOTONIC_RAW] = VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_KHR,
};

VkTimeDomainKHR
kr_wsi_domain_of(uint64_t id, uint64_t *told)
{
	bool named = id >= KR_WSI_DOMAIN_STAGE_LOCAL && id < KR_WSI_DOMAIN_END;

	*told = named ? id : KR_WSI_DOMAIN_STAGE_LOCAL;
	return domains[*told];
}

/* With a virtual clock times are no host's. */
static uint32_t
last_domain(struct kr_wsi_timings *timings)
{
	struct kr_timing timing;
	int64_t refresh_ns;
	bool knows = kr_wsi_window_timing(timings->window, &timing, &refresh_ns);

	return knows && timing.virtual_clock ? KR_WSI_DOMAIN_SWAPCHAIN_LOCAL
					     : KR_WSI_DOMAIN_END - 1;
}

VkResult
kr_wsi_timings_domains(struct kr_wsi_timings *timings,
	VkSwapchainTimeDomainPropertiesEXT *properties, uint64_t *counter)
{
	uint32_t room = properties->timeDomainCount, count = last_domain(timings);

	if (counter)
		*counter = KR_WSI_DOMAINS_COUNTER;
	properties->timeDomainCount = count;
	if (!properties->pTimeDomains && !properties->pTimeDomainIds)
		return VK_SUCCESS;
	properties->timeDomainCount = KR_MIN(room, count);
	for (uint32_t i = 0; i < properties->timeDomainCount; i++) {
		if (properties->pTimeDomains)
			properties->pTimeDomains[i] = domains[i + 1];
		if (properties->pTimeDomainIds)
			properties->pTimeDomainIds[i] = i + 1;
	}
	return room < count ? VK_INCOMPLETE : VK_SUCCESS;
}

static int64_t
raw_now(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * KR_NSEC_PER_SEC + now.tv_nsec;
}

/* The one is read before and after the other, which was in the middle. */
static int64_t
raw_behind(void)
{
	int64_t best = INT64_MAX, behind = 0;

	for (unsigned i = 0; i < LOOKS; i++) {
		int64_t before = kr_clock_now(), raw = raw_now(), apart = kr_clock_now() - before;

		if (apart < best) {
			best = apart;
			behind = before + apart / 2 - raw;
		}
	}
	return behind;
}

int64_t
kr_wsi_timings_behind(struct kr_wsi_timings *timings, uint64_t domain)
{
	if (domain != KR_WSI_DOMAIN_MONOTONIC_RAW || domain > last_domain(timings))
		return 0;
	return raw_behind();
}
