/** @returns how often each status was answered, for example `{ 200: 1, 409: 49 }` */
export function countStatuses(
  answers: readonly { readonly status: number }[],
): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
