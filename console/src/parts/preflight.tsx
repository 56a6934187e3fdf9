import type { LaunchCheck } from "@tokenctl/sdk";
import type { Loaded } from "../data/load.ts";
import { inWords } from "./states.tsx";

/** How the launch would end if it were sent now. */
export function Preflight({ check }: { readonly check: Loaded<LaunchCheck | null> }) {
  const { data, error } = check;
  return (
    <aside aria-label="What would happen" aria-live="polite" class="preflight">
      {error !== null && <p class="bad">{inWords(error).text}</p>}
      {data === null && error === null && <p class="label">Enter a name and a ticker.</p>}
      {data && <Findings {...data} />}
    </aside>
  );
}

function Findings({
  ok,
  refusals,
  endsAs,
  onChain,
  queue,
  service,
  agent,
  fees,
  expectedSeconds,
}: LaunchCheck) {
  const others = refusals.filter(({ code }) => code !== "validation_failed");
  return (
    <>
      {ok && <p class="good">It can be launched now.</p>}
      {others.map(({ code, error, message }) => (
        <p class="bad" key={code}>
          {error}. {message}
        </p>
      ))}
      {endsAs && <p class="bad">It would end without a token: {endsAs.error}.</p>}
      {!service.ok && <p class="bad">It would wait: {service.message}</p>}
      <dl>
        {onChain && (
          <>
            <dt>On chain</dt>
            <dd>
              {onChain.name} ({onChain.symbol})
            </dd>
          </>
        )}
        {fees && (
          <>
            <dt>Fee on each trade</dt>
            <dd>
              {fees.bondingCurve.startBps / 100} %, your share{" "}
              {fees.bondingCurve.creatorSharePercent} % of what the protocol leaves
            </dd>
          </>
        )}
        <dt>Launches today</dt>
        <dd>
          {agent.accepted}
          {agent.limit !== null && ` of ${agent.limit}`}
        </dd>
        <dt>Place in the queue</dt>
        <dd>{queue.place}</dd>
        {expectedSeconds !== null && (
          <>
            <dt>On chain in about</dt>
            <dd>{Math.max(1, Math.round(expectedSeconds))} s</dd>
          </>
        )}
      </dl>
    </>
  );
}
