"""Numbers of WebAssembly, and what its integer operators compute."""

PAGE = 65536
PAGES_MAX = 1024
STACK_UNITS = 65536
M32, M64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF


class Unsupported(Exception):
    """The module needs what this interpreter does not have."""


class Trap(Exception):
    """The run failed; the text says why."""


class OutOfGas(Exception):
    pass


def s32(value):
    return value - (1 << 32) if value >> 31 else value


def s64(value):
    return value - (1 << 64) if value >> 63 else value


def divided(signed, bits):
    def divide(a, b):
        if b == 0:
            raise Trap("integer divide by zero")
        a, b = signed(a), signed(b)
        quotient = abs(a) // abs(b)
        quotient = -quotient if (a < 0) != (b < 0) else quotient
        if quotient == 1 << (bits - 1):
            raise Trap("integer overflow")
        return quotient

    return divide


def rest(signed):
    def remainder(a, b):
        if b == 0:
            raise Trap("integer divide by zero")
        a, b = signed(a), signed(b)
        return -(abs(a) % abs(b)) if a < 0 else a % abs(b)

    return remainder


def unsigned(operate):
    def checked(a, b):
        if b == 0:
            raise Trap("integer divide by zero")
        return operate(a, b)

    return checked


def integer_operators(first_test, first_count, bits):
    """Comparisons and arithmetic of one width, by opcode: (number of operands, function)."""
    mask = (1 << bits) - 1
    sign = s32 if bits == 32 else s64
    turn = bits - 1
    compare = [
        lambda a, b: a == b,
        lambda a, b: a != b,
        lambda a, b: sign(a) < sign(b),
        lambda a, b: a < b,
        lambda a, b: sign(a) > sign(b),
        lambda a, b: a > b,
        lambda a, b: sign(a) <= sign(b),
        lambda a, b: a <= b,
        lambda a, b: sign(a) >= sign(b),
        lambda a, b: a >= b,
    ]
    count = [
        lambda a: bits - a.bit_length(),
        lambda a: bits if a == 0 else (a & -a).bit_length() - 1,
        lambda a: a.bit_count(),
    ]
    arithmetic = [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        divided(sign, bits),
        unsigned(lambda a, b: a // b),
        rest(sign),
        unsigned(lambda a, b: a % b),
        lambda a, b: a & b,
        lambda a, b: a | b,
        lambda a, b: a ^ b,
        lambda a, b: a << (b & turn),
        lambda a, b: sign(a) >> (b & turn),
        lambda a, b: a >> (b & turn),
        lambda a, b: a << (b & turn) | a >> (bits - (b & turn)),
        lambda a, b: a >> (b & turn) | a << (bits - (b & turn)),
    ]
    table = {first_test: (1, lambda a: int(a == 0))}
    for i, operate in enumerate(compare):
        table[first_test + 1 + i] = (2, lambda a, b, f=operate: int(f(a, b)))
    for i, operate in enumerate(count):
        table[first_count + i] = (1, operate)
    for i, operate in enumerate(arithmetic):
        table[first_count + 3 + i] = (2, lambda a, b, f=operate: f(a, b) & mask)
    return table


def extended(bits, mask):
    return lambda a: ((a & ((1 << bits) - 1)) ^ (1 << (bits - 1))) - (1 << (bits - 1)) & mask


NUMERIC = {
    **integer_operators(0x45, 0x67, 32),
    **integer_operators(0x50, 0x79, 64),
    0xA7: (1, lambda a: a & M32),
    0xAC: (1, extended(32, M64)),
    0xAD: (1, lambda a: a),
    0xC0: (1, extended(8, M32)),
    0xC1: (1, extended(16, M32)),
    0xC2: (1, extended(8, M64)),
    0xC3: (1, extended(16, M64)),
    0xC4: (1, extended(32, M64)),
}
# Bytes, whether they are read with a sign, and the mask of the result.
LOADS = {
    0x28: (4, False, M32), 0x29: (8, False, M64), 0x2C: (1, True, M32), 0x2D: (1, False, M32),
    0x2E: (2, True, M32), 0x2F: (2, False, M32), 0x30: (1, True, M64), 0x31: (1, False, M64),
    0x32: (2, True, M64), 0x33: (2, False, M64), 0x34: (4, True, M64), 0x35: (4, False, M64),
}  # fmt: skip
STORES = {0x36: 4, 0x37: 8, 0x3A: 1, 0x3B: 2, 0x3C: 1, 0x3D: 2, 0x3E: 4}
# How many values operators take from the operand stack and leave on it; operators of control flow are not included.
HEIGHTS = {
    0x1A: (1, 0), 0x1B: (3, 1), 0x20: (0, 1), 0x21: (1, 0), 0x22: (1, 1), 0x23: (0, 1), 0x24: (1, 0),
    0x3F: (0, 1), 0x40: (1, 1), 0x41: (0, 1), 0x42: (0, 1), 0x01: (0, 0), 0xFC0A: (3, 0), 0xFC0B: (3, 0),
    **{op: (count, 1) for op, (count, _) in NUMERIC.items()},
    **{op: (1, 1) for op in LOADS},
    **{op: (2, 0) for op in STORES},
}  # fmt: skip
