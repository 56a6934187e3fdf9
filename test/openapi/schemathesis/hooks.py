"""What JSON Schema cannot say of a request, so that one which keeps to its schema may be refused."""

import schemathesis
from schemathesis.specs.openapi.checks import (
    positive_data_acceptance,
    response_schema_conformance,
    status_code_conformance,
)

# By the answer's `code`: these depend on what the server has.
CODES = {
    "events_gone": "an event of a number that there is not, or not any more",
    "claim_mismatch": "a transaction that the server did not make",
    "hand_over_mismatch": "a transaction that the server did not make",
    "launch_mismatch": "a transaction that the server did not make",
    "image_refused": "bytes that are no picture",
    "mint_required": "no mints, for which the contract has a code of its own",
}
# By the start of a field's message, where that says more than the schema can.
RULES = {
    "must be a base58 ": "base58 of the right length, but not of 32 bytes",
    "must be a mint address": "the same",
    "must be the address of a wallet": "the same",
    "must be the base58 address of another wallet": "the same, or none in step 1",
    "must be 1 to 50 mint addresses ": "the same for a list in one text",
    "must have shares that add up to 100": "shares of several receivers",
    "must be the nextCursor of an answer": "a cursor that no answer had",
    "must be a base64 transaction ": "base64 is longer than what it stands for",
    "must be a date or a UTC time": "a day that no month has",
    "must be a URL of at most 1024 characters": "a URL that is longer once it is written in ASCII",
    "must be an https URL of ": "a link to another host than the field is for",
    "must be a text of 1 to ": "characters that a name may not have, or more bytes than it may",
    "must be more than 0 and at most ": "a number whose decimals are more than nine",
    "must be a number of more than 0 ": "the same",
    "are named in step 1 alone": "receivers beside the transaction of step 2",
    "needs `payer`": "a first buy of a launch that another pays",
    "needs `firstBuySOL`": "the minimum of a first buy without that",
}


def is_beyond_schema(message):
    return message.startswith(tuple(RULES))


@schemathesis.check
def valid_requests_are_accepted(ctx, response, case):
    if response.status_code in (400, 410):
        body = response.json()
        messages = [detail["message"] for detail in body.get("details", [])]
        if body["code"] in CODES or (messages and all(map(is_beyond_schema, messages))):
            return None
    return positive_data_acceptance(ctx, response, case)


@schemathesis.check
def statuses_are_documented(ctx, response, case):
    # Of a request of more than 16 KiB before its body: the document's text has it, as no operation answers it.
    return None if response.status_code == 431 else status_code_conformance(ctx, response, case)


@schemathesis.check
def answers_keep_to_the_document(ctx, response, case):
    # As an Agave answers calls without an `id`: no bytes, of the type of JSON.
    if case.operation.path == "/dev/rpc" and response.content == b"":
        return None
    return response_schema_conformance(ctx, response, case)
