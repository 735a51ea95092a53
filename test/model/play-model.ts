import fc from "fast-check";
import { COMMANDS, type Command, ModelRun } from "./model-run.ts";

const command: fc.Arbitrary<Command> = fc.record({
  kind: fc.constantFrom(...COMMANDS),
  pick: fc.nat(1000),
});

/** Random commands of all kinds, played on the engine and on the model; shrinks to the shortest list that differs. */
export function playModel(
  onPlayed?: (commands: number) => void,
): fc.IAsyncProperty<[readonly Command[]]> {
  const commands = fc.array(command, { maxLength: 60, size: "max" });
  return fc.asyncProperty(commands, async (list: readonly Command[]) => {
    await new ModelRun().play(list);
    onPlayed?.(list.length);
  });
}
