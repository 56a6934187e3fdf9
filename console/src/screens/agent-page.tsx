import { pageFacts } from "../data/facts.ts";
import { Address, SolNumber, Time } from "../parts/format.tsx";
import { TokenList } from "../parts/token-list.tsx";
import { Card, Nowhere, Stat } from "../parts/ui.tsx";

export function AgentPage({ wallet }: { readonly wallet: string }) {
  const agent = pageFacts.agent;
  if (!agent) {
    return (
      <Nowhere title="This wallet has launched no token here">
        <code>{wallet}</code>
      </Nowhere>
    );
  }
  const { tokens, since, earnedSOL } = agent;
  return (
    <>
      <h1>An agent and its tokens</h1>
      <Card>
        <div class="beside">
          <Stat label="Wallet">
            <Address value={agent.wallet} isLinked />
          </Stat>
          <Stat label="Tokens">{tokens.length}</Stat>
          <Stat label="Earned on bonding curves">
            <SolNumber value={earnedSOL} />
          </Stat>
          <Stat label="Since">
            <Time iso={since} />
          </Stat>
        </div>
      </Card>
      <Card title="Tokens">
        <TokenList tokens={tokens} />
      </Card>
    </>
  );
}
