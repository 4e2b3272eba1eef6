"""Checks a message of a hub by Standard Webhooks: the function for your web server, and a command to try it.

python3 verify_webhook.py SECRET ID TIMESTAMP SIGNATURE [NOW] < BODY
"""

import base64
import hashlib
import hmac
import json
import sys
import time

TOLERANCE = 300


def verify(secret, headers, body, now=None):
    """What the message says. `body` are the bytes as they arrived. Raises ValueError."""
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if name not in headers:
            raise ValueError(f"the header {name} is missing")
    message_id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    if abs((now or time.time()) - int(timestamp)) > TOLERANCE:
        raise ValueError("the message is too old or from the future")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    signatures = (one.partition(",") for one in headers["webhook-signature"].split(" "))
    if not any(version == "v1" and hmac.compare_digest(given.encode(), expected) for version, _, given in signatures):
        raise ValueError("no signature of the message verifies")
    return json.loads(body)


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        print("Usage: python3 verify_webhook.py SECRET ID TIMESTAMP SIGNATURE [NOW] < BODY", file=sys.stderr)
        sys.exit(2)
    secret, message_id, timestamp, signature, *now = sys.argv[1:]
    headers = {"webhook-id": message_id, "webhook-timestamp": timestamp, "webhook-signature": signature}
    try:
        print(json.dumps(verify(secret, headers, sys.stdin.buffer.read(), *map(int, now))))
    except ValueError as error:
        sys.exit(str(error))
