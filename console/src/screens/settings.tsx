import {
  ApiError,
  type Webhook,
  type WebhookDelivery,
  type WebhookWithSecret,
} from "@tokenctl/sdk";
import { useState } from "preact/hooks";
import { decimal } from "../data/launch-request.ts";
import { useEvery, useLoad } from "../data/load.ts";
import { useNews } from "../data/news.ts";
import { anyone } from "../data/read.ts";
import { useSession } from "../data/session.ts";
import {
  confirmed,
  payoutAddress,
  removePayoutAddress,
  setPayoutAddress,
} from "../data/signing.ts";
import { FieldForm, useWork } from "../parts/field.tsx";
import { Copy, SolNumber, Time } from "../parts/format.tsx";
import { notice } from "../parts/frame.tsx";
import { Ready, usePart } from "../parts/states.tsx";
import { Badge, Button, Card, Dot, Empty, Item } from "../parts/ui.tsx";
import { deliveryWords } from "../parts/words.ts";

export function Settings() {
  return (
    <>
      <h1>Settings</h1>
      <Payout />
      <Threshold />
      <Webhooks />
    </>
  );
}

function Payout() {
  const { address } = useSession();
  const [kept, setKept] = useState(() => payoutAddress(address));
  const work = useWork();
  const keep = async (value: string) => {
    await setPayoutAddress(address, value, isToken);
    setKept(value);
  };
  const remove = () => {
    removePayoutAddress(address);
    setKept(undefined);
  };
  return (
    <Card title="Payout address">
      <p class="soft">
        Fees that you claim on this page go to this wallet instead of yours. The address stays in
        this browser, where the service cannot change it, and you see it before each signature.
      </p>
      {kept === undefined ? (
        <FieldForm
          name="payout"
          label="Address of a wallet"
          work={work}
          yes="Keep"
          onSubmit={keep}
        />
      ) : (
        <div class="line">
          <code>{kept}</code>
          <Button aria-label="Remove the payout address" onClick={remove}>
            Remove
          </Button>
        </div>
      )}
    </Card>
  );
}

async function isToken(address: string): Promise<boolean> {
  try {
    await anyone.publicToken(address);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

function Threshold() {
  const { client } = useSession();
  const work = useWork();
  const threshold = useLoad((signal) => client.feeThreshold({ signal }), [client]);
  const set = async (claimableSOL: string) => {
    await client.setFeeThreshold({ claimableSOL: Number(decimal(claimableSOL)) });
    await threshold.reload();
    notice("The threshold is set");
  };
  const remove = () =>
    work.run(async () => {
      await client.deleteFeeThreshold();
      await threshold.reload();
    });
  return (
    <Card title="Notify me when …">
      <p class="soft">
        … the fees of a token that can be claimed reach an amount: on this page, and at your
        webhooks.
      </p>
      <Ready of={threshold} what="your threshold" lines={1}>
        {({ claimableSOL }) =>
          claimableSOL !== null && (
            <ul>
              <Item
                lead={<Dot icon="bell" />}
                title="Any token"
                end={<SolNumber value={claimableSOL} />}
                action={
                  <Button
                    disabled={work.isBusy}
                    aria-label="Remove the threshold"
                    onClick={() => void remove()}
                  >
                    Remove
                  </Button>
                }
              />
            </ul>
          )
        }
      </Ready>
      <FieldForm
        name="threshold"
        label="Threshold in SOL"
        placeholder="0.5"
        work={work}
        yes="Set"
        onSubmit={set}
      />
    </Card>
  );
}

function Webhooks() {
  const { client } = useSession();
  const [added, setAdded] = useState<WebhookWithSecret | null>(null);
  const work = useWork();
  const webhooks = useLoad((signal) => client.webhooks.list({ signal }), [client]);
  const add = async (url: string) => {
    setAdded(await client.webhooks.create({ url }));
    await webhooks.reload();
  };
  const remove = async ({ id, url }: Webhook) => {
    const text = `${url} gets no more events.`;
    if (!(await confirmed({ title: "Remove this webhook?", text, yes: "Remove" }))) return;
    await work.run(async () => {
      await client.webhooks.delete(id);
      await webhooks.reload();
    });
  };
  return (
    <Card title="Webhooks">
      <p class="soft">Each of your events is sent to these addresses, signed.</p>
      <Ready of={webhooks} what="your webhooks" lines={1}>
        {(read) =>
          read.webhooks.length === 0 ? (
            <Empty title="No webhooks yet">
              <p>Add the address of a program that should receive your events.</p>
            </Empty>
          ) : (
            <ul>
              {read.webhooks.map((webhook) => (
                <Receiver
                  key={webhook.id}
                  webhook={webhook}
                  work={work}
                  onRemove={() => void remove(webhook)}
                />
              ))}
            </ul>
          )
        }
      </Ready>
      {added && (
        <p class="caution good" role="status">
          <span>
            The secret of {added.url} is shown only now: <code>{added.secret}</code>
            <Copy text={added.secret} />
          </span>
        </p>
      )}
      <FieldForm
        name="webhook"
        label="Address of a receiver"
        placeholder="https://example.com/events"
        work={work}
        yes="Add"
        onSubmit={add}
      />
    </Card>
  );
}

function Receiver(props: {
  readonly webhook: Webhook;
  readonly work: ReturnType<typeof useWork>;
  readonly onRemove: () => void;
}) {
  const { webhook, work, onRemove } = props;
  const { id, url, createdAt, failures } = webhook;
  const { webhooks } = useSession().client;
  const read = useLoad(
    (signal) => webhooks.deliveries(id, { limit: LOGGED, signal }),
    [webhooks, id, useNews()],
  );
  usePart(read);
  const test = async () => {
    await webhooks.test(id);
    notice("A test is on its way");
    await read.reload();
  };
  const [latest, ...others] = read.data?.deliveries ?? [];
  useEvery(PENDING_MS, read.reload, latest?.status === "pending" && !read.isLoading);
  return (
    <Item
      lead={<Dot icon="activity" />}
      title={
        <>
          <span class="clip" title={url}>
            {url}
          </span>
          {failures > 0 && <Badge tone="warn">{failures} failed</Badge>}
        </>
      }
      sub={
        latest ? (
          <details>
            <summary>
              Last: <Delivery {...latest} />
            </summary>
            <ol>
              {[latest, ...others].map((delivery) => (
                <li key={delivery.number}>
                  {delivery.number}. <Delivery {...delivery} />
                </li>
              ))}
            </ol>
          </details>
        ) : (
          <>
            Added <Time iso={createdAt} />, nothing sent yet
          </>
        )
      }
      action={
        <>
          <Button disabled={work.isBusy} onClick={() => void work.run(test)}>
            Test
          </Button>
          <Button disabled={work.isBusy} onClick={onRemove}>
            Remove …
          </Button>
        </>
      }
    />
  );
}

const LOGGED = 20;
/** Milliseconds between two reads while a delivery is in progress. */
const PENDING_MS = 1_000;

function Delivery(delivery: WebhookDelivery) {
  const { createdAt, attemptedAt, httpStatus, problem } = delivery;
  const answer = httpStatus === null ? problem : `HTTP ${httpStatus}`;
  return (
    <>
      {deliveryWords(delivery)}, <Time iso={attemptedAt ?? createdAt} />
      {answer !== null && `: ${answer}`}
    </>
  );
}
