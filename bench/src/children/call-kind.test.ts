import { expect, test } from 'vitest';
import { callKind } from './call-kind.ts';

const lines = {
  reads: [
    'cat src/a.ts | head -20',
    "cd /repo && sed -n '1,40p' src/a.ts && git log --oneline -3",
    'find . -name "*.py" | xargs grep -l "needle" | head -10',
    'find . -name "*.py" -exec grep -n needle {} \\;',
    'grep -rn needle src 2>/dev/null || true',
    'git -C /repo show HEAD~1:src/a.ts | nl -ba',
    'gh pr view 12 --json title',
  ],
  acts: [
    'npm test',
    'sed -i s/a/b/ src/a.ts',
    'sed -n -i 5p src/a.ts',
    'cat src/a.ts > copy.ts',
    'cat > a.py <<EOF\nprint(1)\nEOF',
    'find . -name "*.tmp" -delete',
    'find . -name "*.tmp" -exec rm {} \\;',
    'find . | xargs rm',
    'git checkout src/a.ts',
    'git branch -D old',
    'ls && $(rm -rf src)',
    'python -c "print(1)"',
    '',
  ],
};

test.each(lines.reads)('counts the line %j as reading', async (command) => {
  expect(await callKind({ name: 'bash', input: { command } })).toBe('reads');
  expect(await callKind({ name: 'exec_command', input: { cmd: command } })).toBe('reads');
});

test.each(lines.acts)('counts the line %j as acting', async (command) => {
  expect(await callKind({ name: 'bash', input: { command } })).toBe('acts');
});

test.each([
  ['Read', { file_path: 'a.ts' }, 'reads'],
  ['grep', { pattern: 'a' }, 'reads'],
  ['web_search', { query: 'a' }, 'reads'],
  ['Edit', { file_path: 'a.ts', old_string: 'a', new_string: 'b' }, 'acts'],
  ['apply_patch', { input: '*** Begin Patch' }, 'acts'],
  ['Task', { prompt: 'Find it.' }, 'acts'],
  ['TaskUpdate', { taskId: '1' }, 'neutral'],
  ['TodoWrite', { todos: [] }, 'neutral'],
  ['write_stdin', { session_id: 1, chars: '' }, 'neutral'],
  ['write_stdin', { session_id: 1, chars: 'y\n' }, 'acts'],
  ['str_replace_editor', { command: 'view', path: 'a.c' }, 'reads'],
  ['str_replace_editor', { path: 'a.c', view_range: null }, 'reads'],
  ['str_replace_editor', { command: 'str_replace', path: 'a.c' }, 'acts'],
  ['exec', { input: 'const r = await tools.exec_command({"cmd":"cat a.ts"}); text(r);' }, 'reads'],
  ['exec', { input: 'await tools.exec_command({"cmd":"cat a.ts"}); await tools.apply_patch(p);' }, 'acts'],
  ['exec', { input: 'await tools.exec_command({cmd: build})' }, 'acts'],
  ['exec', { input: 'await tools.write_stdin({session_id:1,chars:""})' }, 'neutral'],
] as const)('counts a call of %s with %j as %s', async (name, input, kind) => {
  expect(await callKind({ name, input: structuredClone(input) as never })).toBe(kind);
});
