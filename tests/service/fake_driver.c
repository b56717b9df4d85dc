/* SPDX-License-Identifier: Apache-2.0 */
/* What makes a library a driver, and nothing else. */
void *vk_icdGetInstanceProcAddr(void *instance, const char *name);

__attribute__((visibility("default"))) void *
vk_icdGetInstanceProcAddr(void *instance, const char *name)
{
	return (void *)0;
}
