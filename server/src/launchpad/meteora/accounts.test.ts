import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  DAMM_V2_MIGRATION_FEE_ADDRESS,
  MigrationFeeOption,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import { PublicKey, SystemProgram } from "@solana/web3.js";
import { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { type Program, readAccount } from "@tokenctl/shared/programs/program";
import { liquidityPoolAddress } from "./liquidity-reader.ts";
import { heldPosition } from "./testing/held-position.ts";
import { openMarket } from "./testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";
import { tradedAfterMigration } from "./testing/token-life.ts";

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
