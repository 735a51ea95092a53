import { homedir, userInfo } from "node:os";
import type { PersonFacts } from "../redaction/personal-names.ts";

/** The folder and the name of whoever runs this program; `home` where it is not the system's. */
export function localPerson(
  home: string = homedir(),
): Required<Pick<PersonFacts, "homes" | "userNames">> {
  return { homes: [home], userNames: userNames() };
}

/** A process may run as a user that has no name. */
function userNames(): readonly string[] {
  try {
    return [userInfo().username];
  } catch {
    return [];
  }
}
