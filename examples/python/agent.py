"""An agent of Python's standard library alone: it signs in, launches a token, waits for it, and claims its fees.

    python3 examples/python/agent.py          (Python 3.10 or newer)
    python3 examples/python/agent.py --pay    pays for the launch itself, where the service offers that

TOKENCTL_API_URL    the server (default http://127.0.0.1:8787)
TOKENCTL_KEYPAIR    a keypair file of the Solana tools (default on a sandbox: a new wallet, which is not kept)

On a sandbox server it also gives its wallet SOL and buys the token, so that there are fees. All that it
knows of the API is in the server's OpenAPI document, at /openapi/json. It trusts the server in one thing: of a
transaction it checks who pays and who signs, and not what the instructions do.
"""

import base64
import http.client
import json
import os
import secrets
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

import ed25519

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
SIGN_IN = "Sign this message to authenticate: "
# How often a request that may be repeated is sent at most.
ATTEMPTS = 5
# What a launch may cost that the agent pays for.
MOST_SOL = 0.1


# No answer arrived, or not all of it: whether the request was done is not known.
NO_ANSWER = (OSError, http.client.HTTPException)


class ApiError(Exception):
    """An answer outside 2xx."""

    def __init__(self, status: int, body: dict, retry_after: str | None):
        super().__init__(" ".join(filter(None, [body.get("error"), body.get("message")])))
        self.status = status
        self.code = body.get("code")
        self.retry_after = int(retry_after) if retry_after and retry_after.isdigit() else None


def base58(data: bytes) -> str:
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


class Agent:
    def __init__(self, url: str, seed: bytes):
        self.url, self.seed = url.rstrip("/"), seed
        self.key = ed25519.public_key(seed)
        self.address = base58(self.key)
        self.token: str | None = None

    def send(self, method: str, path: str, body: dict | None = None, headers: dict | None = None):
        """Sends one request. Raises ApiError for an answer outside 2xx."""
        request = urllib.request.Request(self.url + path, method=method, headers=headers or {})
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=160) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            text = error.read()
            body = json.loads(text) if text.startswith(b"{") else {"error": f"HTTP {error.code}"}
            raise ApiError(error.code, body, error.headers.get("Retry-After")) from None

    def call(self, method: str, path: str, body: dict | None = None, headers: dict | None = None):
        """Sends a request that does no more if it is sent twice, until it is answered."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self.send(method, path, body, headers)
            except ApiError as error:
                if error.code == "invalid_token" and attempt < ATTEMPTS:
                    self.sign_in()
                    continue
                if error.status not in (429, 503) or attempt == ATTEMPTS:
                    raise
                problem = error
                delay = error.retry_after if error.retry_after is not None else 2**attempt
            except NO_ANSWER as error:
                if attempt == ATTEMPTS:
                    raise
                problem, delay = error, 2**attempt
            delay = min(delay, 30)
            print(f"{method} {path}: {problem}; again in {delay} s", file=sys.stderr)
            time.sleep(delay)

    def sign_in(self) -> None:
        self.token = None
        nonce = self.call("POST", "/api/auth/challenge", {"wallet": self.address})["nonce"]
        # A server in between could pass on another server's nonce, and sign in there as this agent.
        host = urllib.parse.urlsplit(self.url).netloc
        if not nonce.startswith(f"{host}/"):
            raise SystemExit(f"The nonce is not of {host}: {nonce}")
        signature = base58(ed25519.sign(self.seed, (SIGN_IN + nonce).encode()))
        verified = {"wallet": self.address, "nonce": nonce, "signature": signature}
        self.token = self.send("POST", "/api/auth/verify", verified)["token"]

    def launch(self, name: str, ticker: str, pays: bool) -> dict:
        """Launches a token. Returns its status once it is on the chain."""
        key = {"Idempotency-Key": str(uuid.uuid4())}
        body = {"name": name, "ticker": ticker, **({"payer": "agent"} if pays else {})}
        event_id = self.call("POST", "/api/v1/tokens/launch", body, key)["eventId"]
        # Most launches take about a second on a sandbox, and longer on a cluster.
        delay = 1
        while True:
            launch = self.call("GET", f"/api/v1/tokens/launch/status/{event_id}")
            if launch["status"] == "success":
                return launch
            # Again if the transaction has expired: that one cost nothing.
            if launch.get("waitingFor") == "agent_signature":
                self.pay(event_id)
            if launch["status"] != "pending":
                raise SystemExit(f"The launch ended {launch['status']}: {launch['error']}")
            time.sleep(delay)
            delay = 5

    def pay(self, event_id: str) -> None:
        """Signs a launch that this wallet pays for; the service adds the mint's signature."""
        path = f"/api/v1/tokens/launch/{event_id}/transaction"
        prepared = self.call("POST", path)
        cost = prepared["costSOL"]["total"]
        if cost > MOST_SOL:
            raise SystemExit(f"The launch costs {cost} SOL, more than {MOST_SOL}")
        signed = self.signed(base64.b64decode(prepared["transaction"]), place=0)
        self.call("POST", path, {"signedTransaction": base64.b64encode(signed).decode()})

    def claim(self, mint: str) -> dict:
        """Claims the fees of a token, and returns the receipt."""
        path = f"/api/v1/tokens/claims/{mint}"
        prepared = self.call("POST", path)
        # In a sponsored claim the service's signature comes first.
        place = 1 if prepared.get("sponsored") else 0
        transaction = base64.b64decode(prepared["transaction"])
        if transaction[0] != place + 1:
            raise SystemExit("This is not a claim for this wallet alone to sign")
        signed = self.signed(transaction, place)
        return self.call("POST", path, {"signedTransaction": base64.b64encode(signed).decode()})

    def signed(self, transaction: bytes, place: int) -> bytes:
        """Returns the transaction with this wallet's signature in its place, from 0."""
        places = transaction[0]
        message = transaction[1 + 64 * places :]
        # Behind a header of three bytes and their number: the accounts, first those that sign.
        account = message[4 + 32 * place : 36 + 32 * place]
        if message[:1] != transaction[:1] or account != self.key:
            raise SystemExit("This is not a transaction for this wallet to sign")
        start = 1 + 64 * place
        signature = ed25519.sign(self.seed, message)
        return transaction[:start] + signature + transaction[start + 64 :]


