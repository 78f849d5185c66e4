"""Services of a desktop on the session's bus, in a process of their own: prints each call, clicks on each
notification, and is dark with high contrast until it has said so.

python portal_double.py SERVICE...      portal, refusing-portal (which refuses every call), daemon (of notifications)
"""

from __future__ import annotations

import json
import sys

from jeepney import DBusAddress, HeaderFields, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

PORTAL = DBusAddress("/org/freedesktop/portal/desktop", interface="org.freedesktop.portal.Notification")
DAEMON = DBusAddress("/org/freedesktop/Notifications", interface="org.freedesktop.Notifications")
SETTINGS = DBusAddress("/org/freedesktop/portal/desktop", interface="org.freedesktop.portal.Settings")
APPEARANCE = "org.freedesktop.appearance"
NAMES = {
    "portal": "org.freedesktop.portal.Desktop",
    "refusing-portal": "org.freedesktop.portal.Desktop",
    "daemon": "org.freedesktop.Notifications",
}
NUMBER = 7

connection = open_dbus_connection()
for service in sys.argv[1:]:
    connection.send_and_get_reply(message_bus.RequestName(NAMES[service]))
print("ready", flush=True)
while True:
    message = connection.receive()
    if message.header.message_type is not MessageType.method_call:
        continue
    name = message.header.fields[HeaderFields.member]
    print(json.dumps([name, *message.body]), flush=True)
    if name.endswith("Notification") and name != "CloseNotification" and "refusing-portal" in sys.argv:
        refusal = "org.freedesktop.DBus.Error.AccessDenied"
        connection.send(new_error(message, refusal, "s", ("Portal operation not allowed",)))
    elif name == "GetCapabilities":
        connection.send(new_method_return(message, "as", (["body", "body-markup", "actions"],)))
    elif name == "ReadAll":
        values = {"color-scheme": ("u", 1), "contrast": ("u", 1)}
        connection.send(new_method_return(message, "a{sa{sv}}", ({APPEARANCE: values},)))
        connection.send(new_signal(SETTINGS, "SettingChanged", "ssv", (APPEARANCE, "color-scheme", ("u", 2))))
    elif name == "Notify":
        connection.send(new_method_return(message, "u", (NUMBER,)))
        connection.send(new_signal(DAEMON, "ActivationToken", "us", (NUMBER, "token-1")))
        connection.send(new_signal(DAEMON, "ActionInvoked", "us", (NUMBER, "default")))
    else:
        connection.send(new_method_return(message))
        if name == "AddNotification":
            connection.send(new_signal(PORTAL, "ActionInvoked", "ssav", (message.body[0], "open", [])))
