import { solToLamports } from "@tokenctl/shared/sol";
import { useEffect } from "preact/hooks";
import { sum } from "../data/earnings.ts";
import { currentSession, useShared } from "../data/shared.ts";
import { type ClaimQuestion, type LaunchQuestion, type Of, question } from "../data/signing.ts";
import { Address, ExactSol } from "./format.tsx";
import { Button, Dialog, Icon, Rows } from "./ui.tsx";

export function Question() {
  const asked = useShared(question);
  const session = useShared(currentSession);
  const isConfirmation = asked?.kind === "confirm";
  const isOver = asked !== null && asked.session !== session;
  useEffect(() => {
    if (isOver) asked.answer(false);
  }, [asked, isOver]);
  if (asked === null || isOver) return null;
  return (
    <Dialog titleId="question" onCancel={() => asked.answer(false)}>
      {asked.kind === "claim" && <ClaimWords {...asked} />}
      {asked.kind === "launch" && <LaunchWords {...asked} />}
      {asked.kind === "confirm" && (
        <>
          <h2 id="question">{asked.title}</h2>
          <p>{asked.text}</p>
        </>
      )}
      <div class="line end">
        <Button autofocus={isConfirmation} onClick={() => asked.answer(false)}>
          Not now
        </Button>
        <Button
          kind={isConfirmation ? "danger" : "primary"}
          autofocus={!isConfirmation}
          onClick={() => asked.answer(true)}
        >
          {asked.kind === "confirm" ? asked.yes : `Sign with ${asked.session?.walletName}`}
        </Button>
      </div>
    </Dialog>
  );
}

function LaunchWords({ ticker, cost, session }: LaunchQuestion & Of) {
  const buys = cost.firstBuy > 0;
  return (
    <>
      <h2 id="question">
        <span class="label">You pay at most</span> <span class="sum">{exact(cost.total)}</span>
      </h2>
      <Rows
        kind="receipt"
        rows={[
          [`First buy of ${ticker}`, cost.firstBuy > 0 && exact(cost.firstBuy)],
          ["Rent of the token's accounts", cost.rent > 0 && exact(cost.rent)],
          ["Creation fee, as the service says", cost.creationFee > 0 && exact(cost.creationFee)],
          ["Network fee", cost.networkFee > 0 && exact(cost.networkFee)],
          ["Creator, who earns the fees", <Address value={session?.address ?? ""} />],
        ]}
      />
      <p class="caution good">
        <Icon name="check" />
        <span>
          This page has checked each instruction. The transaction creates {ticker}
          {buys && ", buys it for your wallet"} and gives no one else access to your wallet.
          {buys && " Wrapped SOL that your wallet holds becomes SOL."}
        </span>
      </p>
    </>
  );
}

const exact = (sol: number) => <ExactSol lamports={solToLamports(sol)} />;

const Minus = (props: { readonly lamports: bigint }) => (
  <>
    − <ExactSol {...props} />
  </>
);

function ClaimWords({ tickers, claimable, cost, session }: ClaimQuestion & Of) {
  const { networkFeeLamports, createdAccounts, sponsor, receivers } = cost;
  const [receiver] = receivers ?? [];
  const rentLamports = sum(createdAccounts.map(({ lamports }) => lamports));
  // The agent repays what a sponsor advances, and its rent comes back, so neither is a cost.
  const received = receiver?.lamports ?? claimable - networkFeeLamports - rentLamports;
  return (
    <>
      <h2 id="question">
        <span class="label">{receiver ? "Your payout address receives" : "You receive"}</span>{" "}
        <span class="sum">
          <ExactSol lamports={received > 0n ? received : 0n} />
        </span>
      </h2>
      <Rows
        kind="receipt"
        rows={[
          [`Fees of ${tickers.join(", ")}`, <ExactSol lamports={claimable} />],
          ["Network fee, at most", <Minus lamports={networkFeeLamports} />],
          [
            "Rent of new token accounts, at most",
            rentLamports > 0n && <Minus lamports={rentLamports} />,
          ],
          receiver
            ? ["To", <code>{receiver.address}</code>]
            : ["To your wallet", <Address value={session?.address ?? ""} />],
        ]}
      />
      {sponsor && (
        <p>
          Your wallet needs no SOL: the service advances the network fee, and this transaction
          repays it out of the fees.
        </p>
      )}
      <p class="caution good">
        <Icon name="check" />
        <span>
          This page has checked each instruction. The transaction pays only{" "}
          {receiver ? "this address" : "you"}, moves no other token and gives no one else access to
          your wallet.
        </span>
      </p>
    </>
  );
}
