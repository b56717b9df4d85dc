#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the C table of device_map.txt, which explains its own format: device_map.py IN.txt OUT.c"""
import re
import sys

LISTS = {  # word of the file: member of struct kr_hardware_rule
    "library": "libraries",
    "kernel": "kernel_drivers",
    "node": "nodes",
    "module": "modules",
    "pci": "pci_vendors",
    "variable": "variables",
}
GLOBALS = {"other": "kr_hardware_other_drivers", "preload": "kr_hardware_preload_words"}
VALUE = {
    "pci": r"[0-9a-f]{4}",
    "variable": r"[A-Z][A-Z0-9_]*",
    "node": r"[\w./-]+\*?",
}


class Rule:
    def __init__(self, kind, name):
        self.kind, self.name = kind, name
        self.lists = {word: [] for word in LISTS}
        self.always = kind == "layer"
        self.writes_code = False
        self.packages = ""

    def check(self):
        """None, or what is wrong with the rule as a whole."""
        evidence = [word for word in ("kernel", "node", "module", "pci") if self.lists[word]]
        if not self.lists["library"]:
            return "has no library"
        if self.always == bool(evidence):
            return "needs devices (kernel, node, module, pci) or 'always', and not both"
        return None


def check_values(word, values):
    if not values:
        raise ValueError(f"'{word}' needs a value")
    for value in values:
        if not re.fullmatch(VALUE.get(word, r"[\w.+-]+"), value):
            raise ValueError(f"'{value}' can't be a value of '{word}'")


def read_line(word, values, rules, words):
    if word in ("driver", "layer"):
        check_values(word, values)
        rules.append(Rule(word, values[0]))
    elif word in GLOBALS and not rules:
        check_values(word, values)
        words[word] += values
    elif word in LISTS and rules:
        check_values(word, values)
        rules[-1].lists[word] += values
    elif word == "always" and rules and not values:
        rules[-1].always = True
    elif word == "writes-code" and rules and not values:
        rules[-1].writes_code = True
    elif word == "packages" and rules and values:
        rules[-1].packages = " ".join(values)
    else:
        raise ValueError(f"'{word}' has no meaning here")


def read_candidates(values, orders):
    check_values("candidates", values)
    if len(values) < 2 or values[0] in orders:
        raise ValueError("'candidates' needs a kernel driver, once, and at least one rule")
    orders[values[0]] = values[1:]


def check_order(kernel, names, rules):
    """None, or what is wrong with a line `candidates`: it orders exactly the rules that name the
    kernel driver."""
    fit = [rule.name for rule in rules if kernel in rule.lists["kernel"]]
    if sorted(fit) != sorted(names):
        return f"names {' '.join(names)}, but rules with kernel {kernel} are {' '.join(fit)}"
    return None


def read(path):
    """The rules, the words of the lines before the first one, and the orders of candidates."""
    rules, words, orders = [], {word: [] for word in GLOBALS}, {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.split("#")[0].split()
            if not line:
                continue
            try:
                if line[0] == "candidates" and not rules:
                    read_candidates(line[1:], orders)
                else:
                    read_line(line[0], line[1:], rules, words)
            except ValueError as error:
                sys.exit(f"{path}:{number}: {error}")
    seen = set()
    for rule in rules:
        wrong = rule.check()
        if wrong:
            sys.exit(f"{path}: {rule.kind} {rule.name} {wrong}")
        for library in rule.lists["library"]:
            if library in seen:
                sys.exit(f"{path}: {library} is in two rules")
            seen.add(library)
    for kernel, names in orders.items():
        wrong = check_order(kernel, names, rules)
        if wrong:
            sys.exit(f"{path}: candidates {kernel} {wrong}")
    return rules, words, orders


def c_list(values):
    return "{" + "".join(f'"{value}", ' for value in values) + "NULL}"


def c_rule(rule):
    lists = "".join(
        f"\t\t.{member} = (const char *const[])" + c_list(rule.lists[word]) + ",\n"
        for word, member in LISTS.items())
    packages = rule.packages.replace("\\", "\\\\").replace('"', '\\"')
    return (f'\t{{\n\t\t.name = "{rule.name}",\n\t\t.always = {"true" if rule.always else "false"},\n'
            f'\t\t.writes_code = {"true" if rule.writes_code else "false"},\n'
            f'{lists}\t\t.packages = "{packages}",\n\t}},\n')


def main(source, target):
    rules, words, orders = read(source)
    text = ("/* Made by device_map.py from device_map.txt. */\n"
            '#include "hardware/device_map.h"\n\n'
            "const struct kr_hardware_rule kr_hardware_rule_table[] = {\n"
            + "".join(c_rule(rule) for rule in rules) + "};\n"
            f"const size_t kr_hardware_rule_table_size = {len(rules)};\n")
    for word, name in GLOBALS.items():
        text += f"const char *const {name}[] = {c_list(words[word])};\n"
    text += ("const struct kr_hardware_order kr_hardware_orders[] = {\n"
             + "".join(f'\t{{"{kernel}", (const char *const[]){c_list(names)}}},\n'
                       for kernel, names in orders.items())
             + "\t{NULL, NULL},\n};\n")
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: device_map.py IN.txt OUT.c")
    main(sys.argv[1], sys.argv[2])
