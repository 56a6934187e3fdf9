/** The pages in words: fees and who pays them, risks, and templates that name the operator. */
import { feeInWords } from "@tokenctl/shared/fee-words";
import type { Health, TradeFee } from "@tokenctl/shared/types";
import type { LaunchPayer } from "@tokenctl/shared/words";
import { DAY_MS } from "../../base/clock.ts";
import type { PoolTerms } from "../../domain/token.ts";

interface Operator {
  readonly name: string;
  readonly address: string;
  readonly country: string;
  readonly contact: string;
}

export interface ServiceWords {
  readonly name: string;
  readonly isSandbox: boolean;
  /** Who runs it; null if it names no operator, and then there are no templates. */
  readonly operator: Operator | null;
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
  readonly sourceUrl: string | null;
  readonly contactUrl: string | null;
  readonly payers: readonly LaunchPayer[];
  readonly sponsorsClaims: boolean;
  /** How long an agent's events are kept, in milliseconds. */
  readonly eventsMs: number;
}

type Section = readonly [heading: string, ...paragraphs: readonly string[]];

export interface WordsPage {
  readonly name: string;
  readonly title: string;
  readonly sections: (read: WordsReads) => Promise<readonly Section[]>;
}

export interface WordsReads {
  /** @throws if the config cannot be read now */
  readonly terms: () => Promise<PoolTerms>;
  readonly health: () => Promise<Pick<Health, "message" | "ok">>;
}

export function wordsPages(service: ServiceWords): ReadonlyMap<string, WordsPage> {
  const { operator, termsUrl, privacyUrl } = service;
  const page = (name: string, sections: WordsPage["sections"], title = name) =>
    ({ name, title, sections }) satisfies WordsPage;
  const fees = page("Fees", async ({ terms }) =>
    feeSections(service, await terms().catch(() => null)),
  );
  const risks = page("Risks", async () => RISKS);
  const status = page("Status", async ({ health }) => [statusSection(await health())]);
  const pages = new Map<string, WordsPage>(Object.entries({ fees, risks, status }));
  if (operator && termsUrl === null) {
    const sections = async () => termsSections(service, operator);
    pages.set("terms", page("Terms", sections, "Terms of service"));
  }
  if (operator && privacyUrl === null) {
    const sections = async () => privacySections(service, operator);
    pages.set("privacy", page("Privacy", sections, "Privacy notice"));
  }
  return pages;
}

export function footLinks(service: ServiceWords) {
  const links: readonly (readonly [name: string, href: string | null])[] = [
    ["API", "openapi/json"],
    ["For models", "skill.md"],
    // Where sources are shown, this is the README, which leads to the docs.
    ["Docs", service.sourceUrl && new URL("#readme", service.sourceUrl).href],
    ...[...wordsPages(service)].map(([href, { name }]) => [name, href] as const),
    ["Terms", service.termsUrl],
    ["Privacy", service.privacyUrl],
    ["Source", service.sourceUrl],
    ["Contact", service.contactUrl],
  ];
  return links.flatMap(([name, href]) => (href === null ? [] : { name, href }));
}

const text = (value: string) => Bun.escapeHTML(value);

export const sectionsInHtml = (title: string, sections: readonly Section[]) =>
  `<section class="card"><h1>${title}</h1>${sections
    .map(
      ([heading, ...paragraphs]) =>
        `<h2>${text(heading)}</h2>${paragraphs.map((paragraph) => `<p>${text(paragraph)}</p>`).join("")}`,
    )
    .join("")}</section>`;

function statusSection({ ok, message }: Pick<Health, "message" | "ok">): Section {
  if (message === undefined) return ["All systems work", "Launches, claims and reads work."];
  return [ok ? "Limited" : "There is a problem", message];
}

function feeSections(service: ServiceWords, terms: PoolTerms | null): Section[] {
  const { isSandbox, payers, sponsorsClaims } = service;
  if (terms === null) {
    return [
      ["Not known now", "The chain does not answer. Each token's page says what its trades pay."],
    ];
  }
  const { fees, once, config } = terms;
  const launch = {
    operator: "The service pays the network's fees and rent. It costs the agent nothing.",
    agent: "The agent pays the network's fees and rent, and sees the amount before it signs.",
  };
  const creation = once?.creationSOL ?? 0;
  const migration = once?.migrationPercent ?? 0;
  return [
    ...(isSandbox ? [["A sandbox", "Nothing on this chain has any value."] as const] : []),
    ["Trades on the bonding curve, paid by the trader", tradeFee(fees.bondingCurve, isSandbox)],
    ["Trades after migration, paid by the trader", tradeFee(fees.liquidityPool, isSandbox)],
    [
      "A launch",
      payers.length > 1
        ? "The agent chooses who pays the network's fees and rent. It sees the amount before it signs."
        : payers.map((payer) => launch[payer]).join(""),
      creation > 0
        ? `Besides, each launch costs ${creation} SOL, which the service and Meteora share.`
        : "",
    ],
    [
      "A claim",
      "The service takes nothing of what an agent claims. The agent pays the network's fee of its transaction.",
      sponsorsClaims
        ? "For a wallet without SOL the service pays that fee in advance; the same transaction repays it."
        : "",
    ],
    ...(migration > 0
      ? [
          [
            "The migration",
            `${migration} % of what the curve holds is kept when it migrates.`,
          ] as const,
        ]
      : []),
    [
      "How to check it",
      config === null
        ? "The fees of a token never change once it is launched."
        : `The fees are those of the config ${config} on chain, and never change for a token once it is launched. tokenctl verify reads all of a token's terms from the chain, without this service.`,
    ],
  ].map(([heading = "", ...paragraphs]) => [heading, ...paragraphs.filter((one) => one !== "")]);
}

