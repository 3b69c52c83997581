"""Check the source tree against the project's own rules.

    python -m tools.lint_tree                    # all rules
    python -m tools.lint_tree sizes architecture # only these
    python -m tools.lint_tree --list             # list the rules
    python -m tools.lint_tree --times            # show the time of each rule

Exit code 1: a rule is violated. Each violation is one line, `path:line: message [rule]`.
"""

import argparse
import sys
import time
from collections.abc import Sequence

from tools.lint_tree.rules import RULES
from tools.lint_tree.tree import load


def main(arguments: Sequence[str]) -> int:
    """Check the chosen rules over the clone; print the number of violations last."""
    parser = argparse.ArgumentParser(prog="python -m tools.lint_tree")
    parser.add_argument("rules", nargs="*", metavar="RULE")
    parser.add_argument("--list", action="store_true", help="print the rules")
    parser.add_argument("--times", action="store_true", help="print the seconds that each rule takes")
    asked = parser.parse_args(arguments)
    if asked.list:
        print("\n".join(f"{rule.name:20} {rule.says}" for rule in RULES))
        return 0
    unknown = {*asked.rules} - {rule.name for rule in RULES}
    if unknown:
        parser.error(f"no such rule: {', '.join(sorted(unknown))} (--list prints them)")
    chosen = [rule for rule in RULES if not asked.rules or rule.name in asked.rules]
    tree, count = load(), 0
    for rule in chosen:
        began = time.process_time()
        for complaint in rule.check(tree):
            count += 1
            print(f"{complaint} [{rule.name}]")
        if asked.times:
            print(f"{time.process_time() - began:6.2f} s {rule.name}")
    files = sum(1 for _ in tree.python())
    print(f"{files} files, {len(chosen)} rules, {count} complaints")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
