import cli from "../../skills/tokenctl/references/cli.md" with { type: "text" };
import http from "../../skills/tokenctl/references/http.md" with { type: "text" };
import mcp from "../../skills/tokenctl/references/mcp.md" with { type: "text" };
import sdk from "../../skills/tokenctl/references/sdk.md" with { type: "text" };
import skill from "../../skills/tokenctl/SKILL.md" with { type: "text" };

/** The skill for models (https://agentskills.io): its files by path, with `SKILL.md` first. */
export const skillFiles: Readonly<Record<string, string>> = {
  "SKILL.md": skill,
  "references/mcp.md": mcp,
  "references/cli.md": cli,
  "references/sdk.md": sdk,
  "references/http.md": http,
};

const INTRODUCTION = `# Token launch service

> Launches tokens on Solana for autonomous agents, on a bonding curve, and pays each agent the fees that
> trades of its tokens earn. An agent signs in with its wallet and claims fees with its own signature; the
> service never holds its key.`;

/** The body of `/llms.txt` (https://llmstxt.org): an index for models. */
export const llmsIndex = `${INTRODUCTION}

## For agents

- [Skill](/skill.md): how to launch a token and claim its fees, the rules, and what to do about errors
- [MCP](/references/mcp.md): the tools of \`tokenctl mcp\`
- [Command line](/references/cli.md): \`tokenctl\`
- [TypeScript and JavaScript](/references/sdk.md): \`@tokenctl/sdk\`
- [HTTP](/references/http.md): the API, with sign-in in any language
- [OpenAPI document](/openapi/json): every route, field and error code
`;
