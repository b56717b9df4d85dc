/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/shared/memory.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

double
shared_memory_kb(pid_t pid)
{
	char path[64], line[256];
	double sum = 0, value;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid ? pid : getpid());
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Rss: %lf", &value) == 1)
			sum += value;
	}
	if (file)
		fclose(file);
	return sum;
}

unsigned
shared_memory_descriptors(pid_t pid)
{
	char path[64];
	unsigned count = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid ? pid : getpid());
	dir = opendir(path);
	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

double
shared_memory_gpu_kb(void)
{
	FILE *pipe = popen("nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits "
			   "2>/dev/null",
		"re");
	double mib = -1;

	if (pipe && fscanf(pipe, "%lf", &mib) != 1)
		mib = -1;
	if (pipe)
		pclose(pipe);
	return mib * 1024;
}
