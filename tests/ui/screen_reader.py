#!/usr/bin/env python3
"""A screen reader for tests: a process of its own, which sees the window only through the accessibility bus.

    dbus-run-session -- python3 screen_reader.py WINDOW COMMAND…

It starts the window by that command, and then obeys lines of JSON on standard input, each answered by a line that
begins with "answer":

    {"read": ""}                                             the tree: role, name, description, actions, children
    {"press": "NAME", "role": "ROLE", "within": "NAME"}      presses the first such object in the first one of that name
    {"heard": ""}                                            what was announced since the beginning
    {"end": ""}                                              ends the window by SIGTERM; the answer is its exit code

WINDOW is what the application calls itself. Needs the system's Python with gi and Atspi: not that of the project.
"""

import json
import os
import signal
import subprocess
import sys
import time
import warnings

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

PATIENCE = 60
warnings.simplefilter("ignore", DeprecationWarning)  # bindings differ in which name of a function they want


def application(name):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        desktop = Atspi.get_desktop(0)
        for number in range(desktop.get_child_count()):
            found = desktop.get_child_at_index(number)
            if found is not None and found.get_name() == name and found.get_child_count():
                return found
        time.sleep(0.1)
    raise SystemExit(f"no application {name} on the accessibility bus")


def walk(one):
    """Yield an object and all within it. What goes away meanwhile is left out."""
    yield one
    try:
        children = [one.get_child_at_index(number) for number in range(one.get_child_count())]
    except GLib.Error:
        return
    for child in children:
        if child is not None:
            yield from walk(child)


def tree(one):
    try:
        states = one.get_state_set()
        action = one.get_action_iface()
        children = [one.get_child_at_index(number) for number in range(one.get_child_count())]
        told = {
            "role": one.get_role_name(),
            "name": one.get_name(),
            "description": one.get_description(),
            "is_showing": states.contains(Atspi.StateType.SHOWING),
            "is_focused": states.contains(Atspi.StateType.FOCUSED),
            "actions": [action.get_action_name(n) for n in range(action.get_n_actions())] if action else [],
        }
    except GLib.Error:
        return None
    told["children"] = [told_child for child in children if child is not None and (told_child := tree(child))]
    return told


def press(root, role, name, within):
    holders = [one for one in walk(root) if within in (one.get_name() or "")] if within else [root]
    for holder in holders:
        for one in walk(holder):
            try:
                if one.get_role_name() != role or name not in (one.get_name() or ""):
                    continue
                action = one.get_action_iface()
                names = [action.get_action_name(n).lower() for n in range(action.get_n_actions())]
                return action.do_action(names.index("press"))
            except GLib.Error:
                continue
    return False


def listen(announced):
    """Note announcements from now on; the listener must be kept."""
    listener = Atspi.EventListener.new(lambda event: announced.append(str(event.any_data)))
    listener.register("object:announcement")
    return listener


def take_in_events():
    deadline = time.monotonic() + 1
    while time.monotonic() < deadline:
        if not GLib.MainContext.default().iteration(False):
            time.sleep(0.01)


def main():
    announced = []
    listener = listen(announced)
    window = subprocess.Popen(
        sys.argv[2:], stdout=sys.stderr, env=os.environ | {"QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
    )
    try:
        root = application(sys.argv[1])
        for line in sys.stdin:
            order = json.loads(line)
            if "end" in order:
                window.send_signal(signal.SIGTERM)
                answer = window.wait(PATIENCE)
            elif "heard" in order:
                take_in_events()
                answer = announced
            elif "press" in order:
                answer = press(root, order["role"], order["press"], order.get("within", ""))
            else:
                answer = tree(root)
            print("answer", json.dumps(answer), flush=True)
    finally:
        window.kill()
        del listener


if __name__ == "__main__":
    main()