def wallet_seed() -> bytes:
    path = os.environ.get("TOKENCTL_KEYPAIR")
    if path is None:
        return secrets.token_bytes(32)
    try:
        with open(path, encoding="utf-8") as file:
            pair = bytes(json.load(file))
    except (OSError, ValueError, TypeError) as error:
        raise SystemExit(f"{path} cannot be read as a keypair file: {error}") from None
    # The seed and the public key that it makes, or the file is damaged and this would be another wallet.
    if len(pair) != 64 or ed25519.public_key(pair[:32]) != pair[32:]:
        raise SystemExit(f"{path} is not a keypair file: it has no 64 numbers of one key pair")
    return pair[:32]


def on_sandbox(agent: Agent, path: str, body: dict) -> None:
    try:
        agent.send("POST", path, body)
    except ApiError as error:
        # Only a sandbox has it.
        if error.status != 404:
            raise


def main() -> None:
    url = os.environ.get("TOKENCTL_API_URL", "http://127.0.0.1:8787")
    if not url.startswith(("http://", "https://")):
        raise SystemExit(f"TOKENCTL_API_URL is not an http or https URL: {url}")
    if set(sys.argv[1:]) - {"--pay"}:
        raise SystemExit(__doc__)
    agent = Agent(url, wallet_seed())
    if "TOKENCTL_KEYPAIR" not in os.environ and agent.call("GET", "/health").get("network") != "sandbox":
        raise SystemExit("Set TOKENCTL_KEYPAIR: this is no sandbox, and a wallet that is not kept loses its fees")
    print(f"I am {agent.address}")
    agent.sign_in()
    ticker = "PY" + "".join(secrets.choice("ABCDEFGHJKMNPQRSTUVWXYZ23456789") for _ in range(6))
    on_sandbox(agent, "/dev/airdrop", {"sol": 1})
    launch = agent.launch("A token of a Python agent", ticker, pays="--pay" in sys.argv)
    mint = launch["tokenMint"]
    print(f"{ticker} trades: mint {mint}")
    if "costSOL" in launch:
        print(f"The launch cost {launch['costSOL']} SOL")
    on_sandbox(agent, "/dev/trade", {"tokenMint": mint, "side": "buy", "sol": 2})
    fees = next(c for c in agent.call("GET", "/api/v1/tokens/claims")["claims"] if c["tokenMint"] == mint)
    claimable = fees["dbcClaimableFees"] + fees["lpClaimableFees"]
    print(f"Claimable: {claimable} SOL")
    if claimable > 0:
        receipt = agent.claim(mint)
        print(f"Claimed {receipt['claimedSOL']} SOL: {receipt['transactionHash']}")


if __name__ == "__main__":
    try:
        main()
    except (ApiError, *NO_ANSWER) as error:
        sys.exit(f"{error}")
    except json.JSONDecodeError:
        sys.exit("The answer is not JSON: this is another server's address")
    except KeyboardInterrupt:
        sys.exit(130)
