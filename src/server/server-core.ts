import type { AgreedInstructions } from "../local/agreed-instructions.ts";
import type { AccessToken } from "./access-token.ts";
import type { EventHub } from "./event-hub.ts";
import type { Library } from "./library.ts";
import type { LibraryWatch } from "./library-watch.ts";
import type { ServerLimits } from "./limits.ts";
import type { Runs } from "./runs.ts";
import type { SearchService } from "./search-service.ts";
import type { ServerLog } from "./server-log.ts";
import type { ServerModels } from "./server-models.ts";
import type { SessionHosts } from "./session-hosts.ts";
import type { TeachingSession } from "./teaching.ts";

/** Everything that the routes of a server share. */
export interface ServerCore {
  readonly library: Library;
  readonly hosts: SessionHosts;
  readonly hub: EventHub;
  readonly models: ServerModels;
  /** Instructions of sessions that a person agreed to. */
  readonly instructions: AgreedInstructions;
  readonly runs: Runs;
  readonly teaching: TeachingSession;
  readonly search: SearchService;
  /** Tells of sessions that other programs write. */
  readonly watch: LibraryWatch;
  readonly token: AccessToken;
  readonly limits: ServerLimits;
  readonly log: ServerLog;
  /** Folder in which new sessions work, unless they name one. */
  readonly cwd: string;
  /** The person's home folder, where other agents keep their sessions. */
  readonly home: string;
  /** Folder of the built page, null = there is none. */
  readonly page: string | null;
  /** Version of the program. */
  readonly version: string;
}
