"""A server in Apple's place on python3-h2, which shares no code with nghttp2, and which misbehaves by a seed.

Usage: apple.py CERTIFICATE KEY SEED. Writes one JSON object a line, as apns-simulator does.
"""

import asyncio
import json
import random
import ssl
import sys
import time

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings
from hyperframe.frame import GoAwayFrame

LIMIT = h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS

# How often which answer is given; nothing here stops a client for long.
ANSWERS = {
    (200, None): 900,
    (500, "InternalServerError"): 20,
    (503, "ServiceUnavailable"): 20,
    (503, "Shutdown"): 5,
    (429, "TooManyRequests"): 5,
    (410, "Unregistered"): 5,
    (400, "BadDeviceToken"): 3,
    (400, "DeviceTokenNotForTopic"): 3,
    (413, "PayloadTooLarge"): 5,
}


def record(event, **members):
    now = time.time_ns() // 1_000_000
    print(json.dumps({"event": event, "at": now, **members}), flush=True)


class Connection(asyncio.Protocol):
    count = 0

    def __init__(self, chance):
        Connection.count += 1
        self.number = Connection.count
        self.chance = chance
        self.requests_left = chance.randint(5, 150)
        self.requests = {}
        self.unanswered = set()
        self.last = 0
        self.has_accepted = False
        self.is_leaving = False

    def connection_made(self, transport):
        record("connected", connection=self.number)
        self.transport = transport
        self.http2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        self.http2.local_settings = h2.settings.Settings(client=False, initial_values={LIMIT: 1})
        self.http2.initiate_connection()
        self.flush()

    def connection_lost(self, error):
        record("closed", connection=self.number, unanswered=sorted(self.unanswered))

    def flush(self):
        if not self.transport.is_closing():
            self.transport.write(self.http2.data_to_send())

    def data_received(self, data):
        if self.transport.is_closing():
            return
        try:
            for event in self.http2.receive_data(data):
                self.take(event)
        except h2.exceptions.ProtocolError as error:
            record("protocol error", connection=self.number, text=str(error))
            self.flush()
            self.transport.close()
        self.flush()

    def take(self, event):
        if isinstance(event, h2.events.RequestReceived):
            self.requests[event.stream_id] = dict(event.headers)
        elif isinstance(event, h2.events.DataReceived):
            self.http2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            # What comes after GOAWAY is never looked at (RFC 9113 section 6.8).
            if not self.is_leaving:
                self.complete(event.stream_id)
        elif isinstance(event, h2.events.StreamReset):
            self.give_up(event.stream_id)

    def complete(self, stream):
        fields = {name.decode(): value.decode() for name, value in self.requests.pop(stream).items()}
        self.last = max(self.last, stream)
        fate = self.chance.random()
        status, reason = None, None
        if fate > 0.02:
            ((status, reason),) = self.chance.choices(list(ANSWERS), ANSWERS.values())
        delay = self.chance.choice([0, 0, 0, 0.005, 0.05, 0.2])
        record(
            "request", connection=self.number, stream=stream, status=status, reason=reason, delay=delay,
            apns_id=fields["apns-id"], headers=[[":path", fields[":path"]]],
        )
        if status is None:
            code = self.chance.choice([0x7, 0x2, 0x8])  # REFUSED_STREAM, INTERNAL_ERROR, CANCEL
            self.http2.reset_stream(stream, code)
        else:
            self.unanswered.add(stream)
            asyncio.get_running_loop().call_later(delay, self.answer, stream, status, reason, fields["apns-id"])
        self.requests_left -= 1
        if self.requests_left == 0:
            self.leave()
        elif self.has_accepted and self.chance.random() < 0.05:
            self.http2.update_settings({LIMIT: self.chance.choice([1, 2, 10, 100, 300])})

    def answer(self, stream, status, reason, identifier):
        if self.transport.is_closing() or stream not in self.unanswered:
            return
        self.unanswered.discard(stream)
        body = b""
        if reason and self.chance.random() < 0.9:
            members = {"reason": reason}
            if status == 410:
                members["timestamp"] = time.time_ns() // 1_000_000
            body = json.dumps(members).encode()
        elif reason:
            body = b"<html>no</html>"
        self.http2.send_headers(stream, [(":status", str(status)), ("apns-id", identifier)], end_stream=not body)
        # In two frames, and the end in a third.
        for piece in (body[:7], body[7:]):
            if piece:
                self.http2.send_data(stream, piece)
        if body:
            self.http2.end_stream(stream)
        if status == 200 and not self.has_accepted:
            self.has_accepted = True
            self.http2.update_settings({LIMIT: self.chance.choice([2, 20, 100])})
        self.flush()

    def give_up(self, stream):
        if stream in self.unanswered:
            self.unanswered.discard(stream)
            record("unanswered", connection=self.number, stream=stream)

    def leave(self):
        self.is_leaving = True
        later = asyncio.get_running_loop().call_later
        way = self.chance.randrange(4)
        if way == 0:
            self.transport.abort()
        elif way == 1:
            self.flush()
            self.transport.close()
        else:
            # The library knows no GOAWAY after which streams are answered.
            self.flush()
            if way == 2:
                self.say_goodbye(2**31 - 1, b"")
            self.say_goodbye(self.last, b'{"reason":"Shutdown"}')
            later(0.5, self.transport.close)

    def say_goodbye(self, last, data):
        self.transport.write(GoAwayFrame(0, last_stream_id=last, additional_data=data).serialize())


async def main(certificate, key, seed):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2"])
    chance = random.Random(int(seed))
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(chance), "127.0.0.1", 0, ssl=context)
    record("listening", port=server.sockets[0].getsockname()[1])
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
