"""Calls of a hub with nothing but Python's standard library (3.9 or newer)."""

import email.utils
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

URL = os.environ.get("HUB_URL", "http://localhost:8787").rstrip("/")


class HubError(Exception):
    """What a hub says against a call. `code` is stable; the page about it is `doc_url`."""

    def __init__(self, status, body):
        super().__init__(f"{status} {body.get('error')}: {body.get('message')}")
        self.status = status
        self.code = body.get("error")
        self.details = body.get("details") or {}
        self.doc_url = self.details.get("doc_url")
        self.request_id = body.get("request_id")


def call(method, path, body=None, query=None, tries=4):
    """Calls the hub and returns its JSON. What a key makes safe to repeat is repeated, after the time that the hub names."""
    search = "?" + urllib.parse.urlencode(query) if query else ""
    headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
    data = None if body is None else json.dumps(body).encode()
    for attempt in range(1, tries + 1):
        request = urllib.request.Request(URL + path + search, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            retry_after = error.headers.get("Retry-After")
            passes = error.code >= 500 or (error.code in (409, 429) and retry_after)
            if attempt == tries or not passes:
                raise HubError(error.code, error_body(error)) from None
            time.sleep(seconds_of(retry_after) if retry_after else 0.2 * 2**attempt)
        except (OSError, http.client.HTTPException) as error:
            if attempt == tries and isinstance(error, urllib.error.URLError):
                sys.exit(f"No hub answers on {URL}: {error.reason}. Start one with: npm start")
            if attempt == tries:
                raise
            time.sleep(0.2 * 2**attempt)


def arguments(*names):
    """The arguments of the program. Ends it with its usage unless there is one for each name."""
    if len(sys.argv) != len(names) + 1:
        print("Usage: python3", os.path.basename(sys.argv[0]), *names, file=sys.stderr)
        sys.exit(2)
    return sys.argv[1:]


def error_body(error):
    try:
        return json.load(error)
    except ValueError:
        # A proxy between here and the hub answers in a form of its own.
        return {"error": None, "message": "the answer is not JSON"}


def seconds_of(retry_after):
    if retry_after.isdigit():
        return int(retry_after)
    return max(0, email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time())


def items(path, query=None):
    """The items of a list, page by page."""
    query = dict(query or {})
    while True:
        page = call("GET", path, query=query)
        yield from page["items"]
        if page["next_cursor"] is None:
            return
        query["cursor"] = page["next_cursor"]


def quoted(text):
    """A parameter of a path."""
    return urllib.parse.quote(text, safe="")
