import { OpenAPIHono, z } from "@hono/zod-openapi";
import type { Route } from "./route.ts";
import * as wire from "./wire-schema.ts";

const JSON_TYPE = "application/json";

/** The OpenAPI 3.1 document of a table of routes. */
export function openApiDocument(routes: readonly Route[], version: string): unknown {
  const app = new OpenAPIHono();
  const { openAPIRegistry: registry } = app;
  const scheme = { type: "http", scheme: "bearer" } as const;
  registry.registerComponent("securitySchemes", "token", scheme);
  for (const one of routes) {
    const params = pathParams(one.path);
    const body =
      one.body === null ? {} : { body: { content: { [JSON_TYPE]: { schema: one.body } } } };
    registry.registerPath({
      method: one.method,
      path: one.path,
      tags: [one.tag],
      summary: one.about,
      security: [{ token: [] }],
      request: {
        ...(params === null ? {} : { params }),
        ...(one.query instanceof z.ZodObject ? { query: one.query } : {}),
        ...(one.takesKey ? { headers: KEY_HEADER } : {}),
        ...body,
      },
      responses: {
        200: { description: "Done.", ...content(one.answer) },
        default: { description: "Refused.", ...content(wire.ERROR_BODY) },
      },
    });
  }
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title: "Branchline", version, license: { name: "MIT" } },
  });
}

const KEY_HEADER = z.object({
  "Idempotency-Key": z.string().max(128).optional(),
});

function pathParams(path: string): z.ZodObject | null {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
  if (names.length === 0) return null;
  return z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
}

function content(schema: z.ZodType | null): object {
  return schema === null ? {} : { content: { [JSON_TYPE]: { schema } } };
}
