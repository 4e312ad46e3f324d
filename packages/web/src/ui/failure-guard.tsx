import { Component, type ReactNode } from 'react';

/** Shows something else in place of a view that fails, so that one odd part does not end the page. */
export class FailureGuard extends Component<
  { children: ReactNode; fallback: ReactNode },
  { hasFailed: boolean }
> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
