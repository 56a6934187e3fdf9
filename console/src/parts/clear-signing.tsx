import { type ExplainedTransaction, explainTransaction } from "@tokenctl/sdk";
import { solToLamports } from "@tokenctl/shared/sol";
import { Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type ClaimQuestion, type LaunchQuestion, question } from "../data/confirm.ts";
import { sum } from "../data/fees.ts";
import { useSession } from "../data/session.ts";
import { useShared } from "../data/shared.ts";
import { Address, ExactSol, TimeLeft } from "./format.tsx";
import { Icon } from "./icon.tsx";
import { Button, Dialog } from "./ui.tsx";

/** Says what a transaction does, before the wallet is asked. */
export function ClearSigning() {
  const asked = useShared(question);
  if (asked === null) return null;
  return (
    <Dialog titleId="signing-title" onCancel={() => asked.answer(false)}>
      {asked.kind === "claim" ? <ClaimWords {...asked} /> : <LaunchWords {...asked} />}
      {asked.transaction !== undefined && <Instructions transaction={asked.transaction} />}
      <Answers answer={asked.answer} />
    </Dialog>
  );
}

/** Says what each instruction does, in the words of `tokenctl explain`. */
function Instructions({ transaction }: { readonly transaction: string }) {
  const { address } = useSession();
  const [texts, setTexts] = useState<readonly string[]>([]);
  useEffect(() => {
    const show = ({ instructions }: ExplainedTransaction) =>
      setTexts(instructions.map(({ text }) => text));
    // What cannot be explained is not shown; the SDK has checked it.
    const names = { [address]: "your wallet" };
    void explainTransaction(transaction, { names }).then(show, () => setTexts([]));
  }, [transaction, address]);
  if (texts.length === 0) return null;
  return (
    <details>
      <summary>Each instruction, in words</summary>
      <ol class="in-words">
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ol>
    </details>
  );
}

function Answers({ answer }: { readonly answer: (yes: boolean) => void }) {
  const { walletName } = useSession();
  return (
    <div class="line end first">
      <Button kind="primary" autofocus onClick={() => answer(true)}>
        Sign with {walletName}
      </Button>
      <Button onClick={() => answer(false)}>Not now</Button>
    </div>
  );
}

function LaunchWords({ ticker, cost }: LaunchQuestion) {
  const { address } = useSession();
  const buys = cost.firstBuy > 0;
  const parts = [
    [`First buy of ${ticker}`, cost.firstBuy],
    ["Rent of the token's accounts", cost.rent],
    ["Creation fee, as the service says", cost.creationFee],
    ["Network fee", cost.networkFee],
  ] as const;
  return (
    <>
      <h2 id="signing-title">
        <span class="label">You pay at most</span>{" "}
        <span class="sum">
          <ExactSol lamports={solToLamports(cost.total)} />
        </span>
      </h2>
      <dl class="receipt">
        {parts
          .filter(([, sol]) => sol > 0)
          .map(([name, sol]) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>
                <ExactSol lamports={solToLamports(sol)} />
              </dd>
            </Fragment>
          ))}
        <dt>Creator, who earns the fees</dt>
        <dd>
          <Address value={address} />
        </dd>
      </dl>
      <p class="checked">
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

function ClaimWords({ tickers, claimable, cost, expiresAt }: ClaimQuestion) {
  const { address } = useSession();
  const { networkFeeLamports, createdAccounts, sponsor, receivers } = cost;
  const [receiver] = receivers ?? [];
  const rentLamports = sum(createdAccounts.map(({ lamports }) => lamports));
  // What a sponsor advances is repaid, and the rent in it comes back: neither costs anything.
  const received = receiver?.lamports ?? claimable - networkFeeLamports - rentLamports;
  return (
    <>
      <h2 id="signing-title">
        <span class="label">{receiver ? "Your payout address receives" : "You receive"}</span>{" "}
        <span class="sum">
          <ExactSol lamports={received > 0n ? received : 0n} />
        </span>
      </h2>
      <dl class="receipt">
        <dt>Fees of {tickers.join(", ")}</dt>
        <dd>
          <ExactSol lamports={claimable} />
        </dd>
        <dt>Network fee, at most</dt>
        <dd>
          − <ExactSol lamports={networkFeeLamports} />
        </dd>
        {rentLamports > 0n && (
          <>
            <dt>Rent of new token accounts, at most</dt>
            <dd>
              − <ExactSol lamports={rentLamports} />
            </dd>
          </>
        )}
        {receiver ? (
          <>
            <dt class="wide">To</dt>
            <dd class="wide">
              <code>{receiver.address}</code>
            </dd>
          </>
        ) : (
          <>
            <dt>To your wallet</dt>
            <dd>
              <Address value={address} />
            </dd>
          </>
        )}
        {expiresAt && (
          <>
            <dt>Renewed in</dt>
            <dd>
              <TimeLeft until={expiresAt} />
            </dd>
          </>
        )}
      </dl>
      {sponsor && (
        <p>
          Your wallet needs no SOL: the service advances the network fee, and this transaction
          repays it out of the fees.
        </p>
      )}
      <p class="checked">
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
