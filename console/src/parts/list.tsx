import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { Button, Card, Switch } from "./ui.tsx";

interface Props<T> {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly items: readonly T[];
  readonly textOf: (item: T) => string;
  /** The sort keys by column: first the row itself; each further column has a cell's width. */
  readonly columns?: Readonly<Record<string, (item: T) => string | number>>;
  /** Filters by name; the first one is active at the start. */
  readonly filters?: Readonly<Record<string, (item: T) => boolean>>;
  readonly groupOf?: (item: T) => string;
  readonly total?: (shown: readonly T[]) => ComponentChildren;
  readonly empty: ComponentChildren;
  readonly children: (item: T) => VNode;
}

/** The number of items from which the list has a search field, and the number shown at first. */
const [SEARCHED_FROM, SHOWN] = [9, 50];

export function List<T>(props: Props<T>) {
  const { title, actions, items, textOf, columns, filters, groupOf, total, empty, children } =
    props;
  const names = Object.keys(filters ?? {});
  const [filter, setFilter] = useState(names[0] ?? "");
  const [search, setSearch] = useState("");
  const [sort, setSort] = useState<{ readonly name: string; readonly isUp: boolean } | null>(null);
  const [isWhole, setIsWhole] = useState(false);
  const words = search.trim().toLowerCase();
  const found = items.filter(
    (item) => (filters?.[filter]?.(item) ?? true) && textOf(item).toLowerCase().includes(words),
  );
  const keyOf = sort && columns?.[sort.name];
  if (keyOf) {
    const way = sort.isUp ? 1 : -1;
    found.sort((a, b) => {
      const [first, second] = [keyOf(a), keyOf(b)];
      return first === second ? 0 : first < second ? -way : way;
    });
  }
  const shown = isWhole ? found : found.slice(0, SHOWN);
  const groups = Map.groupBy(shown, (item) => groupOf?.(item) ?? "");
  return (
    <Card
      title={title}
      actions={
        <>
          {items.length > 0 && names.length > 0 && (
            <Switch
              label={`Which of ${title}`}
              of={filters ?? {}}
              chosen={filter}
              onChoose={setFilter}
            />
          )}
          {actions}
        </>
      }
    >
      {items.length >= SEARCHED_FROM && (
        <input
          type="search"
          aria-label={`Search ${title}`}
          placeholder="Search"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      {columns && items.length > 0 && (
        <fieldset class="heads" aria-label="Sort by">
          {Object.keys(columns).map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === sort?.name}
              onClick={() => setSort({ name, isUp: name === sort?.name && !sort.isUp })}
            >
              {name} {name === sort?.name && (sort.isUp ? "↑" : "↓")}
            </button>
          ))}
        </fieldset>
      )}
      {items.length === 0 && empty}
      {items.length > 0 && found.length === 0 && <p class="soft">Nothing here.</p>}
      {[...groups].map(([name, of]) => (
        <div key={name}>
          {name !== "" && <h3>{name}</h3>}
          <ul>{of.map(children)}</ul>
        </div>
      ))}
      {shown.length > 1 && total?.(found)}
      {found.length > shown.length && (
        <Button onClick={() => setIsWhole(true)}>Show all {found.length}</Button>
      )}
    </Card>
  );
}
