import { expect, test } from 'vitest';
import { commandWork } from './command-work.ts';

test.each([
  ['ls -la src', 'looks', 'ls'],
  ['cd src && rg -n foo | head -5', 'looks', 'head'],
  ["sed -n '1,80p' a.ts", 'looks', 'sed'],
  ["sed -i 's/a/b/' a.ts", 'edits', 'sed'],
  ['cat > a.ts <<EOF\nnpm test\nEOF', 'edits', 'cat'],
  ['git status --short && git diff', 'looks', 'git diff'],
  ['git add . && git commit -m "Add cards"', 'edits', 'git commit'],
  ['git -C /w push origin main', 'runs', 'git push'],
  ['cd app && npm test 2>&1 | tail -20', 'runs', 'npm test'],
  ['CI=1 npm run check -- --fix', 'runs', 'npm run check'],
  ['pnpm --filter @shop/web test', 'runs', 'pnpm test'],
  ['timeout 60 go test ./...', 'runs', 'go test'],
  ['npx vitest run a.test.ts', 'runs', 'vitest run'],
  ['python -m pytest tests/a.py', 'runs', 'pytest'],
  ['.venv/bin/python tools/make.py', 'runs', 'python tools/make.py'],
  ['python3 - <<EOF\nprint(1)\nEOF', 'looks', 'python3'],
  ['node -e "console.log(1)"', 'looks', 'node'],
  ['node --version', 'looks', 'node'],
  ['rg foo $(go env GOPATH)/mod/b.go', 'looks', 'rg'],
  ['', 'looks', ''],
])('reads what a shell line does: %j', (line, kind, program) => {
  expect(commandWork(line)).toMatchObject({ kind, program });
});

test('shows a line without what shortens its output', () => {
  expect(commandWork('npm test 2>&1 | tail -n 20').shown).toBe('npm test');
  expect(commandWork('make all 2>&1').shown).toBe('make all');
  expect(commandWork('go vet ./... | head -5; echo "exit: $?"').shown).toBe('go vet ./...');
  expect(commandWork('npm test | grep -c ok').shown).toBe('npm test | grep -c ok');
});

test('counts the words that make a run cover less', () => {
  const sizeOf = (line: string) => commandWork(line).size;
  expect(sizeOf('GOFLAGS=-v go test ./...')).toBe(2);
  expect(sizeOf('go test ./cards')).toBe(3);
  expect(sizeOf('npm test -- a.test.ts')).toBeGreaterThan(sizeOf('cd app && npm test'));
});

test('reads the subjects of commits', () => {
  const commitsOf = (line: string) => commandWork(line).commits;
  expect(commitsOf('git add -A && git commit -m "Add cards" -m "They have decks."')).toEqual(['Add cards']);
  expect(commitsOf("git commit -qam 'Fix dates\n\nin UTC'")).toEqual(['Fix dates']);
  expect(commitsOf('git commit --message="Sort decks"')).toEqual(['Sort decks']);
  expect(commitsOf('git commit -m "$(cat <<\'EOF\'\nAdd decks\n\nMore.\nEOF\n)"')).toEqual(['Add decks']);
  expect(commitsOf('git commit --amend --no-edit')).toEqual([]);
  expect(commitsOf('echo "git commit -m no"')).toEqual([]);
});
