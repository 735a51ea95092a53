import { collectShapes } from "./json-shapes.ts";
import { makeDesk } from "./run-cli.ts";

const desk = makeDesk({ after: () => undefined } as never);
for (const [k, v] of await collectShapes(desk))
  console.log(k + "\t" + JSON.stringify(v).replaceAll(desk.home, "/home/me"));
