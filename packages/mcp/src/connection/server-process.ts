import type { Sandbox } from '@longhaul/core';
import type { LoginStorage } from '../login/server-login.ts';
import type { Environment } from '../server-settings.ts';

/** Where servers are started, and with which variables. */
export interface ServerPlace {
  workspace: string;
  /** The variables of this process. */
  host: Environment;
  /** Logins at servers over HTTP. Default: there are none. */
  logins?: LoginStorage | undefined;
  /** Variables of servers on this machine, which settings do not override. */
  variables?: Readonly<Record<string, string>> | undefined;
  /** Opens a sandbox for one server, with these variables. Default: there are none. */
  openSandbox?: ((variables: Readonly<Record<string, string>>) => Promise<Sandbox>) | undefined;
  /** How long a server may take to end by itself after its input was closed, and after SIGTERM. Default: 2 seconds. */
  graceMs?: number | undefined;
}

/** Gets what a server writes. */
export interface ServerOutput {
  stdout(chunk: Uint8Array): void;
  stderr(text: string): void;
  /** The server has ended, and all of its output was passed on. */
  closed(): void;
}

/** A server that speaks over its standard input and output. */
export interface ServerProcess {
  /** The path of the workspace, as the server sees it. */
  readonly workspacePath: string;
  /** How the server has ended. Undefined while it runs. */
  readonly ending: string | undefined;
  /** Writes to its standard input. @throws if the server has ended. */
  write(text: string): Promise<void>;
  /** Ends the server and everything that it has started: closes its input, then stops it. Resolves when it has ended. */
  end(): Promise<void>;
  /** Kills the server, because it does not follow the protocol. */
  kill(): void;
}

export type StartServer = (output: ServerOutput) => Promise<ServerProcess>;

export const GRACE_MS = 2_000;

/** How a program has ended, for people. */
export function endingText({
  exitCode,
  signal,
}: {
  exitCode?: number | null;
  signal?: string | null;
}): string {
  if (typeof exitCode === 'number') return `ended with exit code ${exitCode}`;
  return typeof signal === 'string' ? `was killed by ${signal}` : 'was stopped';
}
