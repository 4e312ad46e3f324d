import { foldName } from '@longhaul/protocol';
import { expect, test } from 'vitest';
import { createTools } from './create-tools.ts';
import {
  BASH_DIALECT,
  FETCH_DIALECT,
  PROCESS_DIALECT,
  RECALL_DIALECT,
  SKILL_DIALECT,
  TODO_DIALECT,
} from './dialect/command-dialects.ts';
import { EDIT_DIALECT, PATCH_DIALECT, READ_DIALECT, WRITE_DIALECT } from './dialect/file-dialects.ts';
import { GLOB_DIALECT, GREP_DIALECT, LIST_DIALECT } from './dialect/search-dialects.ts';

const ALL_DIALECTS = [
  BASH_DIALECT,
  PROCESS_DIALECT,
  READ_DIALECT,
  WRITE_DIALECT,
  EDIT_DIALECT,
  PATCH_DIALECT,
  LIST_DIALECT,
  GLOB_DIALECT,
  GREP_DIALECT,
  TODO_DIALECT,
  RECALL_DIALECT,
  SKILL_DIALECT,
  FETCH_DIALECT,
];

const NAMES = [
  'bash',
  'process',
  'read',
  'write',
  'edit',
  'apply_patch',
  'list',
  'glob',
  'grep',
  'todo',
  'recall',
];

test('creates the built-in tools', () => {
  const tools = createTools();
  expect(tools.map((tool) => tool.name)).toEqual(NAMES);
  expect(tools.map((tool) => tool.schema.name)).toEqual(NAMES);
  expect(tools.filter((tool) => tool.runsAlone).map((tool) => tool.name)).toEqual([
    'bash',
    'process',
    'write',
    'edit',
    'apply_patch',
  ]);
});

test('creates the tool for web pages only if it is asked for', () => {
  expect(createTools({ fetch: {} }).map((tool) => tool.name)).toEqual([...NAMES, 'fetch']);
});

test('keeps other names out of the schemas', () => {
  const schemas = JSON.stringify(createTools().map((tool) => tool.schema));
  for (const alias of ['file_path', 'old_string', 'read_file', 'TodoWrite', 'run_shell_command'])
    expect(schemas).not.toContain(alias);
});

test('has no name that means two tools, and no parameter that means two of one tool', () => {
  const tools = createTools({ fetch: {} });
  const names = tools.flatMap((tool) => [tool.name, ...(tool.aliases ?? [])]).map(foldName);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  for (const dialect of ALL_DIALECTS) {
    const parameters = Object.entries(dialect.parameters).flatMap(([name, { aliases = [], factors = {} }]) =>
      [name, ...aliases, ...Object.keys(factors)].map(foldName),
    );
    expect(parameters.filter((name, index) => parameters.indexOf(name) !== index)).toEqual([]);
  }
});

test('applies configured limits to the tools and to their descriptions', () => {
  const [bash, , read] = createTools({
    bash: { maxOutputChars: 5000, timeoutMs: 1000, maxTimeoutMs: 2000 },
    read: { maxLines: 7 },
  });
  expect(bash?.maxOutputChars).toBe(6000);
  expect(JSON.stringify(bash?.schema)).toContain('Default 1000');
  expect(read?.schema.description).toContain('up to 7');
});
