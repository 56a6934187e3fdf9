import { afterAll, describe, expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import { LaunchRequestSchema } from "@tokenctl/shared/contract/launch";
import { NO_SANDBOX, type TestApp, testApp } from "../testing/test-app.ts";

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: unknown[];
  readonly responses: Record<string, Answer>;
  readonly requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  readonly parameters?: { name: string; in: string; description?: string; schema?: object }[];
}

interface Answer {
  readonly headers: object;
  readonly links?: Record<string, { operationId: string; parameters: Record<string, string> }>;
  /** Absent for 304. */
  readonly content?: Record<string, { schema: Schema; example?: { code: string } }>;
}

interface Schema {
  readonly $ref?: string;
  readonly oneOf?: Schema[];
  readonly allOf?: [Schema, { properties: { code: { enum: string[] } } }];
}

interface Document {
  readonly servers: readonly { url: string }[];
  readonly tags: readonly { name: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly webhooks: Record<string, Record<string, Operation>>;
  readonly components: { schemas: Record<string, object> };
}

const isPublished = ({ path }: { readonly path: string }) => !path.startsWith("/openapi");

const app = await testApp(NO_SANDBOX);
const document = await documentOf(app);
afterAll(() => app[Symbol.dispose]());

async function documentOf(of: TestApp): Promise<Document> {
  return (await (await of.send("GET", "/openapi/json", { wallet: null })).json()) as Document;
}

const operations = (of = document) =>
  Object.entries(of.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );

test("every route of the app is in the document, at the contract's exact path", () => {
  const routes = app.app.routes
    .filter(isPublished)
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
  // Elysia answers with and without a slash; the contract writes one path with it.
  const exact = routes.map((name) => name.replace(/(?<!tokens)\/$/, ""));
  expect(
    operations()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(exact.toSorted());
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining(["/api/v1/tokens/", "/api/v1/tokens/launch", "/api/v1/tokens/claims"]),
  );
});

test("only the document of a sandbox has its operations", async () => {
  using real = await testApp(null);
  const { paths, tags } = await documentOf(real);
  expect(Object.keys(paths).filter((path) => path.startsWith("/dev/"))).toEqual([]);
  expect(tags.map(({ name }) => name)).not.toContain("Sandbox");
  expect(Object.keys(document.paths).filter((path) => path.startsWith("/dev/"))).toHaveLength(4);
});

test("messages have a tag of their own: by tag, generators write a file for calls and one for messages", () => {
  const tagsOf = (paths: Document["paths"]) =>
    operations({ ...document, paths }).flatMap(({ operation }) => operation.tags);
  const ofMessages = tagsOf(document.webhooks);
  expect(tagsOf(document.paths).filter((tag) => ofMessages.includes(tag))).toEqual([]);
  expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining(ofMessages));
});

test("answers link to the operations whose paths name something of them", () => {
  const targets = new Map(operations().map(({ name, operation }) => [operation.operationId, name]));
  const links = operations().flatMap(({ operation }) =>
    Object.values(operation.responses[200]?.links ?? {}).map(
      (link) => [operation.operationId, link] as const,
    ),
  );
  for (const [, { operationId, parameters }] of links) {
    const [parameter] = Object.keys(parameters);
    expect(targets.get(operationId)).toContain(`{${parameter}}`);
  }
  const from = (id: string) =>
    links.flatMap(([source, to]) => (source === id ? [to.operationId] : []));
  expect(from("launchToken")).toEqual(
    expect.arrayContaining(["getLaunchStatus", "cancelLaunch", "retryLaunch", "signLaunch"]),
  );
  expect(from("addWebhook")).toContain("testWebhook");
  expect(from("listTokens")).toContain("claimToken");
});

describe("an operation", () => {
  test("that needs a token says so and lists 401 and 429", () => {
    for (const { name, operation } of operations()) {
      if (!name.includes("/api/v1/")) continue;
      expect([name, operation.security]).toEqual([name, [{ bearer: [] }]]);
      const statuses = Object.keys(operation.responses);
      expect(statuses).toEqual(expect.arrayContaining(["200", "401", "429"]));
    }
  });

  test("describes the rules of its parameters, headers among them", () => {
    const { parameters } = document.paths["/api/v1/tokens/"]?.get ?? {};
    expect(parameters?.find(({ name }) => name === "limit")?.schema).toMatchObject({
      type: "integer",
      minimum: 1,
      maximum: 1000,
    });
    const headersOf = (path: string) =>
      document.paths[path]?.get?.parameters?.flatMap((one) =>
        one.in === "header" ? one.name : [],
      );
    expect(headersOf("/api/v1/events/stream")).toEqual(["Last-Event-ID"]);
    expect(headersOf("/images/{file}")).toEqual(["If-None-Match"]);
    expect(document.paths["/api/v1/tokens/launch"]?.post?.parameters).toMatchObject([
      { name: "Idempotency-Key", in: "header", schema: { minLength: 1, maxLength: 255 } },
    ]);
  });

  test("has named schemas for its JSON", () => {
    for (const { name, operation } of operations()) {
      const json = [operation.requestBody, operation.responses[200]].map(
        (part) => part?.content?.["application/json"]?.schema,
      );
      for (const schema of json) {
        if (schema === undefined) continue;
        const parts = schema.oneOf ?? [schema];
        expect([name, parts.filter(({ $ref }) => $ref === undefined)]).toEqual([name, []]);
      }
    }
  });

  test("lists the codes of its errors, beside the error body, with the headers of each answer", () => {
    for (const { name, operation } of operations()) {
      for (const [status, { headers, content }] of Object.entries(operation.responses)) {
        expect([name, headers]).toEqual([
          name,
          expect.objectContaining({ "X-Request-Id": expect.anything() }),
        ]);
        expect("Retry-After" in headers).toBe(status === "429" || status === "503");
        if (status === "200" || status === "304") continue;
        const [body, own] = content?.["application/json"]?.schema.allOf ?? [];
        expect(body?.$ref).toMatch(/\/(ErrorBody|Health)$/);
        expect(own?.properties.code.enum).not.toEqual([]);
      }
    }
    const launch = document.paths["/api/v1/tokens/launch"]?.post?.responses;
    const conflict = launch?.[409]?.content?.["application/json"];
    expect(conflict?.schema.allOf?.[1].properties.code.enum).toEqual([
      ...["idempotency_mismatch", "ticker_taken"],
    ]);
    const refused = launch?.[400]?.content?.["application/json"];
    expect(refused?.example?.code).toBe("validation_failed");
  });
});

