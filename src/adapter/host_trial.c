/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trying whether a VkBuffer over a buffer's mapping gets what the GPU writes.
 *
 * The rule is to ask feature bits. But SwiftShader, which offers VK_EXT_external_memory_host and
 * imports well, answers nothing at all about its handle type: neither features nor that the type is
 * compatible with itself, which the specification demands of whoever knows it. Such an ICD has not
 * said no. So it is asked by doing it, once for the physical device.
 */
#include "adapter/trial.h"
#include "util/log.h"

#define PATTERN UINT32_C(0x9E3779B9)

static VkResult
prepare(struct kr_trial *trial)
{
	return kr_host_buffer_create(trial->device, &trial->image);
}

static void
record(const struct kr_trial *trial, VkCommandBuffer commands)
{
	trial->device->vk.CmdFillBuffer(commands, trial->image.staging, 0, VK_WHOLE_SIZE, PATTERN);
}

static uint32_t
expected(uint32_t x, uint32_t y)
{
	return PATTERN;
}

static void
finish(struct kr_trial *trial)
{
	kr_staging_destroy(trial->device, &trial->image);
}

bool
kr_host_buffer_proven(struct kr_adapter_gpu *gpu)
{
	static const struct kr_trial_kind kind = {prepare, record, expected, finish};
	int known = atomic_load(&gpu->host_buffer);

	if (known == KR_HOST_IMPORT_UNKNOWN) {
		known = kr_trial_run(gpu, &kind) ? KR_HOST_IMPORT_WORKS : KR_HOST_IMPORT_REFUSED;
		atomic_store(&gpu->host_buffer, known);
		kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
			"%s: doesn't say whether a buffer's memory can be imported; tried: %s",
			gpu->instance->icd.name,
			known == KR_HOST_IMPORT_WORKS ? "it can" : "it can't");
	}
	return known == KR_HOST_IMPORT_WORKS;
}
