import { isSame } from './same-message.ts';

/** A field of a message: the keys and indexes that lead to it. */
type Path = readonly (string | number)[];

/**
 * Returns the fields of a message that a format does not read: texts, arguments of calls and elements of lists, media
 * among them. A field is read if the reading changes with it, or cannot be made any more.
 *
 * @param options.notSent Names of fields that the model never gets. Fields with common names for identifiers, types and
 * metadata are left out too.
 */
export function unreadFields<M>(
  message: M,
  read: (message: M) => unknown,
  { notSent }: { notSent: readonly string[] },
): string[] {
  const before = read(message);
  const found: Path[] = [];
  for (const { path, value } of probesOf(message, {
    path: [],
    isArgument: false,
    notSent: new Set(notSent),
  })) {
    // The element that contains the field is reported already.
    if (found.some((outer) => outer.every((key, index) => key === path[index]))) continue;
    if (isSame(before, readOr(read, replaced(message, path, value)))) found.push(path);
  }
  return found.map(nameOf);
}

/** A reading that fails has noticed the change. */
function readOr<M>(read: (message: M) => unknown, message: M): unknown {
  try {
    return read(message);
  } catch {
    return undefined;
  }
}

/** A change of one field. `REMOVED` takes an element out of its list, or leaves out the field. */
interface Probe {
  path: Path;
  value: unknown;
}

const REMOVED = Symbol('removed');
const OTHER_TEXT = 'Another text, which no sample has.';

interface Walk {
  path: Path;
  /** The value is in the arguments of a call, where numbers count too. */
  isArgument: boolean;
  notSent: ReadonlySet<string>;
}

function probesOf(value: unknown, walk: Walk): Probe[] {
  const { path, isArgument } = walk;
  if (typeof value === 'string') return probesOfText(value, walk);
  if (isArgument && (typeof value === 'number' || typeof value === 'boolean'))
    return [{ path, value: OTHER_TEXT }];
  if (isBytes(value)) return path.some((key) => typeof key === 'number') ? [] : [{ path, value: REMOVED }];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return value.flatMap((item, index) => [
      { path: [...path, index], value: REMOVED },
      ...probesOf(item, { ...walk, path: [...path, index] }),
    ]);
  return Object.entries(value).flatMap(([key, item]) => {
    if (!isArgument && (NOT_TEXT.test(key) || walk.notSent.has(key))) return [];
    return probesOf(item, { ...walk, path: [...path, key], isArgument: isArgument || ARGUMENTS.test(key) });
  });
}

/** Arguments as JSON text are read as what they contain. */
function probesOfText(text: string, { path, isArgument, notSent }: Walk): Probe[] {
  if (text === '') return [];
  const json = isArgument || /^\s*\{/.test(text) ? parsed(text) : undefined;
  if (json !== undefined)
    return probesOf(json, { path: [], isArgument: true, notSent }).map((probe) => ({
      path,
      value: JSON.stringify(replaced(json, probe.path, probe.value)),
    }));
  // A link is not counted by its text. If it is in a list, the whole element is checked.
  if (isArgument || !MEDIA_TEXT.test(text)) return [{ path, value: OTHER_TEXT }];
  return path.some((key) => typeof key === 'number') ? [] : [{ path, value: REMOVED }];
}

/** Names of fields that are not text for the model, or that are counted as media. */
const NOT_TEXT =
  /^(?:id|role|type|kind|status|state|format|detail|model|object|data|bytes|base64|file_data|signature|encrypted_content|cache_control|annotations|logprobs|provider_?(?:options|metadata)|metadata|usage)$|(?:[a-z]Id|_id|[a-z]Name|name|[a-z]Type|_type|_at)$/i;
const ARGUMENTS = /^(?:input|args|arguments|params|parameters)$/i;
const MEDIA_TEXT = /^(?:https?:\/\/|data:[\w.+-]+\/)\S*$/;

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isBytes(value: unknown): boolean {
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

/** Returns a copy in which one field has another value. */
function replaced<T>(value: T, path: Path, other: unknown): T;
function replaced(value: unknown, [key, ...rest]: Path, other: unknown): unknown {
  if (key === undefined) return other;
  if (Array.isArray(value))
    return rest.length === 0 && other === REMOVED
      ? value.filter((_, index) => index !== key)
      : value.map((item: unknown, index) => (index === key ? replaced(item, rest, other) : item));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.create(Object.getPrototypeOf(value), Object.getOwnPropertyDescriptors(value)) as object;
  const own: unknown = Reflect.get(value, key);
  const next = rest.length === 0 ? (other === REMOVED ? undefined : other) : replaced(own, rest, other);
  Object.defineProperty(copy, key, { value: next, enumerable: true, configurable: true, writable: true });
  return copy;
}

function nameOf(path: Path): string {
  return path.reduce<string>(
    (name, key) => (typeof key === 'number' ? `${name}[${key}]` : name === '' ? key : `${name}.${key}`),
    '',
  );
}
