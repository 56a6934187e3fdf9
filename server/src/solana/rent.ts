/** Lamports per byte before SIMD-0437 lowers them in steps; SIMD-0438 may raise them again. */
const USUAL_RENT_PER_BYTE = 6_960n;

/** @returns what the rent may rise to before a transaction lands, in lamports per byte */
export function highestRentPerByte(now: bigint): bigint {
  return now < USUAL_RENT_PER_BYTE ? USUAL_RENT_PER_BYTE : now;
}

/** Bytes of metadata that every account pays rent for. Source: `ACCOUNT_STORAGE_OVERHEAD` of agave. */
const OVERHEAD_BYTES = 128n;

/**
 * @param lamports a cost that is rent for the most part
 * @returns what it may become before a transaction lands; the network's fees count as rent, so it is a
 * little too much rather than too little
 */
export function atHighestRent(lamports: bigint, now: bigint): bigint {
  return now === 0n ? lamports : (lamports * highestRentPerByte(now)) / now;
}

/**
 * Reads the Rent sysvar: lamports per byte and year (u64), then years (f64). Source: `Rent` of
 * solana-sdk.
 *
 * @returns lamports that an account must hold for each byte, for example 6960n
 */
export function readRentPerByte(sysvar: Buffer): bigint {
  return BigInt(Math.trunc(Number(sysvar.readBigUInt64LE(0)) * sysvar.readDoubleLE(8)));
}

/** @returns lamports that an account of so many bytes of data must hold */
export function rentExemption(rentPerByte: bigint, bytes: number): bigint {
  return (OVERHEAD_BYTES + BigInt(bytes)) * rentPerByte;
}
