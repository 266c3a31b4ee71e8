"""An ASGI application in Apple's place: takes every push after a moment, and says so on standard output."""

import asyncio
import signal

# Whoever starts this from a thread that blocks signals hands that on, and Python leaves it so.
signal.pthread_sigmask(signal.SIG_SETMASK, [])


async def app(scope, receive, send):
    if scope["type"] != "http":
        raise NotImplementedError(scope["type"])
    fields = dict(scope["headers"])
    while (await receive()).get("more_body"):
        pass
    await asyncio.sleep(0.2)
    identifier = fields[b"apns-id"]
    await send({"type": "http.response.start", "status": 200, "headers": [(b"apns-id", identifier)]})
    await send({"type": "http.response.body"})
    print("accepted", identifier.decode(), flush=True)
