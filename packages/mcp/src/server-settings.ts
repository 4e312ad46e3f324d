/** How to reach an MCP server. It is started with `command`, or is at `url`. */
export interface ServerSettings {
  command?: string;
  args?: readonly string[];
  /** Variables of a started server, in addition to a safe minimum. */
  env?: Readonly<Record<string, string>>;
  /** Absolute. Default: the workspace. */
  cwd?: string;
  url?: string;
  headers?: Readonly<Record<string, string>>;
  /** How a person logs in. Default: Longhaul registers itself. */
  oauth?: OAuthSettings;
  /** A started server runs in a sandbox of its own, around the workspace. Default false: on this machine. */
  sandbox?: boolean;
  /** Default true. */
  enabled?: boolean;
  /** Names, or patterns with `*`, of the server's tools that are used. Default: all. */
  tools?: readonly string[];
  /** How long an answer may take. Each report of progress restarts it. Default 60,000. */
  timeoutMs?: number;
  /** The server may use the model of the session during calls. Default false. */
  sampling?: boolean;
}

export interface OAuthSettings {
  /** A client that was registered before. */
  clientId?: string;
  /** The name of the variable that has its secret. */
  clientSecretEnv?: string;
  /** What the login is for, in place of what the server names. Separated by blanks. */
  scope?: string;
  /** The port of the address to which the browser returns. Default: a free one. */
  callbackPort?: number;
}

export const DEFAULT_TIMEOUT_MS = 60_000;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables in the texts of settings: `${NAME}`, or `${NAME:-default}`. */
const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** Replaces variables in a text. A variable that is not set, and has no default, stays as it is written. */
function withVariables(text: string, env: Environment): string {
  return text.replace(VARIABLE, (written, name: string, fallback: string | undefined) => {
    const value = env[name];
    return value === undefined || value === '' ? (fallback ?? written) : value;
  });
}

/** Replaces variables in all texts of a server's settings. */
export function filledIn(settings: ServerSettings, env: Environment): ServerSettings {
  const { command, args, cwd, url, env: variables, headers } = settings;
  const fill = (text: string) => withVariables(text, env);
  const fillAll = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text)]));
  return {
    ...settings,
    ...(command !== undefined && { command: fill(command) }),
    ...(args !== undefined && { args: args.map(fill) }),
    ...(cwd !== undefined && { cwd: fill(cwd) }),
    ...(url !== undefined && { url: fill(url) }),
    ...(variables !== undefined && { env: fillAll(variables) }),
    ...(headers !== undefined && { headers: fillAll(headers) }),
  };
}
