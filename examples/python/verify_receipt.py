"""Recomputes the receipt of a task from its input and output: python3 verify_receipt.py RECEIPT_HASH INPUT OUTPUT

Sections 3, 4 and 16 of the protocol have the rules.
"""

import json
import sys
import time

from crypto import canonical, hash_of, is_signed
from hub import HubError, arguments, call

MEMBERS = ("v", "module_address", "function", "input_hash", "output_hash", "events_hash", "gas_used", "success")
NODE_ID_PREFIX, RECEIPT_TEXT = "node-", "hub-receipt-v1:"
DEADLINE = time.monotonic() + 30

receipt_hash, given, output = arguments("RECEIPT_HASH", "INPUT", "OUTPUT")
while True:
    try:
        envelope = call("GET", f"/v1/explorer/receipts/{receipt_hash}")["receipt"]
        break
    except HubError as error:
        # Within seconds of the result the hub lists its receipt.
        if error.code != "not_found" or time.monotonic() > DEADLINE:
            raise
        time.sleep(0.5)
receipt = envelope["receipt"]
problems = []
if hash_of(canonical({name: receipt[name] for name in MEMBERS})) != receipt_hash:
    problems.append("receipt_hash is not the hash of the receipt")
value = json.loads(given)
# A module gets a text as it is, and any other value as canonical JSON.
if hash_of(value.encode() if isinstance(value, str) else canonical(value)) != receipt["input_hash"]:
    problems.append("the input is another one")
if hash_of(output.encode() if receipt["success"] else b"") != receipt["output_hash"]:
    problems.append("the output is another one")
if "signature" in envelope:
    public_key = bytes.fromhex(envelope["public_key"][2:])
    if NODE_ID_PREFIX + hash_of(public_key)[2:18] != envelope["node_id"]:
        problems.append("the node id does not belong to the public key")
    if not is_signed(public_key, (RECEIPT_TEXT + receipt_hash).encode(), bytes.fromhex(envelope["signature"][2:])):
        problems.append("the signature does not verify")
print(json.dumps({"holds": not problems, "problems": problems}))
sys.exit(1 if problems else 0)
