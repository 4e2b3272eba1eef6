"""Verifies a call of a webhook (Standard Webhooks) with the standard library alone."""

import base64
import hashlib
import hmac
import json
import sys
import time

TOLERANCE_SECS = 300


def verify(secret: str, headers: dict, body: bytes, now: float) -> dict:
    """The event of a call. Raises ValueError for one that is not from the hub, or too old.

    `body` is the bytes as they came: JSON that was read and written again has another signature.
    """
    message_id = headers["webhook-id"]
    timestamp = headers["webhook-timestamp"]
    if abs(now - int(timestamp)) > TOLERANCE_SECS:
        raise ValueError("too old, or from the future")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # One signature for each secret that is valid.
    for signature in headers["webhook-signature"].split(" "):
        version, _, value = signature.partition(",")
        if version == "v1" and hmac.compare_digest(value, expected):
            return json.loads(body)
    raise ValueError("no signature fits the secret")


if __name__ == "__main__":
    call = json.load(sys.stdin)
    event = verify(
        call["secret"], call["headers"], call["body"].encode(), call.get("now", time.time())
    )
    print(json.dumps(event))
