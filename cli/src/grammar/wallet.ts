import { solToLamports } from "@tokenctl/shared/sol";
import { solText } from "../format.ts";
import { toPath } from "../settings.ts";
import { command } from "./command.ts";
import { WALLET } from "./common.ts";
import { flag, required, text } from "./field.ts";

export const walletCommands = [
  command({
    name: "keygen",
    help: "make a wallet and write it to a file",
    effect: "writes",
    needs: "nothing",
    flags: {
      outfile: text("file to write; default: that of --keypair", {
        flag: "-o, --outfile <file>",
        names: "file",
      }),
      force: flag("replace an existing file, which loses its wallet"),
    },
    examples: ["tokenctl keygen --outfile agent.json"],
    async run({ notices, settings }, { outfile, force = false }) {
      const { writeNewKeypair } = await import("../client.ts");
      const keypair = outfile === undefined ? settings.keypairPath : toPath(outfile);
      const address = writeNewKeypair(keypair, force);
      notices.notice(`Wrote ${keypair}. This file is the wallet: keep it safe and secret.`);
      return { data: { address, keypair }, lines: [address] };
    },
  }),
  command({
    name: "address",
    help: "print the wallet's address",
    needs: "nothing",
    examples: ["tokenctl address -k agent.json"],
    async run(desk) {
      const { publicKey } = await (await import("../client.ts")).readSigner(desk);
      return { data: { address: publicKey }, lines: [publicKey] };
    },
  }),
  command({
    name: "balance",
    help: "show the SOL of a wallet, and its chain",
    operands: { wallet: WALLET },
    examples: ["tokenctl balance", "tokenctl balance $(tokenctl address -k two.json) --json"],
    tool: {
      name: "get_wallet",
      about: "The SOL pays for claims. network is absent if the service does not name its chain.",
    },
    async run(desk, { wallet }) {
      const held = await desk.client.balance({ wallet, signal: desk.signal });
      const network = await desk.network();
      return {
        data: { ...held, network },
        fields: [
          ["Balance", solToLamports(held.balanceSOL)],
          ["Wallet", held.wallet],
          ["Network", network],
        ],
        says: `${held.wallet} holds ${solText(held.balanceSOL)} on ${network ?? "an unnamed chain"}.`,
      };
    },
  }),
  command({
    name: "login",
    help: "check that the wallet can sign in",
    flags: { showToken: flag("print only the bearer token; it is a secret") },
    examples: [
      "TOKEN=$(tokenctl login --show-token)",
      'curl -H "Authorization: Bearer $TOKEN" $TOKENCTL_API_URL/api/v1/tokens/',
    ],
    // It stores nothing: each command signs in itself.
    async run(desk, { showToken }) {
      const { apiUrl } = desk.client;
      desk.notices.notice(`Signing in to ${apiUrl}`);
      const { wallet, token, expiresInSeconds } = await desk.client.login({ signal: desk.signal });
      const network = await desk.network();
      const data = { wallet, apiUrl, expiresInSeconds, network };
      if (showToken) return { data: { ...data, token }, lines: [token] };
      const life = expiresInSeconds && `valid for ${Math.floor(expiresInSeconds / 60)} min`;
      return {
        data,
        fields: [
          ["Wallet", wallet],
          ["Server", apiUrl],
          ["Network", network],
          ["Session", life],
        ],
      };
    },
  }),
  command({
    name: "redeem",
    help: "redeem an invite, if the server requires one",
    effect: "writes",
    operands: { code: required(text("the code from the server's operator")) },
    examples: ["tokenctl redeem K7QF-2MNP-9XTA-44HW"],
    async run({ client, signal }, { code }) {
      const answer = await client.redeemInvite(code, { signal });
      const invite = answer.wasInvited ? "already redeemed; this code was not used" : "redeemed";
      return {
        data: { wallet: client.address, ...answer },
        fields: [
          ["Wallet", client.address],
          ["Invite", invite],
        ],
      };
    },
  }),
];
