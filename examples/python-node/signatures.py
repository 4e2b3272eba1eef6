"""What a node signs, and who signed what a wallet signed. ed25519 is Debian's python3-cryptography, the curve of wallets is here."""

from crypto import hash_of, keccak256
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

# secp256k1: y² = x³ + 7 over P, of the order N.
P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


def add(one, other):
    if one is None or other is None:
        return one or other
    if one[0] == other[0]:
        if one[1] != other[1]:
            return None
        slope = 3 * one[0] ** 2 * pow(2 * one[1], -1, P)
    else:
        slope = (other[1] - one[1]) * pow(other[0] - one[0], -1, P)
    x = (slope**2 - one[0] - other[0]) % P
    return x, (slope * (one[0] - x) - one[1]) % P


def times(scalar, point):
    result = None
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def signer_of(message, signature):
    """The address that signed bytes as a wallet does (EIP-191); None for a signature that section 3 refuses."""
    data = bytes.fromhex(signature[2:])
    r, s, v = int.from_bytes(data[:32], "big"), int.from_bytes(data[32:64], "big"), data[64] % 27
    if len(data) != 65 or data[64] not in (0, 1, 27, 28) or not (0 < r < N and 0 < s <= N // 2):
        return None
    square = (r**3 + 7) % P
    y = pow(square, (P + 1) // 4, P)
    if y * y % P != square:
        return None
    point = (r, y if y & 1 == v else P - y)
    digest = keccak256(b"\x19Ethereum Signed Message:\n%d" % len(message) + message)
    back = pow(r, -1, N)
    key = add(times(s * back % N, point), times(-int.from_bytes(digest, "big") * back % N, G))
    return None if key is None else "0x" + hash_of(key[0].to_bytes(32, "big") + key[1].to_bytes(32, "big"))[26:]


class Signer:
    """The key of a node: the file node.key has its seed in 64 hex digits."""

    def __init__(self, file):
        with open(file) as lines:
            self.key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(lines.read().strip()))
        raw = self.key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        self.public_key, self.id_digits = "0x" + raw.hex(), hash_of(raw)[2:18]

    def sign(self, text):
        return "0x" + self.key.sign(text.encode()).hex()
