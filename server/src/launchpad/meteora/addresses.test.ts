import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  DAMM_V2_MIGRATION_FEE_ADDRESS,
  MigrationFeeOption,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import { Keypair, PublicKey, SystemProgram } from "@solana/web3.js";
import { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { type Program, readAccount } from "@tokenctl/shared/programs/program";
import { curvePoolAddress, metadataUri, mintKeypair } from "./launch.ts";
import { liquidityPoolAddress } from "./liquidity-reader.ts";
import { heldPosition } from "./testing/held-position.ts";
import { openMarket } from "./testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";
import { tradedAfterMigration } from "./testing/token-life.ts";

const secret = new Uint8Array(32).fill(7);
const eventId = "1d4f1a5e-6c0b-4c8e-9a55-0f6f3f3b7a11";

test("the same secret and event always make the same mint, on every machine", () => {
  expect(mintKeypair(secret, eventId).publicKey.toBase58()).toBe(
    "9QxkEeZCdp6jdM2hKUJojaz8dQ4YuZDuCSBZu4Uo1rsS",
  );
});

test("another event or another secret makes another mint", () => {
  const mint = mintKeypair(secret, eventId).publicKey;
  const otherEvent = mintKeypair(secret, "1d4f1a5e-6c0b-4c8e-9a55-0f6f3f3b7a12").publicKey;
  const otherSecret = mintKeypair(new Uint8Array(32).fill(8), eventId).publicKey;
  expect(otherEvent.equals(mint)).toBe(false);
  expect(otherSecret.equals(mint)).toBe(false);
});

test("another config makes another pool of the same mint", () => {
  const mint = mintKeypair(secret, eventId).publicKey;
  const [one, other] = [Keypair.generate().publicKey, Keypair.generate().publicKey];
  expect(curvePoolAddress(one, mint).equals(curvePoolAddress(other, mint))).toBe(false);
});

test("a migration fee option that does not exist is refused", () => {
  const mint = mintKeypair(secret, eventId).publicKey;
  expect(() => liquidityPoolAddress(7, mint)).toThrow(RangeError);
});

test("a metadata address has one slash after the public URL", () => {
  const mint = "So11111111111111111111111111111111111111112";
  const uri = `https://tokens.example/api/metadata/${mint}.json`;
  expect(metadataUri("https://tokens.example/api", mint)).toBe(uri);
  expect(metadataUri("https://tokens.example/api/", mint)).toBe(uri);
});

setDefaultTimeout(ON_CHAIN_MS);

interface Account {
  readonly owner: PublicKey;
  readonly data: Buffer;
}

describeMeteora("an account of Meteora's programs", () => {
  const found: Record<string, Account> = {};

  beforeAll(async () => {
    const { launchpad, trader } = await openMarket({});
    const { chain, connection } = launchpad.cluster;
    const { token, agent } = await tradedAfterMigration(launchpad, trader);
    const option = MigrationFeeOption.Customizable;
    const addresses = {
      VirtualPool: token.pool,
      PoolConfig: launchpad.config,
      Config: DAMM_V2_MIGRATION_FEE_ADDRESS[option],
      Pool: liquidityPoolAddress(option, token.mint),
      Position: (await heldPosition(connection, agent.publicKey)).address,
    };
    for (const [name, address] of Object.entries(addresses)) {
      const account = address && chain.getAccount(address);
      if (!account) throw new Error(`there is no account for ${name}`);
      found[name] = { owner: new PublicKey(account.owner), data: Buffer.from(account.data) };
    }
  });

  const kinds: [string, Program][] = [
    ["VirtualPool", dbc],
    ["PoolConfig", dbc],
    ["Config", dammV2],
    ["Pool", dammV2],
    ["Position", dammV2],
  ];
  test.each(kinds)(
    "is read as %s whole or longer, and neither cut short nor foreign",
    (name, program) => {
      const { owner, data } = found[name] as Account;
      const whole = JSON.stringify(readAccount(program, name, { owner, data }), exactly);
      const longer = Buffer.concat([data, Buffer.alloc(100, 7)]);
      expect(JSON.stringify(readAccount(program, name, { owner, data: longer }), exactly)).toBe(
        whole,
      );
      const others = Object.entries(found).filter(([other]) => other !== name);
      const wrong = [
        ...Array.from(data.keys(), (length) => ({ owner, data: data.subarray(0, length) })),
        ...others.map(([, account]) => account),
        { owner: SystemProgram.programId, data },
        { owner, data: Buffer.from(data).fill(9, 0, 8) },
        { owner, data: Buffer.alloc(data.length) },
      ];
      for (const account of wrong) expect(() => readAccount(program, name, account)).toThrow();
    },
  );
});

const exactly = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}` : value);
