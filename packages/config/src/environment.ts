import { type ConfigPath, type ConfigProblem, isPlainObject, pathText } from './config-layer.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A value that is exactly `$NAME`. */
const REFERENCE = /^\$([A-Za-z_]\w*)$/;

export function referencedVariable(value: unknown): string | undefined {
  return typeof value === 'string' ? REFERENCE.exec(value)?.[1] : undefined;
}

/** Returns the value of a variable. An empty variable counts as not set. */
export function readVariable(env: Environment, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name]?.trim() : undefined;
  return value === '' ? undefined : value;
}

export interface FilledIn {
  value: unknown;
  problems: ConfigProblem[];
  /** Paths, as JSON, whose value came from a variable. */
  filled: ReadonlySet<string>;
}

/**
 * Replaces each `$NAME` by the variable's value. A missing variable is a problem, except for the key, the address and
 * the headers of a provider, for variables and headers of an MCP server, and for keys of the gateway. There `$NAME`
 * stays, and is a problem only when it is used.
 */
export function fillInEnvironment(root: unknown, env: Environment): FilledIn {
  const problems: ConfigProblem[] = [];
  const filled = new Set<string>();
  const visit = (value: unknown, path: ConfigPath): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => visit(item, [...path, index]));
    if (isPlainObject(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, visit(item, [...path, key])]),
      );
    }
    const name = referencedVariable(value);
    if (name === undefined) return value;
    const found = readVariable(env, name);
    if (found !== undefined) filled.add(JSON.stringify(path));
    else if (!mayWait(path)) {
      problems.push({
        path,
        text: `${pathText(path)} reads $${name}, which is not set in the environment.`,
      });
    }
    return found ?? value;
  };
  return { value: visit(root, []), problems, filled };
}

function mayWait(path: ConfigPath): boolean {
  const last = path.at(-1);
  if (path[0] === 'gateway') return last === 'apiKey' || last === 'token';
  if (path[0] === 'mcp') return path.length === 5 && (path[3] === 'env' || path[3] === 'headers');
  if (path[0] !== 'providers') return false;
  if (path.length === 4) return path[2] === 'headers';
  return path.length === 3 && (last === 'apiKey' || last === 'baseUrl');
}
