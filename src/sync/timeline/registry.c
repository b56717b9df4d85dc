/* SPDX-License-Identifier: Apache-2.0 */
/* The backends of timelines, and which of them is asked for. */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "sync/timeline/impl.h"
#include "sync/timeline/timeline.h"
#include "util/env.h"
#include "util/log.h"

static const struct kr_timeline_impl *const impls[] = {
	&kr_timeline_user,
	&kr_timeline_krafla_sync,
	&kr_timeline_sw_sync,
};

int
kr_timeline_backend(const struct kr_timeline_impl **impl)
{
	static atomic_bool told;
	const char *word = kr_env_get("KRAFLA_SYNC_TIMELINE");

	for (size_t i = 0; i < KR_ARRAY_LEN(impls); i++) {
		if (!word || !strcmp(word, impls[i]->word)) {
			*impl = impls[i];
			return 0;
		}
	}
	if (!atomic_exchange(&told, true))
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD,
			"KRAFLA_SYNC_TIMELINE is '%s': no timeline is made. It may be user, krafla_sync or sw_sync",
			word);
	return -EINVAL;
}

int
kr_timeline_create(const char *name, const struct krafla_timeline_ops *ops, void *data,
	struct kr_timeline **timeline)
{
	const struct kr_timeline_impl *impl;
	int err = kr_timeline_backend(&impl);

	return err ? err : kr_timeline_create_on(impl, name, ops, data, timeline);
}
