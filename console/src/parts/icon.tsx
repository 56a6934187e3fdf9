const PATHS = {
  tokens:
    "M8 2.5c3.3 0 5.5 1 5.5 2.5S11.3 7.5 8 7.5 2.5 6.5 2.5 5 4.7 2.5 8 2.5zM2.5 5v6c0 1.5 2.2 2.5 5.5 2.5s5.5-1 5.5-2.5V5M2.5 8c0 1.5 2.2 2.5 5.5 2.5s5.5-1 5.5-2.5",
  launch: "M8 2.5v11M2.5 8h11",
  activity: "M1.5 8.5h3l2-5 3 9 2-4h3",
  settings:
    "M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6M12 4.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM8 11.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0z",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  out: "M6.5 2.5h-4v11h4M10 5l3 3-3 3M13 8H6",
  check: "M2.5 8.5l3.5 3.5 7.5-8",
  cross: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  clock: "M8 4.5V8l2.5 1.5M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z",
  image: "M2.5 2.5h11v11h-11zM2.5 11l3-3 3 3 2-2 3 3M11 5.5a.5.5 0 1 1-1 0 .5.5 0 0 1 1 0z",
  bell: "M8 2a4 4 0 0 1 4 4c0 4 1.5 5 1.5 5h-11S4 10 4 6a4 4 0 0 1 4-4zM6.5 13.5h3",
} as const;

export type IconName = keyof typeof PATHS;

/** A small picture beside a word. Screen readers skip it. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg viewBox="0 0 16 16" width={size} height={size} aria-hidden="true" class="icon">
      <path d={PATHS[name]} />
    </svg>
  );
}
