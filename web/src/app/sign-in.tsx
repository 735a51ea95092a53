import { type FormEvent, type ReactElement, useState } from "react";
import { login } from "../api/api.ts";
import { useText } from "../i18n/language.ts";
import { FailureNote } from "../parts/notice.tsx";

/** What is shown without a valid cookie: how to get in. */
export function SignIn({ onDone }: { readonly onDone: () => void }): ReactElement {
  const t = useText();
  const [error, setError] = useState<unknown>();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget).get("token") ?? "").trim();
    login(token).then(onDone, setError);
  };
  return (
    <main className="sign-in" id="content">
      <form className="card" onSubmit={submit}>
        <h1>{t("login.title")}</h1>
        <p>{t("login.body")}</p>
        <label>
          <span className="quiet small">{t("login.paste")}</span>
          <input className="field" name="token" type="password" autoComplete="off" required />
        </label>
        {error !== undefined && <FailureNote error={error} />}
        <div className="row end">
          <button type="submit" className="button primary">
            <span>{t("login.go")}</span>
          </button>
        </div>
      </form>
    </main>
  );
}
