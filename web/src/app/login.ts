import { login } from "../api/api.ts";

/**
 * Swaps the token of `#token=` for a cookie, once, and takes it out of the address and of the browser's
 * history before anything else happens. Throws what the call throws.
 */
export async function loginFromAddress(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  history.replaceState(null, "", location.pathname + location.search);
  await login(token);
}
