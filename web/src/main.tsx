import { createRoot } from "react-dom/client";
import { ApiFailure } from "./api/api-failure.ts";
import { call } from "./api/http.ts";
import { followKeys } from "./app/keys.ts";
import { followLocation, route } from "./app/location.ts";
import { loginFromAddress } from "./app/login.ts";
import { Page, startFollowing } from "./app/page.tsx";
import { askForFont } from "./app/text-font.ts";
import { followTheme } from "./app/theme.ts";
import { followLanguage } from "./i18n/language.ts";
import { openSessionModel } from "./model/open-session.ts";
import "./style/tokens.css";
import "./style/base.css";
import "./style/shell.css";
import "./style/parts.css";
import "./style/library.css";
import "./style/library-filter.css";
import "./style/tree.css";
import "./style/code.css";
import "./style/transcript.css";
import "./style/composer.css";
import "./style/context.css";
import "./style/compare.css";
import "./style/health.css";
import "./style/marks.css";
import "./style/phone.css";

/** Whether the server lets this browser in; a server that is away does, so that the page can wait for it. */
async function isAllowed(): Promise<boolean> {
  try {
    await loginFromAddress();
    await call("/api/health");
    return true;
  } catch (error) {
    return !(error instanceof ApiFailure && (error.status === 401 || error.status === 403));
  }
}

followTheme();
followLanguage();
followLocation();
followKeys();

const place = document.getElementById("page");
await askForFont();
const isIn = await isAllowed();
if (isIn) {
  startFollowing();
  const { session, entry } = route.get();
  if (session !== null) openSessionModel(session, entry);
}
if (place !== null) createRoot(place).render(<Page isAllowed={isIn} />);
