/**
 * Checks the Markdown files. Fails on a path that does not exist: link targets, paths in backticks that start with a
 * folder of this repository, and names of test files in backticks. Fails on a link to a heading that does not exist, and
 * on a line of more than 160 characters that could be wrapped. Fails on an npm script that does not exist. Fails on
 * a code block that is not in its source file: a fenced block below a line `<!-- examples/x.ts -->` must be in that
 * file verbatim, except for indentation. Fails on a flag or value of the `longhaul` command that its parser does not
 * know, and on a flag that docs/cli.md does not name.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import * as flags from '../packages/cli/src/command-line/flags.ts';
import { commandFlags, undocumentedFlags, wrongCommandLines, wrongReference } from './command-lines.ts';
import { headingAnchors, longLines } from './markdown-checks.ts';

const EXCLUDE = ['**/node_modules/**', '**/dist/**'];
/** The top folders that git tracks. Others, such as `.git`, differ between checkouts. */
const roots = new Set(
  execFileSync('git', ['ls-tree', '-d', '--name-only', 'HEAD'], { encoding: 'utf8' }).trim().split('\n'),
);
const scripts = new Set(Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts));
const tests = new Set(globSync('**/*.test.ts', { exclude: EXCLUDE }).map((path) => basename(path)));
const files = globSync('**/*.md', { exclude: EXCLUDE });
const commands = commandFlags(flags);
const problems = [...files.flatMap(checkFile), ...checkCommands()];

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`Docs: checked ${files.length} Markdown files, no dead paths, no unknown flags.`);

function checkFile(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const found: string[] = [];
  for (const [line, content] of text.split('\n').entries()) {
    for (const path of [...linkTargets(content), ...codePaths(content)]) {
      const exists = existsSync(resolve(dirname(file), path)) || existsSync(resolve(path));
      if (!exists) found.push(`${file}:${line + 1}: ${path} does not exist`);
    }
    for (const [, name = ''] of content.matchAll(/`([\w.-]+\.test\.ts)`/g)) {
      if (!tests.has(name)) found.push(`${file}:${line + 1}: no test file is named ${name}`);
    }
    for (const [, name] of content.matchAll(/npm run ([\w:-]+)/g)) {
      if (name !== undefined && !scripts.has(name))
        found.push(`${file}:${line + 1}: package.json has no script "${name}"`);
    }
  }
  return [...found, ...deadAnchors(file, text), ...wrongLengths(file, text), ...wrongSnippets(file, text)];
}

function wrongLengths(file: string, text: string): string[] {
  return longLines(text).map((line) => `${file}:${line}: wrap this line at 150 characters`);
}

/** A target that does not exist is reported as a path. */
function deadAnchors(file: string, text: string): string[] {
  const links = text.matchAll(/\]\((?![a-z]+:)([^)\s#]*)#([^)\s]+)\)/g);
  return [...links].flatMap(([, path = '', anchor = '']) => {
    const target = path === '' ? file : resolve(dirname(file), path);
    if (!existsSync(target) || headingAnchors(readFileSync(target, 'utf8')).has(anchor)) return [];
    return [`${file}: ${path}#${anchor} does not exist: no heading has this anchor`];
  });
}

function checkCommands(): string[] {
  const pages = ['README.md', 'packages/cli/README.md', ...globSync('docs/*.md')];
  const wrong = pages.flatMap((page) =>
    wrongCommandLines(readFileSync(page, 'utf8'), commands).map((problem) => `${page}: ${problem}`),
  );
  const page = 'docs/cli.md';
  const readPage = (path: string) => readFileSync(join('docs', path), 'utf8');
  const text = readFileSync(page, 'utf8');
  const ofReference = [...wrongReference(text, commands), ...undocumentedFlags(text, commands, readPage)];
  return [...wrong, ...ofReference.map((problem) => `${page}: ${problem}`)];
}

function wrongSnippets(file: string, text: string): string[] {
  const snippets = text.matchAll(/^<!-- ([\w./-]+\.\w+) -->\n```\w*\n([\s\S]*?)^```$/gm);
  return [...snippets].flatMap(([, source = '', code = '']) => {
    if (!existsSync(source)) return [`${file}: ${source} does not exist`];
    const isInSource = unindented(readFileSync(source, 'utf8')).includes(unindented(code));
    return isInSource ? [] : [`${file}: the code block below "${source}" is not in that file`];
  });
}

function unindented(code: string): string {
  return code.replace(/^[ \t]+/gm, '');
}

function linkTargets(line: string): string[] {
  return [...line.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => (match[1] ?? '').replace(/#.*$/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target));
}

/**
 * Returns paths such as `packages/core/src`. A path with a placeholder or a pattern is cut before the segment that
 * contains it.
 */
function codePaths(line: string): string[] {
  return [...line.matchAll(/`([\w.@-]+(?:\/[\w.@*<>-]+)+\/?)`/g)]
    .map((match) => match[1] ?? '')
    .filter((path) => roots.has(path.split('/')[0] ?? '') && !path.startsWith('node_modules'))
    .map((path) => path.replace(/\/[^/]*[*<].*$/, ''));
}
