"""The two algorithms of the protocol that Python's standard library lacks. Written to be read, not to be fast."""

import hashlib
import json

# keccak-256 with the original padding. hashlib.sha3_256 pads otherwise, and gives other hashes.

MASK = (1 << 64) - 1
# By x + 5y: how far each lane turns, and where it goes.
TURNS = [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14]


def round_constants():
    """Bits of a shift register."""
    register = 1
    for _ in range(24):
        constant = 0
        for bit in range(7):
            constant |= (register & 1) << (2**bit - 1)
            register = (register << 1) ^ (0x171 if register & 0x80 else 0)
        yield constant


CONSTANTS = list(round_constants())


def turned(lane, count):
    return ((lane << count) | (lane >> (64 - count))) & MASK


def permuted(a):
    for constant in CONSTANTS:
        c = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        d = [c[(x - 1) % 5] ^ turned(c[(x + 1) % 5], 1) for x in range(5)]
        b = [0] * 25
        for i in range(25):
            x, y = i % 5, i // 5
            b[y + 5 * ((2 * x + 3 * y) % 5)] = turned(a[i] ^ d[x], TURNS[i])
        a = [b[i] ^ (~b[(i % 5 + 1) % 5 + i // 5 * 5] & b[(i % 5 + 2) % 5 + i // 5 * 5]) for i in range(25)]
        a[0] ^= constant
    return a


def keccak256(data):
    rate = 136
    padded = bytearray(data) + b"\x01" + b"\x00" * (-(len(data) + 1) % rate)
    padded[-1] |= 0x80
    a = [0] * 25
    for start in range(0, len(padded), rate):
        for i in range(rate // 8):
            a[i] ^= int.from_bytes(padded[start + 8 * i : start + 8 * i + 8], "little")
        a = permuted(a)
    return b"".join(lane.to_bytes(8, "little") for lane in a[:4])


def hash_of(data):
    return "0x" + keccak256(data).hex()


def canonical(value):
    """Canonical JSON (section 2 of the protocol): keys by code point, no white space. Numbers must be integers."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


# ed25519 of RFC 8032, to verify alone.

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def add(one, other):
    """Points in extended coordinates."""
    a = (one[1] - one[0]) * (other[1] - other[0])
    b = (one[1] + one[0]) * (other[1] + other[0])
    c = 2 * one[3] * other[3] * D
    d = 2 * one[2] * other[2]
    e, f, g, h = (b - a) % P, (d - c) % P, (d + c) % P, (b + a) % P
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def is_same(one, other):
    return (one[0] * other[2] - other[0] * one[2]) % P == 0 and (one[1] * other[2] - other[1] * one[2]) % P == 0


def point_of(data):
    """None where the bytes are no point in its one spelling."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = point_of(bytes([0x58]) + b"\x66" * 31)
NEUTRAL = (0, 1, 1, 0)


def is_signed(public_key, message, signature):
    """Section 3 of the protocol: keys of small order and signatures in a second spelling are refused."""
    key, nonce = point_of(public_key), point_of(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if key is None or nonce is None or s >= ORDER or is_same(times(8, key), NEUTRAL):
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public_key + message).digest(), "little") % ORDER
    return is_same(times(s, BASE), add(nonce, times(h, key)))
