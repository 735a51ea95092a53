export { safeJson, safeLine, safeText } from "../view/safe-text.ts";
