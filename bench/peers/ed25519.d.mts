export function isSafeKey(publicKey: Uint8Array): boolean;
export function verifyNative(
  message: Uint8Array,
  signature: Uint8Array,
  publicKey: Uint8Array,
): boolean;
