/**
 * The order of events (harness.md §1), written by hand. One event a line: its name and what matters of it,
 * as `traceLine` writes it.
 */
const trace = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** A prompt and an answer. */
export const PLAIN_REPLY: readonly string[] = trace(`
  agent_start
  turn_start 1
  message_start user
  message_end user
  message_start assistant
  message_update text_delta
  message_end assistant stop
  turn_end 1
  save_point
  agent_end done
  settled
`);

/** One tool call, then an answer. */
export const TOOLS: readonly string[] = trace(`
  agent_start
  turn_start 1
  message_start user
  message_end user
  message_start assistant
  message_update toolcall_delta
  message_end assistant toolUse
  tool_permission c1 allow
  tool_execution_start c1
  tool_execution_update c1
  tool_execution_end c1
  message_start toolResult c1
  message_end toolResult c1
  turn_end 1 c1
  save_point
  turn_start 2
  message_start assistant
  message_update text_delta
  message_end assistant stop
  turn_end 2
  save_point
  agent_end done
  settled
`);

/** Two calls at the same time; the second one ends first. */
export const PARALLEL_TOOLS: readonly string[] = trace(`
  agent_start
  turn_start 1
  message_start user
  message_end user
  message_start assistant
  message_update toolcall_delta
  message_update toolcall_delta
  message_end assistant toolUse
  tool_execution_start c1
  tool_execution_start c2
  tool_execution_end c2
  tool_execution_end c1
  message_start toolResult c1
  message_end toolResult c1
  message_start toolResult c2
  message_end toolResult c2
  turn_end 1 c1 c2
  save_point
  turn_start 2
  message_start assistant
  message_update text_delta
  message_end assistant stop
  turn_end 2
  save_point
  agent_end done
  settled
`);

/** Two calls one after the other. */
export const SEQUENTIAL_TOOLS: readonly string[] = trace(`
  agent_start
  turn_start 1
  message_start user
  message_end user
  message_start assistant
  message_update toolcall_delta
  message_update toolcall_delta
  message_end assistant toolUse
  tool_execution_start c1
  tool_execution_end c1
  message_start toolResult c1
  message_end toolResult c1
  tool_execution_start c2
  tool_execution_end c2
  message_start toolResult c2
  message_end toolResult c2
  turn_end 1 c1 c2
  save_point
  turn_start 2
  message_start assistant
  message_update text_delta
  message_end assistant stop
  turn_end 2
  save_point
  agent_end done
  settled
`);

/** A word spoken while a tool runs: it comes before the next request. */
export const STEER: readonly string[] = trace(`
  agent_start
  turn_start 1
  message_start user
  message_end user
  message_start assistant
  message_update toolcall_delta
  message_end assistant toolUse
  tool_execution_start c1
  queue_update steer
  tool_execution_end c1
  message_start toolResult c1
  message_end toolResult c1
  turn_end 1 c1
  save_point
  turn_start 2
  queue_update
  message_start user
  message_end user
  message_start assistant
  message_update text_delta
  message_end assistant stop
  turn_end 2
  save_point
  agent_end done
  settled
`);

/** A follow-up, given while a tool runs: it comes where the run would have ended. */
export const FOLLOW_UP: readonly string[] = trace(`
  agent_start
  turn_start 1
  message_start user
  message_end user
  message_start assistant
  message_update toolcall_delta
  message_end assistant toolUse
  tool_execution_start c1
  queue_update followUp
  tool_execution_end c1
  message_start toolResult c1
  message_end toolResult c1
  turn_end 1 c1
  save_point
  turn_start 2
  message_start assistant
  message_update text_delta
  message_end assistant stop
  turn_end 2
  save_point
  queue_update
  turn_start 3
  message_start user
  message_end user
  message_start assistant
  message_update text_delta
  message_end assistant stop
  turn_end 3
  save_point
  agent_end done
  settled
`);

