const ESCAPES: Record<string, string> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
};

/** Returns a path, given as a byte string, as git writes it: quoted if it has bytes that could be misread. */
export function quotePath(path: string): string {
  const escaped = path.replace(/[\x00-\x1f"\\\x7f-\xff]/g, (byte) => ESCAPES[byte] ?? octal(byte));
  return escaped === path ? path : `"${escaped}"`;
}

function octal(byte: string): string {
  return `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`;
}
