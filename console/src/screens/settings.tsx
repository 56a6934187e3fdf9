import type { FeeThreshold, Webhook, WebhookWithSecret } from "@tokenctl/sdk";
import { limits } from "@tokenctl/shared/limits";
import { useState } from "preact/hooks";
import { useLoad } from "../data/load.ts";
import { NETWORK_NAMES } from "../data/network.ts";
import { payoutAddress, setPayoutAddress } from "../data/payout.ts";
import { useSession } from "../data/session.ts";
import { confirmed } from "../parts/confirmation.tsx";
import { Field } from "../parts/field.tsx";
import { Address, Copy, Time } from "../parts/format.tsx";
import { notice } from "../parts/notices.tsx";
import { inWords, Ready } from "../parts/states.tsx";
import { Badge, Button, Card, Dot, Empty, Item } from "../parts/ui.tsx";

/** What the agent is told, and where. */
export function Settings() {
  const { address, walletName, network } = useSession();
  return (
    <>
      <h1>Settings</h1>
      <Card title="Wallet">
        <dl>
          <dt>{walletName}</dt>
          <dd>
            <Address value={address} />
          </dd>
          <dt>Network</dt>
          <dd>{NETWORK_NAMES[network]}</dd>
        </dl>
      </Card>
      <Payout />
      <Thresholds />
      <Webhooks />
    </>
  );
}

/** Work that a form starts: it rests while it runs, and keeps what went wrong. */
function useWork() {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const run = async (work: () => Promise<unknown>) => {
    setIsBusy(true);
    setProblem(undefined);
    await work().catch((error) => setProblem(inWords(error).text));
    setIsBusy(false);
  };
  return { isBusy, problem, run };
}

/** The wallet that claims pay. */
function Payout() {
  const { address } = useSession();
  const [kept, setKept] = useState(() => payoutAddress(address));
  const [typed, setTyped] = useState("");
  const { problem, run } = useWork();
  const keep = (value: string | null) =>
    void run(async () => {
      setPayoutAddress(address, value);
      setKept(value);
      setTyped("");
    });
  return (
    <Card title="Payout address">
      <p class="soft">
        Fees that you claim on this page go to this wallet instead of yours. The address stays in
        this browser, where the service cannot change it, and you see it before each signature.
      </p>
      {kept === null ? (
        <form
          class="inline"
          onSubmit={(event) => {
            event.preventDefault();
            keep(typed.trim());
          }}
        >
          <Field
            name="payout"
            label="Address of a wallet"
            value={typed}
            problem={problem}
            onInput={setTyped}
          />
          <Button type="submit" disabled={typed.trim() === ""}>
            Keep
          </Button>
        </form>
      ) : (
        <div class="line">
          <code>{kept}</code>
          <Button aria-label="Remove the payout address" onClick={() => keep(null)}>
            Remove
          </Button>
        </div>
      )}
    </Card>
  );
}

/** The claimable fees from which on the agent is told. */
function Thresholds() {
  const { client } = useSession();
  const [typed, setTyped] = useState("");
  const [mint, setMint] = useState("");
  const { isBusy, problem, run } = useWork();
  const thresholds = useLoad((signal) => client.feeThresholds({ signal }), [client]);
  const tokens = useLoad((signal) => client.tokens({ signal }), [client]);
  const nameOf = ({ tokenMint }: FeeThreshold) =>
    tokenMint === null
      ? "All tokens"
      : (tokens.data?.tokens.find((token) => token.tokenMint === tokenMint)?.ticker ?? tokenMint);
  const add = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await client.setFeeThreshold({ claimableSOL: typed, tokenMint: mint || undefined });
      setTyped("");
      thresholds.reload();
      notice("The threshold is set");
    });
  };
  const remove = (threshold: FeeThreshold) =>
    run(async () => {
      await client.deleteFeeThreshold({ tokenMint: threshold.tokenMint ?? undefined });
      thresholds.reload();
    });
  return (
    <Card title="Fee thresholds">
      <p class="soft">You are told when a token's claimable fees reach a threshold.</p>
      <Ready of={thresholds} what="your thresholds" lines={1}>
        {(read) => (
          <ul>
            {read.thresholds.map((threshold) => (
              <Item
                key={threshold.tokenMint}
                lead={<Dot icon="bell" />}
                title={<span class="clip">{nameOf(threshold)}</span>}
                end={`${threshold.claimableSOL} SOL`}
                action={
                  <Button
                    disabled={isBusy}
                    aria-label={`Remove the threshold of ${nameOf(threshold)}`}
                    onClick={() => void remove(threshold)}
                  >
                    Remove
                  </Button>
                }
              />
            ))}
          </ul>
        )}
      </Ready>
      <form class="inline threshold" onSubmit={add}>
        <div class="field">
          <label for="threshold-of">For</label>
          <select
            id="threshold-of"
            value={mint}
            onChange={(event) => setMint(event.currentTarget.value)}
          >
            <option value="">All tokens</option>
            {tokens.data?.tokens.map(({ tokenMint, ticker }) => (
              <option key={tokenMint} value={tokenMint}>
                {ticker}
              </option>
            ))}
          </select>
        </div>
        <Field
          name="threshold"
          label="Threshold in SOL"
          value={typed}
          placeholder="0.5"
          problem={problem}
          onInput={setTyped}
        />
        <Button type="submit" isBusy={isBusy} disabled={typed === ""}>
          Set
        </Button>
      </form>
    </Card>
  );
}

