"""A miner: keeps a link to its hub, checks offers, runs tasks, votes. python3 node.py

NODE_HUB_URL is the hub, NODE_DATA_DIR a folder with node.key: 64 hex digits. Votes are kept there, too.
"""

import base64
import hashlib
import json
import os
import queue
import random
import sqlite3
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from checks import Checks, Declined, hash_json, require  # noqa: E402
from crypto import hash_of  # noqa: E402
from execute import execute  # noqa: E402
from link import Closed, Link, Refused  # noqa: E402
from signatures import Signer  # noqa: E402
from operators import Unsupported  # noqa: E402

VERSION, ENGINE, SLOTS, PING_SECS = "1.0.0", "pulley64", 1, 30
ANSWER_MAX = 48 << 20
sys.setrecursionlimit(100_000)


def say(text, **more):
    print(json.dumps({"message": text, **more}), file=sys.stderr, flush=True)


class Away(Exception):
    """The hub does not answer, or cannot now."""


class Node:
    def __init__(self, hub, folder):
        self.hub, self.folder = hub.rstrip("/"), folder
        self.signer = Signer(os.path.join(folder, "node.key"))
        self.ahead, self.link, self.ticket, self.return_secs, self.failures = 0, None, None, 4, 0
        self.frames, self.lock, self.work, self.busy = 1, threading.RLock(), queue.Queue(), set()
        self.votes = sqlite3.connect(os.path.join(folder, "votes.sqlite"), check_same_thread=False)
        self.votes.execute("PRAGMA synchronous = FULL")
        # One vote of a round, for ever. The hub may ask for it again until it said `voted`.
        self.votes.execute("CREATE TABLE IF NOT EXISTS votes (round_id TEXT PRIMARY KEY, offer_id TEXT, frame TEXT, is_over INTEGER)")
        self.votes.execute("CREATE TABLE IF NOT EXISTS accepted (offer_id TEXT PRIMARY KEY, vote_by INTEGER)")

    # The hub by HTTP.

    def now(self):
        """Network time."""
        return int(time.time() + self.ahead)

    def signed(self, method, target, body=b""):
        """The five headers of section 10."""
        timestamp, nonce = str(self.now()), os.urandom(16).hex()
        lines = [self.profile["prefix"] + "-node-req-v1", method, target, timestamp, nonce, hashlib.sha256(body).hexdigest()]
        values = {
            "Node": self.profile["node_id_prefix"] + self.signer.id_digits,
            "Public-Key": self.signer.public_key,
            "Timestamp": timestamp,
            "Nonce": nonce,
            "Signature": self.signer.sign("\n".join(lines)),
        }
        return {self.profile["header_prefix"] + name: value for name, value in values.items()}

    def call(self, method, target, body=None):
        """The bytes that the hub answers; None for 404. Calls with a body are signed."""
        data = None if body is None else json.dumps(body).encode()
        headers = {} if data is None else {"Content-Type": "application/json", **self.signed(method, target, data)}
        request = urllib.request.Request(self.hub + target, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return response.read(ANSWER_MAX)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise Away(f"{method} {target}: {error.code} {error.read(1000).decode(errors='replace')}") from None
        except OSError as error:
            raise Away(f"{method} {target}: {error}") from None

    def get(self, target):
        if target.startswith("http"):
            place, own = urllib.parse.urlsplit(target), urllib.parse.urlsplit(self.hub)
            # A hub that could name another place would have this node call addresses behind its own firewall.
            require((place.scheme, place.netloc) == (own.scheme, own.netloc), "the input is not at the hub")
            target = urllib.parse.urlunsplit(("", "", *place[2:]))
        return self.call("GET", target)

    def read(self, target):
        answer = self.call("GET", target)
        if answer is None:
            raise Away(f"the hub has no {target}")
        return json.loads(answer)

    def learn(self):
        """Who the hub is, its time, and the parameters of its network."""
        descriptor, shown = self.read("/"), self.read("/v1/network/params")
        self.profile, self.params_hash = descriptor["profile"], hash_json(shown["params"])
        self.ahead = self.read("/v1/status")["time"] - time.time()
        coordinator = descriptor["coordinator"]["public_key"]
        self.checks = Checks(self.get, self.profile, shown["params"], self.signer.public_key, coordinator)

    def register(self):
        place = urllib.parse.urlsplit(self.hub)
        registration = {
            "hub": f"{place.scheme}://{place.netloc}",
            "network": self.profile["network"],
            "role": "miner",
            "url": None,
            "engine": ENGINE,
            "nodectl_version": VERSION,
            "capabilities": [],
        }
        self.call("POST", "/v1/nodes/register", registration)

    def keep_alive(self):
        while True:
            try:
                self.call("POST", "/v1/nodes/heartbeat", {"status": "online"})
            except Away as error:
                say("no heartbeat", reason=str(error))
            time.sleep(30)

    # The link.

    def send(self, frame):
        link = self.link
        try:
            if link is not None:
                link.send(json.dumps(frame))
        except OSError:
            # The reader of the link notices, too.
            say("a frame was not sent", type=frame["type"])

    def ping(self, link):
        while self.link is link:
            link_text = '{"type":"ping"}'
            try:
                link.send(link_text)
            except OSError:
                return
            time.sleep(PING_SECS)

    def live(self):
        """One socket from its upgrade request to its end."""
        headers = self.signed("GET", "/v1/relay")
        if self.ticket:
            headers[self.profile["header_prefix"] + "Ticket"] = self.ticket
        protocols = [f"{self.profile['prefix']}-relay.v{version}" for version in (4, 3, 2, 1)]
        link = Link(self.hub + "/v1/relay", headers, protocols)
        try:
            hello = json.loads(link.receive())
            if hello.get("type") != "hello" or hello["params_hash"] != self.params_hash:
                raise Away("the hub has other network parameters")
            self.ahead = hello["time"] - time.time()
            self.ticket, self.return_secs, self.failures = hello.get("ticket"), hello.get("retry_after", 4), 0
            with self.lock:
                self.link, self.frames = link, max(hello.get("frames", [1]))
                self.ready()
            say("connected", public_key=self.signer.public_key)
            threading.Thread(target=self.ping, args=(link,), daemon=True).start()
            while True:
                self.hear(link.receive())
        finally:
            self.link = None
            link.close()

    def ready(self):
        open_votes = self.votes.execute("SELECT offer_id, frame FROM votes WHERE NOT is_over").fetchall()
        holding = [offer_id for offer_id, _ in open_votes] + sorted(self.busy)
        self.send({"type": "ready", "slots": SLOTS, "engine": ENGINE, "nodectl_version": VERSION, "holding": holding})
        for offer_id, frame in open_votes:
            self.send_vote(offer_id, frame)

    def send_vote(self, offer_id, frame):
        frame = json.loads(frame)
        if self.frames < 4:
            frame.pop("error", None)
        self.send({"type": "accept", "offer_id": offer_id})
        self.send(frame)

    def hear(self, text):
        try:
            frame = json.loads(text)
            kind, offer_id = frame["type"], frame.get("offer_id")
        except (ValueError, KeyError, TypeError, AttributeError):
            return say("the hub sent what is no frame", given=text[:100])
        with self.lock:
            if kind == "offer":
                self.take(frame)
            elif kind in ("voted", "cancel"):
                self.end(offer_id)
            elif kind == "error":
                say("the hub refuses a frame", code=frame.get("code"), reason=frame.get("message"))
                if frame.get("code") not in ("unavailable", "internal", "rate_limited"):
                    self.end(offer_id)

    def end(self, offer_id):
        self.votes.execute("UPDATE votes SET is_over = 1 WHERE offer_id = ?", (offer_id,))
        self.votes.commit()
        self.busy.discard(offer_id)

    def take(self, offer):
        offer_id = offer["offer_id"]
        known = self.votes.execute("SELECT frame FROM votes WHERE offer_id = ?", (offer_id,)).fetchone()
        if known:
            return self.send_vote(offer_id, known[0])
        if offer_id in self.busy:
            return None
        if len(self.busy) >= SLOTS:
            return self.send({"type": "decline", "offer_id": offer_id, "reason": "busy"})
        self.busy.add(offer_id)
        return self.work.put(offer)

    # Offers, one after the other.

    def run_offers(self):
        while True:
            offer = self.work.get()
            try:
                self.run_offer(offer)
            except Declined as refusal:
                say("declined", reason=str(refusal))
                self.drop(offer, refusal.reason)
            except Unsupported as lack:
                say("declined", reason=str(lack))
                self.drop(offer, "incompatible")
            except (Away, ValueError, KeyError, TypeError) as error:
                # Nobody is to blame for what the hub does not serve: the time to accept passes, and the hub asks another node.
                say("an offer was not answered", reason=repr(error))
                self.drop(offer, None)

    def drop(self, offer, reason):
        with self.lock:
            self.busy.discard(offer["offer_id"])
            if reason is not None:
                self.send({"type": "decline", "offer_id": offer["offer_id"], "reason": reason})

    def run_offer(self, offer):
        task, offer_id = offer["task"], offer["offer_id"]
        digest = hash_json(task)
        require(offer_id == f"{digest[2:]}.{offer['position']}", "the offer id is not that of the task")
        with self.lock:
            # The hub sends an accepted offer again to a node that was killed; declined then, it would count as broken.
            accepted = self.votes.execute("SELECT 1 FROM accepted WHERE offer_id = ?", (offer_id,)).fetchone()
        accept_by = offer["vote_by"] if accepted else offer["accept_by"]
        module, functions, data, payout, vote_by = self.checks.offer(offer, self.now(), accept_by)
        with self.lock:
            if offer_id not in self.busy:
                return
            self.votes.execute("DELETE FROM accepted WHERE vote_by < ?", (self.now(),))
            self.votes.execute("INSERT INTO accepted VALUES (?, ?) ON CONFLICT DO NOTHING", (offer_id, vote_by))
            self.votes.commit()
            self.send({"type": "accept", "offer_id": offer_id})
        result = execute(module, functions.index(task["function"]), data, task["gas_limit"])
        if self.now() >= vote_by:
            return self.drop(offer, None)
        frame = {
            "type": "vote",
            "offer_id": offer_id,
            "vote": self.vote(task, "task:" + digest, result, payout, offer["position"]),
            "output_b64": base64.b64encode(result["output"]).decode(),
            "events": result["events"],
        }
        if result["error"] is not None:
            frame["error"] = result["error"][:256]
        text = json.dumps(frame)
        with self.lock:
            # Only a stored vote is sent, and the first stored vote of a round is never replaced.
            row = ("task:" + digest, offer_id, text)
            self.votes.execute("INSERT INTO votes VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING", row)
            self.votes.commit()
            stored = self.votes.execute("SELECT frame FROM votes WHERE round_id = ?", row[:1]).fetchone()
            self.busy.discard(offer_id)
            frame = json.loads(stored[0])
            if self.frames < 4:
                frame.pop("error", None)
            self.send(frame)

    def vote(self, task, round_id, result, payout, position):
        """Sections 16 and 17."""
        receipt = {
            "v": 1,
            "module_address": task["module_address"],
            "function": task["function"],
            "input_hash": task["input_hash"],
            "output_hash": hash_of(result["output"]),
            "events_hash": hash_json(result["events"]),
            "gas_used": result["gas_used"],
            "success": result["success"],
        }
        prefix, receipt_hash = self.profile["prefix"], hash_json(receipt)
        return {
            "kind": "task",
            "round_id": round_id,
            "receipt_hash": receipt_hash,
            "node_id": self.profile["node_id_prefix"] + self.signer.id_digits,
            "public_key": self.signer.public_key,
            "signature": self.signer.sign(f"{prefix}-receipt-v1:{receipt_hash}"),
            "payout_address": payout,
            "round_signature": self.signer.sign("\n".join([f"{prefix}-vote-v1", "task", round_id, receipt_hash, payout])),
            "task": task,
            "receipt": receipt,
            "committee": {"position": position},
        }

    def serve(self):
        threading.Thread(target=self.run_offers, daemon=True).start()
        is_registered = False
        while True:
            try:
                self.learn()
                if not is_registered:
                    self.register()
                    threading.Thread(target=self.keep_alive, daemon=True).start()
                    is_registered = True
                self.live()
            except Closed as end:
                say("the link ended", code=end.code)
                if end.code == 4001:
                    # Another process has this key: only a person can do something.
                    return threading.Event().wait()
                if end.code == 4003:
                    # An operator may lift the ban: it is enough to ask about once a minute.
                    self.failures = 4
            except (Away, Refused, OSError, ValueError, KeyError) as error:
                say("the hub does not take this node", reason=repr(error))
                self.failures += 1
            longest = min(max(60, self.return_secs), self.return_secs * 2**self.failures)
            time.sleep(1 + random.random() * (longest - 1))


if __name__ == "__main__":
    Node(os.environ["NODE_HUB_URL"], os.environ["NODE_DATA_DIR"]).serve()
