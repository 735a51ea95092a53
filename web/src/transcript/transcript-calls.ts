import type { TranscriptRow } from "branchline/protocol/tree.ts";
import { useMemo } from "react";
import type { SessionModel } from "../model/session-model.ts";
import { blocksOf, messageOf, textOf } from "./entry-content.ts";

/** Calls and results of the known rows, matched. */
export interface TranscriptCalls {
  /** Arguments of the call that a result's row answers. */
  readonly callOf: (row: TranscriptRow) => unknown;
  readonly isAnswered: (callId: string) => boolean;
}

/** Worked out again when rows came (`version`). */
export function useTranscriptCalls(model: SessionModel, version: number): TranscriptCalls {
  // biome-ignore lint/correctness/useExhaustiveDependencies: version says that rows came
  return useMemo(() => {
    const given = new Map<string, unknown>();
    const answered = new Set<string>();
    for (const [, row] of model.path.known()) {
      const message = messageOf(row.entry);
      if (row.kind === "t") answered.add(textOf(message.toolCallId));
      if (row.kind !== "a") continue;
      for (const block of blocksOf(message.content)) {
        if (block.type === "call") given.set(block.id, block.arguments);
      }
    }
    return {
      callOf: (row) => given.get(textOf(messageOf(row.entry).toolCallId)),
      isAnswered: (id) => answered.has(id),
    };
  }, [model, version]);
}
