import { type ReactElement, useEffect, useState } from "react";
import { eventStream } from "../api/event-stream.ts";
import { followEvents, openSession } from "../model/open-session.ts";
import { Shell } from "./shell.tsx";
import { SignIn } from "./sign-in.tsx";

let isFollowing = false;

/** Begins to hear the server once there is a cookie. */
export function startFollowing(): void {
  if (!isFollowing) followEvents();
  isFollowing = true;
  eventStream.start();
}

/** The page: the shell, or the way in. */
export function Page({ isAllowed }: { readonly isAllowed: boolean }): ReactElement {
  const [isIn, setIn] = useState(isAllowed);
  useEffect(() => eventStream.onState((state) => state === "refused" && setIn(false)), []);
  if (isIn) return <Shell />;
  return (
    <SignIn
      onDone={() => {
        startFollowing();
        void openSession.get()?.refresh();
        setIn(true);
      }}
    />
  );
}
