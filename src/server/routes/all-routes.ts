import type { Route } from "../route.ts";
import { ARCHIVE_ROUTES } from "./archive-routes.ts";
import { CHANGE_ROUTES } from "./change-routes.ts";
import { EVENT_ROUTES } from "./event-routes.ts";
import { EXPORT_ROUTES } from "./export-routes.ts";
import { LIBRARY_ROUTES } from "./library-routes.ts";
import { READING_ROUTES } from "./reading-routes.ts";
import { RUN_ROUTES } from "./run-routes.ts";
import { SERVER_ROUTES } from "./server-routes.ts";
import { SESSION_ROUTES } from "./session-routes.ts";
import { TEACHING_ROUTES } from "./teaching-routes.ts";

/** Every route of a server, in the order of the document. */
export const ALL_ROUTES: readonly Route[] = [
  ...SERVER_ROUTES,
  ...SESSION_ROUTES,
  ...ARCHIVE_ROUTES,
  ...READING_ROUTES,
  ...EXPORT_ROUTES,
  ...CHANGE_ROUTES,
  ...LIBRARY_ROUTES,
  ...RUN_ROUTES,
  ...EVENT_ROUTES,
  ...TEACHING_ROUTES,
];
