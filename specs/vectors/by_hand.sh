#!/bin/sh
# Recomputes one event and one checkpoint with public tools (specs/proofs.md T-70): b3sum, openssl 3, xxd and what every Unix
# has. Run it in a folder with a ledger's chain.jsonl, signed with one key so far, and its anchors.
N=1                                                # the event's seq
sed -n "$((N + 1))p" chain.jsonl | tr -d '\n' > line
SIG=$(sed 's/.*,"sig":"\([A-Za-z0-9_-]*\)".*/\1/' line)
sed "s/\(,\"sig\":\"$SIG\"\).*/\1/" line | tr -d '\n' > head
sed "s/^{\"event\"://; s/,\"sig\":\"$SIG\"\$//" head | tr -d '\n' > event
# The id: it is the `prev` of the event after it.
b3sum --derive-key "memory-ledger 2026-11-20 event id v1" --no-names head
sed -n "$((N + 2))p" chain.jsonl | sed 's/.*"prev":"\([0-9a-f]*\)".*/\1/'
# The payload's commitment: it is `commit` of the event.
sed "s/.*,\"payload\"://; s/}\$//" line | tr -d '\n' > payload
b3sum --derive-key "memory-ledger 2026-11-20 payload v1" --no-names payload
sed 's/.*"commit":"\([0-9a-f]*\)".*/\1/' event; echo
# The signature, by the key in the genesis. 302a300506032b6570032100 is what DER puts before an Ed25519 key.
KEY=$(sed -n 1p chain.jsonl | sed 's/.*"key":"\([0-9a-f]*\)".*/\1/')
printf '302a300506032b6570032100%s' "$KEY" | xxd -r -p > key.der
{ printf 'memory-ledger/v1 event\n'; cat event; } > signed
printf '%s==' "$SIG" | tr '_-' '/+' | openssl base64 -d -A > signature
openssl pkeyutl -verify -pubin -keyform DER -inkey key.der -rawin -in signed -sigfile signature
# The leaf of the tree. The hash of a tree of one event is its root.
{ printf '\0'; cat head; } | openssl dgst -sha256 -binary | openssl base64
# The checkpoint's own signature, by the same key.
FILE=$(ls anchors/*.checkpoint | head -n 1)
head -n 3 "$FILE" > text
sed -n 5p "$FILE" | sed 's/.* //' | openssl base64 -d -A | tail -c 64 > signature
openssl pkeyutl -verify -pubin -keyform DER -inkey key.der -rawin -in text -sigfile signature
