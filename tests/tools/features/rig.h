/* SPDX-License-Identifier: Apache-2.0 */
/* `krafla features` as people type it, on the null driver or another. */
#ifndef KR_TESTS_TOOLS_FEATURES_RIG_H
#define KR_TESTS_TOOLS_FEATURES_RIG_H

#include "harness.h"

#include <jansson.h>

/* What the last command wrote, to both outputs. */
extern char output[262144];

/* A null driver of which just everything holds, with nothing to spare. */
#define EVERYTHING                                                                                 \
	"api=1.3.0,type=discrete,feature.textureCompressionETC2=yes,"                              \
	"feature.fullDrawIndexUint32=yes,feature.imageCubeArray=yes,feature.independentBlend=yes," \
	"feature.geometryShader=yes,feature.tessellationShader=yes,feature.sampleRateShading=yes," \
	"feature.textureCompressionASTC_LDR=yes,feature.fragmentStoresAndAtomics=yes,"             \
	"feature.shaderImageGatherExtended=yes,"                                                   \
	"feature.shaderUniformBufferArrayDynamicIndexing=yes,"                                     \
	"feature.shaderSampledImageArrayDynamicIndexing=yes,"                                      \
	"limit.maxPerStageDescriptorStorageBuffers=16,feature.variablePointers=yes,"               \
	"feature.samplerYcbcrConversion=yes,feature.storageBuffer8BitAccess=yes,"                  \
	"extension.VK_ANDROID_external_memory_android_hardware_buffer=5,"                          \
	"external.semaphore=both,external.fence=both"

/* `krafla features WORDS` with these variables; the exit code. */
int features(const char *variables, const char *words);
/* On the null driver, a HAL module, with these settings. */
int null_features(const char *settings, const char *words);
/* --json of the same, which has to be an answer (exit code 0). */
json_t *null_json(const char *settings);
json_t *features_json(const char *variables);

/*
 * The rows that hold of a device, as "level 0, level 1, ..." with names cut to what is behind their
 * last dot.
 */
void held_rows(const json_t *device, char *text, size_t size);
/* What is declared: NULL where it isn't, else its version as text. */
const char *declared(const json_t *all, const char *name);

#endif
