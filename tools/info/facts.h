/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `krafla info` finds out, as JSON values; the text that people read is printed from them.
 * Each function returns a new value. Without memory jansson's functions give NULL and pass it on.
 */
#ifndef KR_TOOLS_INFO_FACTS_H
#define KR_TOOLS_INFO_FACTS_H

#include <jansson.h>

/*
 * Candidates for drivers with what became of them in *drivers, and the devices of those in use in
 * *devices, with their tiers. Opens every driver and closes it again.
 */
void kr_info_drivers(json_t **drivers, json_t **devices);
/*
 * The libvulkan.so.1 beside this krafla: path, API version, instance extensions; or what is wrong.
 */
json_t *kr_info_loader(void);
json_t *kr_info_layers(void);
/* What buffers can be made of, best first, and which is chosen. */
json_t *kr_info_buffers(void);
/*
 * Why none is chosen: what KRAFLA_BUFFERS says can't be had, or is no word that it
 * may be. null: one is.
 */
json_t *kr_info_buffers_error(void);
/*
 * The loader service: its socket, how the connection is and why, what it does; null where none is
 * configured. After the search for drivers, which connects.
 */
json_t *kr_info_service(void);
void kr_info_print_service(const json_t *service);
/* The cards of this machine, and the screens that are plugged into them. */
json_t *kr_info_cards(void);
void kr_info_print_cards(const json_t *cards);
/* Who draws the pictures of `krafla run`. Starts a painter and ends it. */
json_t *kr_info_composition(void);
void kr_info_print_composition(const json_t *composition);
/* The display of KRAFLA_DISPLAY, if any. */
json_t *kr_info_displays(void);

#endif
