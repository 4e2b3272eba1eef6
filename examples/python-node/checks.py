"""What a miner compares before it accepts an offer (sections 6, 13, 14 and 15 of the protocol)."""

import base64
import io
import json
import zipfile

from crypto import canonical, hash_of, is_signed
from signatures import signer_of
from module import Module
from operators import Unsupported

KEPT = 64


class Declined(Exception):
    def __init__(self, message, reason="incompatible"):
        super().__init__(message)
        self.reason = reason


def require(holds, message, reason="incompatible"):
    if not holds:
        raise Declined(message, reason)


def raw(text):
    return bytes.fromhex(text[2:])


def hash_json(value):
    return hash_of(canonical(value))


def quorum(count):
    return 2 * count // 3 + 1


class Checks:
    """`get` reads a path of the hub and returns the bytes, or None where the hub has none."""

    def __init__(self, get, profile, params, public_key, coordinator):
        self.get, self.profile, self.params, self.public_key = get, profile, params, public_key
        self.coordinator, self.kept = coordinator, {}

    def once(self, name, find):
        """What was checked is the same for ever, since its name is a hash."""
        if name not in self.kept:
            while len(self.kept) >= KEPT:
                del self.kept[next(iter(self.kept))]
            self.kept[name] = find()
        return self.kept[name]

    def json(self, path, what):
        data = self.get(path)
        require(data is not None, f"the hub does not have {what}")
        return json.loads(data)

    def offer(self, offer, now, accept_by):
        """Returns (module, its functions, input, payout address, by when to vote). Raises Declined."""
        task = offer["task"]
        require(now < accept_by, "it came too late to be accepted", "busy")
        require(task["issued_at"] - now <= self.params["max_skew"], "it was issued in the future")
        data = self.input(offer)
        require(hash_of(data) == task["input_hash"], "the input has another hash")
        snapshot = self.once(task["set_hash"], lambda: self.attested_set(task))
        require(snapshot["consensus_hash"] == task["consensus_hash"], "the set is for other rules")
        rules = self.once(task["consensus_hash"] + task["project_id"], lambda: self.rules(task))
        work = rules["work"]
        starts = snapshot["epoch"] * work["epoch_secs"]
        require(snapshot["epoch_secs"] == work["epoch_secs"], "the set has epochs of another length")
        require(starts <= task["issued_at"] < starts + work["epoch_secs"], "it was not issued in its epoch")
        require(task["function"] in work["functions"], "the project does not name this function")
        require(1 <= task["gas_limit"] <= work["max_gas_limit"], "the gas limit is out of range")
        require(task["module_address"] == rules["modules"]["worker"], "the module is not the project's worker")
        entry, position, role = self.seat(task, snapshot, work["committee"])
        require(position == offer["position"] and role == offer["role"], f"the draw says {role} at {position}")
        module, functions = self.once(task["module_address"], lambda: self.module(task["module_address"]))
        require(task["function"] in functions, "the module does not export this function")
        vote_by = min(offer["vote_by"], task["issued_at"] + work["round_secs"])
        require(now < vote_by, "its round has closed", "busy")
        return module, functions, data, entry["payout_address"], vote_by

    def input(self, offer):
        if "input_b64" in offer:
            return base64.b64decode(offer["input_b64"])
        data = self.get(offer["input_url"])
        require(data is not None, "the hub does not have the input")
        return data

    def attested_set(self, task):
        project_id, epoch = task["project_id"], task["epoch"]
        shown = self.json(f"/v1/committees/{project_id}/{epoch}", "the set")
        snapshot = shown["snapshot"]
        require(hash_json(snapshot) == task["set_hash"], "the set has another hash")
        require((snapshot["project_id"], snapshot["epoch"]) == (project_id, epoch), "the set is of another epoch")
        validators = self.validators(epoch * snapshot["epoch_secs"] - self.params["beacon_offset_secs"])
        text = self.profile["prefix"] + "-set-v1:" + task["set_hash"]
        require(self.count(shown["attestations"], validators, text) >= quorum(len(validators)), "no quorum attested the set")
        return snapshot

    def count(self, signatures, keys, text):
        """How many of the keys signed a text."""
        given = {one["public_key"]: one["signature"] for one in signatures}
        return sum(key in given and is_signed(raw(key), text.encode(), raw(given[key])) for key in keys)

    def validators(self, time):
        """The keys of the generation in force at a time. The chain of generations is checked from the first one on."""
        chain, cursor = [], ""
        while cursor is not None:
            page = self.json("/v1/validators/generations?limit=50" + (cursor and f"&cursor={cursor}"), "generations")
            chain += page["items"]
            cursor = page["next_cursor"]
        before, in_force = None, None
        for shown in reversed(chain):
            document = {name: shown[name] for name in ("v", "network", "generation", "effective_at", "prev_hash")}
            document["validators"] = [{name: one[name] for name in ("public_key", "node_id")} for one in shown["validators"]]
            text = self.profile["prefix"] + "-validators-v1:"
            digest = hash_of(text.encode() + canonical(document))
            keys = [one["public_key"] for one in document["validators"]]
            require(document["network"] == self.profile["network"], "a generation of another network")
            require(document["prev_hash"] == (before["hash"] if before else "0x" + "00" * 32), "a generation does not follow")
            require(document["generation"] == (before["number"] + 1 if before else 0), "a generation is missing")
            require(self.count([shown["coordinator"]], [self.coordinator], text + digest) == 1, "the coordinator did not sign")
            if before:
                # An emergency generation is signed by those of the one before that it keeps.
                later = document["effective_at"] > before["effective_at"]
                signers = before["keys"] if later else [key for key in before["keys"] if key in keys]
                signed = self.count(shown["signatures"], signers, text + digest)
                require(signers and signed >= quorum(len(signers)), "no quorum signed a generation")
            before = {"hash": digest, "number": document["generation"], "keys": keys, "effective_at": document["effective_at"]}
            if document["effective_at"] <= time:
                in_force = keys
        require(in_force is not None, "no generation of validators is in force")
        return in_force

    def rules(self, task):
        path = f"/v1/projects/{task['project_id']}"
        envelope = self.json(path + "/manifest", "the manifest")
        if hash_json(envelope["manifest"]["consensus"]) != task["consensus_hash"]:
            versions = self.json(path + "/versions?limit=50", "the versions")["items"]
            number = next((one["version"] for one in versions if one["consensus_hash"] == task["consensus_hash"]), None)
            require(number is not None, "the hub has no version with these rules")
            envelope = self.json(f"{path}/versions/{number}", "the version")["signed_manifest"]
        manifest = envelope["manifest"]
        require(hash_json(manifest["consensus"]) == task["consensus_hash"], "the rules have another hash")
        developer = manifest["developer"]
        text = (self.profile["prefix"] + "-project-v1:").encode()
        require(hash_of(text + raw(developer) + manifest["slug"].encode()) == task["project_id"], "another project")
        require(signer_of(canonical(manifest), envelope["signature"]) == developer, "the developer did not sign the rules")
        return manifest["consensus"]

    def seat(self, task, snapshot, rules):
        """The entry, position and role of this node in the draw of section 14."""
        entries = snapshot["entries"]
        cap, unit = int(snapshot["weight_cap"]), int(self.params["weight_unit_wei"])
        weights = [min(int(one["collateral"]), cap) // unit * one["reputation"] for one in entries]
        primaries = min(rules["size"], len(entries))
        require(primaries >= rules["min_size"], "nobody is drawn for so few")
        text = (self.profile["prefix"] + "-sortition-v1").encode() + raw(snapshot["beacon"]["value"]) + raw(task["project_id"])
        seed = hash_of(text + task["epoch"].to_bytes(8, "big") + task["seq"].to_bytes(8, "big") + raw(task["set_hash"]))
        left = list(range(len(entries)))
        for position in range(primaries + min(rules["backups"], len(entries) - primaries)):
            word = int(hash_of(raw(seed) + position.to_bytes(4, "big")), 16)
            x = word % sum(weights[one] for one in left)
            for one in left:
                x -= weights[one]
                if x < 0:
                    break
            left.remove(one)
            if entries[one]["node_key"] == self.public_key:
                return entries[one], position, "primary" if position < primaries else "backup"
        raise Declined("this node is not drawn")

    def module(self, address):
        data = self.get(f"/v1/modules/{address}/hbc")
        require(data is not None, "the hub does not have the module", "unknown_module")
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as artifact:
                manifest, wasm = json.loads(artifact.read("manifest.json")), artifact.read("module.wasm")
            manifest.pop("manifest_address", None)
            require(hash_of(canonical(manifest) + wasm) == address, "the module has another address", "unknown_module")
            module = Module(wasm)
        except (zipfile.BadZipFile, KeyError, ValueError, Unsupported) as error:
            raise Declined(f"the module cannot be run here: {error}") from None
        stateful = [name for name in module.imports if name.startswith("storage.") or name == "hive.call"]
        require(not stateful, f"no committee runs a module that imports {stateful}")
        return module, manifest["functions"]
