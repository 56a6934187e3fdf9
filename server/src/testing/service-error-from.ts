import { ServiceError } from "../base/service-error.ts";

/** @returns the ServiceError that a call throws or rejects with; fails if it does not */
export async function serviceErrorFrom(run: () => unknown): Promise<ServiceError> {
  try {
    await run();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error("no ServiceError was thrown");
}
