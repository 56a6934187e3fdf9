"""Ed25519 (RFC 8032, section 5.1) in plain Python, so that the example needs no package.

It signs in a few milliseconds, but not in constant time: anyone who can measure it closely may learn the key.
Where that matters, use a package such as PyNaCl: `nacl.signing.SigningKey(seed).sign(data).signature`.
"""

import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def _recover_x(y: int, sign: int) -> int:
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    return P - x if x & 1 != sign else x


# Points are (X, Y, Z, T) with x = X / Z, y = Y / Z and x * y = T / Z.
_Y = 4 * pow(5, -1, P) % P
_X = _recover_x(_Y, 0)
BASE = (_X, _Y, 1, _X * _Y % P)


def _add(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def _multiply(scalar: int, point):
    product = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            product = _add(product, point)
        point = _add(point, point)
        scalar >>= 1
    return product


def _compress(point) -> bytes:
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _expand(seed: bytes) -> tuple[int, bytes]:
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little")
    return scalar & ((1 << 254) - 8) | (1 << 254), digest[32:]


def public_key(seed: bytes) -> bytes:
    """Returns the 32 bytes of the public key of a seed of 32 bytes."""
    return _compress(_multiply(_expand(seed)[0], BASE))


def sign(seed: bytes, data: bytes) -> bytes:
    """Returns the 64 bytes of the signature of `data`."""
    scalar, prefix = _expand(seed)
    key = public_key(seed)
    r = int.from_bytes(hashlib.sha512(prefix + data).digest(), "little") % ORDER
    point = _compress(_multiply(r, BASE))
    challenge = int.from_bytes(hashlib.sha512(point + key + data).digest(), "little") % ORDER
    return point + ((r + challenge * scalar) % ORDER).to_bytes(32, "little")
