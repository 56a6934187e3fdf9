import { COIN_PATH } from "@tokenctl/shared/page-facts";
import { type ButtonHTMLAttributes, type ComponentChildren, Fragment } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { hrefs } from "../data/page.ts";

interface Children {
  readonly children: ComponentChildren;
}

export function Card(
  props: Children & {
    readonly title?: string;
    readonly actions?: ComponentChildren;
    /** `chart` keeps its height while the data is being read. */
    readonly kind?: "chart";
  },
) {
  const { title, actions, kind = "", children } = props;
  return (
    <section class={`card ${kind}`}>
      {title !== undefined && (
        <div class="line">
          <h2>{title}</h2>
          {actions}
        </div>
      )}
      {children}
    </section>
  );
}

export type RowOf = readonly [name: ComponentChildren, content: ComponentChildren];

/** A list of labels with values. Rows without a value are left out. */
export function Rows({ rows, kind }: { rows: readonly RowOf[]; kind?: "receipt" }) {
  return (
    <dl class={kind}>
      {rows
        .filter(([, content]) => content != null && content !== false)
        .map(([name, content], index) => (
          <Fragment key={index}>
            <dt>{name}</dt>
            <dd>{content}</dd>
          </Fragment>
        ))}
    </dl>
  );
}

export function Stat({ label, children }: Children & { readonly label: string }) {
  return (
    <div class="stat">
      <span class="label">{label}</span>
      <span class="figure">{children}</span>
    </div>
  );
}

export type Tone = "plain" | "good" | "bad" | "warn";

export function Badge({ tone = "plain", children }: Children & { readonly tone?: Tone }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "class"> & {
  readonly kind?: "plain" | "primary" | "danger" | "quiet";
  readonly isBusy?: boolean;
};

const decline = (event: Event) => event.preventDefault();

export function Button({
  kind = "plain",
  isBusy = false,
  disabled = false,
  onClick,
  children,
  ...others
}: ButtonProps) {
  const isOff = isBusy || disabled !== false;
  return (
    <button
      type="button"
      {...others}
      class={`button ${kind}`}
      // `disabled` would take away the focus.
      aria-disabled={isOff}
      aria-busy={isBusy}
      onClick={isOff ? decline : onClick}
    >
      {children}
    </button>
  );
}

export function Switch<Name extends string>(props: {
  readonly label: string;
  readonly of: Readonly<Record<Name, unknown>>;
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}) {
  const { label, of, chosen, onChoose } = props;
  return (
    <fieldset class="switch" aria-label={label}>
      {(Object.keys(of) as Name[]).map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === chosen}
          onClick={() => onChoose(name)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

export function Item(props: {
  readonly lead?: ComponentChildren;
  readonly title: ComponentChildren;
  readonly sub?: ComponentChildren;
  readonly end?: ComponentChildren;
  /** Amounts, aligned with those of other items. */
  readonly cells?: readonly (readonly [name: string, content: ComponentChildren])[];
  readonly action?: ComponentChildren;
}) {
  const { lead, title, sub, end, cells, action } = props;
  return (
    <li class="item">
      {lead && <div class="lead">{lead}</div>}
      <div class="main">
        <div class="title">{title}</div>
        {sub !== undefined && <div class="sub">{sub}</div>}
      </div>
      {end && <div class="end">{end}</div>}
      {cells && (
        <div class="cells">
          {cells.map(([name, content]) => (
            <div key={name} class="cell">
              {content && <span class="label">{name}</span>} {content}
            </div>
          ))}
        </div>
      )}
      {action && <div class="action">{action}</div>}
    </li>
  );
}

export function Dot({ icon, tone = "plain" }: { icon: IconName; tone?: Tone }) {
  return (
    <span class={`dot ${tone}`}>
      <Icon name={icon} />
    </span>
  );
}

export function Empty({ title, children }: Children & { readonly title: string }) {
  return (
    <div class="empty">
      <p class="title">{title}</p>
      {children}
    </div>
  );
}

export function Nowhere({ title, children }: Children & { readonly title: string }) {
  return (
    <section class="card empty">
      <h1>{title}</h1>
      {children}
      <a class="button primary" href={hrefs.start}>
        To the start
      </a>
    </section>
  );
}

export function Skeleton({ what, lines = 3 }: { what: string; lines?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="for-readers">Loading {what} …</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} />
      ))}
    </div>
  );
}

/** A modal dialog. Escape and navigation to another screen decline it. */
export function Dialog(
  props: Children & { readonly titleId: string; readonly onCancel: () => void },
) {
  const { titleId, onCancel, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  // A layout effect runs before the dialog is painted and before it is removed.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  useEffect(() => {
    // The dialog belongs to the screen under it, so navigation closes it.
    addEventListener("hashchange", onCancel);
    return () => removeEventListener("hashchange", onCancel);
  });
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onCancel();
      }}
    >
      {children}
    </dialog>
  );
}

const PATHS = {
  tokens: COIN_PATH,
  launch: "M8 2.5v11M2.5 8h11",
  activity: "M1.5 8.5h3l2-5 3 9 2-4h3",
  settings:
    "M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6M12 4.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM8 11.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0z",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  out: "M6.5 2.5h-4v11h4M10 5l3 3-3 3M13 8H6",
  check: "M2.5 8.5l3.5 3.5 7.5-8",
  cross: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  clock: "M8 4.5V8l2.5 1.5M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z",
  bell: "M8 2a4 4 0 0 1 4 4c0 4 1.5 5 1.5 5h-11S4 10 4 6a4 4 0 0 1 4-4zM6.5 13.5h3",
} as const;

export type IconName = keyof typeof PATHS;

/** A small picture beside a word. Screen readers skip it. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg viewBox="0 0 16 16" width={size} height={size} aria-hidden="true" class="icon">
      <path d={PATHS[name]} />
    </svg>
  );
}
