/** Reads exercises in the layout of polyglot-benchmark: LANGUAGE/exercises/practice/NAME, with `.docs` and `.meta`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from './run/trajectory.ts';

export interface Exercise {
  /** `LANGUAGE/NAME` */
  id: string;
  language: string;
  name: string;
  folder: string;
  instructions: string;
  /** Paths in the folder. */
  solutions: string[];
  tests: string[];
}

/** @throws {Error} if there is none, or if one has no list of its files. */
export function findExercises(root: string): Exercise[] {
  const found = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(root, entry.name, 'exercises', 'practice')))
    .flatMap(({ name: language }) => {
      const practice = join(root, language, 'exercises', 'practice');
      return readdirSync(practice).map((name) => readExercise(join(practice, name), language, name));
    });
  if (found.length === 0) throw new Error(`${root} has no folder LANGUAGE/exercises/practice.`);
  return found.sort((left, right) => (left.id < right.id ? -1 : 1));
}

function readExercise(folder: string, language: string, name: string): Exercise {
  const config: unknown = JSON.parse(readFileSync(join(folder, '.meta', 'config.json'), 'utf8'));
  const files = isObject(config) && isObject(config['files']) ? config['files'] : {};
  const [solutions, tests] = [textsOf(files['solution']), textsOf(files['test'])];
  if (solutions.length === 0 || tests.length === 0)
    throw new Error(`${folder}/.meta/config.json names no files of the solution, or no tests.`);
  const instructions = ['introduction', 'instructions', 'instructions.append']
    .map((document) => join(folder, '.docs', `${document}.md`))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'utf8').trim())
    .join('\n\n');
  return { id: `${language}/${name}`, language, name, folder, instructions, solutions, tests };
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** Enables the tests that an exercise leaves for later: all of them count. */
export function withoutSkips(language: string, text: string): string {
  if (language === 'javascript') return text.replace(/\bxtest\(/g, 'test(').replace(/\bxit\(/g, 'it(');
  if (language === 'java') return text.replace(/^\s*@Disabled(?:\([^)]*\))?\s*\n/gm, '');
  return text;
}
