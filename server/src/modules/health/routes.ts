import { HealthSchema } from "@tokenctl/shared/contract/service";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { endpoint } from "../../http/endpoint.ts";
import type { HealthService } from "./service.ts";

export function healthEndpoints(health: HealthService) {
  return [
    endpoint({
      route: "GET /health",
      auth: "none",
      id: "getHealth",
      summary: "Read whether the service can do its work",
      description:
        "Answers 200 if the service can do its work, otherwise 503 with the same fields and the reason in `message`. It never waits for the chain.",
      tag: "Health",
      answer: HealthSchema,
      errors: ["unhealthy"],
      unavailable: HealthSchema,
      async handle({ set }) {
        const report = await health.check();
        if (report.ok) return report;
        const { status, text } = errorCodes.unhealthy;
        set.status = status;
        return { ...report, error: text, code: "unhealthy" };
      },
    }),
  ];
}
