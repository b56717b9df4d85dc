# SPDX-License-Identifier: Apache-2.0
"""
Extensions that a registry doesn't have yet, from newer.xml: libvulkan.so.1 answers them all,
whatever it was built with. Where a registry has one, its own alone counts.

They are joined before anything is read, so that all rules hold for them as for the registry's own.
Of an extension nothing is taken where a registry lacks what it stands on.
"""

import os
import xml.etree.ElementTree as ElementTree

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "newer.xml")
STANDS_ON = "VK_KHR_swapchain"


def _by_name(elements):
    return {element.get("name") or element.findtext("proto/name") or element.findtext("name"): element
            for element in elements}


def _parts(root):
    """(container, elements by name) of what extensions require."""
    return {
        "type": (root.find("types"), _by_name(root.iterfind("types/type"))),
        "command": (root.find("commands"), _by_name(root.iterfind("commands/command"))),
    }


def _wanted(extension, theirs, ours):
    """What the registry lacks of an extension; None when it can't be had."""
    lacking = []
    for kind in ours:
        for element in extension.iterfind(f"require/{kind}"):
            name = element.get("name")
            if name in theirs[kind][1]:
                continue
            definition = ours[kind][1].get(name)
            if definition is None:
                return None
            alias = definition.get("alias")
            if alias and alias not in theirs[kind][1] and alias not in ours[kind][1]:
                return None
            lacking.append((kind, name, definition))
    return lacking


def join(root):
    """Adds to a registry's tree what newer.xml has and it hasn't."""
    extensions = root.find("extensions")
    names = _by_name(root.iterfind("extensions/extension"))
    if STANDS_ON not in names:
        return
    newer = ElementTree.parse(PATH).getroot()
    theirs, ours = _parts(root), _parts(newer)
    for name, extension in _by_name(newer.iterfind("extensions/extension")).items():
        lacking = None if name in names else _wanted(extension, theirs, ours)
        if lacking is None:
            continue
        extensions.append(extension)
        for kind, part, definition in lacking:
            container, known = theirs[kind]
            if part not in known:
                container.append(definition)
                known[part] = definition
