/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loader under a profile, in a process that sees nothing of the system: neither its properties,
 * which are those of set_system_properties, nor its drivers, layers and settings.
 */
#ifndef KR_TESTS_PROFILES_SUPPORT_H
#define KR_TESTS_PROFILES_SUPPORT_H

#include "harness.h"
#include "util/macros.h"
#include "vulkan.h"

/* What the layers of library_layer.c did. */
extern char layer_log[4096];

/* Like setenv, without leaving memory behind. */
void set_variable(const char *name, const char *value);
/* The text of /etc/krafla/properties; NULL: there is none. */
void set_system_properties(const char *text);
/* The path of a directory below the test's, which is made. */
const char *make_dir(const char *name);
/* A link in that directory to a file. */
void put(const char *dir, const char *name, const char *target);

/* An environment without anything of the system. */
void hide_system(void);

/* Whether a library with this in its path is in the process. */
bool is_loaded(const char *part);

void open_loader(void);
void close_loader(void);
PFN_vkVoidFunction find_export(const char *name);
#define CALL(name) ((PFN_##name)find_export(#name))

/* Of layers and extensions, as the loader enumerates them; `layer` may be NULL. */
bool has_layer(const char *name);
uint32_t count_layers(void);
bool has_extension(const char *layer, const char *name);

/* An instance with these layers (NULL-terminated, or NULL) on what drivers there are. */
VkResult try_instance(const char *const *layers, VkInstance *instance);
/* The same, which must succeed, and its end. */
void run_instance(const char *const *layers);

/* The layers of library_layer.c, and the properties of the profile android. */
#define A          "VK_LAYER_KR_a"
#define A_INSTANCE "VK_LAYER_KR_a_instance"
#define B          "VK_LAYER_KR_b"

#define APPLICATION "KRAFLA_PROP_ro_krafla_layers_application"
#define DEBUG       "KRAFLA_PROP_ro_krafla_layers_debug"
#define LAYERS      "KRAFLA_PROP_debug_vulkan_layers"
#define CALLBACK    "KRAFLA_PROP_debug_vulkan_enable_callback"
#define ONE(n)      "KRAFLA_PROP_debug_vulkan_layer_" #n

/* The profile android, in a debuggable process of an application that has libraries a and b. */
void start_android(void);

#endif
