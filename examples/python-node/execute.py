"""One run of a module without storage: the guest ABI, and what its host functions cost."""

import json
import re

from crypto import canonical, hash_of
from operators import OutOfGas, Trap, Unsupported
from wasm import Instance

OUTPUT_MAX = 1 << 20
EVENTS_MAX, NAME_MAX, DATA_MAX, LOG_MAX = 64, 64, 16384, 4096
EVENT_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,64}\Z")


class Aborted(Exception):
    pass


class Run:
    def __init__(self):
        self.events = []
        self.host = {
            "hive.emit": self.emit,
            "hive.abort": self.abort,
            "env.abort": self.assemblyscript_abort,
            "console.log": self.log,
            "crypto.hash": self.hash,
        }

    def read(self, instance, pointer, length):
        instance.bounds(pointer, length)
        return bytes(instance.memory[pointer : pointer + length])

    def emit(self, instance, name_pointer, name_length, data_pointer, data_length):
        instance.charge(500 + 2 * (name_length + data_length))
        if len(self.events) == EVENTS_MAX:
            raise Trap("too many events")
        if name_length > NAME_MAX or data_length > DATA_MAX:
            raise Trap("an event that is too large")
        try:
            name = self.read(instance, name_pointer, name_length).decode()
            data = strict_json(self.read(instance, data_pointer, data_length))
        except ValueError as error:
            raise Trap(f"an event that is not valid: {error}") from None
        if not EVENT_NAME.match(name):
            raise Trap("the name of an event")
        self.events.append({"name": name, "data": data})

    def abort(self, instance, pointer, length):
        raise Aborted(self.read(instance, pointer, length)[:1024].decode(errors="replace"))

    def assemblyscript_abort(self, *_):
        raise Aborted("abort")

    def log(self, instance, pointer, length):
        instance.charge(100 + length)
        if length > LOG_MAX:
            raise Trap("a log line that is too long")
        self.read(instance, pointer, length)

    def hash(self, instance, pointer, length):
        instance.charge(200 + length)
        return place(instance, hash_of(self.read(instance, pointer, length)).encode())


def place(instance, data):
    """Puts bytes into memory that the guest allocates. Returns pointer and length in one number."""
    if not data:
        return 0
    pointer = instance.export("__alloc", len(data))[0]
    instance.bounds(pointer, len(data))
    instance.memory[pointer : pointer + len(data)] = data
    return pointer << 32 | len(data)


def strict_json(data):
    """Canonical JSON must be able to write it: no fractions, no large integers, no member twice."""

    def integer(text):
        if abs(int(text)) > 2**53 - 1 or text == "-0":
            raise ValueError("an integer that is too large")
        return int(text)

    def refuse(text):
        raise ValueError(f"the number {text}")

    def members(pairs):
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a member twice")
        return dict(pairs)

    value = json.loads(data.decode(), parse_int=integer, parse_float=refuse, parse_constant=refuse, object_pairs_hook=members)
    canonical(value)
    return value


def execute(module, function_id, data, gas_limit):
    """What a run gives: success, output, events, gas_used, error. Raises Unsupported for what the interpreter lacks."""
    run = Run()
    for name in module.imports:
        if name not in run.host:
            raise Unsupported(f"the import {name}")
    instance = None
    try:
        instance = Instance(module, gas_limit, run.host)
        if module.start is not None:
            instance.call(module.start, [])
        packed = place(instance, data)
        result = instance.export("__hive_entry", function_id, packed >> 32, packed & 0xFFFFFFFF)[0]
        if result >> 63:
            raise Trap(f"guest returned error code {result - (1 << 64)}")
        pointer, length = result >> 32, result & 0xFFFFFFFF
        if length > OUTPUT_MAX:
            raise Trap("output too large")
        output = run.read(instance, pointer, length)
        output.decode()
        return {"success": True, "output": output, "events": run.events, "gas_used": instance.gas_used, "error": None}
    except OutOfGas:
        gas_used, error = gas_limit, "out of gas"
    except UnicodeDecodeError:
        gas_used, error = instance.gas_used, "output is not valid UTF-8"
    except Aborted as reason:
        gas_used, error = instance.gas_used, f"aborted: {reason}"
    except Trap as reason:
        gas_used, error = 0 if instance is None else instance.gas_used, str(reason)
    return {"success": False, "output": b"", "events": [], "gas_used": gas_used, "error": error}