describe("the schemas", () => {
  test("are those that the server checks by", () => {
    const { schemas } = document.components;
    expect(JSON.stringify(schemas.LaunchRequest)).toContain('"pattern":"^[A-Z0-9]+$"');
    expect(JSON.stringify(schemas.LaunchStatusName)).toContain('"enum":["pending","success"');
    expect(JSON.stringify(schemas.TokenList)).toContain('"$ref":"#/components/schemas/Token"');
    const claim = document.paths["/api/v1/tokens/claims/{mintAddress}"]?.post;
    expect(claim?.requestBody).toMatchObject({ required: false });
  });

  test("say of each field what it means", () => {
    const silent: string[] = [];
    const visit = (part: object, at: string) => {
      for (const [key, value] of Object.entries(part)) {
        if (typeof value !== "object" || value === null) continue;
        // A referenced schema has its own description.
        if (key !== "properties") visit(value, `${at} ${key}`);
        else {
          for (const [field, schema] of Object.entries<Record<string, unknown>>(value)) {
            if (!schema.description && !schema.$ref) silent.push(`${at} ${field}`);
            visit(schema, `${at} ${field}`);
          }
        }
      }
    };
    visit(document.components.schemas, "");
    expect(silent).toEqual([]);
  });

  test("are such that generators take them: 64-bit numbers, names in use, no other of a field's choice", () => {
    const n = (mark: string) => JSON.stringify(document).split(mark).length - 1;
    expect(['"double"', '"const":true', '"const":1'].map(n)).toEqual([n('"type":"number"'), 0, 4]);
    const { schemas } = document.components;
    const referred = JSON.stringify([document.paths, schemas]);
    const isUnused = (name: string) => !referred.includes(`"#/components/schemas/${name}"`);
    expect(Object.keys(schemas).filter(isUnused)).toEqual([]);
    // A generator calls the choice of a field by its schema and field.
    const called = Object.entries(schemas as Record<string, TSchema>).flatMap(([name, schema]) =>
      Object.entries<TSchema>(schema.properties ?? {}).flatMap(([field, { enum: texts }]) =>
        texts ? `${name}${field.charAt(0).toUpperCase()}${field.slice(1)}` : [],
      ),
    );
    expect(called).toContain("WebhookDeliveryStatus");
    expect(called.filter((name) => name in schemas)).toEqual([]);
  });

  test("admit fields that a newer server adds to answers, and none that a request may not have", () => {
    const closed = Object.entries(document.components.schemas)
      .filter(([, schema]) => JSON.stringify(schema).includes("additionalProperties"))
      .map(([name]) => name);
    expect(closed).toEqual(expect.arrayContaining(["ClaimRequest", "LaunchRequest"]));
    expect(closed.filter((name) => !name.endsWith("Request"))).toEqual([]);
  });

  test("have an example of each field of a launch, and admit null for those that are optional", () => {
    const { properties } = document.components.schemas.LaunchRequest as {
      properties: Record<string, TSchema>;
    };
    const admitting = Object.keys(properties).filter((field) => {
      const { anyOf = [] } = properties[field] as TSchema;
      return anyOf.some(({ type }: TSchema) => type === "null");
    });
    const required = new Set(LaunchRequestSchema.required as readonly string[]);
    expect(admitting).toEqual(Object.keys(properties).filter((field) => !required.has(field)));
    expect(Object.values(properties).filter((field) => !field.examples)).toEqual([]);
  });
});

test("the document alone says how to sign in and how to sign a claim", () => {
  const { description } = (document as unknown as { info: { description: string } }).info;
  const parts = ["`Sign this message to authenticate: `", "Ed25519", "base58", "signedTransaction"];
  for (const part of parts) expect(description).toContain(part);
  expect(document.servers).toMatchObject([{ url: "http://127.0.0.1:8787" }]);
});
