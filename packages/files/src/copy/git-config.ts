/** Settings that say how git compares and writes files. No setting that names a program, a file or an address. */
const COPIED: ReadonlySet<string> = new Set([
  'core.autocrlf',
  'core.eol',
  'core.filemode',
  'core.ignorecase',
  'core.precomposeunicode',
  'core.symlinks',
  'user.email',
  'user.name',
  'extensions.objectformat',
]);
const PLAIN_VALUE = /^[\w .@+-]{1,200}$/;

/** Returns the settings of a copied repository: those of the original that are harmless. */
export function gitConfig(original: string): string {
  const found = new Map<string, string>([['core.bare', 'false']]);
  let section = '';
  for (const line of original.split(/\r?\n/)) {
    section =
      /^\s*\[(\w+)\]\s*$/.exec(line)?.[1]?.toLowerCase() ?? (line.trimStart().startsWith('[') ? '' : section);
    const [, name, value] = /^\s*(\w+)\s*=\s*"?([^"#;]*?)"?\s*$/.exec(line) ?? [];
    const key = `${section}.${name?.toLowerCase()}`;
    if (value !== undefined && COPIED.has(key) && PLAIN_VALUE.test(value)) found.set(key, value);
  }
  // Extensions are only valid in format 1.
  found.set('core.repositoryformatversion', found.has('extensions.objectformat') ? '1' : '0');
  return [...found].map(([key, value]) => settingText(key, value)).join('');
}

function settingText(key: string, value: string): string {
  const [section, name] = key.split('.');
  return `[${section}]\n\t${name} = ${value}\n`;
}
