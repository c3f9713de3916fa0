"""Adds up the results of several test runs and prints `N passed, N failed`.

  count-tests.py junit.xml...

Skipped tests are named. No test at all, or a report that is not there, counts as
a failure.
"""
import sys
import xml.etree.ElementTree as ElementTree


def main(*reports):
    passed, failed, skipped = 0, 0, []
    for report in reports:
        try:
            cases = list(ElementTree.parse(report).iter("testcase"))
        except (OSError, ElementTree.ParseError) as error:
            print(f"{report}: {error}")
            cases = []
        if not cases:
            failed += 1
        for case in cases:
            if case.find("failure") is not None or case.find("error") is not None:
                failed += 1
            elif case.find("skipped") is not None:
                skipped.append(case.get("name"))
            else:
                passed += 1
    for name in skipped:
        print(f"skipped: {name}")
    tail = f", {len(skipped)} skipped" if skipped else ""
    print(f"{passed} passed, {failed} failed{tail}")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