function tradeFee(fee: TradeFee, isSandbox: boolean): string {
  const { creatorSharePercent: agent } = fee;
  const rest = isSandbox ? "it" : "what Meteora, whose program runs the pool, leaves of it";
  const operator = agent < 100 ? `, and ${100 - agent} % to the service` : "";
  return `${feeInWords(fee)}. Of ${rest}, ${agent} % goes to the agent that launched the token${operator}.`;
}

const RISKS: readonly Section[] = [
  [
    "Tokens",
    "A token launched here is not an investment, a share or a claim on anyone. Most such tokens lose all their value. Only spend what you can afford to lose.",
    "Anyone's agent can launch one and choose its name, picture and links. The service does not check what they promise, and vouches for none. A name or a picture can imitate another.",
  ],
  [
    "Transactions",
    "What is on chain cannot be undone: a launch, a trade, a claim and a token that was handed over are final. Read what you sign. A key that is lost or stolen cannot be replaced by anyone.",
  ],
  [
    "Prices",
    "A price can fall within seconds, and there may be no buyer. Early buyers can sell to later ones. Prices shown here are some seconds old.",
  ],
  [
    "Programs",
    "Pools run in programs of others, which can have faults. The chain, its nodes and this service can fail or be late. Fees wait on chain, and their agent can claim them without this service.",
  ],
];

const address = (operator: Operator) =>
  `${operator.name}, ${operator.address}, ${operator.country}. Contact: ${operator.contact.replace(/^mailto:/, "")}`;

const termsSections = ({ name }: ServiceWords, operator: Operator): Section[] => [
  ["Who runs this service", address(operator)],
  [
    "What it does",
    `${name} puts tokens on chain that agents ask for, and prepares the transactions by which they claim their fees. It holds no one's keys, tokens or fees, trades with no one, and advises on nothing. Trades are between their parties and the chain's programs.`,
  ],
  [
    "Who may use it",
    "Everyone whom the law allows, who is of age and not on a sanctions list. Anyone who uses it through an agent answers for what the agent does.",
  ],
  [
    "What must not be launched",
    "Names, pictures, texts and links that break the law or another's rights, that imitate a person, a brand or another token, that deceive, or that harm others. Anyone who launches a token states that its contents are theirs to use, and lets the service show them.",
  ],
  [
    "What the operator may do",
    "Refuse launches, block wallets, hide tokens from its pages, and end the service. It cannot change or remove what is on chain, and can neither take nor redirect an agent's fees, which stay claimable on chain.",
  ],
  ["Fees", "Those of the page Fees. They never change for a token once it is launched."],
  [
    "Liability",
    "The service is as it is, and may fail, be late or show what is wrong. As far as the law allows, the operator is not liable for losses by its use, by tokens, or by what others do. The page Risks is part of these terms. Rights of consumers that no contract can take away remain.",
  ],
  [
    "Law",
    `The law of ${operator.country} and its courts, unless a law for consumers says otherwise. New terms apply to what is done after they are published here.`,
  ],
];

const privacySections = ({ eventsMs }: ServiceWords, operator: Operator): Section[] => [
  ["Who answers for your data", address(operator)],
  [
    "What is stored, and why",
    "Wallets, launches, tokens, claims and their transactions, for as long as the service runs: they show who owns which fees. Descriptions, links and pictures of tokens, to show them, until they are erased.",
    "Network addresses of launches, so that one client cannot use up what is meant for all, until the day after next. Requests are counted by address in memory, for minutes.",
    `What happened to your launches and claims, to tell your agent: for ${eventsMs / DAY_MS} days. Addresses to which you have it sent, until you delete them.`,
    "The service's log has wallets and launches, and no network addresses.",
  ],
  [
    "Who sees it",
    "Tokens, prices and their agents' wallets are public, like everything on chain. The operator and those who host the service for it see the rest. Nothing is sold. Nodes of the chain get the transactions that you sign.",
    "The pages set no cookies, load nothing from other sites, and count no visits. If you sign in with a wallet, the session is kept in your browser.",
  ],
  [
    "Your rights",
    "Ask the operator what is stored about you, and have it corrected or erased. No one can erase what is on chain. You may complain to the authority that supervises the protection of data where you live.",
  ],
];
