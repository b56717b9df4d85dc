/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The small libraries that packages of tests are made of. Compiled once for each, with definitions
 * that say what it has: tests/service/package/meson.build.
 */
#define EXPORT __attribute__((visibility("default")))

#ifdef ICD
EXPORT void *vk_icdGetInstanceProcAddr(void *instance, const char *name);
void *
vk_icdGetInstanceProcAddr(void *instance, const char *name)
{
	return (void *)0;
}
#endif

#ifdef OLD_ICD
EXPORT void vkGetInstanceProcAddr(void);
EXPORT void vkCreateInstance(void);
EXPORT void vkEnumerateInstanceExtensionProperties(void);
void
vkGetInstanceProcAddr(void)
{
}
void
vkCreateInstance(void)
{
}
#if OLD_ICD > 1
void
vkEnumerateInstanceExtensionProperties(void)
{
}
#endif
#endif

/* DEFINES: a function of that name; CALLS: one that it imports. */
#ifdef DEFINES
EXPORT int DEFINES(void);
int
DEFINES(void)
{
	return 1;
}
#endif
#ifdef DEFINES_TOO
EXPORT int DEFINES_TOO(void);
int
DEFINES_TOO(void)
{
	return 1;
}
#endif
#ifdef CALLS
int CALLS(void);
EXPORT int call(void);
int
call(void)
{
	return CALLS();
}
#endif
#ifdef CALLS_TOO
int CALLS_TOO(void);
EXPORT int call_too(void);
int
call_too(void)
{
	return CALLS_TOO();
}
#endif
#ifdef CALLS_WEAKLY
__attribute__((weak)) int CALLS_WEAKLY(void);
EXPORT int call_weakly(void);
int
call_weakly(void)
{
	return CALLS_WEAKLY ? CALLS_WEAKLY() : 0;
}
#endif

#ifdef WRITABLE_CODE
__asm__(".pushsection .both, \"awx\"\n.quad 1\n.popsection\n");
#endif
#ifdef TEXT_RELOCATION
EXPORT int datum = 1;
__asm__(".text\n.quad datum\n");
#endif
