/** The names and file endings of the languages that are highlighted. */
const NAMES = {
  bash: 'sh shell shellscript zsh console shellsession ksh',
  c: 'h',
  cpp: 'c++ cc cxx hpp hh',
  csharp: 'c# cs',
  css: '',
  diff: 'patch',
  docker: 'dockerfile',
  go: 'golang',
  graphql: 'gql',
  html: 'htm',
  ini: 'properties conf cfg env',
  java: '',
  javascript: 'js mjs cjs node',
  json: 'jsonc json5 jsonl ndjson',
  jsx: '',
  kotlin: 'kt kts',
  lua: '',
  make: 'makefile mk',
  markdown: 'md',
  php: '',
  powershell: 'ps1 pwsh',
  python: 'py py3 pyi',
  ruby: 'rb',
  rust: 'rs',
  scss: 'sass',
  sql: 'sqlite postgresql psql mysql',
  swift: '',
  toml: '',
  tsx: '',
  typescript: 'ts mts cts',
  vue: '',
  xml: 'svg xsl plist',
  yaml: 'yml',
} as const;

export type Language = keyof typeof NAMES;

const BY_NAME = new Map<string, Language>(
  (Object.keys(NAMES) as Language[]).flatMap((language) =>
    [language, ...NAMES[language].split(' ')].map((name) => [name, language] as const),
  ),
);

/** Undefined for a language that is shown as plain text. */
export function languageOf(name: string): Language | undefined {
  return name === '' ? undefined : BY_NAME.get(name.toLowerCase());
}

/** The language of a file, by its name. */
export function languageOfPath(path: string): Language | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return languageOf(name.slice(name.lastIndexOf('.') + 1));
}
