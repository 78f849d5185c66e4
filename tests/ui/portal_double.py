"""A desktop portal on the session's bus, in a process of its own: prints each call, and clicks on each notification.

python portal_double.py
"""

from __future__ import annotations

import json

from jeepney import DBusAddress, HeaderFields, MessageType, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

PORTAL = DBusAddress("/org/freedesktop/portal/desktop", interface="org.freedesktop.portal.Notification")

connection = open_dbus_connection()
connection.send_and_get_reply(message_bus.RequestName("org.freedesktop.portal.Desktop"))
print("ready", flush=True)
while True:
    message = connection.receive()
    if message.header.message_type is MessageType.method_call:
        name = message.header.fields[HeaderFields.member]
        connection.send(new_method_return(message))
        print(json.dumps([name, *message.body]), flush=True)
        if name == "AddNotification":
            connection.send(new_signal(PORTAL, "ActionInvoked", "ssav", (message.body[0], "open", [])))
