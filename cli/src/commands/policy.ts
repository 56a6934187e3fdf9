import { formatSol, solToLamports } from "@tokenctl/shared/sol";
import { chooseReceivers, namesOf } from "../claim-terms.ts";
import type { Desk, Result } from "../desk.ts";
import type { ModelLimits } from "../mcp/model-limits.ts";

export async function policy(desk: Desk): Promise<Result> {
  const { canAsk, client, settings, signal } = desk;
  const limits = desk.model as ModelLimits;
  const { budget, guards, launches, offered, payments } = limits;
  const network = await desk.network().catch(() => undefined);
  const isAllowed = await limits.checkChain(false, signal).then(
    () => true,
    () => false,
  );
  const today = isAllowed ? await launches.today(signal).catch(() => null) : null;
  const left = today === null ? null : Math.max(0, launches.limit - today.size);
  const isRefused = guards.confirm && !canAsk;
  const may = guards.readOnly
    ? "no launches"
    : isRefused
      ? "no launches and no claims, because this client cannot ask its user and --no-confirm is not set"
      : `${left ?? "an unknown number of"} launches left today (UTC)`;
  const payout = chooseReceivers(settings, client.address);
  const data = {
    wallet: client.address,
    apiUrl: client.apiUrl,
    network,
    readOnly: guards.readOnly,
    tools: offered,
    allowMainnet: guards.allowMainnet,
    asksUser: guards.confirm && canAsk,
    needsUser: guards.confirm,
    launches: {
      maxPerDay: launches.limit,
      today: today && [...today],
      left: guards.readOnly || isRefused ? 0 : left,
      maxCostSOL: payments && formatSol(solToLamports(payments.maxCostSOL)),
    },
    claimFeesLeftSOL: formatSol(budget.left),
    claimsPay: payout ? namesOf(payout) : client.address,
  };
  const is = isAllowed ? "allowed" : "not allowed";
  return { data, says: `Wallet ${client.address} at ${client.apiUrl}, ${is}: ${may}.` };
}
