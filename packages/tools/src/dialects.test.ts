import { createToolFinder } from '@longhaul/core';
import type { JsonValue } from '@longhaul/protocol';
import { expect, test } from 'vitest';
import { openToolFixture } from '../test/tool-fixtures.ts';
import { createTools } from './create-tools.ts';

const findTool = createToolFinder(createTools({ ripgrep: null }));

type Call = [name: string, input: Record<string, JsonValue>, tool: string, shows: string];

const LINES = '2\ttwo\n3\tthree';
const PATCH = '*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch';

/** Calls as the public tools of other agents define them. */
const DIALECTS: Record<string, Call[]> = {
  'Claude Code': [
    [
      'Bash',
      { command: 'echo hi', description: 'Say hi', timeout: 120_000, run_in_background: false },
      'bash',
      'hi\n[exit code 0]',
    ],
    ['Read', { file_path: 'a.txt', offset: 2, limit: 2 }, 'read', LINES],
    [
      'Edit',
      { file_path: 'a.txt', old_string: 'two', new_string: '2', replace_all: false },
      'edit',
      'Edited a.txt',
    ],
    [
      'MultiEdit',
      { file_path: 'a.txt', edits: [{ old_string: 'two', new_string: '2' }] },
      'edit',
      'Edited a.txt',
    ],
    ['Write', { file_path: 'b.txt', content: 'x' }, 'write', 'Created b.txt'],
    ['Glob', { pattern: '*.txt', path: '.' }, 'glob', 'a.txt'],
    [
      'Grep',
      {
        pattern: 'TWO',
        '-i': true,
        '-n': true,
        '-C': 0,
        glob: '*.txt',
        output_mode: 'content',
        head_limit: 5,
      },
      'grep',
      '2:two',
    ],
    ['LS', { path: '.' }, 'list', 'a.txt'],
    [
      'TodoWrite',
      {
        todos: [
          { content: 'x', status: 'in_progress', activeForm: 'Doing x' },
          { content: 'y', status: 'completed', activeForm: 'y' },
        ],
      },
      'todo',
      '[>] x\n[x] y',
    ],
  ],
  Codex: [
    [
      'shell',
      {
        command: ['bash', '-lc', 'pwd'],
        workdir: 'sub',
        timeout_ms: 10_000,
        with_escalated_permissions: false,
        justification: 'x',
      },
      'bash',
      '/sub\n[exit',
    ],
    [
      'shell_command',
      { command: 'pwd', workdir: 'sub', timeout_ms: 10_000, login: true },
      'bash',
      '/sub\n[exit',
    ],
    [
      'exec_command',
      { cmd: 'pwd', workdir: 'sub', yield_time_ms: 1_000, max_output_tokens: 100, login: true },
      'bash',
      '/sub\n[exit',
    ],
    ['container.exec', { cmd: ['bash', '-lc', 'echo hi'], timeout: 10_000 }, 'bash', 'hi\n'],
    ['apply_patch', { input: PATCH }, 'apply_patch', 'M a.txt'],
    ['shell', { command: ['apply_patch', PATCH] }, 'bash', 'M a.txt'],
    ['update_plan', { explanation: 'x', plan: [{ step: 'x', status: 'pending' }] }, 'todo', '[ ] x'],
    ['read_file', { file_path: 'a.txt', offset: 2, limit: 2, mode: 'slice' }, 'read', LINES],
    ['list_dir', { dir_path: '.', depth: 1 }, 'list', 'a.txt'],
    ['grep_files', { pattern: 'two', include: '*.txt', path: '.', limit: 5 }, 'grep', '2:two'],
  ],
  OpenCode: [
    ['bash', { command: 'pwd', workdir: 'sub', timeout: 60_000, description: 'x' }, 'bash', '/sub\n[exit'],
    ['read', { filePath: 'a.txt', offset: 2, limit: 2 }, 'read', LINES],
    [
      'edit',
      { filePath: 'a.txt', oldString: 'two', newString: '2', replaceAll: true },
      'edit',
      'Edited a.txt',
    ],
    ['write', { filePath: 'b.txt', content: 'x' }, 'write', 'Created'],
    ['glob', { pattern: '*.txt' }, 'glob', 'a.txt'],
    ['grep', { pattern: 'two', include: '*.txt' }, 'grep', '2:two'],
    ['list', { path: '.' }, 'list', 'a.txt'],
    [
      'todowrite',
      {
        todos: [
          { id: '1', content: 'x', status: 'cancelled', priority: 'high' },
          { id: '2', content: 'y', status: 'pending', priority: 'low' },
        ],
      },
      'todo',
      '[ ] y',
    ],
    ['apply_patch', { patchText: PATCH }, 'apply_patch', 'M a.txt'],
  ],
  'Gemini CLI': [
    ['run_shell_command', { command: 'pwd', description: 'x', dir_path: 'sub' }, 'bash', '/sub\n[exit'],
    ['run_shell_command', { command: 'pwd', directory: 'sub' }, 'bash', '/sub\n[exit'],
    ['read_file', { file_path: 'a.txt', start_line: 2, end_line: 3 }, 'read', LINES],
    ['read_file', { absolute_path: 'a.txt', offset: 2, limit: 2 }, 'read', LINES],
    ['read_many_files', { paths: ['a.txt'] }, 'read', '1\tone'],
    [
      'replace',
      { file_path: 'a.txt', instruction: 'x', old_string: 'two', new_string: '2', expected_replacements: 1 },
      'edit',
      'Edited',
    ],
    [
      'replace',
      { file_path: 'a.txt', old_string: 'two', new_string: '2', allow_multiple: true },
      'edit',
      'Edited',
    ],
    ['write_file', { file_path: 'b.txt', content: 'x' }, 'write', 'Created'],
    ['list_directory', { dir_path: '.' }, 'list', 'a.txt'],
    ['glob', { pattern: '*.txt', dir_path: '.', case_sensitive: false }, 'glob', 'a.txt'],
    ['search_file_content', { pattern: 'two', dir_path: '.', include: '*.txt' }, 'grep', '2:two'],
    [
      'grep_search',
      { pattern: 'two', include_pattern: '*.txt', total_max_matches: 5, case_sensitive: true },
      'grep',
      '2:two',
    ],
    ['write_todos', { todos: [{ description: 'x', status: 'in_progress' }] }, 'todo', '[>] x'],
  ],
  'Qwen Code': [
    [
      'run_shell_command',
      { command: 'pwd', is_background: false, directory: 'sub', description: 'x', timeout: 60_000 },
      'bash',
      '/sub\n[exit',
    ],
    ['read_file', { absolute_path: 'a.txt', offset: 2, limit: 2 }, 'read', LINES],
    [
      'edit',
      { file_path: 'a.txt', old_string: 'two', new_string: '2', replace_all: false },
      'edit',
      'Edited',
    ],
    ['write_file', { file_path: 'b.txt', content: 'x' }, 'write', 'Created'],
    ['list_directory', { path: '.' }, 'list', 'a.txt'],
    ['grep_search', { pattern: 'two', glob: '*.txt', path: '.', limit: 5 }, 'grep', '2:two'],
    ['todo_write', { todos: [{ id: '1', content: 'x', status: 'completed' }] }, 'todo', '[x] x'],
  ],
  pi: [
    ['read', { path: 'a.txt', offset: 2, limit: 2 }, 'read', LINES],
    ['bash', { command: 'echo hi', timeout: 30 }, 'bash', 'hi\n[exit code 0]'],
    ['edit', { path: 'a.txt', edits: [{ oldText: 'two', newText: '2' }] }, 'edit', 'Edited'],
    ['edit', { path: 'a.txt', oldText: 'two', newText: '2' }, 'edit', 'Edited'],
    ['write', { path: 'b.txt', content: 'x' }, 'write', 'Created'],
    [
      'grep',
      { pattern: 'two', path: '.', glob: '*.txt', ignoreCase: true, literal: true, context: 0, limit: 5 },
      'grep',
      '2:two',
    ],
    ['find', { pattern: '*.txt', path: '.', limit: 5 }, 'glob', 'a.txt'],
    ['ls', { path: '.' }, 'list', 'a.txt'],
  ],
  Cline: [
    ['execute_command', { command: 'echo hi', requires_approval: false, timeout: 30 }, 'bash', 'hi\n'],
    ['read_file', { path: 'a.txt', task_progress: 'x' }, 'read', '1\tone'],
    ['write_to_file', { path: 'b.txt', content: 'x' }, 'write', 'Created'],
    [
      'replace_in_file',
      { path: 'a.txt', diff: '------- SEARCH\ntwo\n=======\n2\n+++++++ REPLACE' },
      'edit',
      'Edited',
    ],
    ['search_files', { path: '.', regex: 'two', file_pattern: '*.txt' }, 'grep', '2:two'],
    ['list_files', { path: '.', recursive: true }, 'list', 'a.txt'],
  ],
};

test.each(
  Object.entries(DIALECTS).flatMap(([agent, calls]) =>
    calls.map((call): [string, string, Call] => [agent, call[0], call]),
  ),
)('understands %s: %s', async (_agent, _name, [name, input, tool, shows]) => {
  await using fixture = await openToolFixture();
  await fixture.put('a.txt', 'one\ntwo\nthree\nfour\n');
  await fixture.put('sub/x', 'x');
  const found = findTool(name);
  expect(found?.name).toBe(tool);
  if (found === undefined) return;
  const text = await fixture.text(found, input);
  expect(text).toContain(shows);
  expect(text).not.toContain('[Ignored:');
});
