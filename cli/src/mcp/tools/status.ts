import { Type } from "@sinclair/typebox";
import { HealthSchema } from "@tokenctl/shared/contract/service";
import { formatSol } from "@tokenctl/shared/sol";
import { namesOf } from "../../receivers.ts";
import { toolsOf } from "../tool.ts";

const tool = toolsOf("status");

export const statusTools = [
  tool({
    name: "get_policy",
    title: "What is allowed",
    description:
      "Reads what this MCP server may do: its wallet and service, its tools, the UTC day's remaining launches, the remaining cost of claims, claimsPay, and whether this client's user is asked first. A client that cannot ask can neither launch nor claim, unless the owner allows it. No argument of a tool changes this.",
    input: {},
    output: Type.Object({
      wallet: Type.String(),
      apiUrl: Type.String(),
      network: Type.Union([Type.String(), Type.Null()]),
      readOnly: Type.Boolean(),
      tools: Type.Array(Type.String()),
      allowMainnet: Type.Boolean(),
      asksUser: Type.Boolean(),
      needsUser: Type.Boolean(),
      launches: Type.Object({
        maxPerDay: Type.Integer(),
        today: Type.Union([Type.Array(Type.String()), Type.Null()]),
        left: Type.Union([Type.Integer(), Type.Null()]),
        maxCostSOL: Type.Union([Type.String(), Type.Null()]),
      }),
      claimFeesLeftSOL: Type.String(),
      claimsPay: Type.String(),
    }),
    async run(desk, _input, { signal, canAsk }) {
      const { client, guards, network, allowance, payments, budget, payout, offered } = desk;
      // This answers even if the service does not.
      const name = await network.read(signal).catch(() => null);
      const isAllowed = await network.check(false, signal).then(
        () => true,
        () => false,
      );
      const today = isAllowed ? await allowance.today(signal).catch(() => null) : null;
      const left = today === null ? null : Math.max(0, allowance.limit - today.size);
      const isRefused = guards.confirm && !canAsk;
      const launches = guards.readOnly
        ? "no launches"
        : isRefused
          ? "no launches and no claims, because this client cannot ask its user and --no-confirm is not set"
          : `${left ?? "an unknown number of"} launches left today (UTC)`;
      return {
        text: `Wallet ${client.address} at ${client.apiUrl}, ${isAllowed ? "allowed" : "not allowed"}: ${launches}.`,
        data: {
          wallet: client.address,
          apiUrl: client.apiUrl,
          network: name,
          readOnly: guards.readOnly,
          tools: [...offered],
          allowMainnet: guards.allowMainnet,
          asksUser: guards.confirm && canAsk,
          needsUser: guards.confirm,
          launches: {
            maxPerDay: allowance.limit,
            today: today && [...today],
            left: guards.readOnly || isRefused ? 0 : left,
            maxCostSOL: payments?.maxCostSOL ?? null,
          },
          claimFeesLeftSOL: formatSol(budget.left),
          claimsPay: payout ? namesOf(payout) : client.address,
        },
      };
    },
  }),
  tool({
    name: "get_health",
    title: "Check the service",
    description:
      "Reads whether the token launch service works, what is down, and which chain it uses.",
    input: {},
    output: HealthSchema,
    async run({ client }, _input, { signal }) {
      const data = await client.health({ signal });
      const text = data.ok ? "The service works." : `The service is unhealthy: ${data.message}.`;
      return { text, data };
    },
  }),
];
