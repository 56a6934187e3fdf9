import { expect, setDefaultTimeout, test } from "bun:test";
import { Keypair, PublicKey } from "@solana/web3.js";
import { keypairSigner, TokenctlClient } from "../../sdk/src/index.ts";
import { checkAll } from "../../server/src/commands/doctor.ts";
import { readConfig } from "../../server/src/config/config.ts";
import { PRESETS } from "../../server/src/launchpad/meteora/config-terms.ts";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { buy } from "../../server/src/launchpad/meteora/testing/trades.ts";
import { startMeteoraServer } from "../support/meteora-server.ts";
import { airdrop } from "../support/node.ts";
import { run, TOKEND, tempDir } from "../support/processes.ts";

setDefaultTimeout(300_000);

const SOL = 1_000_000_000n;
/** More than a new account must hold. */
const TIP = 1_000_000n;

describeMeteora("a service whose fee falls and that tips, on the real programs", () => {
  test("lets an agent buy first at the lowest fee, and says what fees and tips it has", async () => {
    const tipped = Keypair.generate().publicKey;
    await using server = await startMeteoraServer(
      {
        PUBLIC_URL: "http://localhost",
        LAUNCH_PAYER: "either",
        TIP_ACCOUNTS: tipped.toBase58(),
        TIP_LAMPORTS: String(TIP),
      },
      PRESETS.patient,
    );
    const clientOf = async (sol: number) => {
      const keypair = Keypair.generate();
      if (sol > 0) await airdrop(server.connection, keypair.publicKey, sol * 1e9);
      const signer = keypairSigner(keypair);
      return new TokenctlClient({ apiUrl: server.url, rpcUrl: server.rpcUrl, signer });
    };

    const payer = await clientOf(2);
    const asked = { name: "First", ticker: "FIRST", payer: "agent", firstBuySOL: 1 } as const;
    const { minTokens } = await payer.quoteFirstBuy(asked);
    const { eventId } = await payer.launch({ ...asked, firstBuyMinTokens: minTokens });
    const { poolAddress } = await payer.waitForLaunch(eventId, { intervalMs: 50 });
    const feesOf = async () => (await payer.claims()).claims[0]?.dbcClaimableFees;
    // The agent gets 80 % of the fee: of the last 1 % in its own launch, of the first 25 % after it.
    expect(await feesOf()).toBe(0.008);
    const { connection, trader } = server;
    await buy(connection, { pool: new PublicKey(poolAddress ?? ""), trader }, SOL);
    expect(await feesOf()).toBeGreaterThan(0.2);

    const served = await clientOf(0);
    const launched = await served.launch({ name: "Served", ticker: "SERVED" });
    await served.waitForLaunch(launched.eventId, { intervalMs: 50 });
    expect(await server.balance(tipped.toBase58())).toBe(TIP);

    using folder = tempDir();
    // The database names the cluster, so the first node may be down.
    const nodes = { ...server.env, RPC_URL: `http://127.0.0.1:1,${server.rpcUrl}` };
    const { stdout } = await run([...TOKEND, "revenue", "--json"], folder.path, nodes);
    // What an agent signs pays no tip.
    expect(JSON.parse(stdout)).toMatchObject({ tips: String(TIP) });

    const env = { ...server.env, SEND_URLS: `${server.rpcUrl},http://127.0.0.1:1` };
    const found: string[] = [];
    for await (const { verdict, subject, text } of checkAll(readConfig(env), env)) {
      found.push(`${verdict} ${subject}: ${text}`);
    }
    expect(found).toEqual(
      expect.arrayContaining([
        "ok sender 1: is on the same cluster: transactions go there too",
        expect.stringMatching(/^warning sender 2: .*, so nothing goes there: see SEND_URLS$/),
        "ok tip: 0.001 SOL for each transaction of the launch wallet",
        expect.stringMatching(
          /^ok fees: of each trade 25 %: .*, after 60 min 1 %: .* more while the price moves, an agent's first buy 1 %; after migration/,
        ),
      ]),
    );
  });
});
