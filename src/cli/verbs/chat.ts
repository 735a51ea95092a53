import { AGENT_OPTIONS, Agent } from "../agent.ts";
import { agentSession } from "../agent-session.ts";
import { Chat } from "../chat.ts";
import type { Verb } from "../verb.ts";

/** A conversation, line by line. */
export const chatVerb: Verb = {
  name: "chat",
  summary: "talk with the agent line by line; /help lists the commands",
  example: "branchline chat --offline",
  arguments: [],
  options: [{ name: "new", about: "in a new session" }, ...AGENT_OPTIONS],
  async run(call) {
    const session = await agentSession(call);
    await using agent = await Agent.open(call, session);
    await agent.begin();
    return await new Chat(call, agent).run();
  },
};
