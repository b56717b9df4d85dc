/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a device's opaque descriptors are like, found out by exporting one, and whether somebody
 * else's is like that. For this room alone.
 *
 * Drivers without a kernel driver (lavapipe, SwiftShader) export memfds. Lavapipe's has a page in
 * front whose first words (size of the file, where the memory begins, whose it is) the importer
 * believes: with a file that is shorter than it says he dies of SIGBUS. So the file must be as long
 * as it is with our own exports, its words must be ours, and nobody may shrink it.
 *
 * That isn't enough: whoever has the file can write to its words afterwards, and lavapipe (22.3.6
 * to 25.0.7) reads them again when memory is freed, to know what to unmap. So its driver never gets
 * the file: what lies behind the words is mapped here, and imported as memory of the host.
 */
#ifndef KR_GPU_SAMPLE_H
#define KR_GPU_SAMPLE_H

#include "gpu/gpu.h"

/* Unknown where no memory can be exported. */
void kr_gpu_sample_take(const struct kr_gpu *gpu, struct kr_gpu_sample *sample);
/* 0; -EINVAL; -EPERM not sealed; -EOPNOTSUPP nothing to compare with. */
int kr_gpu_sample_check(const struct kr_gpu_sample *sample, int fd, uint64_t allocation_size,
	const char **reason) KR_MUST_CHECK;

/* Whether imports of this device are mapped (kr_gpu.maps_files). */
bool kr_gpu_sample_can_be_mapped(const struct kr_gpu *gpu);
/* Maps the memory of a checked descriptor into image->map. 0 or -errno. */
int kr_gpu_sample_map(const struct kr_gpu *gpu, int fd, struct kr_gpu_image *image) KR_MUST_CHECK;

#endif
