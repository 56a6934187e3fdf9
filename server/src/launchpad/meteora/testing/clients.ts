import { CpAmm } from "@meteora-ag/cp-amm-sdk";
import { DynamicBondingCurveClient } from "@meteora-ag/dynamic-bonding-curve-sdk";
import type { Connection } from "@solana/web3.js";

export interface MeteoraClients {
  readonly curve: DynamicBondingCurveClient;
  readonly liquidity: CpAmm;
}

/** Kept because creating them takes 150 ms, more than most transactions here. */
const made = new WeakMap<Connection, MeteoraClients>();

export function meteoraClients(connection: Connection): MeteoraClients {
  const known = made.get(connection);
  if (known) return known;
  const clients = {
    curve: DynamicBondingCurveClient.create(connection),
    liquidity: new CpAmm(connection),
  };
  made.set(connection, clients);
  return clients;
}
