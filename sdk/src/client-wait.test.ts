import { describe, expect, jest, test } from "bun:test";
import {
  eventId,
  launchStatus,
  ok,
  refusal,
  statusPath,
  thrown,
  useScriptedServer,
} from "../test/client-fixtures.ts";
import { TimeoutError } from "./errors.ts";

const scripted = useScriptedServer();
const { client } = scripted;

describe("waitForLaunch", () => {
  const quick = { intervalMs: 1 };

  for (const end of ["success", "failed", "rate_limited"]) {
    test(`stops polling at ${end}`, async () => {
      const pending = ok(launchStatus("pending"));
      scripted.server.script(statusPath, pending, pending, ok(launchStatus(end)));
      const seen: string[] = [];
      const onStatus = ({ status }: { status: string }) => seen.push(status);
      const status = await client().waitForLaunch(eventId, { ...quick, onStatus });
      expect(status).toEqual(launchStatus(end) as never);
      expect(seen).toEqual(["pending", "pending", end]);
      expect(scripted.server.to(statusPath)).toHaveLength(3);
    });
  }

  test.each(["no status", "pending"])("gives up on a poll that hangs, after %s", async (seen) => {
    const lastStatus = seen === "pending" ? launchStatus(seen) : null;
    jest.useFakeTimers();
    try {
      scripted.server.script(statusPath, ...(lastStatus ? [ok(lastStatus)] : []), () => {
        jest.advanceTimersByTime(1_000);
        return "hang";
      });
      const error = await thrown(client().waitForLaunch(eventId, { timeoutMs: 1_000 }));
      const name = "LaunchWaitTimeoutError";
      expect(error).toMatchObject({ name, code: "timeout", eventId, lastStatus });
      expect(error).toBeInstanceOf(TimeoutError);
      expect(scripted.server.to(statusPath)).toHaveLength(lastStatus ? 2 : 1);
    } finally {
      jest.useRealTimers();
    }
  });

  test("does not wait for a launch that does not exist", async () => {
    scripted.server.script(statusPath, ok(launchStatus("pending")), refusal("launch_not_found"));
    const error = await thrown(client().waitForLaunch(eventId, quick));
    expect(error.code).toBe("launch_not_found");
  });
});
