import type { Summariser } from "../compaction/summariser.ts";
import type { ModelInfo, ModelProvider } from "../model/model.ts";
import type { Session } from "../session/session.ts";
import { Compactor } from "./compactor.ts";
import { createDemoTools } from "./demo-tools.ts";
import { createHarness, type Harness } from "./harness.ts";
import { type HarnessOptions, resolveOptions } from "./harness-options.ts";
import { createRecallTool } from "./recall-tool.ts";
import type { PendingCall, Permission, Tool } from "./tool.ts";
import type { Workspace } from "./workspace.ts";

/** Instructions at the beginning of conversations that have none, where the standard tools are there. */
export const STANDARD_PROMPT =
  "You work in one folder with the tools that you are given: list, read and search files, write notes. Say briefly what you found.";

/** What the standard tools work on. */
export interface StandardParts {
  readonly session: Session;
  readonly workspace: Workspace;
}

/** The tools that an agent has where nobody chose others: a fenced folder, and `recall`. */
export function standardTools({ session, workspace }: StandardParts): readonly Tool[] {
  return [...createDemoTools(workspace), createRecallTool(session)];
}

/** How the standard agent is opened. */
export interface StandardAgentOptions
  extends Omit<HarnessOptions, "tools" | "systemPrompt" | "permission"> {
  /** The folder that its tools see; null = an agent without tools and instructions. */
  readonly workspace: Workspace | null;
  /** Decides about a call of one of its tools. Default: all may run. */
  readonly permit?: (call: PendingCall, tool: Tool) => Permission | Promise<Permission>;
}

/**
 * The agent that the command line opens on a session: the standard tools and instructions on a harness.
 * The caller closes it, then the session. Throws as {@link createHarness}.
 */
export function openHarness(options: StandardAgentOptions): Promise<Harness> {
  const { workspace, permit, ...rest } = options;
  if (workspace === null) return createHarness(rest);
  const tools = standardTools({ session: rest.session, workspace });
  const parts = { ...rest, tools, systemPrompt: STANDARD_PROMPT };
  if (permit === undefined) return createHarness(parts);
  return createHarness({
    ...parts,
    permission(call) {
      const tool = tools.find(({ name }) => name === call.name);
      // A name that is no tool is answered by the loop itself.
      return tool === undefined ? { decision: "allow" } : permit(call, tool);
    },
  });
}

/** What a summariser of {@link harnessSummariser} works with. */
export interface SummariserParts {
  readonly session: Session;
  readonly models: ModelProvider;
  readonly model: ModelInfo;
}

/** The summariser that a harness takes for a model: the model itself, the extractive one for an offline model. */
export function harnessSummariser({ session, models, model }: SummariserParts): Summariser {
  const ref = { provider: model.provider, modelId: model.modelId };
  return new Compactor(resolveOptions({ session, models, model: ref })).summariserFor(model);
}
