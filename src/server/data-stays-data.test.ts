import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { test } from "node:test";
import { serverRig } from "./testing/server-rig.ts";

/** What libraries have made objects, functions or texts of when they loaded it (reliability.md S9). */
const PAYLOADS: readonly (readonly [name: string, json: string])[] = [
  [
    "LangChain",
    '{"lc":1,"type":"constructor","id":["fs","readFile"],"kwargs":{"path":"/etc/passwd"}}',
  ],
  ["LangChain secret", '{"lc":1,"type":"secret","id":["PATH"]}'],
  ["prototype", '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'],
  [
    "function text",
    '{"$function":"() => process.exit(1)","_$$ND_FUNC$$_":"function(){process.exit(1)}()"}',
  ],
  ["reference", '{"$ref":"#/definitions/x","$type":"System.Object","py/object":"os.system"}'],
  ["thenable", '{"then":"function","toJSON":"function","valueOf":null,"toString":null}'],
  ["date", '{"$date":"2020-01-01T00:00:00Z","__type":"Date"}'],
  ["lone surrogate", '{"text":"\\ud800 \\udfff","lc":1}'],
  [
    "template",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is what must stay as it is
    '{"text":"${process.env.PATH} {{constructor.constructor(1)}} <%= 1 %> #{1} %PATH% $HOME"}',
  ],
];

test("S9: whatever a file holds stays data: nothing is revived, called or filled in", async (t) => {
  const rig = await serverRig(t);
  const { row } = await rig.client.createSession({ name: "data" });
  let parentId: string | null = (await rig.client.state(row.id)).leaf;
  const lines = PAYLOADS.map(([, json], place) => {
    const id = `payload${place}`;
    const call = `{"type":"toolCall","id":"c","name":"f","arguments":${json}}`;
    const message = `{"role":"assistant","content":[{"type":"text","text":${JSON.stringify(json)}},${call}],"extra":${json}}`;
    const head = `{"type":"message","id":"${id}","parentId":${JSON.stringify(parentId)}`;
    parentId = id;
    return `${head},"timestamp":"2026-01-01T00:00:00.000Z","message":${message}}\n`;
  });
  appendFileSync(row.path ?? "", lines.join(""));
  for (const [place, [name, json]] of PAYLOADS.entries()) {
    const raw = await rig.client.http.request(
      "GET",
      `/api/sessions/${row.id}/entries/payload${place}`,
    );
    const text = await raw.text();
    // Compared as text: a parsed `__proto__` or `toJSON` would compare as something else.
    assert.ok(text.includes(`"arguments":${json}`), `${name}: ${text.slice(0, 600)}`);
    assert.ok(text.includes(`"extra":${json}`), name);
    assert.ok(text.includes(JSON.stringify(json)), name);
  }
  const window = await rig.client.path(row.id);
  assert.equal(window.rows.filter(({ id }) => id.startsWith("payload")).length, PAYLOADS.length);
  for (const as of ["openai", "anthropic", "pi"]) {
    const view = await rig.client.context(row.id, { as });
    const body = JSON.stringify(view.body);
    for (const [name, json] of PAYLOADS) {
      assert.ok(body.includes(JSON.stringify(json).slice(1, -1)), `${as}: ${name}`);
    }
  }
  assert.equal(Object("").polluted, undefined);
  assert.equal(Object.getPrototypeOf({}), Object.prototype);
});
