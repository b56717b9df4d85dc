# SPDX-License-Identifier: Apache-2.0
"""The version of the Vulkan headers in a folder (default: the system's), for vulkan.pc."""

import os
import re
import sys


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] else "/usr/include"
    with open(os.path.join(folder, "vulkan", "vulkan_core.h"), encoding="utf-8") as file:
        text = file.read()
    patch = re.search(r"#define VK_HEADER_VERSION (\d+)", text).group(1)
    complete = re.search(
        r"#define VK_HEADER_VERSION_COMPLETE VK_MAKE_API_VERSION\(0, (\d+), (\d+),", text
    )
    print(f"{complete.group(1)}.{complete.group(2)}.{patch}")


main()
