import assert from "node:assert/strict";
import { test } from "node:test";
import { StubServer } from "../../../test/stub-server/stub-server.ts";
import { BranchlineError } from "../../errors.ts";
import { type Environment, openAiCompatibleFromEnv } from "./environment.ts";

const BASE: Environment = {
  OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:1/v1",
  OPENAI_COMPATIBLE_MODEL: "m",
};

test("without a base URL there is no provider", () => {
  assert.equal(openAiCompatibleFromEnv({}), null);
  assert.equal(openAiCompatibleFromEnv({ OPENAI_COMPATIBLE_BASE_URL: " " }), null);
});

test("all of the variables", async () => {
  await using stub = await StubServer.start({ text: "hi" });
  const models = openAiCompatibleFromEnv({
    OPENAI_COMPATIBLE_BASE_URL: stub.url,
    OPENAI_COMPATIBLE_MODEL: " m ",
    OPENAI_COMPATIBLE_API_KEY: "k-1",
    OPENAI_COMPATIBLE_AUTH_HEADER: "API-Key",
    OPENAI_COMPATIBLE_CONTEXT_WINDOW: "8000",
    OPENAI_COMPATIBLE_MAX_OUTPUT: "500",
  });
  const [model] = (await models?.list()) ?? [];
  assert.ok(models && model);
  assert.deepEqual([model.modelId, model.contextWindow, model.maxOutput], ["m", 8000, 500]);
  for await (const event of models.stream(model, { messages: [], tools: [] })) void event;
  assert.equal(stub.requests[0]?.headers["api-key"], "k-1");
});

test("what does not fit is named, never repeated", () => {
  const wrong: readonly Environment[] = [
    { OPENAI_COMPATIBLE_MODEL: "" },
    { OPENAI_COMPATIBLE_AUTH_HEADER: "SECRET" },
    { OPENAI_COMPATIBLE_CONTEXT_WINDOW: "SECRET" },
    { OPENAI_COMPATIBLE_MAX_OUTPUT: "-5" },
    { OPENAI_COMPATIBLE_BASE_URL: "SECRET" },
  ];
  for (const env of wrong) {
    assert.throws(
      () => openAiCompatibleFromEnv({ ...BASE, ...env }),
      (error) => BranchlineError.is(error, "USAGE") && !error.message.includes("SECRET"),
    );
  }
  const plain = { ...BASE, OPENAI_COMPATIBLE_AUTH_HEADER: "Authorization" };
  assert.ok(openAiCompatibleFromEnv(plain, { name: "n" }));
});
