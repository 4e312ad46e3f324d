import { escapedCharacter } from '@longhaul/protocol';
import { isOwnLink, LINK } from './render/link.ts';
import { STYLES } from './render/paint.ts';
import type { OutputStream, Terminal } from './terminal.ts';

/** The sequences of `Paint`. They change colours and nothing else. */
const COLOURS = [...new Set(STYLES)].join('|');

/**
 * C0 and C1 control characters except line breaks and tabs, and the characters that change the direction of text: they
 * move the cursor, hide text, or make a terminal write the clipboard or type into the shell.
 */
const UNSAFE =
  '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]|\\r(?!\\n)';

const UNSAFE_TEXT = new RegExp(UNSAFE, 'g');
const OWN_OR_UNSAFE = new RegExp(`(\\u001b\\[(?:${COLOURS})m)|(${LINK})|${UNSAFE}`, 'g');

/** Returns the text of a model for a stream that shows nothing else: at a terminal, without colours of its own. */
export function answerText({ isTTY }: OutputStream, text: string): string {
  return isTTY === true ? text.replace(UNSAFE_TEXT, escapedCharacter) : text;
}

/** Escapes everything that could change a terminal, except the colours of `Paint` and the links of this process. */
export function escapeForTerminal(text: string): string {
  return text.replace(OWN_OR_UNSAFE, (found, colour?: string, link?: string, id?: string, target = '') => {
    if (colour !== undefined) return colour;
    if (link === undefined) return escapedCharacter(found);
    return isOwnLink(id, target) ? link : link.replace(UNSAFE_TEXT, escapedCharacter);
  });
}

/** The streams behind the safe ones. */
const unescaped = new WeakMap<object, OutputStream>();

/**
 * Writes text with this program's own control sequences. The caller escapes everything else in it with
 * `escapeForTerminal`. Only what redraws lines or changes modes of the terminal needs this.
 */
export function writeControls(stream: { write(text: string): unknown }, text: string): void {
  (unescaped.get(stream) ?? stream).write(text);
}

/**
 * Returns the terminal with streams that escape what they write to a person's terminal, whatever a command gives them:
 * names of files, models and folders, answers, errors. A file or a pipe gets the exact bytes.
 */
export function safeTerminal(terminal: Terminal): Terminal {
  const { out, err } = terminal;
  if (out.isTTY !== true && err.isTTY !== true) return terminal;
  return Object.create(terminal, {
    out: { value: safeStream(out) },
    err: { value: safeStream(err) },
  });
}

/** Writes warnings of this process through `err`: Node.js itself writes their text to a terminal as it is. */
export function escapeWarnings(err: OutputStream): void {
  if (err.isTTY !== true) return;
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => void err.write(`longhaul: ${name}: ${message}\n`));
}

function safeStream(stream: OutputStream): OutputStream {
  if (stream.isTTY !== true) return stream;
  const decoder = new TextDecoder();
  const textOf = (chunk: string | Uint8Array, encoding: unknown): string => {
    if (typeof chunk !== 'string') return decoder.decode(chunk, { stream: true });
    return isOther(encoding) ? Buffer.from(chunk, encoding).toString() : chunk;
  };
  const escaping =
    (method: 'write' | 'end') =>
    (chunk: unknown, ...rest: unknown[]): unknown => {
      if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))
        return Reflect.apply(stream[method], stream, [chunk, ...rest]);
      const others = typeof rest[0] === 'string' ? rest.slice(1) : rest;
      return Reflect.apply(stream[method], stream, [escapeForTerminal(textOf(chunk, rest[0])), ...others]);
    };
  const safe = { write: escaping('write'), end: escaping('end') };
  const proxy = new Proxy(stream, {
    get(target, key) {
      if (key === 'write' || key === 'end') return safe[key];
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  unescaped.set(proxy, stream);
  return proxy;
}

/** Whether text is written in an encoding that can be that of bytes. */
function isOther(encoding: unknown): encoding is BufferEncoding {
  return typeof encoding === 'string' && !/^utf-?8$/i.test(encoding);
}
