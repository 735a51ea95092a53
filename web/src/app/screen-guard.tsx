import { Component, type ErrorInfo, type ReactNode } from "react";
import { text } from "../i18n/language.ts";
import { FailureNote } from "../parts/notice.tsx";

interface GuardParts {
  readonly children: ReactNode;
}

/** Keeps a failing screen from taking the page with it. */
export class ScreenGuard extends Component<GuardParts, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    console.error(error, info.componentStack);
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <main className="screen" id="content">
        <p>{text("error.screen")}</p>
        <FailureNote error={error} onRetry={() => this.setState({ error: undefined })} />
      </main>
    );
  }
}
