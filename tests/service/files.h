/* SPDX-License-Identifier: Apache-2.0 */
/* Files and folders that tests of the service make. */
#ifndef KR_TESTS_SERVICE_FILES_H
#define KR_TESTS_SERVICE_FILES_H

/* The folders that a path goes through; the last name isn't made. */
void make_folders(const char *path);
/* The same, and the file. */
void write_file(const char *path, const char *text);
/* One that may be executed. */
void copy_file(const char *from, const char *to);

#endif
