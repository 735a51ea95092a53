/**
 * `npm run demo:05`: a real model behind any server that speaks OpenAI's chat completions. Without the
 * variables it says how to set them, and ends with 0.
 */
import { createMemoryStore, Session } from "branchline";
import { openAiCompatibleFromEnv } from "branchline/adapters/openai-compatible";
import { createHarness } from "branchline/harness";
import { heading, row } from "./print.ts";

const USAGE = `Set these four, then run it again:

  OPENAI_COMPATIBLE_BASE_URL     up to and without /chat/completions, such as http://127.0.0.1:11434/v1
  OPENAI_COMPATIBLE_MODEL        the model's name at that server
  OPENAI_COMPATIBLE_API_KEY      the key; leave it out where the server needs none
  OPENAI_COMPATIBLE_AUTH_HEADER  authorization (default) or api-key

Requests go to that address and nowhere else. 请求只发往这个地址。`;

async function talk(): Promise<void> {
  const models = openAiCompatibleFromEnv(process.env);
  const [model] = (await models?.list()) ?? [];
  if (models === null || model === undefined) {
    console.log(USAGE);
    return;
  }
  await using store = createMemoryStore();
  await using session = await Session.attach(await store.create({ cwd: "/demo" }));
  const { provider, modelId } = model;
  await using harness = await createHarness({ session, models, model: { provider, modelId } });
  harness.subscribe((event) => {
    if (event.type === "message_update" && event.event.type === "text_delta") {
      process.stdout.write(event.event.delta);
    }
  });
  heading(`${provider}/${modelId}`);
  const prompt =
    process.argv.slice(2).join(" ") || "用一句话介绍你自己。 Introduce yourself in a sentence.";
  const { outcome, error } = await harness.prompt(prompt);
  console.log();
  row("outcome", error === undefined || error === null ? outcome : `${outcome}: ${error}`);
  if (outcome !== "done") process.exitCode = 1;
}

await talk();
