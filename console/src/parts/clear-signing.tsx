import { useEffect, useRef, useState } from "preact/hooks";
import { onQuestion, type Question } from "../data/confirm.ts";
import { sum } from "../data/fees.ts";
import { useSession } from "../data/session.ts";
import { Address, ExactSol } from "./format.tsx";

/** Says what a claim's transaction does, before the wallet is asked. */
export function ClearSigning() {
  const [question, setQuestion] = useState<Question | null>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => onQuestion(setQuestion), []);
  useEffect(() => {
    if (question && !dialog.current?.open) dialog.current?.showModal();
    if (!question) dialog.current?.close();
  }, [question]);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="signing-title"
      onCancel={(event) => {
        event.preventDefault();
        question?.answer(false);
      }}
    >
      {question && <Words {...question} />}
    </dialog>
  );
}

function Words({ tickers, claimable, cost, expiresAt, answer }: Question) {
  const { address, walletName } = useSession();
  const { networkFeeLamports, createdAccounts, sponsor } = cost;
  const rentLamports = sum(createdAccounts.map(({ lamports }) => lamports));
  return (
    <>
      <h2 id="signing-title">What you are about to sign</h2>
      <p>
        This transaction takes the fees that <strong>{tickers.join(", ")}</strong> earned, now about{" "}
        <ExactSol lamports={claimable} />, and pays all of them to your wallet.
      </p>
      <dl>
        <dt>Paid to</dt>
        <dd>
          <Address value={address} />
        </dd>
        <dt>Network fee, at most</dt>
        <dd>
          <ExactSol lamports={networkFeeLamports} />
        </dd>
        {rentLamports > 0n && (
          <>
            <dt>Rent of new token accounts, at most</dt>
            <dd>
              <ExactSol lamports={rentLamports} />
            </dd>
          </>
        )}
        {sponsor && (
          <>
            <dt>Paid in advance by the service, repaid out of the fees</dt>
            <dd>
              <ExactSol lamports={sponsor.repaidLamports} />
            </dd>
          </>
        )}
        {expiresAt && (
          <>
            <dt>Time left before it is renewed</dt>
            <dd>
              <TimeLeft until={expiresAt} />
            </dd>
          </>
        )}
      </dl>
      <p class="checked">
        This page has checked each instruction. Apart from the costs above, the transaction pays
        only you; it moves no other token and gives no one else access to your wallet.
      </p>
      <div class="row end">
        <button type="button" onClick={() => answer(false)}>
          Cancel
        </button>
        <button type="button" class="primary" autofocus onClick={() => answer(true)}>
          Sign with {walletName}
        </button>
      </div>
    </>
  );
}

/** Counts down by the second. */
function TimeLeft({ until }: { readonly until: Date }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return <span role="timer">{Math.max(0, Math.round((until.getTime() - now) / 1_000))} s</span>;
}
