"""Prints COUNT events of a type as they come, over every break of the stream: python3 follow_events.py TYPE COUNT"""

import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request

from hub import URL, arguments, seconds_of


def events(kind):
    """Each event once. Between two streams the cursor says where to go on."""
    cursor = None
    while True:
        pause = 1
        headers = {"Accept": "text/event-stream", **({"Last-Event-ID": cursor} if cursor else {})}
        request = urllib.request.Request(URL + "/v1/events?" + urllib.parse.urlencode({"type": kind}), headers=headers)
        try:
            # The hub sends something every 15 seconds.
            with urllib.request.urlopen(request, timeout=40) as stream:
                name, data, last = "message", "", cursor
                for line in (raw.decode().rstrip("\r\n") for raw in stream):
                    field, _, value = line.partition(": ")
                    if field == "id":
                        last = value
                    elif field == "event":
                        name = value
                    elif field == "data":
                        data += value
                    elif line == "":
                        cursor = last
                        if data and name == "message":
                            yield json.loads(data)
                        name, data = "message", ""
        except urllib.error.HTTPError as error:
            # A proxy answers 502 or 504 while its hub is away.
            if error.code != 429 and error.code < 500:
                raise
            pause = seconds_of(error.headers.get("Retry-After") or "1")
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(pause)


kind, text = arguments("TYPE", "COUNT")
count = int(text)
for number, event in enumerate(events(kind), 1):
    print(json.dumps(event), flush=True)
    if number == count:
        break
