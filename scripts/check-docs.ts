/**
 * Fails on a path in Markdown that does not exist: link targets, and paths in backticks that begin with a folder of this
 * repository. Also on npm scripts that are named and not there, and on code that is said to come from a file and does not: a line
 * `<!-- examples/x.ts -->` and a fenced block below it, which must stand in that file as it is, whatever its indentation.
 */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const EXCLUDE = ['**/node_modules/**', '**/dist/**'];
const roots = new Set(
  readdirSync('.', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name),
);
const scripts = new Set(Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts));
const files = globSync('**/*.md', { exclude: EXCLUDE });
const problems = files.flatMap(checkFile);

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`Docs: ${files.length} Markdown files, no dead path.`);

function checkFile(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const found: string[] = [];
  for (const [line, content] of text.split('\n').entries()) {
    for (const path of [...linkTargets(content), ...codePaths(content)]) {
      const isThere = existsSync(resolve(dirname(file), path)) || existsSync(resolve(path));
      if (!isThere) found.push(`${file}:${line + 1}: ${path} does not exist`);
    }
    for (const [, name] of content.matchAll(/npm run ([\w:-]+)/g)) {
      if (name !== undefined && !scripts.has(name))
        found.push(`${file}:${line + 1}: there is no script "${name}"`);
    }
  }
  return [...found, ...wrongSnippets(file, text)];
}

function wrongSnippets(file: string, text: string): string[] {
  const snippets = text.matchAll(/^<!-- ([\w./-]+\.\w+) -->\n```\w*\n([\s\S]*?)^```$/gm);
  return [...snippets].flatMap(([, source = '', code = '']) => {
    if (!existsSync(source)) return [`${file}: ${source} does not exist`];
    const isThere = unindented(readFileSync(source, 'utf8')).includes(unindented(code));
    return isThere ? [] : [`${file}: the code below "${source}" does not stand in it`];
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

/** Paths such as `packages/core/src`; with a placeholder or a pattern in it, up to the folder before that. */
function codePaths(line: string): string[] {
  return [...line.matchAll(/`([\w.@-]+(?:\/[\w.@*<>-]+)+\/?)`/g)]
    .map((match) => match[1] ?? '')
    .filter((path) => roots.has(path.split('/')[0] ?? '') && !path.startsWith('node_modules'))
    .map((path) => path.replace(/\/[^/]*[*<].*$/, ''));
}
