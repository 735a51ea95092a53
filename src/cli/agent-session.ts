import { BranchlineError } from "../errors.ts";
import { Session } from "../session/session.ts";
import { styled } from "./color.ts";
import type { Call } from "./verb.ts";

/**
 * The session that an agent runs on: that of -s, else the newest of this folder; with --new, and where
 * the folder has none, a session that is made for it.
 */
export async function agentSession(call: Call): Promise<Session> {
  if (call.has("new")) return await newSession(call);
  try {
    return await call.sessions.open(call.sessionOption);
  } catch (error) {
    const isMissing = BranchlineError.is(error, "SESSION_UNKNOWN");
    if (!isMissing || call.sessionOption !== undefined) throw error;
    return await newSession(call);
  }
}

async function newSession(call: Call): Promise<Session> {
  const made = await call.sessions.home.store.create({ cwd: call.io.cwd });
  call.out.talk(styled("faint", `new session ${made.id}`));
  return await Session.attach(made);
}
