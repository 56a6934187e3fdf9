import type { Row } from "./harness/row.ts";
import { launch } from "./rows/launch.ts";
import { list } from "./rows/list.ts";
import { signIn } from "./rows/sign-in.ts";
import { status } from "./rows/status.ts";

/** All rows, in the order in which they are measured and shown. */
export const rows: readonly Row[] = [status, signIn, launch, list];
