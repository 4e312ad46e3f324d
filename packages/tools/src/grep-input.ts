import type { InputFields } from './input-parser.ts';

export interface GrepInput {
  pattern: string;
  path?: string;
  include?: string;
  ignoreCase: boolean;
  context?: number;
  limit?: number;
  output: GrepOutput;
}

/** Lines with their numbers, names of files, or the number of matches in each file. */
export type GrepOutput = 'content' | 'files' | 'count';

/** File types whose names are not their extension. Source: `rg --type-list`. */
const TYPE_GLOBS: Readonly<Record<string, string>> = {
  ts: '*.{ts,tsx,cts,mts}',
  typescript: '*.{ts,tsx,cts,mts}',
  js: '*.{js,jsx,cjs,mjs,vue}',
  javascript: '*.{js,jsx,cjs,mjs,vue}',
  py: '*.{py,pyi}',
  python: '*.{py,pyi}',
  rust: '*.rs',
  ruby: '*.{rb,gemspec}',
  csharp: '*.cs',
  cs: '*.cs',
  cpp: '*.{cpp,cc,cxx,hpp,hh,hxx,h,inl}',
  c: '*.{c,h}',
  kotlin: '*.{kt,kts}',
  markdown: '*.{md,markdown,mdx}',
  md: '*.{md,markdown,mdx}',
  yaml: '*.{yaml,yml}',
  html: '*.{html,htm}',
  sh: '*.{sh,bash,zsh}',
};

const OUTPUTS: Readonly<Record<string, GrepOutput>> = {
  content: 'content',
  files_with_matches: 'files',
  files: 'files',
  count: 'count',
};

/** Reads the arguments of a search, with the options that other agents' tools have. */
export function readGrepInput(fields: InputFields): GrepInput {
  const pattern = fields.text('pattern');
  if (pattern === '') fields.problem('`pattern` is empty.');
  const around = ['context', 'before', 'after'].map((name) => fields.optionalInteger(name, 0) ?? 0);
  const context = Math.max(...around);
  return {
    pattern: fields.flag('literal') ? pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : pattern,
    path: fields.optionalText('path'),
    include: readInclude(fields),
    ignoreCase: fields.flag('ignoreCase') || isOff(fields.value('caseSensitive')),
    context: context === 0 ? undefined : context,
    limit: fields.optionalInteger('limit', 0) || undefined,
    output: readOutput(fields),
  };
}

function readInclude(fields: InputFields): string | undefined {
  const include = readGlobs(fields, 'include');
  const exclude = readGlobs(fields, 'exclude');
  const type = fields.optionalText('type')?.toLowerCase() || undefined;
  if (include !== undefined && type !== undefined) fields.ignore('type');
  const wanted =
    include ?? (type === undefined || !/^\w+$/.test(type) ? undefined : (TYPE_GLOBS[type] ?? `*.${type}`));
  if (exclude === undefined) return wanted;
  if (wanted === undefined) return `!${exclude}`;
  fields.ignore('exclude');
  return wanted;
}

/** Several globs become one with braces. */
function readGlobs(fields: InputFields, name: string): string | undefined {
  const given = fields.value(name);
  if (!Array.isArray(given)) return fields.optionalText(name) || undefined;
  const globs = given.filter((glob) => typeof glob === 'string');
  return globs.length < 2 ? globs[0] : `{${globs.join(',')}}`;
}

function isOff(value: unknown): boolean {
  return value === false || value === 'false';
}

function readOutput(fields: InputFields): GrepOutput {
  const word = fields.optionalText('output') ?? 'content';
  const output = Object.hasOwn(OUTPUTS, word) ? OUTPUTS[word] : undefined;
  if (output === undefined) fields.ignore('output');
  return output ?? 'content';
}