/** A message for the next turn, given during a run: a run of its own behind it. */
export const NEXT_TURN: readonly string[] = trace(`
  agent_start
  turn_start 1
  message_start user
  message_end user
  message_start assistant
  message_update toolcall_delta
  message_end assistant toolUse
  tool_execution_start c1
  queue_update nextTurn
  tool_execution_end c1
  message_start toolResult c1
  message_end toolResult c1
  turn_end 1 c1
  save_point
  turn_start 2
  message_start assistant
  message_update text_delta
  message_end assistant stop
  turn_end 2
  save_point
  agent_end done
  settled 1
  agent_start
  turn_start 1
  queue_update
  message_start user
  message_end user
  message_start assistant
  message_update text_delta
  message_end assistant stop
  turn_end 1
  save_point
  agent_end done
  settled
`);

/** An abort while the answer streams. */
export const ABORT: readonly string[] = trace(`
  agent_start
  turn_start 1
  message_start user
  message_end user
  message_start assistant
  message_update text_delta
  message_end assistant aborted
  turn_end 1
  save_point
  agent_end aborted
  settled
`);

/** An abort while two tools run: one hears it, one does not and is left behind. */
export const ABORT_IN_TOOLS: readonly string[] = trace(`
  agent_start
  turn_start 1
  message_start user
  message_end user
  message_start assistant
  message_update toolcall_delta
  message_update toolcall_delta
  message_end assistant toolUse
  tool_execution_start c1
  tool_execution_start c2
  tool_execution_end c1 error
  tool_execution_end c2 error
  message_start toolResult c1 error
  message_end toolResult c1 error
  message_start toolResult c2 error
  message_end toolResult c2 error
  turn_end 1 c1 c2
  save_point
  agent_end aborted
  settled
`);

/** A failure of the provider that is not tried again. */
export const PROVIDER_ERROR: readonly string[] = trace(`
  agent_start
  turn_start 1
  message_start user
  message_end user
  message_start assistant
  message_end assistant error
  turn_end 1
  save_point
  agent_end error
  settled
`);

/** A transient failure, then success. */
export const RETRY: readonly string[] = trace(`
  agent_start
  turn_start 1
  message_start user
  message_end user
  message_start assistant
  message_end assistant error
  turn_end 1
  save_point
  retry_scheduled 1 1000
  turn_start 2
  message_start assistant
  message_update text_delta
  message_end assistant stop
  turn_end 2
  save_point
  agent_end done
  settled
`);

/** The context is too large after the tools: compacted before the next request. */
export const COMPACTION_BETWEEN_TURNS: readonly string[] = trace(`
  agent_start
  turn_start 1
  message_start user
  message_end user
  message_start assistant
  message_update toolcall_delta
  message_end assistant toolUse
  tool_execution_start c1
  tool_execution_end c1
  message_start toolResult c1
  message_end toolResult c1
  turn_end 1 c1
  save_point
  turn_start 2
  compaction_start threshold
  compaction_end threshold written
  message_start assistant
  message_update text_delta
  message_end assistant stop
  turn_end 2
  save_point
  agent_end done
  settled
`);

/** The provider says that the request does not fit: one compaction, one more try. */
export const OVERFLOW: readonly string[] = trace(`
  agent_start
  turn_start 1
  message_start user
  message_end user
  message_start assistant
  message_end assistant error
  turn_end 1
  save_point
  compaction_start overflow
  compaction_end overflow written
  turn_start 2
  message_start assistant
  message_update text_delta
  message_end assistant stop
  turn_end 2
  save_point
  agent_end done
  settled
`);

/** A move during a run, with `abort`: the run settles first. */
export const NAVIGATION: readonly string[] = trace(`
  agent_start
  turn_start 1
  message_start user
  message_end user
  message_start assistant
  message_update text_delta
  message_end assistant aborted
  turn_end 1
  save_point
  agent_end aborted
  settled
  branch_switch
`);

/** A listener throws when the user message is told: no request is made, the run comes to its end. */
export const LISTENER_FAILURE: readonly string[] = trace(`
  agent_start
  turn_start 1
  message_start user
  message_end user
  message_start assistant
  message_end assistant aborted
  turn_end 1
  save_point
  agent_end error
  settled
`);