/** The receivers to which the agent's events are sent. */
function Webhooks() {
  const { client } = useSession();
  const [url, setUrl] = useState("");
  const [added, setAdded] = useState<WebhookWithSecret | null>(null);
  const { isBusy, problem, run } = useWork();
  const webhooks = useLoad((signal) => client.webhooks.list({ signal }), [client]);
  const add = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      setAdded(await client.webhooks.create({ url: url.trim() }));
      setUrl("");
      webhooks.reload();
    });
  };
  const remove = async ({ id, url: receiver }: Webhook) => {
    const text = `${receiver} gets no more events.`;
    if (!(await confirmed({ title: "Remove this webhook?", text, yes: "Remove" }))) return;
    await run(async () => {
      await client.webhooks.delete(id);
      webhooks.reload();
    });
  };
  const test = ({ id }: Webhook) =>
    run(async () => {
      await client.webhooks.test(id);
      notice("A test is on its way");
    });
  return (
    <Card title="Webhooks">
      <p class="soft">Each of your events is sent to these addresses, signed.</p>
      <Ready of={webhooks} what="your webhooks" lines={1}>
        {(read) =>
          read.webhooks.length === 0 ? (
            <Empty title="No webhooks yet">
              <p>Add the address of a program that should hear of your events.</p>
            </Empty>
          ) : (
            <ul>
              {read.webhooks.map((webhook) => (
                <Item
                  key={webhook.id}
                  lead={<Dot icon="activity" tone={webhook.disabledAt ? "bad" : "plain"} />}
                  title={
                    <>
                      <span class="clip" title={webhook.url}>
                        {webhook.url}
                      </span>
                      <WebhookState {...webhook} />
                    </>
                  }
                  sub={
                    <>
                      Added <Time iso={webhook.createdAt} />
                    </>
                  }
                  action={
                    <>
                      <Button disabled={isBusy} onClick={() => void test(webhook)}>
                        Test
                      </Button>
                      <Button disabled={isBusy} onClick={() => void remove(webhook)}>
                        Remove …
                      </Button>
                    </>
                  }
                />
              ))}
            </ul>
          )
        }
      </Ready>
      {added && (
        <p class="checked" role="status">
          <span>
            The secret of {added.url} is shown only now: <code>{added.secret}</code>
            <Copy text={added.secret} />
          </span>
        </p>
      )}
      <form class="inline" onSubmit={add}>
        <Field
          name="webhook"
          label="Address of a receiver"
          value={url}
          max={limits.webhook.url}
          placeholder="https://example.com/events"
          problem={problem}
          onInput={setUrl}
        />
        <Button type="submit" isBusy={isBusy} disabled={url.trim() === ""}>
          Add
        </Button>
      </form>
    </Card>
  );
}

function WebhookState({ disabledAt, failures }: Webhook) {
  if (disabledAt !== null) return <Badge tone="bad">switched off by the receiver</Badge>;
  return failures > 0 ? <Badge tone="warn">{failures} failed</Badge> : null;
}
