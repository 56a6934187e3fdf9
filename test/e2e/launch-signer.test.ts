import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Connection, Keypair, PublicKey } from "@solana/web3.js";
import { parseSol } from "@tokenctl/shared/sol";
import { keypairSigner, TokenctlClient } from "../../sdk/src/index.ts";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { buy } from "../../server/src/launchpad/meteora/testing/trades.ts";
import { programsFolder } from "../../server/src/localnet/programs.ts";
import { heldPort } from "../../server/src/testing/held-port.ts";
import { installBinaries } from "../support/binaries.ts";
import { configureMeteora } from "../support/meteora.ts";
import { airdrop } from "../support/node.ts";
import { ROOT, run, startLocalnet, startTokend, tempDir } from "../support/processes.ts";

setDefaultTimeout(300_000);

const SIGNER = join(ROOT, "signers/src/launch-signer.ts");

describeMeteora("with LAUNCH_SIGNER, on the real programs", () => {
  test("the key stays outside the server; while its signer is lost, launches wait", async () => {
    using folder = tempDir();
    const { tokend } = await installBinaries(folder.path);
    await using localnet = await startLocalnet(tokend, folder.path, programsFolder(process.env));
    const chain = new Connection(localnet.url, "confirmed");
    const configured = await configureMeteora(
      tokend,
      folder.path,
      localnet.url,
      "--creator-share",
      "80",
    );
    const { LAUNCH_KEYPAIR: keypair = "", ...settings } = configured.env;
    const rules = join(folder.path, "launch-signer.json");
    const listen = { port: await heldPort(), password: "open" };
    const named = { key: { keypair }, listen, configs: [configured.env.DBC_CONFIG] };
    writeFileSync(rules, JSON.stringify(named), { mode: 0o600 });
    const startSigner = async () => {
      const child = Bun.spawn([process.execPath, SIGNER, rules], { stdout: "pipe" });
      for await (const _ of child.stdout) break;
      return child;
    };
    await using stack = new AsyncDisposableStack();
    const signer = stack.use(await startSigner());
    const LAUNCH_SIGNER = `http://tokend:open@127.0.0.1:${listen.port}`;
    const env = { ...settings, PUBLIC_URL: "http://localhost", LAUNCH_SIGNER };

    const refused = await run([tokend, "config", "create"], folder.path, env);
    expect(refused.stderr).toContain("the launch signer refused: does not sign for config");
    expect(refused.exitCode).toBe(1);

    // The doctor asks for each purpose, and signs nothing.
    const doctor = await run([tokend, "doctor"], folder.path, env);
    for (const purpose of ["launch", "claim", "migrate", "collect"]) {
      expect(doctor.stdout).toContain(`ok    signer      signs for ${purpose}\n`);
    }
    expect(doctor.stdout).toContain(
      "warn  signer      the launch signer refused: does not sign for config: what needs it does not work\n",
    );

    await using server = await startTokend([tokend], folder.path, env);
    const agent = Keypair.generate();
    const client = new TokenctlClient({
      apiUrl: server.url,
      rpcUrl: localnet.url,
      signer: keypairSigner(agent),
    });

    signer.kill();
    await signer.exited;
    const { eventId } = await client.launch({ name: "Signed elsewhere", ticker: "ELSE" });
    for (;;) {
      const answer = await fetch(`${server.url}/health`);
      const { operatorMessage: message } = (await answer.json()) as { operatorMessage?: string };
      if (message === "the launch signer does not answer at all") break;
      await Bun.sleep(50);
    }
    expect(await client.launchStatus(eventId)).toMatchObject({ status: "pending" });
    stack.use(await startSigner());
    const { tokenMint, poolAddress } = await client.waitForLaunch(eventId, { intervalMs: 50 });

    const trader = Keypair.generate();
    await airdrop(chain, trader.publicKey, 10e9);
    const pool = new PublicKey(poolAddress ?? "");
    await buy(chain, { pool, trader }, parseSol("5"));
    // The agent holds no SOL, so the launch wallet pays and signs too.
    const receipt = await client.claim(tokenMint ?? "");
    expect(receipt).toMatchObject({ verified: true });
    expect(await chain.getBalance(agent.publicKey)).toBeGreaterThan(0);

    const collected = await run([tokend, "collect"], folder.path, env);
    expect(collected).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Collected 0\.\d+ SOL from 1 token, .* in 1 transaction$/m),
    });
  });
});
